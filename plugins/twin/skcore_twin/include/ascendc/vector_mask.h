// Licensed under the Apache License, Version 2.0.
//
// The vector mask and the mode registers of the vector unit (spec ascendc_vector.md 1.5, 2.1).
#pragma once

#include "ascendc/vector_engine.h"

namespace AscendC {

template <typename T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow, sktwin::Site site = sktwin::Site::Here()) {
    sktwin::WriteMask(maskLow, maskHigh);
    sktwin::Self().changed.mask = site;
}
template <typename T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(int32_t length, sktwin::Site site = sktwin::Site::Here()) {
    if constexpr (mode == MaskMode::COUNTER) {
        sktwin::WriteMask(static_cast<uint32_t>(length), 0);
    } else {
        sktwin::ExpandMask(static_cast<uint32_t>(length), sktwin::kLanes<T>);
    }
    sktwin::Self().changed.mask = site;
}
inline void SetMaskCount(sktwin::Site site = sktwin::Site::Here()) {
    sktwin::Self().registers.maskCounter = true;
    sktwin::Self().changed.maskMode = site;
}
inline void SetMaskNorm() { sktwin::Self().registers.maskCounter = false; }
inline void ResetMask() { sktwin::WriteMask(~0ull, ~0ull); }

// FLOAT: half results clamp instead of becoming infinite. CAST: casts to integers clamp (true) or keep the low bits.
template <SaturationMode mode>
void SetSaturationFlag(bool enable, sktwin::Site site = sktwin::Site::Here()) {
    uint64_t& state = sktwin::Self().registers.scratch[sktwin::kScratchSaturation];
    constexpr uint64_t kBit = mode == SaturationMode::FLOAT ? 1 : 2;
    const bool set = mode == SaturationMode::FLOAT ? enable : !enable;
    state = set ? state | kBit : state & ~kBit;
    sktwin::Self().changed.saturation = site;
}

inline void SetDeqScale(half scale) { sktwin::Self().registers.dequantScale = scale.bits; }
// Packs {scale, offset, sign mode} as the register holds them.
inline uint64_t PackDeqScale(float scale, int16_t offset, bool signMode) {
    return __builtin_bit_cast(uint32_t, scale) | (static_cast<uint64_t>(offset) & 0x1ffull) << 37 |
           static_cast<uint64_t>(signMode) << 46;
}
inline void SetDeqScale(float scale, int16_t offset, bool signMode) {
    sktwin::Self().registers.dequantScale = PackDeqScale(scale, offset, signMode);
}
// The register then holds the address of 16 such words, in units of 32 bytes.
template <typename T>
void SetDeqScale(const LocalTensor<T>& vdeq, const VdeqInfo& info, sktwin::Site site = sktwin::Site::Here()) {
    const auto operand = sktwin::OperandOf(vdeq, 1, 8, site);
    if (!operand) {
        return;
    }
    for (int i = 0; i < 16; ++i) {
        const uint64_t word = PackDeqScale(info.vdeqScale[i], info.vdeqOffset[i], info.vdeqSignMode[i]);
        memcpy(operand.At(i * 8, 8), &word, 8);
    }
    sktwin::Self().registers.dequantScale = vdeq.GetByteOffset() >> 5;
}

}  // namespace AscendC
