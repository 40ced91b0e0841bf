// Licensed under the Apache License, Version 2.0.
//
// Vector instructions that combine several operations (spec ascendc_vector.md 4).
#pragma once

#include "ascendc/vector_binary.h"
#include "ascendc/vector_cast.h"

namespace sktwin {

// half sources with a float accumulator: the product is exact in float.
struct MulAddDstLane {
    template <typename D, typename S>
    D operator()(S a, S b, D accumulator) const {
        return MulAddOf<D>(D(a), D(b), accumulator);
    }
};
struct FusedMulAddLane {
    template <typename T>
    T operator()(T a, T b, T accumulator) const {
        return MulAddOf(a, accumulator, b);
    }
};
struct MulAddReluLane {
    template <typename T>
    T operator()(T a, T b, T accumulator) const {
        return ReluOf(MulAddOf(a, accumulator, b));
    }
};
template <typename S>
struct AxpyLane {
    S scalar;

    template <typename D>
    D operator()(S x, D accumulator) const {
        return MulAddOf<D>(D(scalar), D(x), accumulator);
    }
};

template <typename D, typename F>
struct ThenCast {
    F operation;

    template <typename S>
    D operator()(S a, S b) const {
        return ConvertValue<D, S, RoundMode::CAST_NONE>(operation(a, b), true);
    }
};

struct ExpSubLane {
    template <typename T>
    float operator()(T a, T b) const {
        return ExpLane()(static_cast<float>(a) - static_cast<float>(b));
    }
};

struct AddDeqReluLane {
    float scale;

    half operator()(int32_t a, int32_t b) const { return ReluOf(DequantToHalf(AddOf(a, b), scale)); }
};

}  // namespace sktwin

namespace AscendC {
namespace detail {

// The destination is also the last source.
template <typename F, typename D, typename S>
void AccumulateCount(const sktwin::Issue& issue, const LocalTensor<D>& dst, const LocalTensor<S>& src0,
                     const LocalTensor<S>& src1, sktwin::Site site) {
    constexpr uint32_t kN = sktwin::kLanesOfWider<D, S>;
    const auto accumulator = sktwin::Contiguous<kN>(dst, site);
    sktwin::RunLanes<kN>(issue, F(), accumulator, sktwin::Contiguous<kN>(src0, site),
                         sktwin::Contiguous<kN>(src1, site), accumulator);
}
template <typename F, typename D, typename S>
void AccumulateRepeat(const sktwin::Issue& issue, const LocalTensor<D>& dst, const LocalTensor<S>& src0,
                      const LocalTensor<S>& src1, const BinaryRepeatParams& p, sktwin::Site site) {
    const auto accumulator = sktwin::OperandOf(dst, p.dstBlkStride, p.dstRepStride, site);
    sktwin::RunLanes<sktwin::kLanesOfWider<D, S>>(
        issue, F(), accumulator, sktwin::OperandOf(src0, p.src0BlkStride, p.src0RepStride, site),
        sktwin::OperandOf(src1, p.src1BlkStride, p.src1RepStride, site), accumulator);
}
template <typename D, typename S>
void AxpyRepeat(const sktwin::Issue& issue, const LocalTensor<D>& dst, const LocalTensor<S>& src, S scalar,
                const UnaryRepeatParams& p, sktwin::Site site) {
    const auto accumulator = sktwin::OperandOf(dst, p.dstBlkStride, p.dstRepStride, site);
    sktwin::RunLanes<sktwin::kLanesOfWider<D, S>>(issue, sktwin::AxpyLane<S>{scalar}, accumulator,
                                                  sktwin::OperandOf(src, p.srcBlkStride, p.srcRepStride, site),
                                                  accumulator);
}

template <typename T, typename U>
inline constexpr bool kAccumulates =
    std::is_same_v<T, U> ? sktwin::kListed<T, void(half, float)> ||
                               (sktwin::kChip3510 && sktwin::kListed<T, void(bfloat16_t, int64_t, uint64_t)>)
                         : std::is_same_v<T, float> && std::is_same_v<U, half>;

template <typename T, typename U>
inline constexpr bool kReluCasts = (std::is_same_v<T, int8_t> && sktwin::kListed<U, void(half, int16_t)>) ||
                                   (std::is_same_v<T, half> && std::is_same_v<U, float>);
template <typename T, typename U>
inline constexpr bool kMulCasts = sktwin::kListed<T, void(int8_t, uint8_t)> && std::is_same_v<U, half>;

}  // namespace detail

template <typename T, typename U>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, const int32_t& count,
          sktwin::Site site = sktwin::Site::Here()) {
    static_assert(detail::kAccumulates<T, U>, "Axpy: the types are half, float, or half into float");
    constexpr uint32_t kN = sktwin::kLanesOfWider<T, U>;
    detail::AxpyRepeat(sktwin::IssueCount<true>(count), dst, src, scalarValue,
                       UnaryRepeatParams(1, 1, kN * sizeof(T) / 32, kN * sizeof(U) / 32), site);
}
template <typename T, typename U, bool isSetMask = true>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, const uint64_t mask[],
          const uint8_t repeatTime, const UnaryRepeatParams& params, sktwin::Site site = sktwin::Site::Here()) {
    static_assert(detail::kAccumulates<T, U>, "Axpy: the types are half, float, or half into float");
    detail::AxpyRepeat(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanesOfWider<T, U>), dst, src,
                       scalarValue, params, site);
}
template <typename T, typename U, bool isSetMask = true>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, const uint64_t mask,
          const uint8_t repeatTime, const UnaryRepeatParams& params, sktwin::Site site = sktwin::Site::Here()) {
    static_assert(detail::kAccumulates<T, U>, "Axpy: the types are half, float, or half into float");
    detail::AxpyRepeat(sktwin::IssueMask<isSetMask>(mask, repeatTime, sktwin::kLanesOfWider<T, U>), dst, src,
                       scalarValue, params, site);
}

