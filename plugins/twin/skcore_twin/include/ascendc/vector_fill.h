// Licensed under the Apache License, Version 2.0.
//
// Filling and rearranging without arithmetic (spec ascendc_vector.md 7.1 to 7.3, 7.6): Duplicate, Brcb, CreateVecIndex,
// Copy.
#pragma once

#include "ascendc/copy_params.h"
#include "ascendc/vector_lane.h"
#include "ascendc/vector_mask.h"

namespace sktwin {

template <typename T>
struct FillLane {
    T value;

    T operator()() const { return value; }
};

template <uint32_t N, typename D>
void ComputeLanes(const FillLane<D>& operation, D* __restrict out) {
    for (uint32_t i = 0; i < N; ++i) {
        out[i] = operation.value;
    }
}

template <typename T>
void RunIndex(const Issue& issue, const Operand<T>& dst, T first) {
    if (!dst) {
        return;
    }
    constexpr uint32_t kN = kLanes<T>;
    T lane[kN];
    lane[0] = first;
    // The device builds the first block by scalar steps, then doubles: half loses exactness above 2048 the same way.
    for (uint32_t i = 1; i < kN; ++i) {
        constexpr uint32_t kE = kN / 8;
        lane[i] = i < kE ? AddOf(first, T(static_cast<int>(i))) : AddOf(lane[i - kE], T(static_cast<int>(kE)));
    }
    for (uint32_t repeat = 0; repeat < issue.Repeats(kN); ++repeat) {
        StoreLanes<kN>(dst, lane, repeat, issue.LanesOf(repeat, kN));
        for (T& one : lane) {
            one = AddOf(one, T(static_cast<int>(kN)));
        }
    }
}

}  // namespace sktwin

namespace AscendC {

#define SKTWIN_REQUIRE_DUPLICATE(T)                                                      \
    SKTWIN_REQUIRE_TYPE(                                                                 \
        "Duplicate", T, (int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float), \
        (bool, int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t))

template <typename T>
void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const int32_t& count,
               sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_DUPLICATE(T);
    sktwin::RunLanes<sktwin::kLanes<T>>(sktwin::IssueCount<true>(count), sktwin::FillLane<T>{scalarValue},
                                        sktwin::OperandOf(dst, 1, 8, site));
}
template <typename T, bool isSetMask = true>
void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask, const uint8_t repeatTime,
               const uint16_t dstBlockStride, const uint8_t dstRepeatStride, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_DUPLICATE(T);
    sktwin::RunLanes<sktwin::kLanes<T>>(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanes<T>),
                                        sktwin::FillLane<T>{scalarValue},
                                        sktwin::OperandOf(dst, dstBlockStride, dstRepeatStride, site));
}
template <typename T, bool isSetMask = true>
void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const uint64_t mask[], const uint8_t repeatTime,
               const uint16_t dstBlockStride, const uint8_t dstRepeatStride, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_DUPLICATE(T);
    sktwin::RunLanes<sktwin::kLanes<T>>(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanes<T>),
                                        sktwin::FillLane<T>{scalarValue},
                                        sktwin::OperandOf(dst, dstBlockStride, dstRepeatStride, site));
}
#if __NPU_ARCH__ == 3510
template <typename T>
void Duplicate(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count,
               sktwin::Site site = sktwin::Site::Here()) {
    Duplicate(dst, src.GetValue(0, site), count, site);
}
#endif
#undef SKTWIN_REQUIRE_DUPLICATE

template <typename T>
void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint8_t repeatTime,
          const BrcbRepeatParams& params, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE(
        "Brcb", T, (int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float),
        (int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t));
    const auto out =
        sktwin::OperandOf(dst, params.dstBlkStride == 0 ? 1 : params.dstBlkStride, params.dstRepStride, site);
    const auto in = sktwin::OperandOf(src, 1, 8, site, sizeof(T));
    if (!out) {
        return;
    }
    for (uint32_t r = 0; r < repeatTime; ++r) {
        T values[8];
        memcpy(values, in.At(8ull * r * sizeof(T), sizeof(values)), sizeof(values));
        for (uint32_t j = 0; j < 8; ++j) {
            uint8_t* block = out.Block(r, j);
            for (uint32_t e = 0; e < ONE_BLK_SIZE / sizeof(T); ++e) {
                memcpy(block + e * sizeof(T), &values[j], sizeof(T));
            }
        }
    }
}

