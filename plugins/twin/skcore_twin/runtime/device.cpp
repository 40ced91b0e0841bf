// Licensed under the Apache License, Version 2.0.
#include "device.h"

namespace sktwin::runtime {

namespace {

Device* g_device = nullptr;

}  // namespace

Device& TheDevice() { return *g_device; }
void SetDevice(Device* device) { g_device = device; }

void Device::MakeLocalMemories() {
    for (int kind = 0; kind < kKinds; ++kind) {
        for (uint32_t id = 0; id < job.target.ids[kind]; ++id) {
            local[kind].emplace_back(job.target.localSize[kind], job.target.reserved[kind], random.Next());
        }
    }
}

}  // namespace sktwin::runtime
