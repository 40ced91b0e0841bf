// Licensed under the Apache License, Version 2.0.
//
// Registers filled, rearranged, gathered and scattered (spec ascendc_vector.md 12.4 to 12.6).
#pragma once

#include "ascendc/reg_store.h"

namespace sktwin::reg {

// Positions of interleaved lanes: lane i of the pair (dst0, dst1) and where it comes from.
template <typename E, const RegTrait& trait>
struct LanePair {
    static constexpr uint32_t kN = kCount<E, trait>;
    E lane[2 * kN];

    LanePair(const RegTensor<E, trait>& first, const RegTensor<E, trait>& second) {
        const auto a = ReadLanes(first);
        const auto b = ReadLanes(second);
        memcpy(static_cast<void*>(lane), a.lane, sizeof(a.lane));
        memcpy(static_cast<void*>(lane + kN), b.lane, sizeof(b.lane));
    }
};

// One element of UB at `index` elements of `width` bytes; null where the API does nothing.
inline uint8_t* IndexedElement(const volatile void* base, uint64_t index, uint32_t width, const char* api, Site site) {
    const auto* start = static_cast<const uint8_t*>(const_cast<const void*>(base));
    return UbBytes(start + index * width, width, width, api, site);
}

}  // namespace sktwin::reg

namespace AscendC::Reg {

template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U = DefaultType, typename E,
          const RegTrait& trait, typename S,
          typename = std::enable_if_t<std::is_constructible_v<E, S>>>
void Duplicate(RegTensor<E, trait>& dst, S scalar) {
    sktwin::reg::CheckNamedType<T, E>();
    constexpr uint32_t kN = sktwin::reg::kCount<E, trait>;
    sktwin::reg::LaneArray<E, kN> lanes;
    for (uint32_t i = 0; i < kN; ++i) {
        lanes.lane[i] = static_cast<E>(scalar);
    }
    sktwin::reg::WriteLanes(dst, lanes.lane);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U = DefaultType, typename E,
          const RegTrait& trait, typename S,
          typename = std::enable_if_t<std::is_constructible_v<E, S>>>
void Duplicate(RegTensor<E, trait>& dst, S scalar, const MaskReg& mask) {
    static_assert(mode == MaskMergeMode::ZEROING, "Reg: MaskMergeMode::MERGING exists for Add, Max, Min and Move only");
    RegTensor<E, trait> filled;
    Duplicate<T>(filled, scalar);
    auto lanes = sktwin::reg::ReadLanes(filled);
    sktwin::reg::WriteMasked(dst, lanes.lane, mask);
}
// The lowest element of src.
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename E, const RegTrait& trait>
void Duplicate(RegTensor<E, trait>& dst, const RegTensor<E, trait>& src, const MaskReg& mask) {
    Duplicate<T, mode>(dst, sktwin::reg::ReadLanes(src).lane[0], mask);
}

// scalar, scalar + 1, ...; a decreasing sequence ends with the scalar.
template <typename T = DefaultType, IndexOrder order = IndexOrder::INCREASE_ORDER, typename E, const RegTrait& trait,
          typename S>
void Arange(RegTensor<E, trait>& dst, S scalar) {
    sktwin::reg::CheckNamedType<T, E>();
    SKTWIN_REG_TYPES("Arange", E, (int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float, int64_t));
    constexpr uint32_t kN = sktwin::reg::kCount<E, trait>;
    sktwin::reg::LaneArray<E, kN> lanes;
    for (uint32_t i = 0; i < kN; ++i) {
        const uint32_t step = order == IndexOrder::INCREASE_ORDER ? i : kN - 1 - i;
        lanes.lane[i] = sktwin::AddOf(static_cast<E>(scalar), static_cast<E>(step));
    }
    sktwin::reg::WriteLanes(dst, lanes.lane);
}

template <typename T = DefaultType, typename E, const RegTrait& trait>
void Interleave(RegTensor<E, trait>& dst0, RegTensor<E, trait>& dst1, const RegTensor<E, trait>& src0,
                const RegTensor<E, trait>& src1) {
    const sktwin::reg::LanePair<E, trait> in(src0, src1);
    constexpr uint32_t kN = in.kN;
    E out[2 * kN];
    for (uint32_t i = 0; i < kN; ++i) {
        out[2 * i] = in.lane[i];
        out[2 * i + 1] = in.lane[kN + i];
    }
    sktwin::reg::WriteLanes(dst0, out);
    sktwin::reg::WriteLanes(dst1, out + kN);
}
template <typename T = DefaultType, typename E, const RegTrait& trait>
void DeInterleave(RegTensor<E, trait>& dst0, RegTensor<E, trait>& dst1, const RegTensor<E, trait>& src0,
                  const RegTensor<E, trait>& src1) {
    const sktwin::reg::LanePair<E, trait> in(src0, src1);
    constexpr uint32_t kN = in.kN;
    E out[2 * kN];
    for (uint32_t i = 0; i < kN; ++i) {
        out[i] = in.lane[2 * i];
        out[kN + i] = in.lane[2 * i + 1];
    }
    sktwin::reg::WriteLanes(dst0, out);
    sktwin::reg::WriteLanes(dst1, out + kN);
}

// The low half of each element, to one half of dst; the other half becomes zero.
template <typename T = DefaultType, typename U = DefaultType, HighLowPart part = HighLowPart::LOWEST, typename D,
          typename S>
void Pack(RegTensor<D>& dst, const RegTensor<S>& src) {
    static_assert(2 * sizeof(D) == sizeof(S), "Reg::Pack: the source's elements are twice as wide as the others");
    const RegTensor<S> in = src;
    memset(dst.reg[0].bytes, 0, sizeof(dst.reg[0].bytes));
    uint8_t* const to = dst.reg[0].bytes + (part == HighLowPart::LOWEST ? 0 : 128);
    for (uint32_t i = 0; i < 128 / sizeof(D); ++i) {
        memcpy(to + i * sizeof(D), in.reg[0].bytes + i * sizeof(S), sizeof(D));
    }
}
// One half of src, each element widened with its sign.
template <typename T = DefaultType, typename U = DefaultType, HighLowPart part = HighLowPart::LOWEST, typename D,
          typename S>
void UnPack(RegTensor<D>& dst, const RegTensor<S>& src) {
    static_assert(sizeof(D) == 2 * sizeof(S) && std::is_integral_v<D> && std::is_integral_v<S>,
                  "Reg::UnPack: takes integers, the destination's twice as wide as the source's");
    const auto in = sktwin::reg::ReadLanes(src);
    sktwin::reg::LaneArray<D, 256 / sizeof(D)> out;
    for (uint32_t i = 0; i < 256 / sizeof(D); ++i) {
        out.lane[i] = static_cast<D>(in.lane[i + (part == HighLowPart::LOWEST ? 0 : 256 / sizeof(D))]);
    }
    sktwin::reg::WriteLanes(dst, out.lane);
}

// How many lanes before each one the mask names.
template <typename T = DefaultType, typename E, const RegTrait& trait>
void Unsqueeze(RegTensor<E, trait>& dst, const MaskReg& mask) {
    SKTWIN_REG_TYPES("Unsqueeze", E, (int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t));
    constexpr uint32_t kN = sktwin::reg::kCount<E, trait>;
    sktwin::reg::LaneArray<E, kN> lanes;
    uint32_t before = 0;
    for (uint32_t i = 0; i < kN; ++i) {
        lanes.lane[i] = static_cast<E>(before);
        before += mask.Test(i * sktwin::reg::kBitStep<E, trait>) ? 1 : 0;
    }
    sktwin::reg::WriteLanes(dst, lanes.lane);
}
// Active lanes to the bottom, the rest zero. STORE_REG tells StoreUnAlign how many bytes there are.
template <typename T = DefaultType, GatherMaskMode store = GatherMaskMode::NO_STORE_REG, typename E,
          const RegTrait& trait>
void Squeeze(RegTensor<E, trait>& dst, const RegTensor<E, trait>& src, const MaskReg& mask) {
    sktwin::reg::CheckNamedType<T, E>();
    const auto in = sktwin::reg::ReadLanes(src);
    sktwin::reg::LaneArray<E, sktwin::reg::kCount<E, trait>> out;
    memset(static_cast<void*>(out.lane), 0, sizeof(out));
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sktwin::reg::kCount<E, trait>; ++i) {
        if (mask.Test(i * sktwin::reg::kBitStep<E, trait>)) {
            out.lane[kept++] = in.lane[i];
        }
    }
    if constexpr (store == GatherMaskMode::STORE_REG) {
        uint64_t& state = sktwin::Self().registers.scratch[sktwin::kScratchSqueezed];
        const uint64_t bytes = kept * sizeof(E);
        state = bytes << 32 | (((state & 0xffffffffu) + bytes) & 0xffffffffu);
    }
    sktwin::reg::WriteLanes(dst, out.lane);
}

// Adds to each lane how many active bytes are its number, or not above it.
template <typename T = DefaultType, typename U = DefaultType, HistogramsBinType bin = HistogramsBinType::BIN0,
          HistogramsType type = HistogramsType::FREQUENCY, typename D, typename S>
void Histograms(RegTensor<D>& dst, const RegTensor<S>& src, const MaskReg& mask) {
    static_assert(std::is_same_v<D, uint16_t> && std::is_same_v<S, uint8_t>,
                  "Reg::Histograms: takes uint8_t and counts in uint16_t");
    uint16_t counts[256] = {};
    for (uint32_t i = 0; i < 256; ++i) {
        counts[src.reg[0].bytes[i]] = static_cast<uint16_t>(counts[src.reg[0].bytes[i]] + (mask.Test(i) ? 1 : 0));
    }
    for (uint32_t i = 1; type == HistogramsType::ACCUMULATE && i < 256; ++i) {
        counts[i] = static_cast<uint16_t>(counts[i] + counts[i - 1]);
    }
    auto lanes = sktwin::reg::ReadLanes(dst);
    for (uint32_t i = 0; i < 128; ++i) {
        lanes.lane[i] = static_cast<uint16_t>(lanes.lane[i] + counts[i + (bin == HistogramsBinType::BIN0 ? 0 : 128)]);
    }
    sktwin::reg::WriteLanes(dst, lanes.lane);
}

// Elements of UB by their index; bytes into 16-bit lanes get zero above them.
template <typename T = DefaultType, typename U = DefaultType, typename E, const RegTrait& trait, typename P, typename I,
          const RegTrait& indexTrait>
void Gather(RegTensor<E, trait>& dst, P* base, const RegTensor<I, indexTrait>& index, const MaskReg& mask,
            Site site = Site::Here()) {
    constexpr uint32_t kN = sktwin::reg::kCount<E, trait>;
    static_assert(kN == sktwin::reg::kCount<I, indexTrait> && std::is_unsigned_v<I>,
                  "Reg::Gather: takes one unsigned index a lane: uint16_t for 16-bit, uint32_t for 32-bit elements");
    static_assert(sizeof(P) == sizeof(E) || (sizeof(P) == 1 && sizeof(E) == 2),
                  "Reg::Gather: the elements in UB have the lanes' width, or are bytes for 16-bit lanes");
    const auto at = sktwin::reg::ReadLanes(index);
    sktwin::reg::LaneArray<E, kN> lanes;
    memset(static_cast<void*>(lanes.lane), 0, sizeof(lanes));
    for (uint32_t i = 0; i < kN; ++i) {
        if (mask.Test(i * sktwin::reg::kBitStep<E, trait>)) {
            if (const uint8_t* from = sktwin::reg::IndexedElement(base, at.lane[i], sizeof(P), "Gather", site)) {
                memcpy(static_cast<void*>(lanes.lane + i), from, sizeof(P));
            }
        }
    }
    sktwin::reg::WriteLanes(dst, lanes.lane);
}
// Blocks of UB by their byte offset: eight of them.
template <typename T = DefaultType, typename E, typename P, typename I>
void GatherB(RegTensor<E>& dst, P* base, const RegTensor<I>& offsets, const MaskReg& mask, Site site = Site::Here()) {
    static_assert(std::is_same_v<I, uint32_t>, "Reg::GatherB: takes offsets of uint32_t");
    const auto at = sktwin::reg::ReadLanes(offsets);
    memset(dst.reg[0].bytes, 0, sizeof(dst.reg[0].bytes));
    for (uint32_t block = 0; block < 8; ++block) {
        if (mask.Test(4 * block)) {
            const auto* start = reinterpret_cast<const uint8_t*>(base) + at.lane[block];
            if (const uint8_t* from = sktwin::reg::UbBytes(start, 32, 32, "GatherB", site)) {
                memcpy(dst.reg[0].bytes + 32 * block, from, 32);
            }
        }
    }
}
// Lanes of a register by their index, which wraps.
template <typename T = DefaultType, typename E, const RegTrait& trait, typename I>
void Gather(RegTensor<E, trait>& dst, const RegTensor<E, trait>& src, const RegTensor<I, trait>& index) {
    constexpr uint32_t kN = sktwin::reg::kCount<E, trait>;
    static_assert(sizeof(I) == sizeof(E) && std::is_unsigned_v<I>,
                  "Reg::Gather: takes unsigned indices of the elements' width");
    const auto in = sktwin::reg::ReadLanes(src);
    const auto at = sktwin::reg::ReadLanes(index);
    sktwin::reg::LaneArray<E, kN> lanes;
    for (uint32_t i = 0; i < kN; ++i) {
        lanes.lane[i] = in.lane[at.lane[i] % kN];
    }
    sktwin::reg::WriteLanes(dst, lanes.lane);
}
// Lanes to elements of UB; of bytes only the even lanes, with 16-bit indices.
template <typename T = DefaultType, typename U = DefaultType, typename E, const RegTrait& trait, typename P, typename I,
          const RegTrait& indexTrait>
void Scatter(P* base, const RegTensor<E, trait>& src, const RegTensor<I, indexTrait>& index, const MaskReg& mask,
             Site site = Site::Here()) {
    constexpr uint32_t kN = sktwin::reg::kCount<I, indexTrait>;
    constexpr uint32_t kStep = sizeof(E) == 1 ? 2 : 1;
    static_assert(kN * kStep == sktwin::reg::kCount<E, trait> && std::is_unsigned_v<I> && sizeof(P) == sizeof(E),
                  "Reg::Scatter: takes one unsigned index a lane: uint16_t for 8- and 16-bit lanes, uint32_t for 32");
    const auto lanes = sktwin::reg::ReadLanes(src);
    const auto at = sktwin::reg::ReadLanes(index);
    for (uint32_t i = 0; i < kN; ++i) {
        if (mask.Test(i * sktwin::reg::kBitStep<I, indexTrait>)) {
            if (uint8_t* to = sktwin::reg::IndexedElement(base, at.lane[i], sizeof(E), "Scatter", site)) {
                memcpy(to, lanes.lane + i * kStep, sizeof(E));
            }
        }
    }
}

}  // namespace AscendC::Reg
