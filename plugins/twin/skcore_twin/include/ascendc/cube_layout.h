// Licensed under the Apache License, Version 2.0.
//
// Index maths of the cube's memories (ascendc_data_cube.md 7.1): pure functions, no machine and no tensors.
// A fractal is 512 bytes, 16 rows of one 32-byte row of K0 elements; in L0C it is 16 x 16 accumulators.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

namespace sktwin::cube {

inline constexpr uint32_t kFractalRows = 16;
inline constexpr uint32_t kRowBytes = 32;
inline constexpr uint32_t kFractalBytes = 512;
inline constexpr uint32_t kAccumulatorFractal = 256;

constexpr uint64_t CeilDiv(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit; }
constexpr uint64_t RoundUp(uint64_t value, uint64_t unit) { return CeilDiv(value, unit) * unit; }

// Shapes are in elements; k0 is the number of elements of a 32-byte row.
struct Fractals {
    uint64_t rows;     // of the operand: M for A, N for B
    uint64_t columns;  // K
    uint64_t k0;

    constexpr uint64_t RowBlocks() const { return CeilDiv(rows, kFractalRows); }
    constexpr uint64_t ColumnBlocks() const { return CeilDiv(columns, k0); }

    // Column blocks one after another, rows inside: A of 3510 in L0A, and B (n, k) in L0B of both chips (there named
    // Zn).
    constexpr uint64_t Nz(uint64_t row, uint64_t column) const {
        return ((column / k0) * RowBlocks() + row / kFractalRows) * kFractalRows * k0 + (row % kFractalRows) * k0 +
               column % k0;
    }

    // Row blocks one after another: A of 2201 in L0A.
    constexpr uint64_t Zz(uint64_t row, uint64_t column) const {
        return ((row / kFractalRows) * ColumnBlocks() + column / k0) * kFractalRows * k0 + (row % kFractalRows) * k0 +
               column % k0;
    }
};

// L0C: 16 x 16 fractals, column blocks one after another.
constexpr uint64_t AccumulatorOffset(uint64_t row, uint64_t column, uint64_t rowBlocks) {
    return ((column / 16) * rowBlocks + row / 16) * kAccumulatorFractal + (row % 16) * 16 + column % 16;
}

// Elements by their width in bits, as raw patterns: moves never interpret values. Two 4-bit elements share a byte,
// the even one in the low nibble.
template <uint32_t bits>
inline uint64_t ReadRaw(const uint8_t* base, uint64_t index) {
    if constexpr (bits == 4) {
        return (base[index / 2] >> (index % 2 * 4)) & 0xf;
    } else {
        uint64_t value = 0;
        std::memcpy(&value, base + index * (bits / 8), bits / 8);
        return value;
    }
}

template <uint32_t bits>
inline void WriteRaw(uint8_t* base, uint64_t index, uint64_t value) {
    if constexpr (bits == 4) {
        const uint32_t shift = index % 2 * 4;
        base[index / 2] = static_cast<uint8_t>((base[index / 2] & ~(0xf << shift)) | (value << shift));
    } else {
        std::memcpy(base + index * (bits / 8), &value, bits / 8);
    }
}

template <uint32_t bits>
inline constexpr uint64_t kRawC0 = 256 / bits;

// Transposes one square of consecutive source fractals into output fractals (7.6). `source[f]` is fractal f of the
// square and `target[j]` receives output fractal j. Squares are 64, 32, 16, 16 elements wide for 4, 8, 16, 32 bits.
template <uint32_t bits>
inline constexpr uint32_t kSquareSide = bits == 4   ? 64
                                        : bits == 8 ? 32
                                                    : 16;

template <uint32_t bits>
inline constexpr uint32_t kSquareFractals = bits == 4    ? 4
                                            : bits == 8  ? 2
                                            : bits == 16 ? 1
                                                         : 2;

template <uint32_t bits>
inline void TransposeSquare(const uint8_t* const* source, uint8_t* const* target) {
    constexpr uint64_t side = kSquareSide<bits>;
    constexpr uint64_t k0 = kRawC0<bits>;
    uint64_t square[side * side];
    // 32-bit squares have their two fractals side by side, all others one below the other.
    const auto place = [](uint64_t row, uint64_t column) {
        return bits == 32 ? std::pair<uint64_t, uint64_t>(column / k0, row * k0 + column % k0)
                          : std::pair<uint64_t, uint64_t>(row / 16, (row % 16) * k0 + column);
    };
    for (uint64_t row = 0; row < side; ++row) {
        for (uint64_t column = 0; column < side; ++column) {
            const auto [fractal, offset] = place(row, column);
            square[column * side + row] = ReadRaw<bits>(source[fractal], offset);
        }
    }
    for (uint64_t row = 0; row < side; ++row) {
        for (uint64_t column = 0; column < side; ++column) {
            const auto [fractal, offset] = place(row, column);
            WriteRaw<bits>(target[fractal], offset, square[row * side + column]);
        }
    }
}

// The window of a Nz source that LoadData 2D V2 moves (7.3); positions and strides as in its parameters.
struct NzWindow {
    uint64_t rowStart;     // in 16 rows
    uint64_t columnStart;  // in 32-byte columns
    uint64_t rowSteps;
    uint64_t columnSteps;
    int64_t sourceStride;  // fractals between column blocks
    uint64_t targetStride;

