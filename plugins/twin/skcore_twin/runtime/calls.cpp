// Licensed under the Apache License, Version 2.0.
#include "calls.h"

#include <algorithm>

#include "device.h"
#include "hang.h"
#include "report.h"

namespace sktwin::runtime {

namespace {

constexpr const char* kFormNames[kFullSyncs] = {"SyncAll<true>()", "SyncAll<false>()", "SyncAll(workspace)"};

uint32_t NumberOf(Launch* launch, const char* name, uint64_t argument) {
    Calls& calls = launch->calls;
    const auto next = static_cast<uint32_t>(calls.records.size());
    const auto [found, isNew] = calls.numbers.try_emplace({argument, name}, next);
    if (isNew) {
        CallRecord record;
        record.name = name;
        for (int kind = 0; kind < kKinds; ++kind) {
            record.cores[kind].resize(launch->cores[kind].size());
            std::fill(std::begin(record.fewestLeft[kind]), std::end(record.fewestLeft[kind]), UINT32_MAX);
        }
        calls.records.push_back(std::move(record));
    }
    return found->second;
}

// SyncAll<false> joins both kinds; the other forms are the AIVs'.
bool Joins(FullSync form, CoreKind kind, CoreKind other) { return kind == other || form == FullSync::kAll; }

bool Waits(const CoreState& core) {
    return core.state == State::kWaitingFlag || core.state == State::kWaitingIntraBlock;
}

std::string Doing(const CoreState& core, const CallProgress& progress, uint32_t count) {
    const std::string times = std::to_string(count);
    if (progress.left) {
        return "left it after " + times + " calls";
    }
    return "called it " + times + " times so far" + (Waits(core) ? ", waits at " + SiteText(core.waitSite) : "");
}

// The cores of a call by how often they have called a full synchronisation, and whether they have left.
[[noreturn]] void StopAtCounts(const Device& device, const CoreState& self, FullSync form, Site site) {
    const Launch& launch = device.launch;
    const CallRecord& record = launch.calls.records[self.call.number];
    const auto index = static_cast<size_t>(form);
    std::map<std::string, std::vector<const CoreState*>> groups;
    for (const auto& cores : launch.cores) {
        for (const CoreState* core : cores) {
            const CallProgress& progress = ProgressIn(launch, *core, self.call.number);
            if (progress.begun && Joins(form, core->core.kind, self.core.kind)) {
                groups[Doing(*core, progress, progress.fullSyncs[index])].push_back(core);
            }
        }
    }
    std::string text;
    std::vector<CoreReport> reports;
    for (const auto& [doing, members] : groups) {
        for (const CoreKind kind : {CoreKind::kAic, CoreKind::kAiv}) {
            std::vector<const CoreState*> cores;
            std::copy_if(members.begin(), members.end(), std::back_inserter(cores),
                         [&](const CoreState* core) { return core->core.kind == kind; });
            if (cores.empty()) {
                continue;
            }
            text += "\n" + BlockList(cores) + ": " + doing;
            for (const CoreState* core : cores) {
                const bool waits = Waits(*core);
                const char* state = core->state == State::kFinished ? "finished" : waits ? "waiting" : "running";
                const Site at = waits ? core->waitSite : core == &self ? site : Site{nullptr, 0};
                reports.push_back({core, at, state, "", record.name + ": " + doing});
            }
        }
    }
    StopWithFault("sync-all-count",
                  std::string(kFormNames[index]) + " in kernel " + record.name +
                      " is not called equally often by all cores, which " + Name(self) + " shows " +
                      (site.file == nullptr ? "at its end" : "at " + SiteText(site)) +
                      ": some would wait for ever, or join another operator's synchronisation; call it on every path, "
                      "also on cores without work" +
                      text,
                  reports);
}

void CheckCounts(const Device& device, const CoreState& self, Site site) {
    const CallRecord& record = device.launch.calls.records[self.call.number];
    const int own = Index(self.core.kind);
    const CallProgress& progress = record.cores[own][self.place];
    for (size_t form = 0; form < kFullSyncs; ++form) {
        for (int kind = 0; kind < kKinds; ++kind) {
            if (!Joins(static_cast<FullSync>(form), self.core.kind, static_cast<CoreKind>(kind))) {
                continue;
            }
            const bool others = record.fewestLeft[kind][form] < progress.fullSyncs[form];
            if (others || (progress.left && record.most[kind][form] > progress.fullSyncs[form])) {
                StopAtCounts(device, self, static_cast<FullSync>(form), site);
            }
        }
    }
}

}  // namespace

void BeginCall(Device* device, const char* name, uint64_t argument, const KernelBuild& build) {
    CoreState* core = device->scheduler.current();
    core->call = CallState{};
    core->call.number = NumberOf(&device->launch, name, argument);
    core->call.build = build;
    core->call.before = core->core.registers;
    CallProgress& progress = ProgressIn(&device->launch, *core, core->call.number);
    progress = CallProgress{};
    progress.begun = true;
}

void EndCall(Device* device) {
    CoreState* core = device->scheduler.current();
    if (core->call.number == kNoCall) {
        return;
    }
    CallRecord& record = device->launch.calls.records[core->call.number];
    const int kind = Index(core->core.kind);
    CallProgress& progress = record.cores[kind][core->place];
    progress.left = true;
    CheckCounts(*device, *core, {nullptr, 0});
    for (size_t form = 0; form < kFullSyncs; ++form) {
        record.fewestLeft[kind][form] = std::min(record.fewestLeft[kind][form], progress.fullSyncs[form]);
    }
    core->call.number = kNoCall;
}

void CountFullSync(Device* device, FullSync form, Site site) {
    CoreState* core = device->scheduler.current();
    // Waves begin the same call anew, one block after the other; and nobody takes the blocks of a later wave for missing.
    if (core->call.number == kNoCall || device->launch.InWaves()) {
        return;
    }
    CallRecord& record = device->launch.calls.records[core->call.number];
    const int kind = Index(core->core.kind);
    const uint32_t count = ++record.cores[kind][core->place].fullSyncs[static_cast<size_t>(form)];
    uint32_t& most = record.most[kind][static_cast<size_t>(form)];
    most = std::max(most, count);
    CheckCounts(*device, *core, site);
}

CallProgress& ProgressIn(Launch* launch, const CoreState& core, uint32_t call) {
    return launch->calls.records[call].cores[Index(core.core.kind)][core.place];
}

const CallProgress& ProgressIn(const Launch& launch, const CoreState& core, uint32_t call) {
    return launch.calls.records[call].cores[Index(core.core.kind)][core.place];
}

std::string CallText(const Launch& launch, uint32_t call) {
    return call == kNoCall ? "the SuperKernel's own code" : "kernel " + launch.calls.records[call].name;
}

}  // namespace sktwin::runtime
