// Licensed under the Apache License, Version 2.0.
//
// y = x1 * x2. Macros: OP_X_TYPE, OP_ELEMENTS.
#include "elementwise.h"

namespace {

using namespace skcore_kernels;

struct Product {
    template <typename T>
    __aicore__ static void Apply(const LocalTensor<T>& y, const LocalTensor<T>& x1,
                                 const LocalTensor<T>& x2, int32_t count) {
        AscendC::Mul(y, x1, x2, count);
    }
};

}  // namespace

extern "C" __global__ __aicore__ void mul_kernel(GM_ADDR x1, GM_ADDR x2, GM_ADDR y) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    BinaryKernel<OP_X_TYPE, Product> kernel;
    kernel.Init(x1, x2, y, OP_ELEMENTS);
    kernel.Process();
}
