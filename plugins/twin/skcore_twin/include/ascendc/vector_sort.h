// Licensed under the Apache License, Version 2.0.
//
// Sorting of (score, index) records of 8 bytes (spec ascendc_vector.md 10, ascendc_adv_host.md 6): descending, stable.
#pragma once

#include "ascendc/vector_mask.h"

namespace AscendC {

template <typename T>
struct MrgSortSrcList {
    MrgSortSrcList() = default;
    MrgSortSrcList(const LocalTensor<T>& first, const LocalTensor<T>& second, const LocalTensor<T>& third,
                   const LocalTensor<T>& fourth)
        : src1(first), src2(second), src3(third), src4(fourth) {}
    LocalTensor<T> src1;
    LocalTensor<T> src2;
    LocalTensor<T> src3;
    LocalTensor<T> src4;
};

namespace detail {

constexpr uint64_t kRecordBytes = 8;

template <typename T>
T ScoreAt(const uint8_t* record) {
    T score;
    memcpy(&score, record, sizeof(T));
    return score;
}

template <typename T>
void SortRecords(uint8_t* records, uint32_t count) {
    for (uint32_t i = 1; i < count; ++i) {
        uint64_t moving;
        memcpy(&moving, records + i * kRecordBytes, kRecordBytes);
        const T score = ScoreAt<T>(records + i * kRecordBytes);
        uint32_t at = i;
        for (; at > 0 && score > ScoreAt<T>(records + (at - 1) * kRecordBytes); --at) {
            memcpy(records + at * kRecordBytes, records + (at - 1) * kRecordBytes, kRecordBytes);
        }
        memcpy(records + at * kRecordBytes, &moving, kRecordBytes);
    }
}

// The lists of one merge; `taken` counts the records consumed of each.
struct MergeLists {
    const uint8_t* list[4] = {};
    uint32_t length[4] = {};
    uint32_t taken[4] = {};

    // The list with the largest head; the lower number wins ties. -1 when nothing is left.
    template <typename T>
    int Best() const {
        int best = -1;
        for (int i = 0; i < 4; ++i) {
            if (taken[i] < length[i] && (best < 0 || Head<T>(i) > Head<T>(best))) {
                best = i;
            }
        }
        return best;
    }
    template <typename T>
    T Head(int i) const {
        return ScoreAt<T>(list[i] + taken[i] * kRecordBytes);
    }
    bool OneExhausted() const {
        for (int i = 0; i < 4; ++i) {
            if (length[i] != 0 && taken[i] == length[i]) {
                return true;
            }
        }
        return false;
    }
};

template <typename T>
void Merge(const sktwin::Operand<T>& dst, uint64_t start, MergeLists& lists, bool suspend) {
    for (uint64_t out = start;; ++out) {
        const int best = lists.Best<T>();
        if (best < 0 || (suspend && lists.OneExhausted())) {
            return;
        }
        memcpy(dst.At(out * kRecordBytes, kRecordBytes), lists.list[best] + lists.taken[best] * kRecordBytes,
               kRecordBytes);
        ++lists.taken[best];
    }
}

}  // namespace detail

template <typename T>
void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& src1,
            const int32_t repeatTime, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("Sort32", T, (half, float), (half, float));
    const auto out = sktwin::OperandOf(dst, 1, 8, site);
    const auto scores = sktwin::OperandOf(src0, 1, 8, site);
    const auto indices = sktwin::OperandOf(src1, 1, 8, site);
    for (int32_t repeat = 0; out && repeat < repeatTime; ++repeat) {
        uint8_t records[32 * detail::kRecordBytes] = {};
        for (uint32_t i = 0; i < 32; ++i) {
            const uint64_t element = 32ull * static_cast<uint32_t>(repeat) + i;
            memcpy(records + i * detail::kRecordBytes, scores.Element(element), sizeof(T));
            memcpy(records + i * detail::kRecordBytes + 4, indices.Element(element), 4);
        }
        detail::SortRecords<T>(records, 32);
        memcpy(out.At(sizeof(records) * static_cast<uint32_t>(repeat), sizeof(records)), records, sizeof(records));
    }
}

