// Licensed under the Apache License, Version 2.0.
//
// y = x limited to [-LIMIT, LIMIT]: a kernel of the user's own. Macros: COUNT (a multiple of 16 * blocks), LIMIT.
#include "kernel_operator.h"

class Clamp {
public:
    __aicore__ void Init(GM_ADDR x, GM_ADDR y) {
        part_ = COUNT / AscendC::GetBlockNum();
        const uint32_t start = part_ * AscendC::GetBlockIdx();
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x) + start, part_);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y) + start, part_);
        pipe_.InitBuffer(inputs_, 1, part_ * sizeof(half));
        pipe_.InitBuffer(outputs_, 1, part_ * sizeof(half));
    }

    __aicore__ void Process() {
        AscendC::LocalTensor<half> input = inputs_.AllocTensor<half>();
        AscendC::DataCopy(input, x_, part_);
        inputs_.EnQue(input);

        input = inputs_.DeQue<half>();
        AscendC::LocalTensor<half> output = outputs_.AllocTensor<half>();
        AscendC::Mins(output, input, static_cast<half>(LIMIT), static_cast<int32_t>(part_));
        AscendC::Maxs(output, output, static_cast<half>(-LIMIT), static_cast<int32_t>(part_));
        outputs_.EnQue(output);
        inputs_.FreeTensor(input);

        output = outputs_.DeQue<half>();
        AscendC::DataCopy(y_, output, part_);
        outputs_.FreeTensor(output);
    }

private:
    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inputs_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outputs_;
    AscendC::GlobalTensor<half> x_;
    AscendC::GlobalTensor<half> y_;
    uint32_t part_ = 0;
};

extern "C" __global__ __aicore__ void clamp(GM_ADDR x, GM_ADDR y) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    Clamp kernel;
    kernel.Init(x, y);
    kernel.Process();
}
