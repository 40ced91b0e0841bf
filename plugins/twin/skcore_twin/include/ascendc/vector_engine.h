// Licensed under the Apache License, Version 2.0.
//
// How every element-wise vector instruction addresses memory (spec ascendc_vector.md 1.1 to 1.7): repeats of 256 bytes
// of the widest operand, blocks of 32 bytes, strides, and the mask in normal or counter mode. Written once; the groups
// of the API add the operation on one lane. A repeat reads all its lanes before it writes any.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ascendc/memory.h"
#include "ascendc/tensor.h"

namespace sktwin {

template <typename T>
inline constexpr uint32_t kLanes = AscendC::ONE_REPEAT_BYTE_SIZE / sizeof(T);

template <typename A, typename B>
inline constexpr uint32_t kLanesOfWider =
    AscendC::ONE_REPEAT_BYTE_SIZE / (sizeof(A) > sizeof(B) ? sizeof(A) : sizeof(B));

template <typename T>
inline constexpr uint32_t kBlockLanes = 8 * AscendC::ONE_BLK_SIZE / kElementBits<T>;

template <typename T, typename List>
inline constexpr bool kListed = false;
template <typename T, typename... U>
inline constexpr bool kListed<T, void(U...)> = (std::is_same_v<T, U> || ...);

}  // namespace sktwin

