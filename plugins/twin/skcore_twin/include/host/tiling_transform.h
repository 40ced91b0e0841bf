// Licensed under the Apache License, Version 2.0.
//
// Scratch sizes of quantisation, transforms and filters on the host (ascendc_adv_host.md 7, 8).
#pragma once

#include "host/tmp_size.h"

namespace AscendC {

inline void GetAscendQuantMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t, uint32_t& maxValue,
                                        uint32_t& minValue) {
    minValue = 512;
    maxValue = sktwin::tiling::AlignTo(std::max(2 * sktwin::tiling::ElementsOf(srcShape), minValue), 32);
}
inline void GetAscendQuantTmpBufferFactorSize(const uint32_t, uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
    maxLiveNodeCount = 2;
    extraBuf = 0;
}
inline void GetQuantizeMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                     uint32_t& minValue) {
    GetAscendQuantMaxMinTmpSize(srcShape, typeSize, maxValue, minValue);
}
inline void GetAscendDequantMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t, uint32_t& maxValue,
                                          uint32_t& minValue) {
    const uint32_t inner = sktwin::tiling::LastAxis(srcShape);
    maxValue = 4 * (64 + sktwin::tiling::ElementsOf(srcShape) + inner + 8);
    minValue = 4 * (64 + inner + inner + 8);
}
inline void GetAscendDequantTmpBufferFactorSize(const ge::Shape& srcShape, const uint32_t, uint32_t& maxLiveNodeCount,
                                                uint32_t& extraBuf) {
    maxLiveNodeCount = 1;
    extraBuf = 72 + sktwin::tiling::LastAxis(srcShape);
}
inline void GetDequantizeMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                       uint32_t& minValue) {
    GetAscendDequantMaxMinTmpSize(srcShape, typeSize, maxValue, minValue);
}
inline void GetAscendAntiQuantMaxMinTmpSize(const ge::Shape& srcShape, const ge::Shape& scaleShape,
                                            const bool isTranspose, const ge::DataType,
                                            const ge::DataType outputDataType, uint32_t& maxValue, uint32_t& minValue) {
    const uint32_t scales = sktwin::tiling::ElementsOf(scaleShape);
    if (outputDataType == ge::DT_FLOAT16) {
        maxValue = minValue = 0;
    } else if (scales == 1) {
        minValue = 1024;
        maxValue = std::max(minValue, 4 * sktwin::tiling::ElementsOf(srcShape));
    } else {
        const uint32_t k = sktwin::tiling::Axis(srcShape, isTranspose ? srcShape.GetDimNum() - 1 : 0);
        maxValue = minValue = isTranspose ? 80 * 4 * scales : 8 * scales + 256 * k;
    }
}
inline uint32_t GetAscendAntiQuantMaxTmpSize(const ge::Shape& srcShape, const ge::Shape& scaleShape,
                                             const bool isTranspose, const ge::DataType input,
                                             const ge::DataType output) {
    uint32_t max = 0;
    uint32_t min = 0;
    GetAscendAntiQuantMaxMinTmpSize(srcShape, scaleShape, isTranspose, input, output, max, min);
    return max;
}
inline uint32_t GetAscendAntiQuantMinTmpSize(const ge::Shape& srcShape, const ge::Shape& scaleShape,
                                             const bool isTranspose, const ge::DataType input,
                                             const ge::DataType output) {
    uint32_t max = 0;
    uint32_t min = 0;
    GetAscendAntiQuantMaxMinTmpSize(srcShape, scaleShape, isTranspose, input, output, max, min);
    return min;
}

// No formula is documented: room for the result, which is more than enough.
inline void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape&,
                                      const ge::Shape& dstShape, const uint32_t typeSize, const bool,
                                      uint32_t& maxValue, uint32_t& minValue) {
    maxValue = minValue = sktwin::tiling::AlignTo(sktwin::tiling::ElementsOf(dstShape) * typeSize, 32);
}
inline void GetPadMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t, uint32_t& maxValue, uint32_t& minValue) {
    minValue = 1024;
    maxValue = std::max(minValue, 64 * sktwin::tiling::AlignTo(sktwin::tiling::ElementsOf(srcShape), 16));
}
inline void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape&, const uint32_t,
                                  uint32_t& maxValue, uint32_t& minValue) {
    maxValue = minValue = 0;
}
inline void GetArangeMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue) { maxValue = minValue = 0; }
inline void GetArithProgressionMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue) { maxValue = minValue = 0; }

inline uint32_t GetDropOutMaxTmpSize(const ge::Shape& srcShape, const uint32_t, const bool) {
    return std::max(512U, 8 * sktwin::tiling::ElementsOf(srcShape));
}
inline uint32_t GetDropOutMinTmpSize(const ge::Shape&, const uint32_t, const bool) { return 512; }
inline void GetDropOutMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool reuse,
                                    uint32_t& maxValue, uint32_t& minValue) {
    maxValue = GetDropOutMaxTmpSize(srcShape, typeSize, reuse);
    minValue = GetDropOutMinTmpSize(srcShape, typeSize, reuse);
}

// Of the selection by a byte mask. A mask with more columns than the source is first made narrower, in place when it
// may be used again.
inline void GetSelectMaxMinTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape, const uint32_t,
                                   const ge::Shape& maskShape, const uint32_t maskTypeSize, const bool isReuseMask,
                                   uint32_t& maxValue, uint32_t& minValue) {
    using sktwin::tiling::AlignTo;
    const ge::Shape& source = src0Shape.GetShapeSize() == 1 ? src1Shape : src0Shape;
    const uint32_t n = sktwin::tiling::ElementsOf(source);
    const bool narrows = sktwin::tiling::LastAxis(maskShape) != sktwin::tiling::LastAxis(source) && !isReuseMask;
    const uint32_t mask = narrows ? AlignTo(n * maskTypeSize, 32) : 0;
    maxValue = std::max(1024U, 2 * AlignTo(n, 32) + 512) + mask;
    minValue = std::max(1024U, 2 * AlignTo(std::min(n, 4096U), 32) + 512) + mask;
}
inline uint32_t GetSelectMaxTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape, const uint32_t typeSize,
                                    const ge::Shape& maskShape, const uint32_t maskTypeSize, const bool isReuseMask) {
    uint32_t max = 0;
    uint32_t min = 0;
    GetSelectMaxMinTmpSize(src0Shape, src1Shape, typeSize, maskShape, maskTypeSize, isReuseMask, max, min);
    return max;
}
inline uint32_t GetSelectMinTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape, const uint32_t typeSize,
                                    const ge::Shape& maskShape, const uint32_t maskTypeSize, const bool isReuseMask) {
    uint32_t max = 0;
    uint32_t min = 0;
    GetSelectMaxMinTmpSize(src0Shape, src1Shape, typeSize, maskShape, maskTypeSize, isReuseMask, max, min);
    return min;
}

}  // namespace AscendC
