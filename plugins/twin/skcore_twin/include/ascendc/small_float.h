// Licensed under the Apache License, Version 2.0.
//
// The 8- and 4-bit element types of dav-3510 (spec ascendc_adv_host.md 11.1 to 11.3). A format gives the value of each
// code; encoding looks the value up in the sorted list of values, so that one search serves all formats and modes.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ascendc/enums.h"
#include "ascendc/half.h"

namespace sktwin {

constexpr double PowerOfTwo(int exponent) {
    return __builtin_bit_cast(double, static_cast<uint64_t>(exponent + 1023) << 52);
}

// What a value beyond the largest finite one, and NaN, become.
enum class Overflow : uint8_t { kClamp, kNan, kInfinity };

// `kCodes` counts the finite codes without sign; the codes of a format with IEEE fields rise with their values.
template <int exponentBits, int mantissaBits, int bias, uint32_t codes>
struct IeeeFields {
    static constexpr uint32_t kBits = 1 + exponentBits + mantissaBits;
    static constexpr uint32_t kCodes = codes;
    static constexpr bool kSigned = true;
    static constexpr bool kNegativeZero = true;

    static constexpr double Magnitude(uint32_t code) {
        const auto exponent = static_cast<int>(code >> mantissaBits);
        const double fraction = static_cast<double>(code & ((1u << mantissaBits) - 1)) / (1 << mantissaBits);
        return exponent == 0 ? fraction * PowerOfTwo(1 - bias) : (1 + fraction) * PowerOfTwo(exponent - bias);
    }
};

struct E4m3 : IeeeFields<4, 3, 7, 0x7f> {
    static constexpr const char* kName = "fp8_e4m3fn_t";
    static constexpr Overflow kOverflow = Overflow::kNan;
    static constexpr double kNext = 480;  // where the value after the largest one would be
    static constexpr uint8_t kNan = 0x7f;
    static constexpr uint8_t kInfinity = 0x7f;
};
struct E5m2 : IeeeFields<5, 2, 15, 0x7c> {
    static constexpr const char* kName = "fp8_e5m2_t";
    static constexpr Overflow kOverflow = Overflow::kInfinity;
    static constexpr double kNext = 65536;
    static constexpr uint8_t kNan = 0x7f;
    static constexpr uint8_t kInfinity = 0x7c;
};
struct E2m1 : IeeeFields<2, 1, 1, 8> {
    static constexpr const char* kName = "fp4x2_e2m1_t";
    static constexpr Overflow kOverflow = Overflow::kClamp;
    static constexpr double kNext = 8;
    static constexpr uint8_t kNan = 0;
    static constexpr uint8_t kInfinity = 7;
};
struct E1m2 : IeeeFields<1, 2, 1, 8> {
    static constexpr const char* kName = "fp4x2_e1m2_t";
    static constexpr Overflow kOverflow = Overflow::kClamp;
    static constexpr double kNext = 2;
    static constexpr uint8_t kNan = 0;
    static constexpr uint8_t kInfinity = 7;
};

// An exponent alone. Values that are no power of two are rounded to one; zero has no code and becomes the smallest.
struct E8m0 {
    static constexpr const char* kName = "fp8_e8m0_t";
    static constexpr uint32_t kBits = 8;
    static constexpr uint32_t kCodes = 0xff;
    static constexpr bool kSigned = false;
    static constexpr bool kNegativeZero = false;
    static constexpr Overflow kOverflow = Overflow::kClamp;
    static constexpr double kNext = 3.402823669209384634633746074317682e38;
    static constexpr uint8_t kNan = 0xff;
    static constexpr uint8_t kInfinity = 0xfe;

    static constexpr double Magnitude(uint32_t code) { return PowerOfTwo(static_cast<int>(code) - 127); }
};

// The prefix after the sign tells how many bits the exponent has. Its codes do not rise with the values.
struct Hif8 {
    static constexpr const char* kName = "hifloat8_t";
    static constexpr uint32_t kBits = 8;
    static constexpr uint32_t kCodes = 0x7f;  // all but infinity, which is 0x6f, and the slot that takes its place
    static constexpr bool kSigned = true;
    static constexpr bool kNegativeZero = false;
    static constexpr Overflow kOverflow = Overflow::kInfinity;
    static constexpr double kNext = 49152;
    static constexpr uint8_t kNan = 0x80;
    static constexpr uint8_t kInfinity = 0x6f;

