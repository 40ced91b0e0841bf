// Licensed under the Apache License, Version 2.0.
//
// Scratch sizes and tilings of the normalisations on the host (ascendc_adv_host.md 4). Of the tilings, kernels on the
// twin read the shapes.
#pragma once

#include "host/tiling_data.h"
#include "host/tmp_size.h"

namespace AscendC {

// The shape is {B, S, H as stored, H}.
inline void GetLayerNormMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                      uint32_t& maxValue, uint32_t& minValue) {
    using sktwin::tiling::AlignTo;
    using sktwin::tiling::Axis;
    const uint32_t rows = Axis(srcShape, 0) * Axis(srcShape, 1);
    const uint32_t columns = Axis(srcShape, 2);
    const uint32_t statistics = 2 * AlignTo(4 * rows, 32);
    const uint32_t copies = isReuseSource && typeSize == 4 ? 2 : 3;
    maxValue = copies * AlignTo(4 * rows * columns, 32) + statistics;
    minValue = copies * AlignTo(4 * columns, 32) + statistics;
}
inline void GetLayerNormNDTilingInfo(const ge::Shape& srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                                     const bool isReuseSource, tiling::LayerNormTiling& tiling) {
    using sktwin::tiling::AlignTo;
    using sktwin::tiling::Axis;
    tiling = {};
    tiling.bLength = Axis(srcShape, 0);
    tiling.sLength = Axis(srcShape, 1);
    tiling.hLength = Axis(srcShape, 2);
    tiling.originalHLength = Axis(srcShape, 3);
    const uint32_t rows = tiling.bLength * tiling.sLength;
    tiling.inputXSize = rows * tiling.hLength;
    tiling.meanVarSize = AlignTo(4 * rows, 32) / 4;
    tiling.numberOfTmpBuf = isReuseSource && typeSize == 4 ? 2 : 3;
    tiling.tmpBufSize = stackBufferSize / 4;
    tiling.varianceTmpTensorPos = tiling.meanTmpTensorSize = tiling.varianceTmpTensorSize = tiling.meanVarSize;
    const uint32_t left = tiling.tmpBufSize > 2 * tiling.meanVarSize ? tiling.tmpBufSize - 2 * tiling.meanVarSize : 0;
    tiling.bsCurLength = tiling.hLength == 0 ? 0 : std::min(left / tiling.numberOfTmpBuf / tiling.hLength, rows);
    tiling.bshCurLength = tiling.oneTmpSize = tiling.inputRoundSize = tiling.bsCurLength * tiling.hLength;
    tiling.firstTmpStartPos = 2 * tiling.meanVarSize;
    tiling.secondTmpStartPos = tiling.firstTmpStartPos + tiling.oneTmpSize;
    tiling.thirdTmpStartPos = tiling.secondTmpStartPos + tiling.oneTmpSize;
    tiling.meanVarRoundSize = tiling.bsCurLength;
    if (tiling.bsCurLength != 0) {
        tiling.loopRound = rows / tiling.bsCurLength;
        tiling.meanVarTailSize = rows % tiling.bsCurLength;
        tiling.meanVarTailPos = rows - tiling.meanVarTailSize;
        tiling.inputTailSize = tiling.meanVarTailSize * tiling.hLength;
        tiling.inputTailPos = tiling.meanVarTailPos * tiling.hLength;
    }
    tiling.lastDimValueBack = tiling.originalHLength == 0 ? 0 : 1.0F / static_cast<float>(tiling.originalHLength);
}
inline void GetLayerNormNDTillingInfo(const ge::Shape& srcShape, const uint32_t stackBufferSize,
                                      const uint32_t typeSize, const bool isReuseSource,
                                      tiling::LayerNormTiling& tiling) {
    GetLayerNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, tiling);
}

