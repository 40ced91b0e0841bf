// Licensed under the Apache License, Version 2.0.
//
// y = x moved by SHIFT elements and increased by 1, in pieces of 64 elements: each block reads what other blocks wrote.
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t kPiece = 64;
constexpr uint32_t kPieces = 64;

extern "C" __global__ __aicore__ void rotate(GM_ADDR x, GM_ADDR y)
{
    if ASCEND_IS_AIC {
        return;
    }
    GlobalTensor<float> source, target;
    source.SetGlobalBuffer((__gm__ float *)x, kPiece * kPieces);
    target.SetGlobalBuffer((__gm__ float *)y, kPiece * kPieces);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, kPiece * sizeof(float));
    pipe.InitBuffer(out, 1, kPiece * sizeof(float));
    for (uint32_t piece = GetBlockIdx(); piece < kPieces; piece += GetBlockNum()) {
        LocalTensor<float> local = in.AllocTensor<float>();
        DataCopy(local, source[(piece + SHIFT) % kPieces * kPiece], kPiece);
        in.EnQue(local);
        local = in.DeQue<float>();
        LocalTensor<float> result = out.AllocTensor<float>();
        Adds(result, local, 1.0f, kPiece);
        out.EnQue(result);
        result = out.DeQue<float>();
        DataCopy(target[piece * kPiece], result, kPiece);
        in.FreeTensor(local);
        out.FreeTensor(result);
    }
}
