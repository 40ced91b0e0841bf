// Licensed under the Apache License, Version 2.0.
//
// y = exp(x), computed in float. Macros: OP_X_TYPE, OP_ELEMENTS.
#include "elementwise.h"

namespace {

using namespace skcore_kernels;

struct Exponential {
    __aicore__ static void Apply(const LocalTensor<float>& x, int32_t count) { AscendC::Exp(x, x, count); }
};

}  // namespace

extern "C" __global__ __aicore__ void exp_kernel(GM_ADDR x, GM_ADDR y) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    UnaryKernel<OP_X_TYPE, OP_X_TYPE, Exponential> kernel;
    kernel.Init(x, y, OP_ELEMENTS);
    kernel.Process();
}
