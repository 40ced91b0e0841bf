// Licensed under the Apache License, Version 2.0.
//
// Loads from UB into registers (spec ascendc_vector.md 12.4): aligned with distribution modes, by blocks, unaligned,
// and of masks.
#pragma once

#include "ascendc/reg_types.h"

namespace AscendC::Reg {

enum class LoadDist : uint8_t {
    DIST_NORM,
    DIST_BRC_B8,
    DIST_BRC_B16,
    DIST_BRC_B32,
    DIST_US_B8,
    DIST_US_B16,
    DIST_DS_B8,
    DIST_DS_B16,
    DIST_UNPACK_B8,
    DIST_UNPACK_B16,
    DIST_UNPACK_B32,
    DIST_UNPACK4_B8,
    DIST_BLK,
    DIST_E2B_B16,
    DIST_E2B_B32,
    DIST_DINTLV_B8,
    DIST_DINTLV_B16,
    DIST_DINTLV_B32,
};

enum class MaskDist : uint8_t { DIST_NORM, DIST_US, DIST_DS, DIST_PACK };

}  // namespace AscendC::Reg

namespace sktwin::reg {

using AscendC::Reg::LoadDist;
using AscendC::Reg::MaskDist;
using AscendC::Reg::PostLiteral;

// How a mode fills a register: `read` bytes from memory in elements of `width`; register element i is element
// i * times / per of memory, or zero when i is no multiple of `spread`.
struct LoadShape {
    uint32_t width;
    uint32_t read;
    uint32_t alignment;
    uint32_t times = 1;
    uint32_t per = 1;
    bool spread = false;
};

template <LoadDist dist>
constexpr LoadShape ShapeOf() {
    switch (dist) {
        case LoadDist::DIST_BRC_B8:
            return {1, 1, 1, 0};
        case LoadDist::DIST_BRC_B16:
            return {2, 2, 2, 0};
        case LoadDist::DIST_BRC_B32:
            return {4, 4, 4, 0};
        case LoadDist::DIST_US_B8:
            return {1, 128, 32, 1, 2};
        case LoadDist::DIST_US_B16:
            return {2, 128, 32, 1, 2};
        case LoadDist::DIST_DS_B8:
            return {1, 512, 32, 2};
        case LoadDist::DIST_DS_B16:
            return {2, 512, 32, 2};
        case LoadDist::DIST_UNPACK_B8:
            return {1, 128, 32, 1, 2, true};
        case LoadDist::DIST_UNPACK_B16:
            return {2, 128, 32, 1, 2, true};
        case LoadDist::DIST_UNPACK_B32:
            return {4, 128, 32, 1, 2, true};
        case LoadDist::DIST_UNPACK4_B8:
            return {1, 64, 32, 1, 4, true};
        case LoadDist::DIST_BLK:
            return {32, 32, 32, 0};
        case LoadDist::DIST_E2B_B16:
            return {2, 16, 16, 1, 16};
        case LoadDist::DIST_E2B_B32:
            return {4, 32, 32, 1, 8};
        case LoadDist::DIST_DINTLV_B8:
            return {1, 512, 32, 2};
        case LoadDist::DIST_DINTLV_B16:
            return {2, 512, 32, 2};
        case LoadDist::DIST_DINTLV_B32:
            return {4, 512, 32, 2};
        default:
            return {32, kRegisterBytes, 32};
    }
}

template <LoadDist dist>
inline constexpr bool kFillsTwo = dist == LoadDist::DIST_DINTLV_B8 || dist == LoadDist::DIST_DINTLV_B16 ||
                                  dist == LoadDist::DIST_DINTLV_B32;

template <LoadDist dist>
void Distribute(uint8_t* to, const uint8_t* from) {
    constexpr LoadShape kShape = ShapeOf<dist>();
    for (uint32_t i = 0; i < kRegisterBytes / kShape.width; ++i) {
        if (kShape.spread && i % kShape.per != 0) {
            memset(to + i * kShape.width, 0, kShape.width);
        } else {
            memcpy(to + i * kShape.width, from + i * kShape.times / kShape.per * kShape.width, kShape.width);
        }
    }
}

template <LoadDist dist, typename T, const RegTrait& trait>
void LoadOne(RegTensor<T, trait>& dst, const volatile void* src, const char* api, Site site) {
    static_assert(!kFillsTwo<dist>, "Reg::LoadAlign: DIST_DINTLV fills two registers");
    constexpr LoadShape kShape = ShapeOf<dist>();
    if constexpr (dist == LoadDist::DIST_NORM) {
        if (const uint8_t* from = UbBytes(src, sizeof(dst.reg), 32, api, site)) {
            LaneArray<T, kCount<T, trait>> lanes;
            memcpy(static_cast<void*>(lanes.lane), from, sizeof(dst.reg));
            WriteLanes(dst, lanes.lane);
        }
    } else {
        static_assert(trait.REG_NUM == 1, "Reg::LoadAlign: RegTraitNumTwo takes DIST_NORM only");
        static_assert(kShape.width == 32 || kShape.width == sizeof(T),
                      "Reg::LoadAlign: the distribution mode is for elements of another width");
        if (const uint8_t* from = UbBytes(src, kShape.read, kShape.alignment, api, site)) {
            Distribute<dist>(dst.reg[0].bytes, from);
        }
    }
}

template <LoadDist dist, typename T, const RegTrait& trait>
void LoadTwo(RegTensor<T, trait>& dst0, RegTensor<T, trait>& dst1, const volatile void* src, const char* api,
             Site site) {
    static_assert(kFillsTwo<dist> && trait.REG_NUM == 1, "Reg::LoadAlign: two registers take DIST_DINTLV modes only");
    constexpr LoadShape kShape = ShapeOf<dist>();
    static_assert(kShape.width == sizeof(T), "Reg::LoadAlign: the distribution mode is for elements of another width");
    if (const uint8_t* from = UbBytes(src, kShape.read, kShape.alignment, api, site)) {
        Distribute<dist>(dst0.reg[0].bytes, from);
        Distribute<dist>(dst1.reg[0].bytes, from + kShape.width);
    }
}

// Blocks without an active lane are not read and become zero.
template <typename T, const RegTrait& trait>
void LoadBlocks(RegTensor<T, trait>& dst, const uint8_t* src, uint32_t stride, const MaskReg& mask, Site site) {
    static_assert(trait.REG_NUM == 1 && sizeof(T) <= 4, "Reg::LoadAlign: DATA_BLOCK_COPY takes up to 32-bit elements");
    for (uint32_t block = 0; block < 8; ++block) {
        bool any = false;
        for (uint32_t bit = 0; bit < 32; bit += sizeof(T)) {
            any = any || mask.Test(block * 32 + bit);
        }
        memset(dst.reg[0].bytes + block * 32, 0, 32);
        if (any) {
            if (const uint8_t* from = UbBytes(src + uint64_t(32) * stride * block, 32, 32, "LoadAlign", site)) {
                memcpy(dst.reg[0].bytes + block * 32, from, 32);
            }
        }
    }
}

template <MaskDist dist>
void LoadMask(MaskReg& dst, const volatile void* src, Site site) {
    static_assert(dist != MaskDist::DIST_PACK, "Reg::LoadAlign: MaskDist::DIST_PACK is a mode of stores");
    constexpr uint32_t kBytes = dist == MaskDist::DIST_NORM ? 32 : dist == MaskDist::DIST_US ? 16 : 64;
    if (const uint8_t* from = UbBytes(src, kBytes, kBytes < 32 ? 16 : 32, "LoadAlign", site)) {
        for (uint32_t bit = 0; bit < kRegisterBytes; ++bit) {
            const uint32_t at = dist == MaskDist::DIST_NORM ? bit : dist == MaskDist::DIST_US ? bit / 2 : bit * 2;
            dst.Set(bit, (from[at / 8] >> (at % 8) & 1) != 0);
        }
    }
}

}  // namespace sktwin::reg

