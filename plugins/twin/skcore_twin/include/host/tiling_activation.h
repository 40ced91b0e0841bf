// Licensed under the Apache License, Version 2.0.
//
// Scratch sizes of the activations on the host (ascendc_adv_host.md 2.5).
#pragma once

#include "host/tmp_size.h"

namespace AscendC {

inline void GetGeluMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t, uint32_t& maxValue, uint32_t& minValue) {
    minValue = 768;
    maxValue = std::max(minValue, 12 * sktwin::tiling::ElementsOf(srcShape));
}
inline uint32_t GetGeluMaxTmpSize(const ge::Shape& srcShape, const uint32_t typeSize) {
    uint32_t max = 0;
    uint32_t min = 0;
    GetGeluMaxMinTmpSize(srcShape, typeSize, max, min);
    return max;
}
inline uint32_t GetGeluMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize) {
    uint32_t max = 0;
    uint32_t min = 0;
    GetGeluMaxMinTmpSize(srcShape, typeSize, max, min);
    return min;
}

SKTWIN_FACTOR_SIZES(GeGLU, 4, 0)
SKTWIN_FACTOR_SIZES(Sigmoid, 1, 1)

// The reuse of the source is the last parameter here.
inline void GetSwiGLUMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                   uint32_t& minValue, const bool = false) {
    sktwin::tiling::SizesByFactor(srcShape, typeSize, typeSize == 2 ? 6 : 0, maxValue, minValue);
}
inline void GetSwiGLUTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
    maxLiveNodeCount = typeSize == 2 ? 6 : 0;
    extraBuf = 0;
}
inline void GetReGluMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                  uint32_t& minValue) {
    minValue = typeSize == 2 ? 1536 : 256;
    maxValue = typeSize == 2 ? std::max(minValue, 6 * typeSize * sktwin::tiling::ElementsOf(srcShape)) : minValue;
}
inline void GetSiluTmpSize(const ge::Shape&, const uint32_t, const bool, uint32_t& maxValue, uint32_t& minValue) {
    maxValue = minValue = 0;
}
inline void GetSwishTmpSize(const ge::Shape&, const uint32_t, const bool, uint32_t& maxValue, uint32_t& minValue) {
    maxValue = minValue = 0;
}

}  // namespace AscendC
