// Licensed under the Apache License, Version 2.0.
//
// Stores of registers and masks to UB (spec ascendc_vector.md 12.5).
#pragma once

#include "ascendc/reg_load.h"

namespace AscendC::Reg {

enum class StoreDist : uint8_t {
    DIST_NORM,
    DIST_NORM_B8,
    DIST_NORM_B16,
    DIST_NORM_B32,
    DIST_FIRST_ELEMENT_B8,
    DIST_FIRST_ELEMENT_B16,
    DIST_FIRST_ELEMENT_B32,
    DIST_PACK_B16,
    DIST_PACK_B32,
    DIST_PACK_B64,
    DIST_PACK4_B32,
    DIST_INTLV_B8,
    DIST_INTLV_B16,
    DIST_INTLV_B32,
};

}  // namespace AscendC::Reg

namespace sktwin {

inline constexpr int kScratchSqueezed = 3;  // the AR register: bytes in all : 32, bytes of the last Squeeze : 32

namespace reg {

using AscendC::Reg::StoreDist;
using AscendC::Reg::UnalignReg;

// A mode stores the first `kept` bytes of elements that are `width` wide, all of them or the first.
struct StoreShape {
    uint32_t width;
    uint32_t kept;
    bool first = false;
};

template <StoreDist dist>
constexpr StoreShape StoreShapeOf(uint32_t width) {
    switch (dist) {
        case StoreDist::DIST_NORM_B8:
        case StoreDist::DIST_INTLV_B8:
            return {1, 1};
        case StoreDist::DIST_NORM_B16:
        case StoreDist::DIST_INTLV_B16:
            return {2, 2};
        case StoreDist::DIST_NORM_B32:
        case StoreDist::DIST_INTLV_B32:
            return {4, 4};
        case StoreDist::DIST_FIRST_ELEMENT_B8:
            return {1, 1, true};
        case StoreDist::DIST_FIRST_ELEMENT_B16:
            return {2, 2, true};
        case StoreDist::DIST_FIRST_ELEMENT_B32:
            return {4, 4, true};
        case StoreDist::DIST_PACK_B16:
            return {2, 1};
        case StoreDist::DIST_PACK_B32:
            return {4, 2};
        case StoreDist::DIST_PACK_B64:
            return {8, 4};
        case StoreDist::DIST_PACK4_B32:
            return {4, 1};
        default:
            return {width, width};
    }
}

template <StoreDist dist>
inline constexpr bool kStoresTwo = dist == StoreDist::DIST_INTLV_B8 || dist == StoreDist::DIST_INTLV_B16 ||
                                   dist == StoreDist::DIST_INTLV_B32;

// Only the bytes of active lanes are written, and need to lie in UB.
inline void StoreElements(const volatile void* dst, const uint8_t* from, uint32_t count, StoreShape shape,
                          const MaskReg& mask, Site site) {
    const uint32_t step = kRegisterBytes / count;
    uint32_t end = 0;
    for (uint32_t i = 0; i < count; ++i) {
        end = mask.Test(i * step) ? i + 1 : end;
    }
    if (end == 0) {
        return;
    }
    if (uint8_t* to = UbBytes(dst, uint64_t(end) * shape.kept, 32, "StoreAlign", site)) {
        for (uint32_t i = 0; i < end; ++i) {
            if (mask.Test(i * step)) {
                memcpy(to + i * shape.kept, from + i * shape.width, shape.kept);
            }
        }
    }
}

template <StoreDist dist, typename T, const RegTrait& trait>
void StoreOne(const volatile void* dst, const RegTensor<T, trait>& src, const MaskReg& mask, Site site) {
    static_assert(!kStoresTwo<dist>, "Reg::StoreAlign: DIST_INTLV stores two registers");
    constexpr StoreShape kShape = StoreShapeOf<dist>(sizeof(T));
    static_assert(trait.REG_NUM == 1 || dist == StoreDist::DIST_NORM || dist == StoreDist::DIST_PACK_B64,
                  "Reg::StoreAlign: RegTraitNumTwo takes DIST_NORM and DIST_PACK_B64 only");
    static_assert(kShape.kept != kShape.width || kShape.width == sizeof(T),
                  "Reg::StoreAlign: the distribution mode is for elements of another width");
    const auto lanes = ReadLanes(src);
    const auto* bytes = reinterpret_cast<const uint8_t*>(lanes.lane);
    if constexpr (kShape.first) {
        if (uint8_t* to = UbBytes(dst, kShape.width, kShape.width, "StoreAlign", site)) {
            memcpy(to, bytes, kShape.width);
        }
    } else {
        StoreElements(dst, bytes, sizeof(src.reg) / kShape.width, kShape, mask, site);
    }
}

template <StoreDist dist, typename T, const RegTrait& trait>
void StoreTwo(const volatile void* dst, const RegTensor<T, trait>& src0, const RegTensor<T, trait>& src1, Site site) {
    static_assert(kStoresTwo<dist> && trait.REG_NUM == 1, "Reg::StoreAlign: two registers take DIST_INTLV modes only");
    constexpr uint32_t kWidth = StoreShapeOf<dist>(0).width;
    static_assert(kWidth == sizeof(T), "Reg::StoreAlign: the distribution mode is for elements of another width");
    if (uint8_t* to = UbBytes(dst, 2 * kRegisterBytes, 32, "StoreAlign", site)) {
        for (uint32_t i = 0; i < kRegisterBytes; i += kWidth) {
            memcpy(to + 2 * i, src0.reg[0].bytes + i, kWidth);
            memcpy(to + 2 * i + kWidth, src1.reg[0].bytes + i, kWidth);
        }
    }
}

template <typename T, const RegTrait& trait>
void StoreBlocks(uint8_t* dst, const RegTensor<T, trait>& src, uint32_t stride, const MaskReg& mask, Site site) {
    static_assert(trait.REG_NUM == 1 && sizeof(T) <= 4, "Reg::StoreAlign: DATA_BLOCK_COPY takes up to 32-bit elements");
    for (uint32_t block = 0; block < 8; ++block) {
        uint8_t* to = nullptr;
        for (uint32_t byte = 0; byte < 32; byte += sizeof(T)) {
            if (mask.Test(block * 32 + byte)) {
                to = to != nullptr ? to
                                   : UbBytes(dst + uint64_t(32) * stride * block, 32, 32, "StoreAlign", site);
                if (to != nullptr) {
                    memcpy(to + byte, src.reg[0].bytes + block * 32 + byte, sizeof(T));
                }
            }
        }
    }
}

template <MaskDist dist>
void StoreMask(const volatile void* dst, const MaskReg& src, Site site) {
    static_assert(dist == MaskDist::DIST_NORM || dist == MaskDist::DIST_PACK,
                  "Reg::StoreAlign: masks take MaskDist::DIST_NORM and DIST_PACK only");
    constexpr uint32_t kStep = dist == MaskDist::DIST_PACK ? 2 : 1;
    if (uint8_t* to = UbBytes(dst, 32 / kStep, 32 / kStep, "StoreAlign", site)) {
        memset(to, 0, 32 / kStep);
        for (uint32_t bit = 0; bit < kRegisterBytes / kStep; ++bit) {
            to[bit / 8] = static_cast<uint8_t>(to[bit / 8] | (src.Test(bit * kStep) ? 1u << (bit % 8) : 0u));
        }
    }
}

// Adds bytes to a stream at `dst`. Whole blocks are written; the rest waits for the next call or StoreUnAlignPost.
inline void Append(const volatile void* dst, const uint8_t* from, uint32_t bytes, UnalignReg& unaligned, Site site) {
    uint8_t* to = UbBytes(dst, bytes, 1, "StoreUnAlign", site);
    if (to == nullptr) {
        return;
    }
    if (unaligned.end != to) {
        unaligned.held = 0;  // the rest of another stream, which nobody has flushed, is lost
    }
    const uint8_t* base = Self().local[static_cast<int>(Memory::kUb)];
    for (uint32_t i = 0; i < bytes; ++i) {
        unaligned.bytes[unaligned.held++] = from[i];
        if ((to + i + 1 - base) % 32 == 0) {
            memcpy(to + i + 1 - unaligned.held, unaligned.bytes, unaligned.held);
            unaligned.held = 0;
        }
    }
    unaligned.end = to + bytes;
}

inline void Flush(UnalignReg& unaligned) {
    if (unaligned.held != 0) {
        memcpy(static_cast<uint8_t*>(const_cast<void*>(unaligned.end)) - unaligned.held, unaligned.bytes,
               unaligned.held);
        unaligned.held = 0;
    }
}

}  // namespace reg
}  // namespace sktwin

