// Licensed under the Apache License, Version 2.0.
#include "hang.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "flags.h"
#include "report.h"

namespace sktwin::runtime {

namespace {

constexpr int kUnknownMode = -1;

// Flags 11..14 have one use that all of SyncAll, early start and SuperKernels share: spec device section 3.3.
int ConventionalMode(CoreKind kind, int flag) {
    if (flag == (kind == CoreKind::kAic ? 11 : 14)) {
        return 0;
    }
    return flag == (kind == CoreKind::kAic ? 12 : 13) ? 2 : kUnknownMode;
}

int ModeOfWait(const Launch& launch, const CoreState& core) {
    const int flag = core.waitFlag;
    for (const int mode : {0, 1}) {
        if (core.pending[mode][flag].size() != 0) {
            return mode;
        }
    }
    const uint8_t used = launch.modesUsed[Index(core.core.kind)][flag];
    for (const int mode : {2, 0, 1}) {
        if ((used >> mode & 1) != 0) {
            return mode;
        }
    }
    return ConventionalMode(core.core.kind, flag);
}

std::string FlagText(const Launch& launch, const CoreState& core) {
    const std::string kind = KindName(core.core.kind);
    const std::string flag = std::to_string(core.waitFlag);
    if (core.state == State::kWaitingIntraBlock) {
        return "intra-block flag " + flag;
    }
    switch (ModeOfWait(launch, core)) {
        case 0:
            return "flag " + flag + " (mode 0, set by all " + kind + "s of the launch)";
        case 1:
            return "flag " + flag + " (mode 1, set by the AIVs of its group)";
        case 2:
            return "flag " + flag + " (mode 2, set by the " + (core.core.kind == CoreKind::kAic ? "AIVs" : "AIC") +
                   " of its group)";
        default:
            return "flag " + flag;
    }
}

std::string PolledText(const CoreState& core) {
    const void* address = core.polling.lastRead;
    return "polling global memory" +
           (address == nullptr ? std::string() : ": " + TheDevice().memory.Describe(address));
}

std::string Doing(const CoreState& core) {
    const std::string where = std::string(" in kernel ") + core.core.kernel + " at ";
    switch (core.state) {
        case State::kFinished:
            return "finished";
        case State::kRunnable:
            return "polls global memory" + where + SiteText(core.polling.site);
        default:
            return "waits for " + FlagText(TheDevice().launch, core) + where + SiteText(core.waitSite);
    }
}

// "AIC blocks 2, 5: finished; AIC block 7: waits for ..."
std::string GroupByDoing(const std::vector<const CoreState*>& cores) {
    std::map<std::string, std::vector<const CoreState*>> groups;
    for (const CoreState* core : cores) {
        groups[Doing(*core)].push_back(core);
    }
    std::string text;
    for (const auto& [doing, members] : groups) {
        text += (text.empty() ? "" : "; ") + BlockList(members) + ": " + doing;
    }
    return text;
}

std::string MissingOfKind(const Launch& launch, const CoreState& core) {
    std::vector<const CoreState*> missing;
    for (const CoreState* other : launch.cores[Index(core.core.kind)]) {
        if (other->pending[0][core.waitFlag].size() == 0) {
            missing.push_back(other);
        }
    }
    std::string text = GroupByDoing(missing);
    if (launch.InWaves() && launch.nextBlock < launch.spec->blocks) {
        text += (text.empty() ? "" : "; ") + std::string("blocks ") + std::to_string(launch.nextBlock) + "-" +
                std::to_string(launch.spec->blocks - 1) + ": not started, no core is free";
    }
    return text;
}

// The members of the waiting core's own group, without block numbers: equal lines of many groups fold into one.
std::string MissingOfGroup(const Launch& launch, const CoreState& core, CoreKind kind, int mode) {
    std::string text;
    const uint32_t most = kind == CoreKind::kAiv ? launch.VectorsPerGroup() : 1;
    for (uint32_t sub = 0; sub < most; ++sub) {
        const CoreState* other = launch.Member(core.slot, kind, sub);
        const std::string name =
            kind == CoreKind::kAic ? "the AIC of its group" : "AIV " + std::to_string(sub) + " of its group";
        if (other == nullptr) {
            return "the launch has no " + std::string(KindName(kind)) + " in the group";
        }
        if (kind == CoreKind::kAic || other->pending[mode][core.waitFlag].size() == 0) {
            text += (text.empty() ? "" : "; ") + name + ": " + Doing(*other);
        }
    }
    return text;
}

std::string MissingIntraBlock(const Launch& launch, const CoreState& core) {
    int peerFlag = 0;
    const CoreState* peer = IntraBlockPeer(launch, core, core.waitFlag, &peerFlag);
    const std::string set = "should set intra-block flag " + std::to_string(peerFlag);
    if (peer == nullptr) {
        return "the launch has no core that could set it";
    }
    const std::string name = peer->core.kind == CoreKind::kAic
                                 ? "the AIC of its group"
                                 : "AIV " + std::to_string(peer->core.subBlockIdx) + " of its group";
    return name + " (" + set + "): " + Doing(*peer);
}

std::string Missing(const Launch& launch, const CoreState& core) {
    if (core.state == State::kWaitingIntraBlock) {
        return MissingIntraBlock(launch, core);
    }
    const CoreKind other = core.core.kind == CoreKind::kAic ? CoreKind::kAiv : CoreKind::kAic;
    switch (ModeOfWait(launch, core)) {
        case 0:
            return MissingOfKind(launch, core);
        case 1:
            return MissingOfGroup(launch, core, CoreKind::kAiv, 1);
        case 2:
            return MissingOfGroup(launch, core, other, 2);
        default:
            return "no core has set this flag for a core of kind " + std::string(KindName(core.core.kind));
    }
}

CoreReport ReportOf(const Launch& launch, const CoreState* core) {
    if (core->state == State::kRunnable) {
        return {core, core->polling.site, "polling", PolledText(*core), "no core has changed global memory since"};
    }
    return {core, core->waitSite, "waiting", FlagText(launch, *core), Missing(launch, *core)};
}

// A sub-kernel that synchronises all cores, and cores of the SuperKernel that do not run it.
std::string SmallerText(const Launch& launch, const std::vector<CoreReport>& reports) {
    for (const CoreReport& report : reports) {
        const CoreState& core = *report.core;
        if (core.state == State::kRunnable || core.waitUse != FlagUse::kSyncAll || core.call.number == kNoCall) {
            continue;
        }
        const auto& cores = launch.calls.records[core.call.number].cores[Index(core.core.kind)];
        if (std::any_of(cores.begin(), cores.end(), [](const CallProgress& progress) { return !progress.begun; })) {
            return "\n" + CallText(launch, core.call.number) +
                   " synchronises all cores, but not all of the SuperKernel run it: give it as many blocks as the "
                   "SuperKernel, or build with feed-sync-all=1";
        }
    }
    return "";
}

std::string Message(const Launch& launch, const std::vector<CoreReport>& reports) {
    std::map<std::string, std::vector<const CoreState*>> groups;
    std::vector<std::string> order;
    for (const CoreReport& report : reports) {
        const std::string key = std::string(KindName(report.core->core.kind)) + "\n in kernel " +
                                report.core->core.kernel + " at " + SiteText(report.site) + ": waits for " +
                                report.waitsFor + "; missing: " + report.missing;
        if (groups.count(key) == 0) {
            order.push_back(key);
        }
        groups[key].push_back(report.core);
    }
    std::string text = "no core can run and " + std::to_string(reports.size()) + " have not finished";
    for (const std::string& key : order) {
        text += "\n" + BlockList(groups[key]) + key.substr(key.find('\n') + 1);
    }
    if (launch.InWaves()) {
        text += "\nthe launch has " + std::to_string(launch.spec->blocks) + " blocks, more than the " +
                std::to_string(launch.slots) +
                " that run at once: blocks exceed cores, so a full synchronisation never completes";
    }
    return text + SmallerText(launch, reports) + OutsideText(launch);
}

}  // namespace

std::string BlockList(const std::vector<const CoreState*>& cores) {
    std::vector<uint32_t> blocks;
    for (const CoreState* core : cores) {
        blocks.push_back(BlockIndex(*core));
    }
    std::sort(blocks.begin(), blocks.end());
    std::string text = std::string(KindName(cores.front()->core.kind)) + (blocks.size() == 1 ? " block " : " blocks ");
    for (size_t first = 0; first < blocks.size();) {
        size_t last = first;
        while (last + 1 < blocks.size() && blocks[last + 1] == blocks[last] + 1) {
            ++last;
        }
        text += (first == 0 ? "" : ", ") + std::to_string(blocks[first]);
        text += last == first ? "" : "-" + std::to_string(blocks[last]);
        first = last + 1;
    }
    return text;
}

void StopWithHang() {
    const Launch& launch = TheDevice().launch;
    std::vector<CoreReport> reports;
    for (const auto& cores : launch.cores) {
        for (const CoreState* core : cores) {
            if (core->state != State::kFinished) {
                reports.push_back(ReportOf(launch, core));
            }
        }
    }
    StopWithFault("hang", Message(launch, reports), reports);
}

}  // namespace sktwin::runtime
