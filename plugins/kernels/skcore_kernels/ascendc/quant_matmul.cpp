// Licensed under the Apache License, Version 2.0.
//
// c = (a @ b) * scale * token_scale of int8 matrices: exact sums, then one scale a column and one a row, in float,
// rounded once. Macros: OP_C_TYPE, OP_SIZE_M, OP_SIZE_K, OP_SIZE_N.
#include "mixed_matmul.h"

namespace {

using namespace skcore_kernels;

constexpr HandOver kQuantFlags = {4, 5};

class Dequantise {
public:
    __aicore__ Dequantise(GM_ADDR scale, GM_ADDR tokenScale) : scale_(scale), tokenScale_(tokenScale) {}

    __aicore__ void Init(AscendC::TPipe& pipe) {
        columns_.Init(pipe, scale_);
        rows_.Init(pipe, tokenScale_);
    }

    __aicore__ void Apply(const LocalTensor<float>& values, const Tile& tile, const Range& rows) {
        ScaleColumns(values, columns_.Load(tile.column, tile.columns), rows.Size(), tile.columns);
        LocalTensor<float> factors = rows_.Load(tile.row + rows.begin, rows.Size());
        AwaitVector();
        for (uint32_t row = 0; row < rows.Size(); ++row) {
            const auto count = static_cast<int32_t>(tile.columns);
            AscendC::Muls(values[row * kTileN], values[row * kTileN], factors.GetValue(row), count);
        }
    }

private:
    GM_ADDR scale_;
    GM_ADDR tokenScale_;
    Parameters<float> columns_;
    Parameters<float> rows_;
};

}  // namespace

extern "C" __global__ __aicore__ void quant_matmul_kernel(GM_ADDR a, GM_ADDR b, GM_ADDR scale, GM_ADDR token_scale,
                                                          GM_ADDR c, GM_ADDR workspace) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Dequantise epilogue(scale, token_scale);
    RunMixedMatmul<int8_t, OP_C_TYPE>(a, b, c, workspace, OP_SIZE_M, OP_SIZE_K, OP_SIZE_N, epilogue, kQuantFlags);
}
