// Licensed under the Apache License, Version 2.0.
#include <map>
#include <string>

#include "flags.h"
#include "hang.h"
#include "report.h"

namespace sktwin::runtime {

namespace {

using Leftovers = std::map<std::string, std::vector<const CoreState*>>;

void Note(Leftovers* leftovers, const CoreState* core, const std::string& what) {
    (*leftovers)[std::string(KindName(core->core.kind)) + "\n" + what].push_back(core);
}

void NoteFlags(Leftovers* leftovers, const CoreState* core) {
    for (int flag = 0; flag < kFlags; ++flag) {
        const std::string name = "flag " + std::to_string(flag);
        if (core->counter[flag] != 0) {
            Note(leftovers, core,
                 name + ": counter is left at " + std::to_string(core->counter[flag]) + ", sets without waits");
        }
        for (int mode = 0; mode < kModes; ++mode) {
            if (core->pending[mode][flag] != 0) {
                Note(leftovers, core, name + ": " + std::to_string(core->pending[mode][flag]) + " mode-" +
                                          std::to_string(mode) + " sets that the other participants never completed");
            }
        }
    }
    for (int flag = 0; flag < kIntraFlags; ++flag) {
        if (core->intra[flag] != 0) {
            Note(leftovers, core, "intra-block flag " + std::to_string(flag) + ": counter is left at " +
                                      std::to_string(core->intra[flag]) + ", sets without waits");
        }
    }
}

void NoteEvents(Leftovers* leftovers, const CoreState* core) {
    constexpr const char* kPipes[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "ALL", "MTE4", "MTE5", "V2", "FIX"};
    constexpr int kPipeCount = 11;
    for (int from = 0; from < kPipeCount; ++from) {
        for (int to = 0; to < kPipeCount; ++to) {
            const uint32_t bits = core->core.events[from][to];
            for (int event = 0; event < 32; ++event) {
                if ((bits >> event & 1) != 0) {
                    Note(leftovers, core, std::string("event ") + kPipes[from] + "_" + kPipes[to] + " id " +
                                              std::to_string(event) + ": set and never waited for");
                }
            }
        }
    }
}

constexpr const char* kEventAdvice = "what is left over releases the next kernel's WaitFlag too early";

void StopIfAny(const char* check, const Leftovers& leftovers, const char* advice) {
    if (leftovers.empty()) {
        return;
    }
    std::string message;
    std::vector<CoreReport> reports;
    for (const auto& [key, cores] : leftovers) {
        const std::string what = key.substr(key.find('\n') + 1);
        message += BlockList(cores) + " in kernel " + cores.front()->core.kernel + ": " + what + "\n";
        for (const CoreState* core : cores) {
            reports.push_back({core, {nullptr, 0}, "finished", "", what});
        }
    }
    StopWithFault(check, message + advice, reports);
}

}  // namespace

void CheckResidue(const Device& device) {
    Leftovers flags;
    Leftovers events;
    for (const auto& cores : device.launch.cores) {
        for (const CoreState* core : cores) {
            NoteFlags(&flags, core);
            NoteEvents(&events, core);
        }
    }
    StopIfAny("flag-residue", flags, "what is left over releases the next kernel's wait too early");
    StopIfAny("event-residue", events, kEventAdvice);
}

void CheckEventResidue(const CoreState& core) {
    Leftovers events;
    NoteEvents(&events, &core);
    StopIfAny("event-residue", events, kEventAdvice);
}

}  // namespace sktwin::runtime
