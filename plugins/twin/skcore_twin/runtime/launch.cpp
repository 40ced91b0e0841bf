// Licensed under the Apache License, Version 2.0.
#include <algorithm>
#include <numeric>

#include "device.h"
#include "hang.h"
#include "report.h"
#include "residue.h"
#include "watch.h"
#include "watchdog.h"

namespace sktwin::runtime {

namespace {

// Its block is done. Returns when the core has another block to run.
void EndBlock(CoreState* core) {
    Device& device = TheDevice();
    Launch& launch = device.launch;
    core->core.kernel = launch.spec->label.c_str();
    if (--launch.active[core->slot] != 0 || launch.nextBlock >= launch.spec->blocks) {
        device.scheduler.Finish();
        return;
    }
    // The whole group takes the next block together.
    const uint32_t block = launch.nextBlock++;
    for (const CoreKind kind : {CoreKind::kAic, CoreKind::kAiv}) {
        for (uint32_t sub = 0;; ++sub) {
            CoreState* member = launch.Member(core->slot, kind, sub);
            if (member == nullptr) {
                break;
            }
            ++launch.active[core->slot];
            member->core.blockIdx = block;
            if (member != core) {
                device.scheduler.Revive(member);
            }
        }
    }
}

void RunCore(void* argument) {
    auto* core = static_cast<CoreState*>(argument);
    for (;;) {
        TheDevice().launch.entry[Index(core->core.kind)](0);
        EndBlock(core);
    }
}

void ClearFlags(CoreState* core) {
    for (FlagSets& sets : core->counter) {
        sets.Clear();
    }
    for (auto& mode : core->pending) {
        for (FlagSets& sets : mode) {
            sets.Clear();
        }
    }
    for (FlagSets& sets : core->intra) {
        sets.Clear();
    }
}

void ResetCore(CoreState* core, const Launch& launch, CoreKind kind, uint32_t slot, uint32_t subBlock) {
    core->core = Core{};
    core->core.kind = kind;
    core->core.blockIdx = slot;
    core->core.subBlockIdx = subBlock;
    core->core.subBlockDim = launch.VectorsPerGroup();
    core->core.blockNum = launch.spec->blocks;
    core->core.superKernel = launch.spec->superKernel;
    core->core.kernel = launch.spec->label.c_str();
    // A kernel alone finds its block count where a SuperKernel would put that of a sub-kernel.
    core->core.blockLocal.dynamicBlockNum = launch.spec->blocks;
    core->core.registers.mask[0] = ~0ULL;
    core->core.registers.mask[1] = ~0ULL;
    core->slot = slot;
    core->held = false;
    core->op.reset();
    core->call = CallState{};
    ClearFlags(core);
    core->watched.bytes = 0;
    core->polling = Polling{};
}

uint32_t CountSlots(const Device& device, const LaunchSpec& spec) {
    uint32_t slots = spec.blocks;
    if (spec.Runs(CoreKind::kAic)) {
        slots = std::min(slots, device.job.target.cores[0]);
    }
    if (spec.Runs(CoreKind::kAiv)) {
        slots = std::min(slots, device.job.target.cores[1] / std::max(1U, spec.ratio));
    }
    return slots;
}

std::vector<uint32_t> ShuffledIds(Device* device, CoreKind kind) {
    std::vector<uint32_t> ids(device->job.target.ids[Index(kind)]);
    std::iota(ids.begin(), ids.end(), 0U);
    for (uint32_t left = static_cast<uint32_t>(ids.size()); left > 1; --left) {
        std::swap(ids[left - 1], ids[device->random.Below(left)]);
    }
    return ids;
}

void PlaceCores(Device* device, CoreKind kind, uint64_t* words, const Module& module) {
    Launch& launch = device->launch;
    auto& pool = device->pool[Index(kind)];
    const uint32_t perSlot = kind == CoreKind::kAiv ? launch.VectorsPerGroup() : 1;
    const std::vector<uint32_t> ids = ShuffledIds(device, kind);
    for (uint32_t i = 0; i < launch.slots * perSlot; ++i) {
        if (i == pool.size()) {
            pool.push_back(std::make_unique<CoreState>());
        }
        CoreState* core = pool[i].get();
        ResetCore(core, launch, kind, i / perSlot, i % perSlot);
        core->place = i;
        core->core.coreId = ids[i];
        core->core.paraBase = words;
        core->blockLocals = module.initial;
        device->local[Index(kind)][ids[i]].Attach(&core->core);
        core->fiber.Prepare(&RunCore, core);
        launch.cores[Index(kind)].push_back(core);
        ++launch.active[core->slot];
    }
}

uint64_t* PlaceWords(Device* device, const LaunchSpec& spec, size_t number) {
    const std::string name = "arguments of launch '" + spec.label + "' (" + std::to_string(number) + ")";
    auto* words = reinterpret_cast<uint64_t*>(device->memory.Add(name, spec.words.size() * sizeof(uint64_t), ""));
    for (size_t i = 0; i < spec.words.size(); ++i) {
        const WordSpec& word = spec.words[i];
        words[i] = word.isBuffer
                       ? reinterpret_cast<uint64_t>(device->memory.FindName(word.buffer)->begin + word.value)
                       : word.value;
    }
    return words;
}

void CheckFits(const LaunchSpec& spec, uint32_t slots) {
    if (spec.superKernel && spec.blocks > slots) {
        StopWithFault("blocks-exceed-cores",
                      "SuperKernel '" + spec.label + "' has " + std::to_string(spec.blocks) +
                          " blocks, but the device runs " + std::to_string(slots) +
                          " at once: its synchronisation would never complete; plan it for at most that many",
                      {});
    }
}

}  // namespace

void RunLaunch(Device* device, const LaunchSpec& spec) {
    const auto module = std::find_if(device->modules.begin(), device->modules.end(),
                                     [&](const Module& candidate) { return candidate.id == spec.module; });
    LaunchCode code{{nullptr, nullptr}, &*module};
    for (const CoreKind kind : {CoreKind::kAic, CoreKind::kAiv}) {
        if (spec.Runs(kind)) {
            code.entry[Index(kind)] = module->Find(spec.symbol[Index(kind)]);
        }
    }
    RunLaunch(device, spec, code, PlaceWords(device, spec, device->results.size()));
}

void RunLaunch(Device* device, const LaunchSpec& spec, const LaunchCode& code, uint64_t* words) {
    Launch& launch = device->launch;
    launch = Launch{};
    launch.spec = &spec;
    launch.slots = CountSlots(*device, spec);
    CheckFits(spec, launch.slots);
    launch.nextBlock = launch.slots;
    launch.active.assign(launch.slots, 0);
    for (const CoreKind kind : {CoreKind::kAic, CoreKind::kAiv}) {
        if (spec.Runs(kind)) {
            launch.entry[Index(kind)] = code.entry[Index(kind)];
            PlaceCores(device, kind, words, *code.module);
        }
    }
    device->scheduler.SetBlockLocals(code.module->blockLocals, code.module->initial.size());
    device->scheduler.Reset(launch.cores[0].size() + launch.cores[1].size());
    StartWatch(device, words);
    for (const auto& cores : launch.cores) {
        for (CoreState* core : cores) {
            device->scheduler.MakeRunnable(core);
        }
    }
    ResetWatchdog();
    device->scheduler.Run();
    EndWatch(device);
    CheckResidue(*device);
    device->results.push_back({spec.label, device->scheduler.switches()});
}

}  // namespace sktwin::runtime
