// Licensed under the Apache License, Version 2.0.
//
// Fixpipe, DataCopy from CO1, and the registers of the output path (ascendc_data_cube.md 9).
#pragma once

#include <cstdint>

#include "ascendc/cube_access.h"
#include "ascendc/cube_output.h"
#include "ascendc/cube_types.h"
#include "ascendc/tensor.h"

namespace sktwin::cube {

inline OutputMode ModeOf(QuantMode_t mode, bool relu) {
    return {mode, relu, (Self().registers.ctrl & kCtrlKeepInfinity) != 0};
}

template <typename Out, typename Acc>
inline void RequireMode(QuantMode_t mode, const char* api, Site site) {
    if (!QuantModeFits<Out, Acc>(mode)) {
        Fault("fixpipe-quant-mode", site,
              "%s: quantPre %d does not turn %s of L0C into a destination of %u bytes on "
              "dav-%d; choose the mode of this pair of types (9.4)",
              api, static_cast<int>(mode), kIsIntAccumulator<Acc> ? "int32_t" : "float",
              static_cast<unsigned>(sizeof(Out)), __NPU_ARCH__);
    }
}

template <typename Out, typename Tensor>
inline OutputTarget<Out> LocalTarget(const Tensor& tensor, const char* api, Site site) {
    constexpr uint32_t allowed = kChip3510 ? In(Memory::kL1) | In(Memory::kUb) : In(Memory::kL1);
    const auto operand = Operand(tensor, allowed, kChip3510 ? "L1 or UB" : "L1", api, site);
    return OutputTarget<Out>::Local(&Self(), operand.memory, operand.start, site);
}

// The per-column parameters: `columns` words of L1 or of the fixpipe buffer.
inline const uint64_t* ColumnImages(const LocalOperand& operand, uint64_t columns) {
    return reinterpret_cast<const uint64_t*>(operand.Bytes(0, columns * sizeof(uint64_t)));
}

template <typename Out, typename Acc>
inline void RunTile(const OutputTile& tile, const LocalOperand& source, const OutputTarget<Out>& target) {
    if (tile.rows == 0 || tile.columns == 0 || tile.matrices == 0) {
        return;
    }
    WriteTile<Out, Acc>(tile, reinterpret_cast<const Acc*>(source.Bytes(0, tile.SourceSpan() * sizeof(Acc))), target);
}

template <typename Out, typename Acc>
inline void RequireSplit(bool channelSplit, AscendC::CO2Layout layout, Site site) {
    const bool possible = std::is_same_v<Out, float> && std::is_same_v<Acc, float> && layout == AscendC::CO2Layout::NZ;
    if (channelSplit && !possible) {
        Fault("cube-parameter", site, "Fixpipe: isChannelSplit needs float results of float accumulators in NZ");
    }
}

inline constexpr uint32_t kMemoryL0c = In(Memory::kL0c);

#if __NPU_ARCH__ == 2201
template <typename Out, typename Acc>
inline OutputTile TileOf(const AscendC::FixpipeParamsV220& params, AscendC::CO2Layout layout, Site site) {
    RequireMode<Out, Acc>(params.quantPre, "Fixpipe", site);
    RequireSplit<Out, Acc>(params.isChannelSplit, layout, site);
    const bool rows = layout == AscendC::CO2Layout::ROW_MAJOR;
    OutputTile tile{};
    tile.rows = params.mSize;
    tile.columns = params.nSize;
    tile.layout = layout;
    tile.matrices = rows ? params.ndNum : 1;
    tile.sourceMatrix = uint64_t{params.srcNdStride} * kAccumulatorFractal;
    tile.targetMatrix = params.dstNdStride;
    tile.sourceBlock = uint64_t{params.srcStride} * 16;
    tile.sourceRow = 16;
    tile.targetPitch = rows ? uint64_t{params.dstStride} : uint64_t{params.dstStride} * (kRowBytes / sizeof(Out));
    tile.blockWidth = NzWidth<Out>(params.isChannelSplit);
    tile.mode = ModeOf(params.quantPre, params.reluEn);
    tile.image = params.deqScalar;
    return tile;
}
#else
inline void SetLayout(OutputTile* tile, const AscendC::Nz2NdParams& params) {
    tile->matrices = params.ndNum;
    tile->sourceMatrix = uint64_t{params.srcNdStride} * 16;
    tile->targetMatrix = params.dstNdStride;
}
inline void SetLayout(OutputTile* tile, const AscendC::Nz2DnParams& params) {
    tile->matrices = params.dnNum;
    tile->sourceMatrix = uint64_t{params.srcNzMatrixStride} * 16;
    tile->targetMatrix = params.dstDnMatrixStride;
    tile->sourceRow = uint64_t{params.srcNzC0Stride} * 16;
}
inline void SetLayout(OutputTile*, uint8_t) {}

template <typename Out, typename Acc, AscendC::CO2Layout layout>
inline OutputTile TileOf(const AscendC::FixpipeParamsArch3510<layout>& params, Site site) {
    RequireMode<Out, Acc>(params.quantPre, "Fixpipe", site);
    RequireSplit<Out, Acc>(params.isChannelSplit, layout, site);
    OutputTile tile{};
    tile.rows = params.mSize;
    tile.columns = params.nSize;
    tile.layout = layout;
    tile.matrices = 1;
    tile.sourceBlock = uint64_t{params.srcStride} * 16;
    tile.sourceRow = 16;
    tile.targetPitch = params.dstStride;
    tile.blockWidth = NzWidth<Out>(params.isChannelSplit);
    tile.mode = ModeOf(params.quantPre, params.reluEn);
    tile.image = params.deqScalar;
    SetLayout(&tile, params.params);
    return tile;
}

// Results for UB go to one AIV of the group, or to both, each half at the same address.
template <typename Out, typename Acc>
inline void RunTileToUb(OutputTile tile, const LocalOperand& source, const OutputTarget<Out>& target, uint8_t dual,
                        uint8_t subBlock) {
    if (dual == 0) {
        RunTile<Out, Acc>(tile, source, target.OnCore(&GroupCore(CoreKind::kAiv, subBlock, source.site)));
        return;
    }
    const bool byRows = dual == 1;
    if ((byRows ? tile.rows % 2 : tile.columns % 32) != 0) {
        Fault("cube-parameter", source.site,
              "Fixpipe: dualDstCtl %u splits %llu x %llu; mSize must be even for 1, nSize a "
              "multiple of 32 for 2",
              dual, static_cast<unsigned long long>(tile.rows), static_cast<unsigned long long>(tile.columns));
    }
    (byRows ? tile.rows : tile.columns) /= 2;
    const uint64_t distance = byRows ? tile.rows * tile.sourceRow : tile.columns / 16 * tile.sourceBlock;
    LocalOperand second = source;
    second.start += distance * sizeof(Acc);
    RunTile<Out, Acc>(tile, source, target.OnCore(&GroupCore(CoreKind::kAiv, 0, source.site)));
    tile.images = tile.images != nullptr && !byRows ? tile.images + tile.columns : tile.images;
    RunTile<Out, Acc>(tile, second, target.OnCore(&GroupCore(CoreKind::kAiv, 1, source.site)));
}
#endif

// `vector` is null or holds one parameter a column.
template <typename Out, typename Acc, AscendC::CO2Layout layout, typename Params>
inline void IssueFixpipe(const OutputTarget<Out>& target, const LocalOperand& source, const LocalOperand* vector,
                         const Params& params) {
#if __NPU_ARCH__ == 2201
    OutputTile tile = TileOf<Out, Acc>(params, layout, source.site);
#else
    OutputTile tile = TileOf<Out, Acc, layout>(params, source.site);
#endif
    if (IsVectorMode(params.quantPre) && vector == nullptr) {
        Fault("cube-parameter", source.site,
              "Fixpipe: quantPre %d takes one parameter a column; pass them as cbufWorkspace",
              static_cast<int>(params.quantPre));
    }
    if (IsVectorMode(params.quantPre)) {
        tile.images = ColumnImages(*vector, tile.columns);
    }
#if __NPU_ARCH__ == 3510
    if (target.IsUb()) {
        RunTileToUb<Out, Acc>(tile, source, target, params.dualDstCtl, params.subBlockId);
        return;
    }
#endif
    RunTile<Out, Acc>(tile, source, target);
}

// DataCopy from CO1 takes the parameters of quantisation and of ND from the registers.
template <typename Out, typename Acc>
inline void CopyAccumulators(const OutputTarget<Out>& target, const LocalOperand& source,
                             const AscendC::DataCopyCO12DstParams& params) {
    const auto layout = params.nz2ndEn ? AscendC::CO2Layout::ROW_MAJOR : AscendC::CO2Layout::NZ;
    RequireMode<Out, Acc>(params.quantPre, "DataCopy from CO1", source.site);
    RequireSplit<Out, Acc>(params.channelSplit, layout, source.site);
    const uint64_t registers = Scratch(kScratchFixpipe);
    OutputTile tile{};
    tile.rows = params.mSize;
    tile.columns = params.nSize;
    tile.layout = layout;
    tile.matrices = params.nz2ndEn ? registers & 0xffff : 1;
    tile.sourceMatrix = (registers >> 16 & 0xffff) * (kChip3510 ? 16 : kAccumulatorFractal);
    tile.targetMatrix = registers >> 32 & 0xffff;
    tile.sourceBlock = uint64_t{params.srcStride} * 16;
    tile.sourceRow = 16;
    tile.targetPitch = params.nz2ndEn || kChip3510 ? uint64_t{params.dstStride}
                                                   : uint64_t{params.dstStride} * (kRowBytes / sizeof(Out));
    tile.blockWidth = NzWidth<Out>(params.channelSplit);
    tile.mode = ModeOf(params.quantPre, params.reluPre != 0);
    tile.image = Scratch(kScratchQuantImage);
    if (IsVectorMode(params.quantPre)) {
        if ((registers & kFixpipeVectorSet) == 0) {
            Fault("cube-parameter", source.site,
                  "DataCopy from CO1: quantPre %d takes one parameter a column; call "
                  "SetFixPipeConfig with them first",
                  static_cast<int>(params.quantPre));
        }
        const LocalOperand vector{Memory::kFixpipe, registers >> 48 & 0x7fff, "DataCopy from CO1", source.site};
        tile.images = ColumnImages(vector, tile.columns);
    }
    RunTile<Out, Acc>(tile, source, target);
}

}  // namespace sktwin::cube