// Of two axes, {A, R}; the statistics are given.
inline void GetNormalizeMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSizeU, const uint32_t typeSizeT,
                                      const bool, const bool, const bool, uint32_t& maxValue, uint32_t& minValue) {
    using sktwin::tiling::AlignTo;
    maxValue = minValue = 0;
    if (sktwin::tiling::IsChip3510() || typeSizeT == 0) {
        return;
    }
    const uint32_t a = sktwin::tiling::Axis(srcShape, 0);
    const uint32_t padded = AlignTo(sktwin::tiling::Axis(srcShape, 1), 32 / typeSizeT);
    const uint32_t row = AlignTo(4 * padded, 32);
    minValue = std::max(AlignTo(4 * a, 32), (typeSizeU == 4 ? 2 : 4) * row);
    maxValue = std::max(minValue, 2 * row + 2 * AlignTo(4 * AlignTo(a, 8) * padded, 32));
}
inline void GetLayerNormMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                      const bool isComputeRstd, const bool isOnlyOutput, uint32_t& maxValue,
                                      uint32_t& minValue) {
    using sktwin::tiling::AlignTo;
    const uint32_t a = sktwin::tiling::Axis(srcShape, 0);
    const uint32_t padded = typeSize == 0 ? 0 : AlignTo(sktwin::tiling::Axis(srcShape, 1), 32 / typeSize);
    const uint32_t statistics = AlignTo(4 * a, 32);
    GetNormalizeMaxMinTmpSize(srcShape, typeSize, typeSize, isReuseSource, isComputeRstd, isOnlyOutput, maxValue,
                              minValue);
    minValue = std::max(minValue, 2 * AlignTo(4 * padded, 32)) + statistics;
    maxValue = std::max({maxValue + statistics, 2 * AlignTo(4 * a * padded, 32) + statistics, minValue});
}
inline void GetLayerNormNDTilingInfo(const ge::Shape& srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                                     const bool, const bool, tiling::LayerNormSeparateTiling& tiling) {
    using sktwin::tiling::AlignTo;
    tiling = {};
    tiling.aLength = sktwin::tiling::Axis(srcShape, 0);
    tiling.rLength = sktwin::tiling::Axis(srcShape, 1);
    const uint32_t padded = typeSize == 0 ? 0 : AlignTo(tiling.rLength, 32 / typeSize);
    tiling.rHeadLength = 1;
    while (tiling.rHeadLength * 2 <= tiling.rLength) {
        tiling.rHeadLength *= 2;
    }
    tiling.k2Rec = 1.0F / static_cast<float>(tiling.rHeadLength);
    tiling.rValueBack = tiling.rLength == 0 ? 0 : 1.0F / static_cast<float>(tiling.rLength);
    tiling.k2RRec = static_cast<float>(tiling.rHeadLength) * tiling.rValueBack;
    tiling.inputXSize = tiling.aLength * padded;
    tiling.meanVarSize = AlignTo(4 * tiling.aLength, 32) / 4;
    tiling.numberOfTmpBuf = 2;
    tiling.tmpBufSize = stackBufferSize / 4;
    const uint32_t left = tiling.tmpBufSize > tiling.meanVarSize ? tiling.tmpBufSize - tiling.meanVarSize : 0;
    tiling.varianceTmpTensorSize = tiling.firstTmpStartPos = tiling.meanVarSize;
    tiling.aCurLength = padded == 0 ? 0 : std::min(left / tiling.numberOfTmpBuf / padded, tiling.aLength);
    tiling.arCurLength = tiling.oneTmpSize = tiling.inputRoundSize = tiling.aCurLength * padded;
    tiling.secondTmpStartPos = tiling.firstTmpStartPos + tiling.oneTmpSize;
    tiling.meanVarRoundSize = tiling.aCurLength;
    if (tiling.aCurLength != 0) {
        tiling.loopRound = tiling.aLength / tiling.aCurLength;
        tiling.meanVarTailSize = tiling.aLength % tiling.aCurLength;
        tiling.meanVarTailPos = tiling.aLength - tiling.meanVarTailSize;
        tiling.inputTailSize = tiling.meanVarTailSize * padded;
        tiling.inputTailPos = tiling.meanVarTailPos * padded;
    }
}

