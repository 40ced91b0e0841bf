// Licensed under the Apache License, Version 2.0.
//
// Kernels that treat each element alone: each block works through its part in tiles.
#pragma once

#include "common.h"

namespace skcore_kernels {

// Parts of blocks start on whole 32-byte blocks, whatever the element type.
constexpr uint32_t kElementChunk = 64;
constexpr uint32_t kElementTile = 4096;

struct NoNotice {
    __aicore__ static void BeforeFirstLoad() {}
    __aicore__ static void AfterLastStore() {}
};

// Operation::Apply(y, x1, x2, count), where y may be x1. Notice is told about the kernel's ends.
template <typename T, typename Operation, typename Notice = NoNotice>
class BinaryKernel {
public:
    __aicore__ void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, uint32_t elements) {
        range_ = ShareChunks(elements, kElementChunk, AscendC::GetBlockIdx(), AscendC::GetBlockNum());
        x1_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x1), elements);
        x2_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x2), elements);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), elements);
        pipe_.InitBuffer(inputs1_, kBuffers, kElementTile * sizeof(T));
        pipe_.InitBuffer(inputs2_, kBuffers, kElementTile * sizeof(T));
        pipe_.InitBuffer(outputs_, kBuffers, kElementTile * sizeof(T));
        pipe_.InitBuffer(scratch_, 2 * kElementTile * sizeof(float));
    }

    __aicore__ void Process() {
        Notice::BeforeFirstLoad();
        for (uint32_t at = range_.begin; at < range_.end; at += kElementTile) {
            const uint32_t left = range_.end - at;
            const uint32_t count = left < kElementTile ? left : kElementTile;
            Load(at, count);
            Compute(count);
            Store(at, count);
        }
        Notice::AfterLastStore();
    }

private:
    __aicore__ void Load(uint32_t at, uint32_t count) {
        LocalTensor<T> first = inputs1_.template AllocTensor<T>();
        CopyIn(first, x1_[at], count);
        inputs1_.EnQue(first);
        LocalTensor<T> second = inputs2_.template AllocTensor<T>();
        CopyIn(second, x2_[at], count);
        inputs2_.EnQue(second);
    }

    __aicore__ void Compute(uint32_t count) {
        LocalTensor<T> first = inputs1_.template DeQue<T>();
        LocalTensor<T> second = inputs2_.template DeQue<T>();
        LocalTensor<T> result = outputs_.template AllocTensor<T>();
        if constexpr (std::is_same_v<T, bfloat16_t>) {
            // The vector unit has no arithmetic on bfloat16.
            LocalTensor<float> wide1 = scratch_.Get<float>();
            LocalTensor<float> wide2 = wide1[kElementTile];
            Widen(wide1, first, count);
            Widen(wide2, second, count);
            Operation::Apply(wide1, wide1, wide2, static_cast<int32_t>(count));
            Narrow(result, wide1, count);
        } else {
            Operation::Apply(result, first, second, static_cast<int32_t>(count));
        }
        outputs_.EnQue(result);
        inputs1_.FreeTensor(first);
        inputs2_.FreeTensor(second);
    }

    __aicore__ void Store(uint32_t at, uint32_t count) {
        LocalTensor<T> result = outputs_.template DeQue<T>();
        CopyOut(y_[at], result, count);
        outputs_.FreeTensor(result);
    }

    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, kBuffers> inputs1_;
    AscendC::TQue<AscendC::TPosition::VECIN, kBuffers> inputs2_;
    AscendC::TQue<AscendC::TPosition::VECOUT, kBuffers> outputs_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> scratch_;
    GlobalTensor<T> x1_;
    GlobalTensor<T> x2_;
    GlobalTensor<T> y_;
    Range range_{};
};

// Operation::Apply(x, count) works in place on floats; In and Out may be shorter types.
template <typename In, typename Out, typename Operation>
class UnaryKernel {
public:
    __aicore__ void Init(GM_ADDR x, GM_ADDR y, uint32_t elements) {
        range_ = ShareChunks(elements, kElementChunk, AscendC::GetBlockIdx(), AscendC::GetBlockNum());
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ In*>(x), elements);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ Out*>(y), elements);
        pipe_.InitBuffer(inputs_, kBuffers, kElementTile * sizeof(In));
        pipe_.InitBuffer(outputs_, kBuffers, kElementTile * sizeof(Out));
        pipe_.InitBuffer(wide_, kElementTile * sizeof(float));
    }

    __aicore__ void Process() {
        for (uint32_t at = range_.begin; at < range_.end; at += kElementTile) {
            const uint32_t left = range_.end - at;
            const uint32_t count = left < kElementTile ? left : kElementTile;
            Load(at, count);
            Compute(count);
            Store(at, count);
        }
    }

private:
    __aicore__ void Load(uint32_t at, uint32_t count) {
        LocalTensor<In> input = inputs_.template AllocTensor<In>();
        CopyIn(input, x_[at], count);
        inputs_.EnQue(input);
    }

    __aicore__ void Compute(uint32_t count) {
        LocalTensor<In> input = inputs_.template DeQue<In>();
        LocalTensor<Out> output = outputs_.template AllocTensor<Out>();
        LocalTensor<float> wide = wide_.Get<float>();
        Widen(wide, input, count);
        Operation::Apply(wide, static_cast<int32_t>(count));
        Narrow(output, wide, count);
        outputs_.EnQue(output);
        inputs_.FreeTensor(input);
    }

    __aicore__ void Store(uint32_t at, uint32_t count) {
        LocalTensor<Out> output = outputs_.template DeQue<Out>();
        CopyOut(y_[at], output, count);
        outputs_.FreeTensor(output);
    }

    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, kBuffers> inputs_;
    AscendC::TQue<AscendC::TPosition::VECOUT, kBuffers> outputs_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide_;
    GlobalTensor<In> x_;
    GlobalTensor<Out> y_;
    Range range_{};
};

}  // namespace skcore_kernels
