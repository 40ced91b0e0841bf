// Licensed under the Apache License, Version 2.0.
//
// System variables: spec device sections 1.2 and 1.5.
#pragma once

#include <cstdint>

#include "ascendc/block_local.h"
#include "ascendc/intrinsics.h"
#include "ascendc/qualifiers.h"
#include "sktwin/device.h"
#include "sktwin/machine.h"

namespace AscendC {

inline int64_t GetSubBlockIdx() { return g_coreType == AIC ? 0 : sktwin::Self().subBlockIdx; }
inline int64_t GetTaskRatio() { return g_coreType == AIC ? 1 : get_subblockdim(); }
inline int64_t GetTaskRation() { return GetTaskRatio(); }
inline int64_t GetSubBlockNum() { return GetTaskRatio(); }

inline int64_t GetBlockIdxImpl() {
    const sktwin::Core& core = sktwin::Self();
    return g_coreType == AIC ? core.blockIdx : int64_t(core.blockIdx) * core.subBlockDim + core.subBlockIdx;
}
inline int64_t GetBlockIdx() { return GetBlockIdxImpl(); }

// Inside a SuperKernel the blocks of the sub-kernel, not of the launch.
inline int64_t GetBlockNum([[maybe_unused]] sktwin::Site site = sktwin::Site::Here()) {
#if defined(__SUPER_KERNEL_STATIC_BLOCK_NUM__)
    return __SUPER_KERNEL_STATIC_BLOCK_NUM__;
#elif defined(__SUPER_KERNEL_DYNAMIC_BLOCK_NUM__)
    return g_super_kernel_dynamic_block_num.Read(site);
#else
    return sktwin::Self().blockNum;
#endif
}

inline int64_t GetSystemCycle() { return get_sys_cnt(); }
inline int64_t GetProgramCounter() { return reinterpret_cast<int64_t>(__builtin_return_address(0)); }
inline void GetArchVersion(uint32_t& version) { version = __NPU_ARCH__ == 3510 ? 0x310 : 0x220; }

inline void PreLoad(int64_t) {}
inline void ICachePreLoad(int64_t) {}
inline int64_t GetICachePreloadStatus() { return 0; }

[[noreturn]] inline void Trap(sktwin::Site site = sktwin::Site::Here()) {
    sktwin::Fault("trap", site, "the kernel called Trap");
}

inline void SetSysWorkspace(GM_ADDR workspace) {
    sktwin::Self().registers.scratch[sktwin::kScratchSystemWorkspace] = reinterpret_cast<uint64_t>(workspace);
}
inline void SetSysWorkSpace(GM_ADDR workspace) { SetSysWorkspace(workspace); }

inline GM_ADDR GetSysWorkSpacePtr() {
    const uint64_t given = sktwin::Self().registers.scratch[sktwin::kScratchSystemWorkspace];
    return given != 0 ? reinterpret_cast<GM_ADDR>(given) : sktwin::SystemWorkspace();
}

// The user's part follows the system's 16 MiB: spec device section 7.2.
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) {
    return workspace == nullptr ? nullptr : workspace + sktwin::kSystemWorkspaceBytes;
}

// Back to what a kernel may rely on, whatever ran on this core before: spec device section 2.4.
inline void InitSocState() {
    sktwin::Registers& registers = sktwin::Self().registers;
    registers.atomicOperation = 0;
    registers.maskCounter = false;
    if (g_coreType == AIV) {
        registers.mask[0] = ~0ULL;
        registers.mask[1] = ~0ULL;
    } else {
        registers.padValue = 0;
        registers.scratch[sktwin::kScratchPaddingOfL1] = 0;
        registers.scratch[sktwin::kScratchImage3d] = 0;
    }
#if __NPU_ARCH__ == 3510
    constexpr uint64_t kKeptControlBit = 1ULL << 48;
    constexpr uint64_t kUnitScale = 0x3F800000ULL;
    registers.ctrl &= kKeptControlBit;
    for (auto& loops : registers.copyLoops) {
        loops[0] = loops[1] = 1;
    }
    registers.scratch[sktwin::kScratchVectorModes] &= 1;
    registers.dequantScale = kUnitScale;
#endif
}

}  // namespace AscendC
