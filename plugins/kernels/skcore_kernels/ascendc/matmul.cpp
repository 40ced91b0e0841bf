// Licensed under the Apache License, Version 2.0.
//
// c = a @ b, with sums in float. Macros: OP_A_TYPE, OP_C_TYPE, OP_SIZE_M, OP_SIZE_K, OP_SIZE_N.
#include "cube_tile.h"

namespace {

using namespace skcore_kernels;

class Matmul {
public:
    __aicore__ void Init(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
        cube_.Init(pipe_, a, b, OP_SIZE_M, OP_SIZE_K, OP_SIZE_N);
        c_.SetGlobalBuffer(reinterpret_cast<__gm__ OP_C_TYPE*>(c), uint64_t(OP_SIZE_M) * OP_SIZE_N);
    }

    __aicore__ void Process() {
        constexpr uint32_t tiles = TileCount(OP_SIZE_M, OP_SIZE_N);
        for (uint32_t index = AscendC::GetBlockIdx(); index < tiles; index += AscendC::GetBlockNum()) {
            const Tile tile = TileOf(index, OP_SIZE_M, OP_SIZE_N);
            cube_.Compute(tile);
            cube_.Store(c_[uint64_t(tile.row) * OP_SIZE_N + tile.column], tile, OP_SIZE_N);
        }
    }

private:
    AscendC::TPipe pipe_;
    CubeTile<OP_A_TYPE> cube_;
    GlobalTensor<OP_C_TYPE> c_;
};

}  // namespace

extern "C" __global__ __aicore__ void matmul_kernel(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    Matmul kernel;
    kernel.Init(a, b, c);
    kernel.Process();
}
