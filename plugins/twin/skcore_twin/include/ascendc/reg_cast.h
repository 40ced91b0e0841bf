// Licensed under the Apache License, Version 2.0.
//
// Conversion of registers (spec ascendc_vector.md 12.8). Narrow elements lie in one of the parts of wide lanes that
// RegLayout names, two 4-bit ones a byte; the mask is that of the source.
#pragma once

#include "ascendc/reg_types.h"
#include "ascendc/vector_cast.h"

namespace AscendC {

// Fields of the control register that the vector unit has: 48 results keep infinity and NaN, 59 casts to integers keep
// the low bits, 60 these bits and not the casts' SatMode decide. A kernel starts with 48 and 60 set, 59 clear.
template <int8_t startBit, int8_t endBit>
void SetCtrlSpr(int64_t value) {
    static_assert(sktwin::reg::kHasRegisters<std::integral_constant<int8_t, startBit>>, "");
    static_assert(startBit == endBit && (startBit == 48 || startBit == 59 || startBit == 60),
                  "SetCtrlSpr: the twin has bits 48, 59 and 60 of the control register, one a call");
    sktwin::Registers& registers = sktwin::Self().registers;
    uint64_t& modes = registers.scratch[sktwin::kScratchSaturation];
    constexpr uint64_t kBit = startBit == 48 ? 1 : startBit == 59 ? 2 : 4;
    const bool set = startBit == 59 ? value != 0 : value == 0;
    modes = set ? modes | kBit : modes & ~kBit;
    if constexpr (startBit == 48) {
        registers.ctrl = value != 0 ? registers.ctrl | 1ull << 48 : registers.ctrl & ~(1ull << 48);
    }
}
template <int8_t startBit, int8_t endBit>
int64_t GetCtrlSpr() {
    static_assert(startBit == endBit && (startBit == 48 || startBit == 59 || startBit == 60),
                  "GetCtrlSpr: the twin has bits 48, 59 and 60 of the control register, one a call");
    constexpr uint64_t kBit = startBit == 48 ? 1 : startBit == 59 ? 2 : 4;
    const bool set = (sktwin::Self().registers.scratch[sktwin::kScratchSaturation] & kBit) != 0;
    return (startBit == 59) == set ? 1 : 0;
}

namespace Reg {

struct CastTrait {
    RegLayout layoutMode = RegLayout::UNKNOWN;
    SatMode satMode = SatMode::UNKNOWN;
    MaskMergeMode mrgMode = MaskMergeMode::ZEROING;
    RoundMode roundMode = RoundMode::UNKNOWN;
};
inline constexpr CastTrait castTrait = {};

}  // namespace Reg
}  // namespace AscendC

namespace sktwin::reg {

using AscendC::Reg::CastTrait;
using AscendC::Reg::RegLayout;
using AscendC::Reg::SatMode;

template <typename T>
using CastElement = std::conditional_t<std::is_same_v<T, int4x2_t>, int4b_t, T>;
template <typename T>
inline constexpr bool kIsPair = std::is_same_v<T, int4x2_t> || kIsFloatPair<T>;

// Rounding modes of a pair; 0: there is no such cast. int32_t to half is a cast of the memory-based API only.
template <typename D, typename S>
inline constexpr uint32_t kModes =
    std::is_same_v<D, half>&& std::is_same_v<S, int32_t> ? 0 : kCastModes<CastElement<D>, CastElement<S>>;

// UNKNOWN stands for the mode of conversions that are exact.
template <uint32_t modes>
constexpr RoundMode EffectiveMode(RoundMode mode) {
    return modes == kNone || (mode == RoundMode::UNKNOWN && (modes & kNone) != 0) ? RoundMode::CAST_NONE : mode;
}

struct CastRule {
    bool clamp;
    bool saturate;
};

inline CastRule RuleOf(SatMode mode) {
    const uint64_t modes = Self().registers.scratch[kScratchSaturation];
    if ((modes & 4) != 0) {
        return {mode != SatMode::NO_SAT, mode == SatMode::SAT};
    }
    return {(modes & 2) == 0, (modes & 1) != 0};
}

// The low bits of an integral value of any size.
template <typename D>
LaneType<D> LowBits(double value) {
    const double magnitude = __builtin_fmod(value < 0 ? -value : value, 18446744073709551616.0);
    const auto bits = static_cast<uint64_t>(magnitude);
    return static_cast<LaneType<D>>(value < 0 ? ~bits + 1 : bits);
}

template <typename D, typename S, RoundMode mode>
LaneType<D> CastLane(LaneType<S> value, CastRule rule) {
    if constexpr (std::is_integral_v<LaneType<D>> && !std::is_integral_v<LaneType<S>>) {
        const double exact = ToDouble(value);
        const bool finite = exact - exact == 0;
        return rule.clamp || !finite ? FloatToInteger<D, mode>(exact, true)
                                     : LowBits<D>(RoundToIntegral<mode>(exact));
    } else {
        auto result = ConvertValue<D, S, mode>(value, rule.clamp, rule.saturate);
        if constexpr (kIsShortFloat<D>) {
            if (rule.saturate) {
                SaturateLanes<1>(&result);
            }
        }
        return result;
    }
}

// Two 4-bit values of a byte.
template <typename T>
LaneType<CastElement<T>> NibbleLane(uint8_t byte, bool high) {
    const auto nibble = static_cast<uint8_t>(byte >> (high ? 4 : 0) & 0xf);
    if constexpr (kIsFloatPair<T>) {
        return LaneType<T>::FromBits(nibble);
    } else {
        return static_cast<int8_t>(static_cast<int8_t>(nibble << 4) >> 4);
    }
}

}  // namespace sktwin::reg

