// Licensed under the Apache License, Version 2.0.
//
// Older names of the register vector API (spec ascendc_vector.md 12.3 to 12.7). They take what the newer names take.
#pragma once

#include "ascendc/reg_arith.h"
#include "ascendc/reg_cast.h"
#include "ascendc/reg_compare.h"
#include "ascendc/reg_mask.h"
#include "ascendc/reg_rearrange.h"

// Accesses of memory keep the caller's line, so their forms differ by the number of operands.
#define SKTWIN_REG_MEMORY_NAME(Old, New)                                                       \
    template <typename T = DefaultType, auto... options, typename A, typename B>               \
    auto Old(A&& a, B&& b, Site site = Site::Here())                                           \
        ->decltype(New<T, options...>(a, b, site)) {                                           \
        return New<T, options...>(a, b, site);                                                 \
    }                                                                                          \
    template <typename T = DefaultType, auto... options, typename A, typename B, typename C>   \
    auto Old(A&& a, B&& b, C&& c, Site site = Site::Here())                                    \
        ->decltype(New<T, options...>(a, b, c, site)) {                                        \
        return New<T, options...>(a, b, c, site);                                              \
    }                                                                                          \
    template <typename T = DefaultType, auto... options, typename A, typename B, typename C, typename D>              \
    auto Old(A&& a, B&& b, C&& c, D&& d, Site site = Site::Here())                             \
        ->decltype(New<T, options...>(a, b, c, d, site)) {                                     \
        return New<T, options...>(a, b, c, d, site);                                           \
    }                                                                                          \
    template <typename T = DefaultType, auto... options, typename A, typename B, typename C, typename D, typename E>  \
    auto Old(A&& a, B&& b, C&& c, D&& d, E&& e, Site site = Site::Here())                      \
        ->decltype(New<T, options...>(a, b, c, d, e, site)) {                                  \
        return New<T, options...>(a, b, c, d, e, site);                                        \
    }

#define SKTWIN_REG_NAME(Old, New)                                               \
    template <typename T = DefaultType, auto... options, typename... A>         \
    auto Old(A&&... arguments)->decltype(New<T, options...>(arguments...)) {    \
        return New<T, options...>(arguments...);                                \
    }

namespace AscendC::Reg {

SKTWIN_REG_MEMORY_NAME(DataCopy, LoadAlign)
SKTWIN_REG_MEMORY_NAME(DataCopy, StoreAlign)
SKTWIN_REG_MEMORY_NAME(DataCopyUnAlign, LoadUnAlign)
SKTWIN_REG_MEMORY_NAME(DataCopyUnAlign, StoreUnAlign)
SKTWIN_REG_MEMORY_NAME(DataCopyGather, Gather)
SKTWIN_REG_MEMORY_NAME(DataCopyGatherB, GatherB)
SKTWIN_REG_MEMORY_NAME(DataCopyScatter, Scatter)

template <typename P>
void DataCopyUnAlignPre(UnalignReg& unaligned, P* src, Site site = Site::Here()) {
    LoadUnAlignPre(unaligned, src, site);
}
template <typename P>
void DataCopyUnAlignPost(P* dst, UnalignReg& unaligned, int32_t stride, Site site = Site::Here()) {
    StoreUnAlignPost(dst, unaligned, stride, site);
}
template <typename P>
void DataCopyUnAlignPost(P* dst, UnalignReg& unaligned, Site site = Site::Here()) {
    StoreUnAlignPost(dst, unaligned, 0, site);
}

SKTWIN_REG_NAME(CompareScalar, Compares)
SKTWIN_REG_NAME(Copy, Move)
SKTWIN_REG_NAME(GatherMask, Squeeze)
SKTWIN_REG_NAME(FusedMulDstAdd, MulDstAdd)
SKTWIN_REG_NAME(FusedAbsSub, AbsSub)

// Named <result, source, layout>, or the layout alone after them.
template <typename T = DefaultType, typename U = DefaultType, RegLayout layout = RegLayout::ZERO,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename D, typename E>
void FusedExpSub(RegTensor<D>& dst, const RegTensor<E>& src0, const RegTensor<E>& src1, const MaskReg& mask) {
    ExpSub<T, U, layout, mode>(dst, src0, src1, mask);
}

inline void MaskAnd(MaskReg& dst, const MaskReg& src0, const MaskReg& src1, const MaskReg& mask) {
    And(dst, src0, src1, mask);
}
inline void MaskOr(MaskReg& dst, const MaskReg& src0, const MaskReg& src1, const MaskReg& mask) {
    Or(dst, src0, src1, mask);
}
inline void MaskXor(MaskReg& dst, const MaskReg& src0, const MaskReg& src1, const MaskReg& mask) {
    Xor(dst, src0, src1, mask);
}
inline void MaskNot(MaskReg& dst, const MaskReg& src, const MaskReg& mask) { Not(dst, src, mask); }
inline void MaskMov(MaskReg& dst, const MaskReg& src, const MaskReg& mask) { Move(dst, src, mask); }
inline void MaskMov(MaskReg& dst, const MaskReg& src) { dst = src; }
inline void MaskSel(MaskReg& dst, const MaskReg& src0, const MaskReg& src1, const MaskReg& mask) {
    Select(dst, src0, src1, mask);
}
template <HighLowPart part = HighLowPart::LOWEST>
void MaskPack(MaskReg& dst, const MaskReg& src) {
    Pack<part>(dst, src);
}
template <HighLowPart part = HighLowPart::LOWEST>
void MaskUnPack(MaskReg& dst, const MaskReg& src) {
    UnPack<part>(dst, src);
}
template <typename T>
void MaskInterleave(MaskReg& dst0, MaskReg& dst1, const MaskReg& src0, const MaskReg& src1) {
    Interleave<T>(dst0, dst1, src0, src1);
}
template <typename T>
void MaskDeInterleave(MaskReg& dst0, MaskReg& dst1, const MaskReg& src0, const MaskReg& src1) {
    DeInterleave<T>(dst0, dst1, src0, src1);
}

// The destination of these has the type of Reduce's.
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename D, typename S,
          const RegTrait& trait>
void ReduceSum(RegTensor<D, trait>& dst, const RegTensor<S, trait>& src, const MaskReg& mask) {
    Reduce<ReduceType::SUM, DefaultType, DefaultType, mode>(dst, src, mask);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename E, const RegTrait& trait>
void ReduceMax(RegTensor<E, trait>& dst, const RegTensor<E, trait>& src, const MaskReg& mask) {
    Reduce<ReduceType::MAX, DefaultType, DefaultType, mode>(dst, src, mask);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename E, const RegTrait& trait>
void ReduceMin(RegTensor<E, trait>& dst, const RegTensor<E, trait>& src, const MaskReg& mask) {
    Reduce<ReduceType::MIN, DefaultType, DefaultType, mode>(dst, src, mask);
}

}  // namespace AscendC::Reg

#undef SKTWIN_REG_MEMORY_NAME
#undef SKTWIN_REG_NAME
