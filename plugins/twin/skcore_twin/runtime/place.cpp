// Licensed under the Apache License, Version 2.0.
#include "place.h"

#include <dlfcn.h>
#include <ucontext.h>

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#else
// A C library that cannot unwind: reports come without the place.
static int backtrace(void**, int) { return 0; }
#endif

#include <algorithm>

#include "device.h"

namespace sktwin::runtime {

namespace {

constexpr int kMostFrames = 64;

bool IsModule(const char* path) {
    const std::vector<Module>& modules = TheDevice().modules;
    return std::any_of(modules.begin(), modules.end(), [&](const Module& module) { return module.path == path; });
}

const void* ProgramCounter([[maybe_unused]] const void* context) {
#if defined(__linux__) && defined(__x86_64__)
    constexpr int kInstructionPointer = 16;
    return reinterpret_cast<const void*>(
        static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[kInstructionPointer]);
#elif defined(__linux__) && defined(__aarch64__)
    return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
    return nullptr;
#endif
}

}  // namespace

void PreparePlaces() {
    void* frame = nullptr;
    backtrace(&frame, 1);
}

Place InterruptedPlace(const void* context) {
    const void* interrupted = ProgramCounter(context);
    void* frames[kMostFrames];
    const int count = backtrace(frames, kMostFrames);
    for (int i = 0; i < count; ++i) {
        Dl_info info{};
        if (dladdr(frames[i], &info) != 0 && info.dli_fname != nullptr && IsModule(info.dli_fname)) {
            const auto offset =
                static_cast<uint64_t>(static_cast<uint8_t*>(frames[i]) - static_cast<uint8_t*>(info.dli_fbase));
            // A caller continues after its call, which may be another line already.
            return {info.dli_fname, frames[i] == interrupted ? offset : offset - 1};
        }
    }
    return {};
}

}  // namespace sktwin::runtime
