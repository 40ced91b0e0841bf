// Licensed under the Apache License, Version 2.0.
//
// One tile of a matrix product on the cube core: global memory -> L1 -> L0 -> Mmad -> L0C -> global memory. Both
// operands are row-major (ND): a is [M, K], b is [K, N].
#pragma once

#include "common.h"

namespace skcore_kernels {

constexpr uint32_t kTileM = 64;
constexpr uint32_t kTileN = 64;
constexpr uint32_t kTileK = 128;  // depth of one step

struct Tile {
    uint32_t row;
    uint32_t column;
    uint32_t rows;
    uint32_t columns;
};

__aicore__ constexpr uint32_t TileCount(uint32_t m, uint32_t n) {
    return AscendC::DivCeil(m, kTileM) * AscendC::DivCeil(n, kTileN);
}

__aicore__ constexpr Tile TileOf(uint32_t index, uint32_t m, uint32_t n) {
    const uint32_t across = AscendC::DivCeil(n, kTileN);
    const uint32_t row = index / across * kTileM;
    const uint32_t column = index % across * kTileN;
    return {row, column, m - row < kTileM ? m - row : kTileM, n - column < kTileN ? n - column : kTileN};
}

// In: half or bfloat16_t with sums in float, or int8_t with sums in int32_t. Sums go over k in steps from the first.
template <typename In>
class CubeTile {
public:
    using Sum = std::conditional_t<std::is_same_v<In, int8_t>, int32_t, float>;

    __aicore__ void Init(AscendC::TPipe& pipe, GM_ADDR a, GM_ADDR b, uint32_t m, uint32_t k, uint32_t n,
                         uint32_t rightMatrices = 1) {
        k_ = k;
        n_ = n;
        a_.SetGlobalBuffer(reinterpret_cast<__gm__ In*>(a), uint64_t(m) * k);
        b_.SetGlobalBuffer(reinterpret_cast<__gm__ In*>(b), uint64_t(rightMatrices) * k * n);
        pipe.InitBuffer(a1_, kBuffers, kTileM * kTileK * sizeof(In));
        pipe.InitBuffer(b1_, kBuffers, kTileK * kTileN * sizeof(In));
        pipe.InitBuffer(a2_, kBuffers, kTileM * kTileK * sizeof(In));
        pipe.InitBuffer(b2_, kBuffers, kTileK * kTileN * sizeof(In));
        pipe.InitBuffer(c_, 1, kTileM * kTileN * sizeof(Sum));
    }

    // Which of several right matrices of one size, that follow each other, is multiplied with.
    __aicore__ void SelectRight(uint32_t index) { rightRow_ = uint64_t(index) * k_; }

    __aicore__ void Compute(const Tile& tile) {
        LocalTensor<Sum> c = c_.template AllocTensor<Sum>();
        for (uint32_t depth = 0; depth < k_; depth += kTileK) {
            const uint32_t left = k_ - depth;
            const uint32_t step = left < kTileK ? left : kTileK;
            LoadToL1(tile, depth, step);
            LoadToL0(tile, step);
            Multiply(c, tile, step, depth == 0);
        }
        c_.EnQue(c);
    }

    // `pitch`: elements between two rows of the destination.
    template <typename Out>
    __aicore__ void Store(const GlobalTensor<Out>& to, const Tile& tile, uint32_t pitch) {
        LocalTensor<Sum> c = c_.template DeQue<Sum>();
#if __NPU_ARCH__ == 3510
        AscendC::FixpipeParamsArch3510<AscendC::CO2Layout::ROW_MAJOR> output;
        output.params = {1, 0, 0};
#else
        AscendC::FixpipeParamsV220 output;
        output.ndNum = 1;
#endif
        output.nSize = tile.columns;
        output.mSize = tile.rows;
        output.srcStride = Fractals(tile.rows) * kFractal;
        output.dstStride = pitch;
        output.quantPre = OutputMode<Out>();
        AscendC::Fixpipe<Out, Sum, AscendC::CFG_ROW_MAJOR>(to, c, output);
        c_.FreeTensor(c);
    }

private:
    static constexpr uint32_t kFractal = 16;
    static constexpr uint32_t kFractalBytes = 512;
    static constexpr uint32_t kFractalElements = kFractalBytes / sizeof(In);
    // Columns of a fractal in L1. A transposing load moves squares of this side.
    static constexpr uint32_t kSquare = kPerBlock<In>;
    static constexpr uint32_t kSquareFractals = kSquare / kFractal;

    __aicore__ static constexpr uint32_t Fractals(uint32_t rows) { return AscendC::DivCeil(rows, kFractal); }
    __aicore__ static constexpr uint32_t Squares(uint32_t count) { return AscendC::DivCeil(count, kSquare); }

    template <typename Out>
    __aicore__ static constexpr QuantMode_t OutputMode() {
        if constexpr (std::is_same_v<Out, Sum>) {
            return QuantMode_t::NoQuant;
        } else if constexpr (std::is_same_v<Out, half>) {
            return QuantMode_t::F322F16;
        } else {
            static_assert(std::is_same_v<Out, bfloat16_t>, "results are float, half, bfloat16_t, or int32_t of int8_t");
            return QuantMode_t::F322BF16;
        }
    }

