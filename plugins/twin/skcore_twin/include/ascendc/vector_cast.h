// Licensed under the Apache License, Version 2.0.
//
// Cast and the dequantising casts (spec ascendc_vector.md 6).
#pragma once

#include "ascendc/vector_convert.h"
#include "ascendc/vector_mask.h"

namespace sktwin {

inline constexpr uint32_t kNone = 1u << 0;
inline constexpr uint32_t kRint = 1u << 1;
inline constexpr uint32_t kOdd = 1u << 6;
inline constexpr uint32_t kHif8Modes = 1u << 4 | 1u << 7;  // ROUND, HYBRID
inline constexpr uint32_t kFive = 0x3eu;  // RINT, FLOOR, CEIL, ROUND, TRUNC
inline constexpr uint32_t kAnyMode = kFive | kNone | kOdd;

// Rounding modes of each pair, as bits of RoundMode; 0: the chip has no such cast.
template <typename D, typename S>
constexpr uint32_t CastModes2201() {
    if constexpr (std::is_same_v<S, half>) {
        return kListed<D, void(int4b_t, int8_t, uint8_t)> ? kFive | kNone
               : kListed<D, void(int16_t, int32_t)>       ? kFive
               : std::is_same_v<D, float>                 ? kNone
                                                          : 0;
    } else if constexpr (std::is_same_v<S, float>) {
        return std::is_same_v<D, half>                                          ? kFive | kOdd | kNone
               : kListed<D, void(int16_t, bfloat16_t, int32_t, float, int64_t)> ? kFive
                                                                                : 0;
    } else if constexpr (std::is_same_v<S, bfloat16_t>) {
        return std::is_same_v<D, int32_t> ? kFive : std::is_same_v<D, float> ? kNone : 0;
    } else if constexpr (std::is_same_v<S, int16_t>) {
        return std::is_same_v<D, half> ? kFive | kNone : std::is_same_v<D, float> ? kNone : 0;
    } else if constexpr (std::is_same_v<S, int32_t>) {
        return std::is_same_v<D, half>              ? kAnyMode
               : std::is_same_v<D, float>           ? kFive | kNone
               : kListed<D, void(int16_t, int64_t)> ? kNone
                                                    : 0;
    } else if constexpr (std::is_same_v<S, int64_t>) {
        return std::is_same_v<D, int32_t> ? kNone : std::is_same_v<D, float> ? kFive : 0;
    } else {
        return std::is_same_v<D, half> && kListed<S, void(int4b_t, int8_t, uint8_t)> ? kNone : 0;
    }
}

template <typename D, typename S>
constexpr uint32_t CastModes3510() {
    if constexpr (kListed<S, void(int4b_t)>) {
        return kListed<D, void(int16_t, half, bfloat16_t)> ? kNone : 0;
    } else if constexpr (std::is_same_v<S, int8_t>) {
        return kListed<D, void(int16_t, half, int32_t)> ? kNone : 0;
    } else if constexpr (std::is_same_v<S, uint8_t>) {
        return kListed<D, void(uint16_t, half, uint32_t)> ? kNone : 0;
    } else if constexpr (std::is_same_v<S, int16_t>) {
        return std::is_same_v<D, half>                                        ? kFive | kNone
               : kListed<D, void(int4b_t, uint8_t, int32_t, uint32_t, float)> ? kNone
                                                                              : 0;
    } else if constexpr (std::is_same_v<S, uint16_t>) {
        return kListed<D, void(uint8_t, uint32_t)> ? kNone : 0;
    } else if constexpr (std::is_same_v<S, half>) {
        return CastModes2201<D, S>() | (std::is_same_v<D, bfloat16_t> ? kFive : 0) |
               (std::is_same_v<D, hifloat8_t> ? kHif8Modes : 0);
    } else if constexpr (std::is_same_v<S, float>) {
        return CastModes2201<D, S>() | (std::is_same_v<D, hifloat8_t> ? kHif8Modes : 0) |
               (kListed<D, void(fp8_e4m3fn_t, fp8_e5m2_t)> ? kRint : 0);
    } else if constexpr (std::is_same_v<S, bfloat16_t>) {
        return kListed<D, void(half, int32_t)> || kIsFloatPair<D> ? kFive : std::is_same_v<D, float> ? kNone : 0;
    } else if constexpr (kIsFloatPair<S>) {
        return std::is_same_v<D, bfloat16_t> ? kNone : 0;
    } else if constexpr (std::is_same_v<S, hifloat8_t>) {
        return kListed<D, void(half, float)> ? kNone : 0;
    } else if constexpr (kListed<S, void(fp8_e4m3fn_t, fp8_e5m2_t)>) {
        return std::is_same_v<D, float> ? kNone : 0;
    } else if constexpr (std::is_same_v<S, int32_t>) {
        return CastModes2201<D, S>() | (kListed<D, void(uint8_t, uint16_t)> ? kNone : 0);
    } else if constexpr (std::is_same_v<S, uint32_t>) {
        return kListed<D, void(uint8_t, uint16_t, int16_t)> ? kNone : 0;
    } else {
        return CastModes2201<D, S>();
    }
}

template <typename D, typename S>
inline constexpr uint32_t kCastModes = kChip3510 ? CastModes3510<D, S>() : CastModes2201<D, S>();

template <typename D, typename S, RoundMode mode>
struct ConvertLane {
    bool clamp;
    float scale;
    bool saturate = false;

