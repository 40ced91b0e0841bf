// Licensed under the Apache License, Version 2.0.
//
// Computes requests of the Matmul class on the cube's core, block by block (ascendc_data_cube.md 10.3 to 10.5). A and B
// are read straight from where they are: the same arithmetic as Mmad, so the same bits, without the way through L1 and
// L0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "ascendc/cube_gemm.h"
#include "ascendc/cube_mmad.h"
#include "ascendc/cube_output.h"
#include "ascendc/matmul_callback.h"
#include "ascendc/matmul_config.h"
#include "ascendc/matmul_request.h"

namespace sktwin::matmul {

using cube::CeilDiv;
using cube::PackedOf;
using cube::RoundUp;

// How a stored matrix lies: rows of `pitch` elements, or column blocks of C0 with `pitch` rows each.
struct Storage {
    bool nz;
    uint64_t pitch;
};

struct Rectangle {
    uint64_t row;
    uint64_t column;
    uint64_t rows;
    uint64_t columns;
};

template <typename T, typename Acc>
inline void UnpackRun(const uint8_t* from, bool oddNibble, uint64_t count, cube::Hf32 hf32, PackedOf<Acc>* to) {
    for (uint64_t i = 0; i < count; ++i) {
        to[i] = cube::LoadPacked<T, Acc>(from, i + (oddNibble ? 1 : 0), hf32);
    }
}

// The rectangle as [rows][columns], as the multiplier takes elements. One access a burst: rows, or whole column blocks.
template <typename T, typename Acc>
inline std::vector<PackedOf<Acc>> ReadRectangle(const MatrixRef& matrix, const Storage& storage, const Rectangle& part,
                                                cube::Hf32 hf32, Site site) {
    std::vector<PackedOf<Acc>> values(part.rows * part.columns);
    if (matrix.isScalar) {
        const auto* scalar = reinterpret_cast<const uint8_t*>(&matrix.scalar);
        std::fill(values.begin(), values.end(), cube::LoadPacked<T, Acc>(scalar, 0, hf32));
        return values;
    }
    if (!storage.nz) {
        for (uint64_t row = 0; row < part.rows; ++row) {
            const uint64_t first = (part.row + row) * storage.pitch + part.column;
            const uint64_t skipped = kElementBits<T> == 4 ? first % 2 : 0;
            const uint64_t bytes = sktwin::BytesOf<T>(part.columns + skipped);
            UnpackRun<T, Acc>(matrix.Read(first * kElementBits<T> / 8, bytes, site), skipped != 0, part.columns, hf32,
                              values.data() + row * part.columns);
        }
        return values;
    }
    constexpr uint64_t c0 = cube::kC0<T>;
    for (uint64_t column = part.column; column < part.column + part.columns;) {
        const uint64_t inBlock = column % c0;
        const uint64_t width = std::min(c0 - inBlock, part.column + part.columns - column);
        const uint64_t first = (column / c0 * storage.pitch + part.row) * c0;
        const uint8_t* block = matrix.Read(sktwin::BytesOf<T>(first), sktwin::BytesOf<T>(part.rows * c0), site);
        for (uint64_t row = 0; row < part.rows; ++row) {
            PackedOf<Acc>* to = values.data() + row * part.columns + (column - part.column);
            for (uint64_t i = 0; i < width; ++i) {
                to[i] = cube::LoadPacked<T, Acc>(block, row * c0 + inBlock + i, hf32);
            }
        }
        column += width;
    }
    return values;
}

template <typename P>
inline std::vector<P> Transposed(const std::vector<P>& values, uint64_t rows, uint64_t columns) {
    std::vector<P> turned(values.size());
    for (uint64_t row = 0; row < rows; ++row) {
        for (uint64_t column = 0; column < columns; ++column) {
            turned[column * rows + row] = values[row * columns + column];
        }
    }
    return turned;
}

// The block that is in L0C: columns in panels of 16, [panel][rows][16].
template <typename Acc>
struct Accumulators {
    Rectangle part = {0, 0, 0, 0};
    std::vector<Acc> values;
};

// Columns [panel * 16, ...) of B as [k][16], zero beyond `n`. `source` is [k][n], or [n][k] when turned.
template <typename P>
inline void FillPanel(const std::vector<P>& source, bool turned, uint64_t k, uint64_t n, uint64_t first, P* panel) {
    const uint64_t width = std::min<uint64_t>(16, n - first);
    std::fill(panel, panel + k * 16, P(0));
    for (uint64_t step = 0; step < k; ++step) {
        for (uint64_t j = 0; j < width; ++j) {
            panel[step * 16 + j] = turned ? source[(first + j) * k + step] : source[step * n + first + j];
        }
    }
}

template <typename A_TYPE, typename B_TYPE, typename C_TYPE, typename BIAS_TYPE, const auto& MM_CFG, typename MM_CB>
class Engine {
public:
    using A = typename A_TYPE::T;
    using B = typename B_TYPE::T;
    using Out = typename C_TYPE::T;
    using BiasT = typename BIAS_TYPE::T;
    using Acc = cube::AccumulatorOf<A, B>;

