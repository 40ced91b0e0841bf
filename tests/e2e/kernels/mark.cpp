// Licensed under the Apache License, Version 2.0.
//
// Each core that runs this leaves MARK and its block count in a line of its own: AIC cores from line 0, AIV cores from
// line 64 on.
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void mark(GM_ADDR x, GM_ADDR y)
{
    uint32_t line = AscendC::GetBlockIdx();
    if ASCEND_IS_AIV {
        line += 64;
    }
    __gm__ uint32_t *words = (__gm__ uint32_t *)y + line * 16;
    words[0] = MARK;
    words[1] = (uint32_t)AscendC::GetBlockNum();
    dcci((__gm__ uint64_t *)words, cache_line_t::SINGLE_CACHE_LINE, dcci_dst_t::CACHELINE_OUT);
}