    // Columns beyond the matrix become zero in L1. Rows beyond it stay as they were: they reach only rows of the
    // product that are not stored, and Mmad masks the depth beyond k.
    __aicore__ void LoadToL1(const Tile& tile, uint32_t depth, uint32_t step) {
        LocalTensor<In> a = a1_.template AllocTensor<In>();
        AscendC::Nd2NzParams shape;
        shape.ndNum = 1;
        shape.nValue = tile.rows;
        shape.dValue = step;
        shape.srcDValue = k_;
        shape.dstNzC0Stride = Fractals(tile.rows) * kFractal;
        shape.dstNzNStride = 1;
        AscendC::DataCopy(a, a_[uint64_t(tile.row) * k_ + depth], shape);
        a1_.EnQue(a);
        LocalTensor<In> b = b1_.template AllocTensor<In>();
        shape.nValue = step;
        shape.dValue = tile.columns;
        shape.srcDValue = n_;
        shape.dstNzC0Stride = Squares(step) * kSquare;
        AscendC::DataCopy(b, b_[(rightRow_ + depth) * n_ + tile.column], shape);
        b1_.EnQue(b);
    }

    __aicore__ void LoadToL0(const Tile& tile, uint32_t step) {
        const uint32_t rows = Fractals(tile.rows);
        const uint32_t columns = Squares(tile.columns);
        const uint32_t depth = Squares(step);
        LocalTensor<In> a1 = a1_.template DeQue<In>();
        LocalTensor<In> a2 = a2_.template AllocTensor<In>();
        LoadLeft(a2, a1, rows, depth);
        a2_.EnQue(a2);
        a1_.FreeTensor(a1);
        LocalTensor<In> b1 = b1_.template DeQue<In>();
        LocalTensor<In> b2 = b2_.template AllocTensor<In>();
        LoadRight(b2, b1, depth, columns);
        b2_.EnQue(b2);
        b1_.FreeTensor(b1);
    }

#if __NPU_ARCH__ == 3510
    __aicore__ void LoadLeft(const LocalTensor<In>& to, const LocalTensor<In>& from, uint32_t rows,
                             uint32_t depth) {
        AscendC::LoadData2DParamsV2 window;
        window.mStep = rows;
        window.kStep = depth;
        window.srcStride = rows;
        window.dstStride = rows;
        AscendC::LoadData(to, from, window);
    }

    __aicore__ void LoadRight(const LocalTensor<In>& to, const LocalTensor<In>& from, uint32_t depth,
                              uint32_t columns) {
        AscendC::LoadData2DParamsV2 window;
        window.mStep = depth * kSquareFractals;
        window.kStep = columns;
        window.srcStride = depth * kSquareFractals;
        window.dstStride = columns * kSquareFractals;
        window.ifTranspose = true;
        AscendC::LoadData(to, from, window);
    }
#else
    __aicore__ void LoadLeft(const LocalTensor<In>& to, const LocalTensor<In>& from, uint32_t rows,
                             uint32_t depth) {
        for (uint32_t row = 0; row < rows; ++row) {
            AscendC::LoadData2DParams fractals;
            fractals.startIndex = row;
            fractals.repeatTimes = depth;
            fractals.srcStride = rows;
            AscendC::LoadData(to[row * depth * kFractalElements], from, fractals);
        }
    }

    __aicore__ void LoadRight(const LocalTensor<In>& to, const LocalTensor<In>& from, uint32_t depth,
                              uint32_t columns) {
        for (uint32_t row = 0; row < depth; ++row) {
            AscendC::LoadData2dTransposeParams squares;
            squares.startIndex = row;
            squares.repeatTimes = columns;
            squares.srcStride = depth;
            squares.dstGap = kSquareFractals - 1;
            AscendC::LoadDataWithTranspose(to[row * columns * kSquareFractals * kFractalElements], from, squares);
        }
    }
#endif

    __aicore__ void Multiply(const LocalTensor<Sum>& c, const Tile& tile, uint32_t step, bool first) {
        LocalTensor<In> a2 = a2_.template DeQue<In>();
        LocalTensor<In> b2 = b2_.template DeQue<In>();
        AscendC::MmadParams product;
        product.m = tile.rows == 1 ? kFractal : tile.rows;  // one row would be read as a plain vector, not as fractals
        product.n = Squares(tile.columns) * kSquare;  // L0B holds whole squares; columns beyond the matrix are zero
        product.k = step;
        product.cmatrixInitVal = first;
        AscendC::Mmad(c, a2, b2, product);
        // Two products into the same small matrix may overlap otherwise.
        AscendC::PipeBarrier<PIPE_M>();
        a2_.FreeTensor(a2);
        b2_.FreeTensor(b2);
    }

    AscendC::TQue<AscendC::TPosition::A1, kBuffers> a1_;
    AscendC::TQue<AscendC::TPosition::B1, kBuffers> b1_;
    AscendC::TQue<AscendC::TPosition::A2, kBuffers> a2_;
    AscendC::TQue<AscendC::TPosition::B2, kBuffers> b2_;
    AscendC::TQue<AscendC::TPosition::CO1, 1> c_;
    GlobalTensor<In> a_;
    GlobalTensor<In> b_;
    uint32_t k_ = 0;
    uint32_t n_ = 0;
    uint64_t rightRow_ = 0;
};

}  // namespace skcore_kernels
