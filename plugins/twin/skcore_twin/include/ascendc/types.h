// Licensed under the Apache License, Version 2.0.
//
// Parameter structures of the Ascend C interface (spec ascendc_vector.md 1.3, ascendc_data_cube.md 1.4 and 5.1): field
// order, constructor order and defaults are the interface, since kernels brace-initialise them.
#pragma once

#include <cstdint>

#include "ascendc/complex.h"
#include "ascendc/enums.h"
#include "ascendc/half.h"
#include "ascendc/small_float.h"

#ifndef __NPU_ARCH__
#error "skcore twin: compile kernels with -D__NPU_ARCH__=2201 or 3510"
#elif __NPU_ARCH__ != 2201 && __NPU_ARCH__ != 3510
#error "skcore twin: __NPU_ARCH__ must be 2201 or 3510"
#endif

namespace AscendC {

constexpr uint32_t ONE_BLK_SIZE = 32;
constexpr uint32_t DEFAULT_BLK_NUM = 8;
constexpr uint32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr uint16_t BLOCK_CUBE = 16;
constexpr uint32_t CUBE_MAX_SIZE = 256;
constexpr uint32_t MAX_REPEAT_TIMES = 255;
constexpr uint32_t DEFAULT_C0_SIZE = 32;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr uint8_t HALF_DEFAULT_REPEAT_STRIDE = 4;
constexpr uint16_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t K_MAX_SHAPE_DIM = 8;
constexpr uint8_t K_MAX_DIM = 8;
constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr uint64_t MASK_PLACEHOLDER_LIST[2] = {0, 0};

constexpr int16_t GetDataBlockSizeInBytes() { return 32; }

struct UnaryRepeatParams {
    constexpr UnaryRepeatParams() = default;
    constexpr UnaryRepeatParams(uint16_t dstBlk, uint16_t srcBlk, uint8_t dstRep, uint8_t srcRep, bool half = false)
        : dstBlkStride(dstBlk), srcBlkStride(srcBlk), dstRepStride(dstRep), srcRepStride(srcRep), halfBlock(half) {}
    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint16_t dstBlkStride = 1;
    uint16_t srcBlkStride = 1;
    uint8_t dstRepStride = 8;
    uint8_t srcRepStride = 8;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
    bool halfBlock = false;
};

struct BinaryRepeatParams {
    constexpr BinaryRepeatParams() = default;
    constexpr BinaryRepeatParams(uint8_t dstBlk, uint8_t src0Blk, uint8_t src1Blk, uint8_t dstRep, uint8_t src0Rep,
                                 uint8_t src1Rep)
        : dstBlkStride(dstBlk),
          src0BlkStride(src0Blk),
          src1BlkStride(src1Blk),
          dstRepStride(dstRep),
          src0RepStride(src0Rep),
          src1RepStride(src1Rep) {}
    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint8_t dstBlkStride = 1;
    uint8_t src0BlkStride = 1;
    uint8_t src1BlkStride = 1;
    uint8_t dstRepStride = 8;
    uint8_t src0RepStride = 8;
    uint8_t src1RepStride = 8;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
};

struct BrcbRepeatParams {
    constexpr BrcbRepeatParams() = default;
    constexpr BrcbRepeatParams(uint16_t dstBlk, uint16_t dstRep) : dstBlkStride(dstBlk), dstRepStride(dstRep) {}
    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint16_t dstBlkStride = 1;
    uint16_t dstRepStride = 8;
};

struct GatherRepeatParams {
    constexpr GatherRepeatParams() = default;
    constexpr GatherRepeatParams(uint8_t dstBlk, uint8_t dstRep) : dstBlkStride(dstBlk), dstRepStride(dstRep) {}
    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint8_t dstBlkStride = 1;
    uint16_t dstRepStride = 8;
};

struct GatherMaskParams {
    constexpr GatherMaskParams() = default;
    constexpr GatherMaskParams(uint8_t src0Block, uint16_t repeats, uint16_t src0Repeat, uint8_t src1Repeat)
        : src0BlockStride(src0Block),
          repeatTimes(repeats),
          src0RepeatStride(src0Repeat),
          src1RepeatStride(src1Repeat) {}
    uint8_t src0BlockStride = 1;
    uint16_t repeatTimes = 0;
    uint16_t src0RepeatStride = 8;
    uint8_t src1RepeatStride = 8;
};

struct TransDataTo5HDParams {
    constexpr TransDataTo5HDParams() = default;
    constexpr TransDataTo5HDParams(bool dstHigh, bool srcHigh, uint8_t repeats, uint16_t dstRep, uint16_t srcRep)
        : dstHighHalf(dstHigh),
          srcHighHalf(srcHigh),
          repeatTimes(repeats),
          dstRepStride(dstRep),
          srcRepStride(srcRep) {}
    bool dstHighHalf = false;
    bool srcHighHalf = false;
    uint8_t repeatTimes = 1;
    uint16_t dstRepStride = 0;
    uint16_t srcRepStride = 0;
};

struct TransposeParamsExt {
    constexpr TransposeParamsExt() = default;
    constexpr TransposeParamsExt(uint16_t n, uint16_t c, uint16_t h, uint16_t w, TransposeType type)
        : nSize(n), cSize(c), hSize(h), wSize(w), transposeType(type) {}
    uint16_t nSize = 0;
    uint16_t cSize = 0;
    uint16_t hSize = 0;
    uint16_t wSize = 0;
    TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};

struct MrgSort4Info {
    constexpr MrgSort4Info() = default;
    constexpr MrgSort4Info(const uint16_t lengths[4], bool suspend, uint16_t valid, uint16_t repeats)
        : elementLengths{lengths[0], lengths[1], lengths[2], lengths[3]},
          ifExhaustedSuspension(suspend),
          validBit(valid),
          repeatTimes(static_cast<uint8_t>(repeats)) {}
    uint16_t elementLengths[4] = {0, 0, 0, 0};
    bool ifExhaustedSuspension = false;
    uint16_t validBit = 0;
    uint8_t repeatTimes = 1;
};

struct VdeqInfo {
    constexpr VdeqInfo() = default;
    VdeqInfo(const float scale[16], const int16_t offset[16], const bool sign[16]) {
        for (int i = 0; i < 16; ++i) {
            vdeqScale[i] = scale[i];
            vdeqOffset[i] = offset[i];
            vdeqSignMode[i] = sign[i];
        }
    }
    float vdeqScale[16] = {};
    int16_t vdeqOffset[16] = {};
    bool vdeqSignMode[16] = {};
};

struct CopyRepeatParams {
    constexpr CopyRepeatParams() = default;
    constexpr CopyRepeatParams(uint16_t dst, uint16_t src, uint16_t dstRepeat, uint16_t srcRepeat)
        : dstStride(dst), srcStride(src), dstRepeatSize(dstRepeat), srcRepeatSize(srcRepeat) {}
    uint16_t dstStride = 0;
    uint16_t srcStride = 0;
    uint16_t dstRepeatSize = 8;
    uint16_t srcRepeatSize = 8;
};

struct ShapeInfo {
    constexpr ShapeInfo() = default;
    ShapeInfo(uint8_t dim, const uint32_t sizes[], DataFormat format = DataFormat::ND)
        : ShapeInfo(dim, sizes, dim, sizes, format) {}
    ShapeInfo(uint8_t dim, const uint32_t sizes[], uint8_t originalDim, const uint32_t originalSizes[],
              DataFormat format = DataFormat::ND)
        : shapeDim(dim), originalShapeDim(originalDim), dataFormat(format) {
        for (uint32_t i = 0; i < dim && i < K_MAX_DIM; ++i) {
            shape[i] = sizes[i];
        }
        for (uint32_t i = 0; i < originalDim && i < K_MAX_DIM; ++i) {
            originalShape[i] = originalSizes[i];
        }
    }
    explicit constexpr ShapeInfo(DataFormat format) : dataFormat(format) {}
    uint8_t shapeDim = 0;
    uint8_t originalShapeDim = 0;
    uint32_t shape[K_MAX_DIM] = {};
    uint32_t originalShape[K_MAX_DIM] = {};
    DataFormat dataFormat = DataFormat::ND;
};

inline int32_t GetShapeSize(const ShapeInfo& info) {
    int32_t size = 1;
    for (uint8_t i = 0; i < info.shapeDim; ++i) {
        size *= static_cast<int32_t>(info.shape[i]);
    }
    return size;
}

constexpr uint32_t DivCeil(uint32_t a, uint32_t b) { return b == 0 ? 0 : (a + b - 1) / b; }
constexpr uint32_t AlignUp(uint32_t a, uint32_t b) { return DivCeil(a, b) * b; }
constexpr uint32_t ConstCeil(uint32_t a, uint32_t b) { return DivCeil(a, b); }
constexpr uint32_t Ceil(uint32_t a, uint32_t b) { return DivCeil(a, b); }
constexpr int32_t CeilDivision(int32_t a, int32_t b) { return b == 0 ? 0 : (a + b - 1) / b; }

template <typename A, typename B>
struct IsSameType {
    static constexpr bool value = false;
};
template <typename A>
struct IsSameType<A, A> {
    static constexpr bool value = true;
};

}  // namespace AscendC