// The shape is {B, S, H as stored}.
inline bool GetRmsNormMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                    uint32_t& minValue, const bool = false) {
    using sktwin::tiling::Axis;
    if (srcShape.GetDimNum() != 3 || (typeSize != 2 && typeSize != 4)) {
        return false;
    }
    const uint32_t rows = Axis(srcShape, 0) * Axis(srcShape, 1);
    const uint32_t columns = Axis(srcShape, 2);
    const uint32_t copies = typeSize == 2 ? 2 : 1;
    maxValue = 4 * (copies * rows * columns + sktwin::tiling::AlignTo(rows, 8));
    minValue = 4 * (copies * columns + 8);
    return true;
}
inline bool GetRmsNormTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                                 const uint32_t stackBufferByteSize, const uint32_t typeSize,
                                 tiling::RmsNormTiling& tiling, const bool isBasicBlock = false) {
    using sktwin::tiling::Axis;
    uint32_t max = 0;
    uint32_t min = 0;
    if (!GetRmsNormMaxMinTmpSize(srcShape, typeSize, max, min, isBasicBlock) || originSrcShape.GetDimNum() != 3) {
        return false;
    }
    const uint32_t rows = Axis(srcShape, 0) * Axis(srcShape, 1);
    const uint32_t columns = Axis(srcShape, 2);
    const bool same = srcShape.GetDim(0) == originSrcShape.GetDim(0) && srcShape.GetDim(1) == originSrcShape.GetDim(1);
    const bool blocks = columns % 64 == 0 && rows % 8 == 0 && columns < 2048;
    if (!same || rows == 0 || originSrcShape.GetDim(2) <= 0 || srcShape.GetDim(2) < originSrcShape.GetDim(2) ||
        columns * typeSize % 32 != 0 || stackBufferByteSize < min || (isBasicBlock && !blocks)) {
        return false;
    }
    const uint32_t copies = typeSize == 2 ? 2 : 1;
    tiling = {};
    tiling.bLength = Axis(srcShape, 0);
    tiling.sLength = Axis(srcShape, 1);
    tiling.hLength = columns;
    tiling.originalHLength = Axis(originSrcShape, 2);
    tiling.reciprocalOfHLength = 1.0F / static_cast<float>(tiling.originalHLength);
    // The sums of the rows take whole blocks of eight.
    const uint32_t fit = (stackBufferByteSize / 4 - 8) / (copies * columns + 1);
    tiling.mainBsLength = std::max(1U, std::min(fit, rows));
    tiling.mainBshLength = tiling.mainBsLength * columns;
    tiling.mainBsLengthAlign = sktwin::tiling::AlignTo(tiling.mainBsLength, 8);
    tiling.loopRound = rows / tiling.mainBsLength;
    tiling.tailBsLength = rows % tiling.mainBsLength;
    tiling.tailBshLength = tiling.tailBsLength * columns;
    tiling.inputTailPos = rows * columns - tiling.tailBshLength;
    return true;
}

// Of two axes: how often, and what is updated.
inline void GetWelfordUpdateMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSizeT, const uint32_t,
                                          const bool isReuseSource, const bool, uint32_t& maxValue,
                                          uint32_t& minValue) {
    maxValue = minValue = 0;
    if (!sktwin::tiling::IsChip3510()) {
        minValue = typeSizeT == 2 ? 768 : isReuseSource ? 256 : 512;
        maxValue = (sktwin::tiling::ElementsOf(srcShape) + 63) / 64 * minValue;
    }
}
inline void GetWelfordFinalizeMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t, const bool, uint32_t& maxValue,
                                            uint32_t& minValue) {
    const uint32_t lanes = sktwin::tiling::LastAxis(srcShape);
    minValue = 1024;
    maxValue = lanes <= 64 ? minValue : 4 * (128 + 2 * lanes);
}

}  // namespace AscendC
