// Licensed under the Apache License, Version 2.0.
//
// Softmax over the last axis, computed in float. Macros: OP_X_TYPE, OP_ROWS, OP_COLUMNS.
#include "rows.h"

namespace {

using namespace skcore_kernels;

class Softmax {
public:
    static constexpr uint32_t kInputs = 1;

    __aicore__ void Init(AscendC::TPipe& pipe, uint32_t columns) {
        columns_ = static_cast<int32_t>(columns);
        pipe.InitBuffer(wide_, PaddedRow<OP_X_TYPE>(columns) * sizeof(float));
        pipe.InitBuffer(work_, PaddedRow<OP_X_TYPE>(columns) * sizeof(float));
        pipe.InitBuffer(reduced_, AscendC::ONE_BLK_SIZE);
    }

    __aicore__ void Apply(const LocalTensor<OP_X_TYPE>& y, const LocalTensor<OP_X_TYPE>& x, uint32_t, uint32_t) {
        LocalTensor<float> wide = wide_.Get<float>();
        LocalTensor<float> work = work_.Get<float>();
        LocalTensor<float> reduced = reduced_.Get<float>();
        Widen(wide, x, columns_);
        AscendC::ReduceMax(reduced, wide, work, columns_);
        AscendC::Adds(wide, wide, -ReadBack(reduced), columns_);
        AscendC::Exp(wide, wide, columns_);
        AscendC::ReduceSum(reduced, wide, work, columns_);
        AscendC::Muls(wide, wide, 1.0f / ReadBack(reduced), columns_);
        Narrow(y, wide, columns_);
    }

private:
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> work_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> reduced_;
    int32_t columns_ = 0;
};

}  // namespace

extern "C" __global__ __aicore__ void softmax_kernel(GM_ADDR x, GM_ADDR y) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    AscendC::TPipe pipe;
    Softmax softmax;
    RowKernel<OP_X_TYPE, OP_X_TYPE, Softmax> kernel(softmax);
    kernel.Init(pipe, x, y, OP_ROWS, OP_COLUMNS);
    kernel.Process();
}
