// Licensed under the Apache License, Version 2.0.
//
// Mask registers: creation and bitwise operations (spec ascendc_vector.md 12.3).
#pragma once

#include "ascendc/reg_types.h"

namespace sktwin::reg {

// Bits of a mask taken or placed one by one.
template <typename F>
MaskReg MaskOfBits(const F& isSet) {
    return MaskOfLanes(kRegisterBytes, isSet);
}

// `bits` as one lane each of elements that are `width` bytes wide.
inline MaskReg SpreadBits(const uint8_t* bits, uint32_t width) {
    return MaskOfBits([&](uint32_t bit) {
        const uint32_t lane = bit / width;
        return (bits[lane / 8] >> (lane % 8) & 1) != 0;
    });
}

template <typename F>
void MapMask(const F& operation, MaskReg& dst, const MaskReg& src0, const MaskReg& src1, const MaskReg& mask) {
    for (uint32_t i = 0; i < 4; ++i) {
        dst.bits[i] = operation(src0.bits[i], src1.bits[i]) & mask.bits[i];
    }
}

}  // namespace sktwin::reg

namespace AscendC::Reg {

template <typename T, MaskPattern mode = MaskPattern::ALL, const RegTrait& regTrait = RegTraitNumOne>
MaskReg CreateMask() {
    static_assert(sktwin::reg::kHasRegisters<T>, "");
    constexpr uint32_t kN = sktwin::reg::kCount<T, regTrait>;
    return sktwin::reg::MaskOfLanes(kN, [](uint32_t i) {
        constexpr uint32_t kFirst[] = {0, 1, 2, 3, 4, 8, 16, 32, 64, 128};
        switch (mode) {
            case MaskPattern::ALL:
                return true;
            case MaskPattern::M3:
                return i % 3 == 0;
            case MaskPattern::M4:
                return i % 4 == 0;
            case MaskPattern::H:
                return i < kN / 2;
            case MaskPattern::Q:
                return i < kN / 4;
            case MaskPattern::ALLF:
                return false;
            default:
                return i < kFirst[static_cast<int>(mode) % 10];
        }
    });
}

// The first min(n, lanes) lanes; n becomes what is left.
template <typename T, const RegTrait& regTrait = RegTraitNumOne>
MaskReg UpdateMask(uint32_t& n) {
    static_assert(sktwin::reg::kHasRegisters<T>, "");
    constexpr uint32_t kN = sktwin::reg::kCount<T, regTrait>;
    const uint32_t active = n < kN ? n : kN;
    n -= active;
    return sktwin::reg::MaskOfLanes(kN, [active](uint32_t i) { return i < active; });
}

// The mask of the memory-based instructions.
template <typename T>
MaskReg MoveMask() {
    static_assert(sktwin::reg::kHasRegisters<T>, "");
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "Reg::MoveMask: takes 16- and 32-bit element types only");
    uint8_t bits[16];
    memcpy(bits, sktwin::Self().registers.mask, sizeof(bits));
    return sktwin::reg::SpreadBits(bits, sizeof(T));
}

// One chunk of the register, a bit a lane.
template <typename T, int16_t offset, typename E, const RegTrait& trait>
void MaskGenWithRegTensor(MaskReg& dst, const RegTensor<E, trait>& src) {
    static_assert(sizeof(T) == 2 || sizeof(T) == 4,
                  "Reg::MaskGenWithRegTensor: takes 16- and 32-bit element types only");
    constexpr int kBytes = 32 / static_cast<int>(sizeof(T));
    static_assert(offset >= 0 && (offset + 1) * kBytes <= 256,
                  "Reg::MaskGenWithRegTensor: the offset names a chunk beyond the register");
    dst = sktwin::reg::SpreadBits(src.reg[0].bytes + offset * kBytes, sizeof(T));
}

