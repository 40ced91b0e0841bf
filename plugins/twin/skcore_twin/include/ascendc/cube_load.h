// Licensed under the Apache License, Version 2.0.
//
// Loads of fractals into L0A, L0B and L1 (ascendc_data_cube.md 7.2, 7.3, 7.6) and constant fills (7.8).
#pragma once

#include <cstdint>
#include <type_traits>

#include "ascendc/cube_access.h"
#include "ascendc/cube_types.h"
#include "ascendc/tensor.h"

namespace sktwin::cube {

inline constexpr uint32_t kInL1 = In(Memory::kL1);
inline constexpr uint32_t kFromGlobal = kChip3510 ? kInL1 : kInL1 | kInL0;
inline constexpr const char* kFromGlobalText = kChip3510 ? "L1" : "L1, L0A or L0B";

template <typename Tensor>
inline LocalOperand FromL1(const Tensor& tensor, const char* api, Site site) {
    return Operand(tensor, kInL1, "L1", api, site);
}

template <typename Tensor>
inline LocalOperand ToL0(const Tensor& tensor, const char* api, Site site) {
    return Operand(tensor, kInL0, "L0A or L0B", api, site);
}

template <typename Tensor>
inline LocalOperand ToL0b(const Tensor& tensor, const char* api, Site site) {
    return Operand(tensor, In(Memory::kL0b), "L0B", api, site);
}

inline int64_t SourceStep(uint16_t start, uint16_t stride, uint8_t addrMode, uint32_t repeat) {
    const int64_t distance = int64_t{stride} * repeat;
    return addrMode == 1 ? int64_t{start} - distance : int64_t{start} + distance;
}

inline void CopyFractals(const LocalOperand& dst, const LocalOperand& src, const AscendC::LoadData2DParams& params) {
    const int64_t dstStep = kChip3510 ? 1 : int64_t{params.dstGap} + 1;
    for (uint32_t repeat = 0; repeat < params.repeatTimes; ++repeat) {
        const uint8_t* from = src.Fractal(SourceStep(params.startIndex, params.srcStride, 0, repeat));
        uint8_t* to = dst.Fractal(repeat * dstStep);
        if (params.ifTranspose) {
            TransposeSquare<16>(&from, &to);
        } else {
            std::memcpy(to, from, kFractalBytes);
        }
    }
}

inline void CopyGlobalFractals(const LocalOperand& dst, const uint8_t* src, const AscendC::LoadData2DParams& params) {
    const uint8_t mode = dst.memory == Memory::kL1 ? params.addrMode : uint8_t{0};
    for (uint32_t repeat = 0; repeat < params.repeatTimes; ++repeat) {
        const int64_t fractal = SourceStep(params.startIndex, params.srcStride, mode, repeat);
        const uint8_t* from = GlobalAccess(src + fractal * int64_t{kFractalBytes}, kFractalBytes, false, dst.site);
        std::memcpy(dst.Fractal(int64_t{repeat} * (params.dstGap + 1)), from, kFractalBytes);
    }
}

// Where the fractals of one square are: `source` counts from the tensor's start.
template <uint32_t bits>
inline void TransposeOne(const LocalOperand& dst, const LocalOperand& src, int64_t source, int64_t sourceStep,
                         int64_t target, int64_t targetStep) {
    constexpr uint32_t fractals = kSquareFractals<bits>;
    const uint8_t* from[fractals];
    uint8_t* to[fractals];
    for (uint32_t fractal = 0; fractal < fractals; ++fractal) {
        from[fractal] = src.Fractal(source + sourceStep * fractal);
        to[fractal] = dst.Fractal(target + targetStep * fractal);
    }
    TransposeSquare<bits>(from, to);
}

template <uint32_t bits>
inline void LoadWindow(const LocalOperand& dst, const LocalOperand& src, const AscendC::LoadData2DParamsV2& params) {
    const NzWindow window{params.mStartPosition, params.kStartPosition, params.mStep,
                          params.kStep,          params.srcStride,      params.dstStride};
    for (uint64_t column = 0; column < window.columnSteps; ++column) {
        for (uint64_t row = 0; row < window.rowSteps; ++row) {
            const uint8_t* from = src.Fractal(window.SourceFractal(column, row));
            if (!params.ifTranspose) {
                const auto target = static_cast<int64_t>(column * window.targetStride + row);
                std::memcpy(dst.Fractal(target), from, kFractalBytes);
            }
        }
    }
    if (params.ifTranspose && window.rowSteps * window.columnSteps != 0) {
        constexpr uint64_t k0 = kRawC0<bits>;
        const uint64_t columnBlocks = window.rowSteps * 16 / k0;
        const uint64_t rowBlocks = window.columnSteps * k0 / 16;
        if (window.rowSteps * 16 % k0 != 0 || window.columnSteps * k0 % 16 != 0) {
            Fault("cube-parameter", dst.site,
                  "%s: a transposed window of %llu x %llu fractals is no whole number of %u x %u squares", dst.api,
                  static_cast<unsigned long long>(window.rowSteps), static_cast<unsigned long long>(window.columnSteps),
                  kSquareSide<bits>, kSquareSide<bits>);
        }
        dst.Fractal(static_cast<int64_t>((columnBlocks - 1) * window.targetStride + rowBlocks - 1));
        TransposeWindow<bits>(window, src.Bytes(0, 0), dst.Bytes(0, 0));
    }
}

#if __NPU_ARCH__ == 3510
inline void LoadScales(const LocalOperand& dst, const LocalOperand& src, const AscendC::LoadData2DMxParams& params) {
    for (int64_t x = 0; x < params.xStep; ++x) {
        for (int64_t y = 0; y < params.yStep; ++y) {
            const int64_t from = (params.xStartPosition + x) * params.srcStride + params.yStartPosition + y;
            std::memcpy(dst.Bytes((x * params.dstStride + y) * kRowBytes, kRowBytes),
                        src.Bytes(from * kRowBytes, kRowBytes), kRowBytes);
        }
    }
}
#endif

// `pattern` is one 32-byte row of the value.
inline void FillBlocks(const LocalOperand& dst, uint32_t repeats, uint32_t blocks, uint32_t gap,
                       const uint8_t* pattern) {
    const uint64_t unit = dst.memory == Memory::kL1 ? kRowBytes : kFractalBytes;
    for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
        const uint64_t start = uint64_t{repeat} * (blocks + gap) * unit;
        uint8_t* to = dst.Bytes(static_cast<int64_t>(start), blocks * unit);
        for (uint64_t row = 0; row < blocks * unit / kRowBytes; ++row) {
            std::memcpy(to + row * kRowBytes, pattern, kRowBytes);
        }
    }
}

}  // namespace sktwin::cube

