// Licensed under the Apache License, Version 2.0.
//
// What the cube's instructions share: checked access to the local memories, and the mode registers that outlive a call
// (ascendc_data_cube.md 2.3, 7.7, 8.4, 9.5). The registers are packed into the core's scratch slots 9 to 14.
#pragma once

#include <cstdint>

#include "ascendc/cube_layout.h"
#include "ascendc/memory.h"
#include "sktwin/device.h"

namespace sktwin::cube {

template <typename T>
inline constexpr uint64_t kC0 = 256 / kElementBits<T>;

// One operand in a local memory. Offsets count from the tensor's start; every access is checked against the memory.
struct LocalOperand {
    Memory memory;
    uint64_t start;  // of the tensor, in bytes from the start of the memory
    const char* api;
    Site site;

    uint8_t* Bytes(int64_t offset, uint64_t bytes) const {
        const int64_t first = static_cast<int64_t>(start) + offset;
        const uint64_t size = LocalSize(memory);
        if (first < 0 || static_cast<uint64_t>(first) + bytes > size) {
            Fault("local-memory-size", site,
                  "%s: bytes [%lld, %lld) of %s are used, which has %llu bytes; check strides, "
                  "repeats and sizes",
                  api, static_cast<long long>(first), static_cast<long long>(first + static_cast<int64_t>(bytes)),
                  MemoryName(memory), static_cast<unsigned long long>(size));
        }
        return Self().local[static_cast<int>(memory)] + first;
    }

    uint8_t* Fractal(int64_t index) const { return Bytes(index * int64_t{kFractalBytes}, kFractalBytes); }
};

constexpr uint32_t AlignmentOf(Memory memory) {
    switch (memory) {
        case Memory::kL0a:
        case Memory::kL0b:
            return 512;
        case Memory::kL0c:
        case Memory::kBias:
        case Memory::kFixpipe:
            return 64;
        default:
            return 32;
    }
}

constexpr uint32_t In(Memory memory) { return 1u << static_cast<uint32_t>(memory); }

inline constexpr uint32_t kInL0 = In(Memory::kL0a) | In(Memory::kL0b);

// `allowed` is a set of memories, `text` names it in the report.
template <typename Tensor>
inline LocalOperand Operand(const Tensor& tensor, uint32_t allowed, const char* text, const char* api, Site site) {
    const Memory memory = tensor.GetMemory();
    if ((allowed & In(memory)) == 0) {
        Fault("cube-position", site, "%s: an operand of position %d lies in %s; on dav-%d it must lie in %s", api,
              static_cast<int>(tensor.GetPosition()), MemoryName(memory), __NPU_ARCH__, text);
    }
    CheckLocalAlignment(memory, tensor.GetByteOffset(), AlignmentOf(memory), site);
    return {memory, tensor.GetByteOffset(), api, site};
}

// The scales that belong to an operand in L0A or L0B: at a sixteenth of its address, in their own memory.
inline LocalOperand ScalesOf(const LocalOperand& operand) {
    const Memory memory = operand.memory == Memory::kL0a ? Memory::kL0aMx : Memory::kL0bMx;
    return {memory, operand.start / 16, operand.api, operand.site};
}

// Slots of Registers::scratch.
inline constexpr int kScratchFmatrixLeft = 10;
inline constexpr int kScratchFmatrixRight = 11;
inline constexpr int kScratchLoad3d = kScratchImage3d;  // padding pattern : 32, L1 boundary : 32
inline constexpr int kScratchLoadRepeat = 13;  // stride : 16, times : 8, mode : 8, target stride : 16, flags below
inline constexpr int kScratchQuantImage = 14;
inline constexpr int kScratchFixpipe = 9;  // ndNum : 16, srcNd : 16, dstNd : 16, FB byte of the vector : 15, flag

inline constexpr uint64_t kRepeatSet = 1ull << 48;
inline constexpr uint64_t kHf32On = 1ull << 56;
inline constexpr uint64_t kHf32Even = 1ull << 57;
inline constexpr uint64_t kFixpipeVectorSet = 1ull << 63;
inline constexpr uint64_t kCtrlKeepInfinity = 1ull << 48;

inline uint64_t& Scratch(int slot) { return Self().registers.scratch[slot]; }

inline void SetBits(uint64_t* word, uint64_t mask, uint64_t value) { *word = (*word & ~mask) | (value & mask); }

}  // namespace sktwin::cube
