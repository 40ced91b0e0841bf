// Licensed under the Apache License, Version 2.0.
//
// Vector instructions with two sources (spec ascendc_vector.md 3 and 4): dst = f(src0, src1).
#pragma once

#include "ascendc/vector_lane.h"

namespace AscendC {
namespace detail {

template <typename F, typename D, typename S>
void BinaryCount(const sktwin::Issue& issue, const LocalTensor<D>& dst, const LocalTensor<S>& src0,
                 const LocalTensor<S>& src1, sktwin::Site site, const F& operation = F()) {
    constexpr uint32_t kN = sktwin::kLanesOfWider<D, S>;
    sktwin::RunLanes<kN>(issue, operation, sktwin::Contiguous<kN>(dst, site), sktwin::Contiguous<kN>(src0, site),
                         sktwin::Contiguous<kN>(src1, site));
}

template <typename F, typename D, typename S>
void BinaryRepeat(const sktwin::Issue& issue, const LocalTensor<D>& dst, const LocalTensor<S>& src0,
                  const LocalTensor<S>& src1, const BinaryRepeatParams& p, sktwin::Site site,
                  const F& operation = F()) {
    sktwin::RunLanes<sktwin::kLanesOfWider<D, S>>(issue, operation,
                                                  sktwin::OperandOf(dst, p.dstBlkStride, p.dstRepStride, site),
                                                  sktwin::OperandOf(src0, p.src0BlkStride, p.src0RepStride, site),
                                                  sktwin::OperandOf(src1, p.src1BlkStride, p.src1RepStride, site));
}

}  // namespace detail

#define SKTWIN_BINARY(name, Lane, types2201, types3510, repeat3510)                                                    \
    template <typename T, bool isSetMask = true>                                                                       \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const int32_t& count, \
              sktwin::Site site = sktwin::Site::Here()) {                                                              \
        SKTWIN_REQUIRE_TYPE(#name, T, types2201, types3510);                                                           \
        detail::BinaryCount<sktwin::Lane>(sktwin::IssueCount<isSetMask>(count), dst, src0, src1, site);                \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                       \
              const uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams& params,                       \
              sktwin::Site site = sktwin::Site::Here()) {                                                              \
        SKTWIN_REQUIRE_TYPE(#name " with a mask", T, types2201, repeat3510);                                           \
        detail::BinaryRepeat<sktwin::Lane>(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanes<T>), dst,     \
                                           src0, src1, params, site);                                                  \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const uint64_t mask,  \
              const uint8_t repeatTime, const BinaryRepeatParams& params, sktwin::Site site = sktwin::Site::Here()) {  \
        SKTWIN_REQUIRE_TYPE(#name " with a mask", T, types2201, repeat3510);                                           \
        detail::BinaryRepeat<sktwin::Lane>(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanes<T>), dst,     \
                                           src0, src1, params, site);                                                  \
    }

SKTWIN_BINARY(Add, AddLane, (int16_t, half, int32_t, float),
              (int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t),
              (int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float))
SKTWIN_BINARY(Sub, SubLane, (int16_t, half, int32_t, float),
              (int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t),
              (int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float))
SKTWIN_BINARY(Mul, MulLane, (int16_t, half, int32_t, float),
              (int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t),
              (int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float))
SKTWIN_BINARY(Div, DivLane, (half, float), (int16_t, uint16_t, half, int32_t, uint32_t, float, int64_t, uint64_t),
              (int16_t, uint16_t, half, int32_t, uint32_t, float))
SKTWIN_BINARY(Max, MaxLane, (int16_t, half, int32_t, float),
              (int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t),
              (int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float))
SKTWIN_BINARY(Min, MinLane, (int16_t, half, int32_t, float),
              (int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t),
              (int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float))
SKTWIN_BINARY(AddRelu, AddReluLane, (int16_t, half, float), (int16_t, half, float, int64_t, uint64_t),
              (int16_t, half, float))
SKTWIN_BINARY(SubRelu, SubReluLane, (int16_t, half, float), (int16_t, half, float, int64_t, uint64_t),
              (int16_t, half, float))

// On the 2201 the instruction works on 16-bit lanes: the count form takes 32-bit tensors and counts 16-bit lanes of
// them.
#define SKTWIN_BITWISE(name, Lane)                                                            \
    SKTWIN_BINARY(name, Lane, (int16_t, uint16_t, int32_t, uint32_t),                         \
                  (int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t), \
                  (int16_t, uint16_t, int32_t, uint32_t))
#if __NPU_ARCH__ == 3510
SKTWIN_BITWISE(And, AndLane)
SKTWIN_BITWISE(Or, OrLane)
#else
SKTWIN_BINARY(And, AndLane, (int16_t, uint16_t), (), ())
SKTWIN_BINARY(Or, OrLane, (int16_t, uint16_t), (), ())

template <bool isSetMask = true>
void And(const LocalTensor<int32_t>& dst, const LocalTensor<int32_t>& src0, const LocalTensor<int32_t>& src1,
         const int32_t& count, sktwin::Site site = sktwin::Site::Here()) {
    And<int16_t, isSetMask>(dst.ReinterpretCast<int16_t>(), src0.ReinterpretCast<int16_t>(),
                            src1.ReinterpretCast<int16_t>(), count, site);
}
template <bool isSetMask = true>
void Or(const LocalTensor<int32_t>& dst, const LocalTensor<int32_t>& src0, const LocalTensor<int32_t>& src1,
        const int32_t& count, sktwin::Site site = sktwin::Site::Here()) {
    Or<int16_t, isSetMask>(dst.ReinterpretCast<int16_t>(), src0.ReinterpretCast<int16_t>(),
                           src1.ReinterpretCast<int16_t>(), count, site);
}
#endif
#undef SKTWIN_BITWISE
#undef SKTWIN_BINARY

template <typename T>
void AbsSub(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const uint32_t count,
            sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("AbsSub", T, (), (half, float));
    detail::BinaryCount<sktwin::AbsSubLane>(sktwin::IssueCount<true>(count), dst, src0, src1, site);
}

template <typename T>
void Prelu(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const uint32_t count,
           sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("Prelu", T, (), (half, float));
    detail::BinaryCount<sktwin::LeakyReluLane>(sktwin::IssueCount<true>(count), dst, src0, src1, site);
}

}  // namespace AscendC
