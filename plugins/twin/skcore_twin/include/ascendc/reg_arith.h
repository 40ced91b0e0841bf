// Licensed under the Apache License, Version 2.0.
//
// Arithmetic on registers (spec ascendc_vector.md 12.6). Lanes outside the mask become zero; Add, Max and Min can keep
// them.
#pragma once

#include "ascendc/reg_types.h"
#include "ascendc/vector_convert.h"

namespace AscendC::Reg {

enum class DivAlgo : uint8_t {
    INTRINSIC = 0,
    PRECISION_1ULP_FTZ_TRUE = INTRINSIC,
    PRECISION_1ULP_FTZ_FALSE,
    DIFF_COMPENSATION,
    PRECISION_0ULP_FTZ_TRUE,
    PRECISION_0ULP_FTZ_FALSE,
};

// Passed by address as the mode of Div. Results are exact whatever the algorithm is.
struct DivSpecificMode {
    MaskMergeMode mrgMode = MaskMergeMode::ZEROING;
    bool precisionMode = false;
    DivAlgo algo = DivAlgo::INTRINSIC;
};

}  // namespace AscendC::Reg

namespace sktwin::reg {

template <auto mode>
constexpr MaskMergeMode MergeModeOf() {
    if constexpr (std::is_pointer_v<decltype(mode)>) {
        return mode->mrgMode;
    } else {
        return mode;
    }
}

template <auto mode, typename T, typename E>
constexpr void CheckCall() {
    CheckNamedType<T, E>();
    static_assert(MergeModeOf<mode>() != MaskMergeMode::MERGING,
                  "Reg: MaskMergeMode::MERGING exists for Add, Max, Min and Move only");
}

struct Log2Lane {
    template <typename T>
    T operator()(T x) const {
        return FromDouble<T>(__builtin_log2(double(float(x))));
    }
};
struct Log10Lane {
    template <typename T>
    T operator()(T x) const {
        return FromDouble<T>(__builtin_log10(double(float(x))));
    }
};
struct PreluLane {
    template <typename T>
    T operator()(T x, T slope) const {
        return LeakyReluLane()(x, slope);
    }
};
// The amount has the sign of its element; only its width counts.
struct ShiftLeftBy {
    template <typename T, typename U>
    T operator()(T x, U amount) const {
        return ShiftLeftLane()(x, static_cast<T>(amount));
    }
};
struct ShiftRightBy {
    template <typename T, typename U>
    T operator()(T x, U amount) const {
        return ShiftRightLane()(x, static_cast<T>(amount));
    }
};

// An operation with a scalar as its second operand.
template <typename F, typename T>
struct WithScalar {
    T scalar;

    T operator()(T x) const { return F()(x, scalar); }
};

// Forms of a call that names the type of its scalar: Adds<T, U, mode>.
template <typename U>
struct Named {
    using type = U;
};

template <typename F, typename T, const RegTrait& trait>
void MapMulAdd(const F& operation, RegTensor<T, trait>& dst, const RegTensor<T, trait>& a, const RegTensor<T, trait>& b,
               const MaskReg& mask) {
    const auto old = dst;
    MapLanes(operation, dst, mask, a, b, old);
}

// 32-bit sums: the result and the carry of each lane, at bit 4k.
template <typename T, const RegTrait& trait, typename F>
void MapCarry(MaskReg& carryOut, RegTensor<T, trait>& dst, const RegTensor<T, trait>& src0,
              const RegTensor<T, trait>& src1, const MaskReg& mask, const F& sum) {
    constexpr uint32_t kN = kCount<T, trait>;
    const auto a = ReadLanes(src0);
    const auto b = ReadLanes(src1);
    LaneArray<T, kN> out;
    LaneArray<bool, kN> carry;
    for (uint32_t i = 0; i < kN; ++i) {
        const uint64_t value = sum(i, static_cast<uint32_t>(a.lane[i]), static_cast<uint32_t>(b.lane[i]));
        out.lane[i] = static_cast<T>(static_cast<uint32_t>(value));
        carry.lane[i] = (value >> 32) != 0;
    }
    const auto active = ActiveLanes<kN>(mask);
    WriteMasked(dst, out.lane, mask);
    carryOut = MaskOfLanes(kN, [&](uint32_t i) { return active.lane[i] && carry.lane[i]; });
}

// The lanes of halves that RegLayout ZERO and ONE choose, as floats.
template <typename T, AscendC::Reg::RegLayout layout>
LaneArray<float, 64> WidenHalf(const RegTensor<T>& source) {
    const auto lanes = ReadLanes(source);
    constexpr uint32_t kRatio = 4 / sizeof(T);
    static_assert(layout == AscendC::Reg::RegLayout::ZERO || layout == AscendC::Reg::RegLayout::ONE,
                  "Reg: the layout of halves is RegLayout::ZERO or ONE");
    LaneArray<float, 64> out;
    for (uint32_t i = 0; i < 64; ++i) {
        out.lane[i] = static_cast<float>(lanes.lane[i * kRatio + (kRatio == 2 ? static_cast<uint32_t>(layout) : 0)]);
    }
    return out;
}

}  // namespace sktwin::reg