namespace AscendC::Reg {

using sktwin::Site;

template <typename T = DefaultType, LoadDist dist = LoadDist::DIST_NORM, typename E, const RegTrait& trait, typename P>
void LoadAlign(RegTensor<E, trait>& dst, P* src, Site site = Site::Here()) {
    sktwin::reg::LoadOne<dist>(dst, src, "LoadAlign", site);
}
template <typename T = DefaultType, LoadDist dist = LoadDist::DIST_NORM, typename E, const RegTrait& trait, typename P>
void LoadAlign(RegTensor<E, trait>& dst, P* src, const AddrReg& offset, Site site = Site::Here()) {
    sktwin::reg::LoadOne<dist>(dst, src + offset.offset, "LoadAlign", site);
}
// Then src advances by `stride` elements.
template <typename T, PostLiteral post, LoadDist dist = LoadDist::DIST_NORM, typename E, const RegTrait& trait,
          typename P>
void LoadAlign(RegTensor<E, trait>& dst, P*& src, int32_t stride, Site site = Site::Here()) {
    static_assert(post == PostLiteral::POST_MODE_UPDATE, "Reg::LoadAlign: a stride needs POST_MODE_UPDATE");
    sktwin::reg::LoadOne<dist>(dst, src, "LoadAlign", site);
    src += stride;
}

template <typename T, LoadDist dist, typename E, const RegTrait& trait, typename P>
void LoadAlign(RegTensor<E, trait>& dst0, RegTensor<E, trait>& dst1, P* src, Site site = Site::Here()) {
    sktwin::reg::LoadTwo<dist>(dst0, dst1, src, "LoadAlign", site);
}
template <typename T, LoadDist dist, typename E, const RegTrait& trait, typename P>
void LoadAlign(RegTensor<E, trait>& dst0, RegTensor<E, trait>& dst1, P* src, const AddrReg& offset,
               Site site = Site::Here()) {
    sktwin::reg::LoadTwo<dist>(dst0, dst1, src + offset.offset, "LoadAlign", site);
}
template <typename T, PostLiteral post, LoadDist dist, typename E, const RegTrait& trait, typename P>
void LoadAlign(RegTensor<E, trait>& dst0, RegTensor<E, trait>& dst1, P*& src, int32_t stride,
               Site site = Site::Here()) {
    static_assert(post == PostLiteral::POST_MODE_UPDATE, "Reg::LoadAlign: a stride needs POST_MODE_UPDATE");
    sktwin::reg::LoadTwo<dist>(dst0, dst1, src, "LoadAlign", site);
    src += stride;
}

// Strides count blocks. The second one moves src after the load, or the load itself in POST_MODE_NORMAL.
template <typename T, DataCopyMode mode, typename E, const RegTrait& trait, typename P>
void LoadAlign(RegTensor<E, trait>& dst, P* src, uint32_t blockStride, const MaskReg& mask, Site site = Site::Here()) {
    static_assert(mode == DataCopyMode::DATA_BLOCK_COPY, "Reg::LoadAlign: a block stride needs DATA_BLOCK_COPY");
    sktwin::reg::LoadBlocks(dst, reinterpret_cast<const uint8_t*>(src), blockStride, mask, site);
}
template <typename T, DataCopyMode mode, PostLiteral post, typename E, const RegTrait& trait, typename P>
void LoadAlign(RegTensor<E, trait>& dst, P*& src, uint32_t blockStride, uint32_t repeatStride, const MaskReg& mask,
               Site site = Site::Here()) {
    static_assert(mode == DataCopyMode::DATA_BLOCK_COPY, "Reg::LoadAlign: a block stride needs DATA_BLOCK_COPY");
    P* const next = src + uint64_t(repeatStride) * 32 / sizeof(P);
    const bool update = post == PostLiteral::POST_MODE_UPDATE;
    sktwin::reg::LoadBlocks(dst, reinterpret_cast<const uint8_t*>(update ? src : next), blockStride, mask, site);
    src = update ? next : src;
}

template <typename T = DefaultType, MaskDist dist = MaskDist::DIST_NORM, typename P>
void LoadAlign(MaskReg& dst, P* src, Site site = Site::Here()) {
    sktwin::reg::LoadMask<dist>(dst, src, site);
}
template <typename T = DefaultType, MaskDist dist = MaskDist::DIST_NORM, typename P>
void LoadAlign(MaskReg& dst, P* src, const AddrReg& offset, Site site = Site::Here()) {
    sktwin::reg::LoadMask<dist>(dst, src + offset.offset, site);
}
template <typename T, PostLiteral post, MaskDist dist = MaskDist::DIST_NORM, typename P>
void LoadAlign(MaskReg& dst, P*& src, int32_t stride, Site site = Site::Here()) {
    static_assert(post == PostLiteral::POST_MODE_UPDATE, "Reg::LoadAlign: a stride needs POST_MODE_UPDATE");
    sktwin::reg::LoadMask<dist>(dst, src, site);
    src += stride;
}

// Any address; LoadUnAlignPre begins the stream.
template <typename P>
void LoadUnAlignPre(UnalignReg& unaligned, P* src, Site site = Site::Here()) {
    sktwin::reg::UbBytes(src, 0, 1, "LoadUnAlignPre", site);
    unaligned.loading = true;
}
template <typename T = DefaultType, typename E, const RegTrait& trait, typename P>
void LoadUnAlign(RegTensor<E, trait>& dst, UnalignReg& unaligned, P* src, Site site = Site::Here()) {
    if (!unaligned.loading) {
        sktwin::Fault("unaligned-load-order", site, "LoadUnAlign without LoadUnAlignPre on its register before it");
    }
    if (const uint8_t* from = sktwin::reg::UbBytes(src, sizeof(dst.reg), 1, "LoadUnAlign", site)) {
        sktwin::reg::LaneArray<E, sktwin::reg::kCount<E, trait>> lanes;
        memcpy(static_cast<void*>(lanes.lane), from, sizeof(dst.reg));
        sktwin::reg::WriteLanes(dst, lanes.lane);
    }
}
template <typename T = DefaultType, PostLiteral post = PostLiteral::POST_MODE_UPDATE, typename E,
          const RegTrait& trait, typename P>
void LoadUnAlign(RegTensor<E, trait>& dst, UnalignReg& unaligned, P*& src, uint32_t stride, Site site = Site::Here()) {
    LoadUnAlign(dst, unaligned, src, site);
    src += post == PostLiteral::POST_MODE_UPDATE ? stride : 0;
}
template <typename T = DefaultType, typename E, const RegTrait& trait, typename P>
void Load(RegTensor<E, trait>& dst, P* src, Site site = Site::Here()) {
    UnalignReg unaligned;
    unaligned.loading = true;
    LoadUnAlign(dst, unaligned, src, site);
}

}  // namespace AscendC::Reg
