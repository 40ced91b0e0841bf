// Licensed under the Apache License, Version 2.0.
//
// Vector instructions with a tensor and a scalar (spec ascendc_vector.md 3): dst = f(src, scalar).
#pragma once

#include "ascendc/vector_unary.h"

namespace AscendC {
namespace detail {

template <typename F, typename T>
struct WithScalar {
    T scalar;
    F operation;

    T operator()(T x) const { return operation(x, scalar); }
};

}  // namespace detail

#define SKTWIN_SCALAR(name, Lane, types2201, types3510, repeat3510)                                                    \
    template <typename T, bool isSetMask = true>                                                                       \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const int32_t& count,        \
              sktwin::Site site = sktwin::Site::Here()) {                                                              \
        SKTWIN_REQUIRE_TYPE(#name, T, types2201, types3510);                                                           \
        detail::UnaryCount(sktwin::IssueCount<isSetMask>(count), dst, src, site,                                       \
                           detail::WithScalar<sktwin::Lane, T>{scalarValue, {}});                                      \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const uint64_t mask[],       \
              const uint8_t repeatTime, const UnaryRepeatParams& params, sktwin::Site site = sktwin::Site::Here()) {   \
        SKTWIN_REQUIRE_TYPE(#name " with a mask", T, types2201, repeat3510);                                           \
        detail::UnaryRepeat(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanes<T>), dst, src, params, site, \
                            detail::WithScalar<sktwin::Lane, T>{scalarValue, {}});                                     \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const uint64_t mask,         \
              const uint8_t repeatTime, const UnaryRepeatParams& params, sktwin::Site site = sktwin::Site::Here()) {   \
        SKTWIN_REQUIRE_TYPE(#name " with a mask", T, types2201, repeat3510);                                           \
        detail::UnaryRepeat(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanes<T>), dst, src, params, site, \
                            detail::WithScalar<sktwin::Lane, T>{scalarValue, {}});                                     \
    }

SKTWIN_SCALAR(Adds, AddLane, (int16_t, half, int32_t, float),
              (int8_t, uint8_t, int16_t, half, bfloat16_t, int32_t, float, int64_t, uint64_t),
              (int16_t, half, bfloat16_t, int32_t, float))
SKTWIN_SCALAR(Muls, MulLane, (int16_t, half, int32_t, float),
              (int16_t, half, bfloat16_t, int32_t, float, int64_t, uint64_t),
              (int16_t, half, bfloat16_t, int32_t, float))
SKTWIN_SCALAR(Maxs, MaxLane, (int16_t, half, int32_t, float),
              (int8_t, uint8_t, int16_t, half, bfloat16_t, int32_t, float, int64_t, uint64_t),
              (int16_t, half, bfloat16_t, int32_t, float))
SKTWIN_SCALAR(Mins, MinLane, (int16_t, half, int32_t, float),
              (int8_t, uint8_t, int16_t, half, bfloat16_t, int32_t, float, int64_t, uint64_t),
              (int16_t, half, bfloat16_t, int32_t, float))
SKTWIN_SCALAR(LeakyRelu, LeakyReluLane, (half, float), (half, float), (half, float))
SKTWIN_SCALAR(ShiftLeft, ShiftLeftLane, (int16_t, uint16_t, int32_t, uint32_t),
              (int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t),
              (int16_t, uint16_t, int32_t, uint32_t))
SKTWIN_SCALAR(Subs, SubLane, (), (half, float, int16_t, int32_t), ())
SKTWIN_SCALAR(Divs, DivLane, (), (half, float, int16_t, int32_t), ())
SKTWIN_SCALAR(Ands, AndLane, (), (int16_t, uint16_t, int64_t, uint64_t), ())
SKTWIN_SCALAR(Ors, OrLane, (), (int16_t, uint16_t, int64_t, uint64_t), ())

#undef SKTWIN_SCALAR

template <typename T, bool isSetMask = true>
void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const int32_t& count,
                sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("ShiftRight", T, (int16_t, uint16_t, int32_t, uint32_t),
                        (int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t));
    detail::UnaryCount(sktwin::IssueCount<isSetMask>(count), dst, src, site,
                       detail::WithScalar<sktwin::ShiftRightLane, T>{scalarValue, {}});
}
// roundEn adds the last bit shifted out.
template <typename T, bool isSetMask = true>
void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const uint64_t mask[],
                const uint8_t repeatTime, const UnaryRepeatParams& params, bool roundEn = false,
                sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("ShiftRight with a mask", T, (int16_t, uint16_t, int32_t, uint32_t),
                        (int16_t, uint16_t, int32_t, uint32_t));
    detail::UnaryRepeat(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanes<T>), dst, src, params, site,
                        detail::WithScalar<sktwin::ShiftRightLane, T>{scalarValue, {roundEn && std::is_signed_v<T>}});
}
template <typename T, bool isSetMask = true>
void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const uint64_t mask,
                const uint8_t repeatTime, const UnaryRepeatParams& params, bool roundEn = false,
                sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("ShiftRight with a mask", T, (int16_t, uint16_t, int32_t, uint32_t),
                        (int16_t, uint16_t, int32_t, uint32_t));
    detail::UnaryRepeat(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanes<T>), dst, src, params, site,
                        detail::WithScalar<sktwin::ShiftRightLane, T>{scalarValue, {roundEn && std::is_signed_v<T>}});
}

}  // namespace AscendC
