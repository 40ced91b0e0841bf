// Licensed under the Apache License, Version 2.0.
//
// What Fixpipe makes of one accumulator (ascendc_data_cube.md 9.4; npu_ops.md section 0): pure functions.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ascendc/cube_types.h"
#include "ascendc/memory.h"

namespace sktwin::cube {

// The 64-bit parameter of a column or of the whole tile.
struct QuantImage {
    float scale;
    int32_t offset;
    int32_t shift;    // 2201: N
    bool shiftFirst;  // 2201: the accumulator is shifted to 16 bits before scaling
    bool isSigned;
};

inline QuantImage DecodeQuantImage(uint64_t image) {
    QuantImage decoded{};
    const auto scaleBits = static_cast<uint32_t>(image) & 0xffffe000u;
    std::memcpy(&decoded.scale, &scaleBits, sizeof(scaleBits));
    const auto offset = static_cast<int32_t>(image >> 37 & 0x1ff);
    decoded.offset = offset - (offset & 0x100) * 2;
    decoded.isSigned = (image >> 46 & 1) != 0;
    if constexpr (!kChip3510) {
        decoded.shift = static_cast<int32_t>(image >> 32 & 0xf) + 1;
        decoded.shiftFirst = (image >> 36 & 1) != 0;
    }
    return decoded;
}

template <typename Acc>
inline constexpr bool kIsIntAccumulator = std::is_same_v<Acc, int32_t>;

// Whether the unit can write Acc as Out with this mode; the vector and scalar form of a mode convert alike.
template <typename Out, typename Acc>
constexpr bool QuantModeFits(QuantMode_t mode) {
    constexpr bool isByte = std::is_same_v<Out, int8_t> || std::is_same_v<Out, uint8_t>;
    constexpr bool fromInt = kIsIntAccumulator<Acc>;
    switch (mode) {
        case NoQuant:
            return std::is_same_v<Out, Acc>;
        case F322F16:
            return !fromInt && std::is_same_v<Out, half>;
        case F322BF16:
            return !fromInt && std::is_same_v<Out, bfloat16_t>;
        case DEQF16:
        case VDEQF16:
            return fromInt && std::is_same_v<Out, half>;
        case QF322B8_PRE:
        case VQF322B8_PRE:
            return !fromInt && isByte;
        case REQ8:
        case VREQ8:
            return fromInt && isByte;
        case QF322F16_PRE:
        case VQF322F16_PRE:
            return kChip3510 && !fromInt && std::is_same_v<Out, half>;
        case QF322BF16_PRE:
        case VQF322BF16_PRE:
            return kChip3510 && !fromInt && std::is_same_v<Out, bfloat16_t>;
        case QS322BF16_PRE:
        case VQS322BF16_PRE:
            return kChip3510 && fromInt && std::is_same_v<Out, bfloat16_t>;
        case QF322F32_PRE:
        case VQF322F32_PRE:
            return kChip3510 && !fromInt && std::is_same_v<Out, float>;
    }
    return false;
}

// Some mode leads from Acc to Out on this chip.
template <typename Out, typename Acc>
inline constexpr bool kFixpipeExists =
    std::is_same_v<Out, Acc> || std::is_same_v<Out, half> || std::is_same_v<Out, int8_t> ||
    std::is_same_v<Out, uint8_t> || (std::is_same_v<Out, bfloat16_t> && (kChip3510 || !kIsIntAccumulator<Acc>));

constexpr bool IsVectorMode(QuantMode_t mode) {
    switch (mode) {
        case VDEQF16:
        case VQF322B8_PRE:
        case VREQ8:
        case VQF322F16_PRE:
        case VQF322BF16_PRE:
        case VQS322BF16_PRE:
        case VQF322F32_PRE:
            return true;
        default:
            return false;
    }
}

constexpr bool IsScaled(QuantMode_t mode) { return mode != NoQuant && mode != F322F16 && mode != F322BF16; }

// One rounding to nearest even. `saturate`: infinities become the largest finite value, NaN becomes zero.
template <typename Out>
inline Out RoundToFloat(float value, bool saturate) {
    if constexpr (std::is_same_v<Out, float>) {
        return value;
    } else {
        const Out rounded(value);
        const uint16_t infinity = std::is_same_v<Out, half> ? 0x7c00 : 0x7f80;
        const uint16_t magnitude = rounded.bits & 0x7fffu;
        if (!saturate || magnitude < infinity) {
            return rounded;
        }
        const uint16_t largest = static_cast<uint16_t>((rounded.bits & 0x8000u) | (infinity - 1u));
        return Out::FromBits(magnitude > infinity ? uint16_t{0} : largest);
    }
}

inline int32_t ClampTo(int32_t value, int32_t low, int32_t high) {
    return value < low ? low : value > high ? high : value;
}

// Half to even in the host's default rounding mode; saturates before it converts, NaN becomes zero.
inline int32_t RoundToStep(float value) {
    if (__builtin_isnan(value)) {
        return 0;
    }
    return static_cast<int32_t>(__builtin_nearbyintf(__builtin_fminf(__builtin_fmaxf(value, -256.0f), 255.0f)));
}

template <typename Out>
inline Out RoundToByte(float value, const QuantImage& image) {
    const int32_t shifted = RoundToStep(value) + image.offset;
    const int32_t byte = image.isSigned ? ClampTo(shifted, -128, 127) : ClampTo(shifted, 0, 255);
    return static_cast<Out>(static_cast<uint8_t>(byte));
}

struct OutputMode {
    QuantMode_t mode;
    bool relu;
    bool keepInfinity;  // CTRL[48]
};

template <typename Out, typename Acc>
inline Out ConvertAccumulator(Acc value, const OutputMode& output, const QuantImage& image) {
    if (!IsScaled(output.mode)) {
        if (output.relu && value < Acc(0)) {
            value = Acc(0);
        }
        if constexpr (std::is_same_v<Out, Acc>) {
            return value;
        }
    }
    float scaled = static_cast<float>(value);
    if (IsScaled(output.mode)) {
        if constexpr (kIsIntAccumulator<Acc>) {
            const bool toByte = output.mode == REQ8 || output.mode == VREQ8;
            if (toByte && image.shiftFirst) {
                scaled = static_cast<float>(ClampTo(value >> image.shift, -32768, 32767));
            }
        }
        scaled = output.relu && scaled < 0.0f ? 0.0f : scaled * image.scale;
    }
    if constexpr (sizeof(Out) == 1) {
        return RoundToByte<Out>(scaled, image);
    } else if constexpr (std::is_same_v<Out, int32_t>) {
        return static_cast<Out>(value);
    } else {
        const bool dequantised = kIsIntAccumulator<Acc>;
        return RoundToFloat<Out>(scaled, dequantised || !output.keepInfinity);
    }
}

}  // namespace sktwin::cube
