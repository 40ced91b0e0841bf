// Licensed under the Apache License, Version 2.0.
//
// Gather, scatter and compaction (spec ascendc_vector.md 5.4, 7.4, 7.5). All offsets are in bytes.
#pragma once

#include "ascendc/vector_mask.h"

namespace sktwin {

// On the 3510 a repeat of bytes covers four blocks.
template <typename T>
inline constexpr uint32_t kGatherLanes = sizeof(T) == 1 ? 128 : kLanes<T>;

template <typename T>
void RunGather(const Issue& issue, const Operand<T>& dst, const Operand<T>& src, const Operand<uint32_t>& offsets,
               uint32_t baseAddress) {
    if (!dst) {
        return;
    }
    constexpr uint32_t kN = kGatherLanes<T>;
    for (uint32_t repeat = 0; repeat < issue.Repeats(kN); ++repeat) {
        const Lanes active = issue.LanesOf(repeat, kN);
        alignas(64) T out[kN] = {};
        for (uint32_t i = 0; i < kN; ++i) {
            if (active.Test(i)) {
                uint32_t offset;
                memcpy(&offset, offsets.Element(uint64_t(repeat) * kN + i), 4);
                memcpy(&out[i], src.At(uint64_t(baseAddress) + offset, sizeof(T)), sizeof(T));
            }
        }
        StoreLanes<kN>(dst, out, repeat, active);
    }
}

template <typename T>
void RunScatter(const Issue& issue, const Operand<T>& dst, const Operand<T>& src, const Operand<uint32_t>& offsets,
                uint32_t baseAddress) {
    if (!dst) {
        return;
    }
    constexpr uint32_t kN = kGatherLanes<T>;
    for (uint32_t repeat = 0; repeat < issue.Repeats(kN); ++repeat) {
        const Lanes active = issue.LanesOf(repeat, kN);
        const LaneBuffer<T, kN> in(src, repeat, active);
        for (uint32_t i = 0; i < kN; ++i) {
            if (active.Test(i)) {
                uint32_t offset;
                memcpy(&offset, offsets.Element(uint64_t(repeat) * kN + i), 4);
                memcpy(dst.At(uint64_t(baseAddress) + offset, sizeof(T)), &in.lane[i], sizeof(T));
            }
        }
    }
}

// Fixed patterns: which elements of a repeat are kept.
constexpr bool KeptByPattern(uint8_t pattern, uint32_t element) {
    switch (pattern) {
        case 1:
        case 2:
            return element % 2 == pattern - 1u;
        case 3:
        case 4:
        case 5:
        case 6:
            return element % 4 == pattern - 3u;
        default:
            return pattern == 7;
    }
}

// `keep(repeat, element)` decides; kept elements follow each other in dst over all repeats.
template <typename T, typename Keep>
uint64_t RunGatherMask(const Operand<T>& dst, const Operand<T>& src, bool reduceMode, uint32_t mask, uint32_t repeats,
                       const Keep& keep) {
    constexpr uint32_t kE = 32 / sizeof(T);
    const uint32_t elements = reduceMode ? mask : kLanes<T>;
    uint64_t kept = 0;
    for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
        for (uint32_t i = 0; i < elements; ++i) {
            if (keep(repeat, i)) {
                const uint8_t* from = src.Block(repeat, i / kE) + i % kE * sizeof(T);
                memmove(dst.Element(kept), from, sizeof(T));
                ++kept;
            }
        }
    }
    Self().registers.gatherRemaining = kept;
    Self().registers.maskCounter = false;
    WriteMask(~0ull, ~0ull);
    return kept;
}

}  // namespace sktwin

