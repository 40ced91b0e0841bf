// Licensed under the Apache License, Version 2.0.
//
// Parameter structures of the cube's interface (ascendc_data_cube.md 7 to 9): field order, constructor order and
// defaults are the interface, since kernels brace-initialise them.
#pragma once

#include <cstdint>

#include "ascendc/types.h"

enum QuantMode_t : uint8_t {
    NoQuant = 0,
    F322F16,
    F322BF16,
    DEQF16,
    VDEQF16,
    QF322B8_PRE,
    VQF322B8_PRE,
    REQ8,
    VREQ8,
    QF322F16_PRE,
    VQF322F16_PRE,
    QF322BF16_PRE,
    VQF322BF16_PRE,
    QS322BF16_PRE,
    VQS322BF16_PRE,
    QF322F32_PRE,
    VQF322F32_PRE,
};

namespace AscendC {

using ::QuantMode_t;

struct LoadData2DParams {
    constexpr LoadData2DParams() = default;
    constexpr LoadData2DParams(uint16_t start, uint8_t repeats, uint16_t source, uint8_t sidIn, uint16_t gap,
                               bool transpose, uint8_t mode)
        : startIndex(start),
          repeatTimes(repeats),
          srcStride(source),
          sid(sidIn),
          dstGap(gap),
          ifTranspose(transpose),
          addrMode(mode) {}
    uint16_t startIndex = 0;
    uint8_t repeatTimes = 0;
    uint16_t srcStride = 0;
    uint8_t sid = 0;
    uint16_t dstGap = 0;
    bool ifTranspose = false;
    uint8_t addrMode = 0;
};

struct LoadData2DParamsV2 {
    constexpr LoadData2DParamsV2() = default;
    constexpr LoadData2DParamsV2(uint32_t mStart, uint32_t kStart, uint16_t mSteps, uint16_t kSteps, int32_t source,
                                 uint16_t destination, bool transpose, uint8_t sidIn)
        : mStartPosition(mStart),
          kStartPosition(kStart),
          mStep(mSteps),
          kStep(kSteps),
          srcStride(source),
          dstStride(destination),
          ifTranspose(transpose),
          sid(sidIn) {}
    uint32_t mStartPosition = 0;
    uint32_t kStartPosition = 0;
    uint16_t mStep = 0;
    uint16_t kStep = 0;
    int32_t srcStride = 0;
    uint16_t dstStride = 0;
    bool ifTranspose = false;
    uint8_t sid = 0;
};

#if __NPU_ARCH__ == 3510
// Scales of MX operands: x counts 16 rows or columns, y 64 elements of K.
struct LoadData2DMxParams {
    constexpr LoadData2DMxParams() = default;
    constexpr LoadData2DMxParams(uint16_t xStart, uint16_t yStart, uint8_t xSteps, uint8_t ySteps, uint16_t source,
                                 uint16_t destination)
        : xStartPosition(xStart),
          yStartPosition(yStart),
          xStep(xSteps),
          yStep(ySteps),
          srcStride(source),
          dstStride(destination) {}
    uint16_t xStartPosition = 0;
    uint16_t yStartPosition = 0;
    uint8_t xStep = 0;
    uint8_t yStep = 0;
    uint16_t srcStride = 0;
    uint16_t dstStride = 0;
};
#endif

struct LoadData2dTransposeParams {
    constexpr LoadData2dTransposeParams() = default;
    constexpr LoadData2dTransposeParams(uint16_t start, uint8_t repeats, uint16_t source, uint16_t gap,
                                        uint16_t fractalGap, uint8_t mode = 0)
        : startIndex(start),
          repeatTimes(repeats),
          srcStride(source),
          dstGap(gap),
          dstFracGap(fractalGap),
          addrMode(mode) {}
    uint16_t startIndex = 0;
    uint8_t repeatTimes = 0;
    uint16_t srcStride = 0;
    uint16_t dstGap = 0;
    uint16_t dstFracGap = 0;
    uint8_t addrMode = 0;
};

struct LoadData2dTransposeParamsV2 {
    constexpr LoadData2dTransposeParamsV2() = default;
    constexpr LoadData2dTransposeParamsV2(uint16_t start, uint8_t repeats, uint16_t source, uint16_t gap,
                                          uint16_t fractalGap, uint16_t sourceGap, uint8_t mode = 0)
        : startIndex(start),
          repeatTimes(repeats),
          srcStride(source),
          dstGap(gap),
          dstFracGap(fractalGap),
          srcFracGap(sourceGap),
          addrMode(mode) {}
    uint16_t startIndex = 0;
    uint8_t repeatTimes = 0;
    uint16_t srcStride = 0;
    uint16_t dstGap = 0;
    uint16_t dstFracGap = 0;
    uint16_t srcFracGap = 0;
    uint8_t addrMode = 0;
};

enum class FmatrixMode : uint8_t { FMATRIX_LEFT = 0, FMATRIX_RIGHT = 1 };

template <typename T>
struct LoadData3DParamsV2 {
    constexpr LoadData3DParamsV2() = default;
    constexpr LoadData3DParamsV2(const uint8_t pads[4], uint16_t h, uint16_t w, uint16_t channels, uint16_t kExtent,
                                 uint16_t mExtent, uint16_t kStart, uint16_t mStart, uint8_t strideWIn,
                                 uint8_t strideHIn, uint8_t filterWIn, uint8_t filterHIn, uint8_t dilationW,
                                 uint8_t dilationH, bool transpose, bool smallK, T pad, bool wideFilter = false,
                                 bool highFilter = false, bool control = false)
        : padList{pads[0], pads[1], pads[2], pads[3]},
          l1H(h),
          l1W(w),
          channelSize(channels),
          kExtension(kExtent),
          mExtension(mExtent),
          kStartPt(kStart),
          mStartPt(mStart),
          strideW(strideWIn),
          strideH(strideHIn),
          filterW(filterWIn),
          filterH(filterHIn),
          dilationFilterW(dilationW),
          dilationFilterH(dilationH),
          enTranspose(transpose),
          enSmallK(smallK),
          padValue(pad),
          filterSizeW(wideFilter),
          filterSizeH(highFilter),
          fMatrixCtrl(control) {}
    uint8_t padList[4] = {0, 0, 0, 0};  // left, right, top, bottom
    uint16_t l1H = 0;
    uint16_t l1W = 0;
    uint16_t channelSize = 0;
    uint16_t kExtension = 0;
    uint16_t mExtension = 0;
    uint16_t kStartPt = 0;
    uint16_t mStartPt = 0;
    uint8_t strideW = 1;
    uint8_t strideH = 1;
    uint8_t filterW = 1;
    uint8_t filterH = 1;
    uint8_t dilationFilterW = 1;
    uint8_t dilationFilterH = 1;
    bool enTranspose = false;
    bool enSmallK = false;
    T padValue = T(0);
    bool filterSizeW = false;
    bool filterSizeH = false;
    bool fMatrixCtrl = false;
};

struct LoadData3DParamsV2Pro {
    uint16_t channelSize = 0;
    bool enTranspose = false;
    bool enSmallK = false;
    bool filterSizeW = false;
    bool filterSizeH = false;
    bool fMatrixCtrl = false;
    uint64_t extConfig = 0;
    uint64_t filterConfig = 0x0000010101010101;
};

struct IsResetLoad3dConfig {
    bool isSetFMatrix = true;
    bool isSetPadding = true;
};
inline constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};

