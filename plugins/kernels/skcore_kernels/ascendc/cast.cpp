// Licensed under the Apache License, Version 2.0.
//
// y = x in another float type, rounded to nearest even. Macros: OP_X_TYPE, OP_Y_TYPE, OP_ELEMENTS.
#include "elementwise.h"

namespace {

using namespace skcore_kernels;

struct Nothing {
    __aicore__ static void Apply(const LocalTensor<float>&, int32_t) {}
};

}  // namespace

extern "C" __global__ __aicore__ void cast_kernel(GM_ADDR x, GM_ADDR y) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    UnaryKernel<OP_X_TYPE, OP_Y_TYPE, Nothing> kernel;
    kernel.Init(x, y, OP_ELEMENTS);
    kernel.Process();
}
