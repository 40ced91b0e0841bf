// Licensed under the Apache License, Version 2.0.
//
// Advanced API: RmsNorm, LayerNorm (BSH form), Sum, Mean, Broadcast and Arange (ascendc_adv_host.md 4, 5, 8).
#pragma once

#include "ascendc/adv_math.h"
#include "ascendc/adv_row.h"
#include "ascendc/tiling_vector.h"
#include "ascendc/vector_fill.h"
#include "ascendc/vector_reduce.h"

namespace AscendC {

template <typename T, bool isBasicBlock = false>
void RmsNorm(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& gamma, const T epsilon,
             const RmsNormTiling& tiling, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("RmsNorm", T, (half, float), (half, float));
    const auto out = sktwin::RowsOf(dst, tiling.hLength, site);
    const auto in = sktwin::RowsOf(src, tiling.hLength, site);
    const auto weight = sktwin::RowsOf(gamma, tiling.hLength, site);
    for (uint64_t row = 0; out && row < uint64_t(tiling.bLength) * tiling.sLength; ++row) {
        double squares = 0;
        for (uint32_t i = 0; i < tiling.originalHLength; ++i) {
            squares += sktwin::ToDouble(in.Get(row, i)) * sktwin::ToDouble(in.Get(row, i));
        }
        const double scale = 1.0 / __builtin_sqrt(squares / tiling.originalHLength + sktwin::ToDouble(epsilon));
        for (uint32_t i = 0; i < tiling.hLength; ++i) {
            out.Set(row, i, sktwin::ToDouble(in.Get(row, i)) * scale * sktwin::ToDouble(weight.Get(0, i)));
        }
    }
}
template <typename T, bool isBasicBlock = false>
void RmsNorm(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& gamma,
             const detail::ScratchTensor&, const T epsilon, const RmsNormTiling& tiling,
             sktwin::Site site = sktwin::Site::Here()) {
    RmsNorm<T, isBasicBlock>(dst, src, gamma, epsilon, tiling, site);
}

template <typename T, bool isReuseSource = false>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean, const LocalTensor<T>& outputVariance,
               const LocalTensor<T>& inputX, const LocalTensor<T>& gamma, const LocalTensor<T>& beta, const T epsilon,
               const LayerNormTiling& tiling, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("LayerNorm", T, (half, float), (half, float));
    const auto out = sktwin::RowsOf(output, tiling.hLength, site);
    const auto in = sktwin::RowsOf(inputX, tiling.hLength, site);
    const auto weight = sktwin::RowsOf(gamma, tiling.hLength, site);
    const auto bias = sktwin::RowsOf(beta, tiling.hLength, site);
    const double columns = tiling.originalHLength;
    for (uint64_t row = 0; out && row < uint64_t(tiling.bLength) * tiling.sLength; ++row) {
        double mean = 0;
        double variance = 0;
        for (uint32_t i = 0; i < tiling.originalHLength; ++i) {
            mean += sktwin::ToDouble(in.Get(row, i)) / columns;
        }
        for (uint32_t i = 0; i < tiling.originalHLength; ++i) {
            const double distance = sktwin::ToDouble(in.Get(row, i)) - mean;
            variance += distance * distance / columns;
        }
        const double scale = 1.0 / __builtin_sqrt(variance + sktwin::ToDouble(epsilon));
        for (uint32_t i = 0; i < tiling.hLength; ++i) {
            const double normal = (sktwin::ToDouble(in.Get(row, i)) - mean) * scale;
            out.Set(row, i, sktwin::ToDouble(weight.Get(0, i)) * normal + sktwin::ToDouble(bias.Get(0, i)));
        }
        sktwin::RowsOf(outputMean, 1, site).Set(row, 0, mean);
        sktwin::RowsOf(outputVariance, 1, site).Set(row, 0, variance);
    }
}
template <typename T, bool isReuseSource = false>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean, const LocalTensor<T>& outputVariance,
               const LocalTensor<T>& inputX, const LocalTensor<T>& gamma, const LocalTensor<T>& beta,
               const detail::ScratchTensor&, const T epsilon, const LayerNormTiling& tiling,
               sktwin::Site site = sktwin::Site::Here()) {
    LayerNorm<T, isReuseSource>(output, outputMean, outputVariance, inputX, gamma, beta, epsilon, tiling, site);
}

struct SumParams {
    uint32_t outter = 1;
    uint32_t inner = 0;
    uint32_t n = 0;
};
struct MeanParams {
    uint32_t outter = 1;
    uint32_t inner = 0;
    uint32_t n = 0;
};

