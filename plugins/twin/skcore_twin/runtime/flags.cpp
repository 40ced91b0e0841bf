// Licensed under the Apache License, Version 2.0.
#include "flags.h"

#include <string>

#include "report.h"

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

[[noreturn]] void Overflow(const Device& device, const CoreState& core, const std::string& what, Site site) {
    StopRunningCore("flag-overflow", site, what + " of " + Name(core) + " would pass " +
                                               std::to_string(device.job.target.flagLimit) +
                                               ": more sets than waits; the device raises an exception");
}

void Increment(Device* device, CoreState* core, int flag, Site site) {
    if (core->state == State::kWaitingFlag && core->waitFlag == flag) {
        device->scheduler.MakeRunnable(core);
        return;
    }
    if (core->counter[flag] >= device->job.target.flagLimit) {
        Overflow(*device, *core, "counter of flag " + std::to_string(flag), site);
    }
    ++core->counter[flag];
}

void Arrive(Device* device, CoreState* core, int mode, int flag, Site site) {
    if (core->pending[mode][flag] >= device->job.target.flagLimit) {
        Overflow(*device, *core,
                 "outstanding mode-" + std::to_string(mode) + " sets of flag " + std::to_string(flag), site);
    }
    ++core->pending[mode][flag];
}

// Every core of the kind among themselves.
void SetAllOfKind(Device* device, CoreState* self, int flag, Site site) {
    Launch& launch = device->launch;
    const CoreKind kind = self->core.kind;
    Arrive(device, self, 0, flag, site);
    uint32_t& arrived = launch.arrived[Index(kind)][flag];
    if (self->pending[0][flag] == 1) {
        ++arrived;
    }
    // Blocks that wait for their wave have not arrived and cannot: they count all the same, as on a device.
    if (arrived < launch.spec->Participants(kind)) {
        return;
    }
    arrived = 0;
    for (CoreState* core : launch.cores[Index(kind)]) {
        arrived += --core->pending[0][flag] != 0 ? 1 : 0;
        Increment(device, core, flag, site);
    }
}

// AIVs of one group: true when all have a pending set, which is then taken.
bool TakeGroupArrival(const Launch& launch, uint32_t slot, int mode, int flag) {
    for (uint32_t sub = 0; sub < launch.VectorsPerGroup(); ++sub) {
        if (launch.Member(slot, CoreKind::kAiv, sub)->pending[mode][flag] == 0) {
            return false;
        }
    }
    for (uint32_t sub = 0; sub < launch.VectorsPerGroup(); ++sub) {
        --launch.Member(slot, CoreKind::kAiv, sub)->pending[mode][flag];
    }
    return true;
}

void SetVectorsOfGroup(Device* device, CoreState* self, int flag, Site site) {
    const Launch& launch = device->launch;
    if (self->core.kind != CoreKind::kAiv) {
        StopRunningCore("flag-mode", site, "mode 1 joins the AIVs of a group; an AIC cannot set it");
    }
    Arrive(device, self, 1, flag, site);
    if (TakeGroupArrival(launch, self->slot, 1, flag)) {
        for (uint32_t sub = 0; sub < launch.VectorsPerGroup(); ++sub) {
            Increment(device, launch.Member(self->slot, CoreKind::kAiv, sub), flag, site);
        }
    }
}

void SetOtherKindOfGroup(Device* device, CoreState* self, int flag, Site site) {
    const Launch& launch = device->launch;
    if (self->core.kind == CoreKind::kAic) {
        for (uint32_t sub = 0; sub < launch.VectorsPerGroup(); ++sub) {
            CoreState* aiv = launch.Member(self->slot, CoreKind::kAiv, sub);
            if (aiv != nullptr) {
                Increment(device, aiv, flag, site);
            }
        }
        return;
    }
    Arrive(device, self, 2, flag, site);
    CoreState* aic = launch.Member(self->slot, CoreKind::kAic, 0);
    if (aic != nullptr && TakeGroupArrival(launch, self->slot, 2, flag)) {
        Increment(device, aic, flag, site);
    }
}

}  // namespace

void SetFlag(Device* device, int mode, int flag, Site site) {
    RequireEngine(*device, "cross-core set", site);
    RequireFlag(flag, kFlags, site);
    CoreState* self = device->scheduler.current();
    device->scheduler.NoteActivity();
    const bool otherKind = mode == 2;
    const int kind = otherKind ? 1 - Index(self->core.kind) : Index(self->core.kind);
    device->launch.modesUsed[kind][flag] |= static_cast<uint8_t>(1U << mode);
    switch (mode) {
        case 0:
            SetAllOfKind(device, self, flag, site);
            break;
        case 1:
            SetVectorsOfGroup(device, self, flag, site);
            break;
        case 2:
            SetOtherKindOfGroup(device, self, flag, site);
            break;
        default:
            StopRunningCore("flag-mode", site,
                            "mode " + std::to_string(mode) + " of a cross-core set is not 0, 1 or 2");
    }
}

void WaitFlag(Device* device, int flag, Site site) {
    RequireEngine(*device, "cross-core wait", site);
    RequireFlag(flag, kFlags, site);
    CoreState* self = device->scheduler.current();
    if (self->counter[flag] > 0) {
        --self->counter[flag];
        device->scheduler.NoteActivity();
        return;
    }
    self->state = State::kWaitingFlag;
    self->waitFlag = flag;
    self->waitSite = site;
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

void SetIntraBlock(Device* device, int flag, Site site) {
    CoreState* self = device->scheduler.current();
    RequireIntraBlock(*device, *self, flag, site);
    device->scheduler.NoteActivity();
    int peerFlag = 0;
    CoreState* peer = IntraBlockPeer(device->launch, *self, flag, &peerFlag);
    if (peer == nullptr) {
        return;
    }
    if (peer->state == State::kWaitingIntraBlock && peer->waitFlag == peerFlag) {
        device->scheduler.MakeRunnable(peer);
        return;
    }
    if (peer->intra[peerFlag] >= device->job.target.flagLimit) {
        Overflow(*device, *peer, "counter of intra-block flag " + std::to_string(peerFlag), site);
    }
    ++peer->intra[peerFlag];
}

void WaitIntraBlock(Device* device, int flag, Site site) {
    CoreState* self = device->scheduler.current();
    RequireIntraBlock(*device, *self, flag, site);
    if (self->intra[flag] > 0) {
        --self->intra[flag];
        device->scheduler.NoteActivity();
        return;
    }
    self->state = State::kWaitingIntraBlock;
    self->waitFlag = flag;
    self->waitSite = site;
    device->scheduler.Block();
}

}  // namespace sktwin::runtime
