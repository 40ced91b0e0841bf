// Licensed under the Apache License, Version 2.0.
//
// Registers of the register vector API of dav-3510 and what every group of it uses: lanes, masks, addresses in UB, and
// how vector functions start (spec ascendc_vector.md 12.1, 12.2). Instructions execute at issue. A register starts with
// the same bytes in every run, none of them zero: what a kernel reads before it writes is undefined on the device.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "ascendc/vector_lane.h"

namespace sktwin::reg {

using AscendC::RoundMode;

inline constexpr uint32_t kRegisterBytes = 256;
inline constexpr uint8_t kUndefinedByte = 0xA5;

// Stops the compilation, once, where registers are used on another chip.
template <int arch>
struct Chip {
    static_assert(arch == 3510,
                  "the register vector API (AscendC::Reg, AscendC::MicroAPI) exists on dav-3510 only: dav-2201 "
                  "computes on LocalTensor");
    static constexpr bool kChecked = true;
};
template <typename T>
inline constexpr bool kHasRegisters = Chip<sizeof(T*) != 0 ? __NPU_ARCH__ : 0>::kChecked;

// [address, address + bytes) of UB; null on a core without vector unit, where the API does nothing.
inline uint8_t* UbBytes(const volatile void* address, uint64_t bytes, uint32_t alignment, const char* api, Site site) {
    if constexpr (kHasVectorUnit) {
        const uint32_t size = LocalSize(Memory::kUb);
        if (size != 0) {
            uint8_t* base = Self().local[static_cast<int>(Memory::kUb)];
            const auto offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(base);
            if (offset > size) {
                Fault("local-memory-position", site, "%s: the address does not lie in UB; registers load and store UB",
                      api);
            }
            CheckLocalAlignment(Memory::kUb, offset, alignment, site);
            CheckLocalRange(Memory::kUb, offset, bytes, site);
            return base + offset;
        }
    }
    return nullptr;
}

}  // namespace sktwin::reg

