// Licensed under the Apache License, Version 2.0.
//
// y = x, with one rule of sub-kernels broken, which MODE names; 0: none.
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t kElements = 4096;
constexpr uint16_t kTaken = MODE == 1 ? 14 : 9;  // mode 1: a flag that is not the kernel's
constexpr uint32_t kUb = __NPU_ARCH__ == 3510 ? 256 * 1024 : 192 * 1024;

__aicore__ inline void Copy(GM_ADDR x, GM_ADDR y, uint32_t block, uint32_t blocks)
{
    GlobalTensor<float> source, target;
    source.SetGlobalBuffer((__gm__ float *)x, kElements);
    target.SetGlobalBuffer((__gm__ float *)y, kElements);
    const uint32_t share = kElements / blocks;
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, MODE == 2 ? kUb - 4096 : share * sizeof(float));  // mode 2: reserved memory
    LocalTensor<float> local = buffer.Get<float>();
    DataCopy(local, source[block * share], share);
    SetFlag<HardEvent::MTE2_MTE3>(0);
    WaitFlag<HardEvent::MTE2_MTE3>(0);
    DataCopy(target[block * share], local, share);
}

extern "C" __global__ __aicore__ void careless(GM_ADDR x, GM_ADDR y)
{
    WaitPreTaskEnd();
    const uint32_t block = MODE == 3 ? get_block_idx() : GetBlockIdx();  // mode 3: what is the SuperKernel's
    CrossCoreSetFlag<0, PIPE_MTE3>(kTaken);
    if (MODE != 4) {  // mode 4: what nobody waits for
        CrossCoreWaitFlag(kTaken);
    }
    Copy(x, y, block, GetBlockNum());
    if (MODE == 5) {
        SetAtomicAdd<float>();  // mode 5: what the next one inherits
    }
    if (MODE != 6 || block != 3) {  // mode 6: a core without the call
        SetNextTaskStart();
    }
    if (MODE == 7) {
        SetNextTaskStart();  // mode 7: a call too many
    }
}
