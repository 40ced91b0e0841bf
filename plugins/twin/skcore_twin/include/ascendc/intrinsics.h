// Licensed under the Apache License, Version 2.0.
//
// Device builtins in the global namespace: the ones that generated SuperKernel source and kernels name directly.
// Instructions execute at issue, so what only orders pipes has nothing left to do; flags are real.
#pragma once

#include <cstdint>

#include "ascendc/qualifiers.h"
#include "sktwin/device.h"
#include "sktwin/machine.h"

enum pipe_t : uint8_t {
    PIPE_S = 0,
    PIPE_V = 1,
    PIPE_M = 2,
    PIPE_MTE1 = 3,
    PIPE_MTE2 = 4,
    PIPE_MTE3 = 5,
    PIPE_ALL = 6,
    PIPE_MTE4 = 7,
    PIPE_MTE5 = 8,
    PIPE_V2 = 9,
    PIPE_FIX = 10,
};

enum event_t : int8_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

enum cache_line_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE = 1 };
enum dcci_dst_t { CACHELINE_ALL = 0, CACHELINE_UB = 1, CACHELINE_OUT = 2, CACHELINE_ATOMIC = 3 };
enum mem_dsb_t { DSB_ALL = 0, DSB_DDR = 1, DSB_UB = 2, DSB_SEQ = 3 };

// --- who am I -----------------------------------------------------------------------------------------------------

namespace sktwin {

// A SuperKernel has other blocks than its sub-kernels: their compilation refuses these (spec device section 1.5).
inline const Core& RawIdentity(const char* name, const char* instead, Site site) {
    const Core& core = Self();
    if (core.inSubKernel) {
        Fault("raw-block-intrinsic", site, "%s gives what belongs to the SuperKernel, not to the sub-kernel: use %s",
              name, instead);
    }
    return core;
}

}  // namespace sktwin

inline int64_t get_block_idx(sktwin::Site site = sktwin::Site::Here()) {
    return sktwin::RawIdentity("get_block_idx", "AscendC::GetBlockIdx()", site).blockIdx;
}
inline int64_t get_block_num(sktwin::Site site = sktwin::Site::Here()) {
    return sktwin::RawIdentity("get_block_num", "AscendC::GetBlockNum()", site).blockNum;
}
inline int64_t get_subblockid(sktwin::Site site = sktwin::Site::Here()) {
    return sktwin::RawIdentity("get_subblockid", "AscendC::GetSubBlockIdx()", site).subBlockIdx;
}
inline int64_t get_subblockdim() { return sktwin::Self().subBlockDim; }
inline int64_t get_coreid() { return sktwin::Self().coreId; }
inline uint64_t* get_para_base() { return sktwin::Self().paraBase; }
inline int64_t get_sys_cnt() { return static_cast<int64_t>(sktwin::SystemCounter()); }

// --- cross-core flags ---------------------------------------------------------------------------------------------

// Only whether it was given matters: the counters are the runtime's.
inline void set_ffts_base_addr(uint64_t address, sktwin::Site site = sktwin::Site::Here()) {
    if (address == 0) {
        sktwin::Fault("ffts-address", site, "set_ffts_base_addr got 0: the first argument word must be the address of "
                      "the synchronisation block");
    }
}

// The message holds bit 0 valid, bits 4-5 mode, bits 8-11 flag: spec device section 3.1.
inline void ffts_cross_core_sync(pipe_t, uint64_t message, sktwin::Site site = sktwin::Site::Here()) {
    if ((message & 1) == 0) {
        sktwin::Fault("flag-message", site, "message 0x%llx of ffts_cross_core_sync has no valid bit",
                      static_cast<unsigned long long>(message));
    }
    sktwin::CrossCoreSet(static_cast<int>(message >> 4 & 3), static_cast<int>(message >> 8 & 15), site);
}

#if __NPU_ARCH__ == 3510
inline void wait_flag_dev(pipe_t, int64_t flag, sktwin::Site site = sktwin::Site::Here()) {
    sktwin::CrossCoreWait(static_cast<int>(flag), site);
}
// dav-3510 waits on one pipe: wait_flag_dev(pipe, id).
void wait_flag_dev(int64_t flag) = delete;

inline void set_intra_block(pipe_t, int64_t flag, sktwin::Site site = sktwin::Site::Here()) {
    sktwin::IntraBlockSet(static_cast<int>(flag), site);
}
inline void wait_intra_block(pipe_t, int64_t flag, sktwin::Site site = sktwin::Site::Here()) {
    sktwin::IntraBlockWait(static_cast<int>(flag), site);
}
#else
inline void wait_flag_dev(int64_t flag, sktwin::Site site = sktwin::Site::Here()) {
    sktwin::CrossCoreWait(static_cast<int>(flag), site);
}
// dav-2201 stops the whole core: wait_flag_dev(id).
void wait_flag_dev(pipe_t pipe, int64_t flag) = delete;
#endif

// --- events of one core -------------------------------------------------------------------------------------------

inline void set_flag(pipe_t source, pipe_t target, int64_t event, sktwin::Site site = sktwin::Site::Here()) {
    uint32_t& bits = sktwin::Self().events[source][target];
    if (event < 0 || event > 7) {
        sktwin::Fault("event-id", site, "event id %lld is not in 0..7", static_cast<long long>(event));
    }
    if ((bits >> event & 1) != 0) {
        sktwin::Fault("event-double-set", site,
                      "event %lld from pipe %d to pipe %d is set and nobody has waited for it since: pair each SetFlag "
                      "with one WaitFlag", static_cast<long long>(event), source, target);
    }
    bits |= 1U << event;
}

inline void wait_flag(pipe_t source, pipe_t target, int64_t event, sktwin::Site site = sktwin::Site::Here()) {
    uint32_t& bits = sktwin::Self().events[source][target];
    if (event < 0 || event > 7) {
        sktwin::Fault("event-id", site, "event id %lld is not in 0..7", static_cast<long long>(event));
    }
    if ((bits >> event & 1) == 0) {
        sktwin::Fault("event-wait-without-set", site,
                      "event %lld from pipe %d to pipe %d was not set: the device would wait for ever",
                      static_cast<long long>(event), source, target);
    }
    bits &= ~(1U << event);
}

inline void pipe_barrier(pipe_t pipe) {
    if (pipe == PIPE_ALL) {
        sktwin::Self().pipeUnsettled = false;
    }
}
inline void dsb(mem_dsb_t) {}

// --- caches -------------------------------------------------------------------------------------------------------

// Cleaning or dropping a line is what every polling loop does, so other cores get their turn here.
inline void dcci(const volatile void* address, int64_t scope, int64_t destination,
                 sktwin::Site site = sktwin::Site::Here()) {
    if (scope == SINGLE_CACHE_LINE && destination != CACHELINE_UB) {
        sktwin::NoteFlush(const_cast<const void*>(address), site);
        sktwin::GlobalAccess(const_cast<const void*>(address), 1, false, site);
    }
    sktwin::Yield(site);
}
inline void dcci(const volatile void* address, int64_t scope, sktwin::Site site = sktwin::Site::Here()) {
    dcci(address, scope, CACHELINE_ALL, site);
}

[[noreturn]] inline void trap(sktwin::Site site = sktwin::Site::Here()) {
    sktwin::Fault("trap", site, "the code called trap");
}

inline void preload(const void*, int64_t) {}
inline void preload(const void*) {}
inline void dc_preload(const volatile void*, int64_t) {}
inline int64_t get_icache_prl_st() { return 0; }
