// Licensed under the Apache License, Version 2.0.
//
// Compare, Select and the compare mask register (spec ascendc_vector.md 5.1 to 5.3). Bits are packed, the first element
// in the least significant bit of the first byte.
#pragma once

#include "ascendc/vector_mask.h"

namespace sktwin {

// On the 2201 every comparison with NaN is false, also NE.
template <typename T>
bool CompareValues(T a, T b, AscendC::CMPMODE mode) {
    using AscendC::CMPMODE;
    switch (mode) {
        case CMPMODE::LT:
            return a < b;
        case CMPMODE::GT:
            return a > b;
        case CMPMODE::EQ:
            return a == b;
        case CMPMODE::LE:
            return a <= b;
        case CMPMODE::GE:
            return a >= b;
        default:
            return a != b && (kChip3510 || (!IsNan(a) && !IsNan(b)));
    }
}

// One repeat of results, packed.
template <typename T>
struct CompareBits {
    static constexpr uint32_t kN = kLanes<T>;
    uint8_t byte[kN / 8] = {};

    CompareBits(const T* a, const T* b, AscendC::CMPMODE mode, const Lanes& active) {
        for (uint32_t i = 0; i < kN; ++i) {
            if (active.Test(i) && CompareValues(a[i], b[i], mode)) {
                byte[i / 8] |= static_cast<uint8_t>(1u << i % 8);
            }
        }
    }
};

template <typename T>
struct ScalarLanes {
    T lane[kLanes<T>];

    explicit ScalarLanes(T value) {
        for (T& one : lane) {
            one = value;
        }
    }
};

// The mask of a comparison is ignored on the 2201 and gives zero bits on the 3510.
inline Lanes CompareLanes(const Issue& issue, uint32_t repeat, uint32_t lanes) {
    if (kChip3510) {
        return issue.LanesOf(repeat, lanes);
    }
    Lanes all;
    all.prefix = lanes;
    return all;
}

template <typename T, typename U>
void RunCompare(const Issue& issue, AscendC::CMPMODE mode, const Operand<U>& dst, const Operand<T>& src0,
                const Operand<T>* src1, T scalar) {
    if (!dst) {
        return;
    }
    constexpr uint32_t kN = kLanes<T>;
    if (!kChip3510 && std::is_same_v<T, int32_t> && mode != AscendC::CMPMODE::EQ) {
        Fault("compare-mode", src0.site, "Compare of int32_t on dav-2201 knows CMPMODE::EQ only, not %d",
              static_cast<int>(mode));
    }
    const ScalarLanes<T> broadcast(scalar);
    for (uint32_t repeat = 0; repeat < issue.Repeats(kN); ++repeat) {
        const Lanes active = CompareLanes(issue, repeat, kN);
        const LaneBuffer<T, kN> left(src0, repeat, active);
        uint8_t* out = dst.At(uint64_t(repeat) * kN / 8, kN / 8);
        if (src1 == nullptr) {
            memcpy(out, CompareBits<T>(left.lane, broadcast.lane, mode, active).byte, kN / 8);
        } else {
            const LaneBuffer<T, kN> right(*src1, repeat, active);
            memcpy(out, CompareBits<T>(left.lane, right.lane, mode, active).byte, kN / 8);
        }
    }
}

// The count form on the 2201 works on whole repeats of 256 bytes and drops the rest.
template <typename T>
Issue CompareCount(uint32_t count) {
    return IssueCount<true>(kChip3510 ? count : count / kLanes<T> * kLanes<T>);
}

// Where the selector bits of a repeat start: mode 0 uses one vector again, the others consume bits in order.
template <typename T>
uint64_t SelectorByte(AscendC::SELMODE mode, uint32_t repeat) {
    return mode == AscendC::SELMODE::VSEL_CMPMASK_SPR ? 0 : uint64_t(repeat) * kLanes<T> / 8;
}

template <typename T>
void SelectRepeat(uint32_t repeat, const Lanes& active, const uint8_t* selector, const Operand<T>& dst, const T* yes,
                  const T* no) {
    constexpr uint32_t kN = kLanes<T>;
    alignas(64) T out[kN];
    for (uint32_t i = 0; i < kN; ++i) {
        out[i] = (selector[i / 8] >> i % 8 & 1) != 0 ? yes[i] : no[i];
    }
    StoreLanes<kN>(dst, out, repeat, active);
}

// src1 null: the scalar takes its place.
template <typename T, typename U>
void RunSelect(const Issue& issue, AscendC::SELMODE mode, const Operand<T>& dst, const Operand<U>& selector,
               const Operand<T>& src0, const Operand<T>* src1, T scalar) {
    if (!dst) {
        return;
    }
    constexpr uint32_t kN = kLanes<T>;
    const ScalarLanes<T> broadcast(scalar);
    for (uint32_t repeat = 0; repeat < issue.Repeats(kN); ++repeat) {
        const Lanes active = issue.LanesOf(repeat, kN);
        uint8_t bits[kN / 8];
        const uint64_t start = SelectorByte<T>(mode, repeat);
        const uint32_t last = issue.counter ? (active.prefix + 7) / 8 : kN / 8;
        memset(bits, 0, sizeof(bits));
        memcpy(bits, selector.At(start, last), last);
        const LaneBuffer<T, kN> yes(src0, repeat, active);
        if (src1 == nullptr) {
            SelectRepeat(repeat, active, bits, dst, yes.lane, broadcast.lane);
        } else {
            const LaneBuffer<T, kN> no(*src1, repeat, active);
            SelectRepeat(repeat, active, bits, dst, yes.lane, no.lane);
        }
    }
}

inline void CheckSelectMode(bool scalar, AscendC::SELMODE mode, Site site) {
    if (scalar != (mode == AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE)) {
        Fault("select-mode", site,
              "Select: VSEL_TENSOR_SCALAR_MODE goes with a scalar as src1, the other modes with a tensor");
    }
}

}  // namespace sktwin