struct LoadDataRepeatParam {
    constexpr LoadDataRepeatParam() = default;
    constexpr LoadDataRepeatParam(uint16_t stride, uint8_t times, uint8_t mode, uint16_t destination = 0)
        : repeatStride(stride), repeatTime(times), repeatMode(mode), dstStride(destination) {}
    uint16_t repeatStride = 0;
    uint8_t repeatTime = 1;
    uint8_t repeatMode = 0;
    uint16_t dstStride = 0;
};
using LoadDataRepeatParamWithStride = LoadDataRepeatParam;

template <typename T>
struct InitConstValueParams {
    constexpr InitConstValueParams() = default;
    constexpr InitConstValueParams(uint16_t repeats, uint16_t blocks, uint16_t gap, T value)
        : repeatTimes(repeats), blockNum(blocks), dstGap(gap), initValue(value) {}
    constexpr InitConstValueParams(uint16_t repeats, T value) : repeatTimes(repeats), blockNum(1), initValue(value) {}
    uint16_t repeatTimes = 0;
    uint16_t blockNum = 0;
    uint16_t dstGap = 0;
    T initValue = T(0);
};

struct MmadParams {
    constexpr MmadParams() = default;
    constexpr MmadParams(uint16_t rows, uint16_t columns, uint16_t depth, bool bias, int32_t offset, bool sparse,
                         bool winogradA, bool winogradB)
        : m(rows),
          n(columns),
          k(depth),
          isBias(bias),
          fmOffset(offset),
          enSsparse(sparse),
          enWinogradA(winogradA),
          enWinogradB(winogradB) {}
    constexpr MmadParams(uint16_t rows, uint16_t columns, uint16_t depth, uint8_t unit, bool source, bool initial)
        : m(rows), n(columns), k(depth), unitFlag(unit), cmatrixSource(source), cmatrixInitVal(initial) {}
    uint16_t m = 0;
    uint16_t n = 0;
    uint16_t k = 0;
    bool isBias = false;
    int32_t fmOffset = 0;
    bool enSsparse = false;
    bool enWinogradA = false;
    bool enWinogradB = false;
    uint8_t unitFlag = 0;
#if __NPU_ARCH__ == 2201
    bool kDirectionAlign = false;
#else
    bool disableGemv = false;
#endif
    bool cmatrixSource = false;
    bool cmatrixInitVal = true;
};

