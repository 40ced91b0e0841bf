// Licensed under the Apache License, Version 2.0.
//
// LoadData 3D: img2col of a NC1HWC0 feature map in L1 into L0A or L0B, and its registers (ascendc_data_cube.md 7.7).
#pragma once

#include <cstdint>

#include "ascendc/cube_load.h"

namespace sktwin::cube {

struct Load3dWindow {
    uint64_t mStart;
    uint64_t mExtent;
    uint64_t kStart;
    uint64_t kExtent;
    bool transpose;
};

// Where the value of virtual row `row` and column `column` of the window goes, in elements.
template <uint64_t c0>
inline uint64_t Load3dTarget(Memory memory, const Load3dWindow& window, uint64_t row, uint64_t column) {
    const uint64_t rows = RoundUp(window.mExtent, kFractalRows);
    if (memory == Memory::kL0b) {
        return Fractals{window.kExtent, rows, c0}.Nz(column, row);
    }
    const Fractals shape = window.transpose ? Fractals{window.kExtent, rows, c0} : Fractals{rows, window.kExtent, c0};
    const uint64_t r = window.transpose ? column : row;
    const uint64_t c = window.transpose ? row : column;
    return kChip3510 ? shape.Nz(r, c) : shape.Zz(r, c);
}

// One load; `dstOffset` in bytes. A source address beyond the L1 boundary register continues at the start of L1.
template <uint32_t bits>
inline void LoadImage(const LocalOperand& dst, const LocalOperand& src, const Img2Col& image,
                      const Load3dWindow& window, int64_t dstOffset) {
    constexpr uint64_t c0 = kRawC0<bits>;
    const uint64_t rows = RoundUp(window.mExtent, kFractalRows);
    const uint64_t columns = RoundUp(window.kExtent, c0);
    const bool turned = dst.memory == Memory::kL0b || window.transpose;
    const uint64_t area = turned ? RoundUp(columns, kFractalRows) * RoundUp(rows, c0) : rows * columns;
    uint8_t* to = dst.Bytes(dstOffset, area * bits / 8);
    const uint64_t padding = Scratch(kScratchLoad3d) & 0xffffffffu;
    const uint64_t boundary = Scratch(kScratchLoad3d) >> 32;
    const Load3dWindow whole{window.mStart, rows, window.kStart, columns, window.transpose};
    for (uint64_t row = 0; row < rows; ++row) {
        for (uint64_t column = 0; column < columns; ++column) {
            const int64_t element = image.Source(window.mStart + row, window.kStart + column);
            uint64_t value = element == Img2Col::kPadding ? padding & ((1ull << bits) - 1) : 0;
            if (element >= 0) {
                int64_t offset = element * int64_t{bits} / 8;
                if (boundary != 0 && src.start + static_cast<uint64_t>(offset) >= boundary) {
                    offset -= static_cast<int64_t>(boundary);
                }
                value = ReadRaw<bits>(src.Bytes(offset, bits < 8 ? 1 : bits / 8), bits < 8 ? element % 2 : 0);
            }
            WriteRaw<bits>(to, Load3dTarget<c0>(dst.memory, whole, row, column), value);
        }
    }
}

inline uint64_t PackFmatrix(uint16_t height, uint16_t width, const uint8_t* pads) {
    return uint64_t{height} | uint64_t{width} << 16 | uint64_t{pads[0]} << 32 | uint64_t{pads[1]} << 40 |
           uint64_t{pads[2]} << 48 | uint64_t{pads[3]} << 56;
}

inline void UseFmatrix(Img2Col* image, uint64_t fmatrix) {
    image->height = fmatrix & 0xffff;
    image->width = fmatrix >> 16 & 0xffff;
    image->padLeft = fmatrix >> 32 & 0xff;
    image->padRight = fmatrix >> 40 & 0xff;
    image->padTop = fmatrix >> 48 & 0xff;
    image->padBottom = fmatrix >> 56;
}

template <typename T>
inline uint32_t PaddingPattern(T value) {
    uint32_t pattern = 0;
    std::memcpy(&pattern, &value, sizeof(T) < sizeof(pattern) ? sizeof(T) : sizeof(pattern));
    return pattern;
}

inline bool IsEmpty(const Img2Col& image, const Load3dWindow& window) {
    return window.kExtent == 0 || window.mExtent == 0 || image.height == 0 || image.width == 0 || image.channels == 0 ||
           image.strideW == 0 || image.strideH == 0 || image.filterW == 0 || image.filterH == 0 ||
           image.dilationW == 0 || image.dilationH == 0;
}

// All repeats of one instruction, as the repeat register says.
template <uint32_t bits>
inline void LoadImages(const LocalOperand& dst, const LocalOperand& src, const Img2Col& image, Load3dWindow window) {
    if (!kChip3510 && bits < 16 && (window.transpose || dst.memory == Memory::kL0b)) {
        Fault("cube-parameter", dst.site, "%s: dav-2201 loads %u-bit elements into L0A without transposition only",
              dst.api, bits);
    }
    if (IsEmpty(image, window)) {
        return;
    }
    const uint64_t control = Scratch(kScratchLoadRepeat);
    const uint64_t times = control & kRepeatSet ? control >> 16 & 0xff : 1;
    const uint64_t step = control & 0xffff;
    const bool alongK = (control >> 24 & 0xff) == 1;
    const uint64_t fractals = RoundUp(window.mExtent, 16) / 16 * CeilDiv(window.kExtent, kRawC0<bits>);
    const uint64_t distance = kChip3510 && (control & kRepeatSet) ? control >> 32 & 0xffff : fractals;
    for (uint64_t repeat = 0; repeat < times; ++repeat) {
        LoadImage<bits>(dst, src, image, window, static_cast<int64_t>(repeat * distance * kFractalBytes));
        (alongK ? window.kStart : window.mStart) += step * (alongK ? kRawC0<bits> : 16);
    }
}

}  // namespace sktwin::cube

