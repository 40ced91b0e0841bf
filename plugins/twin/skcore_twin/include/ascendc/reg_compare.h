// Licensed under the Apache License, Version 2.0.
//
// Comparison, selection and reduction of registers (spec ascendc_vector.md 12.7).
#pragma once

#include "ascendc/reg_types.h"

namespace sktwin::reg {

using AscendC::CMPMODE;
using AscendC::ReduceType;

template <CMPMODE mode, typename T>
bool Holds(T a, T b) {
    if constexpr (kIsShortFloat<T>) {
        return Holds<mode>(static_cast<float>(a), static_cast<float>(b));
    } else {
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
                return a != b;
        }
    }
}

template <CMPMODE mode, typename E, const RegTrait& trait, typename F>
void CompareLanes(MaskReg& dst, const RegTensor<E, trait>& src0, const F& second, const MaskReg& mask) {
    const auto a = ReadLanes(src0);
    const auto active = ActiveLanes<kCount<E, trait>>(mask);
    dst = MaskOfLanes(kCount<E, trait>,
                      [&](uint32_t i) { return active.lane[i] && Holds<mode>(a.lane[i], second(i)); });
}

// What an inactive lane counts as.
template <ReduceType type, typename T>
T NeutralOf() {
    if constexpr (type == ReduceType::SUM) {
        return T{};
    } else if constexpr (std::is_integral_v<T>) {
        constexpr auto kHigh = static_cast<T>(std::is_signed_v<T> ? ~(T(1) << (8 * sizeof(T) - 1)) : ~T(0));
        return type == ReduceType::MAX ? static_cast<T>(~kHigh) : kHigh;
    } else {
        return type == ReduceType::MAX ? T(-__builtin_inff()) : T(__builtin_inff());
    }
}

// Sums of neighbours, then sums of these.
template <typename T>
T TreeSum(T* lane, uint32_t count) {
    for (uint32_t left = count; left > 1; left = (left + 1) / 2) {
        for (uint32_t i = 0; i < left / 2; ++i) {
            lane[i] = AddOf(lane[2 * i], lane[2 * i + 1]);
            if constexpr (kIsShortFloat<T>) {
                if ((Self().registers.scratch[kScratchSaturation] & 1) != 0) {
                    SaturateLanes<1>(lane + i);
                }
            }
        }
        if (left % 2 != 0) {
            lane[left / 2] = lane[left - 1];
        }
    }
    return lane[0];
}

// The first of the largest or smallest lanes; the first NaN, if there is one.
template <ReduceType type, typename T>
uint32_t FindExtremum(const T* lane, uint32_t count) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (IsNan(lane[i])) {
            return i;
        }
        const T chosen = type == ReduceType::MAX ? MaxOf(lane[i], lane[found]) : MinOf(lane[i], lane[found]);
        found = memcmp(&chosen, &lane[found], sizeof(T)) != 0 ? i : found;
    }
    return found;
}

// The lanes of the result type of sums: 16-bit integers are summed in 32 bits.
template <ReduceType type, typename T>
using ReducedType =
    std::conditional_t<type == ReduceType::SUM && std::is_same_v<T, int16_t>, int32_t,
                       std::conditional_t<type == ReduceType::SUM && std::is_same_v<T, uint16_t>, uint32_t, T>>;

template <ReduceType type, typename D, typename S>
constexpr void CheckReduce() {
    static_assert(kListed<S, void(half, int16_t, uint16_t, int32_t, uint32_t, float, int64_t, uint64_t)>,
                  "Reg::Reduce: takes the element types (half, int16_t, uint16_t, int32_t, uint32_t, float, int64_t, "
                  "uint64_t) only");
    static_assert(std::is_same_v<D, ReducedType<type, S>>,
                  "Reg::Reduce: the destination has the source's type; sums of int16_t and uint16_t have 32 bits");
}

// The active lanes, in the type of the result.
template <ReduceType type, typename D, typename S, const RegTrait& trait>
LaneArray<D, kCount<S, trait>> ActiveOrNeutral(const RegTensor<S, trait>& source, const MaskReg& mask) {
    const auto in = ReadLanes(source);
    LaneArray<D, kCount<S, trait>> lanes;
    for (uint32_t i = 0; i < kCount<S, trait>; ++i) {
        lanes.lane[i] = mask.Test(i * kBitStep<S, trait>) ? static_cast<D>(in.lane[i]) : NeutralOf<type, D>();
    }
    return lanes;
}

}  // namespace sktwin::reg