namespace detail {

// The tree of one row: pairs inside a repeat, then over the results of the repeats.
template <typename T>
T RowTreeSum(const sktwin::RowMatrix<T>& matrix, uint64_t row, uint32_t count) {
    constexpr uint32_t kN = sktwin::kLanes<T>;
    const sktwin::Issue issue;
    T partial[kN] = {};
    uint32_t partials = 0;
    T carried = T(0);
    for (uint32_t first = 0; first < count; first += kN) {
        sktwin::Lanes active;
        active.prefix = count - first < kN ? count - first : kN;
        T lane[kN] = {};
        for (uint32_t i = 0; i < active.prefix; ++i) {
            lane[i] = matrix.Get(row, first + i);
        }
        partial[partials++] = sktwin::TreeSum<T, kN>(lane, active, 0, issue);
        if (partials == kN || first + kN >= count) {
            sktwin::Lanes all;
            all.prefix = partials;
            carried = sktwin::AddOf(carried, sktwin::TreeSum<T, kN>(partial, all, 0, issue));
            partials = 0;
        }
    }
    return carried;
}

}  // namespace detail

template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
void Sum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const SumParams& params,
         sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("Sum", T, (half, float), (half, float));
    const auto out = sktwin::RowsOf(dst, 1, site);
    const auto in = sktwin::RowsOf(src, params.inner, site);
    for (uint64_t row = 0; out && row < params.outter; ++row) {
        out.SetRaw(row, 0, detail::RowTreeSum(in, row, params.n));
    }
}
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
void Sum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const detail::ScratchTensor&, const SumParams& params,
         sktwin::Site site = sktwin::Site::Here()) {
    Sum(dst, src, params, site);
}

template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
void Mean(const LocalTensor<T>& dst, const LocalTensor<T>& src, const MeanParams& params,
          sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("Mean", T, (half, float), (half, float));
    const auto out = sktwin::RowsOf(dst, 1, site);
    const auto in = sktwin::RowsOf(src, params.inner, site);
    for (uint64_t row = 0; out && row < params.outter; ++row) {
        if constexpr (std::is_same_v<T, accType>) {
            out.SetRaw(row, 0, sktwin::DivOf(detail::RowTreeSum(in, row, params.n), T(params.n)));
        } else {
            double sum = 0;
            for (uint32_t i = 0; i < params.n; ++i) {
                sum += sktwin::ToDouble(in.Get(row, i));
            }
            out.Set(row, 0, sum / params.n);
        }
    }
}
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
void Mean(const LocalTensor<T>& dst, const LocalTensor<T>& src, const detail::ScratchTensor&, const MeanParams& params,
          sktwin::Site site = sktwin::Site::Here()) {
    Mean<T, accType>(dst, src, params, site);
}

// axis 0 repeats the row, axis 1 the value of each row.
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
void Broadcast(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t dstShape[dim],
               const uint32_t srcShape[dim], sktwin::Site site = sktwin::Site::Here()) {
    static_assert(dim == 1 || dim == 2, "Broadcast: one or two dimensions");
    const uint64_t rows = dim == 1 ? 1 : dstShape[0];
    const uint64_t columns = dstShape[dim - 1];
    const uint64_t srcRows = dim == 1 ? 1 : srcShape[0];
    const uint64_t srcColumns = srcShape[dim - 1];
    const auto out = sktwin::RowsOf(dst, columns, site);
    const auto in = sktwin::RowsOf(src, srcColumns, site);
    for (uint64_t row = 0; out && row < rows; ++row) {
        for (uint64_t column = 0; column < columns; ++column) {
            out.SetRaw(row, column, in.Get(srcRows == 1 ? 0 : row, srcColumns == 1 ? 0 : column));
        }
    }
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
void Broadcast(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t dstShape[dim],
               const uint32_t srcShape[dim], detail::ScratchTensor&, sktwin::Site site = sktwin::Site::Here()) {
    Broadcast<T, dim, axis>(dst, src, dstShape, srcShape, site);
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
void BroadCast(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t dstShape[dim],
               const uint32_t srcShape[dim], sktwin::Site site = sktwin::Site::Here()) {
    Broadcast<T, dim, axis>(dst, src, dstShape, srcShape, site);
}

// The device's chain of additions: eight scalar steps, then blocks of eight up to 64, then whole repeats.
template <typename T>
void Arange(const LocalTensor<T>& dst, const T firstValue, const T diffValue, const int32_t count,
            sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("Arange", T, (int16_t, half, int32_t, float), (int16_t, half, int32_t, float, int64_t));
    const auto out = sktwin::RowsOf(dst, 1, site);
    constexpr int32_t kN = sktwin::kLanes<T>;
    const T eight = sktwin::MulOf(diffValue, T(8));
    const T repeat = sktwin::MulOf(diffValue, T(kN));
    for (int32_t i = 0; out && i < count; ++i) {
        const auto at = static_cast<uint64_t>(i);
        const T value = i == 0   ? firstValue
                        : i < 8  ? sktwin::AddOf(out.Get(at - 1, 0), diffValue)
                        : i < kN ? sktwin::AddOf(out.Get(at - 8, 0), eight)
                                 : sktwin::AddOf(out.Get(at - kN, 0), repeat);
        out.SetRaw(at, 0, value);
    }
}
template <typename T>
void ArithProgression(const LocalTensor<T>& dst, const T firstValue, const T diffValue, const int32_t count,
                      sktwin::Site site = sktwin::Site::Here()) {
    Arange(dst, firstValue, diffValue, count, site);
}

}  // namespace AscendC
