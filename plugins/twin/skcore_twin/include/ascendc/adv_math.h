// Licensed under the Apache License, Version 2.0.
//
// Advanced API: mathematical functions of each element (ascendc_adv_host.md 3). Computed in double and rounded once;
// scratch buffers are accepted and left alone.
#pragma once

#include "ascendc/vector_binary.h"
#include "ascendc/vector_convert.h"
#include "ascendc/vector_unary.h"

namespace sktwin {
namespace math {

inline double Sin(double x) { return __builtin_sin(x); }
inline double Cos(double x) { return __builtin_cos(x); }
inline double Tan(double x) { return __builtin_tan(x); }
inline double Asin(double x) { return __builtin_asin(x); }
inline double Acos(double x) { return __builtin_acos(x); }
inline double Atan(double x) { return __builtin_atan(x); }
inline double Sinh(double x) { return __builtin_sinh(x); }
inline double Cosh(double x) { return __builtin_cosh(x); }
inline double Tanh(double x) { return __builtin_tanh(x); }
inline double Asinh(double x) { return __builtin_asinh(x); }
inline double Acosh(double x) { return __builtin_acosh(x); }
inline double Atanh(double x) { return __builtin_atanh(x); }
inline double Erf(double x) { return __builtin_erf(x); }
inline double Erfc(double x) { return __builtin_erfc(x); }
inline double Log(double x) { return __builtin_log(x); }
inline double Log2(double x) { return __builtin_log2(x); }
inline double Log10(double x) { return __builtin_log10(x); }
inline double Ceil(double x) { return RoundToIntegral<RoundMode::CAST_CEIL>(x); }
inline double Floor(double x) { return RoundToIntegral<RoundMode::CAST_FLOOR>(x); }
inline double Round(double x) { return RoundToIntegral<RoundMode::CAST_RINT>(x); }
inline double Trunc(double x) { return RoundToIntegral<RoundMode::CAST_TRUNC>(x); }
inline double Frac(double x) { return x - Trunc(x); }
inline double Sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; }

}  // namespace math

template <double (*function)(double)>
struct MathLane {
    template <typename T>
    T operator()(T x) const {
        return FromDouble<T>(function(ToDouble(x)));
    }
};

// Each step is rounded to float, as the device's chain is.
struct FmodLane {
    template <typename T>
    T operator()(T a, T b) const {
        const float x = a;
        const float y = b;
        const auto quotient = static_cast<float>(math::Trunc(double(x / y)));
        return T(x - quotient * y);
    }
};

struct HypotLane {
    template <typename T>
    T operator()(T a, T b) const {
        return FromDouble<T>(__builtin_hypot(ToDouble(a), ToDouble(b)));
    }
};

struct PowerLane {
    template <typename T>
    T operator()(T base, T exponent) const {
        if constexpr (std::is_integral_v<T>) {
            if (exponent < 0) {
                return base == 1 || (base == static_cast<T>(-1) && exponent % 2 == 0) ? T(1)
                       : base == static_cast<T>(-1)                                   ? base
                                                                                      : T(0);
            }
            T result = 1;
            for (auto left = static_cast<std::make_unsigned_t<T>>(exponent); left != 0; left >>= 1) {
                result = (left & 1) != 0 ? MulOf(result, base) : result;
                base = MulOf(base, base);
            }
            return result;
        } else {
            return FromDouble<T>(__builtin_pow(ToDouble(base), ToDouble(exponent)));
        }
    }
};

template <typename T, typename F>
struct ScalarBase {
    T base;

    T operator()(T exponent) const { return F()(base, exponent); }
};
template <typename T, typename F>
struct ScalarSecond {
    T second;

    T operator()(T first) const { return F()(first, second); }
};

}  // namespace sktwin

