// Licensed under the Apache License, Version 2.0.
//
// Operators of LocalTensor: `dst = a + b` runs the count form of Add over dst.GetSize() elements.
#pragma once

#include "ascendc/enums.h"

namespace AscendC {

template <typename T>
class LocalTensor;

namespace detail {

template <typename Operation, typename T>
struct TensorExpression {
    LocalTensor<T> left;
    LocalTensor<T> right;

    template <typename D>
    void AssignTo(LocalTensor<D>& destination) const {
        Operation::Run(destination, left, right);
    }
};

// The names are looked up when the expression is assigned, by the argument types: the vector headers come later.
struct AddOperation {
    template <typename T>
    static void Run(T& dst, const T& a, const T& b) {
        Add(dst, a, b, static_cast<int32_t>(dst.GetSize()));
    }
};
struct SubOperation {
    template <typename T>
    static void Run(T& dst, const T& a, const T& b) {
        Sub(dst, a, b, static_cast<int32_t>(dst.GetSize()));
    }
};
struct MulOperation {
    template <typename T>
    static void Run(T& dst, const T& a, const T& b) {
        Mul(dst, a, b, static_cast<int32_t>(dst.GetSize()));
    }
};
struct DivOperation {
    template <typename T>
    static void Run(T& dst, const T& a, const T& b) {
        Div(dst, a, b, static_cast<int32_t>(dst.GetSize()));
    }
};
struct OrOperation {
    template <typename T>
    static void Run(T& dst, const T& a, const T& b) {
        Or(dst, a, b, static_cast<int32_t>(dst.GetSize()));
    }
};
struct AndOperation {
    template <typename T>
    static void Run(T& dst, const T& a, const T& b) {
        And(dst, a, b, static_cast<int32_t>(dst.GetSize()));
    }
};

template <CMPMODE mode>
struct CompareOperation {
    template <typename D, typename T>
    static void Run(D& dst, const T& a, const T& b) {
        Compare(dst, a, b, mode, a.GetSize());
    }
};

}  // namespace detail

template <typename T>
detail::TensorExpression<detail::AddOperation, T> operator+(const LocalTensor<T>& a, const LocalTensor<T>& b) {
    return {a, b};
}
template <typename T>
detail::TensorExpression<detail::SubOperation, T> operator-(const LocalTensor<T>& a, const LocalTensor<T>& b) {
    return {a, b};
}
template <typename T>
detail::TensorExpression<detail::MulOperation, T> operator*(const LocalTensor<T>& a, const LocalTensor<T>& b) {
    return {a, b};
}
template <typename T>
detail::TensorExpression<detail::DivOperation, T> operator/(const LocalTensor<T>& a, const LocalTensor<T>& b) {
    return {a, b};
}
template <typename T>
detail::TensorExpression<detail::OrOperation, T> operator|(const LocalTensor<T>& a, const LocalTensor<T>& b) {
    return {a, b};
}
template <typename T>
detail::TensorExpression<detail::AndOperation, T> operator&(const LocalTensor<T>& a, const LocalTensor<T>& b) {
    return {a, b};
}
template <typename T>
detail::TensorExpression<detail::CompareOperation<CMPMODE::LT>, T> operator<(const LocalTensor<T>& a,
                                                                             const LocalTensor<T>& b) {
    return {a, b};
}
template <typename T>
detail::TensorExpression<detail::CompareOperation<CMPMODE::GT>, T> operator>(const LocalTensor<T>& a,
                                                                             const LocalTensor<T>& b) {
    return {a, b};
}
template <typename T>
detail::TensorExpression<detail::CompareOperation<CMPMODE::LE>, T> operator<=(const LocalTensor<T>& a,
                                                                              const LocalTensor<T>& b) {
    return {a, b};
}
template <typename T>
detail::TensorExpression<detail::CompareOperation<CMPMODE::GE>, T> operator>=(const LocalTensor<T>& a,
                                                                              const LocalTensor<T>& b) {
    return {a, b};
}
template <typename T>
detail::TensorExpression<detail::CompareOperation<CMPMODE::EQ>, T> operator==(const LocalTensor<T>& a,
                                                                              const LocalTensor<T>& b) {
    return {a, b};
}
template <typename T>
detail::TensorExpression<detail::CompareOperation<CMPMODE::NE>, T> operator!=(const LocalTensor<T>& a,
                                                                              const LocalTensor<T>& b) {
    return {a, b};
}

}  // namespace AscendC
