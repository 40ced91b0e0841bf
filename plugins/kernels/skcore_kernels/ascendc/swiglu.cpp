// Licensed under the Apache License, Version 2.0.
//
// y = silu(a) * b, where a and b are the first and the second half of each row of x, in float, rounded once.
// Macros: OP_X_TYPE, OP_ROWS, OP_COLUMNS (of y).
#include "rows.h"

namespace {

using namespace skcore_kernels;

class SwiGlu {
public:
    static constexpr uint32_t kInputs = 2;

    __aicore__ void Init(AscendC::TPipe& pipe, uint32_t columns) {
        columns_ = static_cast<int32_t>(columns);
        const uint32_t bytes = PaddedRow<OP_X_TYPE>(columns) * sizeof(float);
        pipe.InitBuffer(gate_, bytes);
        pipe.InitBuffer(work_, bytes);
    }

    __aicore__ void Apply(const LocalTensor<OP_X_TYPE>& y, const LocalTensor<OP_X_TYPE>& x, uint32_t pitch,
                          uint32_t) {
        LocalTensor<float> gate = gate_.Get<float>();
        LocalTensor<float> work = work_.Get<float>();
        Widen(gate, x, columns_);
        Silu(gate, work, columns_);
        Widen(work, x[pitch], columns_);
        AscendC::Mul(gate, gate, work, columns_);
        Narrow(y, gate, columns_);
    }

private:
    AscendC::TBuf<AscendC::TPosition::VECCALC> gate_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> work_;
    int32_t columns_ = 0;
};

}  // namespace

extern "C" __global__ __aicore__ void swiglu_kernel(GM_ADDR x, GM_ADDR y) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    AscendC::TPipe pipe;
    SwiGlu swiglu;
    RowKernel<OP_X_TYPE, OP_X_TYPE, SwiGlu> kernel(swiglu);
    kernel.Init(pipe, x, y, OP_ROWS, OP_COLUMNS);
    kernel.Process();
}