namespace AscendC {

namespace detail {
using ScratchTensor = LocalTensor<uint8_t>;
}  // namespace detail

#define SKTWIN_ADVANCED_UNARY(name, operation)                                                                  \
    template <typename T, bool isReuseSource = false>                                                           \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t calCount,                    \
              sktwin::Site site = sktwin::Site::Here()) {                                                       \
        SKTWIN_REQUIRE_TYPE(#name, T, (half, float), (half, float));                                            \
        detail::UnaryCount<operation>(sktwin::IssueCount<true>(calCount), dst, src, site);                      \
    }                                                                                                           \
    template <typename T, bool isReuseSource = false>                                                           \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const detail::ScratchTensor&,               \
              const uint32_t calCount, sktwin::Site site = sktwin::Site::Here()) {                              \
        name(dst, src, calCount, site);                                                                         \
    }                                                                                                           \
    template <typename T, bool isReuseSource = false>                                                           \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const detail::ScratchTensor&,               \
              sktwin::Site site = sktwin::Site::Here()) {                                                       \
        name(dst, src, src.GetSize(), site);                                                                    \
    }                                                                                                           \
    template <typename T, bool isReuseSource = false>                                                           \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, sktwin::Site site = sktwin::Site::Here()) { \
        name(dst, src, src.GetSize(), site);                                                                    \
    }

#define SKTWIN_ADVANCED_BINARY(name, operation, types)                                                           \
    template <typename T, bool isReuseSource = false>                                                            \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                 \
              const uint32_t calCount, sktwin::Site site = sktwin::Site::Here()) {                               \
        SKTWIN_REQUIRE_TYPE(#name, T, types, types);                                                             \
        detail::BinaryCount<operation>(sktwin::IssueCount<true>(calCount), dst, src0, src1, site);               \
    }                                                                                                            \
    template <typename T, bool isReuseSource = false>                                                            \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                 \
              const detail::ScratchTensor&, const uint32_t calCount, sktwin::Site site = sktwin::Site::Here()) { \
        name(dst, src0, src1, calCount, site);                                                                   \
    }                                                                                                            \
    template <typename T, bool isReuseSource = false>                                                            \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                 \
              const detail::ScratchTensor&, sktwin::Site site = sktwin::Site::Here()) {                          \
        name(dst, src0, src1, src0.GetSize(), site);                                                             \
    }                                                                                                            \
    template <typename T, bool isReuseSource = false>                                                            \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                 \
              sktwin::Site site = sktwin::Site::Here()) {                                                        \
        name(dst, src0, src1, src0.GetSize(), site);                                                             \
    }

SKTWIN_ADVANCED_UNARY(Sin, sktwin::MathLane<sktwin::math::Sin>)
SKTWIN_ADVANCED_UNARY(Cos, sktwin::MathLane<sktwin::math::Cos>)
SKTWIN_ADVANCED_UNARY(Tan, sktwin::MathLane<sktwin::math::Tan>)
SKTWIN_ADVANCED_UNARY(Asin, sktwin::MathLane<sktwin::math::Asin>)
SKTWIN_ADVANCED_UNARY(Acos, sktwin::MathLane<sktwin::math::Acos>)
SKTWIN_ADVANCED_UNARY(Atan, sktwin::MathLane<sktwin::math::Atan>)
SKTWIN_ADVANCED_UNARY(Sinh, sktwin::MathLane<sktwin::math::Sinh>)
SKTWIN_ADVANCED_UNARY(Cosh, sktwin::MathLane<sktwin::math::Cosh>)
SKTWIN_ADVANCED_UNARY(Tanh, sktwin::MathLane<sktwin::math::Tanh>)
SKTWIN_ADVANCED_UNARY(Asinh, sktwin::MathLane<sktwin::math::Asinh>)
SKTWIN_ADVANCED_UNARY(Acosh, sktwin::MathLane<sktwin::math::Acosh>)
SKTWIN_ADVANCED_UNARY(Atanh, sktwin::MathLane<sktwin::math::Atanh>)
SKTWIN_ADVANCED_UNARY(Erf, sktwin::MathLane<sktwin::math::Erf>)
SKTWIN_ADVANCED_UNARY(Erfc, sktwin::MathLane<sktwin::math::Erfc>)
SKTWIN_ADVANCED_UNARY(Log, sktwin::MathLane<sktwin::math::Log>)
SKTWIN_ADVANCED_UNARY(Log2, sktwin::MathLane<sktwin::math::Log2>)
SKTWIN_ADVANCED_UNARY(Log10, sktwin::MathLane<sktwin::math::Log10>)
SKTWIN_ADVANCED_UNARY(Ceil, sktwin::MathLane<sktwin::math::Ceil>)
SKTWIN_ADVANCED_UNARY(Floor, sktwin::MathLane<sktwin::math::Floor>)
SKTWIN_ADVANCED_UNARY(Round, sktwin::MathLane<sktwin::math::Round>)
SKTWIN_ADVANCED_UNARY(Trunc, sktwin::MathLane<sktwin::math::Trunc>)
SKTWIN_ADVANCED_UNARY(Frac, sktwin::MathLane<sktwin::math::Frac>)
SKTWIN_ADVANCED_UNARY(Sign, sktwin::MathLane<sktwin::math::Sign>)

