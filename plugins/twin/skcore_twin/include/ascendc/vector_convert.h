// Licensed under the Apache License, Version 2.0.
//
// Conversion of one value between element types in every rounding mode (spec ascendc_vector.md 6). Every source value
// passes through a double, which is exact for all types but int64_t; that one is rounded to odd first.
#pragma once

#include "ascendc/vector_lane.h"

namespace sktwin {

using AscendC::RoundMode;

// To an integral value, still as a double. Values from 2^52 on are integral already.
template <RoundMode mode>
constexpr double RoundToIntegral(double value) {
    constexpr double kIntegral = 4503599627370496.0;
    const double magnitude = value < 0 ? -value : value;
    if (!(magnitude < kIntegral)) {
        return value;
    }
    const double shifted = (magnitude + kIntegral) - kIntegral;
    const double truncated = shifted > magnitude ? shifted - 1 : shifted;
    double result = shifted;
    if constexpr (mode == RoundMode::CAST_TRUNC) {
        result = truncated;
    } else if constexpr (mode == RoundMode::CAST_ROUND) {
        result = magnitude - truncated >= 0.5 ? truncated + 1 : truncated;
    } else if constexpr (mode == RoundMode::CAST_FLOOR) {
        result = value < 0 && truncated != magnitude ? truncated + 1 : truncated;
    } else if constexpr (mode == RoundMode::CAST_CEIL) {
        result = value > 0 && truncated != magnitude ? truncated + 1 : truncated;
    } else if constexpr (mode == RoundMode::CAST_ODD) {
        const bool even = static_cast<int64_t>(truncated) % 2 == 0;
        result = truncated != magnitude && even ? truncated + 1 : truncated;
    }
    return value < 0 ? -result : result;
}

constexpr double Int64ToDoubleOdd(int64_t value) {
    const double nearest = static_cast<double>(value);
    const __int128 difference = static_cast<__int128>(value) - static_cast<__int128>(nearest);
    const uint64_t bits = __builtin_bit_cast(uint64_t, nearest);
    if (difference == 0 || (bits & 1) != 0) {
        return nearest;
    }
    const bool tooLarge = (difference < 0) == (value > 0);
    return __builtin_bit_cast(double, tooLarge ? bits - 1 : bits + 1);
}

template <typename S>
constexpr double ToDouble(S value) {
    if constexpr (std::is_same_v<S, int64_t>) {
        return Int64ToDoubleOdd(value);
    } else if constexpr (kIsShortFloat<S> || kIsSmallFloat<S>) {
        return static_cast<double>(static_cast<float>(value));
    } else {
        return static_cast<double>(value);
    }
}

template <typename D>
using BitsOfFloat = std::conditional_t<sizeof(D) == 2, uint16_t, uint32_t>;

// To a shorter floating type: the two neighbours are consecutive bit patterns, the mode chooses.
template <typename D, RoundMode mode>
constexpr D NarrowFloat(double value) {
    if constexpr (mode == RoundMode::CAST_RINT || mode == RoundMode::CAST_NONE) {
        return FromDouble<D>(value);
    } else {
        using U = BitsOfFloat<D>;
        constexpr U kSign = static_cast<U>(U(1) << (8 * sizeof(D) - 1));
        const double magnitude = value < 0 ? -value : value;
        if (!(magnitude <= 1.7976931348623157e308)) {
            return FromDouble<D>(value);
        }
        U low = __builtin_bit_cast(U, FromDouble<D>(magnitude));
        low = ToDouble(__builtin_bit_cast(D, low)) > magnitude ? static_cast<U>(low - 1) : low;
        const double below = ToDouble(__builtin_bit_cast(D, low));
        const U high = static_cast<U>(low + 1);
        bool up = false;
        if constexpr (mode == RoundMode::CAST_FLOOR) {
            up = value < 0 && below != magnitude;
        } else if constexpr (mode == RoundMode::CAST_CEIL) {
            up = value > 0 && below != magnitude;
        } else if constexpr (mode == RoundMode::CAST_ROUND) {
            const double step = below - ToDouble(__builtin_bit_cast(D, static_cast<U>(low == 0 ? 0 : low - 1)));
            const double above = ToDouble(__builtin_bit_cast(D, high));
            const double next = above <= 1.7976931348623157e308 ? above : below + step;
            up = magnitude - below >= next - magnitude && below != magnitude;
        } else if constexpr (mode == RoundMode::CAST_ODD) {
            up = below != magnitude && (low & 1) == 0;
        }
        const U bits = up ? high : low;
        return __builtin_bit_cast(D, static_cast<U>(__builtin_signbit(value) ? bits | kSign : bits));
    }
}

// The range of an integer type, also of 4-bit lanes, whose values are kept in int8_t.
template <typename D>
struct IntegerRange {
    static constexpr bool kSigned = std::is_signed_v<D>;
    static constexpr uint32_t kBits = 8 * sizeof(D);
    static constexpr int64_t kLow = kSigned ? -static_cast<int64_t>(~0ull >> (65 - kBits)) - 1 : 0;
    static constexpr int64_t kHigh = static_cast<int64_t>(~0ull >> (kSigned || kBits == 64 ? 65 - kBits : 64 - kBits));
};
template <>
struct IntegerRange<int4b_t> {
    static constexpr int64_t kLow = -8;
    static constexpr int64_t kHigh = 7;
};

template <typename D>
constexpr LaneType<D> ClampInteger(int64_t value, bool clamp) {
    if (clamp) {
        value = value < IntegerRange<D>::kLow ? IntegerRange<D>::kLow : value;
        value = value > IntegerRange<D>::kHigh ? IntegerRange<D>::kHigh : value;
    }
    return static_cast<LaneType<D>>(value);
}

template <typename D, RoundMode mode>
constexpr LaneType<D> FloatToInteger(double value, bool clamp) {
    const double rounded = RoundToIntegral<mode>(value);
    constexpr double kLow = static_cast<double>(IntegerRange<D>::kLow);
    constexpr double kHigh = static_cast<double>(IntegerRange<D>::kHigh);
    if (value != value) {
        return 0;
    }
    const bool finite = rounded >= -9223372036854775808.0 && rounded < 9223372036854775808.0;
    if (clamp || !finite) {
        if (rounded >= kHigh) {
            return static_cast<LaneType<D>>(IntegerRange<D>::kHigh);
        }
        if (rounded <= kLow) {
            return static_cast<LaneType<D>>(IntegerRange<D>::kLow);
        }
    }
    return static_cast<LaneType<D>>(static_cast<int64_t>(rounded));
}

// `clamp` is about integers; `saturate` about the 8-bit floats, where other results saturate after the conversion.
template <typename D, typename S, RoundMode mode>
constexpr LaneType<D> ConvertValue(LaneType<S> value, bool clamp, [[maybe_unused]] bool saturate = false) {
    constexpr bool kFromInteger = std::is_integral_v<LaneType<S>>;
    constexpr bool kToInteger = std::is_integral_v<LaneType<D>>;
    if constexpr (kFromInteger && kToInteger) {
        return ClampInteger<D>(static_cast<int64_t>(value), clamp);
    } else if constexpr (kToInteger) {
        return FloatToInteger<D, mode>(ToDouble(value), clamp);
    } else if constexpr (kIsSmallFloat<LaneType<D>>) {
        return LaneType<D>::FromBits(
            EncodeSmall<typename LaneType<D>::FormatType, mode>(ToDouble(value), saturate));
    } else if constexpr (std::is_same_v<D, S>) {
        // Rounds to an integral value; the sign of zero is lost.
        return FromDouble<D>(RoundToIntegral<mode>(ToDouble(value)) + 0.0);
    } else {
        return NarrowFloat<D, mode>(ToDouble(value));
    }
}

// int32_t to half goes through the dequantisation scale of SetDeqScale(half).
inline half DequantToHalf(int32_t value, float scale) {
    const float scaled = static_cast<float>(value) * 0x1p-17f * scale * 0x1p17f;
    return half(scaled);
}

// The register before any SetDeqScale is zero, which no kernel can mean: it then scales by one.
inline float HalfDeqScale() {
    const auto bits = static_cast<uint16_t>(Self().registers.dequantScale);
    return bits == 0 ? 1.0f : HalfBitsToFloat(bits);
}

}  // namespace sktwin