// Stops the compilation with the API and its types. The lists are in parentheses, as in SKTWIN_REQUIRE_TYPE.
#define SKTWIN_REG_TYPES(api, T, types) \
    static_assert(sktwin::kListed<T, void types>, "Reg::" api ": takes the element types " #types " only")

namespace AscendC {

enum class SpecialPurposeReg : uint8_t { AR = 0 };
#if __NPU_ARCH__ == 3510
constexpr uint32_t VECTOR_REG_WIDTH = sktwin::reg::kRegisterBytes;
#endif

namespace Reg {

using AscendC::CMPMODE;
using AscendC::ReduceType;
using AscendC::RoundMode;
using AscendC::SpecialPurposeReg;

struct DefaultType {};

struct RegTrait {
    int REG_NUM = 1;
};
inline constexpr RegTrait RegTraitNumOne = {1};
inline constexpr RegTrait RegTraitNumTwo = {2};

enum class MaskMergeMode : int8_t { UNKNOWN = -1, MERGING, ZEROING };
enum class RegLayout : int8_t { UNKNOWN = -1, ZERO, ONE, TWO, THREE };
enum class SatMode : int8_t { UNKNOWN = -1, NO_SAT, SAT };
enum class HighLowPart : uint8_t { LOWEST = 0, HIGHEST };
enum class IndexOrder : uint8_t { INCREASE_ORDER = 0, DECREASE_ORDER };
enum class PostLiteral : uint8_t { POST_MODE_NORMAL = 0, POST_MODE_UPDATE };
enum class DataCopyMode : uint8_t { NORM = 0, DATA_BLOCK_COPY };
enum class GatherMaskMode : uint8_t { NO_STORE_REG = 0, STORE_REG };
enum class HistogramsBinType : uint8_t { BIN0 = 0, BIN1 };
enum class HistogramsType : uint8_t { FREQUENCY = 0, ACCUMULATE };
enum class MemType : uint8_t { VEC_STORE = 0, VEC_LOAD, SCALAR_STORE, SCALAR_LOAD, VEC_ALL, SCALAR_ALL };
enum class MaskPattern : uint8_t {
    ALL = 0,
    VL1,
    VL2,
    VL3,
    VL4,
    VL8,
    VL16,
    VL32,
    VL64,
    VL128,
    M3,
    M4,
    H,
    Q,
    ALLF = 15,
};

// Two registers hold elements split in halves: [0] the low or real ones, [1] the high or imaginary ones.
template <typename T, const RegTrait& regTrait = RegTraitNumOne>
struct alignas(64) RegTensor {
    static_assert(sktwin::reg::kHasRegisters<T>, "");
    static_assert(regTrait.REG_NUM == 1 || sizeof(T) == 8 || sktwin::kIsComplex<T>,
                  "RegTensor: RegTraitNumTwo takes 64-bit elements only");
    using ActualT = T;
    static constexpr const RegTrait& trait = regTrait;
    struct Part {
        uint8_t bytes[sktwin::reg::kRegisterBytes];
    };
    Part reg[regTrait.REG_NUM];

    RegTensor() { memset(static_cast<void*>(reg), sktwin::reg::kUndefinedByte, sizeof(reg)); }
    RegTensor(const RegTensor&) = default;
    RegTensor& operator=(const RegTensor&) = default;
};

// One bit a byte of a register: element i of size s uses bit s * i.
struct MaskReg {
    uint64_t bits[4];

    MaskReg() { memset(bits, sktwin::reg::kUndefinedByte, sizeof(bits)); }
    bool Test(uint32_t bit) const { return (bits[bit / 64] >> (bit % 64) & 1) != 0; }
    void Set(uint32_t bit, bool value) {
        const uint64_t one = 1ull << (bit % 64);
        bits[bit / 64] = value ? bits[bit / 64] | one : bits[bit / 64] & ~one;
    }
};

// Bytes of an unaligned stream of stores that do not fill a block yet, and whether a stream of loads has begun.
struct UnalignReg {
    uint8_t bytes[32];
    uint32_t held = 0;
    const void* end = nullptr;  // the address after the held bytes
    bool loading = false;
};
using UnalignRegForLoad = UnalignReg;
using UnalignRegForStore = UnalignReg;

// An offset in elements.
struct AddrReg {
    uint64_t offset = 0;
};

}  // namespace Reg

namespace MicroAPI = Reg;

}  // namespace AscendC

namespace sktwin::reg {

using AscendC::Reg::DefaultType;
using AscendC::Reg::MaskMergeMode;
using AscendC::Reg::MaskReg;
using AscendC::Reg::RegTensor;
using AscendC::Reg::RegTrait;

// Elements of a register, and the bits of a mask that stand for one.
template <typename T, const RegTrait& trait>
inline constexpr uint32_t kCount = kRegisterBytes * static_cast<uint32_t>(trait.REG_NUM) / sizeof(T);
template <typename T, const RegTrait& trait>
inline constexpr uint32_t kBitStep = kRegisterBytes / kCount<T, trait>;

template <typename T, uint32_t N>
struct LaneArray {
    alignas(64) T lane[N];
};

template <typename T, const RegTrait& trait>
LaneArray<T, kCount<T, trait>> ReadLanes(const RegTensor<T, trait>& source) {
    LaneArray<T, kCount<T, trait>> lanes;
    if constexpr (trait.REG_NUM == 1) {
        memcpy(static_cast<void*>(lanes.lane), source.reg[0].bytes, kRegisterBytes);
    } else {
        constexpr uint32_t kHalf = sizeof(T) / 2;
        auto* bytes = reinterpret_cast<uint8_t*>(lanes.lane);
        for (uint32_t i = 0; i < kCount<T, trait>; ++i) {
            memcpy(bytes + i * sizeof(T), source.reg[0].bytes + i * kHalf, kHalf);
            memcpy(bytes + i * sizeof(T) + kHalf, source.reg[1].bytes + i * kHalf, kHalf);
        }
    }
    return lanes;
}

template <typename T, const RegTrait& trait>
void WriteLanes(RegTensor<T, trait>& destination, const T* lane) {
    if constexpr (trait.REG_NUM == 1) {
        memcpy(destination.reg[0].bytes, lane, kRegisterBytes);
    } else {
        constexpr uint32_t kHalf = sizeof(T) / 2;
        const auto* bytes = reinterpret_cast<const uint8_t*>(lane);
        for (uint32_t i = 0; i < kCount<T, trait>; ++i) {
            memcpy(destination.reg[0].bytes + i * kHalf, bytes + i * sizeof(T), kHalf);
            memcpy(destination.reg[1].bytes + i * kHalf, bytes + i * sizeof(T) + kHalf, kHalf);
        }
    }
}

// Which of N lanes a mask names.
template <uint32_t N>
LaneArray<bool, N> ActiveLanes(const MaskReg& mask) {
    LaneArray<bool, N> active;
    for (uint32_t i = 0; i < N; ++i) {
        active.lane[i] = mask.Test(i * (kRegisterBytes / N));
    }
    return active;
}

template <typename F>
MaskReg MaskOfLanes(uint32_t count, const F& isActive) {
    MaskReg mask;
    memset(mask.bits, 0, sizeof(mask.bits));
    for (uint32_t i = 0; i < count; ++i) {
        if (isActive(i)) {
            mask.Set(i * (kRegisterBytes / count), true);
        }
    }
    return mask;
}

template <typename T, typename E>
constexpr void CheckNamedType() {
    static_assert(std::is_same_v<T, DefaultType> || std::is_same_v<T, E>,
                  "Reg: the element type that is named differs from that of the register");
}

// Writes `lane` where the mask is set; other lanes become zero, or stay.
template <MaskMergeMode mode = MaskMergeMode::ZEROING, typename T, const RegTrait& trait>
void WriteMasked(RegTensor<T, trait>& destination, T* lane, const MaskReg& mask) {
    constexpr uint32_t kN = kCount<T, trait>;
    if constexpr (kIsShortFloat<T>) {
        if ((Self().registers.scratch[kScratchSaturation] & 1) != 0) {
            SaturateLanes<kN>(lane);
        }
    }
    const auto active = ActiveLanes<kN>(mask);
    if constexpr (mode == MaskMergeMode::MERGING) {
        const auto old = ReadLanes(destination);
        for (uint32_t i = 0; i < kN; ++i) {
            lane[i] = active.lane[i] ? lane[i] : old.lane[i];
        }
    } else {
        for (uint32_t i = 0; i < kN; ++i) {
            lane[i] = active.lane[i] ? lane[i] : T{};
        }
    }
    WriteLanes(destination, lane);
}

// dst = operation(sources...) lane by lane.
template <MaskMergeMode mode = MaskMergeMode::ZEROING, typename F, typename T, const RegTrait& trait, typename... S>
void MapLanes(const F& operation, RegTensor<T, trait>& destination, const MaskReg& mask,
              const RegTensor<S, trait>&... sources) {
    LaneArray<T, kCount<T, trait>> out;
    ComputeLanes<kCount<T, trait>>(operation, out.lane, ReadLanes(sources).lane...);
    WriteMasked<mode>(destination, out.lane, mask);
}

}  // namespace sktwin::reg

namespace AscendC::Reg {

// Memory accesses of a vector function are in order on the twin.
template <MemType source, [[maybe_unused]] MemType destination>
void LocalMemBar() {
    static_assert(sktwin::reg::kHasRegisters<std::integral_constant<MemType, source>>, "");
}

template <typename T>
AddrReg CreateAddrReg(uint16_t i0, uint32_t s0, uint16_t i1 = 0, uint32_t s1 = 0, uint16_t i2 = 0, uint32_t s2 = 0,
                      uint16_t i3 = 0, uint32_t s3 = 0) {
    static_assert(sktwin::reg::kHasRegisters<T>, "");
    return {uint64_t(i0) * s0 + uint64_t(i1) * s1 + uint64_t(i2) * s2 + uint64_t(i3) * s3};
}

}  // namespace AscendC::Reg

// A vector function runs in place; on a core without vector unit not at all.
template <auto function, typename... A>
void asc_vf_call(A&&... arguments) {
    static_assert(sktwin::reg::kHasRegisters<decltype(function)>, "");
    if constexpr (sktwin::kHasVectorUnit) {
        function(std::forward<A>(arguments)...);
    }
}
template <auto function, typename... A>
void VF_CALL(A&&... arguments) {
    asc_vf_call<function>(std::forward<A>(arguments)...);
}

#define __VEC_SCOPE__ if constexpr (::sktwin::kHasVectorUnit && ::sktwin::reg::Chip<__NPU_ARCH__>::kChecked)
#define __local_mem__