    void Run(const Request& request) {
        switch (request.work) {
            case Work::kIterate:
                Compute(request, request.block);
                break;
            case Work::kFetch:
                Store(request);
                break;
            case Work::kAll:
                for (uint64_t block = 0; block < request.shape.Blocks(); ++block) {
                    Compute(request, block);
                    Store(request);
                }
                break;
            case Work::kBatch:
                RunBatch(request);
                break;
        }
    }

private:
    static constexpr CubeFormat kFormatA = A_TYPE::format;
    static constexpr CubeFormat kFormatB = B_TYPE::format;
    static constexpr CubeFormat kFormatC = C_TYPE::format;

    static Rectangle BlockOf(const Shape& shape, uint64_t block) {
        const uint64_t m = shape.nFirst ? block / shape.BlocksN() : block % shape.BlocksM();
        const uint64_t n = shape.nFirst ? block % shape.BlocksN() : block / shape.BlocksM();
        return {m * shape.baseM, n * shape.baseN, std::min(shape.baseM, shape.singleM - m * shape.baseM),
                std::min(shape.baseN, shape.singleN - n * shape.baseN)};
    }

    // A matrix in a local memory holds just the single-core shape.
    static Storage StorageOf(const MatrixRef& matrix, CubeFormat format, uint64_t rows, uint64_t columns,
                             uint64_t localRows, uint64_t localColumns) {
        if (format == CubeFormat::NZ) {
            return {true, RoundUp(matrix.IsLocal() ? localRows : rows, 16)};
        }
        if (matrix.rowPitch != 0) {
            return {false, matrix.rowPitch};
        }
        return {false, matrix.IsLocal() ? localColumns : columns};
    }

    static std::vector<PackedOf<Acc>> ReadLeft(const Request& request, const Rectangle& block, cube::Hf32 hf32) {
        const Shape& shape = request.shape;
        const uint64_t k = shape.singleK;
        if constexpr (MM_CB::kHasCopyA1) {
            return ReadByCallback<A, Acc>(MM_CB::kCopyA1, request.a, request, block.row, 0, block.rows, k, shape.baseM,
                                          shape.baseK, hf32);
        }
        if (request.a.transpose != (kFormatA == CubeFormat::COLUMN_MAJOR)) {
            const Storage storage =
                StorageOf(request.a, kFormatA, shape.orgKa, shape.orgM, shape.singleK, shape.singleM);
            const Rectangle part{0, block.row, k, block.rows};
            return Transposed(ReadRectangle<A, Acc>(request.a, storage, part, hf32, request.site), k, block.rows);
        }
        const Storage storage = StorageOf(request.a, kFormatA, shape.orgM, shape.orgKa, shape.singleM, shape.singleK);
        return ReadRectangle<A, Acc>(request.a, storage, {block.row, 0, block.rows, k}, hf32, request.site);
    }

