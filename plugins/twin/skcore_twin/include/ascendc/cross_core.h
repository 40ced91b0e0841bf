// Licensed under the Apache License, Version 2.0.
//
// Synchronisation between cores by hardware flags: spec device sections 3.1 to 3.4, and 3.8 for SuperKernels.
#pragma once

#include <cstdint>

#include "ascendc/block_local.h"
#include "ascendc/events.h"
#include "ascendc/intrinsics.h"
#include "ascendc/system.h"

namespace AscendC {

constexpr uint16_t SYNC_AIC_FLAG = 11;
constexpr uint16_t SYNC_AIV_FLAG = 12;
constexpr uint16_t SYNC_AIC_AIV_FLAG = 13;
constexpr uint16_t SYNC_AIV_ONLY_ALL = 14;
constexpr uint16_t SYNC_MODE_SHIFT_VALUE = 4;
constexpr uint16_t SYNC_FLAG_SHIFT_VALUE = 8;

constexpr uint16_t GetffstMsg(uint16_t mode, uint16_t flagId) {
    return static_cast<uint16_t>(1 | (mode & 3) << SYNC_MODE_SHIFT_VALUE | (flagId & 15) << SYNC_FLAG_SHIFT_VALUE);
}

namespace internal {

// The intra-block flag that stands for the same one of the second AIV.
constexpr uint16_t kSecondVector = 16;
constexpr uint8_t kIntraBlockMode = 4;

using sktwin::FlagUse;

inline void WaitCross(uint16_t flagId, sktwin::Site site, FlagUse use = FlagUse::kOwn) {
    sktwin::CrossCoreWait(flagId, site, use);
}

inline void SetCross(pipe_t, uint16_t mode, uint16_t flagId, sktwin::Site site, FlagUse use = FlagUse::kOwn) {
    sktwin::CrossCoreSet(mode & 3, flagId & 15, site, use);
}

constexpr bool EmitsCross(pipe_t pipe) { return __NPU_ARCH__ != 3510 || HasPipe(pipe); }

}  // namespace internal

template <uint8_t modeId, pipe_t pipe>
inline void CrossCoreSetFlag(uint16_t flagId, sktwin::Site site = sktwin::Site::Here()) {
    static_assert(modeId <= 2 || (modeId == internal::kIntraBlockMode && __NPU_ARCH__ == 3510),
                  "modes of CrossCoreSetFlag are 0, 1, 2, and 4 on dav-3510");
    if constexpr (internal::EmitsCross(pipe)) {
#if __NPU_ARCH__ == 3510
        if constexpr (modeId == internal::kIntraBlockMode) {
            set_intra_block(pipe, flagId, site);
            return;
        }
#endif
        internal::SetCross(pipe, modeId, flagId, site);
    }
}

template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
inline void CrossCoreWaitFlag(uint16_t flagId, sktwin::Site site = sktwin::Site::Here()) {
    if constexpr (internal::EmitsCross(pipe)) {
#if __NPU_ARCH__ == 3510
        if constexpr (modeId == internal::kIntraBlockMode) {
            wait_intra_block(pipe, flagId, site);
            return;
        }
#endif
        internal::WaitCross(flagId, site);
    }
}

template <uint8_t modeId, pipe_t pipe>
inline void NotifyEvent(uint16_t flagId, sktwin::Site site = sktwin::Site::Here()) {
    CrossCoreSetFlag<modeId, pipe>(flagId, site);
}

template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
inline void WaitEvent(uint16_t flagId, sktwin::Site site = sktwin::Site::Here()) {
    CrossCoreWaitFlag<modeId, pipe>(flagId, site);
}

struct SyncAllConfig {
    pipe_t triggerPipe;
    pipe_t waitPipe;
};
constexpr SyncAllConfig DEFAULT_SYNC_ALL_CONFIG = {PIPE_ALL, PIPE_ALL};

namespace internal {

// The word of section 3.8 that block 0 of a kind shows to the cores which the sub-kernel does not use.
constexpr int kFeedIndexShift = 32;
constexpr int kFeedTypeShift = 16;
constexpr int kFeedEndShift = 8;

inline void PublishFeedWord(bool vectorsOnly, bool end, sktwin::Site site) {
    if (!g_superKernelAutoSyncAllEnable.Read(site)) {
        return;
    }
    if (!end) {
        g_superKernelAutoSyncAllSyncIdx = g_superKernelAutoSyncAllSyncIdx + 1;
    }
    if (GetBlockIdx() != 0) {
        return;
    }
    const uint64_t word = static_cast<uint64_t>(g_superKernelAutoSyncAllSyncIdx) << kFeedIndexShift |
                          static_cast<uint64_t>(vectorsOnly) << kFeedTypeShift |
                          static_cast<uint64_t>(end) << kFeedEndShift;
    const GM_ADDR line = g_superKernelAutoSyncAllConfigGmAddr;
    *reinterpret_cast<volatile uint64_t*>(sktwin::GlobalAccess(line, sizeof(word), true, site)) = word;
    dcci(line, SINGLE_CACHE_LINE, CACHELINE_OUT, site);
}

inline void SyncVectors(sktwin::Site site, FlagUse use) {
    SetCross(PIPE_MTE3, 0, SYNC_AIV_ONLY_ALL, site, use);
    WaitCross(SYNC_AIV_ONLY_ALL, site, use);
}

// AIVs of a group -> AIC -> all AICs -> AIVs, with cross-core flags all the way.
inline void SyncAllByCrossFlags(sktwin::Site site, FlagUse use) {
    if (g_coreType == AIV) {
        SetCross(PIPE_MTE3, 2, SYNC_AIV_FLAG, site, use);
        WaitCross(SYNC_AIC_AIV_FLAG, site, use);
        return;
    }
    WaitCross(SYNC_AIV_FLAG, site, use);
    SetCross(PIPE_FIX, 0, SYNC_AIC_FLAG, site, use);
    WaitCross(SYNC_AIC_FLAG, site, use);
    SetCross(PIPE_MTE3, 2, SYNC_AIC_AIV_FLAG, site, use);
}

#if __NPU_ARCH__ == 3510
inline void SyncAllByIntraFlags(sktwin::Site site, FlagUse use) {
    if (g_coreType == AIV) {
        sktwin::IntraBlockSet(SYNC_AIV_FLAG, site, use);
        sktwin::IntraBlockWait(SYNC_AIC_AIV_FLAG, site, use);
        return;
    }
    sktwin::IntraBlockWait(SYNC_AIV_FLAG, site, use);
    sktwin::IntraBlockWait(SYNC_AIV_FLAG + kSecondVector, site, use);
    SetCross(PIPE_FIX, 0, SYNC_AIC_FLAG, site, use);
    WaitCross(SYNC_AIC_FLAG, site, use);
    sktwin::IntraBlockSet(SYNC_AIC_AIV_FLAG, site, use);
    sktwin::IntraBlockSet(SYNC_AIC_AIV_FLAG + kSecondVector, site, use);
}
#endif

inline void SyncAllHard(bool vectorsOnly, sktwin::Site site, FlagUse use) {
    if (vectorsOnly) {
        // dav-2201 does not test the kind: an AIC that calls it waits for a flag that only AICs could complete.
        if (__NPU_ARCH__ != 3510 || g_coreType == AIV) {
            SyncVectors(site, use);
        }
        return;
    }
#if __NPU_ARCH__ == 3510 && !(defined(__MIX_CORE_AIC_RATION__) && __MIX_CORE_AIC_RATION__ == 1)
    SyncAllByIntraFlags(site, use);
#else
    SyncAllByCrossFlags(site, use);
#endif
}

}  // namespace internal

// All AIVs (true), or all AICs and AIVs (false), of the launch.
template <bool isAIVOnly = true, const SyncAllConfig& config = DEFAULT_SYNC_ALL_CONFIG>
inline void SyncAll(sktwin::Site site = sktwin::Site::Here()) {
#ifdef __ASCENDC_SUPERKERNEL_AUTO_SYNC_ALL__
    internal::PublishFeedWord(isAIVOnly, false, site);
#endif
    pipe_barrier(PIPE_ALL);
    if (!isAIVOnly || g_coreType == AIV) {
        sktwin::NoteFullSync(isAIVOnly ? sktwin::FullSync::kVectors : sktwin::FullSync::kAll, site);
    }
    internal::SyncAllHard(isAIVOnly, site, sktwin::FlagUse::kSyncAll);
}

}  // namespace AscendC
