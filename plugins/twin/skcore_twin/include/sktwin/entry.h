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
    KernelScope(const char* name, uint64_t argument) : previous_(EnterKernel(name, argument)) {}
    ~KernelScope() { LeaveKernel(previous_); }
    KernelScope(const KernelScope&) = delete;
    KernelScope& operator=(const KernelScope&) = delete;

private:
    const char* previous_;
};

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

#define SKTWIN_ENTRY(symbol, function, name)          \
    extern "C" void symbol(uint64_t args_offset)      \
    {                                                 \
        sktwin::KernelScope scope(name, args_offset); \
        sktwin::Invoke(&function, args_offset);       \
    }
