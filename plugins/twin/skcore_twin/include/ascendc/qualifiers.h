// Licensed under the Apache License, Version 2.0.
//
// Device qualifiers and core kinds. Address spaces and launch marks mean nothing to a host compiler.
#pragma once

#include <cstdint>

#if !defined(__NPU_ARCH__) || (__NPU_ARCH__ != 2201 && __NPU_ARCH__ != 3510)
#error "the twin needs -D__NPU_ARCH__=2201 or -D__NPU_ARCH__=3510"
#endif
#if defined(__DAV_VEC__) == defined(__DAV_CUBE__)
#error "the twin compiles a kernel once per core kind: define exactly one of __DAV_VEC__ and __DAV_CUBE__"
#endif

// In a whole program these stay words: its translation reads and removes them.
#ifndef SKTWIN_PROGRAM
#define __global__
#define __vector__
#define __cube__
#define __mix__(cubes, vectors)
#define __schedmode__(mode)
#define __launch_bounds__(threads)
// The launch type of a kernel comes with its launch, so the marks in its source have nothing to do here.
#define KERNEL_TASK_TYPE_DEFAULT(type) static_assert(true, "")
#define KERNEL_TASK_TYPE(key, type) static_assert(true, "")
#endif

#define __aicore__
#define __host__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __ssbuf__
#define __biasbuf__
#define __sk__
#define __simd_vf__
#define __simd_callee__
#define __simt_vf__
#define __simt_callee__
#define __tiling_data_ptr__
#define __in_pipe__(pipes)
#define __out_pipe__(pipes)
#define __inout_pipe__(pipes)
#define __sync_noalias__
#define __sync_alias__
#define __check_sync_alias__

// One thread runs all cores; the runtime exchanges the thread's copy of these variables when it changes the core.
#define __BLOCK_LOCAL__ thread_local

#define GM_ADDR __gm__ uint8_t*

namespace AscendC {

constexpr int32_t AIC = 1;
constexpr int32_t AIV = 2;

}  // namespace AscendC

#ifdef __DAV_CUBE__
constexpr int32_t g_coreType = AscendC::AIC;
#else
constexpr int32_t g_coreType = AscendC::AIV;
#endif

namespace AscendC {

using ::g_coreType;

}  // namespace AscendC

// Written `if ASCEND_IS_AIC { ... }`: the macro brings the parentheses.
#define ASCEND_IS_AIC constexpr(::g_coreType == ::AscendC::AIC)
#define ASCEND_IS_AIV constexpr(::g_coreType == ::AscendC::AIV)
#define ASCEND_IS_NOT_AIC constexpr(::g_coreType != ::AscendC::AIC)
#define ASCEND_IS_NOT_AIV constexpr(::g_coreType != ::AscendC::AIV)
