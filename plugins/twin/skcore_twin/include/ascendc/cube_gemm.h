// Licensed under the Apache License, Version 2.0.
//
// The arithmetic of the cube (ascendc_data_cube.md 8.4), shared by Mmad and Matmul. Every accumulator takes its
// products one at a time in increasing k, starting from the old content, the bias or zero: a result therefore depends
// neither on blocking of m, n or k nor on which of the two APIs made it. Half and bfloat16 products are exact in float;
// the device documents no order of its own.
#pragma once

#include <cstdint>
#include <type_traits>

namespace sktwin::cube {

inline constexpr uint64_t kPanelColumns = 16;

// 8- and 4-bit operands are packed as 16-bit integers: hosts without a 32-bit vector multiply stay fast.
template <typename Acc>
using PackedOf = std::conditional_t<std::is_same_v<Acc, float>, float, int16_t>;

template <typename Acc>
inline Acc MultiplyAdd(Acc sum, PackedOf<Acc> a, PackedOf<Acc> b) {
    if constexpr (std::is_same_v<Acc, float>) {
        return sum + a * b;
    } else {
        return static_cast<int32_t>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(int32_t{a} * int32_t{b}));
    }
}

// sums[r][0..16) += a[r][k] * panel[k][0..16) for the rows of one tile. The trip counts of the inner loops are
// constants because at -O2 the compiler vectorises only such loops.
template <typename Acc, int rows>
inline void MultiplyTile(const PackedOf<Acc>* a, uint64_t aPitch, const PackedOf<Acc>* panel, uint64_t k, Acc* c) {
    Acc sums[rows][kPanelColumns];
    for (int row = 0; row < rows; ++row) {
        for (uint64_t j = 0; j < kPanelColumns; ++j) {
            sums[row][j] = c[row * kPanelColumns + j];
        }
    }
    for (uint64_t step = 0; step < k; ++step) {
        const PackedOf<Acc>* line = panel + step * kPanelColumns;
        for (int row = 0; row < rows; ++row) {
            const PackedOf<Acc> value = a[row * aPitch + step];
            for (uint64_t j = 0; j < kPanelColumns; ++j) {
                sums[row][j] = MultiplyAdd<Acc>(sums[row][j], value, line[j]);
            }
        }
    }
    for (int row = 0; row < rows; ++row) {
        for (uint64_t j = 0; j < kPanelColumns; ++j) {
            c[row * kPanelColumns + j] = sums[row][j];
        }
    }
}

// One panel of 16 columns: a is [m][aPitch], panel [k][16], c [m][16], as the blocks of L0C are.
template <typename Acc>
inline void MultiplyPanel(const PackedOf<Acc>* a, uint64_t aPitch, const PackedOf<Acc>* panel, uint64_t m, uint64_t k,
                          Acc* c) {
    uint64_t row = 0;
    for (; row + 2 <= m; row += 2) {
        MultiplyTile<Acc, 2>(a + row * aPitch, aPitch, panel, k, c + row * kPanelColumns);
    }
    if (row < m) {
        MultiplyTile<Acc, 1>(a + row * aPitch, aPitch, panel, k, c + row * kPanelColumns);
    }
}

}  // namespace sktwin::cube
