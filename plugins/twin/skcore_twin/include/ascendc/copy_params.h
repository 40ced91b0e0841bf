// Licensed under the Apache License, Version 2.0.
//
// Parameter structures of the DataCopy family (spec ascendc_data_cube.md 5.1).
#pragma once

#include <cstdint>

#include "ascendc/types.h"

namespace AscendC {

#if __NPU_ARCH__ == 3510
using CopyStride = int64_t;
using Wide32 = uint32_t;
using Wide64 = uint64_t;
#else
using CopyStride = uint32_t;
using Wide32 = uint16_t;
using Wide64 = uint16_t;
#endif

struct DataCopyParams {
    constexpr DataCopyParams() = default;
    constexpr DataCopyParams(uint16_t count, uint16_t length, uint16_t source, uint16_t destination)
        : blockCount(count), blockLen(length), srcStride(source), dstStride(destination) {}
    uint16_t blockCount = 1;
    uint16_t blockLen = 0;
    union {
        uint16_t srcGap;
        uint16_t srcStride = 0;
    };
    union {
        uint16_t dstGap;
        uint16_t dstStride = 0;
    };
};

struct DataCopyExtParams {
    constexpr DataCopyExtParams() = default;
    constexpr DataCopyExtParams(uint16_t count, uint32_t length, CopyStride source, CopyStride destination,
                                uint32_t reserved = 0)
        : blockCount(count), blockLen(length), srcStride(source), dstStride(destination), rsv(reserved) {}
    uint16_t blockCount = 1;
    uint32_t blockLen = 0;
    CopyStride srcStride = 0;
    CopyStride dstStride = 0;
    uint32_t rsv = 0;
};

template <typename T>
struct DataCopyPadExtParams {
    constexpr DataCopyPadExtParams() = default;
    constexpr DataCopyPadExtParams(bool pad, uint8_t left, uint8_t right, T value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    T paddingValue = T(0);
};

struct DataCopyPadParams {
    constexpr DataCopyPadParams() = default;
    constexpr DataCopyPadParams(bool pad, uint8_t left, uint8_t right, uint64_t value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    uint64_t paddingValue = 0;
};

struct DataCopyEnhancedParams {
    BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
    DeqScale deqScale = DeqScale::DEQ_NONE;
    uint64_t deqValue = 0;
    uint8_t sidStoreMode = 0;
    bool isRelu = false;
    uint8_t padMode = 0;
    uint64_t padValue = 0;
    uint64_t deqTensorAddr = 0;
};

struct SliceInfo {
    constexpr SliceInfo() = default;
    constexpr SliceInfo(uint32_t start, uint32_t end, uint32_t gap, uint32_t burst, uint32_t shape = 0)
        : startIndex(start), endIndex(end), stride(gap), burstLen(burst), shapeValue(shape) {}
    uint32_t startIndex = 0;
    uint32_t endIndex = 31;
    uint32_t stride = 0;
    uint32_t burstLen = 32;
    uint32_t shapeValue = 0;
};

struct Nd2NzParams {
    constexpr Nd2NzParams() = default;
    constexpr Nd2NzParams(uint16_t nd, uint16_t n, Wide32 d, Wide64 srcMatrix, Wide64 srcD, uint16_t dstC0,
                          uint16_t dstN, Wide32 dstMatrix)
        : ndNum(nd),
          nValue(n),
          dValue(d),
          srcNdMatrixStride(srcMatrix),
          srcDValue(srcD),
          dstNzC0Stride(dstC0),
          dstNzNStride(dstN),
          dstNzMatrixStride(dstMatrix) {}
    uint16_t ndNum = 0;
    uint16_t nValue = 0;
    Wide32 dValue = 0;
    Wide64 srcNdMatrixStride = 0;
    Wide64 srcDValue = 0;
    uint16_t dstNzC0Stride = 0;
    uint16_t dstNzNStride = 0;
    Wide32 dstNzMatrixStride = 0;
};

struct Nz2NdParamsFull {
    constexpr Nz2NdParamsFull() = default;
    constexpr Nz2NdParamsFull(uint16_t nd, uint16_t n, uint16_t d, uint16_t srcMatrix, uint16_t srcN, uint16_t dstD,
                              uint16_t dstMatrix)
        : ndNum(nd),
          nValue(n),
          dValue(d),
          srcNdMatrixStride(srcMatrix),
          srcNStride(srcN),
          dstDStride(dstD),
          dstNdMatrixStride(dstMatrix) {}
    uint16_t ndNum = 1;
    uint16_t nValue = 0;
    uint16_t dValue = 0;
    uint16_t srcNdMatrixStride = 1;
    uint16_t srcNStride = 0;
    uint16_t dstDStride = 0;
    uint16_t dstNdMatrixStride = 1;
};

#if __NPU_ARCH__ == 3510
struct Dn2NzParams {
    constexpr Dn2NzParams() = default;
    constexpr Dn2NzParams(uint16_t dn, uint16_t n, uint32_t d, uint64_t srcMatrix, uint64_t srcD, uint16_t dstC0,
                          uint16_t dstN, uint32_t dstMatrix)
        : dnNum(dn),
          nValue(n),
          dValue(d),
          srcDnMatrixStride(srcMatrix),
          srcDValue(srcD),
          dstNzC0Stride(dstC0),
          dstNzNStride(dstN),
          dstNzMatrixStride(dstMatrix) {}
    uint16_t dnNum = 0;
    uint16_t nValue = 0;
    uint32_t dValue = 0;
    uint64_t srcDnMatrixStride = 0;
    uint64_t srcDValue = 0;
    uint16_t dstNzC0Stride = 0;
    uint16_t dstNzNStride = 0;
    uint32_t dstNzMatrixStride = 0;
};

struct LoopModeParams {
    uint32_t loop1Size = 1;
    uint32_t loop2Size = 1;
    uint64_t loop1SrcStride = 0;
    uint64_t loop1DstStride = 0;
    uint64_t loop2SrcStride = 0;
    uint64_t loop2DstStride = 0;
};
#endif

}  // namespace AscendC
