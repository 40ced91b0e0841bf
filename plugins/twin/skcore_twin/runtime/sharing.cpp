// Licensed under the Apache License, Version 2.0.
#include "sharing.h"

#include <algorithm>
#include <map>
#include <string>

#include "hang.h"
#include "report.h"

namespace sktwin::runtime {

namespace {

bool IsWatched(const Device& device) { return device.launch.spec->superKernel; }

bool IsEarly(FlagUse use) { return use == FlagUse::kEarlyStart; }
bool IsFeed(FlagUse use) { return use == FlagUse::kFeed; }

// Whether one completes or takes the other. Early start joins neighbours, and a fed SyncAll cores outside; everything
// else stays inside one call, or between calls.
bool Fit(uint32_t call, FlagUse use, uint32_t otherCall, FlagUse otherUse) {
    if (IsEarly(use) || IsEarly(otherUse)) {
        return use == otherUse;
    }
    if (IsFeed(use) || IsFeed(otherUse)) {
        return (IsFeed(use) || use == FlagUse::kSyncAll) && (IsFeed(otherUse) || otherUse == FlagUse::kSyncAll);
    }
    return call == otherCall;
}

bool Fit(const FlagSet& one, const FlagSet& other) { return Fit(one.call, one.use, other.call, other.use); }

const char* UseText(FlagUse use) {
    constexpr const char* kNames[] = {"", "SyncAll in ", "early start in ", "feed-sync-all in "};
    return kNames[static_cast<int>(use)];
}

std::string FlagName(const Device& device, const CoreState& core, int flag) {
    const bool users = IsUsers(device, flag);
    return (core.state == State::kWaitingIntraBlock ? "intra-block flag " : "flag ") + std::to_string(flag) +
           (users ? "" : ", which synchronises all cores or hands over between operators,");
}

std::string Advice(const Device& device, int flag) {
    if (IsUsers(device, flag)) {
        return "; wait for each set in the sub-kernel that makes it, or give the two different ids";
    }
    return "; cores have called SyncAll differently often, or some do not run the sub-kernel at all: give it as many "
           "blocks as the SuperKernel, or build with feed-sync-all=1";
}

const char* CheckName(const Device& device, int flag) {
    return IsUsers(device, flag) ? "flag-mixed" : "sync-all-mixed";
}

}  // namespace

bool IsUsers(const Device& device, int flag) {
    return static_cast<uint32_t>(flag % kFlags) < device.job.target.userFlags;
}

void RequireOwn(const Device& device, const CoreState& self, int flag, FlagUse use, Site site) {
    if (use != FlagUse::kOwn || self.call.number == kNoCall || !IsWatched(device) || IsUsers(device, flag)) {
        return;
    }
    StopRunningCore("reserved-flag", site,
                    "flag " + std::to_string(flag) +
                        " is kept for SyncAll, early start and the SuperKernel (11 to 14) or for libraries (15): a "
                        "sub-kernel uses ids 0 to " +
                        std::to_string(device.job.target.userFlags - 1));
}

void CheckArrivals(const Device& device, const std::vector<CoreState*>& cores, int mode, int flag) {
    if (!IsWatched(device)) {
        return;
    }
    const auto first = [&](const CoreState* core) -> const FlagSet& { return core->pending[mode][flag].front(); };
    const FlagSet* wanted = &first(cores.front());
    for (const CoreState* core : cores) {
        wanted = IsFeed(first(core).use) ? wanted : &first(core);
    }
    if (std::all_of(cores.begin(), cores.end(), [&](const CoreState* core) { return Fit(*wanted, first(core)); })) {
        return;
    }
    std::map<std::string, std::vector<const CoreState*>> groups;
    for (const CoreState* core : cores) {
        const FlagSet& set = first(core);
        groups[UseText(set.use) + CallText(device.launch, set.call) + " at " + SiteText(set.site)].push_back(core);
    }
    std::string text;
    std::vector<CoreReport> reports;
    for (const auto& [where, members] : groups) {
        text += "\n" + BlockList(members) + ": " + where;
        for (const CoreState* core : members) {
            const char* state = core->state == State::kWaitingFlag ? "waiting" : "running";
            reports.push_back({core, first(core).site, state, "", where});
        }
    }
    StopWithFault(CheckName(device, flag),
                  "sets of different code complete each other as one mode-" + std::to_string(mode) + " set of " +
                      FlagName(device, *cores.front(), flag) + text + Advice(device, flag),
                  reports);
}

void CheckTaken(const Device& device, const CoreState& core, const FlagSet& set) {
    if (!IsWatched(device) || Fit(set.call, set.use, core.call.number, core.waitUse)) {
        return;
    }
    StopWithFault(CheckName(device, core.waitFlag),
                  Name(core) + ": the wait of " + UseText(core.waitUse) + CallText(device.launch, core.call.number) +
                      " at " + SiteText(core.waitSite) + " for " + FlagName(device, core, core.waitFlag) +
                      " takes what " + UseText(set.use) + CallText(device.launch, set.call) + " set at " +
                      SiteText(set.site) + Advice(device, core.waitFlag),
                  {{&core, core.waitSite, "running", FlagName(device, core, core.waitFlag), ""}});
}

void CheckReceiver(const Device& device, const CoreState& core, int flag, const FlagSet& set) {
    if (!IsWatched(device) || set.call == kNoCall || set.use != FlagUse::kOwn || !IsUsers(device, flag) ||
        !ProgressIn(device.launch, core, set.call).left) {
        return;
    }
    StopWithFault("flag-residue",
                  CallText(device.launch, set.call) + ", " + SiteText(set.site) + ", sets flag " +
                      std::to_string(flag) + " for " + Name(core) +
                      ", which has left that sub-kernel already: nobody there waits for it, and it would release the "
                      "next kernel's wait too early; wait once for each set, on every core that receives it",
                  {{&core, set.site, "running", "", "left " + CallText(device.launch, set.call)}});
}

}  // namespace sktwin::runtime
