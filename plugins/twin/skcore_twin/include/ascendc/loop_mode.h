// Licensed under the Apache License, Version 2.0.
//
// Loop mode of dav-3510 (spec ascendc_data_cube.md 6.5): copies of one direction are repeated in two nested loops.
#pragma once

#include "ascendc/copy_params.h"
#include "ascendc/tensor.h"

namespace AscendC {

#if __NPU_ARCH__ == 3510
inline void SetLoopModePara(const LoopModeParams& params, DataCopyMVType type,
                            sktwin::Site site = sktwin::Site::Here()) {
    const bool out = type == DataCopyMVType::UB_TO_OUT;
    const uint64_t inner = out ? params.loop1SrcStride : params.loop1DstStride;
    const uint64_t outer = out ? params.loop2SrcStride : params.loop2DstStride;
    if (inner % ONE_BLK_SIZE != 0 || outer % ONE_BLK_SIZE != 0) {
        sktwin::Fault(
            "data-copy-parameters", site,
            "SetLoopModePara: the strides on the side of UB are %llu and %llu bytes, but must be multiples of 32",
            static_cast<unsigned long long>(inner), static_cast<unsigned long long>(outer));
    }
    auto& loops = sktwin::Self().registers.copyLoops[static_cast<int>(type)];
    loops[0] = params.loop1Size;
    loops[1] = params.loop2Size;
    loops[2] = params.loop1SrcStride;
    loops[3] = params.loop1DstStride;
    loops[4] = params.loop2SrcStride;
    loops[5] = params.loop2DstStride;
}
inline void ResetLoopModePara(DataCopyMVType type) {
    auto& loops = sktwin::Self().registers.copyLoops[static_cast<int>(type)];
    loops[0] = loops[1] = 1;
}
#endif

namespace detail {

// Calls `copy(local, global)` for every round of the loops of this direction, with both moved on.
template <typename T, typename Copy>
void ForEachLoop([[maybe_unused]] DataCopyMVType type, const LocalTensor<T>& local, const GlobalTensor<T>& global,
                 Copy copy) {
#if __NPU_ARCH__ == 3510
    const auto& loops = sktwin::Self().registers.copyLoops[static_cast<int>(type)];
    const bool one = loops[0] <= 1 && loops[1] <= 1;
    if (!one && local.GetMemory() == sktwin::Memory::kUb) {
        const int toLocal = type == DataCopyMVType::OUT_TO_UB ? 1 : 0;
        for (uint64_t outer = 0; outer < loops[1]; ++outer) {
            for (uint64_t inner = 0; inner < loops[0]; ++inner) {
                const auto moved = [&](int side) { return inner * loops[2 + side] + outer * loops[4 + side]; };
                LocalTensor<T> part = local;
                TBuffAddr address = local.GetAddress();
                address.bufferAddr += static_cast<uint32_t>(moved(toLocal));
                part.SetAddr(address);
                GlobalTensor<T> matching;
                matching.SetGlobalBuffer(
                    reinterpret_cast<PrimT<T>*>(reinterpret_cast<uintptr_t>(global.GetPhyAddr()) + moved(1 - toLocal)));
                copy(part, matching);
            }
        }
        return;
    }
#endif
    copy(local, global);
}

}  // namespace detail

}  // namespace AscendC
