// Licensed under the Apache License, Version 2.0.
//
// Scratch sizes of reductions and of sorting on the host (ascendc_adv_host.md 5, 6).
#pragma once

#include "host/tmp_size.h"

namespace AscendC {

enum class ReducePattern : uint32_t { AR = 0, RA = 1 };

namespace detail {

// The largest power of two below `value`, or 1.
constexpr uint32_t HalfOfTree(uint32_t value) {
    uint32_t power = 1;
    while (power * 2 < value) {
        power *= 2;
    }
    return power;
}
constexpr uint32_t BytesOfType(ge::DataType type) {
    switch (type) {
        case ge::DT_INT64:
        case ge::DT_UINT64:
        case ge::DT_DOUBLE:
            return 8;
        case ge::DT_FLOAT:
        case ge::DT_INT32:
        case ge::DT_UINT32:
            return 4;
        case ge::DT_FLOAT16:
        case ge::DT_BF16:
        case ge::DT_INT16:
        case ge::DT_UINT16:
            return 2;
        default:
            return 1;
    }
}

struct ReducedMatrix {
    uint32_t first;
    uint32_t last;
    uint32_t bytes;

    uint32_t Sum(ReducePattern pattern) const {
        return pattern == ReducePattern::RA ? 4 * HalfOfTree(first) * sktwin::tiling::AlignTo(last, 8)
               : last <= 64                 ? 0
                                            : 4 * first * HalfOfTree(last);
    }
    uint32_t Extremum(ReducePattern pattern) const {
        return pattern == ReducePattern::RA ? HalfOfTree(first) * sktwin::tiling::AlignTo(last * bytes, 32)
               : last <= 32 / bytes         ? 0
               : last < 256 / bytes         ? 32 * first
                                            : 256 * first;
    }
    uint32_t Product(ReducePattern pattern) const {
        return pattern == ReducePattern::RA ? Extremum(pattern) : sktwin::tiling::AlignTo(HalfOfTree(last) * bytes, 32);
    }
    uint32_t Truth(ReducePattern pattern) const {
        return bytes != 1 || pattern == ReducePattern::RA
                   ? std::max(Extremum(pattern), HalfOfTree(first) * sktwin::tiling::AlignTo(last * bytes, 32))
                   : 2 * sktwin::tiling::AlignTo(last, 32) + 32 * first;
    }
};

}  // namespace detail

// What lies in UB behind the source need not be kept when the source may be used again.
#define SKTWIN_REDUCE_SIZES(name, size)                                                                          \
    inline void Get##name##MaxMinTmpSize(const ge::Shape& srcShape, const ge::DataType dataType,                 \
                                         const ReducePattern pattern, const bool, const bool isReuseSource,      \
                                         uint32_t& maxValue, uint32_t& minValue) {                               \
        const detail::ReducedMatrix matrix{sktwin::tiling::Axis(srcShape, 0), sktwin::tiling::Axis(srcShape, 1), \
                                           detail::BytesOfType(dataType)};                                       \
        maxValue = minValue = isReuseSource ? 0 : matrix.size(pattern);                                          \
    }
SKTWIN_REDUCE_SIZES(ReduceSum, Sum)
SKTWIN_REDUCE_SIZES(ReduceMean, Sum)
SKTWIN_REDUCE_SIZES(ReduceMax, Extremum)
SKTWIN_REDUCE_SIZES(ReduceMin, Extremum)
SKTWIN_REDUCE_SIZES(ReduceProd, Product)
SKTWIN_REDUCE_SIZES(ReduceAny, Truth)
SKTWIN_REDUCE_SIZES(ReduceAll, Truth)
#undef SKTWIN_REDUCE_SIZES

inline void GetReduceXorSumMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t, const bool isReuseSource,
                                         uint32_t& maxValue, uint32_t& minValue) {
    maxValue = minValue = (isReuseSource ? 2 : 3) * std::max(2 * sktwin::tiling::ElementsOf(srcShape), 256U);
}
// One result a repeat, in whole blocks.
inline void GetSumMaxMinTmpSize(const uint32_t n, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                uint32_t& minValue) {
    const uint32_t repeat = 256 / typeSize;
    maxValue = minValue = sktwin::tiling::AlignTo((n + repeat - 1) / repeat, 32 / typeSize) * typeSize;
}
inline void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t srcTypeSize, const uint32_t accTypeSize, const bool,
                                 uint32_t& maxValue, uint32_t& minValue) {
    GetSumMaxMinTmpSize(n, accTypeSize, false, maxValue, minValue);
    if (srcTypeSize != accTypeSize) {
        maxValue = minValue = minValue + 4 * sktwin::tiling::AlignTo(n, 32 / srcTypeSize);
    }
}
inline void GetMeanTmpBufferFactorSize(const uint32_t, uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
    maxLiveNodeCount = 1;
    extraBuf = 0;
}

inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t, const uint32_t) { return 0; }
// Records of eight bytes.
inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t elemCount, const uint32_t) {
    return 8 * elemCount;
}

}  // namespace AscendC
