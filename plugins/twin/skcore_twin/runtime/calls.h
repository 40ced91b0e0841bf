// Licensed under the Apache License, Version 2.0.
//
// The calls of sub-kernels by one launch: which cores are in which, and how often each has called a full
// synchronisation there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core_state.h"
#include "job.h"

namespace sktwin::runtime {

struct Device;
struct Launch;

constexpr size_t kFullSyncs = static_cast<size_t>(FullSync::kCount);

// How far one core is with one call.
struct CallProgress {
    bool begun = false;
    bool left = false;
    uint32_t fullSyncs[kFullSyncs] = {};
};

// One call, on all cores. The same sub-kernel with the same argument words is the same call.
struct CallRecord {
    std::string name;
    std::vector<CallProgress> cores[kKinds];  // in the order of Launch::cores
    // The most full synchronisations of any core, and the fewest of those that have left.
    uint32_t most[kKinds][kFullSyncs] = {};
    uint32_t fewestLeft[kKinds][kFullSyncs];
};

struct Calls {
    std::vector<CallRecord> records;
    std::map<std::pair<uint64_t, std::string>, uint32_t> numbers;
};

// The running core enters the call, leaves it, or calls a full synchronisation inside it.
void BeginCall(Device* device, const char* name, uint64_t argument, const KernelBuild& build);
void EndCall(Device* device);
void CountFullSync(Device* device, FullSync form, Site site);

// How far a core is with a call.
CallProgress& ProgressIn(Launch* launch, const CoreState& core, uint32_t call);
const CallProgress& ProgressIn(const Launch& launch, const CoreState& core, uint32_t call);

// "kernel add", or "the SuperKernel's own code" for kNoCall.
std::string CallText(const Launch& launch, uint32_t call);

}  // namespace sktwin::runtime