#if __NPU_ARCH__ == 3510
SKTWIN_ADVANCED_BINARY(Power, sktwin::PowerLane,
                       (half, float, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, bfloat16_t))
#else
SKTWIN_ADVANCED_BINARY(Power, sktwin::PowerLane, (half, float, int32_t))
#endif
SKTWIN_ADVANCED_BINARY(Xor, sktwin::XorLane, (int16_t, uint16_t))
SKTWIN_ADVANCED_BINARY(Fmod, sktwin::FmodLane, (half, float))
SKTWIN_ADVANCED_BINARY(Hypot, sktwin::HypotLane, (half, float, bfloat16_t))

template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const LocalTensor<T>& base, const T& exponent, uint32_t calCount,
           sktwin::Site site = sktwin::Site::Here()) {
    detail::UnaryCount(sktwin::IssueCount<true>(calCount), dst, base, site,
                       sktwin::ScalarSecond<T, sktwin::PowerLane>{exponent});
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const LocalTensor<T>& base, const T& exponent, const detail::ScratchTensor&,
           uint32_t calCount, sktwin::Site site = sktwin::Site::Here()) {
    Power(dst, base, exponent, calCount, site);
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const LocalTensor<T>& base, const T& exponent, const detail::ScratchTensor&,
           sktwin::Site site = sktwin::Site::Here()) {
    Power(dst, base, exponent, base.GetSize(), site);
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const LocalTensor<T>& base, const T& exponent,
           sktwin::Site site = sktwin::Site::Here()) {
    Power(dst, base, exponent, base.GetSize(), site);
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const T& base, const LocalTensor<T>& exponent, uint32_t calCount,
           sktwin::Site site = sktwin::Site::Here()) {
    detail::UnaryCount(sktwin::IssueCount<true>(calCount), dst, exponent, site,
                       sktwin::ScalarBase<T, sktwin::PowerLane>{base});
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const T& base, const LocalTensor<T>& exponent, const detail::ScratchTensor&,
           uint32_t calCount, sktwin::Site site = sktwin::Site::Here()) {
    Power(dst, base, exponent, calCount, site);
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const T& base, const LocalTensor<T>& exponent, const detail::ScratchTensor&,
           sktwin::Site site = sktwin::Site::Here()) {
    Power(dst, base, exponent, exponent.GetSize(), site);
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const T& base, const LocalTensor<T>& exponent,
           sktwin::Site site = sktwin::Site::Here()) {
    Power(dst, base, exponent, exponent.GetSize(), site);
}

#define SKTWIN_CLAMP(name, Lane)                                                                                  \
    template <typename T, bool isReuseSource = false>                                                             \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T scalar, const uint32_t calCount,      \
              sktwin::Site site = sktwin::Site::Here()) {                                                         \
        SKTWIN_REQUIRE_TYPE(#name, T, (half, float), (half, float));                                              \
        detail::UnaryCount(sktwin::IssueCount<true>(calCount), dst, src, site,                                    \
                           sktwin::ScalarSecond<T, sktwin::Lane>{scalar});                                        \
    }                                                                                                             \
    template <typename T, bool isReuseSource = false>                                                             \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const detail::ScratchTensor&, const T scalar, \
              const uint32_t calCount, sktwin::Site site = sktwin::Site::Here()) {                                \
        name(dst, src, scalar, calCount, site);                                                                   \
    }
SKTWIN_CLAMP(ClampMax, MinLane)
SKTWIN_CLAMP(ClampMin, MaxLane)
#undef SKTWIN_CLAMP

}  // namespace AscendC
