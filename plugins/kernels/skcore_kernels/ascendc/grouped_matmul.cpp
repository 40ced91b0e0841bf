// Licensed under the Apache License, Version 2.0.
//
// Rows of x in groups, each times the weight of its group: y[rows of g] = x[rows of g] @ weight[g]. Rows after the last
// group are not written. Makes both early-start calls.
// Macros: OP_A_TYPE, OP_C_TYPE, OP_SIZE_M, OP_SIZE_K, OP_SIZE_N, OP_GROUPS,
// OP_COUNTS (1: the list holds row counts; 0: their running ends).
#include "cube_tile.h"

namespace {

using namespace skcore_kernels;

class GroupedMatmul {
public:
    __aicore__ void Init(GM_ADDR x, GM_ADDR weight, GM_ADDR groups, GM_ADDR y) {
        cube_.Init(pipe_, x, weight, OP_SIZE_M, OP_SIZE_K, OP_SIZE_N, OP_GROUPS);
        groups_.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(groups), OP_GROUPS);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ OP_C_TYPE*>(y), uint64_t(OP_SIZE_M) * OP_SIZE_N);
    }

    __aicore__ void Process() {
        AscendC::WaitPreTaskEnd();
        uint32_t begin = 0;
        uint32_t turn = 0;  // tiles go round the blocks, across the borders of groups
        for (uint32_t group = 0; group < OP_GROUPS; ++group) {
            const uint32_t end = EndOf(group, begin);
            if (end > begin) {
                turn = ProcessGroup(group, begin, end - begin, turn);
                begin = end;
            }
        }
        AscendC::SetNextTaskStart();
    }

private:
    // Lists that go beyond the rows of x end with them.
    __aicore__ uint32_t EndOf(uint32_t group, uint32_t begin) const {
        const int64_t end = static_cast<int64_t>(groups_.GetValue(group)) + (OP_COUNTS ? begin : 0);
        return end < 0 ? 0 : end < OP_SIZE_M ? static_cast<uint32_t>(end) : OP_SIZE_M;
    }

    __aicore__ uint32_t ProcessGroup(uint32_t group, uint32_t begin, uint32_t rows, uint32_t turn) {
        cube_.SelectRight(group);
        const uint32_t tiles = TileCount(rows, OP_SIZE_N);
        for (uint32_t index = 0; index < tiles; ++index, ++turn) {
            if (turn % AscendC::GetBlockNum() == AscendC::GetBlockIdx()) {
                Tile tile = TileOf(index, rows, OP_SIZE_N);
                tile.row += begin;
                cube_.Compute(tile);
                cube_.Store(y_[uint64_t(tile.row) * OP_SIZE_N + tile.column], tile, OP_SIZE_N);
            }
        }
        return turn;
    }

    AscendC::TPipe pipe_;
    CubeTile<OP_A_TYPE> cube_;
    GlobalTensor<int64_t> groups_;
    GlobalTensor<OP_C_TYPE> y_;
};

}  // namespace

extern "C" __global__ __aicore__ void grouped_matmul_kernel(GM_ADDR x, GM_ADDR weight, GM_ADDR group_list, GM_ADDR y) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_0);
    GroupedMatmul kernel;
    kernel.Init(x, weight, group_list, y);
    kernel.Process();
}