    static bool TurnedRight(const Request& request) {
        return request.b.transpose != (kFormatB == CubeFormat::COLUMN_MAJOR);
    }

    // [k][n], or [n][k] when turned.
    static std::vector<PackedOf<Acc>> ReadRight(const Request& request, const Rectangle& block, cube::Hf32 hf32) {
        const Shape& shape = request.shape;
        const uint64_t k = shape.singleK;
        if constexpr (MM_CB::kHasCopyB1) {
            return ReadByCallback<B, Acc>(MM_CB::kCopyB1, request.b, request, 0, block.column, k, block.columns,
                                          shape.baseK, shape.baseN, hf32);
        }
        if (TurnedRight(request)) {
            const Storage storage =
                StorageOf(request.b, kFormatB, shape.orgN, shape.orgKb, shape.singleN, shape.singleK);
            return ReadRectangle<B, Acc>(request.b, storage, {block.column, 0, block.columns, k}, hf32, request.site);
        }
        const Storage storage = StorageOf(request.b, kFormatB, shape.orgKb, shape.orgN, shape.singleK, shape.singleN);
        return ReadRectangle<B, Acc>(request.b, storage, {0, block.column, k, block.columns}, hf32, request.site);
    }

    // Zero, the bias of each column, or what the last block left.
    void Start(const Request& request, const Rectangle& block) {
        const uint64_t panels = CeilDiv(block.columns, 16);
        if (request.partialSum && sums_.values.size() == panels * block.rows * 16) {
            sums_.part = block;
            return;
        }
        sums_.part = block;
        sums_.values.assign(panels * block.rows * 16, Acc(0));
        if (!request.bias.IsSet()) {
            return;
        }
        const uint8_t* bias =
            request.bias.Read(block.column * sizeof(BiasT), block.columns * sizeof(BiasT), request.site);
        for (uint64_t column = 0; column < block.columns; ++column) {
            BiasT value;
            std::memcpy(&value, bias + column * sizeof(BiasT), sizeof(value));
            for (uint64_t row = 0; row < block.rows; ++row) {
                sums_.values[(column / 16 * block.rows + row) * 16 + column % 16] = static_cast<Acc>(value);
            }
        }
    }

    void Compute(const Request& request, uint64_t blockIndex) {
        const Rectangle block = BlockOf(request.shape, blockIndex);
        const cube::Hf32 hf32 = !request.hf32      ? cube::Hf32::kOff
                                : request.hf32Even ? cube::Hf32::kEven
                                                   : cube::Hf32::kAway;
        const uint64_t k = request.shape.singleK;
        Start(request, block);
        const auto left = ReadLeft(request, block, hf32);
        const auto right = ReadRight(request, block, hf32);
        std::vector<PackedOf<Acc>> panel(k * 16);
        for (uint64_t first = 0; first < block.columns; first += 16) {
            FillPanel(right, TurnedRight(request), k, block.columns, first, panel.data());
            cube::MultiplyPanel<Acc>(left.data(), k, panel.data(), block.rows, k,
                                     sums_.values.data() + first * block.rows);
        }
    }

    static QuantMode_t OutputQuant(const Request& request) {
        constexpr bool fromInt = std::is_same_v<Acc, int32_t>;
        const bool vector = request.quant == Quant::kVector;
        if constexpr (std::is_same_v<Out, Acc>) {
            return NoQuant;
        } else if constexpr (!fromInt && std::is_same_v<Out, half>) {
            return F322F16;
        } else if constexpr (!fromInt && std::is_same_v<Out, bfloat16_t>) {
            return F322BF16;
        } else if (request.quant == Quant::kNone) {
            Fault("matmul-quant", request.site,
                  "Matmul: results of this type are quantised; call SetQuantScalar or "
                  "SetQuantVector before computing");
        } else if constexpr (fromInt && std::is_same_v<Out, half>) {
            return vector ? VDEQF16 : DEQF16;
        } else if constexpr (fromInt && std::is_same_v<Out, bfloat16_t>) {
            return vector ? VQS322BF16_PRE : QS322BF16_PRE;
        } else if constexpr (fromInt) {
            return vector ? VREQ8 : REQ8;
        } else {
            return vector ? VQF322B8_PRE : QF322B8_PRE;
        }
    }