enum class HF32Mode : uint8_t { ENABLE = 0, DISABLE = 1 };
enum class HF32TransMode : uint8_t { NEAREST_ZERO = 0, NEAREST_EVEN = 1 };

enum class CO2Layout : uint8_t { NZ = 0, ROW_MAJOR, COLUMN_MAJOR };

struct FixpipeConfig {
    CO2Layout format;
    bool isToUB = false;
};
inline constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ, false};
inline constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR, false};

struct FixpipeParamsV220 {
    constexpr FixpipeParamsV220() = default;
    constexpr FixpipeParamsV220(uint16_t columns, uint16_t rows, uint16_t source, uint32_t destination, bool relu)
        : nSize(columns), mSize(rows), srcStride(source), dstStride(destination), reluEn(relu) {}
    constexpr FixpipeParamsV220(uint16_t columns, uint16_t rows, uint16_t source, uint32_t destination, bool relu,
                                QuantMode_t mode, int64_t scalar, uint16_t nd, uint16_t srcNd, uint16_t dstNd)
        : nSize(columns),
          mSize(rows),
          srcStride(source),
          dstStride(destination),
          quantPre(mode),
          deqScalar(static_cast<uint64_t>(scalar)),
          ndNum(nd),
          srcNdStride(srcNd),
          dstNdStride(dstNd),
          reluEn(relu) {}
    uint16_t nSize = 0;
    uint16_t mSize = 0;
    uint16_t srcStride = 0;
    uint32_t dstStride = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar = 0;
    uint16_t ndNum = 1;
    uint16_t srcNdStride = 0;
    uint16_t dstNdStride = 0;
    bool reluEn = false;
    uint8_t unitFlag = 0;
    bool isChannelSplit = false;
};

#if __NPU_ARCH__ == 3510
inline constexpr FixpipeConfig CFG_COLUMN_MAJOR = {CO2Layout::COLUMN_MAJOR, false};

struct Nz2NdParams {
    uint16_t ndNum = 1;
    uint16_t srcNdStride = 0;
    uint32_t dstNdStride = 0;
};

struct Nz2DnParams {
    uint16_t dnNum = 1;
    uint16_t srcNzMatrixStride = 0;
    uint32_t dstDnMatrixStride = 0;
    uint16_t srcNzC0Stride = 1;
};

template <CO2Layout format>
struct FixpipeLayoutParams {
    using Type = uint8_t;
};
template <>
struct FixpipeLayoutParams<CO2Layout::ROW_MAJOR> {
    using Type = Nz2NdParams;
};
template <>
struct FixpipeLayoutParams<CO2Layout::COLUMN_MAJOR> {
    using Type = Nz2DnParams;
};

template <CO2Layout format = CO2Layout::ROW_MAJOR>
struct FixpipeParamsArch3510 {
    constexpr FixpipeParamsArch3510() = default;
    constexpr FixpipeParamsArch3510(uint16_t columns, uint16_t rows, uint16_t source, uint32_t destination)
        : nSize(columns), mSize(rows), srcStride(source), dstStride(destination) {}
    uint16_t nSize = 0;
    uint16_t mSize = 0;
    uint16_t srcStride = 0;
    uint32_t dstStride = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar = 0;
    bool reluEn = false;
    uint8_t unitFlag = 0;
    uint8_t dualDstCtl = 0;
    uint8_t subBlockId = 0;
    bool isChannelSplit = false;
    typename FixpipeLayoutParams<format>::Type params = {};
};
template <CO2Layout format = CO2Layout::ROW_MAJOR>
using FixpipeParamsC310 = FixpipeParamsArch3510<format>;
#endif

struct DataCopyCO12DstParams {
    constexpr DataCopyCO12DstParams() = default;
    constexpr DataCopyCO12DstParams(uint16_t columns, uint16_t rows, uint32_t destination, uint16_t source,
                                    QuantMode_t mode, uint8_t relu, bool split, bool nd)
        : nSize(columns),
          mSize(rows),
          dstStride(destination),
          srcStride(source),
          quantPre(mode),
          reluPre(relu),
          channelSplit(split),
          nz2ndEn(nd) {}
    uint8_t sid = 0;
    uint16_t nSize = 0;
    uint16_t mSize = 0;
    uint32_t dstStride = 0;
    uint16_t srcStride = 0;
    uint8_t unitFlag = 0;
    uint8_t clipReluPre = 0;
    uint8_t eltWiseOp = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint8_t reluPre = 0;
    bool channelSplit = false;
    bool nz2ndEn = false;
};

}  // namespace AscendC
