// Licensed under the Apache License, Version 2.0.
//
// Scratch sizes of the mathematical functions on the host (ascendc_adv_host.md 3).
#pragma once

#include "host/tmp_size.h"

namespace AscendC {

SKTWIN_FACTOR_SIZES(Acos, 6, 2)
SKTWIN_FACTOR_SIZES(Acosh, 2, 1)
SKTWIN_FACTOR_SIZES(Asin, 6, 2)
SKTWIN_FACTOR_SIZES(Asinh, 3, 3)
SKTWIN_FACTOR_SIZES(Atan, 12, 5)
SKTWIN_FACTOR_SIZES(Atanh, 4, 1)
SKTWIN_FACTOR_SIZES(Axpy, 4, 0)
SKTWIN_FACTOR_SIZES(Ceil, 2, 1)
SKTWIN_FACTOR_SIZES(Cos, 8, isReuseSource ? 2 : 3)
SKTWIN_FACTOR_SIZES(Cosh, 6, 2)
SKTWIN_FACTOR_SIZES(Digamma, 16, isReuseSource ? 6 : 7)
SKTWIN_FACTOR_SIZES(Erf, 8, 3)
SKTWIN_FACTOR_SIZES(Erfc, 16, 7)
SKTWIN_FACTOR_SIZES(Floor, 2, 0)
SKTWIN_FACTOR_SIZES(Fmod, 8, 1)
SKTWIN_FACTOR_SIZES(Frac, 4, 0)
SKTWIN_FACTOR_SIZES(Lgamma, 26, isReuseSource ? 7 : 8)
SKTWIN_FACTOR_SIZES(Sign, 3, 3)
SKTWIN_FACTOR_SIZES(Sin, 8, isReuseSource ? 2 : 3)
SKTWIN_FACTOR_SIZES(Sinh, 4, 1)
SKTWIN_FACTOR_SIZES(Tan, 10, 4)
SKTWIN_FACTOR_SIZES(Tanh, 4, 1)
SKTWIN_FACTOR_SIZES(Trunc, 2, 1)
SKTWIN_FACTOR_SIZES(Xor, 1, 1)

SKTWIN_NO_SCRATCH(Hypot)
SKTWIN_NO_SCRATCH(Log)
SKTWIN_NO_SCRATCH(Log10)
SKTWIN_NO_SCRATCH(Rint)
SKTWIN_NO_SCRATCH(Fma)
SKTWIN_NO_SCRATCH(Where)
SKTWIN_NO_SCRATCH(IsNan)
SKTWIN_NO_SCRATCH(IsInf)
SKTWIN_NO_SCRATCH(BitwiseAnd)
SKTWIN_NO_SCRATCH(BitwiseNot)
SKTWIN_NO_SCRATCH(BitwiseOr)
SKTWIN_NO_SCRATCH(BitwiseXor)
SKTWIN_NO_SCRATCH(LogicalAnd)
SKTWIN_NO_SCRATCH(LogicalAnds)
SKTWIN_NO_SCRATCH(LogicalNot)
SKTWIN_NO_SCRATCH(LogicalOr)
SKTWIN_NO_SCRATCH(LogicalOrs)
SKTWIN_NO_SCRATCH(LogicalXor)

inline void GetRoundMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape& srcShape,
                                  const uint32_t typeSize, const bool, uint32_t& maxValue, uint32_t& minValue) {
    sktwin::tiling::SizesByFactor(srcShape, typeSize, typeSize == 2 ? 1 : 0, maxValue, minValue);
}
inline void GetRoundTmpBufferFactorSize(const platform_ascendc::PlatformAscendC&, const uint32_t typeSize,
                                        uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
    maxLiveNodeCount = typeSize == 2 ? 1 : 0;
    extraBuf = 0;
}
inline void GetSinCosMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape& srcShape, const uint32_t,
                                   const bool, uint32_t& maxValue, uint32_t& minValue) {
    maxValue = minValue = 2 * 4 * sktwin::tiling::AlignTo(sktwin::tiling::ElementsOf(srcShape), 32) + 32;
}
inline void GetLog2MaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                 uint32_t& minValue) {
    minValue = typeSize == 2 ? 256 : 0;
    maxValue = typeSize == 2 ? std::max(256U, 4 * sktwin::tiling::ElementsOf(srcShape)) : 0;
}
inline void GetLog2TmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
    maxLiveNodeCount = typeSize == 2 ? 2 : 0;
    extraBuf = 0;
}

// Buffers of float: four for half, three for float, of which the source may be one.
inline bool GetExpMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                uint32_t& maxValue, uint32_t& minValue) {
    const uint32_t buffers = typeSize == 2 ? 4 : isReuseSource ? 2 : 3;
    sktwin::tiling::SizesByFactor(srcShape, 4, buffers, maxValue, minValue);
    return true;
}
inline bool GetExpTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
    maxLiveNodeCount = typeSize == 2 ? 8 : 3;
    extraBuf = 0;
    return true;
}

inline void GetClampMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                  uint32_t& minValue) {
    minValue = typeSize == 2 ? 128 : 64;
    maxValue = typeSize == 2 ? minValue : std::max(minValue, sktwin::tiling::ElementsOf(srcShape));
}

inline void GetPowerTmpBufferFactorSize(const bool baseIsTensor, const bool expIsTensor, const bool typeIsInt,
                                        const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
    const bool both = baseIsTensor && expIsTensor;
    if (sktwin::tiling::IsChip3510()) {
        maxLiveNodeCount = typeIsInt ? 0 : 12 / typeSize;
        extraBuf = 0;
        return;
    }
    maxLiveNodeCount = typeIsInt ? (both ? 6 : 7) : typeSize == 2 ? 14 : both ? 4 : 5;
    extraBuf = typeIsInt ? 0 : 256;
}
// A shape of one element is that of a scalar.
inline void GetPowerMaxMinTmpSize(const ge::Shape& srcShape1, const ge::Shape& srcShape2, const bool typeIsInt,
                                  const uint32_t typeSize, const bool, uint32_t& maxValue, uint32_t& minValue) {
    const uint32_t elements = std::max(sktwin::tiling::ElementsOf(srcShape1), sktwin::tiling::ElementsOf(srcShape2));
    uint32_t factor = 0;
    uint32_t extra = 0;
    GetPowerTmpBufferFactorSize(srcShape1.GetShapeSize() != 1, srcShape2.GetShapeSize() != 1, typeIsInt, typeSize,
                                factor, extra);
    // Half counts its buffers in elements of two bytes, of which the first 256 bytes hold half as many as of float.
    minValue =
        typeSize == 2 && !typeIsInt && !sktwin::tiling::IsChip3510() ? 256 * factor / 2 + extra : 256 * factor + extra;
    maxValue = std::max(minValue, factor * elements * typeSize + extra);
}

inline void GetCumSumMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool isLastAxis,
                                   const bool, uint32_t& maxValue, uint32_t& minValue) {
    const uint32_t outer = sktwin::tiling::Axis(srcShape, 0);
    const uint32_t inner = sktwin::tiling::Axis(srcShape, 1);
    if (!isLastAxis) {
        maxValue = minValue = typeSize == 2 ? 4 * outer * inner : 0;
        return;
    }
    const uint32_t row = inner * (2 * typeSize + (typeSize == 2 ? 2 : 0));
    minValue = 16 * row;
    maxValue = sktwin::tiling::AlignTo(outer, 16) * row;
}

}  // namespace AscendC