    // Elements from the start of C to the block, and the distance of its rows, columns or column blocks.
    struct Place {
        uint64_t offset;
        uint64_t pitch;
    };

    static Place PlaceOf(const Request& request, const Rectangle& block, uint64_t width) {
        const Shape& shape = request.shape;
        const Destination& to = request.destination;
        const bool local = to.core != nullptr;
        const bool whole = request.work == Work::kAll;
        const bool blockOnly = to.sequential || (local && !whole);
        const uint64_t line = 32 / sizeof(Out);
        if (kFormatC == CubeFormat::NZ) {
            const uint64_t rows = RoundUp(blockOnly ? shape.baseM : local ? shape.singleM : shape.orgM, 16);
            return blockOnly ? Place{0, rows * width}
                             : Place{block.column / width * rows * width + block.row * width, rows * width};
        }
        if (kFormatC == CubeFormat::COLUMN_MAJOR) {
            const uint64_t rows = blockOnly ? shape.baseM : local ? shape.singleM : shape.orgM;
            return blockOnly ? Place{0, rows} : Place{block.column * rows + block.row, rows};
        }
        uint64_t columns = blockOnly          ? shape.baseN
                           : local            ? shape.singleN
                           : shape.orgKc != 0 ? shape.orgKc
                                              : shape.orgN;
        columns = to.rowPitch != 0 ? to.rowPitch : columns;
        columns = kFormatC == CubeFormat::ND_ALIGN || local ? RoundUp(columns, line) : columns;
        return blockOnly ? Place{0, columns} : Place{block.row * columns + block.column, columns};
    }

    void Store(const Request& request) {
        using AscendC::CO2Layout;
        constexpr auto config = AscendC::detail::ConfigOf(MM_CFG);
        const Rectangle& block = sums_.part;
        if (block.rows == 0 || block.columns == 0) {
            return;
        }
        const Destination& to = request.destination;
        if (to.sequential && request.work == Work::kAll && request.shape.Blocks() > 1) {
            Fault("matmul-sequential", request.site,
                  "IterateAll with enSequentialWrite would write its %llu blocks to one "
                  "place; use Iterate and GetTensorC",
                  static_cast<unsigned long long>(request.shape.Blocks()));
        }
        cube::OutputTile tile{};
        tile.rows = block.rows;
        tile.columns = block.columns;
        tile.layout = kFormatC == CubeFormat::NZ             ? CO2Layout::NZ
                      : kFormatC == CubeFormat::COLUMN_MAJOR ? CO2Layout::COLUMN_MAJOR
                                                             : CO2Layout::ROW_MAJOR;
        tile.matrices = 1;
        tile.sourceBlock = block.rows * 16;
        tile.sourceRow = 16;
        tile.blockWidth = cube::NzWidth<Out>(config.isEnableChannelSplit);
        tile.mode = {OutputQuant(request), config.enableRelu, (Self().registers.ctrl & cube::kCtrlKeepInfinity) != 0};
        tile.image = request.quantScalar;
        std::vector<uint64_t> images;
        if (cube::IsVectorMode(tile.mode.mode)) {
            images.resize(block.columns);
            std::memcpy(images.data(), request.quantVector.Read(block.column * 8, block.columns * 8, request.site),
                        block.columns * 8);
            tile.images = images.data();
        }
        const Place place = PlaceOf(request, block, tile.blockWidth);
        tile.targetPitch = place.pitch;
        WriteOut(request, tile, place.offset);
    }

