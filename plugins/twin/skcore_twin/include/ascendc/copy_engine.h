// Licensed under the Apache License, Version 2.0.
//
// Strided block moves in bytes, which every form of DataCopy comes down to.
#pragma once

#include <cstdint>
#include <cstring>

#include "ascendc/atomic.h"
#include "ascendc/copy_params.h"
#include "ascendc/tensor.h"

namespace sktwin {

// `count` runs of `length` bytes; run i starts at i * pitch on its side.
struct BlockMove {
    uint32_t count;
    uint64_t length;
    uint64_t sourcePitch;
    uint64_t destinationPitch;

    static BlockMove Gaps(uint32_t count, uint64_t length, uint64_t sourceGap, uint64_t destinationGap) {
        return {count, length, length + sourceGap, length + destinationGap};
    }
    bool Empty() const { return count == 0 || length == 0; }
    uint64_t SourceExtent() const { return (count - 1) * sourcePitch + length; }
    uint64_t DestinationExtent() const { return (count - 1) * destinationPitch + length; }
};

// The local bytes that a move touches, checked. Null on a core that lacks the memory: the call then does nothing.
template <typename T>
uint8_t* LocalBytes(const AscendC::LocalTensor<T>& tensor, uint64_t bytes, Site site, Core& core = Self(),
                    uint32_t alignment = AscendC::ONE_BLK_SIZE) {
    const Memory memory = tensor.GetMemory();
    if (memory == Memory::kCount) {
        Fault("local-memory-position", site,
              "a local tensor without a position on this chip; take it from a queue, a TBuf "
              "or the constructor with a position");
    }
    const uint32_t size = core.localSize[static_cast<int>(memory)];
    if (size == 0) {
        return nullptr;
    }
    const uint64_t offset = tensor.GetByteOffset();
    CheckLocalAlignment(memory, offset, alignment, site);
    if (offset + bytes > size) {
        Fault("local-memory-size", site, "the transfer uses bytes [%llu, %llu) of %s, which has %u bytes",
              static_cast<unsigned long long>(offset), static_cast<unsigned long long>(offset + bytes),
              MemoryName(memory), size);
    }
    return core.local[static_cast<int>(memory)] + offset;
}

// A move that the chip has no path for must not work on the twin only.
inline void CheckPath(bool allowed, const char* call, Memory memory, Site site) {
    if (!allowed && LocalSize(memory) != 0) {
        Fault("data-copy-path", site, "%s has no path between global memory and %s on dav-%d", call, MemoryName(memory),
              __NPU_ARCH__);
    }
}

inline void MoveIn(uint8_t* destination, const void* source, const BlockMove& move, Site site) {
    const auto* start = static_cast<const uint8_t*>(source);
    if (move.sourcePitch == move.length && move.destinationPitch == move.length) {
        memcpy(destination, GlobalAccess(start, move.SourceExtent(), false, site), move.SourceExtent());
        return;
    }
    for (uint32_t i = 0; i < move.count; ++i) {
        const uint8_t* run = GlobalAccess(start + i * move.sourcePitch, move.length, false, site);
        memcpy(destination + i * move.destinationPitch, run, move.length);
    }
}

inline void MoveOut(void* destination, const uint8_t* source, const BlockMove& move, Site site) {
    auto* start = static_cast<uint8_t*>(destination);
    if (move.sourcePitch == move.length && move.destinationPitch == move.length) {
        StoreGlobal(start, source, move.SourceExtent(), site);
        return;
    }
    for (uint32_t i = 0; i < move.count; ++i) {
        StoreGlobal(start + i * move.destinationPitch, source + i * move.sourcePitch, move.length, site);
    }
}

inline void MoveLocal(uint8_t* destination, const uint8_t* source, const BlockMove& move) {
    for (uint32_t i = 0; i < move.count; ++i) {
        memmove(destination + i * move.destinationPitch, source + i * move.sourcePitch, move.length);
    }
}

// Units of DataCopyParams between two local memories (spec 5.3), in bytes.
struct CopyUnits {
    uint32_t length;
    uint32_t destinationGap;
};

inline CopyUnits UnitsInto(Memory destination) {
    if (destination == Memory::kBias) {
        return kChip3510 ? CopyUnits{32, 32} : CopyUnits{64, 64};
    }
    if (destination == Memory::kFixpipe) {
        return kChip3510 ? CopyUnits{64, 64} : CopyUnits{128, 128};
    }
    return {32, 32};
}

}  // namespace sktwin
