// Licensed under the Apache License, Version 2.0.
//
// Advanced API: softmax of the rows of an ND matrix (ascendc_adv_host.md 1). Inside all is float; statistics fill one
// 32-byte block a row. The tiling gives the shape when the call does not.
#pragma once

#include "ascendc/adv_math.h"
#include "ascendc/adv_row.h"
#include "ascendc/tiling_vector.h"

namespace AscendC {

struct SoftMaxShapeInfo {
    uint32_t srcM = 0;
    uint32_t srcK = 0;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
};

enum class SoftmaxMode {
    SOFTMAX_NORMAL = 0,
    SOFTMAX_OUTPUT_WITHOUT_BRC = 1
};

struct SoftmaxConfig {
    bool isCheckTiling = true;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
    SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};
constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};

namespace detail {

struct RowShape {
    uint32_t rows;
    uint32_t columns;
    uint32_t pitch;
};

inline RowShape SoftmaxShape(const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape) {
    if (shape.srcM == 0 || shape.srcK == 0) {
        return {tiling.srcM, tiling.srcK, tiling.srcK};
    }
    return {shape.oriSrcM == 0 ? shape.srcM : shape.oriSrcM, shape.oriSrcK == 0 ? shape.srcK : shape.oriSrcK,
            shape.srcK};
}

template <typename T>
float RowMax(const sktwin::RowMatrix<T>& matrix, uint64_t row, uint32_t columns) {
    float largest = matrix.Get(row, 0);
    for (uint32_t i = 1; i < columns; ++i) {
        largest = sktwin::MaxOf(largest, static_cast<float>(matrix.Get(row, i)));
    }
    return largest;
}

inline float ExpOf(float value) { return static_cast<float>(__builtin_exp(double(value))); }

// exp(src - largest) of one row into dst, divided by `divisor` when that is given later; returns the sum in float.
template <typename T>
float RowExp(const sktwin::RowMatrix<T>& dst, const sktwin::RowMatrix<T>& src, uint64_t row, uint32_t columns,
             float largest, float divisor) {
    double sum = 0;
    for (uint32_t i = 0; i < columns; ++i) {
        const float power = ExpOf(static_cast<float>(src.Get(row, i)) - largest);
        sum += power;
        if (divisor != 0) {
            dst.Set(row, i, double(power / divisor));
        }
    }
    return static_cast<float>(sum);
}

template <typename T, typename S>
void SoftmaxRows(const LocalTensor<T>& dst, const LocalTensor<S>* sum, const LocalTensor<S>* max,
                 const LocalTensor<T>& src, const RowShape& shape, sktwin::Site site) {
    const auto out = sktwin::RowsOf(dst, shape.pitch, site);
    const auto in = sktwin::RowsOf(src, shape.pitch, site);
    for (uint64_t row = 0; out && row < shape.rows; ++row) {
        const float largest = RowMax(in, row, shape.columns);
        const float total = RowExp(out, in, row, shape.columns, largest, 0.0f);
        RowExp(out, in, row, shape.columns, largest, total);
        if (sum != nullptr) {
            sktwin::BlocksOf(*sum, site).SetBlock(row, double(total));
            sktwin::BlocksOf(*max, site).SetBlock(row, double(largest));
        }
    }
}

}  // namespace detail

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename S>
void SoftMax(const LocalTensor<T>& dst, const LocalTensor<S>& sum, const LocalTensor<S>& max, const LocalTensor<T>& src,
             const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape = {},
             sktwin::Site site = sktwin::Site::Here()) {
    static_assert(!isDataFormatNZ, "SoftMax: the twin has the ND format only");
    detail::SoftmaxRows(dst, &sum, &max, src, detail::SoftmaxShape(tiling, shape), site);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename S>
void SoftMax(const LocalTensor<T>& dst, const LocalTensor<S>& sum, const LocalTensor<S>& max, const LocalTensor<T>& src,
             const detail::ScratchTensor&, const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape = {},
             sktwin::Site site = sktwin::Site::Here()) {
    static_assert(!isDataFormatNZ, "SoftMax: the twin has the ND format only");
    detail::SoftmaxRows(dst, &sum, &max, src, detail::SoftmaxShape(tiling, shape), site);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
void SoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const SoftMaxTiling& tiling,
             const SoftMaxShapeInfo& shape = {}, sktwin::Site site = sktwin::Site::Here()) {
    detail::SoftmaxRows<T, T>(dst, nullptr, nullptr, src, detail::SoftmaxShape(tiling, shape), site);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
void SoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const detail::ScratchTensor&,
             const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape = {},
             sktwin::Site site = sktwin::Site::Here()) {
    detail::SoftmaxRows<T, T>(dst, nullptr, nullptr, src, detail::SoftmaxShape(tiling, shape), site);
}

// With the statistics of an earlier call.
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false, typename S>
void SimpleSoftMax(const LocalTensor<T>& dst, const LocalTensor<S>& inSum, const LocalTensor<S>& inMax,
                   const LocalTensor<T>& src, const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shapeInfo = {},
                   sktwin::Site site = sktwin::Site::Here()) {
    static_assert(!isDataFormatNZ, "SimpleSoftMax: the twin has the ND format only");
    const detail::RowShape shape = detail::SoftmaxShape(tiling, shapeInfo);
    const auto out = sktwin::RowsOf(dst, shape.pitch, site);
    const auto in = sktwin::RowsOf(src, shape.pitch, site);
    for (uint64_t row = 0; out && row < shape.rows; ++row) {
        detail::RowExp(out, in, row, shape.columns, static_cast<float>(sktwin::BlocksOf(inMax, site).Get(row, 0)),
                       static_cast<float>(sktwin::BlocksOf(inSum, site).Get(row, 0)));
    }
}

template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename S>
void SoftmaxFlashV2(const LocalTensor<T>& dst, const LocalTensor<S>& expSum, const LocalTensor<S>& max,
                    const LocalTensor<T>& src, const LocalTensor<T>& expMax, const LocalTensor<S>& inExpSum,
                    const LocalTensor<S>& inMax, const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shapeInfo = {},
                    sktwin::Site site = sktwin::Site::Here()) {
    static_assert(!isDataFormatNZ && config.mode == SoftmaxMode::SOFTMAX_NORMAL,
                  "SoftmaxFlashV2: the twin has the ND format with broadcast statistics only");
    const detail::RowShape shape = detail::SoftmaxShape(tiling, shapeInfo);
    const auto out = sktwin::RowsOf(dst, shape.pitch, site);
    const auto in = sktwin::RowsOf(src, shape.pitch, site);
    for (uint64_t row = 0; out && row < shape.rows; ++row) {
        float largest = detail::RowMax(in, row, shape.columns);
        float factor = 0;
        float before = 0;
        if constexpr (isUpdate) {
            const auto old = static_cast<float>(sktwin::BlocksOf(inMax, site).Get(row, 0));
            before = static_cast<float>(sktwin::BlocksOf(inExpSum, site).Get(row, 0));
            largest = sktwin::MaxOf(largest, old);
            factor = detail::ExpOf(old - largest);
            sktwin::BlocksOf(expMax, site).SetBlock(row, double(factor));
        }
        const float sum = detail::RowExp(out, in, row, shape.columns, largest, 1.0f);
        sktwin::BlocksOf(expSum, site).SetBlock(row, double(factor * before + sum));
        sktwin::BlocksOf(max, site).SetBlock(row, double(largest));
    }
}
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename S>
void SoftmaxFlashV2(const LocalTensor<T>& dst, const LocalTensor<S>& expSum, const LocalTensor<S>& max,
                    const LocalTensor<T>& src, const LocalTensor<T>& expMax, const LocalTensor<S>& inExpSum,
                    const LocalTensor<S>& inMax, const detail::ScratchTensor&, const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& shape = {}, sktwin::Site site = sktwin::Site::Here()) {
    SoftmaxFlashV2<T, isUpdate, isReuseSource, isBasicBlock, isDataFormatNZ, config>(
        dst, expSum, max, src, expMax, inExpSum, inMax, tiling, shape, site);
}

}  // namespace AscendC