#define SKTWIN_REQUIRE_INDEX(T)                                               \
    SKTWIN_REQUIRE_TYPE("CreateVecIndex", T, (int16_t, half, int32_t, float), \
                        (int8_t, int16_t, half, int32_t, float, int64_t))

template <typename T>
void CreateVecIndex(LocalTensor<T> dst, const T& firstValue, uint32_t count, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_INDEX(T);
    sktwin::RunIndex(sktwin::IssueCount<true>(count), sktwin::OperandOf(dst, 1, 8, site), firstValue);
}
template <typename T>
void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask, uint8_t repeatTime, uint16_t dstBlkStride,
                    uint8_t dstRepStride, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_INDEX(T);
    sktwin::RunIndex(sktwin::IssueMask<true>(mask, repeatTime, sktwin::kLanes<T>),
                     sktwin::OperandOf(dst, dstBlkStride, dstRepStride, site), firstValue);
}
template <typename T>
void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask[], uint8_t repeatTime,
                    uint16_t dstBlkStride, uint8_t dstRepStride, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_INDEX(T);
    sktwin::RunIndex(sktwin::IssueMask<true>(mask, repeatTime, sktwin::kLanes<T>),
                     sktwin::OperandOf(dst, dstBlkStride, dstRepStride, site), firstValue);
}
#undef SKTWIN_REQUIRE_INDEX

namespace detail {

// In counter mode the mask counts the elements of each repeat here, and the repeats still apply.
template <typename T>
void CopyRepeats(sktwin::Issue issue, const sktwin::Operand<T>& dst, const sktwin::Operand<T>& src,
                 uint32_t repeatTime) {
    constexpr uint32_t kN = sktwin::kLanes<T>;
    if (!dst) {
        return;
    }
    for (uint32_t repeat = 0; repeat < repeatTime; ++repeat) {
        const sktwin::Lanes active = issue.LanesOf(issue.counter ? 0 : repeat, kN);
        const sktwin::LaneBuffer<T, kN> in(src, repeat, active);
        sktwin::StoreLanes<kN>(dst, in.lane, repeat, active);
    }
}

}  // namespace detail

#define SKTWIN_REQUIRE_COPY(T)                                                      \
    SKTWIN_REQUIRE_TYPE(                                                            \
        "Copy", T, (int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float), \
        (int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t))

template <typename T, bool isSetMask = true>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[], const uint8_t repeatTime,
          const CopyRepeatParams& p, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_COPY(T);
    detail::CopyRepeats(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanes<T>),
                        sktwin::OperandOf(dst, p.dstStride, p.dstRepeatSize, site),
                        sktwin::OperandOf(src, p.srcStride, p.srcRepeatSize, site), repeatTime);
}
template <typename T, bool isSetMask = true>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask, const uint8_t repeatTime,
          const CopyRepeatParams& p, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_COPY(T);
    detail::CopyRepeats(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanes<T>),
                        sktwin::OperandOf(dst, p.dstStride, p.dstRepeatSize, site),
                        sktwin::OperandOf(src, p.srcStride, p.srcRepeatSize, site), repeatTime);
}
#if __NPU_ARCH__ == 3510
template <typename T>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t count,
          sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_COPY(T);
    const auto to = sktwin::OperandOf(dst, 1, 8, site);
    const auto from = sktwin::OperandOf(src, 1, 8, site);
    if (to) {
        memmove(to.At(0, count * sizeof(T)), from.At(0, count * sizeof(T)), count * sizeof(T));
    }
}
#endif
#undef SKTWIN_REQUIRE_COPY

}  // namespace AscendC