namespace AscendC::Reg {

template <typename T = DefaultType, typename U = DefaultType, const CastTrait& trait = castTrait, typename D,
          typename S, const RegTrait& dstTrait, const RegTrait& srcTrait>
void Cast(RegTensor<D, dstTrait>& dst, const RegTensor<S, srcTrait>& src, const MaskReg& mask) {
    namespace reg = sktwin::reg;
    reg::CheckNamedType<T, D>();
    reg::CheckNamedType<U, S>();
    using To = reg::CastElement<D>;
    using From = reg::CastElement<S>;
    constexpr uint32_t kModes = reg::kModes<D, S>;
    constexpr RoundMode kMode = reg::EffectiveMode<kModes>(trait.roundMode);
    constexpr auto kBit = static_cast<uint32_t>(kMode);
    constexpr bool kHasMode = kBit < 10 && (kModes >> (kBit % 10) & 1) != 0;
    static_assert(kModes != 0, "Reg::Cast: there is no conversion between these element types");
    static_assert(kModes == 0 || kHasMode, "Reg::Cast: this conversion does not have the RoundMode of its CastTrait");
    static_assert(trait.mrgMode == MaskMergeMode::ZEROING || trait.mrgMode == MaskMergeMode::UNKNOWN,
                  "Reg::Cast: takes MaskMergeMode::ZEROING only");
    constexpr bool kPairs = reg::kIsPair<D> || reg::kIsPair<S>;
    constexpr uint32_t kTo = reg::kCount<D, dstTrait>;
    constexpr uint32_t kFrom = reg::kCount<S, srcTrait>;
    constexpr uint32_t kRatio = kPairs ? 4 : kTo > kFrom ? kTo / kFrom : kFrom / kTo;
    constexpr auto kLayout = static_cast<uint32_t>(kRatio == 1 ? RegLayout::ZERO : trait.layoutMode);
    static_assert(kLayout < kRatio, "Reg::Cast: RegLayout names no part of the wider lanes");
    if constexpr (kModes != 0 && kHasMode && kLayout < kRatio) {
        const reg::CastRule rule = reg::RuleOf(trait.satMode);
        const auto in = reg::ReadLanes(src);
        reg::LaneArray<D, kTo> out;
        memset(static_cast<void*>(out.lane), 0, sizeof(out));
        const auto isActive = [&](uint32_t lane) { return mask.Test(lane * reg::kBitStep<S, srcTrait>); };
        if constexpr (reg::kIsPair<D>) {
            for (uint32_t i = 0; i < kFrom; ++i) {
                if (isActive(i)) {
                    const auto nibble = sktwin::NibbleOf(reg::CastLane<To, From, kMode>(in.lane[i], rule));
                    uint8_t& byte = out.lane[kLayout + i / 2 * 4].bits;
                    byte = static_cast<uint8_t>(byte | nibble << (i % 2 * 4));
                }
            }
        } else if constexpr (reg::kIsPair<S>) {
            for (uint32_t i = 0; i < kTo; ++i) {
                const uint32_t at = kLayout + i / 2 * 4;
                if (isActive(at)) {
                    out.lane[i] = reg::CastLane<To, From, kMode>(
                        reg::NibbleLane<S>(in.lane[at].bits, i % 2 != 0), rule);
                }
            }
        } else {
            constexpr uint32_t kLanes = kTo > kFrom ? kFrom : kTo;
            for (uint32_t i = 0; i < kLanes; ++i) {
                const uint32_t from = kTo >= kFrom ? i : kLayout + i * kRatio;
                if (isActive(from)) {
                    out.lane[kTo > kFrom ? kLayout + i * kRatio : i] =
                        reg::CastLane<To, From, kMode>(in.lane[from], rule);
                }
            }
        }
        reg::WriteLanes(dst, out.lane);
    }
}

}  // namespace AscendC::Reg
