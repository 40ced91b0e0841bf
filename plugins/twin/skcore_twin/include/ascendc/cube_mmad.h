// Licensed under the Apache License, Version 2.0.
//
// Mmad: L0C <- initial + L0A x L0B (ascendc_data_cube.md 8), and the HF32 modes.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "ascendc/cube_access.h"
#include "ascendc/cube_gemm.h"
#include "ascendc/cube_types.h"
#include "ascendc/tensor.h"

namespace sktwin::cube {

template <typename T>
inline constexpr bool kIsCubeFloat =
    std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t> || std::is_same_v<T, float>;

// The accumulator of products of A and B, or void where the chip has no such product (8.3).
template <typename A, typename B>
using AccumulatorOf =
    std::conditional_t<std::is_same_v<A, B> && kIsCubeFloat<A>, float,
                       std::conditional_t<std::is_same_v<A, B> &&
                                              (std::is_same_v<A, int8_t> || (std::is_same_v<A, int4b_t> && !kChip3510)),
                                          int32_t, void>>;

// What Mmad adds to the products above, and what MmadMx multiplies; the class Matmul has neither.
template <typename T>
inline constexpr bool kIsFp8 = std::is_same_v<T, fp8_e4m3fn_t> || std::is_same_v<T, fp8_e5m2_t>;
template <typename A, typename B>
inline constexpr bool kIsMxProduct = kChip3510 && ((kIsFp8<A> && kIsFp8<B>) || (kIsFloatPair<A> && kIsFloatPair<B>));
template <typename A, typename B>
inline constexpr bool kIsSmallProduct =
    kChip3510 && ((kIsFp8<A> && kIsFp8<B>) || (std::is_same_v<A, hifloat8_t> && std::is_same_v<B, hifloat8_t>));

// Rounds to the mantissa of HF32: 11 explicit bits on 2201, 10 on 3510. The documents call NEAREST_ZERO both ties
// toward zero and ties away from it; the reference model of the operators' tests takes ties away, and so does this.
inline float RoundHf32(float value, bool tiesToEven) {
    constexpr uint32_t dropped = kChip3510 ? 13 : 12;
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    if ((bits & 0x7f800000u) == 0x7f800000u) {
        return value;
    }
    const uint32_t middle = 1u << (dropped - 1);
    const uint32_t odd = bits >> dropped & 1u;
    bits = (bits + (tiesToEven ? middle - 1 + odd : middle)) & ~((1u << dropped) - 1);
    std::memcpy(&value, &bits, sizeof(bits));
    return value;
}

enum class Hf32 : uint8_t { kOff, kAway, kEven };

inline Hf32 CurrentHf32() {
    const uint64_t control = Scratch(kScratchLoadRepeat);
    return (control & kHf32On) == 0 ? Hf32::kOff : (control & kHf32Even) != 0 ? Hf32::kEven : Hf32::kAway;
}

// Element `index` as the multiplier takes it.
template <typename T, typename Acc>
inline PackedOf<Acc> LoadPacked(const uint8_t* base, uint64_t index, Hf32 hf32) {
    if constexpr (kIsFloatPair<T>) {
        return DecodeSmall<typename T::FormatType>(static_cast<uint8_t>(ReadRaw<4>(base, index)));
    } else if constexpr (kElementBits<T> == 4) {
        const auto nibble = static_cast<int16_t>(ReadRaw<4>(base, index));
        return static_cast<int16_t>(nibble - (nibble & 8) * 2);
    } else {
        T value;
        std::memcpy(&value, base + index * sizeof(T), sizeof(T));
        if constexpr (std::is_same_v<T, float>) {
            return hf32 == Hf32::kOff ? value : RoundHf32(value, hf32 == Hf32::kEven);
        } else {
            return static_cast<PackedOf<Acc>>(value);
        }
    }
}

enum class MmadStart : uint8_t { kZero, kBias, kMatrix };

// What one Mmad reads and writes, after its parameters are resolved.
struct MmadTask {
    uint64_t m;
    uint64_t n;
    uint64_t k;
    bool gemv;         // A is one plain row
    bool evenColumns;  // float operands have an even number of column blocks
    MmadStart start;
    const uint8_t* a;
    const uint8_t* b;
    uint8_t* c;
    const uint8_t* initial;  // bias row or old matrix, 4 bytes an element
    Hf32 hf32;
    const uint8_t* leftScales;  // MX: of A and of B, else null
    const uint8_t* rightScales;
};

// The scale of 32 elements along K: fractals of 16 rows and 2 scales, along K first.
template <typename Acc>
inline PackedOf<Acc> Scaled(PackedOf<Acc> value, const uint8_t* scales, uint64_t row, uint64_t k, uint64_t depth) {
    if constexpr (std::is_same_v<Acc, float>) {
        if (scales != nullptr) {
            const uint64_t fractal = row / 16 * (depth / 64) + k / 64;
            return value * DecodeSmall<E8m0>(scales[fractal * kRowBytes + row % 16 * 2 + k / 32 % 2]);
        }
    }
    return value;
}

template <typename T>
inline uint64_t PaddedK(const MmadTask& task) {
    return RoundUp(task.k, task.evenColumns && std::is_same_v<T, float> ? 2 * kC0<T> : kC0<T>);
}

template <typename T, typename Acc>
inline std::vector<PackedOf<Acc>> PackLeft(const MmadTask& task) {
    std::vector<PackedOf<Acc>> packed(task.m * task.k);
    const Fractals shape{task.m, PaddedK<T>(task), kC0<T>};
    for (uint64_t row = 0; row < task.m; ++row) {
        for (uint64_t column = 0; column < task.k; ++column) {
            const uint64_t from = task.gemv ? column : kChip3510 ? shape.Nz(row, column) : shape.Zz(row, column);
            packed[row * task.k + column] =
                Scaled<Acc>(LoadPacked<T, Acc>(task.a, from, task.hf32), task.leftScales, row, column, task.k);
        }
    }
    return packed;
}

// Columns [first, first + 16) of B as [k][16]; columns beyond n are zero.
template <typename T, typename Acc>
inline void PackRight(const MmadTask& task, uint64_t first, std::vector<PackedOf<Acc>>* panel) {
    const Fractals shape{task.n, PaddedK<T>(task), kC0<T>};
    for (uint64_t k = 0; k < task.k; ++k) {
        for (uint64_t j = 0; j < kPanelColumns; ++j) {
            (*panel)[k * kPanelColumns + j] =
                first + j < task.n ? Scaled<Acc>(LoadPacked<T, Acc>(task.b, shape.Nz(first + j, k), task.hf32),
                                                 task.rightScales, first + j, k, task.k)
                                   : PackedOf<Acc>(0);
        }
    }
}

template <typename A, typename B, typename Acc>
inline void RunMmad(const MmadTask& task) {
    const auto left = PackLeft<A, Acc>(task);
    std::vector<PackedOf<Acc>> panel(task.k * kPanelColumns);
    std::vector<Acc> block(task.m * kPanelColumns);
    const uint64_t rowBlocks = CeilDiv(task.m, kFractalRows);
    for (uint64_t first = 0; first < task.n; first += kPanelColumns) {
        PackRight<B, Acc>(task, first, &panel);
        const uint64_t columns = task.n - first < kPanelColumns ? task.n - first : kPanelColumns;
        const uint64_t offset = AccumulatorOffset(0, first, rowBlocks) * sizeof(Acc);
        for (uint64_t row = 0; row < task.m; ++row) {
            Acc* line = block.data() + row * kPanelColumns;
            std::memset(line, 0, kPanelColumns * sizeof(Acc));
            if (task.start != MmadStart::kZero) {
                const bool bias = task.start == MmadStart::kBias;
                const uint8_t* from =
                    task.initial + (bias ? first * sizeof(Acc) : offset + row * kPanelColumns * sizeof(Acc));
                std::memcpy(line, from, columns * sizeof(Acc));
            }
        }
        MultiplyPanel<Acc>(left.data(), task.k, panel.data(), task.m, task.k, block.data());
        for (uint64_t row = 0; row < task.m; ++row) {
            std::memcpy(task.c + offset + row * kPanelColumns * sizeof(Acc), block.data() + row * kPanelColumns,
                        columns * sizeof(Acc));
        }
    }
}

// Resolves operands and runs. `bias` is null, or an operand in the bias table or in L0C.
template <typename T, typename S, typename Acc, bool scaled = false>
inline void IssueMmad(const LocalOperand& dst, const LocalOperand& left, const LocalOperand& right,
                      const LocalOperand* bias, const AscendC::MmadParams& params) {
    if (params.m == 0 || params.n == 0 || params.k == 0) {
        return;
    }
    MmadTask task{};
    task.m = params.m;
    task.n = params.n;
    task.k = params.k;
    task.gemv = params.m == 1;
    bool initial = params.cmatrixInitVal && !params.isBias;
#if __NPU_ARCH__ == 3510
    task.gemv = task.gemv && !params.disableGemv;
    initial = initial && bias == nullptr;
#else
    task.evenColumns = params.kDirectionAlign;
#endif
    const bool fromTable = bias != nullptr ? bias->memory == Memory::kBias : params.cmatrixSource;
    task.start = initial ? MmadStart::kZero : fromTable ? MmadStart::kBias : MmadStart::kMatrix;
    task.hf32 = CurrentHf32();
    const uint64_t k = PaddedK<T>(task);
    const uint64_t matrix = RoundUp(task.m, 16) * RoundUp(task.n, 16) * sizeof(Acc);
    task.a = left.Bytes(0, task.gemv ? sktwin::BytesOf<T>(task.k) : sktwin::BytesOf<T>(RoundUp(task.m, 16) * k));
    task.b = right.Bytes(0, sktwin::BytesOf<T>(RoundUp(task.n, 16) * k));
    task.c = dst.Bytes(0, matrix);
    const LocalOperand table{Memory::kBias, 0, dst.api, dst.site};
    if (task.start == MmadStart::kBias) {
        task.initial = (bias != nullptr ? *bias : table).Bytes(0, task.n * sizeof(Acc));
    } else if (task.start == MmadStart::kMatrix) {
        task.initial = (bias != nullptr ? *bias : dst).Bytes(0, matrix);
    }
    if constexpr (scaled) {
        if (task.k % 64 != 0) {
            Fault("cube-parameter", dst.site, "%s: k is %u, but must be a multiple of 64", dst.api, params.k);
        }
        const uint64_t bytes = task.k / 64 * kRowBytes;
        task.leftScales = ScalesOf(left).Bytes(0, CeilDiv(task.m, kFractalRows) * bytes);
        task.rightScales = ScalesOf(right).Bytes(0, CeilDiv(task.n, kFractalRows) * bytes);
    }
    RunMmad<T, S, Acc>(task);
}

}  // namespace sktwin::cube