    LaneType<D> operator()(LaneType<S> value) const {
        if constexpr (std::is_same_v<S, int32_t> && std::is_same_v<D, half>) {
            return DequantToHalf(value, scale);
        } else {
            return ConvertValue<D, S, mode>(value, clamp, saturate);
        }
    }
};

template <typename D, typename S, RoundMode mode>
void RunCast(const Issue& issue, const Operand<D>& dst, const Operand<S>& src) {
    constexpr bool kOneMode = std::is_same_v<S, int32_t> && std::is_same_v<D, half>;
    if constexpr ((kCastModes<D, S> >> static_cast<int>(mode) & 1) != 0 &&
                  (!kOneMode || mode == RoundMode::CAST_RINT)) {
        const bool clamp = (Self().registers.scratch[kScratchSaturation] & 2) == 0;
        RunLanes<kLanesOfWider<D, S>>(issue, ConvertLane<D, S, mode>{clamp, HalfDeqScale(), issue.saturate}, dst, src);
    }
}

template <typename D, typename S>
void CastWithMode(const Issue& issue, RoundMode mode, const Operand<D>& dst, const Operand<S>& src) {
    if (std::is_same_v<S, int32_t> && std::is_same_v<D, half>) {
        mode = RoundMode::CAST_RINT;
    } else if ((kCastModes<D, S> >> static_cast<int>(mode) & 1) == 0) {
        Fault("cast-round-mode", src.site,
              "Cast: RoundMode %d is not available for this pair of types; the modes are those "
              "of the bits 0x%x, bit 0 being CAST_NONE",
              static_cast<int>(mode), kCastModes<D, S>);
    }
    switch (mode) {
        case RoundMode::CAST_NONE:
            return RunCast<D, S, RoundMode::CAST_NONE>(issue, dst, src);
        case RoundMode::CAST_RINT:
            return RunCast<D, S, RoundMode::CAST_RINT>(issue, dst, src);
        case RoundMode::CAST_FLOOR:
            return RunCast<D, S, RoundMode::CAST_FLOOR>(issue, dst, src);
        case RoundMode::CAST_CEIL:
            return RunCast<D, S, RoundMode::CAST_CEIL>(issue, dst, src);
        case RoundMode::CAST_ROUND:
            return RunCast<D, S, RoundMode::CAST_ROUND>(issue, dst, src);
        case RoundMode::CAST_TRUNC:
            return RunCast<D, S, RoundMode::CAST_TRUNC>(issue, dst, src);
        case RoundMode::CAST_HYBRID:
            return RunCast<D, S, RoundMode::CAST_HYBRID>(issue, dst, src);
        default:
            return RunCast<D, S, RoundMode::CAST_ODD>(issue, dst, src);
    }
}

}  // namespace sktwin

namespace AscendC {

template <typename T, typename U>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint32_t count,
          sktwin::Site site = sktwin::Site::Here()) {
    static_assert(sktwin::kCastModes<T, U> != 0, "Cast: this chip has no conversion between these element types");
    constexpr uint32_t kN = sktwin::kLanesOfWider<T, U>;
    sktwin::CastWithMode(sktwin::IssueCount<true>(count), roundMode, sktwin::Contiguous<kN>(dst, site),
                         sktwin::Contiguous<kN>(src, site));
}
template <typename T, typename U, bool isSetMask = true>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint64_t mask[],
          const uint8_t repeatTime, const UnaryRepeatParams& p, sktwin::Site site = sktwin::Site::Here()) {
    static_assert(sktwin::kCastModes<T, U> != 0, "Cast: this chip has no conversion between these element types");
    sktwin::CastWithMode(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanesOfWider<T, U>), roundMode,
                         sktwin::OperandOf(dst, p.dstBlkStride, p.dstRepStride, site),
                         sktwin::OperandOf(src, p.srcBlkStride, p.srcRepStride, site));
}
template <typename T, typename U, bool isSetMask = true>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint64_t mask,
          const uint8_t repeatTime, const UnaryRepeatParams& p, sktwin::Site site = sktwin::Site::Here()) {
    static_assert(sktwin::kCastModes<T, U> != 0, "Cast: this chip has no conversion between these element types");
    sktwin::CastWithMode(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanesOfWider<T, U>), roundMode,
                         sktwin::OperandOf(dst, p.dstBlkStride, p.dstRepStride, site),
                         sktwin::OperandOf(src, p.srcBlkStride, p.srcRepStride, site));
}

