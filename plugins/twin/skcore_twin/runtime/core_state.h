// Licensed under the Apache License, Version 2.0.
//
// What the runtime knows of one core of a launch beyond what the kernel sees.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fiber.h"
#include "flag_sets.h"
#include "sktwin/machine.h"

namespace sktwin::runtime {

enum class State : uint8_t { kRunnable, kWaitingFlag, kWaitingIntraBlock, kFinished };

constexpr int kFlags = 16;
constexpr int kIntraFlags = 32;
constexpr int kModes = 3;

// A write that may change nothing: compared when the core next enters the runtime.
struct WatchedWrite {
    static constexpr size_t kMostBytes = 256;
    const uint8_t* address = nullptr;
    size_t bytes = 0;  // 0: none
    uint8_t before[kMostBytes];
};

// How long a core has done nothing but look at memory that nobody changes.
struct Polling {
    static constexpr size_t kRemembered = 32;
    uint64_t epoch = 0;
    uint32_t rounds = 0;
    const void* seen[kRemembered] = {};
    size_t nextSeen = 0;
    const void* lastRead = nullptr;
    Site site = {nullptr, 0};
};

constexpr uint32_t kNoCall = ~0U;

// The call of a sub-kernel that a core is in.
struct CallState {
    uint32_t number = kNoCall;
    KernelBuild build;
    uint32_t sets = 0;  // calls of SetNextTaskStart, and of WaitPreTaskEnd
    uint32_t waits = 0;
    Registers before{};  // at its begin
};

struct CoreState {
    Core core;
    Fiber fiber;
    State state = State::kFinished;
    uint32_t runnableIndex = 0;
    uint32_t slot = 0;  // group of the launch, or the core itself when one kind runs alone
    uint32_t place = 0;  // index in the launch's list of its kind
    bool held = false;  // runs only where no other core can get on

    std::optional<size_t> op;  // index of the operator of the launch that it is in
    bool opBegun = false;      // it waits no longer for what comes before the operator

    CallState call;

    int waitFlag = 0;
    FlagUse waitUse = FlagUse::kOwn;
    Site waitSite = {nullptr, 0};
    FlagSets counter[kFlags];
    FlagSets pending[kModes][kFlags];  // own sets that others have not completed yet
    FlagSets intra[kIntraFlags];

    WatchedWrite watched;
    Polling polling;
    std::vector<uint8_t> blockLocals;  // this core's copy of the module's block-local variables
};

}  // namespace sktwin::runtime
