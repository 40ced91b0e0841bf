// Licensed under the Apache License, Version 2.0.
#include "flags.h"

#include <string>

#include "report.h"
#include "sharing.h"

namespace sktwin::runtime {

namespace {

void RequireEngine(const Device& device, const char* what, Site site) {
    if (!device.launch.spec->sync) {
        StopRunningCore("no-sync-engine", site,
                        std::string(what) + " in a launch of type AIC_ONLY or AIV_ONLY, for which the device arms no "
                        "cross-core engine: give the kernel a MIX type (MIX_AIC_1_0, MIX_AIV_1_0, MIX_AIC_1_1, "
                        "MIX_AIC_1_2)");
    }
}

void RequireFlag(int flag, int limit, Site site) {
    if (flag < 0 || flag >= limit) {
        StopRunningCore("flag-id", site,
                        "flag id " + std::to_string(flag) + " is not in 0.." + std::to_string(limit - 1));
    }
}

[[noreturn]] void Overflow(const Device& device, const CoreState& core, const std::string& what, const FlagSets& sets,
                           Site site) {
    StopRunningCore("flag-overflow", site, what + " of " + Name(core) + " would pass " +
                                               std::to_string(device.job.target.flagLimit) +
                                               ": more sets than waits (the oldest is of " +
                                               CallText(device.launch, sets.front().call) + ", " +
                                               SiteText(sets.front().site) +
                                               "); the device raises an exception; wait once for each set");
}

void Increment(Device* device, CoreState* core, int flag, const FlagSet& set) {
    CheckReceiver(*device, *core, flag, set);
    if (core->state == State::kWaitingFlag && core->waitFlag == flag) {
        CheckTaken(*device, *core, set);
        device->scheduler.MakeRunnable(core);
        return;
    }
    if (core->counter[flag].size() >= device->job.target.flagLimit) {
        Overflow(*device, *core, "counter of flag " + std::to_string(flag), core->counter[flag], set.site);
    }
    core->counter[flag].Push(set);
}

void Arrive(Device* device, CoreState* core, int mode, int flag, const FlagSet& set) {
    FlagSets& pending = core->pending[mode][flag];
    if (pending.size() >= device->job.target.flagLimit) {
        Overflow(*device, *core, "outstanding mode-" + std::to_string(mode) + " sets of flag " + std::to_string(flag),
                 pending, set.site);
    }
    pending.Push(set);
}

// Every core of the kind among themselves.
void SetAllOfKind(Device* device, CoreState* self, int flag, const FlagSet& set) {
    Launch& launch = device->launch;
    const CoreKind kind = self->core.kind;
    Arrive(device, self, 0, flag, set);
    uint32_t& arrived = launch.arrived[Index(kind)][flag];
    if (self->pending[0][flag].size() == 1) {
        ++arrived;
    }
    // Blocks that wait for their wave have not arrived and cannot: they count all the same, as on a device.
    if (arrived < launch.spec->Participants(kind)) {
        return;
    }
    arrived = 0;
    CheckArrivals(*device, launch.cores[Index(kind)], 0, flag);
    for (CoreState* core : launch.cores[Index(kind)]) {
        const FlagSet own = core->pending[0][flag].Pop();
        arrived += core->pending[0][flag].size() != 0 ? 1 : 0;
        Increment(device, core, flag, own);
    }
}

// AIVs of one group: true when all have a pending set, which is then taken.
bool TakeGroupArrival(const Device& device, uint32_t slot, int mode, int flag) {
    const Launch& launch = device.launch;
    std::vector<CoreState*> members;
    for (uint32_t sub = 0; sub < launch.VectorsPerGroup(); ++sub) {
        members.push_back(launch.Member(slot, CoreKind::kAiv, sub));
        if (members.back()->pending[mode][flag].size() == 0) {
            return false;
        }
    }
    CheckArrivals(device, members, mode, flag);
    for (CoreState* member : members) {
        member->pending[mode][flag].Pop();
    }
    return true;
}

void SetVectorsOfGroup(Device* device, CoreState* self, int flag, const FlagSet& set) {
    const Launch& launch = device->launch;
    if (self->core.kind != CoreKind::kAiv) {
        StopRunningCore("flag-mode", set.site, "mode 1 joins the AIVs of a group; an AIC cannot set it");
    }
    Arrive(device, self, 1, flag, set);
    if (TakeGroupArrival(*device, self->slot, 1, flag)) {
        for (uint32_t sub = 0; sub < launch.VectorsPerGroup(); ++sub) {
            Increment(device, launch.Member(self->slot, CoreKind::kAiv, sub), flag, set);
        }
    }
}

void SetOtherKindOfGroup(Device* device, CoreState* self, int flag, const FlagSet& set) {
    const Launch& launch = device->launch;
    if (self->core.kind == CoreKind::kAic) {
        for (uint32_t sub = 0; sub < launch.VectorsPerGroup(); ++sub) {
            CoreState* aiv = launch.Member(self->slot, CoreKind::kAiv, sub);
            if (aiv != nullptr) {
                Increment(device, aiv, flag, set);
            }
        }
        return;
    }
    Arrive(device, self, 2, flag, set);
    CoreState* aic = launch.Member(self->slot, CoreKind::kAic, 0);
    if (aic != nullptr && TakeGroupArrival(*device, self->slot, 2, flag)) {
        Increment(device, aic, flag, set);
    }
}

}  // namespace

void SetFlag(Device* device, int mode, int flag, Site site, FlagUse use) {
    RequireEngine(*device, "cross-core set", site);
    RequireFlag(flag, kFlags, site);
    CoreState* self = device->scheduler.current();
    RequireOwn(*device, *self, flag, use, site);
    const FlagSet set{self->call.number, use, site};
    device->scheduler.NoteActivity();
    const bool otherKind = mode == 2;
    const int kind = otherKind ? 1 - Index(self->core.kind) : Index(self->core.kind);
    device->launch.modesUsed[kind][flag] |= static_cast<uint8_t>(1U << mode);
    switch (mode) {
        case 0:
            SetAllOfKind(device, self, flag, set);
            break;
        case 1:
            SetVectorsOfGroup(device, self, flag, set);
            break;
        case 2:
            SetOtherKindOfGroup(device, self, flag, set);
            break;
        default:
            StopRunningCore("flag-mode", site,
                            "mode " + std::to_string(mode) + " of a cross-core set is not 0, 1 or 2");
    }
}

void WaitFlag(Device* device, int flag, Site site, FlagUse use) {
    RequireEngine(*device, "cross-core wait", site);
    RequireFlag(flag, kFlags, site);
    CoreState* self = device->scheduler.current();
    RequireOwn(*device, *self, flag, use, site);
    self->waitFlag = flag;
    self->waitUse = use;
    self->waitSite = site;
    if (self->counter[flag].size() > 0) {
        CheckTaken(*device, *self, self->counter[flag].Pop());
        device->scheduler.NoteActivity();
        return;
    }
    self->state = State::kWaitingFlag;
    device->scheduler.Block();
}

CoreState* IntraBlockPeer(const Launch& launch, const CoreState& from, int flag, int* peerFlag) {
    if (from.core.kind == CoreKind::kAic) {
        *peerFlag = flag % kFlags;
        return launch.Member(from.slot, CoreKind::kAiv, static_cast<uint32_t>(flag / kFlags));
    }
    *peerFlag = flag + static_cast<int>(from.core.subBlockIdx) * kFlags;
    return launch.Member(from.slot, CoreKind::kAic, 0);
}

namespace {

void RequireIntraBlock(const Device& device, const CoreState& self, int flag, Site site) {
    if (!device.job.target.intraBlock) {
        StopRunningCore("no-intra-block", site, "this target has no intra-block flags");
    }
    RequireEngine(device, "intra-block flag", site);
    RequireFlag(flag, self.core.kind == CoreKind::kAic ? kIntraFlags : kFlags, site);
}

}  // namespace

void SetIntraBlock(Device* device, int flag, Site site, FlagUse use) {
    CoreState* self = device->scheduler.current();
    RequireIntraBlock(*device, *self, flag, site);
    RequireOwn(*device, *self, flag % kFlags, use, site);
    const FlagSet set{self->call.number, use, site};
    device->scheduler.NoteActivity();
    int peerFlag = 0;
    CoreState* peer = IntraBlockPeer(device->launch, *self, flag, &peerFlag);
    if (peer == nullptr) {
        return;
    }
    CheckReceiver(*device, *peer, peerFlag, set);
    if (peer->state == State::kWaitingIntraBlock && peer->waitFlag == peerFlag) {
        CheckTaken(*device, *peer, set);
        device->scheduler.MakeRunnable(peer);
        return;
    }
    FlagSets& counter = peer->intra[peerFlag];
    if (counter.size() >= device->job.target.flagLimit) {
        Overflow(*device, *peer, "counter of intra-block flag " + std::to_string(peerFlag), counter, site);
    }
    counter.Push(set);
}

void WaitIntraBlock(Device* device, int flag, Site site, FlagUse use) {
    CoreState* self = device->scheduler.current();
    RequireIntraBlock(*device, *self, flag, site);
    RequireOwn(*device, *self, flag % kFlags, use, site);
    self->waitFlag = flag;
    self->waitUse = use;
    self->waitSite = site;
    if (self->intra[flag].size() > 0) {
        CheckTaken(*device, *self, self->intra[flag].Pop());
        device->scheduler.NoteActivity();
        return;
    }
    self->state = State::kWaitingIntraBlock;
    device->scheduler.Block();
}

}  // namespace sktwin::runtime
