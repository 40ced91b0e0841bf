// Licensed under the Apache License, Version 2.0.
//
// What sub-kernels and SuperKernels say to each other: early start (spec device section 5.1) and the cores that join
// the SyncAll of a smaller sub-kernel (section 3.8).
#pragma once

#include <cstdint>

#include "ascendc/cross_core.h"

namespace AscendC {

namespace internal {

// Kinds of (previous, current) sub-kernel: previous << 2 | current.
enum EarlyStart : uint32_t {
    kCubeToCube = 0,
    kCubeToVector = 1,
    kCubeToMix = 2,
    kVectorToCube = 4,
    kVectorToVector = 5,
    kVectorToMix = 6,
    kMixToCube = 8,
    kMixToVector = 9,
    kMixToMix = 10,
};

#if __NPU_ARCH__ == 3510 && !defined(__ASCENDC_DAVID_SPLIT_CORE__)

// Tight: the cores of a group answer each other by intra-block flags.
inline void NotifyVectors(sktwin::Site site) {
    sktwin::IntraBlockSet(SYNC_AIC_AIV_FLAG, site, FlagUse::kEarlyStart);
    sktwin::IntraBlockSet(SYNC_AIC_AIV_FLAG + kSecondVector, site, FlagUse::kEarlyStart);
}
inline void AwaitVectors(sktwin::Site site) {
    sktwin::IntraBlockWait(SYNC_AIV_FLAG, site, FlagUse::kEarlyStart);
    sktwin::IntraBlockWait(SYNC_AIV_FLAG + kSecondVector, site, FlagUse::kEarlyStart);
}
inline void NotifyCube(sktwin::Site site) {
    sktwin::IntraBlockSet(SYNC_AIV_FLAG, site, FlagUse::kEarlyStart);
}
inline void AwaitCube(sktwin::Site site) {
    sktwin::IntraBlockWait(SYNC_AIC_AIV_FLAG, site, FlagUse::kEarlyStart);
}

#else

inline void NotifyVectors(sktwin::Site site) {
    SetCross(PIPE_MTE3, 2, SYNC_AIC_AIV_FLAG, site, FlagUse::kEarlyStart);
}
inline void AwaitVectors(sktwin::Site site) {
    WaitCross(SYNC_AIV_FLAG, site, FlagUse::kEarlyStart);
}
inline void NotifyCube(sktwin::Site site) {
    SetCross(PIPE_MTE3, 2, SYNC_AIV_FLAG, site, FlagUse::kEarlyStart);
}
inline void AwaitCube(sktwin::Site site) {
    WaitCross(SYNC_AIC_AIV_FLAG, site, FlagUse::kEarlyStart);
}

#endif

inline void WaitEarlyStartCube(uint32_t config, sktwin::Site site) {
    const bool cubeBefore = (config >> 2) != 1;
    const bool vectorBefore = (config >> 2) != 0;
    if (cubeBefore) {
        WaitCross(SYNC_AIC_FLAG, site, FlagUse::kEarlyStart);
    }
    if (cubeBefore && (config & 3) != 0) {
        NotifyVectors(site);
    }
    if (vectorBefore && (config & 3) != 1) {
        AwaitVectors(site);
    }
}

inline void WaitEarlyStartVector(uint32_t config, sktwin::Site site) {
    const bool cubeBefore = (config >> 2) != 1;
    const bool vectorBefore = (config >> 2) != 0;
    if (vectorBefore) {
        WaitCross(SYNC_AIV_ONLY_ALL, site, FlagUse::kEarlyStart);
    }
    if (vectorBefore && (config & 3) != 1) {
        NotifyCube(site);
    }
    if (cubeBefore && (config & 3) != 0) {
        AwaitCube(site);
    }
}

inline void WaitEarlyStart(uint32_t config, sktwin::Site site) {
    if ((config >> 2) > 2 || (config & 3) == 3) {
        sktwin::Fault("early-start-config", site, "early-start configuration %u does not name two kernel kinds",
                      config);
    }
    if (g_coreType == AIC) {
        WaitEarlyStartCube(config, site);
    } else {
        WaitEarlyStartVector(config, site);
    }
}

}  // namespace internal

// This sub-kernel no longer affects those after it. Once on each core.
template <pipe_t AIV_PIPE = PIPE_MTE3, pipe_t AIC_PIPE = PIPE_FIX, bool FORCE = false>
inline void SetNextTaskStart([[maybe_unused]] sktwin::Site site = sktwin::Site::Here()) {
#ifdef __ASCENDC_ENABLE_SET_NEXT_TASK_START
    constexpr bool enabled = true;
#else
    constexpr bool enabled = FORCE;
#endif
    if (!enabled || !sktwin::Self().superKernel) {
        return;
    }
    sktwin::NoteNextTaskStart(site);
    if (g_coreType == AIC) {
        internal::SetCross(AIC_PIPE, 0, SYNC_AIC_FLAG, site, sktwin::FlagUse::kEarlyStart);
    } else {
        internal::SetCross(AIV_PIPE, 0, SYNC_AIV_ONLY_ALL, site, sktwin::FlagUse::kEarlyStart);
    }
}

// `config` is (previous << 2) | current with AIC 0, AIV 1, MIX 2.
template <uint32_t config>
inline void WaitPreTaskEndImpl(sktwin::Site site = sktwin::Site::Here()) {
    static_assert((config >> 2) <= 2 && (config & 3) != 3, "early-start configuration does not name two kernel kinds");
    if (sktwin::Self().superKernel) {
        internal::WaitEarlyStart(config, site);
    }
}

// Blocks until the sub-kernel before has said that it no longer affects this one. Once on each core.
template <bool FORCE = false>
inline void WaitPreTaskEnd([[maybe_unused]] sktwin::Site site = sktwin::Site::Here()) {
#ifdef __ASCENDC_ENABLE_WAIT_PRE_TASK_END
    constexpr bool enabled = true;
#else
    constexpr bool enabled = FORCE;
#endif
    if (enabled && sktwin::Self().superKernel) {
#ifdef __ASCENDC_SUPERKERNEL_EARLY_START_V1
        internal::WaitEarlyStart(internal::kMixToMix, site);
#else
        internal::WaitEarlyStart(g_super_kernel_early_start_config.Read(site), site);
#endif
    }
    sktwin::NotePreTaskEnd(site);
}

// Called after a sub-kernel that publishes its SyncAlls: releases the cores that joined them.
inline void SuperKernelAutoSyncAllEndImpl(sktwin::Site site = sktwin::Site::Here()) {
    internal::PublishFeedWord(false, true, site);
}

// Called on the cores that such a sub-kernel does not use: takes part in each SyncAll until the end is published.
inline void SuperKernelAutoSyncAllComplementImpl(sktwin::Site site = sktwin::Site::Here()) {
    const GM_ADDR line = g_superKernelAutoSyncAllConfigGmAddr;
    for (uint32_t joined = 0;;) {
        dcci(line, SINGLE_CACHE_LINE, CACHELINE_OUT, site);
        const uint64_t word = *reinterpret_cast<const volatile uint64_t*>(line);
        if ((word & 0xFF) != 0) {
            sktwin::Fault("feed-sync-word", site, "word 0x%llx of the sub-kernel's line is not valid: the line was not "
                          "cleared, or something else wrote to it", static_cast<unsigned long long>(word));
        }
        if ((word >> internal::kFeedEndShift & 0xFF) != 0) {
            return;
        }
        if (static_cast<uint32_t>(word >> internal::kFeedIndexShift) > joined) {
            ++joined;
            internal::SyncAllHard((word >> internal::kFeedTypeShift & 0xFFFF) == 1, site, sktwin::FlagUse::kFeed);
        }
    }
}

}  // namespace AscendC
