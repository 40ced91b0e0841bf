// Licensed under the Apache License, Version 2.0.
//
// The reduction calls, with their older names (spec ascendc_vector.md 8.1): mind that the older block, pair and repeat
// names take repeatTime before the mask.
#pragma once

#include "ascendc/vector_reduce.h"

namespace AscendC {
namespace detail {

template <ReduceType type, bool isSetMask, typename T, typename D, typename M>
void ReduceRepeatCall(const LocalTensor<D>& dst, const LocalTensor<T>& src, M mask, int32_t repeatTime,
                      int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride, ReduceOrder order,
                      sktwin::Site site) {
    SKTWIN_REQUIRE_TYPE("ReduceRepeat", T, (half, float), (int16_t, uint16_t, half, int32_t, uint32_t, float));
    sktwin::RunReduceRepeat<type>(
        sktwin::IssueMask<isSetMask>(mask, static_cast<uint32_t>(repeatTime), sktwin::kLanes<T>),
        sktwin::OperandOf(dst, 1, 8, site, sizeof(D)),
        sktwin::OperandOf(src, static_cast<uint32_t>(srcBlkStride), static_cast<uint32_t>(srcRepStride), site),
        static_cast<uint32_t>(dstRepStride), order);
}

template <ReduceType type, bool isSetMask, typename T, typename M>
void ReduceBlockCall(const LocalTensor<T>& dst, const LocalTensor<T>& src, M mask, int32_t repeatTime,
                     int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride, sktwin::Site site) {
    SKTWIN_REQUIRE_TYPE("ReduceDataBlock", T, (half, float), (half, float));
    sktwin::RunReduceBlock<type>(
        sktwin::IssueMask<isSetMask>(mask, static_cast<uint32_t>(repeatTime), sktwin::kLanes<T>),
        sktwin::OperandOf(dst, 1, 8, site, 8 * sizeof(T)),
        sktwin::OperandOf(src, static_cast<uint32_t>(srcBlkStride), static_cast<uint32_t>(srcRepStride), site),
        static_cast<uint32_t>(dstRepStride));
}

template <bool isSetMask, typename T, typename M>
void ReducePairCall(const LocalTensor<T>& dst, const LocalTensor<T>& src, M mask, int32_t repeatTime,
                    int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride, sktwin::Site site) {
    SKTWIN_REQUIRE_TYPE("ReducePairElem", T, (half, float), (half, float));
    sktwin::RunReducePair(
        sktwin::IssueMask<isSetMask>(mask, static_cast<uint32_t>(repeatTime), sktwin::kLanes<T>),
        sktwin::OperandOf(dst, 1, 8, site),
        sktwin::OperandOf(src, static_cast<uint32_t>(srcBlkStride), static_cast<uint32_t>(srcRepStride), site),
        static_cast<uint32_t>(dstRepStride));
}

// An integer mask becomes the number of lanes; a list stays a list.
inline uint64_t MaskArgument(uint64_t mask) { return mask; }
inline const uint64_t* MaskArgument(const uint64_t* mask) { return mask; }

}  // namespace detail

template <ReduceType type, typename T, bool isSetMask = true, typename D = T, typename M>
void ReduceRepeat(const LocalTensor<D>& dst, const LocalTensor<T>& src, M mask, const int32_t repeatTime,
                  const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,
                  ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, sktwin::Site site = sktwin::Site::Here()) {
    detail::ReduceRepeatCall<type, isSetMask>(dst, src, detail::MaskArgument(mask), repeatTime, dstRepStride,
                                              srcBlkStride, srcRepStride, order, site);
}
template <typename T, bool isSetMask = true, typename D = T, typename M>
void WholeReduceSum(const LocalTensor<D>& dst, const LocalTensor<T>& src, M mask, const int32_t repeatTime,
                    const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,
                    sktwin::Site site = sktwin::Site::Here()) {
    detail::ReduceRepeatCall<ReduceType::SUM, isSetMask>(dst, src, detail::MaskArgument(mask), repeatTime, dstRepStride,
                                                         srcBlkStride, srcRepStride, ReduceOrder::ORDER_ONLY_VALUE,
                                                         site);
}
template <typename T, bool isSetMask = true, typename M>
void WholeReduceMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, M mask, const int32_t repeatTime,
                    const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,
                    ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, sktwin::Site site = sktwin::Site::Here()) {
    detail::ReduceRepeatCall<ReduceType::MAX, isSetMask>(dst, src, detail::MaskArgument(mask), repeatTime, dstRepStride,
                                                         srcBlkStride, srcRepStride, order, site);
}
template <typename T, bool isSetMask = true, typename M>
void WholeReduceMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, M mask, const int32_t repeatTime,
                    const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,
                    ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, sktwin::Site site = sktwin::Site::Here()) {
    detail::ReduceRepeatCall<ReduceType::MIN, isSetMask>(dst, src, detail::MaskArgument(mask), repeatTime, dstRepStride,
                                                         srcBlkStride, srcRepStride, order, site);
}
template <typename T, bool isSetMask = true, typename M>
void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, M mask,
                     const int32_t, const int32_t srcBlkStride, const int32_t dstRepStride, const int32_t srcRepStride,
                     sktwin::Site site = sktwin::Site::Here()) {
    detail::ReduceRepeatCall<ReduceType::SUM, isSetMask>(dst, src, detail::MaskArgument(mask), repeatTime, dstRepStride,
                                                         srcBlkStride, srcRepStride, ReduceOrder::ORDER_ONLY_VALUE,
                                                         site);
}

