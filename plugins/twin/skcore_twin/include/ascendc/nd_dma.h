// Licensed under the Apache License, Version 2.0.
//
// ND-DMA of dav-3510 (spec ascendc_data_cube.md 6.7): a copy of up to five axes from global memory into UB, with own
// strides on both sides and padding at both ends of each axis.
#pragma once

#include "ascendc/copy_engine.h"

#if __NPU_ARCH__ == 3510
namespace AscendC {

// Axis 0 is the innermost one; strides and sizes are in elements.
template <uint8_t dim>
struct NdDmaLoopInfo {
    static_assert(dim >= 1 && dim <= 5, "NdDmaLoopInfo: one to five axes");
    uint64_t loopSrcStride[dim] = {};
    uint32_t loopDstStride[dim] = {};
    uint32_t loopSize[dim] = {};
    uint8_t loopLpSize[dim] = {};
    uint8_t loopRpSize[dim] = {};
};

template <typename T, uint8_t dim>
struct NdDmaParams {
    NdDmaLoopInfo<dim> loopInfo;
    T constantValue = T(0);
};

struct NdDmaConfig {
    static constexpr uint16_t unsetPad = 0xffff;  // the pads of the parameters count
    bool isNearestValueMode = false;
    uint16_t loopLpSize = unsetPad;
    uint16_t loopRpSize = unsetPad;
    bool ascOptimize = false;
};
inline constexpr NdDmaConfig kDefaultNdDmaConfig = {};

namespace detail {

// One axis of a transfer: `extent` places, of which the ones from `left` on for `size` have data.
struct NdDmaAxis {
    uint64_t sourceStride;
    uint64_t targetStride;
    uint64_t size;
    uint64_t left;
    uint64_t extent;
};

template <uint8_t dim>
NdDmaAxis NdDmaAxisOf(const NdDmaLoopInfo<dim>& info, const NdDmaConfig& config, uint8_t at) {
    const uint64_t left = config.loopLpSize == NdDmaConfig::unsetPad ? info.loopLpSize[at] : config.loopLpSize;
    const uint64_t right = config.loopRpSize == NdDmaConfig::unsetPad ? info.loopRpSize[at] : config.loopRpSize;
    return {info.loopSrcStride[at], info.loopDstStride[at], info.loopSize[at], left, left + info.loopSize[at] + right};
}

}  // namespace detail

template <typename T, uint8_t dim, const NdDmaConfig& config = kDefaultNdDmaConfig>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const NdDmaParams<T, dim>& params,
              sktwin::Site site = sktwin::Site::Here()) {
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                  "DataCopy with NdDmaParams: elements of 1, 2, 4 or 8 bytes");
    static_assert(sizeof(T) != 8 || !config.isNearestValueMode,
                  "DataCopy with NdDmaParams: elements of 8 bytes have no nearest-value mode");
    sktwin::CheckPath(dst.GetMemory() == sktwin::Memory::kUb, "DataCopy with NdDmaParams", dst.GetMemory(), site);
    detail::NdDmaAxis axes[dim];
    uint64_t count = 1;
    uint64_t last = 0;
    for (uint8_t at = 0; at < dim; ++at) {
        axes[at] = detail::NdDmaAxisOf(params.loopInfo, config, at);
        if (axes[at].size == 0) {
            return;
        }
        count *= axes[at].extent;
        last += (axes[at].extent - 1) * axes[at].targetStride;
    }
    uint8_t* target = sktwin::LocalBytes(dst, (last + 1) * sizeof(T), site);
    for (uint64_t index = 0; target != nullptr && index < count; ++index) {
        uint64_t left = index;
        uint64_t from = 0;
        uint64_t to = 0;
        bool inside = true;
        for (const detail::NdDmaAxis& axis : axes) {
            const uint64_t place = left % axis.extent;
            left /= axis.extent;
            to += place * axis.targetStride;
            inside = inside && place >= axis.left && place < axis.left + axis.size;
            const uint64_t nearest = place < axis.left                ? 0
                                     : place >= axis.left + axis.size ? axis.size - 1
                                                                      : place - axis.left;
            from += nearest * axis.sourceStride;
        }
        T value = params.constantValue;
        if (inside || config.isNearestValueMode) {
            std::memcpy(&value, sktwin::GlobalAccess(src.GetPhyAddr() + from, sizeof(T), false, site), sizeof(T));
        }
        std::memcpy(target + to * sizeof(T), &value, sizeof(T));
    }
}

// The twin's copies see all of global memory.
inline void NdDmaDci() {}

}  // namespace AscendC
#endif
