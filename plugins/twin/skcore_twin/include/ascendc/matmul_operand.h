// Licensed under the Apache License, Version 2.0.
//
// Operands of the Matmul class: what it takes on which chip, and references to tensors that hold on every core.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ascendc/cube_mmad.h"
#include "ascendc/cube_quant.h"
#include "ascendc/matmul_config.h"
#include "ascendc/matmul_request.h"
#include "ascendc/tensor.h"

namespace AscendC {

namespace detail {

#if defined(ASCENDC_CUBE_ONLY) || defined(__DAV_CUBE__)
inline constexpr bool kMatmulComputes = sktwin::kHasCubeUnit;
#else
inline constexpr bool kMatmulComputes = false;
#endif
#if defined(ASCENDC_CUBE_ONLY)
inline constexpr bool kMatmulSends = false;
#else
inline constexpr bool kMatmulSends = !kMatmulComputes;
#endif

constexpr bool IsMatmulInput(CubeFormat format, TPosition position) {
    const bool place = position == TPosition::GM || position == TPosition::VECOUT || position == TPosition::TSCM ||
                       position == TPosition::A1 || position == TPosition::B1;
    const bool columnMajor = sktwin::kChip3510 && format == CubeFormat::COLUMN_MAJOR && position == TPosition::GM;
    return place && (format == CubeFormat::ND || format == CubeFormat::NZ || format == CubeFormat::VECTOR ||
                     format == CubeFormat::SCALAR || columnMajor);
}

constexpr bool IsMatmulOutput(CubeFormat format, TPosition position) {
    const bool columnMajor = sktwin::kChip3510 && format == CubeFormat::COLUMN_MAJOR;
    return (position == TPosition::GM || position == TPosition::VECIN || position == TPosition::VECCALC) &&
           (format == CubeFormat::ND || format == CubeFormat::NZ || format == CubeFormat::ND_ALIGN || columnMajor);
}

template <typename Acc, typename Out, typename Bias>
constexpr bool IsMatmulTypes() {
    if constexpr (std::is_same_v<Acc, float>) {
        return sktwin::cube::kFixpipeExists<Out, float> &&
               (std::is_same_v<Bias, float> || std::is_same_v<Bias, half> || std::is_same_v<Bias, bfloat16_t> ||
                std::is_same_v<Bias, Out>);
    } else {
        return std::is_same_v<Acc, int32_t> && sktwin::cube::kFixpipeExists<Out, int32_t>;
    }
}

template <typename T>
sktwin::matmul::MatrixRef RefTo(const GlobalTensor<T>& tensor, bool transpose = false) {
    sktwin::matmul::MatrixRef ref;
    ref.global = reinterpret_cast<const uint8_t*>(tensor.GetPhyAddr());
    ref.transpose = transpose;
    return ref;
}

// The core that owns the bytes: L1 belongs to the AIC of the group, also when its AIVs name it.
template <typename T>
sktwin::Core* OwnerOf(const LocalTensor<T>& tensor, sktwin::Site site) {
    const sktwin::Memory memory = tensor.GetMemory();
    if (memory == sktwin::Memory::kUb ? sktwin::kHasVectorUnit : sktwin::LocalSize(memory) != 0) {
        return &sktwin::Self();
    }
    if (memory != sktwin::Memory::kL1) {
        sktwin::Fault("matmul-position", site,
                      "Matmul: a local tensor of position %d is no operand on this core; use VECOUT, "
                      "VECIN or TSCM on an AIV and TSCM on an AIC",
                      static_cast<int>(tensor.GetPosition()));
    }
    return &sktwin::GroupCore(sktwin::CoreKind::kAic, 0, site);
}

template <typename T>
sktwin::matmul::MatrixRef RefTo(const LocalTensor<T>& tensor, bool transpose, sktwin::Site site) {
    sktwin::matmul::MatrixRef ref;
    ref.core = OwnerOf(tensor, site);
    ref.memory = tensor.GetMemory();
    ref.start = tensor.GetByteOffset();
    ref.transpose = transpose;
    return ref;
}

template <typename T>
sktwin::matmul::MatrixRef ScalarRef(T value) {
    sktwin::matmul::MatrixRef ref;
    ref.isScalar = true;
    std::memcpy(&ref.scalar, &value, sizeof(T) < sizeof(ref.scalar) ? sizeof(T) : sizeof(ref.scalar));
    return ref;
}

}  // namespace detail

}  // namespace AscendC