    void WriteOut(const Request& request, const cube::OutputTile& tile, uint64_t offset) const {
        const Destination& to = request.destination;
        if (to.core != nullptr) {
            cube::WriteTile<Out, Acc>(
                tile, sums_.values.data(),
                cube::OutputTarget<Out>::Local(to.core, to.memory, to.start + offset * sizeof(Out), request.site));
            return;
        }
        const auto target = cube::OutputTarget<Out>::Global(reinterpret_cast<Out*>(to.global) + offset, request.site);
        if constexpr (!std::is_same_v<Out, uint8_t>) {
            if (to.atomic != kAtomicNone) {
                SetAtomic(to.atomic, AtomicTypeOf<Out>(), request.site);
            }
        }
        cube::WriteTile<Out, Acc>(tile, sums_.values.data(), target);
        if (to.atomic != kAtomicNone) {
            SetAtomic(kAtomicNone, AscendC::AtomicDtype::ATOMIC_NONE, request.site);
        }
    }

    // Where element (0, 0) of batch `index` lies, in elements; the smaller of the two inputs serves several products.
    static uint64_t BatchOffset(LayoutMode layout, const BatchLayout& sizes, uint64_t index, uint64_t stride) {
        const uint64_t perBatch = sizes.heads * sizes.groups;
        if (layout == LayoutMode::BSNGD) {
            return index / perBatch * sizes.rows * perBatch * sizes.columns + index % perBatch * sizes.columns;
        }
        if (layout == LayoutMode::SBNGD) {
            return index * sizes.columns;
        }
        return index * stride;
    }

    static uint64_t BatchPitch(LayoutMode layout, const BatchLayout& sizes) {
        if (layout == LayoutMode::BSNGD) {
            return sizes.heads * sizes.groups * sizes.columns;
        }
        return layout == LayoutMode::SBNGD ? sizes.batch * sizes.heads * sizes.groups * sizes.columns : 0;
    }

    void RunBatch(const Request& request) {
        const Batch& batch = request.batch;
        const uint64_t count = std::max(batch.countA, batch.countB);
        const Shape& shape = request.shape;
        const uint64_t strideA = batch.strideA != 0 ? batch.strideA : shape.orgM * shape.orgKa;
        const uint64_t strideB = batch.strideB != 0 ? batch.strideB : shape.orgKb * shape.orgN;
        const uint64_t strideC = batch.strideC != 0 ? batch.strideC : shape.orgM * shape.orgN;
        constexpr auto config = AscendC::detail::ConfigOf(MM_CFG);
        for (uint64_t index = 0; index < count; ++index) {
            Request one = request;
            one.work = Work::kAll;
            const uint64_t a = BatchOffset(A_TYPE::layout, batch.a, index * batch.countA / count, strideA);
            const uint64_t b = BatchOffset(B_TYPE::layout, batch.b, index * batch.countB / count, strideB);
            one.a = request.a.Advanced(sktwin::BytesOf<A>(a));
            one.b = request.b.Advanced(sktwin::BytesOf<B>(b));
            one.a.rowPitch = BatchPitch(A_TYPE::layout, batch.a);
            one.b.rowPitch = BatchPitch(B_TYPE::layout, batch.b);
            if (request.bias.IsSet() && config.isBiasBatch) {
                one.bias = request.bias.Advanced(index * shape.singleN * sizeof(BiasT));
            }
            const uint64_t c = BatchOffset(C_TYPE::layout, batch.c, index, strideC);
            one.destination.global += c * sizeof(Out);
            one.destination.rowPitch = BatchPitch(C_TYPE::layout, batch.c);
            one.destination.sequential = false;
            Run(one);
        }
    }

    Accumulators<Acc> sums_;
};

}  // namespace sktwin::matmul
