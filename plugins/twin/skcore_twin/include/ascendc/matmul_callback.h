// Licensed under the Apache License, Version 2.0.
//
// User functions that fill L1 in place of the Matmul class (ascendc_data_cube.md 10.7). They run on the AIC, once for
// each base block of A or B, and leave it in Nz at the tensor they are given.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "ascendc/cube_access.h"
#include "ascendc/cube_mmad.h"
#include "ascendc/matmul_request.h"
#include "ascendc/tensor.h"

namespace AscendC {

template <auto dataCopyOut, auto copyA1, auto copyB1>
struct MatmulCallBackFunc {
    static constexpr auto kCopyA1 = copyA1;
    static constexpr auto kCopyB1 = copyB1;
    static constexpr bool kHasCopyOut = !std::is_null_pointer_v<decltype(dataCopyOut)>;
    static constexpr bool kHasCopyA1 = !std::is_null_pointer_v<decltype(copyA1)>;
    static constexpr bool kHasCopyB1 = !std::is_null_pointer_v<decltype(copyB1)>;
};

}  // namespace AscendC

namespace sktwin::matmul {

// The base block that starts at (row, column) of an operand, read back from L1 into `values` with `pitch`.
template <typename T, typename Acc>
inline void ReadFromL1(const AscendC::LocalTensor<int8_t>& block, uint64_t rows, uint64_t columns, cube::Hf32 hf32,
                       uint64_t pitch, cube::PackedOf<Acc>* values, Site site) {
    constexpr uint64_t c0 = cube::kC0<T>;
    const auto operand = cube::Operand(block, cube::In(Memory::kL1), "L1", "Matmul", site);
    const uint64_t height = cube::RoundUp(rows, 16);
    const uint8_t* base = operand.Bytes(0, sktwin::BytesOf<T>(height * cube::RoundUp(columns, c0)));
    for (uint64_t row = 0; row < rows; ++row) {
        for (uint64_t column = 0; column < columns; ++column) {
            const uint64_t from = (column / c0 * height + row) * c0 + column % c0;
            values[row * pitch + column] = cube::LoadPacked<T, Acc>(base, from, hf32);
        }
    }
}

// [rows][columns] of an operand, fetched in blocks of blockRows x blockColumns by the user's function. The operand
// begins at element (row, column), which are multiples of the block's sizes.
template <typename T, typename Acc, typename Copy>
inline std::vector<cube::PackedOf<Acc>> ReadByCallback(Copy copy, const MatrixRef& matrix, const Request& request,
                                                       uint64_t row, uint64_t column, uint64_t rows, uint64_t columns,
                                                       uint64_t blockRows, uint64_t blockColumns, cube::Hf32 hf32) {
    std::vector<cube::PackedOf<Acc>> values(rows * columns);
    const AscendC::LocalTensor<int8_t> l1(AscendC::TPosition::A1, 0, LocalSize(Memory::kL1));
    for (uint64_t r = 0; r < rows; r += blockRows) {
        for (uint64_t c = 0; c < columns; c += blockColumns) {
            const uint64_t useRows = std::min(blockRows, rows - r);
            const uint64_t useColumns = std::min(blockColumns, columns - c);
            copy(l1, matrix.global, static_cast<int>((row + r) / blockRows),
                 static_cast<int>((column + c) / blockColumns), static_cast<int>(useRows), static_cast<int>(useColumns),
                 request.userTiling, request.userData);
            ReadFromL1<T, Acc>(l1, useRows, useColumns, hf32, columns, values.data() + r * columns + c, request.site);
        }
    }
    return values;
}

}  // namespace sktwin::matmul