namespace AscendC::Reg {

template <typename T = DefaultType, CMPMODE mode = CMPMODE::EQ, typename E, const RegTrait& trait>
void Compare(MaskReg& dst, const RegTensor<E, trait>& src0, const RegTensor<E, trait>& src1, const MaskReg& mask) {
    sktwin::reg::CheckNamedType<T, E>();
    SKTWIN_REG_TYPES("Compare", E,
                     (int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t,
                      uint64_t));
    const auto b = sktwin::reg::ReadLanes(src1);
    sktwin::reg::CompareLanes<mode>(dst, src0, [&](uint32_t i) { return b.lane[i]; }, mask);
}
template <typename T = DefaultType, CMPMODE mode = CMPMODE::EQ, typename E, const RegTrait& trait, typename S>
void Compares(MaskReg& dst, const RegTensor<E, trait>& src, S scalar, const MaskReg& mask) {
    sktwin::reg::CheckNamedType<T, E>();
    SKTWIN_REG_TYPES("Compares", E,
                     (int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t,
                      uint64_t));
    const auto b = static_cast<E>(scalar);
    sktwin::reg::CompareLanes<mode>(dst, src, [&](uint32_t) { return b; }, mask);
}

// src0 where the mask is set, else src1.
template <typename T = DefaultType, typename E, const RegTrait& trait>
void Select(RegTensor<E, trait>& dst, const RegTensor<E, trait>& src0, const RegTensor<E, trait>& src1,
            const MaskReg& mask) {
    sktwin::reg::CheckNamedType<T, E>();
    auto lanes = sktwin::reg::ReadLanes(src0);
    const auto other = sktwin::reg::ReadLanes(src1);
    for (uint32_t i = 0; i < sktwin::reg::kCount<E, trait>; ++i) {
        if (!mask.Test(i * sktwin::reg::kBitStep<E, trait>)) {
            lanes.lane[i] = other.lane[i];
        }
    }
    sktwin::reg::WriteLanes(dst, lanes.lane);
}

// SUM: dst[0]. MAX and MIN: the value in dst[0], the bits of its index in dst[1]. Other lanes become zero.
template <ReduceType type, typename T = DefaultType, typename U = DefaultType,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename D, typename S, const RegTrait& trait>
void Reduce(RegTensor<D, trait>& dst, const RegTensor<S, trait>& src, const MaskReg& mask) {
    sktwin::reg::CheckReduce<type, D, S>();
    static_assert(mode == MaskMergeMode::ZEROING, "Reg::Reduce: takes MaskMergeMode::ZEROING only");
    constexpr uint32_t kN = sktwin::reg::kCount<S, trait>;
    auto lanes = sktwin::reg::ActiveOrNeutral<type, D>(src, mask);
    sktwin::reg::LaneArray<D, sktwin::reg::kCount<D, trait>> out;
    memset(static_cast<void*>(out.lane), 0, sizeof(out));
    if constexpr (type == ReduceType::SUM) {
        out.lane[0] = sktwin::reg::TreeSum(lanes.lane, kN);
    } else {
        const uint64_t index = sktwin::reg::FindExtremum<type>(lanes.lane, kN);
        out.lane[0] = lanes.lane[index];
        memcpy(static_cast<void*>(out.lane + 1), &index, sizeof(D));
    }
    sktwin::reg::WriteLanes(dst, out.lane);
}

// The result of each 32-byte block, in the first eight lanes.
template <ReduceType type, typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename D,
          typename S, const RegTrait& trait>
void ReduceDataBlock(RegTensor<D, trait>& dst, const RegTensor<S, trait>& src, const MaskReg& mask) {
    sktwin::reg::CheckReduce<type, D, S>();
    constexpr uint32_t kBlock = 32 / sizeof(S);
    auto lanes = sktwin::reg::ActiveOrNeutral<type, D>(src, mask);
    sktwin::reg::LaneArray<D, sktwin::reg::kCount<D, trait>> out;
    memset(static_cast<void*>(out.lane), 0, sizeof(out));
    for (uint32_t block = 0; block < 8; ++block) {
        D* const first = lanes.lane + block * kBlock;
        if constexpr (type == ReduceType::SUM) {
            out.lane[block] = sktwin::reg::TreeSum(first, kBlock);
        } else {
            out.lane[block] = first[sktwin::reg::FindExtremum<type>(first, kBlock)];
        }
    }
    sktwin::reg::WriteLanes(dst, out.lane);
}

// Sums of neighbours, in the lower half.
template <ReduceType type = ReduceType::SUM, typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING,
          typename E, const RegTrait& trait>
void PairReduceElem(RegTensor<E, trait>& dst, const RegTensor<E, trait>& src, const MaskReg& mask) {
    static_assert(type == ReduceType::SUM, "Reg::PairReduceElem: takes ReduceType::SUM only");
    SKTWIN_REG_TYPES("PairReduceElem", E, (half, float));
    auto lanes = sktwin::reg::ActiveOrNeutral<type, E>(src, mask);
    constexpr uint32_t kN = sktwin::reg::kCount<E, trait>;
    sktwin::reg::LaneArray<E, kN> out;
    for (uint32_t i = 0; i < kN; ++i) {
        out.lane[i] = i < kN / 2 ? sktwin::reg::TreeSum(lanes.lane + 2 * i, 2) : E{};
    }
    sktwin::reg::WriteLanes(dst, out.lane);
}

}  // namespace AscendC::Reg
