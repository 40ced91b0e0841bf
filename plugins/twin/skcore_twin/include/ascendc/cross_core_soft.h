// Licensed under the Apache License, Version 2.0.
//
// Synchronisation between AIVs through global memory, for launches without a sync engine: spec device sections 3.5
// and 3.6. Only transfers are used, never the data cache.
#pragma once

#include <cstdint>
#include <cstring>

#include "ascendc/cross_core.h"
#include "ascendc/tensor.h"

namespace AscendC {

namespace internal {

constexpr uint32_t kSlotBytes = 32;
constexpr uint32_t kSlotWords = kSlotBytes / sizeof(int32_t);

// One word of global memory that other cores read: a transfer of its whole slot.
inline int32_t LoadSlot(const int32_t* slot, sktwin::Site site) {
    int32_t value;
    std::memcpy(&value, sktwin::GlobalAccess(slot, kSlotBytes, false, site), sizeof(value));
    return value;
}

inline void StoreSlot(int32_t* slot, int32_t value, sktwin::Site site) {
    std::memcpy(sktwin::GlobalAccess(slot, kSlotBytes, true, site), &value, sizeof(value));
}

inline void RequireUb(const LocalTensor<int32_t>& ub, uint64_t bytes, const char* api, sktwin::Site site) {
    const uint64_t given = static_cast<uint64_t>(ub.GetSize()) * sizeof(int32_t);
    if (given < bytes) {
        sktwin::Fault("soft-sync-workspace", site, "%s needs %llu bytes of UB workspace and got %llu", api,
                      static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(given));
    }
}

inline int64_t SoftBlockIdx(bool vectorsOnly) {
#ifndef __ASCENDC_ENABLE_SUPER_KERNEL__
    if (vectorsOnly) {
        return sktwin::Self().blockIdx;
    }
#endif
    static_cast<void>(vectorsOnly);
    return GetBlockIdx();
}

inline int32_t* IbSlot(const GlobalTensor<int32_t>& gm, bool vectorsOnly, int32_t blockIdx, int32_t eventId) {
    const int64_t cores = vectorsOnly ? GetBlockNum() : 2 * GetBlockNum();
    return const_cast<int32_t*>(gm.GetPhyAddr()) + cores * kSlotWords * eventId + blockIdx * kSlotWords;
}

// No value that a workspace holds by chance.
constexpr int32_t kTurnToken = 0x5C0A11E5;

inline int32_t* TurnSlot(const GlobalTensor<int32_t>& gm, int64_t block) {
    return const_cast<int32_t*>(gm.GetPhyAddr()) + block * kSlotWords;
}

}  // namespace internal

// The slots of `gmWorkspace`, one of 32 bytes a core, must be zero before the kernel; the AIC takes no part.
template <bool isAIVOnly = true>
inline void SyncAll(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace,
                    const int32_t usedCores = 0, sktwin::Site site = sktwin::Site::Here()) {
    if (g_coreType == AIC) {
        return;
    }
    const int64_t launched = isAIVOnly ? GetBlockNum() : GetTaskRatio() * GetBlockNum();
    const int64_t cores = usedCores != 0 ? usedCores : launched;
    internal::RequireUb(ubWorkspace, cores * internal::kSlotBytes, "SyncAll", site);
    if (usedCores == 0) {
        sktwin::NoteFullSync(sktwin::FullSync::kVectorsInSoftware, site);
    }
    int32_t* slots = const_cast<int32_t*>(gmWorkspace.GetPhyAddr());
    int32_t* own = slots + internal::SoftBlockIdx(isAIVOnly) * internal::kSlotWords;
    const int32_t round = internal::LoadSlot(own, site) + 1;
    internal::StoreSlot(own, round, site);
    for (;;) {
        const uint8_t* all = sktwin::GlobalAccess(slots, cores * internal::kSlotBytes, false, site);
        int64_t sum = 0;
        for (int64_t i = 0; i < cores; ++i) {
            int32_t value;
            std::memcpy(&value, all + i * internal::kSlotBytes, sizeof(value));
            sum += value;
        }
        // Others may be one round ahead already.
        if (sum >= cores * round) {
            return;
        }
        // The first round repairs an own slot that somebody cleared late.
        if (round == 1) {
            internal::StoreSlot(own, round, site);
        }
        sktwin::Yield(site);
    }
}

// Tells the core that waits for (blockIdx, eventID); waits until the previous notice was taken.
template <bool isAIVOnly = true>
inline void IBSet(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>&, int32_t blockIdx,
                  int32_t eventID, sktwin::Site site = sktwin::Site::Here()) {
    if (g_coreType == AIC) {
        return;
    }
    int32_t* slot = internal::IbSlot(gmWorkspace, isAIVOnly, blockIdx, eventID);
    while (internal::LoadSlot(slot, site) != 0) {
        sktwin::Yield(site);
    }
    internal::StoreSlot(slot, 1, site);
}

template <bool isAIVOnly = true>
inline void IBWait(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>&, int32_t blockIdx,
                   int32_t eventID, sktwin::Site site = sktwin::Site::Here()) {
    if (g_coreType == AIC) {
        return;
    }
    int32_t* slot = internal::IbSlot(gmWorkspace, isAIVOnly, blockIdx, eventID);
    while (internal::LoadSlot(slot, site) != 1) {
        sktwin::Yield(site);
    }
    internal::StoreSlot(slot, 0, site);
}

// A chain in ascending block order: block i goes on after block i - 1 has called NotifyNextBlock, block 0 first.
inline void InitDetermineComputeWorkspace(const GlobalTensor<int32_t>& gmWorkspace,
                                          const LocalTensor<int32_t>& ubWorkspace,
                                          sktwin::Site site = sktwin::Site::Here()) {
    if (g_coreType == AIC) {
        return;
    }
    internal::RequireUb(ubWorkspace, (GetBlockNum() + 1) * internal::kSlotBytes, "InitDetermineComputeWorkspace", site);
    if (GetBlockIdx() == 0) {
        internal::StoreSlot(internal::TurnSlot(gmWorkspace, 0), internal::kTurnToken, site);
    }
}

inline void WaitPreBlock(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>&,
                         sktwin::Site site = sktwin::Site::Here()) {
    if (g_coreType == AIC) {
        return;
    }
    int32_t* slot = internal::TurnSlot(gmWorkspace, GetBlockIdx());
    while (internal::LoadSlot(slot, site) != internal::kTurnToken) {
        sktwin::Yield(site);
    }
    internal::StoreSlot(slot, 0, site);
}

inline void NotifyNextBlock(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>&,
                            sktwin::Site site = sktwin::Site::Here()) {
    if (g_coreType == AIC) {
        return;
    }
    const int64_t next = (GetBlockIdx() + 1) % GetBlockNum();
    internal::StoreSlot(internal::TurnSlot(gmWorkspace, next), internal::kTurnToken, site);
}

}  // namespace AscendC