namespace AscendC {

#define SKTWIN_REQUIRE_GATHER(api, T)                                            \
    SKTWIN_REQUIRE_TYPE(                                                         \
        api, T, (int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float), \
        (int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t))

template <typename T>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
            const uint32_t srcBaseAddr, const uint32_t count, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_GATHER("Gather", T);
    constexpr uint32_t kN = sktwin::kGatherLanes<T>;
    sktwin::RunGather(sktwin::IssueCount<true>(count), sktwin::Contiguous<kN>(dst, site),
                      sktwin::OperandOf(src, 1, 8, site), sktwin::OperandOf(srcOffset, 1, 8, site), srcBaseAddr);
}
template <typename T, typename M>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
            const uint32_t srcBaseAddr, M mask, const uint8_t repeatTime, const uint16_t dstRepStride,
            sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_GATHER("Gather", T);
    sktwin::RunGather(sktwin::IssueMask<true>(mask, repeatTime, sktwin::kGatherLanes<T>),
                      sktwin::OperandOf(dst, 1, dstRepStride, site), sktwin::OperandOf(src, 1, 8, site),
                      sktwin::OperandOf(srcOffset, 1, 8, site), srcBaseAddr);
}

template <typename T>
void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& offset,
             const uint8_t repeatTime, const GatherRepeatParams& p, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_GATHER("Gatherb", T);
    const auto out = sktwin::OperandOf(dst, p.dstBlkStride == 0 ? 1 : p.dstBlkStride, p.dstRepStride, site);
    const auto in = sktwin::OperandOf(src, 1, 8, site);
    const auto offsets = sktwin::OperandOf(offset, 1, 8, site);
    if (!out) {
        return;
    }
    for (uint32_t r = 0; r < repeatTime; ++r) {
        for (uint32_t j = 0; j < 8; ++j) {
            uint32_t at;
            memcpy(&at, offsets.Element(8ull * r + j), 4);
            memcpy(out.Block(r, j), in.At(at, ONE_BLK_SIZE), ONE_BLK_SIZE);
        }
    }
    sktwin::WriteMask(~0ull, ~0ull);
}

template <typename T>
void Scatter(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& dstOffset,
             const uint32_t dstBaseAddr, const uint32_t count, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE(
        "Scatter", T, (),
        (int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t));
    constexpr uint32_t kN = sktwin::kGatherLanes<T>;
    sktwin::RunScatter(sktwin::IssueCount<true>(count), sktwin::OperandOf(dst, 1, 8, site),
                       sktwin::Contiguous<kN>(src, site), sktwin::OperandOf(dstOffset, 1, 8, site), dstBaseAddr);
}
template <typename T, typename M>
void Scatter(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& dstOffset,
             const uint32_t dstBaseAddr, M mask, const uint8_t repeatTime, const uint8_t srcRepStride,
             sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("Scatter", T, (), (int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float));
    sktwin::RunScatter(sktwin::IssueMask<true>(mask, repeatTime, sktwin::kGatherLanes<T>),
                       sktwin::OperandOf(dst, 1, 8, site), sktwin::OperandOf(src, 1, srcRepStride, site),
                       sktwin::OperandOf(dstOffset, 1, 8, site), dstBaseAddr);
}

#define SKTWIN_REQUIRE_GATHER_MASK(T)                                                                     \
    SKTWIN_REQUIRE_TYPE("GatherMask", T, (int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float), \
                        (int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float))

