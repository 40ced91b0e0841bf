// Licensed under the Apache License, Version 2.0.
//
// y = x1 + x2, with both early-start calls: inside a SuperKernel the kernel before may still run while this one sets up
// its queues, and the one after may set up while the last blocks of this one store. Macros: OP_X_TYPE, OP_ELEMENTS.
#include "elementwise.h"

namespace {

using namespace skcore_kernels;

struct Sum {
    template <typename T>
    __aicore__ static void Apply(const LocalTensor<T>& y, const LocalTensor<T>& x1,
                                 const LocalTensor<T>& x2, int32_t count) {
        AscendC::Add(y, x1, x2, count);
    }
};

// Blocks without elements make the calls too: every core has to make each exactly once.
struct EarlyStart {
    __aicore__ static void BeforeFirstLoad() { AscendC::WaitPreTaskEnd(); }
    __aicore__ static void AfterLastStore() { AscendC::SetNextTaskStart(); }
};

}  // namespace

extern "C" __global__ __aicore__ void add_early_kernel(GM_ADDR x1, GM_ADDR x2, GM_ADDR y) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    BinaryKernel<OP_X_TYPE, Sum, EarlyStart> kernel;
    kernel.Init(x1, x2, y, OP_ELEMENTS);
    kernel.Process();
}
