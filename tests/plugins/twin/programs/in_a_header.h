// Licensed under the Apache License, Version 2.0.
//
// Kernels and a launch that a program includes.
#pragma once

#include "kernel_operator.h"

__BLOCK_LOCAL__ int g_mine = 3;

namespace {

template <int kFactor>
__global__ __vector__ void counted(GM_ADDR x)
{
    AscendC::GlobalTensor<int32_t> numbers;
    numbers.SetGlobalBuffer((__gm__ int32_t*)x, 1024);
    for (int i = 0; i < 4; ++i) {
        g_mine += AscendC::GetBlockIdx();
        AscendC::PipeBarrier<PIPE_ALL>();
        numbers.SetValue(AscendC::GetBlockIdx() * 16, g_mine * kFactor);
    }
}

}  // namespace

template <int kFactor>
void LaunchCounted(uint8_t* x, aclrtStream stream)
{
    counted<kFactor><<<4, 0, stream>>>(x);
}