    static constexpr double Fields(uint32_t code, int exponentBits, int mantissaBits) {
        const uint32_t field = code >> mantissaBits & ((1u << exponentBits) - 1);
        const auto magnitude = static_cast<int>((field & ((1u << (exponentBits - 1)) - 1)) | 1u << (exponentBits - 1));
        const bool negative = field >> (exponentBits - 1) != 0;
        const double fraction = static_cast<double>(code & ((1u << mantissaBits) - 1)) / (1 << mantissaBits);
        return (1 + fraction) * PowerOfTwo(negative ? -magnitude : magnitude);
    }
    static constexpr double Magnitude(uint32_t code) {
        if (code < 8) {
            return code == 0 ? 0.0 : PowerOfTwo(static_cast<int>(code) - 23);
        }
        return code < 16   ? 1 + (code & 7) / 8.0
               : code < 32 ? Fields(code, 1, 3)
               : code < 64 ? Fields(code, 2, 3)
               : code < 96 ? Fields(code, 3, 2)
                           : Fields(code, 4, 1);
    }
};

// The finite codes without sign by rising value.
template <typename Format>
struct SortedCodes {
    uint8_t code[Format::kCodes] = {};
    double value[Format::kCodes] = {};

    constexpr SortedCodes() {
        uint32_t count = 0;
        for (uint32_t next = 0; count < Format::kCodes; ++next) {
            if (std::is_same_v<Format, Hif8> && next == Format::kInfinity) {
                continue;
            }
            const double magnitude = Format::Magnitude(next);
            uint32_t at = count++;
            for (; at > 0 && value[at - 1] > magnitude; --at) {
                value[at] = value[at - 1];
                code[at] = code[at - 1];
            }
            value[at] = magnitude;
            code[at] = static_cast<uint8_t>(next);
        }
    }
};
template <typename Format>
inline constexpr SortedCodes<Format> kSortedCodes{};

// Whether a magnitude between two neighbours goes to the upper one; `odd` tells the last bit of the lower one.
// The pseudo-random bits of CAST_HYBRID are not known to anybody: it takes the nearest, which they may give.
template <AscendC::RoundMode mode>
constexpr bool RoundsUp(double below, double magnitude, double above, bool negative, bool odd) {
    using AscendC::RoundMode;
    const double low = magnitude - below;
    const double high = above - magnitude;
    if (low == 0) {
        return false;
    }
    switch (mode) {
        case RoundMode::CAST_FLOOR:
            return negative;
        case RoundMode::CAST_CEIL:
            return !negative;
        case RoundMode::CAST_TRUNC:
            return false;
        case RoundMode::CAST_ODD:
            return !odd;
        case RoundMode::CAST_ROUND:
        case RoundMode::CAST_HYBRID:
            return low >= high;
        default:
            return low > high || (low == high && odd);
    }
}

template <typename Format, AscendC::RoundMode mode>
constexpr uint8_t EncodeSmall(double value, bool saturate) {
    constexpr auto& codes = kSortedCodes<Format>;
    constexpr uint32_t kLast = Format::kCodes - 1;
    const bool negative = __builtin_signbit(value) != 0;
    const auto sign = static_cast<uint8_t>(negative && Format::kSigned ? 1u << (Format::kBits - 1) : 0u);
    if (value != value) {
        return saturate && Format::kOverflow != Overflow::kClamp ? uint8_t(0) : Format::kNan;
    }
    const double magnitude = negative ? -value : value;
    const bool clamp = saturate || Format::kOverflow == Overflow::kClamp;
    uint32_t low = 0;
    for (uint32_t high = kLast; low < high;) {
        const uint32_t middle = (low + high + 1) / 2;
        if (codes.value[middle] <= magnitude) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    const double above = low == kLast ? Format::kNext : codes.value[low + 1];
    bool up = magnitude >= above;
    if (!up && magnitude >= codes.value[low]) {
        up = RoundsUp<mode>(codes.value[low], magnitude, above, negative, (codes.code[low] & 1) != 0);
    }
    if (up && low == kLast) {
        return static_cast<uint8_t>((clamp ? codes.code[kLast] : Format::kInfinity) | sign);
    }
    const uint8_t code = codes.code[up ? low + 1 : low];
    return code == 0 && !Format::kNegativeZero ? code : static_cast<uint8_t>(code | sign);
}

template <typename Format>
constexpr float DecodeSmall(uint8_t bits) {
    constexpr uint32_t kMask = Format::kSigned ? (1u << (Format::kBits - 1)) - 1 : 0xffu;
    const uint32_t code = bits & kMask;
    const bool negative = Format::kSigned && (bits >> (Format::kBits - 1) & 1) != 0;
    const bool finite = std::is_same_v<Format, Hif8> ? code != Format::kInfinity : code < Format::kCodes;
    double magnitude = 0;
    if (bits == Format::kNan && Format::kNan != 0) {
        magnitude = __builtin_nan("");
    } else if (finite) {
        magnitude = Format::Magnitude(code);
    } else {
        magnitude = Format::kOverflow == Overflow::kInfinity && code == Format::kInfinity ? __builtin_inf()
                                                                                         : __builtin_nan("");
    }
    return static_cast<float>(negative ? -magnitude : magnitude);
}

// Stops the compilation, once, where a type of dav-3510 is used on another chip.
template <int arch>
struct HasSmallFloats {
    static_assert(arch == 3510,
                  "the element types fp8_*, fp4x2_*, hifloat8_t and int4x2_t exist on dav-3510 only: dav-2201 has "
                  "half, bfloat16_t, float, integers and int4b_t");
    static constexpr bool kChecked = true;
};

// One value, in a byte. Only explicit conversions, as on the device.
template <typename Format>
struct SmallFloat {
    static_assert(HasSmallFloats<sizeof(Format) != 0 ? __NPU_ARCH__ : 0>::kChecked, "");
    using FormatType = Format;
    uint8_t bits;

    SmallFloat() = default;
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
    explicit constexpr SmallFloat(T value)
        : bits(EncodeSmall<Format, AscendC::RoundMode::CAST_RINT>(static_cast<double>(value), true)) {}
    explicit constexpr operator float() const { return DecodeSmall<Format>(bits); }

    static constexpr SmallFloat FromBits(uint8_t value) {
        SmallFloat result = SmallFloat(0.0f);
        result.bits = value;
        return result;
    }
};

// Two values of four bits in one byte, the even index in the low nibble.
template <typename Format>
struct FloatPair {
    static_assert(HasSmallFloats<sizeof(Format) != 0 ? __NPU_ARCH__ : 0>::kChecked, "");
    using FormatType = Format;
    uint8_t bits;

    FloatPair() = default;
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
    explicit constexpr FloatPair(T value)
        : bits(EncodeSmall<Format, AscendC::RoundMode::CAST_RINT>(static_cast<double>(value), true)) {
        bits = static_cast<uint8_t>(bits | bits << 4);
    }
    constexpr float Low() const { return DecodeSmall<Format>(bits & 0xfu); }
    constexpr float High() const { return DecodeSmall<Format>(static_cast<uint8_t>(bits >> 4)); }
};

template <typename Format>
inline constexpr uint32_t kElementBits<FloatPair<Format>> = 4;

// Two integers of four bits in one byte, the even index in the low nibble.
template <int arch>
struct IntegerPair {
    static_assert(HasSmallFloats<arch>::kChecked, "");
    uint8_t bits;
};

template <typename T>
inline constexpr bool kIsSmallFloat = false;
template <typename Format>
inline constexpr bool kIsSmallFloat<SmallFloat<Format>> = true;
template <typename T>
inline constexpr bool kIsFloatPair = false;
template <typename Format>
inline constexpr bool kIsFloatPair<FloatPair<Format>> = true;

}  // namespace sktwin

using fp8_e4m3fn_t = sktwin::SmallFloat<sktwin::E4m3>;
using fp8_e5m2_t = sktwin::SmallFloat<sktwin::E5m2>;
using fp8_e8m0_t = sktwin::SmallFloat<sktwin::E8m0>;
using hifloat8_t = sktwin::SmallFloat<sktwin::Hif8>;
using fp4x2_e2m1_t = sktwin::FloatPair<sktwin::E2m1>;
using fp4x2_e1m2_t = sktwin::FloatPair<sktwin::E1m2>;
using int4x2_t = sktwin::IntegerPair<__NPU_ARCH__>;