namespace AscendC::Reg {

template <typename T = DefaultType, StoreDist dist = StoreDist::DIST_NORM, typename E, const RegTrait& trait,
          typename P>
void StoreAlign(P* dst, const RegTensor<E, trait>& src, const MaskReg& mask, Site site = Site::Here()) {
    sktwin::reg::StoreOne<dist>(dst, src, mask, site);
}
template <typename T = DefaultType, StoreDist dist = StoreDist::DIST_NORM, typename E, const RegTrait& trait,
          typename P>
void StoreAlign(P* dst, const RegTensor<E, trait>& src, const AddrReg& offset, const MaskReg& mask,
                Site site = Site::Here()) {
    sktwin::reg::StoreOne<dist>(dst + offset.offset, src, mask, site);
}
// Then dst advances by `stride` elements.
template <typename T, PostLiteral post, StoreDist dist = StoreDist::DIST_NORM, typename E, const RegTrait& trait,
          typename P>
void StoreAlign(P*& dst, const RegTensor<E, trait>& src, int32_t stride, const MaskReg& mask,
                Site site = Site::Here()) {
    static_assert(post == PostLiteral::POST_MODE_UPDATE, "Reg::StoreAlign: a stride needs POST_MODE_UPDATE");
    sktwin::reg::StoreOne<dist>(dst, src, mask, site);
    dst += stride;
}

template <typename T, StoreDist dist, typename E, const RegTrait& trait, typename P>
void StoreAlign(P* dst, const RegTensor<E, trait>& src0, const RegTensor<E, trait>& src1, const MaskReg&,
                Site site = Site::Here()) {
    sktwin::reg::StoreTwo<dist>(dst, src0, src1, site);
}
template <typename T, StoreDist dist, typename E, const RegTrait& trait, typename P>
void StoreAlign(P* dst, const RegTensor<E, trait>& src0, const RegTensor<E, trait>& src1, const AddrReg& offset,
                const MaskReg&, Site site = Site::Here()) {
    sktwin::reg::StoreTwo<dist>(dst + offset.offset, src0, src1, site);
}

template <typename T, DataCopyMode mode, typename E, const RegTrait& trait, typename P>
void StoreAlign(P* dst, const RegTensor<E, trait>& src, uint32_t blockStride, const MaskReg& mask,
                Site site = Site::Here()) {
    static_assert(mode == DataCopyMode::DATA_BLOCK_COPY, "Reg::StoreAlign: a block stride needs DATA_BLOCK_COPY");
    sktwin::reg::StoreBlocks(reinterpret_cast<uint8_t*>(dst), src, blockStride, mask, site);
}
template <typename T, DataCopyMode mode, PostLiteral post, typename E, const RegTrait& trait, typename P>
void StoreAlign(P*& dst, const RegTensor<E, trait>& src, uint32_t blockStride, uint32_t repeatStride,
                const MaskReg& mask, Site site = Site::Here()) {
    static_assert(mode == DataCopyMode::DATA_BLOCK_COPY, "Reg::StoreAlign: a block stride needs DATA_BLOCK_COPY");
    P* const next = dst + uint64_t(repeatStride) * 32 / sizeof(P);
    const bool update = post == PostLiteral::POST_MODE_UPDATE;
    sktwin::reg::StoreBlocks(reinterpret_cast<uint8_t*>(update ? dst : next), src, blockStride, mask, site);
    dst = update ? next : dst;
}

template <typename T = DefaultType, MaskDist dist = MaskDist::DIST_NORM, typename P>
void StoreAlign(P* dst, const MaskReg& src, Site site = Site::Here()) {
    sktwin::reg::StoreMask<dist>(dst, src, site);
}
template <typename T = DefaultType, MaskDist dist = MaskDist::DIST_NORM, typename P>
void StoreAlign(P* dst, const MaskReg& src, const AddrReg& offset, Site site = Site::Here()) {
    sktwin::reg::StoreMask<dist>(dst + offset.offset, src, site);
}
template <typename T, PostLiteral post, MaskDist dist = MaskDist::DIST_NORM, typename P>
void StoreAlign(P*& dst, const MaskReg& src, int32_t stride, Site site = Site::Here()) {
    static_assert(post == PostLiteral::POST_MODE_UPDATE, "Reg::StoreAlign: a stride needs POST_MODE_UPDATE");
    sktwin::reg::StoreMask<dist>(dst, src, site);
    dst += stride;
}

// The first `stride` elements, at any address.
template <typename T = DefaultType, PostLiteral post = PostLiteral::POST_MODE_UPDATE, typename E,
          const RegTrait& trait, typename P>
void StoreUnAlign(P*& dst, const RegTensor<E, trait>& src, UnalignReg& unaligned, uint32_t stride,
                  Site site = Site::Here()) {
    const auto lanes = sktwin::reg::ReadLanes(src);
    constexpr uint32_t kN = sktwin::reg::kCount<E, trait>;
    sktwin::reg::Append(dst, reinterpret_cast<const uint8_t*>(lanes.lane), (stride < kN ? stride : kN) * sizeof(E),
                        unaligned, site);
    dst += post == PostLiteral::POST_MODE_UPDATE ? stride : 0;
}
// What the last Squeeze kept, after what the ones before it kept: dst stays where the stream begins.
template <typename T = DefaultType, PostLiteral post = PostLiteral::POST_MODE_UPDATE, typename E,
          const RegTrait& trait, typename P>
void StoreUnAlign(P* dst, const RegTensor<E, trait>& src, UnalignReg& unaligned, Site site = Site::Here()) {
    const auto lanes = sktwin::reg::ReadLanes(src);
    const uint64_t state = sktwin::Self().registers.scratch[sktwin::kScratchSqueezed];
    const auto last = static_cast<uint32_t>(state >> 32);
    const uint64_t before = (state & 0xffffffffu) - last;
    sktwin::reg::Append(reinterpret_cast<const uint8_t*>(dst) + before, reinterpret_cast<const uint8_t*>(lanes.lane),
                        last, unaligned, site);
}
// One bit a lane of T; dst advances by the bytes.
template <typename T = DefaultType, typename P>
void StoreUnAlign(P*& dst, const MaskReg& src, UnalignReg& unaligned, Site site = Site::Here()) {
    using Element = std::conditional_t<std::is_same_v<T, DefaultType>, P, T>;
    static_assert(sizeof(Element) == 2 || sizeof(Element) == 4,
                  "Reg::StoreUnAlign: masks of 16- and 32-bit elements only");
    constexpr uint32_t kBytes = 32 / sizeof(Element);
    uint8_t bits[kBytes] = {};
    for (uint32_t i = 0; i < 8 * kBytes; ++i) {
        bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | (src.Test(i * sizeof(Element)) ? 1u << (i % 8) : 0u));
    }
    sktwin::reg::Append(dst, bits, kBytes, unaligned, site);
    dst += kBytes / sizeof(P);
}
template <typename P>
void StoreUnAlignPost(P* dst, UnalignReg& unaligned, [[maybe_unused]] int32_t stride, Site site = Site::Here()) {
    sktwin::reg::UbBytes(dst, 0, 1, "StoreUnAlignPost", site);
    sktwin::reg::Flush(unaligned);
}
template <typename P>
void StoreUnAlignPost(P* dst, UnalignReg& unaligned, Site site = Site::Here()) {
    StoreUnAlignPost(dst, unaligned, 0, site);
}
template <typename T = DefaultType, typename E, const RegTrait& trait, typename P>
void Store(P* dst, const RegTensor<E, trait>& src, uint32_t count = sktwin::reg::kCount<E, trait>,
           Site site = Site::Here()) {
    UnalignReg unaligned;
    StoreUnAlign(dst, src, unaligned, count, site);
    sktwin::reg::Flush(unaligned);
}

// The register that counts the bytes that Squeeze keeps.
template <SpecialPurposeReg name>
void ClearSpr() {
    static_assert(name == SpecialPurposeReg::AR, "Reg::ClearSpr: takes SpecialPurposeReg::AR only");
    sktwin::Self().registers.scratch[sktwin::kScratchSqueezed] = 0;
}
template <SpecialPurposeReg name>
int64_t GetSpr() {
    static_assert(name == SpecialPurposeReg::AR, "Reg::GetSpr: takes SpecialPurposeReg::AR only");
    return static_cast<int64_t>(sktwin::Self().registers.scratch[sktwin::kScratchSqueezed] & 0xffffffffu);
}

}  // namespace AscendC::Reg
