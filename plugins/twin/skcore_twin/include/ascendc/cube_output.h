// Licensed under the Apache License, Version 2.0.
//
// The way out of L0C (ascendc_data_cube.md 9.3): reads accumulators in NZ order, converts them, and writes NZ, rows or
// columns to global memory, L1 or UB. Fixpipe, DataCopy from CO1 and Matmul share it.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "ascendc/atomic.h"
#include "ascendc/cube_access.h"
#include "ascendc/cube_quant.h"

namespace sktwin::cube {

// Where results go: global memory, with the core's atomic registers in force, or a local memory of this core or of an
// AIV of the group.
template <typename Out>
class OutputTarget {
public:
    static OutputTarget Global(Out* base, Site site) { return {base, nullptr, Memory::kCount, 0, site}; }
    static OutputTarget Local(Core* core, Memory memory, uint64_t start, Site site) {
        return {nullptr, core, memory, start, site};
    }

    // One contiguous burst; offset in elements.
    void Write(uint64_t offset, const Out* values, uint64_t count) const {
        const uint64_t bytes = count * sizeof(Out);
        if (core_ != nullptr) {
            std::memcpy(LocalBytes(offset * sizeof(Out), bytes), values, bytes);
            return;
        }
        StoreGlobal(base_ + offset, reinterpret_cast<const uint8_t*>(values), bytes, site_);
    }

    OutputTarget OnCore(Core* core) const {
        OutputTarget other = *this;
        other.core_ = core;
        return other;
    }
    bool IsUb() const { return core_ != nullptr && memory_ == Memory::kUb; }

private:
    OutputTarget(Out* base, Core* core, Memory memory, uint64_t start, Site site)
        : base_(base), core_(core), memory_(memory), start_(start), site_(site) {}

    uint8_t* LocalBytes(uint64_t offset, uint64_t bytes) const {
        const uint64_t size = core_->localSize[static_cast<int>(memory_)];
        if (start_ + offset + bytes > size) {
            Fault("local-memory-size", site_,
                  "output of the cube: bytes [%llu, %llu) of %s are written, which has %llu "
                  "bytes; check dstStride and the sizes",
                  static_cast<unsigned long long>(start_ + offset),
                  static_cast<unsigned long long>(start_ + offset + bytes), MemoryName(memory_),
                  static_cast<unsigned long long>(size));
        }
        return core_->local[static_cast<int>(memory_)] + start_ + offset;
    }

    Out* base_;
    Core* core_;
    Memory memory_;
    uint64_t start_;
    Site site_;
};

// One tile, or `matrices` of them. Strides are in elements of their side.
struct OutputTile {
    uint64_t rows;
    uint64_t columns;
    AscendC::CO2Layout layout;
    uint64_t matrices;
    uint64_t sourceMatrix;
    uint64_t targetMatrix;
    uint64_t sourceBlock;  // between blocks of 16 columns
    uint64_t sourceRow;    // between rows of a block
    uint64_t targetPitch;  // of a row, of a column block, or of a column, as the layout says
    uint64_t blockWidth;   // columns of one target block of NZ
    OutputMode mode;
    uint64_t image;          // parameter of all columns
    const uint64_t* images;  // or one a column, or null

    uint64_t SourceSpan() const {
        const uint64_t blocks = CeilDiv(columns, 16);
        return (matrices - 1) * sourceMatrix + (blocks - 1) * sourceBlock + (rows - 1) * sourceRow + 16;
    }
};

// Elements of a block row in the NZ form of Out: 16 for 2- and 4-byte results, 32 for bytes, 8 when split.
template <typename Out>
constexpr uint64_t NzWidth(bool channelSplit) {
    return channelSplit ? 8 : sizeof(Out) == 1 ? 32 : 16;
}

// The whole tile converted, as [rows][columns] or, for columns first, [columns][rows].
template <typename Out, typename Acc>
inline std::vector<Out> ConvertTile(const OutputTile& tile, const Acc* source) {
    std::vector<Out> values(tile.rows * tile.columns);
    const bool columnsFirst = tile.layout == AscendC::CO2Layout::COLUMN_MAJOR;
    QuantImage image = DecodeQuantImage(tile.image);
    for (uint64_t column = 0; column < tile.columns; ++column) {
        if (tile.images != nullptr) {
            image = DecodeQuantImage(tile.images[column]);
        }
        const Acc* line = source + column / 16 * tile.sourceBlock + column % 16;
        for (uint64_t row = 0; row < tile.rows; ++row) {
            const uint64_t to = columnsFirst ? column * tile.rows + row : row * tile.columns + column;
            values[to] = ConvertAccumulator<Out, Acc>(line[row * tile.sourceRow], tile.mode, image);
        }
    }
    return values;
}

template <typename Out>
inline void WriteNz(const OutputTile& tile, const std::vector<Out>& values, const OutputTarget<Out>& target) {
    std::vector<Out> block;
    for (uint64_t first = 0; first < tile.columns; first += tile.blockWidth) {
        const uint64_t start = first / tile.blockWidth * tile.targetPitch;
        const uint64_t width = tile.columns - first < tile.blockWidth ? tile.columns - first : tile.blockWidth;
        if (width < tile.blockWidth) {
            for (uint64_t row = 0; row < tile.rows; ++row) {
                target.Write(start + row * tile.blockWidth, values.data() + row * tile.columns + first, width);
            }
            continue;
        }
        block.resize(tile.rows * width);
        for (uint64_t row = 0; row < tile.rows; ++row) {
            std::memcpy(block.data() + row * width, values.data() + row * tile.columns + first, width * sizeof(Out));
        }
        target.Write(start, block.data(), block.size());
    }
}

template <typename Out, typename Acc>
inline void WriteTile(const OutputTile& tile, const Acc* source, const OutputTarget<Out>& target) {
    for (uint64_t matrix = 0; matrix < tile.matrices; ++matrix) {
        const auto values = ConvertTile<Out, Acc>(tile, source + matrix * tile.sourceMatrix);
        if (tile.layout == AscendC::CO2Layout::NZ) {
            WriteNz(tile, values, target);
            continue;
        }
        const bool byRow = tile.layout == AscendC::CO2Layout::ROW_MAJOR;
        const uint64_t lines = byRow ? tile.rows : tile.columns;
        const uint64_t length = byRow ? tile.columns : tile.rows;
        for (uint64_t line = 0; line < lines; ++line) {
            target.Write(matrix * tile.targetMatrix + line * tile.targetPitch, values.data() + line * length, length);
        }
    }
}

}  // namespace sktwin::cube