namespace AscendC {

#if __NPU_ARCH__ == 2201
#define SKTWIN_FIXPIPE_TYPES                                                                                        \
    "Fixpipe: dav-2201 writes float of L0C as float, half, bfloat16_t, int8_t or uint8_t, and int32_t as int32_t, " \
    "half, int8_t or uint8_t"
#define SKTWIN_FIXPIPE_PARAMS FixpipeParamsV220
#else
#define SKTWIN_FIXPIPE_TYPES                                                                                        \
    "Fixpipe: dav-3510 writes float of L0C as float, half, bfloat16_t, int8_t or uint8_t, and int32_t as int32_t, " \
    "half, bfloat16_t, int8_t or uint8_t; the twin leaves out the 8-bit floats"
#define SKTWIN_FIXPIPE_PARAMS FixpipeParamsArch3510<config.format>
#endif

template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
inline void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const SKTWIN_FIXPIPE_PARAMS& params,
                    sktwin::Site site = sktwin::Site::Here()) {
    namespace cube = sktwin::cube;
    static_assert(cube::kFixpipeExists<T, U>, SKTWIN_FIXPIPE_TYPES);
    if constexpr (sktwin::kHasCubeUnit && cube::kFixpipeExists<T, U>) {
        cube::IssueFixpipe<T, U, config.format>(cube::OutputTarget<T>::Global(dst.GetPhyAddr(), site),
                                                cube::Operand(src, cube::kMemoryL0c, "L0C", "Fixpipe", site), nullptr,
                                                params);
    }
}

