// Licensed under the Apache License, Version 2.0.
//
// y = x * (factor * sum(x)), the sum over all elements: each block leaves the sum of its part in the workspace, all
// blocks meet, and each reads all sums. Macros: OP_X_TYPE, OP_ELEMENTS, OP_FACTOR. Workspace: 32 bytes a block.
#include "common.h"

namespace {

using namespace skcore_kernels;

class GlobalSum {
public:
    __aicore__ void Init(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
        blocks_ = AscendC::GetBlockNum();
        range_ = ShareChunks(OP_ELEMENTS, kChunk, AscendC::GetBlockIdx(), blocks_);
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ OP_X_TYPE*>(x), OP_ELEMENTS);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ OP_X_TYPE*>(y), OP_ELEMENTS);
        sums_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace), blocks_ * kLine);
        pipe_.InitBuffer(inputs_, kBuffers, kTile * sizeof(OP_X_TYPE));
        pipe_.InitBuffer(outputs_, kBuffers, kTile * sizeof(OP_X_TYPE));
        pipe_.InitBuffer(lines_, 1, blocks_ * kLine * sizeof(float));
        pipe_.InitBuffer(partial_, 1, kLine * sizeof(float));
        pipe_.InitBuffer(wide_, kTile * sizeof(float));
        pipe_.InitBuffer(work_, kTile * sizeof(float));
        pipe_.InitBuffer(reduced_, AscendC::ONE_BLK_SIZE);
    }

    __aicore__ void Process() {
        StorePartialSum();
        AscendC::SyncAll();
        Scale(LoadTotal());
    }

private:
    static constexpr uint32_t kChunk = 64;
    static constexpr uint32_t kTile = 2048;
    static constexpr uint32_t kLine = kPerBlock<float>;

    __aicore__ uint32_t TileAt(uint32_t at) const {
        const uint32_t left = range_.end - at;
        return left < kTile ? left : kTile;
    }

    __aicore__ LocalTensor<float> LoadTile(uint32_t at, uint32_t count) {
        LocalTensor<OP_X_TYPE> input = inputs_.AllocTensor<OP_X_TYPE>();
        CopyIn(input, x_[at], count);
        inputs_.EnQue(input);
        input = inputs_.DeQue<OP_X_TYPE>();
        LocalTensor<float> wide = wide_.Get<float>();
        Widen(wide, input, count);
        inputs_.FreeTensor(input);
        return wide;
    }

    __aicore__ void StorePartialSum() {
        LocalTensor<float> partial = partial_.AllocTensor<float>();
        LocalTensor<float> reduced = reduced_.Get<float>();
        AscendC::Duplicate(partial, 0.0f, static_cast<int32_t>(kLine));
        for (uint32_t at = range_.begin; at < range_.end; at += kTile) {
            const uint32_t count = TileAt(at);
            AscendC::ReduceSum(reduced, LoadTile(at, count), work_.Get<float>(), static_cast<int32_t>(count));
            AscendC::Add(partial, partial, reduced, 1);
        }
        partial_.EnQue(partial);
        partial = partial_.DeQue<float>();
        CopyOut(sums_[AscendC::GetBlockIdx() * kLine], partial, kLine);
        partial_.FreeTensor(partial);
    }

    __aicore__ float LoadTotal() {
        LocalTensor<float> lines = lines_.AllocTensor<float>();
        CopyIn(lines, sums_, blocks_ * kLine);
        lines_.EnQue(lines);
        lines = lines_.DeQue<float>();
        LocalTensor<float> reduced = reduced_.Get<float>();
        AscendC::ReduceSum(reduced, lines, work_.Get<float>(), static_cast<int32_t>(blocks_ * kLine));
        const float total = ReadBack(reduced);
        lines_.FreeTensor(lines);
        return total;
    }

    __aicore__ void Scale(float total) {
        const float factor = static_cast<float>(OP_FACTOR) * total;
        for (uint32_t at = range_.begin; at < range_.end; at += kTile) {
            const uint32_t count = TileAt(at);
            LocalTensor<float> wide = LoadTile(at, count);
            AscendC::Muls(wide, wide, factor, static_cast<int32_t>(count));
            LocalTensor<OP_X_TYPE> output = outputs_.AllocTensor<OP_X_TYPE>();
            Narrow(output, wide, count);
            outputs_.EnQue(output);
            output = outputs_.DeQue<OP_X_TYPE>();
            CopyOut(y_[at], output, count);
            outputs_.FreeTensor(output);
        }
    }

    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, kBuffers> inputs_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> lines_;
    AscendC::TQue<AscendC::TPosition::VECOUT, kBuffers> outputs_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> partial_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> work_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> reduced_;
    GlobalTensor<OP_X_TYPE> x_;
    GlobalTensor<OP_X_TYPE> y_;
    GlobalTensor<float> sums_;
    Range range_{};
    uint32_t blocks_ = 0;
};

}  // namespace

// Blocks without elements take part too: they store a sum of 0, meet the others, and leave.
extern "C" __global__ __aicore__ void global_sum_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    GlobalSum kernel;
    kernel.Init(x, y, workspace);
    kernel.Process();
}