    int64_t SourceFractal(uint64_t columnBlock, uint64_t rowBlock) const {
        return (static_cast<int64_t>(columnStart + columnBlock)) * sourceStride +
               static_cast<int64_t>(rowStart + rowBlock);
    }
};

// target(r, c) of the transposed window, in elements: 16-row fractals, column blocks targetStride fractals apart.
template <uint32_t bits>
inline void TransposeWindow(const NzWindow& window, const uint8_t* source, uint8_t* target) {
    constexpr uint64_t k0 = kRawC0<bits>;
    for (uint64_t column = 0; column < window.columnSteps * k0; ++column) {
        for (uint64_t row = 0; row < window.rowSteps * 16; ++row) {
            const int64_t fractal = window.SourceFractal(column / k0, row / 16);
            const uint64_t from = (row % 16) * k0 + column % k0;
            const uint64_t to = (row / k0) * window.targetStride * 16 * k0 + column * k0 + row % k0;
            WriteRaw<bits>(target, to, ReadRaw<bits>(source + fractal * kFractalBytes, from));
        }
    }
}

// One feature map in L1 and the filter that slides over it (7.7): which source element is (mm, kk) of the virtual
// matrix of img2col.
struct Img2Col {
    uint64_t height;
    uint64_t width;
    uint64_t channels;
    uint64_t c0;
    uint32_t padLeft;
    uint32_t padRight;
    uint32_t padTop;
    uint32_t padBottom;
    uint32_t strideW;
    uint32_t strideH;
    uint32_t filterW;
    uint32_t filterH;
    uint32_t dilationW;
    uint32_t dilationH;

    static constexpr int64_t kPadding = -1;
    static constexpr int64_t kOutside = -2;

    int64_t OutputHeight() const {
        return (static_cast<int64_t>(height + padTop + padBottom) - int64_t{dilationH} * (filterH - 1) - 1) / strideH +
               1;
    }

    int64_t OutputWidth() const {
        return (static_cast<int64_t>(width + padLeft + padRight) - int64_t{dilationW} * (filterW - 1) - 1) / strideW +
               1;
    }

    // Offset in elements of the source, kPadding for a padded pixel, kOutside beyond the virtual matrix. A last block
    // of fewer than C0 channels holds its pixels without gaps, and its columns are as narrow.
    int64_t Source(uint64_t mm, uint64_t kk) const {
        const int64_t wo = OutputWidth();
        const int64_t ho = OutputHeight();
        if (wo <= 0 || ho <= 0 || static_cast<int64_t>(mm) >= wo * ho) {
            return kOutside;
        }
        const uint64_t taps = uint64_t{filterH} * filterW;
        const uint64_t block = kk / (taps * c0);
        if (block * c0 >= channels) {
            return kOutside;
        }
        const uint64_t blockWidth = channels - block * c0 < c0 ? channels - block * c0 : c0;
        const uint64_t inside = kk - block * taps * c0;
        const uint64_t tap = inside / blockWidth;
        if (tap >= taps) {
            return kOutside;
        }
        const int64_t y =
            static_cast<int64_t>(mm) / wo * strideH + static_cast<int64_t>(tap / filterW * dilationH) - padTop;
        const int64_t x =
            static_cast<int64_t>(mm) % wo * strideW + static_cast<int64_t>(tap % filterW * dilationW) - padLeft;
        if (y < 0 || x < 0 || y >= static_cast<int64_t>(height) || x >= static_cast<int64_t>(width)) {
            return kPadding;
        }
        const uint64_t pixel = static_cast<uint64_t>(y) * width + static_cast<uint64_t>(x);
        return static_cast<int64_t>(block * c0 * height * width + pixel * blockWidth + inside % blockWidth);
    }
};

}  // namespace sktwin::cube
