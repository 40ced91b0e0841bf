// Licensed under the Apache License, Version 2.0.
//
// Where positions live on a core, and the checks on local addresses that all groups of the API share.
#pragma once

#include <cstdint>

#include "ascendc/types.h"
#include "sktwin/device.h"
#include "sktwin/machine.h"

namespace sktwin {

#if __NPU_ARCH__ == 3510
inline constexpr bool kChip3510 = true;
#else
inline constexpr bool kChip3510 = false;
#endif

// A call that names a unit that this kind of core lacks does nothing.
#if defined(__DAV_CUBE__)
inline constexpr bool kHasVectorUnit = false;
inline constexpr bool kHasCubeUnit = true;
#elif defined(__DAV_VEC__)
inline constexpr bool kHasVectorUnit = true;
inline constexpr bool kHasCubeUnit = false;
#else
inline constexpr bool kHasVectorUnit = true;
inline constexpr bool kHasCubeUnit = true;
#endif

// Slots of Registers.scratch used by the vector and data movement headers.
inline constexpr int kScratchSaturation = kScratchVectorModes;  // bit 0: half results saturate; bit 1: casts to integers keep low bits
inline constexpr int kScratchPadL1 = 1;        // pad value of copies to L1
inline constexpr int kScratchMergeCounts = 2;  // records taken from each list by the last MrgSort, 16 bits each

constexpr Memory MemoryOf(AscendC::TPosition position) {
    using AscendC::TPosition;
    switch (position) {
        case TPosition::A1:
        case TPosition::B1:
        case TPosition::C1:
        case TPosition::TSCM:
        case TPosition::SPM:
            return Memory::kL1;
        case TPosition::A2:
            return Memory::kL0a;
        case TPosition::B2:
            return Memory::kL0b;
        case TPosition::CO1:
            return Memory::kL0c;
        case TPosition::C2:
            return Memory::kBias;
        case TPosition::C2PIPE2GM:
            return Memory::kFixpipe;
        case TPosition::VECIN:
        case TPosition::VECOUT:
        case TPosition::VECCALC:
            return Memory::kUb;
        default:
            return Memory::kCount;
    }
}

constexpr const char* MemoryName(Memory memory) {
    constexpr const char* kNames[] = {"UB", "L1", "L0A", "L0B", "L0C", "BT", "FB",
                                      "L0A_MX", "L0B_MX", "no local memory"};
    return kNames[static_cast<int>(memory)];
}

constexpr AscendC::TPosition PositionOf(AscendC::Hardware hardware) {
    using AscendC::Hardware;
    using AscendC::TPosition;
    constexpr TPosition kPositions[] = {TPosition::GM, TPosition::VECCALC,   TPosition::A1,
                                        TPosition::A2, TPosition::B2,        TPosition::CO1,
                                        TPosition::C2, TPosition::C2PIPE2GM, TPosition::MAX};
    return kPositions[static_cast<int>(hardware)];
}

inline uint32_t LocalSize(Memory memory) {
    return memory == Memory::kCount ? 0 : Self().localSize[static_cast<int>(memory)];
}

// Bytes taken by `count` elements; a count of 4-bit elements is rounded up to whole bytes.
template <typename T>
constexpr uint64_t BytesOf(uint64_t count) {
    return (count * kElementBits<T> + 7) / 8;
}

template <typename T>
constexpr uint64_t ElementsIn(uint64_t bytes) {
    return bytes * 8 / kElementBits<T>;
}

// Stops when [offset, offset + bytes) leaves the memory. A core without the memory holds tensors of it but never uses
// them, so nothing is checked there.
inline void CheckLocalRange(Memory memory, uint64_t offset, uint64_t bytes, Site site) {
    const uint32_t size = LocalSize(memory);
    if (size != 0 && offset + bytes > size) {
        Fault("local-memory-size", site,
              "bytes [%llu, %llu) of %s are used, which has %u bytes on this core; use smaller "
              "buffers or fewer of them",
              static_cast<unsigned long long>(offset), static_cast<unsigned long long>(offset + bytes),
              MemoryName(memory), size);
    }
}

inline void CheckLocalAlignment(Memory memory, uint64_t offset, uint32_t alignment, Site site) {
    if (offset % alignment != 0) {
        Fault("local-memory-alignment", site,
              "the operand starts at byte %llu of %s, which is not a multiple of %u; the "
              "device raises an address exception here",
              static_cast<unsigned long long>(offset), MemoryName(memory), alignment);
    }
}

}  // namespace sktwin
