// Licensed under the Apache License, Version 2.0.
//
// Common to the host's scratch sizes of the advanced API (ascendc_adv_host.md 0.10): min is the least scratch with
// which a kernel works, max the most that it uses. The twin's kernels need none, so these follow the documented
// formulas and tests can rely on them; where none is documented for dav-3510, that of dav-2201 serves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "graph/tensor.h"
#include "sktwin/platform.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

using TensorShape = ge::Shape;
using TensorDataType = ge::DataType;

}  // namespace AscendC

namespace sktwin::tiling {

constexpr uint32_t kRepeat = 256;
constexpr uint32_t kBlock = 32;

constexpr uint32_t AlignTo(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit * unit; }
inline bool IsChip3510() { return ThePlatform().arch == 3510; }
inline uint32_t ElementsOf(const ge::Shape& shape) { return static_cast<uint32_t>(shape.GetShapeSize()); }
inline uint32_t Axis(const ge::Shape& shape, size_t index) { return static_cast<uint32_t>(shape.GetDim(index)); }
inline uint32_t LastAxis(const ge::Shape& shape) {
    return shape.GetDimNum() == 0 ? 0 : Axis(shape, shape.GetDimNum() - 1);
}
// All axes but the last one.
inline uint32_t RowsOf(const ge::Shape& shape) {
    return LastAxis(shape) == 0 ? 0 : ElementsOf(shape) / LastAxis(shape);
}

// `factor` copies of the source, or of one repeat.
inline void SizesByFactor(const ge::Shape& shape, uint32_t typeSize, uint32_t factor, uint32_t& max, uint32_t& min) {
    min = factor * kRepeat;
    max = factor * std::max(ElementsOf(shape) * typeSize, kRepeat);
}

// Of functions that need no scratch on any chip: the last two arguments are max and min.
template <typename... Arguments>
void NoScratch(Arguments&&... arguments) {
    constexpr size_t kCount = sizeof...(Arguments);
    static_assert(kCount >= 2, "the last two arguments take the sizes");
    const auto all = std::forward_as_tuple(arguments...);
    std::get<kCount - 2>(all) = 0;
    std::get<kCount - 1>(all) = 0;
}

}  // namespace sktwin::tiling

// Size and factor of a function of each element: factors for half and for float.
#define SKTWIN_FACTOR_SIZES(name, forHalf, forFloat)                                                                   \
    inline void Get##name##MaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,                           \
                                         [[maybe_unused]] const bool isReuseSource, uint32_t& maxValue,                \
                                         uint32_t& minValue) {                                                         \
        sktwin::tiling::SizesByFactor(srcShape, typeSize, typeSize == 2 ? (forHalf) : (forFloat), maxValue, minValue); \
    }                                                                                                                  \
    inline void Get##name##TmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount,                    \
                                               uint32_t& extraBuf) {                                                   \
        [[maybe_unused]] constexpr bool isReuseSource = false;                                                         \
        maxLiveNodeCount = typeSize == 2 ? (forHalf) : (forFloat);                                                     \
        extraBuf = 0;                                                                                                  \
    }

#define SKTWIN_NO_SCRATCH(name)                                           \
    template <typename... Arguments>                                      \
    void Get##name##MaxMinTmpSize(Arguments&&... arguments) {             \
        sktwin::tiling::NoScratch(std::forward<Arguments>(arguments)...); \
    }                                                                     \
    template <typename... Arguments>                                      \
    void Get##name##TmpBufferFactorSize(Arguments&&... arguments) {       \
        sktwin::tiling::NoScratch(std::forward<Arguments>(arguments)...); \
    }
