// Licensed under the Apache License, Version 2.0.
//
// Complex element types of dav-3510 (spec ascendc_data_cube.md 1.1): the real part lies first. Every part of a result
// is rounded after each operation in float, and once to half.
#pragma once

#include <type_traits>

#include "ascendc/half.h"

namespace sktwin {

template <int arch>
struct HasComplex {
    static_assert(arch == 3510, "the element types complex32 and complex64 exist on dav-3510 only");
    static constexpr bool kChecked = true;
};

template <typename F>
struct Complex {
    static_assert(HasComplex<sizeof(F) != 0 ? __NPU_ARCH__ : 0>::kChecked, "");
    F real;
    F imag;
};

template <typename F>
Complex<F> operator+(Complex<F> a, Complex<F> b) {
    return {F(float(a.real) + float(b.real)), F(float(a.imag) + float(b.imag))};
}
template <typename F>
Complex<F> operator-(Complex<F> a, Complex<F> b) {
    return {F(float(a.real) - float(b.real)), F(float(a.imag) - float(b.imag))};
}
template <typename F>
Complex<F> operator*(Complex<F> a, Complex<F> b) {
    return {F(float(a.real) * float(b.real) - float(a.imag) * float(b.imag)),
            F(float(a.real) * float(b.imag) + float(a.imag) * float(b.real))};
}
template <typename F>
Complex<F> operator/(Complex<F> a, Complex<F> b) {
    const float square = float(b.real) * float(b.real) + float(b.imag) * float(b.imag);
    return {F((float(a.real) * float(b.real) + float(a.imag) * float(b.imag)) / square),
            F((float(a.imag) * float(b.real) - float(a.real) * float(b.imag)) / square)};
}

template <typename T>
inline constexpr bool kIsComplex = false;
template <typename F>
inline constexpr bool kIsComplex<Complex<F>> = true;

}  // namespace sktwin

using complex32 = sktwin::Complex<half>;
using complex64 = sktwin::Complex<float>;