namespace AscendC {

namespace detail {

template <typename T, typename U, typename S>
inline constexpr bool kMmadExists = std::is_same_v<sktwin::cube::AccumulatorOf<U, S>, T> ||
                                   (sktwin::cube::kIsSmallProduct<U, S> && std::is_same_v<T, float>);

}  // namespace detail

#if __NPU_ARCH__ == 3510
#define SKTWIN_MMAD_TYPES                                                                                        \
    "Mmad: dav-3510 has dst, fm, filter = (float, half, half), (float, bfloat16_t, bfloat16_t), (float, float, " \
    "float), (int32_t, int8_t, int8_t), (float, fp8_*, fp8_*), (float, hifloat8_t, hifloat8_t)"
#else
#define SKTWIN_MMAD_TYPES                                                                                        \
    "Mmad: dav-2201 has dst, fm, filter = (float, half, half), (float, bfloat16_t, bfloat16_t), (float, float, " \
    "float), (int32_t, int8_t, int8_t), (int32_t, int4b_t, int4b_t)"
#endif

template <typename T, typename U, typename S>
inline void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter,
                 const MmadParams& params, sktwin::Site site = sktwin::Site::Here()) {
    namespace cube = sktwin::cube;
    static_assert(detail::kMmadExists<T, U, S>, SKTWIN_MMAD_TYPES);
    if constexpr (sktwin::kHasCubeUnit && detail::kMmadExists<T, U, S>) {
        cube::IssueMmad<U, S, T>(cube::Operand(dst, cube::In(sktwin::Memory::kL0c), "L0C", "Mmad", site),
                              cube::Operand(fm, cube::In(sktwin::Memory::kL0a), "L0A", "Mmad", site),
                              cube::Operand(filter, cube::In(sktwin::Memory::kL0b), "L0B", "Mmad", site), nullptr,
                              params);
    }
}

