// Licensed under the Apache License, Version 2.0.
#include "signals.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "device.h"
#include "report.h"

namespace sktwin::runtime {

namespace {

constexpr size_t kStackBytes = 256U << 10;

const char* What(int number) {
    switch (number) {
        case SIGSEGV:
        case SIGBUS:
            return "memory access";
        case SIGFPE:
            return "integer division by zero or overflow";
        case SIGILL:
            return "illegal instruction";
        default:
            return "abort";
    }
}

std::string Where(const Device& device, const void* address) {
    for (const auto& kind : device.local) {
        for (const LocalMemory& memory : kind) {
            const char* name = memory.NameAt(address);
            if (name != nullptr) {
                return std::string("outside the ") + name + " of a core";
            }
        }
    }
    return device.memory.Describe(address);
}

void OnSignal(int number, siginfo_t* info, void*) {
    static volatile sig_atomic_t entered = 0;
    Device& device = TheDevice();
    const CoreState* core = device.scheduler.current();
    const bool memory = number == SIGSEGV || number == SIGBUS;
    if (core == nullptr && device.host != nullptr) {
        device.host->OnSignal(number, memory ? info->si_addr : nullptr);
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    // A second fault while the first is reported: nothing left that can be trusted.
    if (entered != 0) {
        _Exit(3);
    }
    entered = 1;
    const Site unknown = {nullptr, 0};
    if (core != nullptr && memory && core->fiber.InGuard(info->si_addr)) {
        StopRunningCore("stack-overflow", unknown,
                        "the kernel needs more than " + std::to_string(Fiber::kStackBytes >> 10) + " KiB of stack");
    }
    std::string message = What(number);
    if (memory) {
        message += " at " + Where(device, info->si_addr);
    }
    StopRunningCore("wild-access", unknown, message + " (signal " + std::to_string(number) + ")");
}

}  // namespace

void GiveSignalStack() {
    stack_t stack{};
    if (sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_DISABLE) == 0) {
        return;
    }
    stack = stack_t{};
    stack.ss_sp = std::malloc(kStackBytes);  // lives as long as the thread, which is not told
    stack.ss_size = kStackBytes;
    sigaltstack(&stack, nullptr);
}

void CatchSignals() {
    GiveSignalStack();
    struct sigaction action {};
    action.sa_sigaction = &OnSignal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
        sigaction(number, &action, nullptr);
    }
}

}  // namespace sktwin::runtime
