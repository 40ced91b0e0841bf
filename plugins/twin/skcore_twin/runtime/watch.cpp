// Licensed under the Apache License, Version 2.0.
#include "watch.h"

#include <algorithm>

#include "device.h"
#include "hang.h"
#include "report.h"

namespace sktwin::runtime {

namespace {

constexpr Site kNoSite = {nullptr, 0};
// Only when nothing else gets on.
constexpr uint32_t kLate = UINT32_MAX;

const OperatorSpec& SpecOf(const Launch& launch, size_t op) { return launch.spec->operators[op]; }

Progress& ProgressOf(Launch* launch, const CoreState& core) {
    return launch->watch.operators[*core.op].progress[Index(core.core.kind)][BlockIndex(core)];
}

// Whether the operator has ended on all cores that run it.
bool IsComplete(const Launch& launch, size_t op) {
    const OperatorSpec& spec = SpecOf(launch, op);
    bool ended = spec.coresKnown;
    for (int kind = 0; kind < kKinds; ++kind) {
        const std::vector<Progress>& progress = launch.watch.operators[op].progress[kind];
        for (size_t core = 0; core < progress.size(); ++core) {
            const bool expected = spec.coresKnown && core < spec.cores[kind];
            if (progress[core] == Progress::kRuns || (expected && progress[core] == Progress::kNotBegun)) {
                return false;
            }
            ended = ended || progress[core] == Progress::kEnded;
        }
    }
    return ended;
}

std::vector<const CoreState*> CoresAt(const Launch& launch, size_t op, CoreKind kind, Progress wanted) {
    const OperatorSpec& spec = SpecOf(launch, op);
    const std::vector<Progress>& progress = launch.watch.operators[op].progress[Index(kind)];
    std::vector<const CoreState*> found;
    for (size_t core = 0; core < progress.size(); ++core) {
        if (progress[core] == wanted && (wanted == Progress::kRuns || core < spec.cores[Index(kind)])) {
            found.push_back(launch.cores[Index(kind)][core]);
        }
    }
    return found;
}

// "AIV blocks 0-3 still run it; AIV block 7: not begun", and those cores after the ones that are reported already.
std::string IncompleteText(const Launch& launch, size_t op, std::vector<CoreReport>* reports) {
    std::string text;
    for (const Progress progress : {Progress::kRuns, Progress::kNotBegun}) {
        for (const CoreKind kind : {CoreKind::kAic, CoreKind::kAiv}) {
            const std::vector<const CoreState*> cores = CoresAt(launch, op, kind, progress);
            if (cores.empty()) {
                continue;
            }
            const std::string doing = progress == Progress::kRuns ? "not ended" : "not begun";
            text += (text.empty() ? "" : "; ") + BlockList(cores) + ": " + doing;
            for (const CoreState* core : cores) {
                const bool waits = core->state == State::kWaitingFlag || core->state == State::kWaitingIntraBlock;
                const char* state = core->state == State::kFinished ? "finished" : waits ? "waiting" : "running";
                reports->push_back({core, waits ? core->waitSite : kNoSite, state, "",
                                    SpecOf(launch, op).name + ": " + doing});
            }
        }
    }
    return text.empty() ? "no core has begun it" : text;
}

[[noreturn]] void StopAtOrder(const Launch& launch, const CoreState& core, size_t first) {
    std::vector<CoreReport> reports = {{&core, kNoSite, "running", "", ""}};
    const std::string incomplete = IncompleteText(launch, first, &reports);
    StopWithFault("operator-order",
                  SpecOf(launch, *core.op).name + " begins on " + Name(core) + " before " + SpecOf(launch, first).name +
                      " has ended, which it has to wait for (" + incomplete + ")",
                  reports);
}

[[noreturn]] void StopAtWord(const Device& device, const CoreState& core, const OutsideWord& word) {
    StopWithFault("operator-order",
                  SpecOf(device.launch, *core.op).name + " begins on " + Name(core) +
                      " before its lock word is set from outside: " + device.memory.Describe(word.word),
                  {{&core, kNoSite, "running", "", ""}});
}

bool IsReady(const OutsideWord& word) {
    return !word.set &&
           std::all_of(word.after.begin(), word.after.end(), [](const uint64_t* after) { return *after == 1; });
}

void Set(OutsideWord* word) {
    *word->word = 1;
    word->set = true;
}

bool IsPolled(const Launch& launch, const OutsideWord& word) {
    for (const auto& cores : launch.cores) {
        for (const CoreState* core : cores) {
            if (core->state == State::kRunnable && core->polling.rounds != 0 && core->polling.lastRead == word.word) {
                return true;
            }
        }
    }
    return false;
}

// Nothing else gets on: a word that somebody waits for is due; any word before the run is given up.
bool ActOutside(bool stuck) {
    Launch& launch = TheDevice().launch;
    for (OutsideWord& word : launch.watch.outside) {
        if (IsReady(word) && (stuck || IsPolled(launch, word))) {
            Set(&word);
            return true;
        }
    }
    return false;
}

// One more chance has passed; true when a word was set.
bool TickOutside() {
    bool changed = false;
    for (OutsideWord& word : TheDevice().launch.watch.outside) {
        if (word.countdown == 0 && IsReady(word)) {
            Set(&word);
            changed = true;
        } else if (word.countdown != 0 && word.countdown != kLate) {
            --word.countdown;
        }
    }
    return changed;
}

// From at once to when nothing else gets on; long and short ones are equally likely.
uint32_t DrawCountdown(Device* device) {
    constexpr uint32_t kMostBits = 14;
    if (!device->launch.spec->holds.empty() || device->random.Below(4) == 0) {
        return kLate;
    }
    return device->random.Below(1U << device->random.Below(kMostBits + 1));
}

void HoldCores(const Launch& launch) {
    for (const HoldSpec& hold : launch.spec->holds) {
        if (!hold.op) {
            launch.Member(hold.block, hold.kind, hold.subBlock)->held = true;
        }
    }
}

bool IsHeldIn(const Launch& launch, const CoreState& core) {
    const std::vector<HoldSpec>& holds = launch.spec->holds;
    return std::any_of(holds.begin(), holds.end(), [&](const HoldSpec& hold) {
        return hold.op && hold.op == core.op && hold.kind == core.core.kind && hold.block == core.core.blockIdx &&
               hold.subBlock == core.core.subBlockIdx;
    });
}

}  // namespace

void StartWatch(Device* device, const uint64_t* words) {
    Launch& launch = device->launch;
    const LaunchSpec& spec = *launch.spec;
    Watch& watch = launch.watch;
    const auto at = [&](size_t index) { return reinterpret_cast<uint64_t*>(words[index]); };
    watch.operators.resize(spec.operators.size());
    for (WatchedOperator& op : watch.operators) {
        for (int kind = 0; kind < kKinds; ++kind) {
            op.progress[kind].assign(launch.cores[kind].size(), Progress::kNotBegun);
        }
    }
    for (const ToldSpec& told : spec.told) {
        watch.told.push_back(at(told.word));
    }
    for (const OutsideSpec& outside : spec.outside) {
        OutsideWord word{at(outside.word), {}, DrawCountdown(device)};
        std::transform(outside.after.begin(), outside.after.end(), std::back_inserter(word.after), at);
        watch.outside.push_back(std::move(word));
    }
    const bool acts = !watch.outside.empty();
    device->scheduler.OnOutside(acts ? &TickOutside : nullptr, acts ? &ActOutside : nullptr);
    HoldCores(launch);
}

void EndWatch(Device* device) {
    while (ActOutside(true)) {
    }
    const std::string text = OutsideText(device->launch);
    if (!text.empty()) {
        StopWithFault("hang", "all cores have finished, but not what is outside" + text, {});
    }
}

void NoteCall(Device* device, uint64_t argument) {
    Launch& launch = device->launch;
    const std::vector<OperatorSpec>& operators = launch.spec->operators;
    const auto found = std::find_if(operators.begin(), operators.end(),
                                    [&](const OperatorSpec& spec) { return spec.argument == argument; });
    if (found == operators.end()) {
        return;
    }
    CoreState* core = device->scheduler.current();
    core->op = static_cast<size_t>(found - operators.begin());
    core->opBegun = false;
    ProgressOf(&launch, *core) = Progress::kRuns;
    if (!found->waits) {
        NoteBegin(device);
    }
    if (IsHeldIn(launch, *core)) {
        device->scheduler.HoldCurrent();
    }
}

void NoteBegin(Device* device) {
    const CoreState* core = device->scheduler.current();
    if (!core->op || core->opBegun) {
        return;
    }
    device->scheduler.current()->opBegun = true;
    const Launch& launch = device->launch;
    for (const OrderSpec& order : launch.spec->orders) {
        if (order.second == core->op && !IsComplete(launch, order.first)) {
            StopAtOrder(launch, *core, order.first);
        }
    }
    for (size_t i = 0; i < launch.watch.outside.size(); ++i) {
        const OutsideWord& word = launch.watch.outside[i];
        if (launch.spec->outside[i].op == core->op && !word.set) {
            StopAtWord(*device, *core, word);
        }
    }
}

void NoteEnd(Device* device) {
    CoreState* core = device->scheduler.current();
    if (core->op) {
        NoteBegin(device);
        ProgressOf(&device->launch, *core) = Progress::kEnded;
    }
}

void NoteReturn(Device* device) {
    NoteEnd(device);
    device->scheduler.current()->op.reset();
}

void NoteFlush(Device* device, const void* address, Site site) {
    const Launch& launch = device->launch;
    const CoreState* core = device->scheduler.current();
    // A sub-kernel may write back whatever it likes: only the SuperKernel's own code sets lock words.
    if (launch.watch.told.empty() || core->op) {
        return;
    }
    for (size_t i = 0; i < launch.watch.told.size(); ++i) {
        const size_t op = launch.spec->told[i].op;
        if (launch.watch.told[i] != address || *launch.watch.told[i] != 1) {
            continue;
        }
        if (!IsComplete(launch, op)) {
            std::vector<CoreReport> reports = {{core, site, "running", "", ""}};
            const std::string incomplete = IncompleteText(launch, op, &reports);
            StopWithFault("told-early",
                          Name(*core) + ", " + SiteText(site) + ", tells that " + SpecOf(launch, op).name +
                              " has ended, by " + device->memory.Describe(address) + ", too early (" + incomplete +
                              ")",
                          reports);
        }
        device->scheduler.NoteActivity();
    }
}

std::string OutsideText(const Launch& launch) {
    std::string text;
    const GlobalMemory& memory = TheDevice().memory;
    for (const OutsideWord& word : launch.watch.outside) {
        for (const uint64_t* after : word.after) {
            if (!word.set && *after != 1) {
                text += "\nthe outside waits for " + memory.Describe(after) + " before it sets " +
                        memory.Describe(word.word);
            }
        }
    }
    return text;
}

}  // namespace sktwin::runtime