template <typename T>
void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const MrgSort4Info& info,
             sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("MrgSort", T, (half, float), (half, float));
    const auto out = sktwin::OperandOf(dst, 1, 8, site);
    if (!out) {
        return;
    }
    const LocalTensor<T>* tensors[4] = {&src.src1, &src.src2, &src.src3, &src.src4};
    if (info.repeatTimes > 1 && (info.validBit != 15 || info.ifExhaustedSuspension)) {
        sktwin::Fault("merge-sort-parameters", site,
                      "MrgSort: repeatTimes above 1 needs four lists (validBit 15) without "
                      "suspension");
    }
    uint64_t total = 0;
    for (int i = 0; i < 4; ++i) {
        total += (info.validBit >> i & 1) != 0 ? info.elementLengths[i] : 0;
    }
    detail::MergeLists lists;
    for (uint64_t repeat = 0; repeat < info.repeatTimes; ++repeat) {
        lists = detail::MergeLists();
        for (int i = 0; i < 4; ++i) {
            if ((info.validBit >> i & 1) != 0) {
                const auto operand = sktwin::OperandOf(*tensors[i], 1, 8, site, 8);
                lists.length[i] = info.elementLengths[i];
                lists.list[i] =
                    operand.At(repeat * total * detail::kRecordBytes, lists.length[i] * detail::kRecordBytes);
            }
        }
        detail::Merge(out, repeat * total, lists, info.ifExhaustedSuspension);
    }
    uint64_t counts = 0;
    for (int i = 0; i < 4; ++i) {
        counts |= uint64_t(lists.taken[i] & 0xffffu) << 16 * i;
    }
    sktwin::Self().registers.scratch[sktwin::kScratchMergeCounts] = counts;
}

inline void GetMrgSortResult(uint16_t& list1, uint16_t& list2, uint16_t& list3, uint16_t& list4) {
    const uint64_t counts = sktwin::Self().registers.scratch[sktwin::kScratchMergeCounts];
    list1 = static_cast<uint16_t>(counts);
    list2 = static_cast<uint16_t>(counts >> 16);
    list3 = static_cast<uint16_t>(counts >> 32);
    list4 = static_cast<uint16_t>(counts >> 48);
}

template <typename T, bool isExhaustedSuspension = false>
void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const uint16_t elementCountList[4],
             uint32_t sortedNum[4], uint16_t validBit, const int32_t repeatTime,
             sktwin::Site site = sktwin::Site::Here()) {
    MrgSort(dst, src,
            MrgSort4Info(elementCountList, isExhaustedSuspension, validBit, static_cast<uint16_t>(repeatTime)), site);
    uint16_t counts[4];
    GetMrgSortResult(counts[0], counts[1], counts[2], counts[3]);
    for (int i = 0; i < 4; ++i) {
        sortedNum[i] = counts[i];
    }
}

template <typename T>
constexpr uint32_t GetSortLen(const uint32_t elemCount) {
    return elemCount * static_cast<uint32_t>(detail::kRecordBytes / sizeof(T));
}
template <typename T>
constexpr uint32_t GetSortOffset(const uint32_t elemOffset) {
    return GetSortLen<T>(elemOffset);
}

template <typename T>
void Concat(LocalTensor<T>& concat, const LocalTensor<T>& src, const LocalTensor<T>&, const int32_t) {
    concat = src;
}

// isFullSort: all repeatTime * 32 records; otherwise each 32 alone. The index counts from the caller's index tensor.
template <typename T, bool isFullSort>
void Sort(const LocalTensor<T>& dst, const LocalTensor<T>& concat, const LocalTensor<uint32_t>& index,
          LocalTensor<T>& tmp, const int32_t repeatTime, sktwin::Site site = sktwin::Site::Here()) {
    Sort32(dst, concat, index, repeatTime, site);
    if constexpr (isFullSort) {
        const auto out = sktwin::OperandOf(dst, 1, 8, site);
        const auto scratch = sktwin::OperandOf(tmp, 1, 8, site);
        const uint32_t count = 32u * static_cast<uint32_t>(repeatTime);
        for (uint32_t run = 32; out && run < count; run *= 2) {
            for (uint32_t first = 0; first < count; first += 2 * run) {
                detail::MergeLists lists;
                lists.length[0] = count - first < run ? count - first : run;
                lists.length[1] = count - first <= run ? 0 : count - first - run < run ? count - first - run : run;
                lists.list[0] = out.At(uint64_t(first) * 8, lists.length[0] * 8);
                lists.list[1] = out.At(uint64_t(first + lists.length[0]) * 8, lists.length[1] * 8);
                detail::Merge(scratch, first, lists, false);
            }
            memcpy(out.At(0, uint64_t(count) * 8), scratch.At(0, uint64_t(count) * 8), uint64_t(count) * 8);
        }
    }
}

template <typename T>
void Extract(const LocalTensor<T>& dstValue, const LocalTensor<uint32_t>& dstIndex, const LocalTensor<T>& sorted,
             const int32_t repeatTime, sktwin::Site site = sktwin::Site::Here()) {
    const auto values = sktwin::OperandOf(dstValue, 1, 8, site);
    const auto indices = sktwin::OperandOf(dstIndex, 1, 8, site);
    const auto records = sktwin::OperandOf(sorted, 1, 8, site);
    for (uint64_t i = 0; values && i < 32ull * static_cast<uint32_t>(repeatTime); ++i) {
        const uint8_t* record = records.At(i * detail::kRecordBytes, detail::kRecordBytes);
        memcpy(values.Element(i), record, sizeof(T));
        memcpy(indices.Element(i), record + 4, 4);
    }
}

}  // namespace AscendC
