// Licensed under the Apache License, Version 2.0.
#include "sktwin/machine.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "boundary.h"
#include "calls.h"
#include "device.h"
#include "flags.h"
#include "report.h"
#include "residue.h"
#include "sktwin/device.h"
#include "watch.h"

namespace sktwin {

using runtime::CoreState;
using runtime::Device;
using runtime::TheDevice;

namespace {

// The core has gone on: did its last write change anything?
void SettleWrite(Device* device, CoreState* core) {
    runtime::WatchedWrite& watched = core->watched;
    if (watched.bytes != 0) {
        if (std::memcmp(watched.before, watched.address, watched.bytes) != 0) {
            device->scheduler.NoteActivity();
        }
        watched.bytes = 0;
    }
}

void NoteWrite(Device* device, CoreState* core, const uint8_t* address, size_t bytes) {
    if (bytes > runtime::WatchedWrite::kMostBytes) {
        device->scheduler.NoteActivity();
        return;
    }
    core->watched.address = address;
    core->watched.bytes = bytes;
    std::memcpy(core->watched.before, address, bytes);
}

CoreState* Enter(Device* device) {
    CoreState* self = device->scheduler.current();
    SettleWrite(device, self);
    return self;
}

}  // namespace

Core& Self() { return TheDevice().scheduler.current()->core; }

void Fault(const char* check, Site site, const char* format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    const bool size = std::strcmp(check, "local-memory-size") == 0;
    runtime::StopRunningCore(check, site, size ? text + runtime::ReservedText(TheDevice()) : text);
}

void Yield(Site site) {
    Device& device = TheDevice();
    Enter(&device);
    device.scheduler.Poll(site);
}

uint8_t* GlobalAccess(const void* address, size_t bytes, bool write, Site site) {
    Device& device = TheDevice();
    CoreState* self = Enter(&device);
    if (device.memory.Find(address, bytes) == nullptr) {
        runtime::StopRunningCore("global-memory-bounds", site,
                                 std::string(write ? "store" : "load") + " of " + std::to_string(bytes) +
                                     " bytes does not lie inside one buffer: it begins at " +
                                     device.memory.Describe(address));
    }
    device.scheduler.MaybeSwitch();
    auto* bytesThere = static_cast<uint8_t*>(const_cast<void*>(address));
    if (write) {
        NoteWrite(&device, self, bytesThere, bytes);
    } else {
        device.scheduler.NoteRead(address);
    }
    return bytesThere;
}

void CrossCoreSet(int mode, int flag, Site site, FlagUse use) {
    Device& device = TheDevice();
    Enter(&device);
    device.scheduler.MaybeSwitch();
    runtime::SetFlag(&device, mode, flag, site, use);
}

void CrossCoreWait(int flag, Site site, FlagUse use) {
    Device& device = TheDevice();
    Enter(&device);
    runtime::WaitFlag(&device, flag, site, use);
}

void IntraBlockSet(int flag, Site site, FlagUse use) {
    Device& device = TheDevice();
    Enter(&device);
    device.scheduler.MaybeSwitch();
    runtime::SetIntraBlock(&device, flag, site, use);
}

void IntraBlockWait(int flag, Site site, FlagUse use) {
    Device& device = TheDevice();
    Enter(&device);
    runtime::WaitIntraBlock(&device, flag, site, use);
}

Core& GroupCore(CoreKind kind, uint32_t subBlock, Site site) {
    Device& device = TheDevice();
    CoreState* member = device.launch.Member(device.scheduler.current()->slot, kind, subBlock);
    if (member == nullptr) {
        Fault("group-core", site, "the launch has no %s %u in this group", runtime::KindName(kind), subBlock);
    }
    return member->core;
}

const char* EnterKernel(const char* name, uint64_t argument, KernelBuild build) {
    Device& device = TheDevice();
    Core& core = Self();
    const char* previous = core.kernel;
    core.kernel = name;
    core.inSubKernel = core.superKernel;
    core.pipeUnsettled = false;
    runtime::BeginCall(&device, name, argument, build);
    runtime::NoteCall(&device, argument);
    runtime::CheckCall(device, *device.scheduler.current());
    return previous;
}

void LeaveKernel(const char* previous) {
    Core& core = Self();
    if (core.blockLocal.pipe != nullptr) {
        Fault("pipe-left-alive", Site{nullptr, 0},
              "kernel %s ends while its TPipe still exists: the next kernel would use its buffers", core.kernel);
    }
    Device& device = TheDevice();
    const CoreState& state = *device.scheduler.current();
    runtime::CheckResidueOfCall(device, state);
    runtime::CheckEnd(state);
    runtime::EndCall(&device);
    runtime::NoteReturn(&device);
    // The SuperKernel writes these anew for each call.
    constexpr auto kOfOneCall = static_cast<int>(BlockLocalName::kDynamicBlockNum);
    core.blockLocalsWritten &= ~(1U << kOfOneCall);
    core.inSubKernel = false;
    core.kernel = previous;
}

void NotePreTaskEnd(Site site) {
    runtime::CountPreTaskEnd(TheDevice().scheduler.current(), site);
    runtime::NoteBegin(&TheDevice());
}

void NoteNextTaskStart(Site site) {
    runtime::CountNextTaskStart(TheDevice().scheduler.current(), site);
    runtime::NoteEnd(&TheDevice());
}

void NoteFullSync(FullSync form, Site site) { runtime::CountFullSync(&TheDevice(), form, site); }

void NoteFlush(const void* address, Site site) { runtime::NoteFlush(&TheDevice(), address, site); }

void Print(const char* text) {
    Device& device = TheDevice();
    if (device.host != nullptr) {
        device.host->Print(*device.scheduler.current(), text);
    } else {
        device.output += text;
    }
}

uint8_t* SystemWorkspace() {
    Device& device = TheDevice();
    if (device.systemWorkspace == nullptr) {
        device.systemWorkspace = device.memory.Add("system workspace", kSystemWorkspaceBytes, "");
    }
    return device.systemWorkspace;
}

uint64_t SystemCounter() {
    Device& device = TheDevice();
    return ++device.counter;
}

}  // namespace sktwin