#define SKTWIN_REG_UNARY(Name, Operation, ...)                                                             \
    template <typename T = DefaultType, auto mode = MaskMergeMode::ZEROING, typename E, const RegTrait& trait> \
    void Name(RegTensor<E, trait>& dst, const RegTensor<E, trait>& src, const MaskReg& mask) {             \
        sktwin::reg::CheckCall<mode, T, E>();                                                              \
        SKTWIN_REG_TYPES(#Name, E, (__VA_ARGS__));                                                         \
        if constexpr (sktwin::kListed<E, void(__VA_ARGS__)>) {                                             \
            sktwin::reg::MapLanes(Operation(), dst, mask, src);                                            \
        }                                                                                                  \
    }

#define SKTWIN_REG_BINARY(Name, Operation, merges, ...)                                                        \
    template <typename T = DefaultType, auto mode = MaskMergeMode::ZEROING, typename E, const RegTrait& trait> \
    void Name(RegTensor<E, trait>& dst, const RegTensor<E, trait>& src0, const RegTensor<E, trait>& src1,      \
              const MaskReg& mask) {                                                                           \
        constexpr MaskMergeMode kMode = sktwin::reg::MergeModeOf<mode>();                                      \
        sktwin::reg::CheckCall<merges ? MaskMergeMode::ZEROING : kMode, T, E>();                               \
        SKTWIN_REG_TYPES(#Name, E, (__VA_ARGS__));                                                             \
        if constexpr (sktwin::kListed<E, void(__VA_ARGS__)>) {                                                 \
            sktwin::reg::MapLanes<kMode>(Operation(), dst, mask, src0, src1);                                  \
        }                                                                                                      \
    }

#define SKTWIN_REG_SCALAR(Name, Operation, ...)                                                                \
    template <typename T = DefaultType, auto mode = MaskMergeMode::ZEROING, typename E, const RegTrait& trait, \
              typename S>                                                                                      \
    void Name(RegTensor<E, trait>& dst, const RegTensor<E, trait>& src, S scalar, const MaskReg& mask) {       \
        sktwin::reg::CheckCall<mode, T, E>();                                                                  \
        SKTWIN_REG_TYPES(#Name, E, (__VA_ARGS__));                                                             \
        if constexpr (sktwin::kListed<E, void(__VA_ARGS__)>) {                                                 \
            const sktwin::reg::WithScalar<Operation, E> operation{static_cast<E>(scalar)};                     \
            sktwin::reg::MapLanes(operation, dst, mask, src);                                                  \
        }                                                                                                      \
    }                                                                                                          \
    template <typename T, typename U, auto mode = MaskMergeMode::ZEROING, typename E, const RegTrait& trait>   \
    void Name(RegTensor<E, trait>& dst, const RegTensor<E, trait>& src,                                        \
              typename sktwin::reg::Named<U>::type scalar, const MaskReg& mask) {                              \
        Name<T, mode>(dst, src, scalar, mask);                                                                 \
    }

namespace AscendC::Reg {

SKTWIN_REG_BINARY(Add, sktwin::AddLane, true, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, half, bfloat16_t,
                  float, int64_t, uint64_t, complex32, complex64)
SKTWIN_REG_BINARY(Sub, sktwin::SubLane, false, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, half, bfloat16_t,
                  float, int64_t, uint64_t, complex32, complex64)
SKTWIN_REG_BINARY(Mul, sktwin::MulLane, false, int16_t, uint16_t, int32_t, uint32_t, half, bfloat16_t, float, int64_t,
                  uint64_t, complex32, complex64)
SKTWIN_REG_BINARY(Div, sktwin::DivLane, false, int16_t, uint16_t, int32_t, uint32_t, half, float, int64_t, uint64_t,
                  complex32, complex64)
SKTWIN_REG_BINARY(Max, sktwin::MaxLane, true, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, half, bfloat16_t,
                  float, int64_t, uint64_t)
SKTWIN_REG_BINARY(Min, sktwin::MinLane, true, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, half, bfloat16_t,
                  float, int64_t, uint64_t)
SKTWIN_REG_BINARY(And, sktwin::AndLane, false, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t)
SKTWIN_REG_BINARY(Or, sktwin::OrLane, false, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t)
SKTWIN_REG_BINARY(Xor, sktwin::XorLane, false, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t)
SKTWIN_REG_BINARY(Prelu, sktwin::reg::PreluLane, false, half, float)
SKTWIN_REG_BINARY(AbsSub, sktwin::AbsSubLane, false, half, float)

SKTWIN_REG_UNARY(Abs, sktwin::AbsLane, int8_t, int16_t, half, int32_t, float, int64_t)
SKTWIN_REG_UNARY(Neg, sktwin::NegLane, int8_t, int16_t, half, int32_t, float, int64_t)
SKTWIN_REG_UNARY(Relu, sktwin::ReluLane, half, int32_t, float, int64_t)
SKTWIN_REG_UNARY(Exp, sktwin::ExpLane, half, float)
SKTWIN_REG_UNARY(Ln, sktwin::LnLane, half, float)
SKTWIN_REG_UNARY(Log, sktwin::LnLane, half, float)
SKTWIN_REG_UNARY(Log2, sktwin::reg::Log2Lane, half, float)
SKTWIN_REG_UNARY(Log10, sktwin::reg::Log10Lane, half, float)
SKTWIN_REG_UNARY(Sqrt, sktwin::SqrtLane, half, float)
SKTWIN_REG_UNARY(Not, sktwin::NotLane, int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float, int64_t,
                 uint64_t)

SKTWIN_REG_SCALAR(Adds, sktwin::AddLane, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, half, bfloat16_t, float,
                  int64_t, uint64_t, complex32, complex64)
SKTWIN_REG_SCALAR(Muls, sktwin::MulLane, int16_t, uint16_t, int32_t, uint32_t, half, float, int64_t, uint64_t,
                  complex32, complex64)
SKTWIN_REG_SCALAR(Maxs, sktwin::MaxLane, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, half, bfloat16_t, float,
                  int64_t, uint64_t)
SKTWIN_REG_SCALAR(Mins, sktwin::MinLane, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, half, bfloat16_t, float,
                  int64_t, uint64_t)
SKTWIN_REG_SCALAR(LeakyRelu, sktwin::LeakyReluLane, half, float)
SKTWIN_REG_SCALAR(ShiftLefts, sktwin::ShiftLeftLane, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t,
                  uint64_t)
SKTWIN_REG_SCALAR(ShiftRights, sktwin::ShiftRightLane, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t,
                  uint64_t)

// The modulus of complex elements.
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename F, const RegTrait& trait>
void Abs(RegTensor<F>& dst, const RegTensor<sktwin::Complex<F>, trait>& src, const MaskReg& mask) {
    constexpr uint32_t kN = sktwin::reg::kCount<F, RegTraitNumOne>;
    static_assert(mode == MaskMergeMode::ZEROING && trait.REG_NUM == 2,
                  "Reg::Abs: complex elements lie in RegTraitNumTwo, and lanes outside the mask become zero");
    const auto in = sktwin::reg::ReadLanes(src);
    sktwin::reg::LaneArray<F, kN> out;
    for (uint32_t i = 0; i < kN; ++i) {
        out.lane[i] = sktwin::FromDouble<F>(__builtin_hypot(float(in.lane[i].real), float(in.lane[i].imag)));
    }
    sktwin::reg::WriteMasked(dst, out.lane, mask);
}

// The amounts are signed elements of the same width.
template <typename T = DefaultType, typename U = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename E,
          typename A, const RegTrait& trait>
void ShiftLeft(RegTensor<E, trait>& dst, const RegTensor<E, trait>& src, const RegTensor<A, trait>& amount,
               const MaskReg& mask) {
    sktwin::reg::CheckCall<mode, T, E>();
    static_assert(sizeof(A) == sizeof(E) && std::is_signed_v<A> && std::is_integral_v<A> && std::is_integral_v<E>,
                  "Reg::ShiftLeft: takes integers, and amounts of signed integers of the same width");
    sktwin::reg::MapLanes(sktwin::reg::ShiftLeftBy(), dst, mask, src, amount);
}
template <typename T = DefaultType, typename U = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename E,
          typename A, const RegTrait& trait>
void ShiftRight(RegTensor<E, trait>& dst, const RegTensor<E, trait>& src, const RegTensor<A, trait>& amount,
                const MaskReg& mask) {
    sktwin::reg::CheckCall<mode, T, E>();
    static_assert(sizeof(A) == sizeof(E) && std::is_signed_v<A> && std::is_integral_v<A> && std::is_integral_v<E>,
                  "Reg::ShiftRight: takes integers, and amounts of signed integers of the same width");
    sktwin::reg::MapLanes(sktwin::reg::ShiftRightBy(), dst, mask, src, amount);
}

// --- with carry: a borrow of Sub is a carry that is not set -----------------------------------------------------

template <typename T = DefaultType, typename E, const RegTrait& trait>
void Add(MaskReg& carry, RegTensor<E, trait>& dst, const RegTensor<E, trait>& src0, const RegTensor<E, trait>& src1,
         const MaskReg& mask) {
    SKTWIN_REG_TYPES("Add with carry", E, (int32_t, uint32_t));
    sktwin::reg::MapCarry(carry, dst, src0, src1, mask,
                          [](uint32_t, uint32_t a, uint32_t b) { return uint64_t(a) + b; });
}
template <typename T = DefaultType, typename E, const RegTrait& trait>
void AddC(MaskReg& carryOut, RegTensor<E, trait>& dst, const RegTensor<E, trait>& src0, const RegTensor<E, trait>& src1,
          const MaskReg& carryIn, const MaskReg& mask) {
    SKTWIN_REG_TYPES("AddC", E, (int32_t, uint32_t));
    const MaskReg in = carryIn;
    sktwin::reg::MapCarry(carryOut, dst, src0, src1, mask,
                          [&](uint32_t i, uint32_t a, uint32_t b) { return uint64_t(a) + b + in.Test(4 * i); });
}
template <typename T = DefaultType, typename E, const RegTrait& trait>
void Sub(MaskReg& carry, RegTensor<E, trait>& dst, const RegTensor<E, trait>& src0, const RegTensor<E, trait>& src1,
         const MaskReg& mask) {
    SKTWIN_REG_TYPES("Sub with carry", E, (int32_t, uint32_t));
    sktwin::reg::MapCarry(carry, dst, src0, src1, mask,
                          [](uint32_t, uint32_t a, uint32_t b) { return uint64_t(a) + uint32_t(~b) + 1; });
}
template <typename T = DefaultType, typename E, const RegTrait& trait>
void SubC(MaskReg& carryOut, RegTensor<E, trait>& dst, const RegTensor<E, trait>& src0, const RegTensor<E, trait>& src1,
          const MaskReg& carryIn, const MaskReg& mask) {
    SKTWIN_REG_TYPES("SubC", E, (int32_t, uint32_t));
    const MaskReg in = carryIn;
    sktwin::reg::MapCarry(carryOut, dst, src0, src1, mask, [&](uint32_t i, uint32_t a, uint32_t b) {
        return uint64_t(a) + uint32_t(~b) + in.Test(4 * i);
    });
}

// --- several results or operands --------------------------------------------------------------------------------

// The low and the high words of the products.
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename E, const RegTrait& trait>
void Mull(RegTensor<E, trait>& dst0, RegTensor<E, trait>& dst1, const RegTensor<E, trait>& src0,
          const RegTensor<E, trait>& src1, const MaskReg& mask) {
    sktwin::reg::CheckCall<mode, T, E>();
    SKTWIN_REG_TYPES("Mull", E, (int32_t, uint32_t));
    using Wide = std::conditional_t<std::is_signed_v<E>, int64_t, uint64_t>;
    const auto a = src0;
    const auto b = src1;
    sktwin::reg::MapLanes([](E x, E y) { return static_cast<E>(Wide(x) * Wide(y)); }, dst0, mask, a, b);
    sktwin::reg::MapLanes([](E x, E y) { return static_cast<E>((Wide(x) * Wide(y)) >> 32); }, dst1, mask, a, b);
}

// dst = scalar * src + dst
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename E, const RegTrait& trait,
          typename S>
void Axpy(RegTensor<E, trait>& dst, const RegTensor<E, trait>& src, S scalar, const MaskReg& mask) {
    sktwin::reg::CheckCall<mode, T, E>();
    SKTWIN_REG_TYPES("Axpy", E, (half, bfloat16_t, float, int64_t, uint64_t));
    const auto factor = static_cast<E>(scalar);
    sktwin::reg::MapMulAdd([factor](E x, E, E old) { return sktwin::MulAddOf(x, factor, old); }, dst, src, src, mask);
}
// dst = src0 * src1 + dst
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename E, const RegTrait& trait>
void MulAddDst(RegTensor<E, trait>& dst, const RegTensor<E, trait>& src0, const RegTensor<E, trait>& src1,
               const MaskReg& mask) {
    sktwin::reg::CheckCall<mode, T, E>();
    SKTWIN_REG_TYPES("MulAddDst", E,
                     (int16_t, uint16_t, int32_t, uint32_t, half, bfloat16_t, float, int64_t, uint64_t));
    sktwin::reg::MapMulAdd([](E x, E y, E old) { return sktwin::MulAddOf(x, y, old); }, dst, src0, src1, mask);
}
// dst = dst * src0 + src1
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename E, const RegTrait& trait>
void MulDstAdd(RegTensor<E, trait>& dst, const RegTensor<E, trait>& src0, const RegTensor<E, trait>& src1,
               const MaskReg& mask) {
    sktwin::reg::CheckCall<mode, T, E>();
    SKTWIN_REG_TYPES("MulDstAdd", E, (half, bfloat16_t, float, int64_t, uint64_t));
    sktwin::reg::MapMulAdd([](E x, E y, E old) { return sktwin::MulAddOf(old, x, y); }, dst, src0, src1, mask);
}

// exp(src0 - src1) as float; the layout chooses the even or the odd halves. The mask is that of float lanes.
template <typename T = DefaultType, typename U = DefaultType, RegLayout layout = RegLayout::ZERO,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename D, typename E>
void ExpSub(RegTensor<D>& dst, const RegTensor<E>& src0, const RegTensor<E>& src1, const MaskReg& mask) {
    sktwin::reg::CheckCall<mode, T, D>();
    static_assert(std::is_same_v<D, float>, "Reg::ExpSub: the result is float");
    sktwin::reg::CheckCall<mode, U, E>();
    SKTWIN_REG_TYPES("ExpSub", E, (half, float));
    const auto a = sktwin::reg::WidenHalf<E, layout>(src0);
    const auto b = sktwin::reg::WidenHalf<E, layout>(src1);
    sktwin::reg::LaneArray<float, 64> out;
    for (uint32_t i = 0; i < 64; ++i) {
        out.lane[i] = sktwin::ExpLane()(a.lane[i] - b.lane[i]);
    }
    sktwin::reg::WriteMasked(dst, out.lane, mask);
}

// half(src * scalar) to the even or the odd lanes, ties away from zero; the other lanes become zero.
template <typename T = DefaultType, typename U = DefaultType, typename V = DefaultType,
          RegLayout layout = RegLayout::ZERO, MaskMergeMode mode = MaskMergeMode::ZEROING, typename D, typename E,
          typename S>
void MulsCast(RegTensor<D>& dst, const RegTensor<E>& src, S scalar, const MaskReg& mask) {
    sktwin::reg::CheckCall<mode, T, D>();
    sktwin::reg::CheckCall<mode, U, E>();
    static_assert(std::is_same_v<D, half> && std::is_same_v<E, float>, "Reg::MulsCast: takes float and gives half");
    static_assert(layout == RegLayout::ZERO || layout == RegLayout::ONE,
                  "Reg: the layout of halves is RegLayout::ZERO or ONE");
    const auto in = sktwin::reg::ReadLanes(src);
    const auto factor = static_cast<float>(scalar);
    sktwin::reg::LaneArray<half, 128> out;
    memset(static_cast<void*>(out.lane), 0, sizeof(out));
    for (uint32_t i = 0; i < 64; ++i) {
        if (mask.Test(4 * i)) {
            out.lane[2 * i + static_cast<uint32_t>(layout)] =
                sktwin::ConvertValue<half, float, RoundMode::CAST_ROUND>(in.lane[i] * factor, true);
        }
    }
    sktwin::reg::WriteLanes(dst, out.lane);
}

// A copy; with a mask, lanes outside it stay.
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::MERGING, typename E, const RegTrait& trait>
void Move(RegTensor<E, trait>& dst, const RegTensor<E, trait>& src, const MaskReg& mask) {
    sktwin::reg::CheckNamedType<T, E>();
    static_assert(mode == MaskMergeMode::MERGING, "Reg::Move: takes MaskMergeMode::MERGING only");
    auto lanes = sktwin::reg::ReadLanes(src);
    const auto old = sktwin::reg::ReadLanes(dst);
    for (uint32_t i = 0; i < sktwin::reg::kCount<E, trait>; ++i) {
        if (!mask.Test(i * sktwin::reg::kBitStep<E, trait>)) {
            lanes.lane[i] = old.lane[i];
        }
    }
    sktwin::reg::WriteLanes(dst, lanes.lane);
}
template <typename T = DefaultType, typename E, const RegTrait& trait>
void Move(RegTensor<E, trait>& dst, const RegTensor<E, trait>& src) {
    dst = src;
}

// Rounds to an integral value of the same type.
template <typename T = DefaultType, RoundMode roundMode = RoundMode::CAST_RINT,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename E, const RegTrait& trait>
void Truncate(RegTensor<E, trait>& dst, const RegTensor<E, trait>& src, const MaskReg& mask) {
    sktwin::reg::CheckCall<mode, T, E>();
    SKTWIN_REG_TYPES("Truncate", E, (half, bfloat16_t, float));
    sktwin::reg::MapLanes([](E x) { return sktwin::ConvertValue<E, E, roundMode>(x, true); }, dst, mask, src);
}

}  // namespace AscendC::Reg

#undef SKTWIN_REG_UNARY
#undef SKTWIN_REG_BINARY
#undef SKTWIN_REG_SCALAR
