// Licensed under the Apache License, Version 2.0.
//
// The flexible scalar of dav-3510 (spec ascendc_vector.md 1.4): one source is a tensor, the other one a C++ scalar or
// the first element of a tensor, which BinaryConfig names. The twin has the form with a count.
#pragma once

#include "ascendc/vector_scalar.h"

#if __NPU_ARCH__ == 3510
namespace AscendC {

struct BinaryDefaultType {};

struct BinaryConfig {
    int8_t scalarTensorIndex = 1;  // of two tensors, the source that is the scalar
};
inline constexpr BinaryConfig DEFAULT_BINARY_CONFIG = {};

namespace detail {

template <typename T>
inline constexpr bool kIsLocalTensor = false;
template <typename T>
inline constexpr bool kIsLocalTensor<LocalTensor<T>> = true;

template <typename F, typename T>
struct WithScalarFirst {
    T scalar;
    F operation;

    T operator()(T x) const { return operation(scalar, x); }
};

template <typename T, typename S>
T ScalarOf(const S& source) {
    if constexpr (kIsLocalTensor<S>) {
        return source.GetValue(0);
    } else {
        return static_cast<T>(source);
    }
}

template <typename Lane, bool isSetMask, int8_t scalarIndex, typename T, typename S, typename V>
void FlexibleScalar(const LocalTensor<T>& dst, const S& src0, const V& src1, const int32_t& count, sktwin::Site site) {
    static_assert(kIsLocalTensor<S> || kIsLocalTensor<V>, "one of the sources is a tensor");
    constexpr bool kScalarFirst = !kIsLocalTensor<S> || (kIsLocalTensor<V> && scalarIndex == 0);
    const auto issue = sktwin::IssueCount<isSetMask>(count);
    if constexpr (kScalarFirst) {
        UnaryCount(issue, dst, src1, site, WithScalarFirst<Lane, T>{ScalarOf<T>(src0), {}});
    } else {
        UnaryCount(issue, dst, src0, site, WithScalar<Lane, T>{ScalarOf<T>(src1), {}});
    }
}

}  // namespace detail

#define SKTWIN_FLEXIBLE(name, Lane, types)                                                                       \
    template <typename T = BinaryDefaultType, bool isSetMask = true,                                             \
              const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U, typename S, typename V>            \
    void name(const LocalTensor<U>& dst, const S& src0, const V& src1, const int32_t& count,                     \
              sktwin::Site site = sktwin::Site::Here()) {                                                        \
        static_assert(std::is_same_v<T, BinaryDefaultType>, #name                                                \
                      ": with three template arguments the first one is "                                        \
                      "BinaryDefaultType");                                                                      \
        SKTWIN_REQUIRE_TYPE(#name " with a flexible scalar", U, types, types);                                   \
        detail::FlexibleScalar<sktwin::Lane, isSetMask, config.scalarTensorIndex>(dst, src0, src1, count, site); \
    }

SKTWIN_FLEXIBLE(Adds, AddLane, (int8_t, uint8_t, int16_t, half, bfloat16_t, int32_t, float, int64_t, uint64_t))
SKTWIN_FLEXIBLE(Muls, MulLane, (int16_t, half, bfloat16_t, int32_t, float, int64_t, uint64_t))
SKTWIN_FLEXIBLE(Maxs, MaxLane, (int8_t, uint8_t, int16_t, half, bfloat16_t, int32_t, float, int64_t, uint64_t))
SKTWIN_FLEXIBLE(Mins, MinLane, (int8_t, uint8_t, int16_t, half, bfloat16_t, int32_t, float, int64_t, uint64_t))
SKTWIN_FLEXIBLE(Subs, SubLane, (half, float, int16_t, int32_t))
SKTWIN_FLEXIBLE(Divs, DivLane, (half, float, int16_t, int32_t))
SKTWIN_FLEXIBLE(Ands, AndLane, (int16_t, uint16_t, int64_t, uint64_t))
SKTWIN_FLEXIBLE(Ors, OrLane, (int16_t, uint16_t, int64_t, uint64_t))
#undef SKTWIN_FLEXIBLE

}  // namespace AscendC
#endif