template <typename T, GatherMaskMode mode = GatherMaskMode::VERSION_V2>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const uint8_t src1Pattern, const bool reduceMode,
                const uint32_t mask, const GatherMaskParams& p, uint64_t& rsvdCnt,
                sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_GATHER_MASK(T);
    const auto out = sktwin::OperandOf(dst, 1, 8, site);
    const auto in = sktwin::OperandOf(src0, p.src0BlockStride, p.src0RepeatStride, site);
    if (out) {
        rsvdCnt = sktwin::RunGatherMask(out, in, reduceMode, mask, p.repeatTimes,
                                        [&](uint32_t, uint32_t i) { return sktwin::KeptByPattern(src1Pattern, i); });
    }
}
template <typename T, typename U, GatherMaskMode mode = GatherMaskMode::VERSION_V2>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<U>& src1Pattern,
                const bool reduceMode, const uint32_t mask, const GatherMaskParams& p, uint64_t& rsvdCnt,
                sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_GATHER_MASK(T);
    static_assert(std::is_unsigned_v<U> && sizeof(U) == sizeof(T),
                  "GatherMask: the pattern tensor holds unsigned integers of the element size");
    const auto out = sktwin::OperandOf(dst, 1, 8, site);
    const auto in = sktwin::OperandOf(src0, p.src0BlockStride, p.src0RepeatStride, site);
    const auto pattern = sktwin::OperandOf(src1Pattern, 1, p.src1RepeatStride, site);
    if (out) {
        rsvdCnt = sktwin::RunGatherMask(out, in, reduceMode, mask, p.repeatTimes, [&](uint32_t repeat, uint32_t i) {
            return (*pattern.At(32ull * repeat * p.src1RepeatStride + i / 8, 1) >> i % 8 & 1) != 0;
        });
    }
}
#undef SKTWIN_REQUIRE_GATHER
#undef SKTWIN_REQUIRE_GATHER_MASK

inline int64_t GetGatherMaskRemainCount() { return static_cast<int64_t>(sktwin::Self().registers.gatherRemaining); }

#if __NPU_ARCH__ == 3510
template <typename T>
void Interleave(const LocalTensor<T>& dst0, const LocalTensor<T>& dst1, const LocalTensor<T>& src0,
                const LocalTensor<T>& src1, const int32_t count, sktwin::Site site = sktwin::Site::Here()) {
    const auto out0 = sktwin::OperandOf(dst0, 1, 8, site);
    const auto out1 = sktwin::OperandOf(dst1, 1, 8, site);
    const auto in0 = sktwin::OperandOf(src0, 1, 8, site);
    const auto in1 = sktwin::OperandOf(src1, 1, 8, site);
    for (int32_t k = 0; out0 && k < 2 * count; ++k) {
        const uint8_t* from = (k % 2 == 0 ? in0 : in1).Element(static_cast<uint64_t>(k / 2));
        memcpy((k < count ? out0 : out1).Element(static_cast<uint64_t>(k % count)), from, sizeof(T));
    }
}
template <typename T>
void DeInterleave(const LocalTensor<T>& dst0, const LocalTensor<T>& dst1, const LocalTensor<T>& src0,
                  const LocalTensor<T>& src1, const int32_t count, sktwin::Site site = sktwin::Site::Here()) {
    const auto out0 = sktwin::OperandOf(dst0, 1, 8, site);
    const auto out1 = sktwin::OperandOf(dst1, 1, 8, site);
    const auto in0 = sktwin::OperandOf(src0, 1, 8, site);
    const auto in1 = sktwin::OperandOf(src1, 1, 8, site);
    for (int32_t k = 0; out0 && k < 2 * count; ++k) {
        const uint8_t* from = (k < count ? in0 : in1).Element(static_cast<uint64_t>(k % count));
        memcpy((k % 2 == 0 ? out0 : out1).Element(static_cast<uint64_t>(k / 2)), from, sizeof(T));
    }
}
template <typename T>
void DeInterleave(const LocalTensor<T>& dst0, const LocalTensor<T>& dst1, const LocalTensor<T>& src,
                  const int32_t srcCount, sktwin::Site site = sktwin::Site::Here()) {
    const auto out0 = sktwin::OperandOf(dst0, 1, 8, site);
    const auto out1 = sktwin::OperandOf(dst1, 1, 8, site);
    const auto in = sktwin::OperandOf(src, 1, 8, site);
    for (int32_t k = 0; out0 && k < srcCount; ++k) {
        memcpy((k % 2 == 0 ? out0 : out1).Element(static_cast<uint64_t>(k / 2)), in.Element(static_cast<uint64_t>(k)),
               sizeof(T));
    }
}
#endif

}  // namespace AscendC
