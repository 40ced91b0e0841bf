// Licensed under the Apache License, Version 2.0.
//
// The smallest machine that can run one kernel on one core: what the tests of the API headers link instead of the
// runtime, so that a check costs a function call from Python.
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "sktwin/device.h"
#include "sktwin/machine.h"

namespace {

struct KernelFault {
    std::string text;
};

constexpr uint32_t kVectorSizes[] = {192 * 1024, 0, 0, 0, 0, 0, 0};
constexpr uint32_t kCubeSizes[] = {0, 512 * 1024, 64 * 1024, 64 * 1024, 128 * 1024, 1024, 7 * 1024};

struct Machine {
    sktwin::Core core{};
    std::vector<uint8_t> memory[7];
    std::vector<std::pair<uintptr_t, size_t>> buffers;
    std::string printed;
    uint64_t accesses = 0;
};

Machine& TheMachine() {
    static Machine machine;
    return machine;
}

}  // namespace

namespace sktwin {

Core& Self() { return TheMachine().core; }

void Fault(const char* check, Site site, const char* format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    throw KernelFault{std::string(check) + ": " + text + " (" + site.file + ":" + std::to_string(site.line) + ")"};
}

void Yield(Site) {}

uint8_t* GlobalAccess(const void* address, size_t bytes, bool, Site site) {
    ++TheMachine().accesses;
    const auto start = reinterpret_cast<uintptr_t>(address);
    for (const auto& [base, size] : TheMachine().buffers) {
        if (start >= base && start + bytes <= base + size) {
            return reinterpret_cast<uint8_t*>(start);
        }
    }
    Fault("global-memory", site, "access outside every buffer");
}

void CrossCoreSet(int, int, Site, FlagUse) {}
void CrossCoreWait(int, Site, FlagUse) {}
void IntraBlockSet(int, Site, FlagUse) {}
void IntraBlockWait(int, Site, FlagUse) {}
Core& GroupCore(CoreKind, uint32_t, Site) { return TheMachine().core; }
const char* EnterKernel(const char*, uint64_t, KernelBuild) { return nullptr; }
void LeaveKernel(const char*) {}
void NotePreTaskEnd(Site) {}
void NoteNextTaskStart(Site) {}
void NoteFullSync(FullSync, Site) {}
void NoteFlush(const void*, Site) {}
void Print(const char* text) { TheMachine().printed += text; }
uint8_t* SystemWorkspace() { return nullptr; }
uint64_t SystemCounter() { return 0; }

}  // namespace sktwin

extern "C" {

void fake_reset(int cube) {
    Machine& machine = TheMachine();
    machine.core = sktwin::Core{};
    machine.core.kind = cube != 0 ? sktwin::CoreKind::kAic : sktwin::CoreKind::kAiv;
    machine.core.subBlockDim = 1;
    machine.core.blockNum = 1;
    machine.core.kernel = "test";
    machine.core.registers.mask[0] = machine.core.registers.mask[1] = ~0ull;
    for (int i = 0; i < 7; ++i) {
        const uint32_t size = cube != 0 ? kCubeSizes[i] : kVectorSizes[i];
        machine.memory[i].assign(size, 0xA5);
        machine.core.local[i] = machine.memory[i].data();
        machine.core.localSize[i] = size;
    }
    machine.buffers.clear();
    machine.printed.clear();
    machine.accesses = 0;
}

void fake_buffer(uint64_t address, uint64_t bytes) { TheMachine().buffers.emplace_back(address, bytes); }
uint64_t fake_accesses() { return TheMachine().accesses; }
const char* fake_printed() { return TheMachine().printed.c_str(); }

// Runs the kernel on up to eight argument words; 1 and the report when it stopped with a fault.
int fake_run(void* kernel, const uint64_t* a, char* report, uint64_t capacity) {
    using Entry = void (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
    try {
        reinterpret_cast<Entry>(kernel)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
    } catch (const KernelFault& fault) {
        snprintf(report, capacity, "%s", fault.text.c_str());
        return 1;
    }
    return 0;
}
}
