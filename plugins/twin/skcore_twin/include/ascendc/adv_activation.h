// Licensed under the Apache License, Version 2.0.
//
// Advanced API: activations (ascendc_adv_host.md 2). Sigmoid, Silu and Swish round every step in the element type; the
// others compute in float or better and round once.
#pragma once

#include "ascendc/adv_math.h"

namespace sktwin {

struct SigmoidLane {
    template <typename T>
    T operator()(T x) const {
        return DivOf(T(1.0f), AddOf(ExpLane()(MulOf(x, T(-1.0f))), T(1.0f)));
    }
};
struct SwishLane {
    template <typename T>
    T operator()(T x, T beta) const {
        return DivOf(x, AddOf(ExpLane()(MulOf(x, MulOf(beta, T(-1.0f)))), T(1.0f)));
    }
};
struct GeluLane {
    template <typename T>
    T operator()(T value) const {
        const double x = ToDouble(value);
        return FromDouble<T>(x / (1.0 + __builtin_exp(-1.595769122 * (x + 0.044715 * x * x * x))));
    }
};
struct FasterGeluLane {
    template <typename T>
    T operator()(T value) const {
        const double x = ToDouble(value);
        return FromDouble<T>(x / (1.0 + __builtin_exp(-1.702 * x)));
    }
};
struct SwiGluLane {
    double beta;

    template <typename T>
    T operator()(T factor, T value) const {
        const double x = ToDouble(value);
        return FromDouble<T>(ToDouble(factor) * (x / (1.0 + __builtin_exp(-beta * x))));
    }
};
struct GeGluLane {
    template <typename T>
    T operator()(T factor, T value) const {
        const double x = ToDouble(value);
        const double gate = x / (1.0 + __builtin_exp(-0.0713548162726 * (x * x * x + 22.363860002236 * x)));
        return FromDouble<T>(ToDouble(factor) * gate);
    }
};
struct ReGluLane {
    template <typename T>
    T operator()(T factor, T value) const {
        return FromDouble<T>(ToDouble(factor) * ToDouble(ReluOf(value)));
    }
};

}  // namespace sktwin

namespace AscendC {

SKTWIN_ADVANCED_UNARY(Sigmoid, sktwin::SigmoidLane)
SKTWIN_ADVANCED_BINARY(GeGLU, sktwin::GeGluLane, (half, float))
SKTWIN_ADVANCED_BINARY(ReGlu, sktwin::ReGluLane, (half, float, bfloat16_t))

#define SKTWIN_GELU(name, Lane)                                                                   \
    template <typename T, bool highPrecision = false, bool highPerformance = false>               \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t dataSize,      \
              sktwin::Site site = sktwin::Site::Here()) {                                         \
        SKTWIN_REQUIRE_TYPE(#name, T, (half, float), (half, float));                              \
        detail::UnaryCount<sktwin::Lane>(sktwin::IssueCount<true>(dataSize), dst, src, site);     \
    }                                                                                             \
    template <typename T, bool highPrecision = false, bool highPerformance = false>               \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const detail::ScratchTensor&, \
              const uint32_t dataSize, sktwin::Site site = sktwin::Site::Here()) {                \
        name(dst, src, dataSize, site);                                                           \
    }
SKTWIN_GELU(Gelu, GeluLane)
SKTWIN_GELU(FasterGelu, FasterGeluLane)
#undef SKTWIN_GELU

template <typename T, bool isReuseSource = false>
void Swish(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t dataSize, const T scalarValue,
           sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("Swish", T, (half, float), (half, float));
    detail::UnaryCount(sktwin::IssueCount<true>(dataSize), dst, src, site,
                       sktwin::ScalarSecond<T, sktwin::SwishLane>{scalarValue});
}
template <typename T, bool isReuseSource = false>
void Silu(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t dataSize,
          sktwin::Site site = sktwin::Site::Here()) {
    Swish(dst, src, dataSize, T(1.0f), site);
}

template <typename T, bool isReuseSource = false>
void SwiGLU(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const float& beta,
            const uint32_t calCount, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("SwiGLU", T, (half, float), (half, float));
    detail::BinaryCount(sktwin::IssueCount<true>(calCount), dst, src0, src1, site, sktwin::SwiGluLane{double(beta)});
}
template <typename T, bool isReuseSource = false>
void SwiGLU(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const float& beta,
            const detail::ScratchTensor&, const uint32_t calCount, sktwin::Site site = sktwin::Site::Here()) {
    SwiGLU(dst, src0, src1, beta, calCount, site);
}
template <typename T, bool isReuseSource = false>
void SwiGLU(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const float& beta,
            const detail::ScratchTensor&, sktwin::Site site = sktwin::Site::Here()) {
    SwiGLU(dst, src0, src1, beta, src0.GetSize(), site);
}
template <typename T, bool isReuseSource = false>
void SwiGLU(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const float& beta,
            sktwin::Site site = sktwin::Site::Here()) {
    SwiGLU(dst, src0, src1, beta, src0.GetSize(), site);
}

}  // namespace AscendC

#undef SKTWIN_ADVANCED_UNARY
#undef SKTWIN_ADVANCED_BINARY
