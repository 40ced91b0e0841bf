// Licensed under the Apache License, Version 2.0.
#include "boundary.h"

#include <string>

#include "report.h"
#include "sktwin/device.h"

namespace sktwin::runtime {

namespace {

constexpr Site kNoSite = {nullptr, 0};

void CheckCores(const CoreState& core, const OperatorSpec& spec) {
    const uint32_t cores = spec.cores[Index(core.core.kind)];
    if (BlockIndex(core) >= cores) {
        StopRunningCore("operator-cores", kNoSite,
                        "the sub-kernel is called on this core, but " + spec.name + " runs on the first " +
                            std::to_string(cores) + " " + KindName(core.core.kind) +
                            "s: its blocks and the condition around its call do not agree");
    }
}

// A sub-kernel that asks for the number of its blocks gets what its compilation said.
void CheckBlocks(const CoreState& core, const OperatorSpec& spec) {
    const uint32_t built = core.call.build.blocks;
    const uint32_t planned = spec.cores[0] != 0 ? spec.cores[0] : spec.cores[1];
    if (built != 0 && built != planned) {
        StopRunningCore("block-number", kNoSite,
                        "the sub-kernel was built for " + std::to_string(built) +
                            " blocks (__SUPER_KERNEL_STATIC_BLOCK_NUM__), but " + spec.name + " runs on " +
                            std::to_string(planned) + ": GetBlockNum would give the wrong number; build it for the " +
                            "blocks that its record gives");
    }
}

void CheckOnce(const char* api, bool expected, uint32_t count) {
    if (expected && count == 0) {
        StopRunningCore("early-start-calls", kNoSite,
                        std::string("the sub-kernel ends without a call of ") + api +
                            ", which its build promises: the next synchronisation of this core hangs or comes too "
                            "early; call it once on each core, on every path, also on cores without work");
    }
}

void CountOnce(uint32_t* count, const char* api, Site site) {
    if (++*count > 1) {
        StopRunningCore("early-start-calls", site,
                        std::string(api) + " is called a second time by this sub-kernel: it counts as another " +
                            "operator's; call it once on each core, on every path");
    }
}

[[noreturn]] void StopAtState(Site site, const std::string& what, const char* reset) {
    StopRunningCore("state-left", site, "the sub-kernel ends with " + what + ", which the next one inherits: " + reset);
}

void CheckState(const CoreState& core) {
    const Registers& now = core.core.registers;
    const Registers& before = core.call.before;
    const ChangeSites& changed = core.core.changed;
    if (now.atomicOperation != 0) {
        constexpr const char* kNames[] = {"none", "add", "max", "min"};
        StopAtState(changed.atomic, std::string("the atomic mode ") + kNames[now.atomicOperation & 3] + " on",
                    "call SetAtomicNone() after the last atomic store");
    }
    if (now.maskCounter) {
        StopAtState(changed.maskMode, "the mask in counter mode", "call SetMaskNorm() and ResetMask()");
    }
    const bool full = now.mask[0] == ~0ULL && now.mask[1] == ~0ULL;
    if (changed.mask.file != nullptr && !full) {
        StopAtState(changed.mask, "a vector mask set by hand that is not all ones", "call ResetMask()");
    }
    if (now.scratch[kScratchVectorModes] != before.scratch[kScratchVectorModes]) {
        StopAtState(changed.saturation, "another saturation mode than at its begin",
                    "call SetSaturationFlag with what was set before");
    }
    if (now.ctrl != before.ctrl) {
        StopAtState(kNoSite, "another value of CTRL than at its begin", "restore the bits that it changes");
    }
}

}  // namespace

void CheckCall(const Device& device, const CoreState& core) {
    if (!core.core.inSubKernel || !core.op) {
        return;
    }
    const OperatorSpec& spec = device.launch.spec->operators[*core.op];
    if (spec.coresKnown) {
        CheckCores(core, spec);
        CheckBlocks(core, spec);
    }
}

void CountNextTaskStart(CoreState* core, Site site) {
    if (core->core.inSubKernel && core->call.build.setsNextTaskStart) {
        CountOnce(&core->call.sets, "SetNextTaskStart", site);
    }
}

void CountPreTaskEnd(CoreState* core, Site site) {
    if (core->core.inSubKernel && core->call.build.waitsPreTaskEnd) {
        CountOnce(&core->call.waits, "WaitPreTaskEnd", site);
    }
}

void CheckEnd(const CoreState& core) {
    if (!core.core.inSubKernel) {
        return;
    }
    CheckOnce("WaitPreTaskEnd", core.call.build.waitsPreTaskEnd, core.call.waits);
    CheckOnce("SetNextTaskStart", core.call.build.setsNextTaskStart, core.call.sets);
    CheckState(core);
}

}  // namespace sktwin::runtime