namespace AscendC {

#define SKTWIN_REQUIRE_COMPARE(api, T)  \
    SKTWIN_REQUIRE_TYPE(                \
        api, T, (half, float, int32_t), \
        (int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t))
#define SKTWIN_REQUIRE_SELECT(api, T) \
    SKTWIN_REQUIRE_TYPE(              \
        api, T, (half, float),        \
        (int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t))

template <typename T, typename U>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
             uint32_t count, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_COMPARE("Compare", T);
    const auto right = sktwin::OperandOf(src1, 1, 8, site);
    sktwin::RunCompare(sktwin::CompareCount<T>(count), cmpMode, sktwin::OperandOf(dst, 1, 8, site),
                       sktwin::OperandOf(src0, 1, 8, site), &right, T(0));
}
template <typename T, typename U, bool isSetMask = true, typename M>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, M mask,
             uint8_t repeatTime, const BinaryRepeatParams& p, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_COMPARE("Compare", T);
    const auto right = sktwin::OperandOf(src1, p.src1BlkStride, p.src1RepStride, site);
    sktwin::RunCompare(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanes<T>), cmpMode,
                       sktwin::OperandOf(dst, 1, 8, site),
                       sktwin::OperandOf(src0, p.src0BlkStride, p.src0RepStride, site), &right, T(0));
}
template <typename T, typename U>
void Compares(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1, CMPMODE cmpMode, uint32_t count,
              sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_COMPARE("Compares", T);
    sktwin::RunCompare<T>(sktwin::CompareCount<T>(count), cmpMode, sktwin::OperandOf(dst, 1, 8, site),
                          sktwin::OperandOf(src0, 1, 8, site), nullptr, src1);
}
template <typename T, typename U, bool isSetMask = true, typename M>
void Compares(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1, CMPMODE cmpMode, M mask,
              uint8_t repeatTime, const UnaryRepeatParams& p, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_COMPARE("Compares", T);
    sktwin::RunCompare<T>(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanes<T>), cmpMode,
                          sktwin::OperandOf(dst, 1, 8, site),
                          sktwin::OperandOf(src0, p.srcBlkStride, p.srcRepStride, site), nullptr, src1);
}
template <typename T, typename U>
void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1, CMPMODE cmpMode, uint32_t count,
                   sktwin::Site site = sktwin::Site::Here()) {
    Compares(dst, src0, src1, cmpMode, count, site);
}
template <typename T, typename U, bool isSetMask = true, typename M>
void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1, CMPMODE cmpMode, M mask,
                   uint8_t repeatTime, const UnaryRepeatParams& p, sktwin::Site site = sktwin::Site::Here()) {
    Compares<T, U, isSetMask>(dst, src0, src1, cmpMode, mask, repeatTime, p, site);
}

// One repeat into the compare mask register.
template <typename T, bool isSetMask = true, typename M>
void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, M mask,
             const BinaryRepeatParams& p, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("Compare", T, (half, float), (half, float));
    const auto left = sktwin::OperandOf(src0, p.src0BlkStride, p.src0RepStride, site);
    const auto right = sktwin::OperandOf(src1, p.src1BlkStride, p.src1RepStride, site);
    if (!left) {
        return;
    }
    const sktwin::Issue issue = sktwin::IssueMask<isSetMask>(mask, 1, sktwin::kLanes<T>);
    const sktwin::Lanes active = issue.LanesOf(0, sktwin::kLanes<T>);
    const sktwin::LaneBuffer<T, sktwin::kLanes<T>> a(left, 0, active);
    const sktwin::LaneBuffer<T, sktwin::kLanes<T>> b(right, 0, active);
    const sktwin::CompareBits<T> bits(a.lane, b.lane, cmpMode, active);
    memcpy(sktwin::Self().registers.compareMask, bits.byte, sizeof(bits.byte));
}

