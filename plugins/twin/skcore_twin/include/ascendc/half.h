// Licensed under the Apache License, Version 2.0.
//
// 16-bit and 4-bit element types. All conversions round once, to nearest even, in bit arithmetic without branches, so
// that the compiler vectorises them and every host gives the same bits.
#pragma once

#include <cstdint>
#include <type_traits>

namespace sktwin {

constexpr float HalfBitsToFloat(uint16_t bits) {
    const uint32_t shifted = (static_cast<uint32_t>(bits) & 0x7fffu) << 13;
    const uint32_t exponent = shifted & (0x7c00u << 13);
    const uint32_t normal = shifted + (112u << 23);
    const uint32_t special = normal + (112u << 23);
    const float subnormal = __builtin_bit_cast(float, normal + (1u << 23)) - __builtin_bit_cast(float, 113u << 23);
    uint32_t magnitude = exponent == 0 ? __builtin_bit_cast(uint32_t, subnormal) : normal;
    magnitude = exponent == (0x7c00u << 13) ? special : magnitude;
    return __builtin_bit_cast(float, magnitude | ((static_cast<uint32_t>(bits) & 0x8000u) << 16));
}

constexpr uint16_t FloatToHalfBits(float value) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    const uint32_t magnitude = bits & 0x7fffffffu;
    const uint32_t normal = (magnitude + 0xc8000fffu + ((magnitude >> 13) & 1u)) >> 13;
    // Adding 0.5 shifts the significand of a subnormal half to the low bits; the addition itself rounds to even.
    const uint32_t small = magnitude < 0x38800000u ? magnitude : 0u;
    const uint32_t subnormal = __builtin_bit_cast(uint32_t, __builtin_bit_cast(float, small) + 0.5f) - 0x3f000000u;
    uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
    result = magnitude >= 0x47800000u ? 0x7c00u : result;
    result = magnitude > 0x7f800000u ? 0x7e00u : result;
    return static_cast<uint16_t>(result | ((bits >> 16) & 0x8000u));
}

// Rounds to odd, so that a second rounding to a shorter type equals one rounding of the double.
constexpr float DoubleToFloatOdd(double value) {
    const float nearest = static_cast<float>(value);
    const double back = static_cast<double>(nearest);
    const uint32_t bits = __builtin_bit_cast(uint32_t, nearest);
    const bool inexact = back != value && value == value;
    const double magnitude = value < 0 ? -value : value;
    const double backMagnitude = back < 0 ? -back : back;
    const bool even = (bits & 1u) == 0;
    if (!inexact || !even) {
        return nearest;
    }
    return __builtin_bit_cast(float, backMagnitude > magnitude ? bits - 1 : bits + 1);
}

constexpr float Bfloat16BitsToFloat(uint16_t bits) {
    return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16);
}

constexpr uint16_t FloatToBfloat16Bits(float value) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const uint32_t quiet = (bits >> 16) | 0x40u;
    return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}

template <typename T>
constexpr float ToFloatOdd(T value) {
    if constexpr (std::is_same_v<T, float> || sizeof(T) < 4) {
        return static_cast<float>(value);
    } else {
        return DoubleToFloatOdd(static_cast<double>(value));
    }
}

}  // namespace sktwin

struct half {
    uint16_t bits;

    half() = default;
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
    constexpr half(T value) : bits(sktwin::FloatToHalfBits(sktwin::ToFloatOdd(value))) {}
    constexpr operator float() const { return sktwin::HalfBitsToFloat(bits); }

    static constexpr half FromBits(uint16_t value) {
        half result = half(0.0f);
        result.bits = value;
        return result;
    }
};

struct bfloat16_t {
    uint16_t bits;

    bfloat16_t() = default;
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
    constexpr bfloat16_t(T value) : bits(sktwin::FloatToBfloat16Bits(sktwin::ToFloatOdd(value))) {}
    constexpr operator float() const { return sktwin::Bfloat16BitsToFloat(bits); }

    static constexpr bfloat16_t FromBits(uint16_t value) {
        bfloat16_t result = bfloat16_t(0.0f);
        result.bits = value;
        return result;
    }
};

// One byte of storage holds two of them, the even index in the low nibble: see sktwin::kElementBits.
struct int4b_t {
    uint8_t pair;

    int4b_t() = default;
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
    constexpr int4b_t(T value) : pair(static_cast<uint8_t>(static_cast<int>(value) & 0xf)) {}
    constexpr operator int8_t() const { return static_cast<int8_t>(static_cast<int8_t>(pair << 4) >> 4); }
};

namespace sktwin {

template <typename T>
inline constexpr bool kIsShortFloat = std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>;

// Bits of one element in memory.
template <typename T>
inline constexpr uint32_t kElementBits = std::is_same_v<T, int4b_t> ? 4 : 8 * sizeof(T);

}  // namespace sktwin

// Templates, so that an operand of another arithmetic type picks the built-in operator instead of being ambiguous.
template <typename T, typename = std::enable_if_t<sktwin::kIsShortFloat<T>>>
constexpr T operator+(T a, T b) {
    return T(static_cast<float>(a) + static_cast<float>(b));
}
template <typename T, typename = std::enable_if_t<sktwin::kIsShortFloat<T>>>
constexpr T operator-(T a, T b) {
    return T(static_cast<float>(a) - static_cast<float>(b));
}
template <typename T, typename = std::enable_if_t<sktwin::kIsShortFloat<T>>>
constexpr T operator*(T a, T b) {
    return T(static_cast<float>(a) * static_cast<float>(b));
}
template <typename T, typename = std::enable_if_t<sktwin::kIsShortFloat<T>>>
constexpr T operator/(T a, T b) {
    return T(static_cast<float>(a) / static_cast<float>(b));
}
template <typename T, typename = std::enable_if_t<sktwin::kIsShortFloat<T>>>
constexpr T operator-(T a) {
    return T::FromBits(static_cast<uint16_t>(a.bits ^ 0x8000u));
}
template <typename T, typename U, typename = std::enable_if_t<sktwin::kIsShortFloat<T>>>
constexpr T& operator+=(T& a, U b) {
    return a = T(static_cast<float>(a) + static_cast<float>(b));
}
template <typename T, typename U, typename = std::enable_if_t<sktwin::kIsShortFloat<T>>, typename = void>
constexpr T& operator-=(T& a, U b) {
    return a = T(static_cast<float>(a) - static_cast<float>(b));
}
template <typename T, typename U, typename = std::enable_if_t<sktwin::kIsShortFloat<T>>, typename = void>
constexpr T& operator*=(T& a, U b) {
    return a = T(static_cast<float>(a) * static_cast<float>(b));
}
template <typename T, typename U, typename = std::enable_if_t<sktwin::kIsShortFloat<T>>, typename = void>
constexpr T& operator/=(T& a, U b) {
    return a = T(static_cast<float>(a) / static_cast<float>(b));
}

static_assert(sizeof(half) == 2 && sizeof(bfloat16_t) == 2 && sizeof(int4b_t) == 1, "storage sizes are the interface");

namespace AscendC {

constexpr float ToFloat(bfloat16_t value) { return static_cast<float>(value); }
constexpr bfloat16_t ToBfloat16(float value) { return bfloat16_t(value); }

}  // namespace AscendC
