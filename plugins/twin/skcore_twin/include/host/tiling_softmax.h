// Licensed under the Apache License, Version 2.0.
//
// Scratch sizes and tilings of the softmax family on the host (ascendc_adv_host.md 1.14 to 1.16).
#pragma once

#include "host/tiling_data.h"
#include "host/tmp_size.h"

namespace sktwin::tiling {

// Rows, columns, and elements of a 32-byte block of the row statistics.
struct SoftmaxShape {
    uint32_t m;
    uint32_t k;
    uint32_t e;

    static SoftmaxShape Of(const ge::Shape& shape, uint32_t typeSize) {
        return {RowsOf(shape), LastAxis(shape), typeSize == 0 ? 0 : kBlock / typeSize};
    }
    // Elements of scratch for one row.
    uint32_t Plain() const { return e + k + 64; }
    uint32_t Flash(bool isUpdate) const { return isUpdate ? 4 * e + 2 * k : Plain(); }
    uint32_t FlashV2(uint32_t sourceSize) const { return sourceSize == 2 ? 2 * e + k + 64 : e + 64; }
    uint32_t FlashV3() const { return 5 * e + 2 * k + 64; }
    uint32_t Grad(uint32_t typeSize, bool isFront) const {
        return typeSize == 2 ? 2 * e + 3 * k + 64 : isFront ? Plain() : 2 * e + k + 64;
    }
};

// Cuts the rows into runs for which the scratch is enough; leaves the tiling alone when it is not for one row.
inline void FillSoftmax(const SoftmaxShape& shape, uint32_t scratchBytes, uint32_t rowElements,
                        AscendC::tiling::SoftMaxTiling* tiling) {
    uint32_t rows = rowElements == 0 ? 0 : std::min(scratchBytes / 4 / rowElements, shape.m);
    if (rows == 0) {
        return;
    }
    rows = rows > 8 && rows < shape.m ? rows / 8 * 8 : rows;
    if (shape.m % 8 == 0 && shape.k % 64 == 0 && rows > 8) {
        while (rows > 8 && shape.m % rows != 0) {
            rows -= 8;
        }
        while (rows > 8 && rows * shape.k >= 16384) {
            rows /= 2;
        }
    }
    tiling->srcM = shape.m;
    tiling->srcK = shape.k;
    tiling->srcSize = shape.m * shape.k;
    tiling->outMaxM = shape.m;
    tiling->outMaxK = shape.e;
    tiling->outMaxSize = shape.m * shape.e;
    tiling->splitM = rows;
    tiling->splitK = shape.k;
    tiling->splitSize = rows * shape.k;
    tiling->reduceM = rows;
    tiling->reduceK = shape.e;
    tiling->reduceSize = rows * shape.e;
    tiling->rangeM = shape.m / rows;
    tiling->tailM = shape.m % rows;
    tiling->tailSplitSize = tiling->tailM * shape.k;
    tiling->tailReduceSize = tiling->tailM * shape.e;
}

}  // namespace sktwin::tiling