inline void And(MaskReg& dst, const MaskReg& src0, const MaskReg& src1, const MaskReg& mask) {
    sktwin::reg::MapMask([](uint64_t a, uint64_t b) { return a & b; }, dst, src0, src1, mask);
}
inline void Or(MaskReg& dst, const MaskReg& src0, const MaskReg& src1, const MaskReg& mask) {
    sktwin::reg::MapMask([](uint64_t a, uint64_t b) { return a | b; }, dst, src0, src1, mask);
}
inline void Xor(MaskReg& dst, const MaskReg& src0, const MaskReg& src1, const MaskReg& mask) {
    sktwin::reg::MapMask([](uint64_t a, uint64_t b) { return a ^ b; }, dst, src0, src1, mask);
}
inline void Not(MaskReg& dst, const MaskReg& src, const MaskReg& mask) {
    sktwin::reg::MapMask([](uint64_t a, uint64_t) { return ~a; }, dst, src, src, mask);
}
inline void Move(MaskReg& dst, const MaskReg& src, const MaskReg& mask) {
    sktwin::reg::MapMask([](uint64_t a, uint64_t) { return a; }, dst, src, src, mask);
}
inline void Move(MaskReg& dst, const MaskReg& src) { dst = src; }
// Bit by bit src0 where the mask is set, else src1.
inline void Select(MaskReg& dst, const MaskReg& src0, const MaskReg& src1, const MaskReg& mask) {
    for (uint32_t i = 0; i < 4; ++i) {
        dst.bits[i] = (src0.bits[i] & mask.bits[i]) | (src1.bits[i] & ~mask.bits[i]);
    }
}

// Even bits of the source, to one half of the destination; the other half becomes zero.
template <HighLowPart part = HighLowPart::LOWEST>
void Pack(MaskReg& dst, const MaskReg& src) {
    constexpr uint32_t kBase = part == HighLowPart::LOWEST ? 0 : 128;
    dst = sktwin::reg::MaskOfBits([&](uint32_t bit) { return bit / 128 == kBase / 128 && src.Test(2 * (bit % 128)); });
}
// Bits of one half of the source, to even bits of the destination.
template <HighLowPart part = HighLowPart::LOWEST>
void UnPack(MaskReg& dst, const MaskReg& src) {
    constexpr uint32_t kBase = part == HighLowPart::LOWEST ? 0 : 128;
    dst = sktwin::reg::MaskOfBits([&](uint32_t bit) { return bit % 2 == 0 && src.Test(kBase + bit / 2); });
}

// Groups of sizeof(T) bits, as the elements of registers.
template <typename T>
void Interleave(MaskReg& dst0, MaskReg& dst1, const MaskReg& src0, const MaskReg& src1) {
    const MaskReg source[2] = {src0, src1};
    const auto bitOf = [&](uint32_t bit) {
        constexpr uint32_t kWidth = sizeof(T);
        const uint32_t element = bit / kWidth;
        return source[element % 2].Test(element / 2 * kWidth + bit % kWidth);
    };
    dst0 = sktwin::reg::MaskOfBits(bitOf);
    dst1 = sktwin::reg::MaskOfBits([&](uint32_t bit) { return bitOf(256 + bit); });
}
template <typename T>
void DeInterleave(MaskReg& dst0, MaskReg& dst1, const MaskReg& src0, const MaskReg& src1) {
    const MaskReg source[2] = {src0, src1};
    const auto bitOf = [&](uint32_t bit, uint32_t odd) {
        constexpr uint32_t kWidth = sizeof(T);
        const uint32_t from = (2 * (bit / kWidth) + odd) * kWidth + bit % kWidth;
        return source[from / 256].Test(from % 256);
    };
    dst0 = sktwin::reg::MaskOfBits([&](uint32_t bit) { return bitOf(bit, 0); });
    dst1 = sktwin::reg::MaskOfBits([&](uint32_t bit) { return bitOf(bit, 1); });
}

}  // namespace AscendC::Reg
