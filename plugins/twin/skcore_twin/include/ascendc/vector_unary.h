// Licensed under the Apache License, Version 2.0.
//
// Vector instructions with one source (spec ascendc_vector.md 3): dst = f(src).
#pragma once

#include "ascendc/vector_lane.h"

namespace AscendC {
namespace detail {

template <typename F, typename T>
void UnaryCount(const sktwin::Issue& issue, const LocalTensor<T>& dst, const LocalTensor<T>& src, sktwin::Site site,
                const F& operation = F()) {
    constexpr uint32_t kN = sktwin::kLanes<T>;
    sktwin::RunLanes<kN>(issue, operation, sktwin::Contiguous<kN>(dst, site), sktwin::Contiguous<kN>(src, site));
}

template <typename F, typename T>
void UnaryRepeat(const sktwin::Issue& issue, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                 const UnaryRepeatParams& p, sktwin::Site site, const F& operation = F()) {
    sktwin::RunLanes<sktwin::kLanes<T>>(issue, operation, sktwin::OperandOf(dst, p.dstBlkStride, p.dstRepStride, site),
                                        sktwin::OperandOf(src, p.srcBlkStride, p.srcRepStride, site));
}

}  // namespace detail

// The three forms of one instruction. `wide` types exist in the count form only.
#define SKTWIN_UNARY(name, Lane, types2201, types3510, repeat3510)                                                     \
    template <typename T, bool isSetMask = true>                                                                       \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count,                              \
              sktwin::Site site = sktwin::Site::Here()) {                                                              \
        SKTWIN_REQUIRE_TYPE(#name, T, types2201, types3510);                                                           \
        detail::UnaryCount<sktwin::Lane>(sktwin::IssueCount<isSetMask>(count), dst, src, site);                        \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[], const uint8_t repeatTime,   \
              const UnaryRepeatParams& params, sktwin::Site site = sktwin::Site::Here()) {                             \
        SKTWIN_REQUIRE_TYPE(#name " with a mask", T, types2201, repeat3510);                                           \
        detail::UnaryRepeat<sktwin::Lane>(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanes<T>), dst, src, \
                                          params, site);                                                               \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask, const uint8_t repeatTime,     \
              const UnaryRepeatParams& params, sktwin::Site site = sktwin::Site::Here()) {                             \
        SKTWIN_REQUIRE_TYPE(#name " with a mask", T, types2201, repeat3510);                                           \
        detail::UnaryRepeat<sktwin::Lane>(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanes<T>), dst, src, \
                                          params, site);                                                               \
    }

SKTWIN_UNARY(Abs, AbsLane, (half, float), (int8_t, int16_t, half, int32_t, float, int64_t),
             (int16_t, half, int32_t, float))
SKTWIN_UNARY(Relu, ReluLane, (half, int32_t, float), (half, int32_t, float, int64_t), (half, int32_t, float))
SKTWIN_UNARY(Exp, ExpLane, (half, float), (half, float), (half, float))
SKTWIN_UNARY(Ln, LnLane, (half, float), (half, float), (half, float))
SKTWIN_UNARY(Sqrt, SqrtLane, (half, float), (half, float), (half, float))
SKTWIN_UNARY(Rsqrt, RsqrtLane, (half, float), (half, float), (half, float))
SKTWIN_UNARY(Reciprocal, ReciprocalLane, (half, float), (half, float, int64_t, uint64_t), (half, float))
SKTWIN_UNARY(Not, NotLane, (int16_t, uint16_t),
             (int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float, int64_t, uint64_t),
             (int16_t, uint16_t, half, int32_t, uint32_t, float))

#undef SKTWIN_UNARY

template <typename T>
void Neg(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count,
         sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("Neg", T, (), (int8_t, int16_t, half, int32_t, float, int64_t));
    detail::UnaryCount<sktwin::NegLane>(sktwin::IssueCount<true>(count), dst, src, site);
}

}  // namespace AscendC
