// Licensed under the Apache License, Version 2.0.
//
// Per row: scale = max(|x|) / 127, y = round(x * (127 / max(|x|))) as int8; a row of zeros gives zeros and scale 0.
// Macros: OP_X_TYPE, OP_ROWS, OP_COLUMNS.
#include "rows.h"

namespace {

using namespace skcore_kernels;

class DynamicQuant {
public:
    static constexpr uint32_t kInputs = 1;

    __aicore__ explicit DynamicQuant(GM_ADDR scale) { target_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(scale)); }

    __aicore__ void Init(AscendC::TPipe& pipe, uint32_t columns) {
        columns_ = static_cast<int32_t>(columns);
        const uint32_t padded = PaddedRow<int8_t>(columns);
        pipe.InitBuffer(wide_, padded * sizeof(float));
        pipe.InitBuffer(work_, padded * sizeof(float));
        pipe.InitBuffer(reduced_, AscendC::ONE_BLK_SIZE);
        pipe.InitBuffer(scales_, kBuffers, AscendC::ONE_BLK_SIZE);
    }

    __aicore__ void Apply(const LocalTensor<int8_t>& y, const LocalTensor<OP_X_TYPE>& x, uint32_t,
                          uint32_t row) {
        LocalTensor<float> wide = wide_.Get<float>();
        LocalTensor<float> work = work_.Get<float>();
        LocalTensor<float> reduced = reduced_.Get<float>();
        Widen(wide, x, columns_);
        AscendC::Abs(work, wide, columns_);
        AscendC::ReduceMax(reduced, work, work, columns_);
        StoreScale(reduced, row);
        const float most = ReadBack(reduced);
        AscendC::Muls(wide, wide, most == 0.0f ? 0.0f : kSteps / most, columns_);
        // There is no cast from float to int8: int16 takes the rounding, and half holds what is left exactly.
        LocalTensor<int16_t> rounded = work.ReinterpretCast<int16_t>();
        LocalTensor<half> narrow = wide.ReinterpretCast<half>();
        AscendC::Cast(rounded, wide, AscendC::RoundMode::CAST_RINT, columns_);
        AscendC::Cast(narrow, rounded, AscendC::RoundMode::CAST_RINT, columns_);
        AscendC::Cast(y, narrow, AscendC::RoundMode::CAST_RINT, columns_);
    }

private:
    static constexpr float kSteps = 127.0f;

    __aicore__ void StoreScale(const LocalTensor<float>& most, uint32_t row) {
        LocalTensor<float> scale = scales_.AllocTensor<float>();
        AscendC::Muls(scale, most, 1.0f / kSteps, 1);
        scales_.EnQue(scale);
        scale = scales_.DeQue<float>();
        CopyOut(target_[row], scale, 1);
        scales_.FreeTensor(scale);
    }

    GlobalTensor<float> target_;
    AscendC::TQue<AscendC::TPosition::VECOUT, kBuffers> scales_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> work_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> reduced_;
    int32_t columns_ = 0;
};

}  // namespace

extern "C" __global__ __aicore__ void dynamic_quant_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR scale) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    AscendC::TPipe pipe;
    DynamicQuant quant(scale);
    RowKernel<OP_X_TYPE, int8_t, DynamicQuant> kernel(quant);
    kernel.Init(pipe, x, y, OP_ROWS, OP_COLUMNS);
    kernel.Process();
}
