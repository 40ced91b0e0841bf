// Licensed under the Apache License, Version 2.0.
#include "signals.h"

#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "device.h"
#include "place.h"
#include "report.h"
#include "watchdog.h"

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

// What a further fault means: the stack cannot be read, or nothing can be trusted any more.
enum Stage : sig_atomic_t { kRunning, kUnwinding, kReporting };
volatile sig_atomic_t g_stage = kRunning;
sigjmp_buf g_unreadable;

Place FindPlace(const void* context) {
    Place place;
    g_stage = kUnwinding;
    if (sigsetjmp(g_unreadable, 0) == 0) {
        place = InterruptedPlace(context);
    }
    g_stage = kReporting;
    return place;
}

// The report may itself wait for something that the interrupted code holds: then the process ends without it.
void LimitReport() {
    constexpr unsigned kSeconds = 20;
    std::signal(SIGALRM, SIG_DFL);
    alarm(kSeconds);
}

void OnFault(int number, siginfo_t* info, void* context) {
    const bool memory = number == SIGSEGV || number == SIGBUS;
    Device& device = TheDevice();
    const CoreState* core = device.scheduler.current();
    if (core == nullptr && device.host != nullptr) {
        device.host->OnSignal(number, memory ? info->si_addr : nullptr);
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    if (g_stage == kUnwinding) {
        siglongjmp(g_unreadable, 1);
    }
    if (g_stage == kReporting) {
        _Exit(3);
    }
    LimitReport();
    const Place place = FindPlace(context);
    if (core != nullptr && memory && core->fiber.InGuard(info->si_addr)) {
        StopAtPlace("stack-overflow", place,
                    "the kernel needs more than " + std::to_string(Fiber::kStackBytes >> 10) +
                        " KiB of stack; use smaller local arrays, and no recursion without end");
    }
    std::string message = What(number);
    if (memory) {
        message += " at " + Where(device, info->si_addr);
    }
    StopAtPlace("wild-access", place, message + " (signal " + std::to_string(number) + ")");
}

void OnTick(int, siginfo_t*, void* context) {
    // Time of the host's own code in a whole program is no kernel's.
    const bool hostRuns = TheDevice().host != nullptr && TheDevice().scheduler.current() == nullptr;
    if (g_stage != kRunning || hostRuns) {
        return;
    }
    const std::string text = WatchdogText(TheDevice());
    if (!text.empty()) {
        LimitReport();
        StopAtPlace("endless-loop", FindPlace(context), text);
    }
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
    action.sa_sigaction = &OnFault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
        sigaction(number, &action, nullptr);
    }
    action.sa_sigaction = &OnTick;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigaction(kWatchdogSignal, &action, nullptr);
    PreparePlaces();
}

}  // namespace sktwin::runtime
