// Licensed under the Apache License, Version 2.0.
//
// Watches, while a launch runs, that its operators keep their orders; and acts for what is outside of it: the lock
// words that something else sets. Nothing here is called for an access of memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "job.h"
#include "sktwin/machine.h"

namespace sktwin::runtime {

struct Device;
struct Launch;

enum class Progress : uint8_t { kNotBegun, kRuns, kEnded };

// How far each core is with one operator; by kind, in the order of Launch::cores.
struct WatchedOperator {
    std::vector<Progress> progress[kKinds];
};

// A lock word that the outside sets.
struct OutsideWord {
    uint64_t* word;
    std::vector<const uint64_t*> after;
    uint32_t countdown;  // chances that it lets pass
    bool set = false;
};

struct Watch {
    std::vector<WatchedOperator> operators;
    std::vector<const uint64_t*> told;
    std::vector<OutsideWord> outside;
};

// Cores and argument words of the launch are placed, none runs.
void StartWatch(Device* device, const uint64_t* words);
// All cores have finished: the outside has to have set its words as well.
void EndWatch(Device* device);

// The running core calls an operator, has waited for what comes before it, no longer affects what comes after it, and
// returns from it.
void NoteCall(Device* device, uint64_t argument);
void NoteBegin(Device* device);
void NoteEnd(Device* device);
void NoteReturn(Device* device);
void NoteFlush(Device* device, const void* address, Site site);

// Which words the outside could not set, for the report of a hang: empty, or lines that begin with a line break.
std::string OutsideText(const Launch& launch);

}  // namespace sktwin::runtime