namespace AscendC {

namespace detail {
using SoftmaxRowsOfHost = sktwin::tiling::SoftmaxShape;
}

inline uint32_t GetSoftMaxMaxTmpSize(const ge::Shape& srcShape, const uint32_t dataTypeSize, const bool) {
    const auto s = detail::SoftmaxRowsOfHost::Of(srcShape, dataTypeSize);
    const uint32_t full = s.m * s.Plain();
    const uint32_t wide = s.m * (8 + s.k) + 256 + sktwin::tiling::AlignTo(s.m, 8);
    return 4 * (sktwin::tiling::IsChip3510() ? std::max(wide, full) : full);
}
inline uint32_t GetSoftMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t dataTypeSize, const bool) {
    const auto s = detail::SoftmaxRowsOfHost::Of(srcShape, dataTypeSize);
    const uint32_t wide = s.m * (8 + s.k) + 256 + sktwin::tiling::AlignTo(s.m, 8);
    return 4 * (sktwin::tiling::IsChip3510() ? std::max(wide, s.m * (s.e + s.k)) : s.Plain());
}
inline void SoftMaxTilingFunc(const ge::Shape& srcShape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize,
                              tiling::SoftMaxTiling& softmaxTiling) {
    const auto s = detail::SoftmaxRowsOfHost::Of(srcShape, dataTypeSize);
    sktwin::tiling::FillSoftmax(s, localWorkSpaceSize, s.Plain(), &softmaxTiling);
}
inline uint32_t GetLogSoftMaxMaxTmpSize(const ge::Shape& srcShape, const uint32_t dataTypeSize, const bool reuse) {
    return GetSoftMaxMaxTmpSize(srcShape, dataTypeSize, reuse);
}
inline uint32_t GetLogSoftMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t dataTypeSize, const bool reuse) {
    return GetSoftMaxMinTmpSize(srcShape, dataTypeSize, reuse);
}
inline void LogSoftMaxTilingFunc(const ge::Shape& srcShape, const uint32_t dataTypeSize,
                                 const uint32_t localWorkSpaceSize, tiling::LogSoftMaxTiling& softmaxTiling) {
    SoftMaxTilingFunc(srcShape, dataTypeSize, localWorkSpaceSize, softmaxTiling);
}

inline uint32_t GetSoftMaxFlashMaxTmpSize(const ge::Shape& srcShape, const uint32_t dataTypeSize, const bool isUpdate,
                                          const bool reuse) {
    const auto s = detail::SoftmaxRowsOfHost::Of(srcShape, dataTypeSize);
    return !isUpdate ? GetSoftMaxMaxTmpSize(srcShape, dataTypeSize, reuse)
                     : 4 * s.m * (sktwin::tiling::IsChip3510() ? s.Plain() : s.Flash(true));
}
inline uint32_t GetSoftMaxFlashMinTmpSize(const ge::Shape& srcShape, const uint32_t dataTypeSize, const bool isUpdate,
                                          const bool reuse) {
    const auto s = detail::SoftmaxRowsOfHost::Of(srcShape, dataTypeSize);
    return !isUpdate                      ? GetSoftMaxMinTmpSize(srcShape, dataTypeSize, reuse)
           : sktwin::tiling::IsChip3510() ? 4 * s.m * (s.e + s.k)
                                          : 4 * s.Flash(true);
}
inline void SoftMaxFlashTilingFunc(const ge::Shape& srcShape, const uint32_t dataTypeSize,
                                   const uint32_t localWorkSpaceSize, tiling::SoftMaxTiling& softmaxTiling,
                                   const bool isUpdate = false) {
    const auto s = detail::SoftmaxRowsOfHost::Of(srcShape, dataTypeSize);
    sktwin::tiling::FillSoftmax(s, localWorkSpaceSize, s.Flash(isUpdate), &softmaxTiling);
}

// `dataTypeSize1` is that of the source, `dataTypeSize2` that of the statistics.
inline uint32_t GetSoftMaxFlashV2MinTmpSize(const ge::Shape& srcShape, const uint32_t dataTypeSize1,
                                            const uint32_t dataTypeSize2, const bool, const bool = false,
                                            const bool isFlashOutputBrc = false) {
    const auto s = detail::SoftmaxRowsOfHost::Of(srcShape, std::min(dataTypeSize1, dataTypeSize2));
    const uint32_t one = 4 * s.FlashV2(dataTypeSize1);
    return isFlashOutputBrc && dataTypeSize1 != 0 ? one * std::min(32 / dataTypeSize1, s.m) : one;
}
inline uint32_t GetSoftMaxFlashV2MaxTmpSize(const ge::Shape& srcShape, const uint32_t dataTypeSize1,
                                            const uint32_t dataTypeSize2, const bool, const bool = false,
                                            const bool isFlashOutputBrc = false) {
    const auto s = detail::SoftmaxRowsOfHost::Of(srcShape, std::min(dataTypeSize1, dataTypeSize2));
    const uint32_t least =
        GetSoftMaxFlashV2MinTmpSize(srcShape, dataTypeSize1, dataTypeSize2, false, false, isFlashOutputBrc);
    return std::max(least, 4 * s.m * s.FlashV2(dataTypeSize1));
}
inline void SoftMaxFlashV2TilingFunc(const ge::Shape& srcShape, const uint32_t dataTypeSize1,
                                     const uint32_t dataTypeSize2, const uint32_t localWorkSpaceSize,
                                     tiling::SoftMaxTiling& softmaxTiling, const bool, const bool = false,
                                     const bool = false) {
    const auto s = detail::SoftmaxRowsOfHost::Of(srcShape, std::min(dataTypeSize1, dataTypeSize2));
    sktwin::tiling::FillSoftmax(s, localWorkSpaceSize, s.FlashV2(dataTypeSize1), &softmaxTiling);
}

