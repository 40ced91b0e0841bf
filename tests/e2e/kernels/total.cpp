// Licensed under the Apache License, Version 2.0.
//
// y = the sum of all x, in every element. Every block sums its part, all blocks synchronise, and every block adds the parts.
// With SKIPPING defined, that block does not take part in the synchronisation.
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t kElements = 4096;
constexpr uint32_t kLine = 16;

extern "C" __global__ __aicore__ void total(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    GlobalTensor<float> source, target, parts;
    source.SetGlobalBuffer((__gm__ float *)x, kElements);
    target.SetGlobalBuffer((__gm__ float *)y, kElements);
    parts.SetGlobalBuffer((__gm__ float *)workspace, kLine * GetBlockNum());
    const uint32_t share = kElements / GetBlockNum();
    const uint32_t first = GetBlockIdx() * share;
    float sum = 0;
    for (uint32_t i = 0; i < share; ++i) {
        sum += source.GetValue(first + i);
    }
    parts.SetValue(GetBlockIdx() * kLine, sum);
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(parts[GetBlockIdx() * kLine]);
#ifdef SKIPPING
    if (GetBlockIdx() == SKIPPING) {
        return;
    }
#endif
    SyncAll();
    float all = 0;
    for (uint32_t block = 0; block < GetBlockNum(); ++block) {
        all += parts.GetValue(block * kLine);
    }
    TPipe pipe;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(out, 1, kElements * sizeof(float));
    LocalTensor<float> result = out.AllocTensor<float>();
    Duplicate(result, all, share);
    out.EnQue(result);
    result = out.DeQue<float>();
    DataCopy(target[first], result, share);
    out.FreeTensor(result);
}
