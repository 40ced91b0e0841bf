// Licensed under the Apache License, Version 2.0.
//
// c = (a @ b) * scale, scale one value a column, in float, rounded once. One vector core a group; in a SuperKernel of
// two, both share the rows. Macros: OP_A_TYPE, OP_SCALE_TYPE, OP_C_TYPE, OP_SIZE_M, OP_SIZE_K, OP_SIZE_N.
#include "mixed_matmul.h"

namespace {

using namespace skcore_kernels;

constexpr HandOver kScaleFlags = {2, 3};

class ColumnScale {
public:
    __aicore__ explicit ColumnScale(GM_ADDR scale) : scale_(scale) {}

    __aicore__ void Init(AscendC::TPipe& pipe) { parameters_.Init(pipe, scale_); }

    __aicore__ void Apply(const LocalTensor<float>& values, const Tile& tile, const Range& rows) {
        ScaleColumns(values, parameters_.Load(tile.column, tile.columns), rows.Size(), tile.columns);
    }

private:
    GM_ADDR scale_;
    Parameters<OP_SCALE_TYPE> parameters_;
};

}  // namespace

extern "C" __global__ __aicore__ void matmul_scale_kernel(GM_ADDR a, GM_ADDR b, GM_ADDR scale, GM_ADDR c,
                                                          GM_ADDR workspace) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
    ColumnScale epilogue(scale);
    RunMixedMatmul<OP_A_TYPE, OP_C_TYPE>(a, b, c, workspace, OP_SIZE_M, OP_SIZE_K, OP_SIZE_N, epilogue, kScaleFlags);
}