// Stops the compilation with the API, the chip and the types when the chip's instruction does not take the type. The
// lists are in parentheses: they are the parameters of a function type.
#if __NPU_ARCH__ == 3510
#define SKTWIN_REQUIRE_TYPE(api, T, on2201, on3510) \
    static_assert(sktwin::kListed<T, void on3510>, api ": dav-3510 takes the element types " #on3510 " only")
#else
#define SKTWIN_REQUIRE_TYPE(api, T, on2201, on3510) \
    static_assert(sktwin::kListed<T, void on2201>, api ": dav-2201 takes the element types " #on2201 " only")
#endif

namespace sktwin {

// The lanes of one repeat that execute: the first `prefix` ones, or those with a bit set.
struct Lanes {
    uint32_t prefix = 0;
    bool bitwise = false;
    uint64_t bits[2] = {0, 0};

    bool Test(uint32_t lane) const { return bitwise ? (bits[lane >> 6] >> (lane & 63) & 1) != 0 : lane < prefix; }
    bool None() const { return !bitwise && prefix == 0; }
    bool AnyIn(uint32_t first, uint32_t count) const {
        if (!bitwise) {
            return first < prefix;
        }
        for (uint32_t i = first; i < first + count; ++i) {
            if (Test(i)) {
                return true;
            }
        }
        return false;
    }
};

// What one vector instruction was issued with.
struct Issue {
    uint32_t repeats = 0;
    bool counter = false;
    uint64_t total = 0;  // counter mode: elements in all
    uint64_t bits[2] = {0, 0};
    bool saturate = false;

    uint32_t Repeats(uint32_t lanes) const {
        return counter ? static_cast<uint32_t>((total + lanes - 1) / lanes) : repeats;
    }

    Lanes LanesOf(uint32_t repeat, uint32_t lanes) const {
        Lanes active;
        if (counter) {
            const uint64_t left = total - uint64_t(repeat) * lanes;
            active.prefix = left < lanes ? static_cast<uint32_t>(left) : lanes;
            return active;
        }
        const uint64_t lowLimit = lanes >= 64 ? ~0ull : (1ull << lanes) - 1;
        const uint64_t low = bits[0] & lowLimit;
        const uint64_t high = lanes > 64 ? bits[1] : 0;
        const bool contiguous = (low & (low + 1)) == 0 && (high & (high + 1)) == 0 && (high == 0 || low == ~0ull);
        if (contiguous) {
            active.prefix = static_cast<uint32_t>(__builtin_popcountll(low) + __builtin_popcountll(high));
        } else {
            active.bitwise = true;
            active.bits[0] = low;
            active.bits[1] = high;
        }
        return active;
    }
};

inline void WriteMask(uint64_t low, uint64_t high) {
    Self().registers.mask[0] = low;
    Self().registers.mask[1] = high;
    Self().changed.mask.file = nullptr;
}

// Sets the first n lanes of a repeat of `lanes` lanes.
inline void ExpandMask(uint64_t n, uint32_t lanes) {
    if (n >= lanes || n >= 128) {
        WriteMask(~0ull, lanes == 64 ? 0 : ~0ull);
    } else if (n >= 64) {
        WriteMask(~0ull, (1ull << (n - 64)) - 1);
    } else {
        WriteMask((1ull << n) - 1, 0);
    }
}

inline Issue IssueFromRegisters(uint32_t repeats) {
    const Registers& registers = Self().registers;
    Issue issue;
    issue.repeats = repeats;
    issue.counter = registers.maskCounter;
    issue.total = registers.mask[0] & 0xffffffffu;
    issue.bits[0] = registers.mask[0];
    issue.bits[1] = registers.mask[1];
    issue.saturate = (registers.scratch[kScratchSaturation] & 1) != 0;
    return issue;
}

// Count form: the API switches to counter mode for the call and leaves normal mode with all lanes on.
template <bool isSetMask>
Issue IssueCount(uint64_t count) {
    if constexpr (!isSetMask) {
        return IssueFromRegisters(1);
    }
    Self().registers.maskCounter = false;
    WriteMask(~0ull, ~0ull);
    Issue issue = IssueFromRegisters(1);
    issue.counter = true;
    issue.total = count;
    return issue;
}

template <bool isSetMask>
Issue IssueMask(uint64_t mask, uint32_t repeats, uint32_t lanes) {
    if constexpr (isSetMask) {
        if (Self().registers.maskCounter) {
            WriteMask(mask, 0);
        } else {
            ExpandMask(mask, lanes);
        }
    }
    return IssueFromRegisters(repeats);
}

template <bool isSetMask>
Issue IssueMask(const uint64_t mask[], uint32_t repeats, uint32_t) {
    if constexpr (isSetMask) {
        WriteMask(mask[0], Self().registers.maskCounter ? 0 : mask[1]);
    }
    return IssueFromRegisters(repeats);
}

// One tensor operand of an instruction, with its strides in 32-byte blocks.
template <typename T>
struct Operand {
    uint8_t* base;
    uint64_t limit;  // bytes from base to the end of the memory
    uint32_t blockStride;
    uint32_t repeatStride;
    Site site;

    explicit operator bool() const { return base != nullptr; }

    uint8_t* At(uint64_t offset, uint64_t bytes) const {
        if (offset + bytes > limit) {
            Fault("local-memory-size", site,
                  "a vector instruction uses bytes [%llu, %llu) from the start of an operand with "
                  "%llu bytes to the end of UB; check count, repeats and strides",
                  static_cast<unsigned long long>(offset), static_cast<unsigned long long>(offset + bytes),
                  static_cast<unsigned long long>(limit));
        }
        return base + offset;
    }
    uint8_t* Block(uint32_t repeat, uint32_t block) const {
        return At(32ull * (uint64_t(repeat) * repeatStride + uint64_t(block) * blockStride), AscendC::ONE_BLK_SIZE);
    }
    uint8_t* Element(uint64_t index) const { return At(index * sizeof(T), sizeof(T)); }
};

// Null on a core without vector unit: the API then does nothing.
template <typename T>
Operand<T> OperandOf(const AscendC::LocalTensor<T>& tensor, uint32_t blockStride, uint32_t repeatStride, Site site,
                     uint32_t alignment = AscendC::ONE_BLK_SIZE) {
    Operand<T> operand{nullptr, 0, blockStride, repeatStride, site};
    if constexpr (kHasVectorUnit) {
        if (tensor.GetMemory() != Memory::kUb) {
            Fault("local-memory-position", site, "a vector instruction on a tensor in %s; vector operands lie in UB",
                  MemoryName(tensor.GetMemory()));
        }
        const uint32_t size = LocalSize(Memory::kUb);
        if (size != 0) {
            CheckLocalAlignment(Memory::kUb, tensor.GetByteOffset(), alignment, site);
            CheckLocalRange(Memory::kUb, tensor.GetByteOffset(), 0, site);
            operand.base = Self().local[static_cast<int>(Memory::kUb)] + tensor.GetByteOffset();
            operand.limit = size - tensor.GetByteOffset();
        }
    }
    return operand;
}

// Operand of a count form: contiguous for repeats of N lanes.
template <uint32_t N, typename T>
Operand<T> Contiguous(const AscendC::LocalTensor<T>& tensor, Site site) {
    return OperandOf(tensor, 1, N * kElementBits<T> / 256, site);
}

template <typename T>
struct LaneTypeOf {
    using type = std::conditional_t<std::is_same_v<T, int4b_t>, int8_t, T>;
};
template <typename Format>
struct LaneTypeOf<FloatPair<Format>> {
    using type = SmallFloat<Format>;
};
template <typename T>
using LaneType = typename LaneTypeOf<T>::type;

// The lanes of one repeat of one source; lanes that do not execute are zero or old.
template <typename T, uint32_t N>
struct LaneBuffer {
    static constexpr uint32_t kBytes = N * kElementBits<T> / 8;
    alignas(64) T lane[N];

    LaneBuffer(const Operand<T>& source, uint32_t repeat, const Lanes& active) {
        auto* bytes = reinterpret_cast<uint8_t*>(lane);
        if (source.blockStride == 1 && !active.bitwise && active.prefix == N) {
            memcpy(bytes, source.At(32ull * repeat * source.repeatStride, kBytes), kBytes);
            return;
        }
        for (uint32_t block = 0; block * 32 < kBytes; ++block) {
            if (active.AnyIn(block * kBlockLanes<T>, kBlockLanes<T>)) {
                memcpy(bytes + block * 32, source.Block(repeat, block), 32);
            } else {
                memset(bytes + block * 32, 0, 32);
            }
        }
    }
};

template <uint32_t N>
struct LaneBuffer<int4b_t, N> {
    alignas(64) int8_t lane[N];

    LaneBuffer(const Operand<int4b_t>& source, uint32_t repeat, const Lanes& active) {
        for (uint32_t i = 0; i < N; ++i) {
            lane[i] = 0;
            if (active.Test(i)) {
                const uint8_t pair = source.Block(repeat, i / 64)[i % 64 / 2];
                lane[i] = static_cast<int8_t>(static_cast<int8_t>(pair << (i % 2 != 0 ? 0 : 4)) >> 4);
            }
        }
    }
};

template <typename Format, uint32_t N>
struct LaneBuffer<FloatPair<Format>, N> {
    alignas(64) SmallFloat<Format> lane[N];

    LaneBuffer(const Operand<FloatPair<Format>>& source, uint32_t repeat, const Lanes& active) {
        for (uint32_t i = 0; i < N; ++i) {
            lane[i].bits = 0;
            if (active.Test(i)) {
                lane[i].bits = source.Block(repeat, i / 64)[i % 64 / 2] >> (i % 2 * 4) & 0xf;
            }
        }
    }
};

// The bits of one 4-bit lane.
inline uint32_t NibbleOf(int8_t value) { return static_cast<uint32_t>(value) & 0xfu; }
template <typename Format>
uint32_t NibbleOf(SmallFloat<Format> value) {
    return value.bits & 0xfu;
}

template <uint32_t N, typename T>
void StoreLanes(const Operand<T>& destination, const LaneType<T>* lane, uint32_t repeat, const Lanes& active) {
    if constexpr (kElementBits<T> == 4) {
        for (uint32_t i = 0; i < N; ++i) {
            if (active.Test(i)) {
                uint8_t& pair = destination.Block(repeat, i / 64)[i % 64 / 2];
                const uint32_t value = NibbleOf(lane[i]);
                pair = static_cast<uint8_t>(i % 2 != 0 ? (pair & 0x0fu) | value << 4 : (pair & 0xf0u) | value);
            }
        }
    } else {
        if (destination.blockStride == 1 && !active.bitwise) {
            const uint64_t bytes = active.prefix * sizeof(T);
            memcpy(destination.At(32ull * repeat * destination.repeatStride, bytes), lane, bytes);
            return;
        }
        for (uint32_t i = 0; i < N; ++i) {
            if (active.Test(i)) {
                memcpy(destination.Block(repeat, i / kBlockLanes<T>) + i % kBlockLanes<T> * sizeof(T), lane + i,
                       sizeof(T));
            }
        }
    }
}

template <uint32_t N, typename F, typename D, typename... S>
inline void ComputeLanes(const F& operation, D* __restrict out, const S* __restrict... in) {
    for (uint32_t i = 0; i < N; ++i) {
        out[i] = operation(in[i]...);
    }
}

// Saturation mode replaces infinities by the largest finite value and NaN by zero.
template <uint32_t N, typename T>
void SaturateLanes(T* lane) {
    constexpr uint16_t kInfinity = std::is_same_v<T, half> ? 0x7c00 : 0x7f80;
    for (uint32_t i = 0; i < N; ++i) {
        const auto magnitude = static_cast<uint16_t>(lane[i].bits & 0x7fffu);
        if (magnitude >= kInfinity) {
            lane[i].bits =
                magnitude > kInfinity ? 0 : static_cast<uint16_t>((lane[i].bits & 0x8000u) | (kInfinity - 1u));
        }
    }
}

// Runs `operation` on every active lane of every repeat.
template <uint32_t N, typename F, typename D, typename... S>
void RunLanes(const Issue& issue, const F& operation, const Operand<D>& destination, const Operand<S>&... sources) {
    if (!destination) {
        return;
    }
    const uint32_t repeats = issue.Repeats(N);
    for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
        const Lanes active = issue.LanesOf(repeat, N);
        if (active.None()) {
            continue;
        }
        alignas(64) LaneType<D> out[N];
        ComputeLanes<N>(operation, out, LaneBuffer<S, N>(sources, repeat, active).lane...);
        if constexpr (kIsShortFloat<D>) {
            if (issue.saturate) {
                SaturateLanes<N>(out);
            }
        }
        StoreLanes<N>(destination, out, repeat, active);
    }
}

template <typename T>
constexpr bool IsNan(T value) {
    if constexpr (std::is_integral_v<T>) {
        return false;
    } else {
        return !(static_cast<float>(value) == static_cast<float>(value));
    }
}

// Rounds a result that was computed in double once, to the element type.
template <typename T>
constexpr T FromDouble(double value) {
    if constexpr (std::is_same_v<T, double>) {
        return value;
    } else if constexpr (std::is_same_v<T, float>) {
        return static_cast<float>(value);
    } else {
        return T(DoubleToFloatOdd(value));
    }
}

}  // namespace sktwin