inline void GetSoftMaxFlashV3MaxMinTmpSize(const ge::Shape& srcShape, const uint32_t dataTypeSize1,
                                           const uint32_t dataTypeSize2, uint32_t& maxValue, uint32_t& minValue,
                                           const bool isUpdate, const bool = false) {
    const auto s = detail::SoftmaxRowsOfHost::Of(srcShape, std::min(dataTypeSize1, dataTypeSize2));
    if (sktwin::tiling::IsChip3510()) {
        maxValue = minValue = 4 * (64 * s.m + s.m * s.k) + (isUpdate ? 4 * s.m * s.e : 0);
        return;
    }
    minValue = 4 * s.FlashV3();
    maxValue = s.m * minValue;
}
inline void SoftMaxFlashV3TilingFunc(const ge::Shape& srcShape, const uint32_t dataTypeSize1,
                                     const uint32_t dataTypeSize2, const uint32_t localWorkSpaceSize,
                                     tiling::SoftMaxTiling& softmaxTiling, const bool, const bool = false) {
    const auto s = detail::SoftmaxRowsOfHost::Of(srcShape, std::min(dataTypeSize1, dataTypeSize2));
    sktwin::tiling::FillSoftmax(s, localWorkSpaceSize, s.FlashV3(), &softmaxTiling);
}

inline uint32_t GetSoftMaxGradMinTmpSize(const ge::Shape& srcShape, const uint32_t dataTypeSize, const bool isFront,
                                         const bool) {
    const auto s = detail::SoftmaxRowsOfHost::Of(srcShape, dataTypeSize);
    if (sktwin::tiling::IsChip3510()) {
        return 4 * (isFront ? sktwin::tiling::AlignTo(s.m, 64) : sktwin::tiling::AlignTo(2 * s.m, 128));
    }
    return 4 * s.Grad(dataTypeSize, isFront);
}
inline uint32_t GetSoftMaxGradMaxTmpSize(const ge::Shape& srcShape, const uint32_t dataTypeSize, const bool isFront,
                                         const bool reuse) {
    const auto s = detail::SoftmaxRowsOfHost::Of(srcShape, dataTypeSize);
    return std::max(4 * s.m * s.Grad(dataTypeSize, isFront),
                    GetSoftMaxGradMinTmpSize(srcShape, dataTypeSize, isFront, reuse));
}
inline void SoftMaxGradTilingFunc(const ge::Shape& srcShape, const uint32_t dataTypeSize,
                                  const uint32_t localWorkSpaceSize, tiling::SoftMaxTiling& softmaxTiling,
                                  const bool isFront = false) {
    const auto s = detail::SoftmaxRowsOfHost::Of(srcShape, dataTypeSize);
    sktwin::tiling::FillSoftmax(s, localWorkSpaceSize, s.Grad(dataTypeSize, isFront), &softmaxTiling);
}

// Whether the kernel may be told that its runs are basic blocks.
inline bool IsBasicBlockInSoftMax(const tiling::SoftMaxTiling& tiling, const uint32_t dataTypeSize = 2) {
    return dataTypeSize != 0 && tiling.splitM % 8 == 0 && tiling.splitK % 64 == 0 && tiling.splitK < 2048 &&
           tiling.splitK >= 256 / dataTypeSize;
}

}  // namespace AscendC
