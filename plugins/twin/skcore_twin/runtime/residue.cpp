// Licensed under the Apache License, Version 2.0.
#include <map>
#include <string>

#include "hang.h"
#include "report.h"
#include "residue.h"
#include "sharing.h"

namespace sktwin::runtime {

namespace {

using Leftovers = std::map<std::string, std::vector<const CoreState*>>;

void Note(Leftovers* leftovers, const CoreState* core, const std::string& what) {
    (*leftovers)[std::string(KindName(core->core.kind)) + "\n" + what].push_back(core);
}

// Who made the first of the sets.
std::string Origin(const FlagSets& sets) {
    const FlagSet& set = sets.front();
    return (set.call == kNoCall ? "" : ", in " + CallText(TheDevice().launch, set.call)) +
           (set.site.file == nullptr ? "" : ", set at " + SiteText(set.site));
}

void NoteCounter(Leftovers* leftovers, const CoreState* core, const std::string& name, const FlagSets& sets) {
    Note(leftovers, core,
         name + ": counter is left at " + std::to_string(sets.size()) + ", sets without waits" + Origin(sets));
}

void NoteFlags(Leftovers* leftovers, const CoreState* core) {
    for (int flag = 0; flag < kFlags; ++flag) {
        const std::string name = "flag " + std::to_string(flag);
        if (core->counter[flag].size() != 0) {
            NoteCounter(leftovers, core, name, core->counter[flag]);
        }
        for (int mode = 0; mode < kModes; ++mode) {
            const FlagSets& sets = core->pending[mode][flag];
            if (sets.size() != 0) {
                Note(leftovers, core, name + ": " + std::to_string(sets.size()) + " mode-" + std::to_string(mode) +
                                          " sets that the other participants never completed" + Origin(sets));
            }
        }
    }
    for (int flag = 0; flag < kIntraFlags; ++flag) {
        if (core->intra[flag].size() != 0) {
            NoteCounter(leftovers, core, "intra-block flag " + std::to_string(flag), core->intra[flag]);
        }
    }
}

// Sets of the call that the core is in. Those of the framework's flags stay: early start takes them after the call.
void NoteOwnFlags(Leftovers* leftovers, const Device& device, const CoreState* core) {
    const auto note = [&](const char* name, int flag, const FlagSets& sets) {
        if (sets.size() != 0 && IsUsers(device, flag) && sets.front().call == core->call.number) {
            NoteCounter(leftovers, core, name + std::to_string(flag), sets);
        }
    };
    for (int flag = 0; flag < kFlags; ++flag) {
        note("flag ", flag, core->counter[flag]);
    }
    for (int flag = 0; flag < kIntraFlags; ++flag) {
        note("intra-block flag ", flag, core->intra[flag]);
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

constexpr const char* kFlagAdvice =
    "what is left over releases the next kernel's wait too early: wait once for each set, on every core that receives it";
constexpr const char* kEventAdvice =
    "what is left over releases the next kernel's WaitFlag too early: pair each SetFlag with one WaitFlag";

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
    StopIfAny("flag-residue", flags, kFlagAdvice);
    StopIfAny("event-residue", events, kEventAdvice);
}

void CheckResidueOfCall(const Device& device, const CoreState& core) {
    Leftovers flags;
    Leftovers events;
    if (core.core.inSubKernel) {
        NoteOwnFlags(&flags, device, &core);
    }
    NoteEvents(&events, &core);
    StopIfAny("flag-residue", flags, kFlagAdvice);
    StopIfAny("event-residue", events, kEventAdvice);
}

}  // namespace sktwin::runtime