namespace AscendC {

template <typename T>
inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParams& params,
                     sktwin::Site site = sktwin::Site::Here()) {
    if constexpr (sktwin::kHasCubeUnit) {
        if (params.ifTranspose && sktwin::kElementBits<T> != 16) {
            sktwin::Fault("cube-parameter", site,
                          "LoadData: ifTranspose moves %u-bit elements, but takes 16-bit ones only; "
                          "use LoadDataWithTranspose",
                          sktwin::kElementBits<T>);
        }
        sktwin::cube::CopyFractals(sktwin::cube::ToL0(dst, "LoadData", site),
                                   sktwin::cube::FromL1(src, "LoadData", site), params);
    }
}

template <typename T>
inline void LoadData(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const LoadData2DParams& params,
                     sktwin::Site site = sktwin::Site::Here()) {
    if constexpr (sktwin::kHasCubeUnit) {
        namespace cube = sktwin::cube;
        cube::CopyGlobalFractals(cube::Operand(dst, cube::kFromGlobal, cube::kFromGlobalText, "LoadData", site),
                                 reinterpret_cast<const uint8_t*>(src.GetPhyAddr()), params);
    }
}

template <typename T>
inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParamsV2& params,
                     sktwin::Site site = sktwin::Site::Here()) {
    static_assert(sktwin::kChip3510 || sizeof(T) == 0, "LoadData with LoadData2DParamsV2 does not exist on dav-2201");
    if constexpr (sktwin::kHasCubeUnit) {
        sktwin::cube::LoadWindow<sktwin::kElementBits<T>>(sktwin::cube::ToL0(dst, "LoadData", site),
                                                          sktwin::cube::FromL1(src, "LoadData", site), params);
    }
}

