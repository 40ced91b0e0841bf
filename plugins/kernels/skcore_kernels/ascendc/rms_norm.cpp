// Licensed under the Apache License, Version 2.0.
//
// y = x / sqrt(mean(x * x) + epsilon) * gamma over the last axis, in float, rounded once.
// Macros: OP_X_TYPE, OP_GAMMA_TYPE, OP_ROWS, OP_COLUMNS, OP_EPSILON.
#include "rows.h"

namespace {

using namespace skcore_kernels;

class RmsNorm {
public:
    static constexpr uint32_t kInputs = 1;

    __aicore__ explicit RmsNorm(GM_ADDR gamma) {
        source_.SetGlobalBuffer(reinterpret_cast<__gm__ OP_GAMMA_TYPE*>(gamma));
    }

    __aicore__ void Init(AscendC::TPipe& pipe, uint32_t columns) {
        columns_ = static_cast<int32_t>(columns);
        const uint32_t bytes = PaddedRow<OP_X_TYPE>(columns) * sizeof(float);
        pipe.InitBuffer(gammas_, 1, PaddedRow<OP_GAMMA_TYPE>(columns) * sizeof(OP_GAMMA_TYPE));
        pipe.InitBuffer(gamma_, bytes);
        pipe.InitBuffer(wide_, bytes);
        pipe.InitBuffer(work_, bytes);
        pipe.InitBuffer(reduced_, AscendC::ONE_BLK_SIZE);
        LoadGamma();
    }

    __aicore__ void Apply(const LocalTensor<OP_X_TYPE>& y, const LocalTensor<OP_X_TYPE>& x, uint32_t, uint32_t) {
        LocalTensor<float> wide = wide_.Get<float>();
        LocalTensor<float> work = work_.Get<float>();
        LocalTensor<float> reduced = reduced_.Get<float>();
        Widen(wide, x, columns_);
        AscendC::Mul(work, wide, wide, columns_);
        AscendC::ReduceSum(reduced, work, work, columns_);
        AscendC::Muls(reduced, reduced, 1.0f / OP_COLUMNS, 1);
        AscendC::Adds(reduced, reduced, static_cast<float>(OP_EPSILON), 1);
        AscendC::Sqrt(reduced, reduced, 1);
        AscendC::Muls(wide, wide, 1.0f / ReadBack(reduced), columns_);
        AscendC::Mul(wide, wide, gamma_.Get<float>(), columns_);
        Narrow(y, wide, columns_);
    }

private:
    __aicore__ void LoadGamma() {
        LocalTensor<OP_GAMMA_TYPE> gamma = gammas_.AllocTensor<OP_GAMMA_TYPE>();
        CopyIn(gamma, source_, columns_);
        gammas_.EnQue(gamma);
        gamma = gammas_.DeQue<OP_GAMMA_TYPE>();
        Widen(gamma_.Get<float>(), gamma, columns_);
        gammas_.FreeTensor(gamma);
    }

    GlobalTensor<OP_GAMMA_TYPE> source_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> gammas_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> gamma_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> work_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> reduced_;
    int32_t columns_ = 0;
};

}  // namespace

extern "C" __global__ __aicore__ void rms_norm_kernel(GM_ADDR x, GM_ADDR gamma, GM_ADDR y) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    AscendC::TPipe pipe;
    RmsNorm norm(gamma);
    RowKernel<OP_X_TYPE, OP_X_TYPE, RmsNorm> kernel(norm);
    kernel.Init(pipe, x, y, OP_ROWS, OP_COLUMNS);
    kernel.Process();
}