template <typename T, typename U, typename S, typename V>
inline void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter,
                 const LocalTensor<V>& bias, const MmadParams& params, sktwin::Site site = sktwin::Site::Here()) {
    namespace cube = sktwin::cube;
    static_assert(detail::kMmadExists<T, U, S>, SKTWIN_MMAD_TYPES);
    if constexpr (sktwin::kHasCubeUnit && detail::kMmadExists<T, U, S>) {
        constexpr uint32_t biasMemories = cube::In(sktwin::Memory::kBias) | cube::In(sktwin::Memory::kL0c);
        const auto initial = cube::Operand(bias, biasMemories, "BT (C2) or L0C (CO1)", "Mmad", site);
        cube::IssueMmad<U, S, T>(cube::Operand(dst, cube::In(sktwin::Memory::kL0c), "L0C", "Mmad", site),
                              cube::Operand(fm, cube::In(sktwin::Memory::kL0a), "L0A", "Mmad", site),
                              cube::Operand(filter, cube::In(sktwin::Memory::kL0b), "L0B", "Mmad", site), &initial,
                              params);
    }
}

#undef SKTWIN_MMAD_TYPES

#if __NPU_ARCH__ == 3510
// Products of scaled values: the scales lie where LoadData with LoadData2DMxParams has put them.
template <typename T, typename U, typename S>
inline void MmadMx(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter,
                   const MmadParams& params, sktwin::Site site = sktwin::Site::Here()) {
    namespace cube = sktwin::cube;
    constexpr bool kExists = cube::kIsMxProduct<U, S> && std::is_same_v<T, float>;
    static_assert(kExists, "MmadMx: dav-3510 has dst, fm, filter = (float, fp8_*, fp8_*), (float, fp4x2_*, fp4x2_*)");
    if constexpr (sktwin::kHasCubeUnit && kExists) {
        cube::IssueMmad<U, S, T, true>(cube::Operand(dst, cube::In(sktwin::Memory::kL0c), "L0C", "MmadMx", site),
                                       cube::Operand(fm, cube::In(sktwin::Memory::kL0a), "L0A", "MmadMx", site),
                                       cube::Operand(filter, cube::In(sktwin::Memory::kL0b), "L0B", "MmadMx", site),
                                       nullptr, params);
    }
}
template <typename T, typename U, typename S, typename V>
inline void MmadMx(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter,
                   const LocalTensor<V>& bias, const MmadParams& params, sktwin::Site site = sktwin::Site::Here()) {
    namespace cube = sktwin::cube;
    constexpr bool kExists = cube::kIsMxProduct<U, S> && std::is_same_v<T, float>;
    static_assert(kExists, "MmadMx: dav-3510 has dst, fm, filter = (float, fp8_*, fp8_*), (float, fp4x2_*, fp4x2_*)");
    if constexpr (sktwin::kHasCubeUnit && kExists) {
        constexpr uint32_t biasMemories = cube::In(sktwin::Memory::kBias) | cube::In(sktwin::Memory::kL0c);
        const auto initial = cube::Operand(bias, biasMemories, "BT (C2) or L0C (CO1)", "MmadMx", site);
        cube::IssueMmad<U, S, T, true>(cube::Operand(dst, cube::In(sktwin::Memory::kL0c), "L0C", "MmadMx", site),
                                       cube::Operand(fm, cube::In(sktwin::Memory::kL0a), "L0A", "MmadMx", site),
                                       cube::Operand(filter, cube::In(sktwin::Memory::kL0b), "L0B", "MmadMx", site),
                                       &initial, params);
    }
}
#endif

inline void SetHF32Mode(HF32Mode mode) {
    if constexpr (sktwin::kHasCubeUnit) {
        using namespace sktwin::cube;
        SetBits(&Scratch(kScratchLoadRepeat), kHf32On, mode == HF32Mode::ENABLE ? kHf32On : 0);
    }
}
inline void SetHF32Mode(bool enable) { SetHF32Mode(enable ? HF32Mode::ENABLE : HF32Mode::DISABLE); }

inline void SetHF32TransMode(HF32TransMode mode) {
    if constexpr (sktwin::kHasCubeUnit) {
        using namespace sktwin::cube;
        SetBits(&Scratch(kScratchLoadRepeat), kHf32Even, mode == HF32TransMode::NEAREST_EVEN ? kHf32Even : 0);
    }
}
inline void SetHF32TransMode(bool towardZero) {
    SetHF32TransMode(towardZero ? HF32TransMode::NEAREST_ZERO : HF32TransMode::NEAREST_EVEN);
}

// The order in which the device produces blocks of C: no effect on values.
inline void SetMMLayoutTransform(bool) {}
inline void SetMMColumnMajor() {}
inline void SetMMRowMajor() {}

}  // namespace AscendC