template <ReduceType type, typename T, bool isSetMask = true, typename M>
void ReduceDataBlock(const LocalTensor<T>& dst, const LocalTensor<T>& src, M mask, const int32_t repeatTime,
                     const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,
                     sktwin::Site site = sktwin::Site::Here()) {
    detail::ReduceBlockCall<type, isSetMask>(dst, src, detail::MaskArgument(mask), repeatTime, dstRepStride,
                                             srcBlkStride, srcRepStride, site);
}
#define SKTWIN_BLOCK_REDUCE(name, type)                                                                        \
    template <typename T, bool isSetMask = true, typename M>                                                   \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, M mask,          \
              const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,              \
              sktwin::Site site = sktwin::Site::Here()) {                                                      \
        detail::ReduceBlockCall<ReduceType::type, isSetMask>(dst, src, detail::MaskArgument(mask), repeatTime, \
                                                             dstRepStride, srcBlkStride, srcRepStride, site);  \
    }
SKTWIN_BLOCK_REDUCE(BlockReduceSum, SUM)
SKTWIN_BLOCK_REDUCE(BlockReduceMax, MAX)
SKTWIN_BLOCK_REDUCE(BlockReduceMin, MIN)
#undef SKTWIN_BLOCK_REDUCE

template <ReduceType type, typename T, bool isSetMask = true, typename M>
void ReducePairElem(const LocalTensor<T>& dst, const LocalTensor<T>& src, M mask, const int32_t repeatTime,
                    const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,
                    sktwin::Site site = sktwin::Site::Here()) {
    static_assert(type == ReduceType::SUM, "ReducePairElem: SUM is the only operation");
    detail::ReducePairCall<isSetMask>(dst, src, detail::MaskArgument(mask), repeatTime, dstRepStride, srcBlkStride,
                                      srcRepStride, site);
}
template <typename T, bool isSetMask = true, typename M>
void PairReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, M mask,
                   const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,
                   sktwin::Site site = sktwin::Site::Here()) {
    detail::ReducePairCall<isSetMask>(dst, src, detail::MaskArgument(mask), repeatTime, dstRepStride, srcBlkStride,
                                      srcRepStride, site);
}