// The three forms of a two-source instruction, run by `run`##Count and `run`##Repeat.
#define SKTWIN_COMPOUND(name, run, operation, condition, text)                                                         \
    template <typename T, typename U = T>                                                                              \
    void name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, const int32_t& count, \
              sktwin::Site site = sktwin::Site::Here()) {                                                              \
        static_assert(condition, #name ": " text);                                                                     \
        detail::run##Count<operation>(sktwin::IssueCount<true>(count), dst, src0, src1, site);                         \
    }                                                                                                                  \
    template <typename T, typename U = T, bool isSetMask = true>                                                       \
    void name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,                       \
              const uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams& params,                       \
              sktwin::Site site = sktwin::Site::Here()) {                                                              \
        static_assert(condition, #name ": " text);                                                                     \
        constexpr uint32_t kN = sktwin::kLanesOfWider<T, U>;                                                           \
        detail::run##Repeat<operation>(sktwin::IssueMask<isSetMask>(mask, repeatTime, kN), dst, src0, src1, params,    \
                                       site);                                                                          \
    }                                                                                                                  \
    template <typename T, typename U = T, bool isSetMask = true>                                                       \
    void name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, const uint64_t mask,  \
              const uint8_t repeatTime, const BinaryRepeatParams& params, sktwin::Site site = sktwin::Site::Here()) {  \
        static_assert(condition, #name ": " text);                                                                     \
        constexpr uint32_t kN = sktwin::kLanesOfWider<T, U>;                                                           \
        detail::run##Repeat<operation>(sktwin::IssueMask<isSetMask>(mask, repeatTime, kN), dst, src0, src1, params,    \
                                       site);                                                                          \
    }

// Aliases without commas, since the macro splits at them.
namespace detail {
template <typename T>
using AddReluThenCast = sktwin::ThenCast<T, sktwin::AddReluLane>;
template <typename T>
using SubReluThenCast = sktwin::ThenCast<T, sktwin::SubReluLane>;
template <typename T>
using MulThenCast = sktwin::ThenCast<T, sktwin::MulLane>;
}  // namespace detail

SKTWIN_COMPOUND(MulAddDst, Accumulate, sktwin::MulAddDstLane, (detail::kAccumulates<T, U>),
                "the types are half, float, or half into float")
SKTWIN_COMPOUND(FusedMulAdd, Accumulate, sktwin::FusedMulAddLane, (detail::kAccumulates<T, U> && std::is_same_v<T, U>),
                "the types are half or float")
SKTWIN_COMPOUND(MulAddRelu, Accumulate, sktwin::MulAddReluLane, (detail::kAccumulates<T, U> && std::is_same_v<T, U>),
                "the types are half or float")
SKTWIN_COMPOUND(FusedMulAddRelu, Accumulate, sktwin::MulAddReluLane,
                (detail::kAccumulates<T, U> && std::is_same_v<T, U>), "the types are half or float")
SKTWIN_COMPOUND(AddReluCast, Binary, detail::AddReluThenCast<T>, (detail::kReluCasts<T, U>),
                "the casts are half or int16_t to int8_t, and float to half")
SKTWIN_COMPOUND(SubReluCast, Binary, detail::SubReluThenCast<T>, (detail::kReluCasts<T, U>),
                "the casts are half or int16_t to int8_t, and float to half")
SKTWIN_COMPOUND(MulCast, Binary, detail::MulThenCast<T>, (detail::kMulCasts<T, U>),
                "the casts are half to int8_t and to uint8_t")

#undef SKTWIN_COMPOUND

// The device uses both sources as scratch on the 2201; here they are kept.
inline void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0, const LocalTensor<int32_t>& src1,
                       const int32_t& count, sktwin::Site site = sktwin::Site::Here()) {
    detail::BinaryCount(sktwin::IssueCount<true>(count), dst, src0, src1, site,
                        sktwin::AddDeqReluLane{sktwin::HalfDeqScale()});
}
template <bool isSetMask = true>
void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0, const LocalTensor<int32_t>& src1,
                const uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams& params,
                sktwin::Site site = sktwin::Site::Here()) {
    detail::BinaryRepeat(sktwin::IssueMask<isSetMask>(mask, repeatTime, 64), dst, src0, src1, params, site,
                         sktwin::AddDeqReluLane{sktwin::HalfDeqScale()});
}
template <bool isSetMask = true>
void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0, const LocalTensor<int32_t>& src1,
                const uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams& params,
                sktwin::Site site = sktwin::Site::Here()) {
    detail::BinaryRepeat(sktwin::IssueMask<isSetMask>(mask, repeatTime, 64), dst, src0, src1, params, site,
                         sktwin::AddDeqReluLane{sktwin::HalfDeqScale()});
}

template <typename T, typename U>
void ExpSub(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, const uint32_t count,
            sktwin::Site site = sktwin::Site::Here()) {
    static_assert(std::is_same_v<T, float>, "ExpSub: the result is float");
    SKTWIN_REQUIRE_TYPE("ExpSub", U, (), (half, float));
    detail::BinaryCount<sktwin::ExpSubLane>(sktwin::IssueCount<true>(count), dst, src0, src1, site);
}

}  // namespace AscendC