template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
inline void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<uint64_t>& cbufWorkspace,
                    const SKTWIN_FIXPIPE_PARAMS& params, sktwin::Site site = sktwin::Site::Here()) {
    namespace cube = sktwin::cube;
    static_assert(cube::kFixpipeExists<T, U>, SKTWIN_FIXPIPE_TYPES);
    if constexpr (sktwin::kHasCubeUnit && cube::kFixpipeExists<T, U>) {
        const auto vector = cube::Operand(cbufWorkspace, cube::In(sktwin::Memory::kL1), "L1", "Fixpipe", site);
        cube::IssueFixpipe<T, U, config.format>(cube::OutputTarget<T>::Global(dst.GetPhyAddr(), site),
                                                cube::Operand(src, cube::kMemoryL0c, "L0C", "Fixpipe", site), &vector,
                                                params);
    }
}

// On dav-2201 results for L1 are NZ and of another type than the accumulators.
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
inline void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const SKTWIN_FIXPIPE_PARAMS& params,
                    sktwin::Site site = sktwin::Site::Here()) {
    namespace cube = sktwin::cube;
    static_assert(cube::kFixpipeExists<T, U>, SKTWIN_FIXPIPE_TYPES);
    static_assert(sktwin::kChip3510 || (config.format == CO2Layout::NZ && !std::is_same_v<T, U>),
                  "Fixpipe: dav-2201 writes L1 in CFG_NZ only, and only converted to another type");
    if constexpr (sktwin::kHasCubeUnit && cube::kFixpipeExists<T, U>) {
        cube::IssueFixpipe<T, U, config.format>(cube::LocalTarget<T>(dst, "Fixpipe", site),
                                                cube::Operand(src, cube::kMemoryL0c, "L0C", "Fixpipe", site), nullptr,
                                                params);
    }
}