template <typename T, bool isSetMask = true>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>&, const int32_t count,
               sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("ReduceSum", T, (half, float), (half, float, int32_t, uint32_t, int64_t, uint64_t));
    const auto out = sktwin::OperandOf(dst, 1, 8, site);
    if (out && count > 0) {
        const sktwin::Issue issue = sktwin::IssueCount<isSetMask>(static_cast<uint64_t>(count));
        const T sum = sktwin::SumInOrder(issue, sktwin::OperandOf(src, 1, 8, site));
        memcpy(out.Element(0), &sum, sizeof(T));
        sktwin::RememberSum(sum);
    }
}
template <typename T, bool isSetMask = true, typename M>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, M mask,
               const int32_t repeatTime, const int32_t srcRepStride, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("ReduceSum", T, (half, float), (half, float, int32_t, uint32_t));
    const auto out = sktwin::OperandOf(dst, 1, 8, site);
    if (out && repeatTime > 0) {
        const sktwin::Issue issue = sktwin::IssueMask<isSetMask>(detail::MaskArgument(mask),
                                                                 static_cast<uint32_t>(repeatTime), sktwin::kLanes<T>);
        const T sum = sktwin::SumOfTrees(issue, sktwin::OperandOf(src, 1, static_cast<uint32_t>(srcRepStride), site),
                                         sktwin::OperandOf(sharedTmpBuffer, 1, 8, site));
        memcpy(out.Element(0), &sum, sizeof(T));
        sktwin::RememberSum(sum);
    }
}

#define SKTWIN_REDUCE_EXTREMUM(name, type)                                                                            \
    template <typename T, bool isSetMask = true>                                                                      \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>&, const int32_t count,       \
              bool calIndex = false, sktwin::Site site = sktwin::Site::Here()) {                                      \
        SKTWIN_REQUIRE_TYPE(#name, T, (half, float),                                                                  \
                            (int16_t, uint16_t, half, int32_t, uint32_t, float, int64_t, uint64_t));                  \
        sktwin::RunReduceExtremum<ReduceType::type>(sktwin::IssueCount<isSetMask>(static_cast<uint64_t>(count)),      \
                                                    sktwin::OperandOf(dst, 1, 8, site),                               \
                                                    sktwin::OperandOf(src, 1, 8, site), calIndex);                    \
    }                                                                                                                 \
    template <typename T, bool isSetMask = true, typename M>                                                          \
    void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>&, M mask,                    \
              const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = false,                            \
              sktwin::Site site = sktwin::Site::Here()) {                                                             \
        SKTWIN_REQUIRE_TYPE(#name, T, (half, float), (int16_t, uint16_t, half, int32_t, uint32_t, float));            \
        sktwin::RunReduceExtremum<ReduceType::type>(                                                                  \
            sktwin::IssueMask<isSetMask>(detail::MaskArgument(mask), static_cast<uint32_t>(repeatTime),               \
                                         sktwin::kLanes<T>),                                                          \
            sktwin::OperandOf(dst, 1, 8, site), sktwin::OperandOf(src, 1, static_cast<uint32_t>(srcRepStride), site), \
            calIndex);                                                                                                \
    }
SKTWIN_REDUCE_EXTREMUM(ReduceMax, MAX)
SKTWIN_REDUCE_EXTREMUM(ReduceMin, MIN)
#undef SKTWIN_REDUCE_EXTREMUM

template <typename T>
void GetReduceRepeatMaxMinSpr(T& value, T& index) {
    static_assert(sizeof(T) == 0 || !sktwin::kChip3510,
                  "GetReduceRepeatMaxMinSpr: dav-3510 does not have the register");
    const uint64_t word = sktwin::Self().registers.reduceExtremum;
    memcpy(&value, &word, sizeof(T));
    const auto bits = static_cast<sktwin::IndexOf<T>>(word >> 32);
    memcpy(&index, &bits, sizeof(T));
}
template <typename T>
void GetReduceMaxMinCount(T& value, T& index) {
    GetReduceRepeatMaxMinSpr(value, index);
}
template <typename T>
T GetReduceRepeatSumSpr() {
    return T(sktwin::Self().registers.reduceSum);
}
template <typename T>
T GetAccVal() {
    return GetReduceRepeatSumSpr<T>();
}

}  // namespace AscendC
