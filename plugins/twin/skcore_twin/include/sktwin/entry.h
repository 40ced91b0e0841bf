// Licensed under the Apache License, Version 2.0.
//
// The entry of a sub-kernel: reads the kernel function's parameters from the argument words (spec jit §2.5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "sktwin/machine.h"

namespace sktwin {

// Reports name the kernel while one of these lives.
class KernelScope {
public:
    KernelScope(const char* name, uint64_t argument, KernelBuild build)
        : previous_(EnterKernel(name, argument, build)) {}
    ~KernelScope() { LeaveKernel(previous_); }
    KernelScope(const KernelScope&) = delete;
    KernelScope& operator=(const KernelScope&) = delete;

private:
    const char* previous_;
};

// The macros of the compilation, as the kernel's source saw them.
constexpr KernelBuild ThisBuild()
{
    KernelBuild build;
#ifdef __ASCENDC_ENABLE_SET_NEXT_TASK_START
    build.setsNextTaskStart = true;
#endif
#ifdef __ASCENDC_ENABLE_WAIT_PRE_TASK_END
    build.waitsPreTaskEnd = true;
#endif
#ifdef __SUPER_KERNEL_STATIC_BLOCK_NUM__
    build.blocks = __SUPER_KERNEL_STATIC_BLOCK_NUM__;
#endif
    return build;
}

template <typename... Parameters, size_t... Index>
void InvokeWith(void (*function)(Parameters...), const uint64_t* words, std::index_sequence<Index...>)
{
    function((Parameters)(words[Index])...);
}

template <typename... Parameters>
void Invoke(void (*function)(Parameters...), uint64_t argsOffset)
{
    InvokeWith(function, Self().paraBase + argsOffset, std::index_sequence_for<Parameters...>{});
}

}  // namespace sktwin

#define SKTWIN_ENTRY(symbol, function, name)                               \
    extern "C" void symbol(uint64_t args_offset)                           \
    {                                                                      \
        sktwin::KernelScope scope(name, args_offset, sktwin::ThisBuild()); \
        sktwin::Invoke(&function, args_offset);                            \
    }
