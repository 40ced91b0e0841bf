// Licensed under the Apache License, Version 2.0.
//
// A fiber: its own stack, and a switch that saves what the calling convention says a call preserves.
#pragma once

#include <cstddef>
#include <cstdint>

// SKTWIN_UCONTEXT forces the portable form, for tests.
#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(SKTWIN_UCONTEXT)
#define SKTWIN_UCONTEXT 1
#endif
#ifdef SKTWIN_UCONTEXT
#include <ucontext.h>
#endif

namespace sktwin::runtime {

// Where execution continues after a switch.
struct Context {
#ifdef SKTWIN_UCONTEXT
    ucontext_t machine;
#else
    void* stackPointer = nullptr;
#endif
};

// Stores the running context in `from` and continues `to`.
void SwitchContext(Context* from, Context* to);

class Fiber {
public:
    static constexpr size_t kStackBytes = 1U << 20;

    Fiber() = default;
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;
    ~Fiber();

    // The next switch to the context calls entry(argument) on an empty stack; entry must never return.
    void Prepare(void (*entry)(void*), void* argument);

    // True when the address lies in the guard below the stack: an overflow.
    bool InGuard(const void* address) const;

    Context& context() { return context_; }

private:
    void AllocateStack();

    Context context_;
    uint8_t* region_ = nullptr;
};

}  // namespace sktwin::runtime