#if __NPU_ARCH__ == 3510
// The values as with LoadData2DParamsV2, and their scales to the memory that belongs to L0A or L0B.
template <typename T>
inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<fp8_e8m0_t>& srcMx,
                     const LoadData2DParamsV2& params, const LoadData2DMxParams& scales,
                     sktwin::Site site = sktwin::Site::Here()) {
    namespace cube = sktwin::cube;
    static_assert(std::is_same_v<T, fp8_e4m3fn_t> || std::is_same_v<T, fp8_e5m2_t> || sktwin::kIsFloatPair<T>,
                  "LoadData with LoadData2DMxParams: takes fp8_e4m3fn_t, fp8_e5m2_t, fp4x2_e2m1_t and fp4x2_e1m2_t");
    if constexpr (sktwin::kHasCubeUnit) {
        const auto to = cube::ToL0(dst, "LoadData", site);
        cube::LoadWindow<sktwin::kElementBits<T>>(to, cube::FromL1(src, "LoadData", site), params);
        cube::LoadScales(cube::ScalesOf(to), cube::FromL1(srcMx, "LoadData", site), scales);
    }
}
#endif

template <typename T>
inline void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                  const LoadData2dTransposeParams& params, sktwin::Site site = sktwin::Site::Here()) {
    namespace cube = sktwin::cube;
    if constexpr (sktwin::kHasCubeUnit) {
        constexpr uint32_t bits = sktwin::kElementBits<T>;
        constexpr bool onlyB = sktwin::kChip3510 || bits == 4;
        const auto from = cube::FromL1(src, "LoadDataWithTranspose", site);
        const auto to =
            onlyB ? cube::ToL0b(dst, "LoadDataWithTranspose", site) : cube::ToL0(dst, "LoadDataWithTranspose", site);
        for (uint32_t repeat = 0; repeat < params.repeatTimes; ++repeat) {
            const int64_t square = cube::SourceStep(params.startIndex, params.srcStride, params.addrMode, repeat);
            cube::TransposeOne<bits>(to, from, square * cube::kSquareFractals<bits>, 1,
                                     int64_t{repeat} * (params.dstGap + 1), int64_t{params.dstFracGap} + 1);
        }
    }
}

// The documents give 32-bit elements of this form squares of four fractals without saying how they lie: left out.
template <typename T>
inline void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                  const LoadData2dTransposeParamsV2& params, sktwin::Site site = sktwin::Site::Here()) {
    namespace cube = sktwin::cube;
    constexpr uint32_t bits = sktwin::kElementBits<T>;
    static_assert(
        sktwin::kChip3510 && bits != 32,
        "LoadDataWithTranspose with LoadData2dTransposeParamsV2 takes 4-, 8- and 16-bit types on dav-3510 only");
    if constexpr (sktwin::kHasCubeUnit && bits != 32) {
        const auto from = cube::FromL1(src, "LoadDataWithTranspose", site);
        const auto to = cube::ToL0b(dst, "LoadDataWithTranspose", site);
        for (uint32_t repeat = 0; repeat < params.repeatTimes; ++repeat) {
            const int64_t start = cube::SourceStep(params.startIndex, params.srcStride, params.addrMode, repeat);
            cube::TransposeOne<bits>(to, from, start, int64_t{params.srcFracGap} + 1,
                                     int64_t{repeat} * (params.dstGap + 1), int64_t{params.dstFracGap} + 1);
        }
    }
}

template <typename T, typename U>
inline void Fill(const LocalTensor<T>& dst, const InitConstValueParams<U>& params,
                 sktwin::Site site = sktwin::Site::Here()) {
    static_assert(sizeof(U) == 2 || sizeof(U) == 4, "Fill: initValue has 16 or 32 bits on dav-2201 and dav-3510");
    if constexpr (sktwin::kHasCubeUnit && (sizeof(U) == 2 || sizeof(U) == 4)) {
        uint8_t pattern[sktwin::cube::kRowBytes];
        for (uint32_t at = 0; at < sizeof(pattern); at += sizeof(U)) {
            std::memcpy(pattern + at, &params.initValue, sizeof(U));
        }
        namespace cube = sktwin::cube;
        cube::FillBlocks(cube::Operand(dst, cube::kFromGlobal, cube::kFromGlobalText, "Fill", site), params.repeatTimes,
                         params.blockNum, params.dstGap, pattern);
    }
}

template <typename T, typename U>
inline void InitConstValue(const LocalTensor<T>& dst, const InitConstValueParams<U>& params,
                           sktwin::Site site = sktwin::Site::Here()) {
    Fill(dst, params, site);
}

}  // namespace AscendC
