// Licensed under the Apache License, Version 2.0.
//
// Transposes (spec ascendc_vector.md 9).
#pragma once

#include "ascendc/vector_mask.h"

namespace AscendC {

// One block of 16 by 16 elements of 16 bits.
template <typename T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TYPE("Transpose", T, (int16_t, uint16_t, half), (int16_t, uint16_t, half));
    const auto out = sktwin::OperandOf(dst, 1, 8, site);
    const auto in = sktwin::OperandOf(src, 1, 8, site);
    if (!out) {
        return;
    }
    T block[256];
    memcpy(block, in.At(0, sizeof(block)), sizeof(block));
    for (uint32_t i = 0; i < 256; ++i) {
        memcpy(out.Element(i % 16 * 16 + i / 16), &block[i], sizeof(T));
    }
}

template <typename T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>&,
               const TransposeParamsExt& p, sktwin::Site site = sktwin::Site::Here()) {
    if (p.transposeType == TransposeType::TRANSPOSE_ND2ND_B16) {
        if constexpr (sizeof(T) == 2) {
            return Transpose(dst.template ReinterpretCast<uint16_t>(), src.template ReinterpretCast<uint16_t>(), site);
        }
    }
    const bool toNhwc = p.transposeType == TransposeType::TRANSPOSE_NCHW2NHWC;
    if (!toNhwc && p.transposeType != TransposeType::TRANSPOSE_NHWC2NCHW) {
        sktwin::Fault("transpose-type", site,
                      "Transpose: type %d does not go with this form or element size; use "
                      "TRANSPOSE_ND2ND_B16, TRANSPOSE_NCHW2NHWC or TRANSPOSE_NHWC2NCHW",
                      static_cast<int>(p.transposeType));
    }
    const auto out = sktwin::OperandOf(dst, 1, 8, site);
    const auto in = sktwin::OperandOf(src, 1, 8, site);
    const uint64_t pixels = uint64_t(p.hSize) * p.wSize;
    for (uint64_t n = 0; out && n < p.nSize; ++n) {
        for (uint64_t c = 0; c < p.cSize; ++c) {
            for (uint64_t i = 0; i < pixels; ++i) {
                const uint64_t planar = (n * p.cSize + c) * pixels + i;
                const uint64_t packed = (n * pixels + i) * p.cSize + c;
                memcpy(out.Element(toNhwc ? packed : planar), in.Element(toNhwc ? planar : packed), sizeof(T));
            }
        }
    }
}

namespace detail {

// 16 source blocks and 16 destination blocks of one repeat, read before any is written.
template <typename T>
void TransData(uint8_t* const dst[16], const uint8_t* const src[16], const TransDataTo5HDParams& p) {
    for (uint32_t repeat = 0; repeat < p.repeatTimes; ++repeat) {
        uint8_t block[16][32];
        for (uint32_t j = 0; j < 16; ++j) {
            memcpy(block[j], src[j] + 32ull * repeat * p.srcRepStride, 32);
        }
        for (uint32_t i = 0; i < 32 / sizeof(T); ++i) {
            for (uint32_t j = 0; j < 16; ++j) {
                uint64_t row = i;
                uint64_t column = j * sizeof(T);
                uint64_t from = i * sizeof(T);
                if (sizeof(T) == 1) {
                    if (i >= 16) {
                        continue;
                    }
                    column += p.dstHighHalf ? 16 : 0;
                    from += p.srcHighHalf ? 16 : 0;
                } else if (sizeof(T) == 4) {
                    row = 2 * i + j / 8;
                    column = j % 8 * 4;
                }
                memcpy(dst[row] + 32ull * repeat * p.dstRepStride + column, block[j] + from, sizeof(T));
            }
        }
    }
}

}  // namespace detail

#define SKTWIN_REQUIRE_TRANSDATA(T)                                                                                \
    SKTWIN_REQUIRE_TYPE("TransDataTo5HD", T, (int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float), \
                        (int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float))

template <typename T>
void TransDataTo5HD(const LocalTensor<T> (&dstList)[16], const LocalTensor<T> (&srcList)[16],
                    const TransDataTo5HDParams& p, sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TRANSDATA(T);
    uint8_t* dst[16];
    const uint8_t* src[16];
    const uint64_t dstBytes = 32ull * (p.repeatTimes == 0 ? 0 : p.repeatTimes - 1) * p.dstRepStride + 32;
    const uint64_t srcBytes = 32ull * (p.repeatTimes == 0 ? 0 : p.repeatTimes - 1) * p.srcRepStride + 32;
    for (uint32_t i = 0; i < 16; ++i) {
        const auto to = sktwin::OperandOf(dstList[i], 1, 8, site);
        const auto from = sktwin::OperandOf(srcList[i], 1, 8, site);
        if (!to) {
            return;
        }
        dst[i] = to.At(0, dstBytes);
        src[i] = from.At(0, srcBytes);
    }
    detail::TransData<T>(dst, src, p);
}
template <typename T>
void TransDataTo5HD(LocalTensor<T> (&dstList)[16], LocalTensor<T> (&srcList)[16], const TransDataTo5HDParams& p,
                    sktwin::Site site = sktwin::Site::Here()) {
    TransDataTo5HD<T>(const_cast<const LocalTensor<T>(&)[16]>(dstList),
                      const_cast<const LocalTensor<T>(&)[16]>(srcList), p, site);
}
// The addresses are those of GetPhyAddr.
template <typename T>
void TransDataTo5HD(uint64_t dstList[16], uint64_t srcList[16], const TransDataTo5HDParams& p,
                    sktwin::Site site = sktwin::Site::Here()) {
    SKTWIN_REQUIRE_TRANSDATA(T);
    const uint8_t* base = sktwin::Self().local[static_cast<int>(sktwin::Memory::kUb)];
    LocalTensor<T> dst[16];
    LocalTensor<T> src[16];
    for (uint32_t i = 0; sktwin::LocalSize(sktwin::Memory::kUb) != 0 && i < 16; ++i) {
        const auto to = static_cast<uint32_t>(reinterpret_cast<const uint8_t*>(dstList[i]) - base);
        const auto from = static_cast<uint32_t>(reinterpret_cast<const uint8_t*>(srcList[i]) - base);
        dst[i] = LocalTensor<T>(TPosition::VECCALC, to, 32 / sizeof(T), site);
        src[i] = LocalTensor<T>(TPosition::VECCALC, from, 32 / sizeof(T), site);
    }
    if (sktwin::LocalSize(sktwin::Memory::kUb) != 0) {
        TransDataTo5HD<T>(dst, src, p, site);
    }
}
#undef SKTWIN_REQUIRE_TRANSDATA

}  // namespace AscendC
