// Licensed under the Apache License, Version 2.0.
//
// Everything that one run of the executable holds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "calls.h"
#include "core_state.h"
#include "job.h"
#include "memory.h"
#include "module.h"
#include "random.h"
#include "scheduler.h"
#include "watch.h"

namespace sktwin::runtime {

// The launch that runs now.
struct Launch {
    const LaunchSpec* spec = nullptr;
    Entry entry[kKinds] = {nullptr, nullptr};
    uint32_t slots = 0;               // blocks that run at once
    uint32_t nextBlock = 0;           // first block that no slot has taken
    std::vector<uint32_t> active;     // by slot: members that have not ended their block
    std::vector<CoreState*> cores[kKinds];  // by slot, and by sub-block inside it
    // By kind and flag: cores with a pending mode-0 set, and modes of all sets that were aimed at the kind.
    uint32_t arrived[kKinds][kFlags] = {};
    uint8_t modesUsed[kKinds][kFlags] = {};
    Watch watch;
    Calls calls;

    uint32_t VectorsPerGroup() const { return spec->GroupCores(CoreKind::kAiv); }
    // nullptr: the launch has no such core.
    CoreState* Member(uint32_t slot, CoreKind kind, uint32_t subBlock) const {
        const std::vector<CoreState*>& list = cores[Index(kind)];
        const uint32_t perSlot = kind == CoreKind::kAiv ? VectorsPerGroup() : 1;
        return list.empty() || subBlock >= perSlot ? nullptr : list[slot * perSlot + subBlock];
    }
    bool InWaves() const { return spec->blocks > slots; }
};

struct LaunchResult {
    std::string label;
    uint64_t switches;
};

struct CoreReport;

// Where a run's text and its end go when it is not a job: a whole program has its own standard output and exit code.
class Host {
public:
    virtual ~Host() = default;
    virtual void Print(const CoreState& core, const char* text) = 0;
    [[noreturn]] virtual void Stop(const std::string& check, const std::string& message,
                                   const std::vector<CoreReport>& cores) = 0;
    // A signal while no core runs. Returns when the program is to have it.
    virtual void OnSignal(int number, const void* address) = 0;
};

struct Device {
    explicit Device(Job taken) : job(std::move(taken)), random(job.seed), scheduler(&random) {}

    // The memories of every physical core; to be called once.
    void MakeLocalMemories();

    Job job;
    Random random;
    Scheduler scheduler;
    GlobalMemory memory;
    std::vector<Module> modules;
    std::vector<LocalMemory> local[kKinds];                 // by physical id
    std::vector<std::unique_ptr<CoreState>> pool[kKinds];   // reused by every launch
    Launch launch;
    uint8_t* systemWorkspace = nullptr;
    uint64_t counter = 0;  // what the system counter shows
    std::string output;
    std::vector<LaunchResult> results;
    Host* host = nullptr;  // nullptr: the run is a job
};

// The one device of the process: machine.h offers free functions, so something has to be reachable from everywhere.
Device& TheDevice();
void SetDevice(Device* device);

// What a launch runs: an entry for each kind that the specification names, and the module that holds them.
struct LaunchCode {
    Entry entry[kKinds];
    const Module* module;
};

// Runs a launch of the job to its end; a fault ends the process.
void RunLaunch(Device* device, const LaunchSpec& spec);
// The same for code and argument words that are there already.
void RunLaunch(Device* device, const LaunchSpec& spec, const LaunchCode& code, uint64_t* words);

}  // namespace sktwin::runtime