// Scalar conversion.
template <typename T, typename U, RoundMode roundMode>
T Cast(const U& value) {
    return sktwin::ConvertValue<T, U, roundMode>(value, true);
}
template <typename T, typename U, RoundMode roundMode>
T ScalarCast(U value) {
    return sktwin::ConvertValue<T, U, roundMode>(value, true);
}

template <typename T, RoundMode roundMode>
void Truncate(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t count,
              sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("Truncate", T, (), (half, float, bfloat16_t));
    constexpr uint32_t kN = sktwin::kLanes<T>;
    sktwin::RunLanes<kN>(sktwin::IssueCount<true>(count), sktwin::ConvertLane<T, T, roundMode>{true, 1.0f},
                         sktwin::Contiguous<kN>(dst, site), sktwin::Contiguous<kN>(src, site));
}

namespace detail {

// int16_t to a byte: each 32-byte source block gives 16 bytes, in the half of the destination block that `high`
// selects.
template <bool isVecDeq, bool high, typename T>
void DequantBytes(const sktwin::Issue& issue, const sktwin::Operand<T>& dst, const sktwin::Operand<int16_t>& src) {
    if (!dst) {
        return;
    }
    const uint64_t word = sktwin::Self().registers.dequantScale;
    const uint8_t* table = sktwin::Self().local[static_cast<int>(sktwin::Memory::kUb)] + (isVecDeq ? word << 5 : 0);
    for (uint32_t repeat = 0; repeat < issue.Repeats(128); ++repeat) {
        const sktwin::Lanes active = issue.LanesOf(repeat, 128);
        const sktwin::LaneBuffer<int16_t, 128> in(src, repeat, active);
        for (uint32_t i = 0; i < 128; ++i) {
            if (!active.Test(i)) {
                continue;
            }
            uint64_t parameters = word;
            if (isVecDeq) {
                memcpy(&parameters, table + i % 16 * 8, 8);
            }
            const float scale = __builtin_bit_cast(float, static_cast<uint32_t>(parameters));
            const auto offset = static_cast<int64_t>(parameters << 18) >> 55;
            const double rounded = sktwin::RoundToIntegral<RoundMode::CAST_RINT>(double(in.lane[i] * scale));
            const int64_t value = static_cast<int64_t>(rounded) + offset;
            const bool isSigned = (parameters >> 46 & 1) != 0;
            dst.Block(repeat, i / 16)[(high ? 16 : 0) + i % 16] =
                isSigned ? static_cast<uint8_t>(sktwin::ClampInteger<int8_t>(value, true))
                         : sktwin::ClampInteger<uint8_t>(value, true);
        }
    }
}

template <bool isVecDeq, bool high, typename T, typename U>
void Dequant(const sktwin::Issue& issue, const sktwin::Operand<T>& dst, const sktwin::Operand<U>& src) {
    if constexpr (std::is_same_v<U, int32_t> && std::is_same_v<T, half>) {
        sktwin::CastWithMode(issue, RoundMode::CAST_RINT, dst, src);
    } else {
        static_assert(std::is_same_v<U, int16_t> && sizeof(T) == 1,
                      "CastDequant: the casts are int16_t to int8_t or uint8_t, and int32_t to half");
        DequantBytes<isVecDeq, high>(issue, dst, src);
    }
}

}  // namespace detail

template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>
void CastDequant(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint32_t count,
                 sktwin::Site site = sktwin::Site::Here()) {
    constexpr uint32_t kN = sktwin::kLanesOfWider<T, U>;
    detail::Dequant<isVecDeq, halfBlock>(sktwin::IssueCount<true>(count),
                                         sktwin::OperandOf(dst, 1, sizeof(T) == 1 ? 8 : kN * sizeof(T) / 32, site),
                                         sktwin::Contiguous<kN>(src, site));
}
template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>
void CastDequant(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint64_t mask[], uint8_t repeatTime,
                 const UnaryRepeatParams& p, sktwin::Site site = sktwin::Site::Here()) {
    detail::Dequant<isVecDeq, halfBlock>(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanesOfWider<T, U>),
                                         sktwin::OperandOf(dst, p.dstBlkStride, p.dstRepStride, site),
                                         sktwin::OperandOf(src, p.srcBlkStride, p.srcRepStride, site));
}
template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>
void CastDequant(const LocalTensor<T>& dst, const LocalTensor<U>& src, const int32_t mask, uint8_t repeatTime,
                 const UnaryRepeatParams& p, sktwin::Site site = sktwin::Site::Here()) {
    detail::Dequant<isVecDeq, halfBlock>(
        sktwin::IssueMask<isSetMask>(static_cast<uint64_t>(mask), repeatTime, sktwin::kLanesOfWider<T, U>),
        sktwin::OperandOf(dst, p.dstBlkStride, p.dstRepStride, site),
        sktwin::OperandOf(src, p.srcBlkStride, p.srcRepStride, site));
}
template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>
void CastDeq(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint32_t count,
             sktwin::Site site = sktwin::Site::Here()) {
    CastDequant<T, U, isVecDeq, halfBlock>(dst, src, count, site);
}

}  // namespace AscendC
