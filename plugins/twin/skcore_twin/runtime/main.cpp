// Licensed under the Apache License, Version 2.0.
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "device.h"
#include "hang.h"
#include "report.h"
#include "signals.h"
#include "watchdog.h"

namespace sktwin::runtime {

namespace {

void LoadModules(Device* device, std::vector<Problem>* problems) {
    for (const ModuleSpec& spec : device->job.modules) {
        Module module;
        module.id = spec.id;
        module.path = spec.path;
        try {
            module.Load();
        } catch (const std::runtime_error& error) {
            problems->push_back({0, error.what()});
        }
        device->modules.push_back(std::move(module));
    }
    for (const LaunchSpec& launch : device->job.launches) {
        for (const Module& module : device->modules) {
            if (module.id != launch.module || module.handle == nullptr) {
                continue;
            }
            for (const std::string& symbol : launch.symbol) {
                if (!symbol.empty() && module.Find(symbol) == nullptr) {
                    const std::string name = "module '" + module.id + "' (" + module.path + ")";
                    problems->push_back({launch.line, name + " has no symbol '" + symbol + "', which launch '" +
                                                          launch.label + "' needs"});
                }
            }
        }
    }
}

void MapBuffers(Device* device, std::vector<Problem>* problems) {
    for (const BufferSpec& buffer : device->job.buffers) {
        try {
            device->memory.Add(buffer.name, buffer.bytes, buffer.file);
        } catch (const std::runtime_error& error) {
            problems->push_back({0, error.what()});
        }
    }
}

void StorePointers(Device* device) {
    for (const PointerSpec& pointer : device->job.pointers) {
        const uint8_t* target = device->memory.FindName(pointer.target)->begin + pointer.targetOffset;
        std::memcpy(device->memory.FindName(pointer.buffer)->begin + pointer.offset, &target, sizeof(target));
    }
}

int Run(const char* path) {
    std::vector<Problem> problems;
    auto device = std::make_unique<Device>(ReadJob(path, &problems));
    SetDevice(device.get());
    LoadModules(device.get(), &problems);
    if (problems.empty()) {
        MapBuffers(device.get(), &problems);
    }
    if (!problems.empty()) {
        PrintProblems(problems);
        return 2;
    }
    StorePointers(device.get());
    device->MakeLocalMemories();
    CatchSignals();
    StartWatchdog(device->job.patience);
    device->scheduler.OnStuck(&StopWithHang);
    for (const LaunchSpec& launch : device->job.launches) {
        RunLaunch(device.get(), launch);
    }
    PrintSuccess(*device);
    return 0;
}

}  // namespace

}  // namespace sktwin::runtime

int main(int count, char** arguments) {
    if (count != 2) {
        std::fprintf(stderr, "usage: sktwin JOB_FILE\nThe format of the job file is at the top of runtime/job.h.\n");
        return 2;
    }
    return sktwin::runtime::Run(arguments[1]);
}
