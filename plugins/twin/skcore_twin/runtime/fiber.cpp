// Licensed under the Apache License, Version 2.0.
#include "fiber.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

namespace sktwin::runtime {

namespace {

// Wide enough that a frame with a large local array still lands in it; it costs address space only.
constexpr size_t kGuardBytes = 8U << 20;

}  // namespace

#if defined(SKTWIN_UCONTEXT)

void SwitchContext(Context* from, Context* to) { swapcontext(&from->machine, &to->machine); }

namespace {

// makecontext passes ints only.
void StartFromHalves(unsigned entryHigh, unsigned entryLow, unsigned argumentHigh, unsigned argumentLow) {
    const auto join = [](unsigned high, unsigned low) {
        return static_cast<uintptr_t>((static_cast<uint64_t>(high) << 32) | low);
    };
    const auto entry = reinterpret_cast<void (*)(void*)>(join(entryHigh, entryLow));
    entry(reinterpret_cast<void*>(join(argumentHigh, argumentLow)));
}

}  // namespace

void Fiber::Prepare(void (*entry)(void*), void* argument) {
    AllocateStack();
    getcontext(&context_.machine);
    context_.machine.uc_stack.ss_sp = region_ + kGuardBytes;
    context_.machine.uc_stack.ss_size = kStackBytes;
    context_.machine.uc_link = nullptr;
    const auto e = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(entry));
    const auto a = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(argument));
    makecontext(&context_.machine, reinterpret_cast<void (*)()>(&StartFromHalves), 4, static_cast<unsigned>(e >> 32),
                static_cast<unsigned>(e), static_cast<unsigned>(a >> 32), static_cast<unsigned>(a));
}

#elif defined(__x86_64__)

extern "C" void sktwin_switch(void** from, void* const* to);
extern "C" void sktwin_start();

asm(R"(
    .text
    .globl sktwin_switch
    .type sktwin_switch, @function
sktwin_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    subq $8, %rsp
    stmxcsr (%rsp)
    movq %rsp, (%rdi)
    movq (%rsi), %rsp
    ldmxcsr (%rsp)
    addq $8, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size sktwin_switch, .-sktwin_switch

    .globl sktwin_start
    .type sktwin_start, @function
sktwin_start:
    movq %r13, %rdi
    callq *%r12
    ud2
    .size sktwin_start, .-sktwin_start
)");

void SwitchContext(Context* from, Context* to) { sktwin_switch(&from->stackPointer, &to->stackPointer); }

void Fiber::Prepare(void (*entry)(void*), void* argument) {
    AllocateStack();
    auto* top = reinterpret_cast<uint64_t*>(region_ + kGuardBytes + kStackBytes);
    constexpr int kFrameWords = 10;  // mxcsr, six registers, return address, and two words that keep the alignment
    uint64_t* frame = top - kFrameWords;
    uint32_t controlWord = 0;
    asm volatile("stmxcsr %0" : "=m"(controlWord));
    frame[0] = controlWord;
    frame[1] = 0;
    frame[2] = 0;
    frame[3] = reinterpret_cast<uint64_t>(argument);
    frame[4] = reinterpret_cast<uint64_t>(entry);
    frame[5] = 0;
    frame[6] = 0;
    frame[7] = reinterpret_cast<uint64_t>(&sktwin_start);
    context_.stackPointer = frame;
}

#elif defined(__aarch64__)

extern "C" void sktwin_switch(void** from, void* const* to);
extern "C" void sktwin_start();

asm(R"(
    .text
    .globl sktwin_switch
    .type sktwin_switch, %function
sktwin_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    ldr x9, [x1]
    mov sp, x9
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size sktwin_switch, .-sktwin_switch

    .globl sktwin_start
    .type sktwin_start, %function
sktwin_start:
    mov x0, x20
    blr x19
    brk #0
    .size sktwin_start, .-sktwin_start
)");

void SwitchContext(Context* from, Context* to) { sktwin_switch(&from->stackPointer, &to->stackPointer); }

void Fiber::Prepare(void (*entry)(void*), void* argument) {
    AllocateStack();
    auto* top = reinterpret_cast<uint64_t*>(region_ + kGuardBytes + kStackBytes);
    constexpr int kFrameWords = 20;
    constexpr int kLinkRegister = 11;
    uint64_t* frame = top - kFrameWords;
    for (int i = 0; i < kFrameWords; ++i) {
        frame[i] = 0;
    }
    frame[0] = reinterpret_cast<uint64_t>(entry);
    frame[1] = reinterpret_cast<uint64_t>(argument);
    frame[kLinkRegister] = reinterpret_cast<uint64_t>(&sktwin_start);
    context_.stackPointer = frame;
}

#endif

void Fiber::AllocateStack() {
    if (region_ != nullptr) {
        return;
    }
    constexpr int kKind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* region = mmap(nullptr, kGuardBytes + kStackBytes, PROT_NONE, kKind, -1, 0);
    if (region == MAP_FAILED ||
        mprotect(static_cast<uint8_t*>(region) + kGuardBytes, kStackBytes, PROT_READ | PROT_WRITE) != 0) {
        std::fprintf(stderr, "sktwin: no memory for the stack of a core (%zu bytes)\n", kGuardBytes + kStackBytes);
        std::exit(3);
    }
    region_ = static_cast<uint8_t*>(region);
}

bool Fiber::InGuard(const void* address) const {
    const auto* byte = static_cast<const uint8_t*>(address);
    return region_ != nullptr && byte >= region_ && byte < region_ + kGuardBytes;
}

Fiber::~Fiber() {
    if (region_ != nullptr) {
        munmap(region_, kGuardBytes + kStackBytes);
    }
}

}  // namespace sktwin::runtime
