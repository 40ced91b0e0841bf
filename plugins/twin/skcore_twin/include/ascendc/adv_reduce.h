// Licensed under the Apache License, Version 2.0.
//
// Advanced API: reductions of a matrix along its last axis (AR) or its first (RA), spec ascendc_adv_host.md 5.2. The
// second template argument, a pattern type, tells them from the vector instructions of the same names.
#pragma once

#include "ascendc/adv_math.h"
#include "ascendc/adv_row.h"

namespace AscendC {
namespace Pattern {
namespace Reduce {
struct AR {};
struct RA {};
}  // namespace Reduce
}  // namespace Pattern

namespace detail {

template <typename T>
constexpr uint32_t PaddedColumns(uint32_t columns, bool padded) {
    constexpr uint32_t kE = ONE_BLK_SIZE / sizeof(T);
    return padded ? (columns + kE - 1) / kE * kE : columns;
}

// Folds the values of each kept index, in order, from `start(first value)` on.
template <typename Pattern, typename T, typename Start, typename Fold, typename Finish>
void ReduceMatrix(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t shape[], bool padded,
                  sktwin::Site site, Start start, Fold fold, Finish finish) {
    constexpr bool kLastAxis = std::is_same_v<Pattern, AscendC::Pattern::Reduce::AR>;
    static_assert(kLastAxis || std::is_same_v<Pattern, AscendC::Pattern::Reduce::RA>,
                  "Reduce*: the pattern is Pattern::Reduce::AR or Pattern::Reduce::RA");
    const auto in = sktwin::RowsOf(src, PaddedColumns<T>(shape[1], padded), site);
    const auto out = sktwin::RowsOf(dst, 1, site);
    const uint32_t kept = kLastAxis ? shape[0] : shape[1];
    const uint32_t folded = kLastAxis ? shape[1] : shape[0];
    for (uint32_t k = 0; out && folded != 0 && k < kept; ++k) {
        auto result = start(kLastAxis ? in.Get(k, 0) : in.Get(0, k));
        for (uint32_t i = 1; i < folded; ++i) {
            result = fold(result, kLastAxis ? in.Get(k, i) : in.Get(i, k));
        }
        out.SetRaw(k, 0, finish(result, folded));
    }
}

}  // namespace detail

#define SKTWIN_MATRIX_REDUCE(name, types, start, fold, finish)                                                   \
    template <typename T, typename pattern, bool isReuseSource = false>                                          \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t srcShape[], bool srcInnerPad, \
              sktwin::Site site = sktwin::Site::Here()) {                                                        \
        SKTWIN_REQUIRE_TYPE(#name " with a pattern", T, types, types);                                           \
        detail::ReduceMatrix<pattern>(                                                                           \
            dst, src, srcShape, srcInnerPad, site, [](T x) { return start; }, [](auto a, T x) { return fold; },  \
            [](auto a, [[maybe_unused]] uint32_t n) { return finish; });                                         \
    }                                                                                                            \
    template <typename T, typename pattern, bool isReuseSource = false>                                          \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const detail::ScratchTensor&,                \
              const uint32_t srcShape[], bool srcInnerPad, sktwin::Site site = sktwin::Site::Here()) {           \
        name<T, pattern, isReuseSource>(dst, src, srcShape, srcInnerPad, site);                                  \
    }

SKTWIN_MATRIX_REDUCE(ReduceSum, (float), double(x), a + double(x), static_cast<T>(a))
SKTWIN_MATRIX_REDUCE(ReduceMean, (float), double(x), a + double(x), static_cast<T>(a / n))
SKTWIN_MATRIX_REDUCE(ReduceProd, (float), x, sktwin::MulOf(a, x), a)
SKTWIN_MATRIX_REDUCE(ReduceMax, (half, float), x, sktwin::MaxOf(a, x), a)
SKTWIN_MATRIX_REDUCE(ReduceMin, (half, float), x, sktwin::MinOf(a, x), a)
SKTWIN_MATRIX_REDUCE(ReduceAny, (uint8_t, float), x != T(0), a || x != T(0), T(a ? 1 : 0))
SKTWIN_MATRIX_REDUCE(ReduceAll, (uint8_t, float), x != T(0), a&& x != T(0), T(a ? 1 : 0))
#undef SKTWIN_MATRIX_REDUCE

}  // namespace AscendC