template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
inline void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<uint64_t>& cbufWorkspace,
                    const SKTWIN_FIXPIPE_PARAMS& params, sktwin::Site site = sktwin::Site::Here()) {
    namespace cube = sktwin::cube;
    static_assert(cube::kFixpipeExists<T, U>, SKTWIN_FIXPIPE_TYPES);
    static_assert(sktwin::kChip3510 || (config.format == CO2Layout::NZ && !std::is_same_v<T, U>),
                  "Fixpipe: dav-2201 writes L1 in CFG_NZ only, and only converted to another type");
    if constexpr (sktwin::kHasCubeUnit && cube::kFixpipeExists<T, U>) {
        const auto vector = cube::Operand(cbufWorkspace, cube::In(sktwin::Memory::kL1), "L1", "Fixpipe", site);
        cube::IssueFixpipe<T, U, config.format>(cube::LocalTarget<T>(dst, "Fixpipe", site),
                                                cube::Operand(src, cube::kMemoryL0c, "L0C", "Fixpipe", site), &vector,
                                                params);
    }
}

template <typename T, typename U>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& params,
                     sktwin::Site site = sktwin::Site::Here()) {
    namespace cube = sktwin::cube;
    static_assert(cube::kFixpipeExists<T, U>, SKTWIN_FIXPIPE_TYPES);
    if constexpr (sktwin::kHasCubeUnit && cube::kFixpipeExists<T, U>) {
        cube::CopyAccumulators<T, U>(cube::OutputTarget<T>::Global(dst.GetPhyAddr(), site),
                                     cube::Operand(src, cube::kMemoryL0c, "L0C", "DataCopy from CO1", site), params);
    }
}

template <typename T, typename U>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& params,
                     sktwin::Site site = sktwin::Site::Here()) {
    namespace cube = sktwin::cube;
    static_assert(cube::kFixpipeExists<T, U>, SKTWIN_FIXPIPE_TYPES);
    if constexpr (sktwin::kHasCubeUnit && cube::kFixpipeExists<T, U>) {
        const auto to = cube::Operand(dst, cube::In(sktwin::Memory::kL1), "L1", "DataCopy from CO1", site);
        cube::CopyAccumulators<T, U>(cube::OutputTarget<T>::Local(&sktwin::Self(), to.memory, to.start, site),
                                     cube::Operand(src, cube::kMemoryL0c, "L0C", "DataCopy from CO1", site), params);
    }
}

#undef SKTWIN_FIXPIPE_TYPES
#undef SKTWIN_FIXPIPE_PARAMS

template <typename T, bool setRelu = false>
inline void SetFixPipeConfig(const LocalTensor<T>& preData, bool = false, sktwin::Site site = sktwin::Site::Here()) {
    static_assert(!setRelu || sizeof(T) == 0, "SetFixPipeConfig: relu with a parameter a column is not on the twin");
    if constexpr (sktwin::kHasCubeUnit) {
        using namespace sktwin::cube;
        const auto vector = Operand(preData, In(sktwin::Memory::kFixpipe), "FB (C2PIPE2GM)", "SetFixPipeConfig", site);
        SetBits(&Scratch(kScratchFixpipe), 0xffffull << 48, kFixpipeVectorSet | vector.start << 48);
    }
}

// `reluPre` would hold one slope a column, which neither chip documents as available: plain relu needs none.
template <typename T>
inline void SetFixPipeConfig(const LocalTensor<T>&, const LocalTensor<T>& quantPre, bool isUnitFlag = false,
                             sktwin::Site site = sktwin::Site::Here()) {
    SetFixPipeConfig<T, false>(quantPre, isUnitFlag, site);
}

inline void SetFixpipePreQuantFlag(uint64_t config) {
    if constexpr (sktwin::kHasCubeUnit) {
        sktwin::cube::Scratch(sktwin::cube::kScratchQuantImage) = config;
    }
}

inline void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride) {
    if constexpr (sktwin::kHasCubeUnit) {
        using namespace sktwin::cube;
        SetBits(&Scratch(kScratchFixpipe), 0xffffffffffffull,
                ndNum | uint64_t{srcNdStride} << 16 | uint64_t{dstNdStride} << 32);
    }
}

}  // namespace AscendC