template <typename T>
void GetCmpMask(const LocalTensor<T>& dst, sktwin::Site site = sktwin::Site::Here()) {
    if (const auto operand = sktwin::OperandOf(dst, 1, 8, site, 16)) {
        memcpy(operand.At(0, 16), sktwin::Self().registers.compareMask, 16);
    }
}
template <typename T>
void SetCmpMask(const LocalTensor<T>& src, sktwin::Site site = sktwin::Site::Here()) {
    if (const auto operand = sktwin::OperandOf(src, 1, 8, site, 16)) {
        memcpy(sktwin::Self().registers.compareMask, operand.At(0, 16), 16);
    }
}

template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, uint32_t count, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_SELECT("Select", T);
    sktwin::CheckSelectMode(false, selMode, site);
    const auto no = sktwin::OperandOf(src1, 1, 8, site);
    sktwin::RunSelect(sktwin::IssueCount<true>(count), selMode, sktwin::OperandOf(dst, 1, 8, site),
                      sktwin::OperandOf(selMask, 1, 8, site), sktwin::OperandOf(src0, 1, 8, site), &no, T(0));
}
template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
            SELMODE selMode, uint32_t count, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_SELECT("Select", T);
    sktwin::CheckSelectMode(true, selMode, site);
    sktwin::RunSelect<T>(sktwin::IssueCount<true>(count), selMode, sktwin::OperandOf(dst, 1, 8, site),
                         sktwin::OperandOf(selMask, 1, 8, site), sktwin::OperandOf(src0, 1, 8, site), nullptr, src1);
}
template <typename T, typename U, bool isSetMask = true, typename M>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, M mask, uint8_t repeatTime, const BinaryRepeatParams& p,
            sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_SELECT("Select", T);
    sktwin::CheckSelectMode(false, selMode, site);
    const auto no = sktwin::OperandOf(src1, p.src1BlkStride, p.src1RepStride, site);
    sktwin::RunSelect(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanes<T>), selMode,
                      sktwin::OperandOf(dst, p.dstBlkStride, p.dstRepStride, site),
                      sktwin::OperandOf(selMask, 1, 8, site),
                      sktwin::OperandOf(src0, p.src0BlkStride, p.src0RepStride, site), &no, T(0));
}
template <typename T, typename U, bool isSetMask = true, typename M>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
            SELMODE selMode, M mask, uint8_t repeatTime, const BinaryRepeatParams& p,
            sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_SELECT("Select", T);
    sktwin::CheckSelectMode(true, selMode, site);
    sktwin::RunSelect<T>(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanes<T>), selMode,
                         sktwin::OperandOf(dst, p.dstBlkStride, p.dstRepStride, site),
                         sktwin::OperandOf(selMask, 1, 8, site),
                         sktwin::OperandOf(src0, p.src0BlkStride, p.src0RepStride, site), nullptr, src1);
}

// Mode 0 with the selector in the compare mask register; the vector mask is the current one.
template <typename T, SELMODE selMode = SELMODE::VSEL_CMPMASK_SPR>
void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint8_t repeatTime,
            const BinaryRepeatParams& p, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_SELECT("Select", T);
    static_assert(selMode == SELMODE::VSEL_CMPMASK_SPR, "Select without a mask: the twin has VSEL_CMPMASK_SPR only");
    constexpr uint32_t kN = sktwin::kLanes<T>;
    const auto out = sktwin::OperandOf(dst, p.dstBlkStride, p.dstRepStride, site);
    const auto yes = sktwin::OperandOf(src0, p.src0BlkStride, p.src0RepStride, site);
    const auto no = sktwin::OperandOf(src1, p.src1BlkStride, p.src1RepStride, site);
    if (!out) {
        return;
    }
    uint8_t selector[16];
    memcpy(selector, sktwin::Self().registers.compareMask, 16);
    const sktwin::Issue issue = sktwin::IssueFromRegisters(repeatTime);
    for (uint32_t repeat = 0; repeat < issue.Repeats(kN); ++repeat) {
        const sktwin::Lanes active = issue.LanesOf(repeat, kN);
        const sktwin::LaneBuffer<T, kN> a(yes, repeat, active);
        const sktwin::LaneBuffer<T, kN> b(no, repeat, active);
        sktwin::SelectRepeat(repeat, active, selector, out, a.lane, b.lane);
    }
}

#undef SKTWIN_REQUIRE_COMPARE
#undef SKTWIN_REQUIRE_SELECT

}  // namespace AscendC