namespace AscendC {

inline void SetFmatrix(uint16_t l1H, uint16_t l1W, const uint8_t padList[4],
                       const FmatrixMode& mode = FmatrixMode::FMATRIX_LEFT) {
    if constexpr (sktwin::kHasCubeUnit) {
        using sktwin::cube::Scratch;
        const bool right = mode == FmatrixMode::FMATRIX_RIGHT;
        Scratch(right ? sktwin::cube::kScratchFmatrixRight : sktwin::cube::kScratchFmatrixLeft) =
            sktwin::cube::PackFmatrix(l1H, l1W, padList);
    }
}

template <typename T>
inline void SetLoadDataPaddingValue(const T padValue) {
    if constexpr (sktwin::kHasCubeUnit) {
        uint64_t& slot = sktwin::cube::Scratch(sktwin::cube::kScratchLoad3d);
        sktwin::cube::SetBits(&slot, 0xffffffffull, sktwin::cube::PaddingPattern(padValue));
    }
}

inline void SetLoadDataRepeat(const LoadDataRepeatParam& params) {
    if constexpr (sktwin::kHasCubeUnit) {
        uint64_t& slot = sktwin::cube::Scratch(sktwin::cube::kScratchLoadRepeat);
        sktwin::cube::SetBits(&slot, 0x1ffffffffffffull,
                              sktwin::cube::kRepeatSet | params.repeatStride | uint64_t{params.repeatTime} << 16 |
                                  uint64_t{params.repeatMode} << 24 | uint64_t{params.dstStride} << 32);
    }
}

#if __NPU_ARCH__ == 2201
inline void SetLoadDataBoundary(uint32_t boundaryValue) {
    if constexpr (sktwin::kHasCubeUnit) {
        uint64_t& slot = sktwin::cube::Scratch(sktwin::cube::kScratchLoad3d);
        sktwin::cube::SetBits(&slot, 0xffffffff00000000ull, uint64_t{boundaryValue} << 32);
    }
}
#else
inline void SetLoadDataRepeatWithStride(const LoadDataRepeatParamWithStride& params) { SetLoadDataRepeat(params); }
#endif

template <typename T, const IsResetLoad3dConfig& config = IS_RESER_LOAD3D_DEFAULT_CONFIG, typename U = T>
inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2<U>& params,
                     sktwin::Site site = sktwin::Site::Here()) {
    namespace cube = sktwin::cube;
    if constexpr (sktwin::kHasCubeUnit) {
        if constexpr (config.isSetFMatrix) {
            SetFmatrix(params.l1H, params.l1W, params.padList,
                       params.fMatrixCtrl ? FmatrixMode::FMATRIX_RIGHT : FmatrixMode::FMATRIX_LEFT);
        }
        if constexpr (config.isSetPadding) {
            SetLoadDataPaddingValue(params.padValue);
        }
        cube::Img2Col image{};
        cube::UseFmatrix(&image,
                         cube::Scratch(params.fMatrixCtrl ? cube::kScratchFmatrixRight : cube::kScratchFmatrixLeft));
        image.channels = params.channelSize;
        image.c0 = cube::kC0<T>;
        image.strideW = params.strideW;
        image.strideH = params.strideH;
        image.filterW = params.filterW + (params.filterSizeW ? 256u : 0u);
        image.filterH = params.filterH + (params.filterSizeH ? 256u : 0u);
        image.dilationW = params.dilationFilterW;
        image.dilationH = params.dilationFilterH;
        cube::LoadImages<sktwin::kElementBits<T>>(
            cube::ToL0(dst, "LoadData", site), cube::FromL1(src, "LoadData", site), image,
            {params.mStartPt, params.mExtension, params.kStartPt, params.kExtension, params.enTranspose});
    }
}

template <typename T>
inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2Pro& params,
                     sktwin::Site site = sktwin::Site::Here()) {
    namespace cube = sktwin::cube;
    if constexpr (sktwin::kHasCubeUnit) {
        const auto field = [](uint64_t word, int shift, uint64_t mask) {
            return static_cast<uint32_t>(word >> shift & mask);
        };
        cube::Img2Col image{};
        cube::UseFmatrix(&image,
                         cube::Scratch(params.fMatrixCtrl ? cube::kScratchFmatrixRight : cube::kScratchFmatrixLeft));
        image.channels = params.channelSize;
        image.c0 = cube::kC0<T>;
        image.strideW = field(params.filterConfig, 0, 0xff);
        image.strideH = field(params.filterConfig, 8, 0xff);
        image.filterW = field(params.filterConfig, 16, 0xff) + (params.filterSizeW ? 256u : 0u);
        image.filterH = field(params.filterConfig, 24, 0xff) + (params.filterSizeH ? 256u : 0u);
        image.dilationW = field(params.filterConfig, 32, 0xff);
        image.dilationH = field(params.filterConfig, 40, 0xff);
        cube::LoadImages<sktwin::kElementBits<T>>(
            cube::ToL0(dst, "LoadData", site), cube::FromL1(src, "LoadData", site), image,
            {field(params.extConfig, 48, 0xffff), field(params.extConfig, 16, 0xffff),
             field(params.extConfig, 32, 0xffff), field(params.extConfig, 0, 0xffff), params.enTranspose});
    }
}

}  // namespace AscendC
