// Licensed under the Apache License, Version 2.0.
//
// c = activation(a @ b + bias), bias one value a column, sums and activation in float, rounded once.
// Macros: OP_A_TYPE, OP_BIAS_TYPE, OP_C_TYPE, OP_SIZE_M, OP_SIZE_K, OP_SIZE_N, OP_ACTIVATION (0 none, 1 relu, 2 silu).
#include "mixed_matmul.h"

namespace {

using namespace skcore_kernels;

constexpr HandOver kBiasFlags = {0, 1};

class BiasActivation {
public:
    __aicore__ explicit BiasActivation(GM_ADDR bias) : bias_(bias) {}

    __aicore__ void Init(AscendC::TPipe& pipe) {
        parameters_.Init(pipe, bias_);
        pipe.InitBuffer(work_, kTileElements * sizeof(float));
    }

    __aicore__ void Apply(const LocalTensor<float>& values, const Tile& tile, const Range& rows) {
        LocalTensor<float> bias = parameters_.Load(tile.column, tile.columns);
        for (uint32_t row = 0; row < rows.Size(); ++row) {
            AscendC::Add(values[row * kTileN], values[row * kTileN], bias, static_cast<int32_t>(tile.columns));
        }
        const auto count = static_cast<int32_t>(rows.Size() * kTileN);
        if constexpr (OP_ACTIVATION == kRelu) {
            AscendC::Relu(values, values, count);
        } else if constexpr (OP_ACTIVATION == kSilu) {
            Silu(values, work_.Get<float>(), count);
        }
    }

private:
    static constexpr int kRelu = 1;
    static constexpr int kSilu = 2;

    GM_ADDR bias_;
    Parameters<OP_BIAS_TYPE> parameters_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> work_;
};

}  // namespace

extern "C" __global__ __aicore__ void matmul_bias_act_kernel(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c,
                                                             GM_ADDR workspace) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    BiasActivation epilogue(bias);
    RunMixedMatmul<OP_A_TYPE, OP_C_TYPE>(a, b, c, workspace, OP_SIZE_M, OP_SIZE_K, OP_SIZE_N, epilogue, kBiasFlags);
}
