// Licensed under the Apache License, Version 2.0.
//
// Goes wrong in the way that MODE names: 0 not at all, 1 an endless loop, 2 a loop that reads memory for ever, 3 a
// recursion without end, 4 a pointer to nowhere.
#include "kernel_operator.h"

namespace {

[[gnu::noinline]] __aicore__ uint32_t Descend(uint32_t depth) {
    volatile uint32_t frame[64];
    frame[depth % 64] = depth;                  // mode 3
    return Descend(depth + 1) + frame[depth % 64];
}

__aicore__ inline void GoWrong(AscendC::GlobalTensor<float>& target) {
    volatile uint32_t spins = 0;
    if (MODE == 1) {
        while (true) {
            spins = spins + 1;                  // mode 1
        }
    }
    if (MODE == 2) {
        while (target.GetValue(0) < 1e30f) {    // mode 2
        }
    }
    if (MODE == 3) {
        spins = Descend(spins);
    }
    if (MODE == 4) {
        *reinterpret_cast<volatile uint32_t*>(16) = spins;  // mode 4
    }
}

}  // namespace

extern "C" __global__ __aicore__ void hostile(GM_ADDR x, GM_ADDR y)
{
    constexpr uint32_t kElements = 4096;
    AscendC::GlobalTensor<float> source, target;
    source.SetGlobalBuffer((__gm__ float *)x, kElements);
    target.SetGlobalBuffer((__gm__ float *)y, kElements);
    if (AscendC::GetBlockIdx() == 2) {
        GoWrong(target);
    }
    const uint32_t share = kElements / AscendC::GetBlockNum();
    for (uint32_t i = AscendC::GetBlockIdx() * share; i < (AscendC::GetBlockIdx() + 1) * share; ++i) {
        target.SetValue(i, source.GetValue(i));
    }
}
