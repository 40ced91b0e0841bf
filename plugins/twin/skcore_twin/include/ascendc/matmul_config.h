// Licensed under the Apache License, Version 2.0.
//
// Types and configuration of the Matmul class (ascendc_data_cube.md 10.1, 10.6). Most fields of MatmulConfig choose how
// the device moves data; the twin reads those that change values or shapes and carries the rest.
#pragma once

#include <cstdint>

#include "ascendc/enums.h"
#include "ascendc/tiling_cube.h"

enum class CubeFormat : uint8_t {
    ND = 0,
    NZ,
    ZN,
    ZZ,
    NN,
    ND_ALIGN,
    SCALAR,
    VECTOR,
    ROW_MAJOR = ND,
    COLUMN_MAJOR = 8,
};

enum class LayoutMode : uint8_t { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };

namespace AscendC {

using ::CubeFormat;
using ::LayoutMode;

enum class IterateOrder : uint8_t { ORDER_M = 0, ORDER_N, UNDEF };
enum class ScheduleType : uint8_t { INNER_PRODUCT = 0, OUTER_PRODUCT, N_BUFFER_33 };
enum class BatchMode : uint8_t { NONE = 0, BATCH_LESS_THAN_L1, BATCH_LARGE_THAN_L1, SINGLE_LARGE_THAN_L1 };
enum class BatchOutMode : uint8_t { SINGLE_BATCH = 0, MULTI_BATCH, DYNAMIC };
enum class MatmulConfigMode : uint8_t { CONFIG_NORM = 0, CONFIG_MDL, CONFIG_SPECIALMDL, CONFIG_IBSHARE };

template <TPosition POSITION, CubeFormat FORMAT, typename TYPE, bool ISTRANS = false,
          LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false, TPosition SRCPOS = TPosition::GM>
struct MatmulType {
    static constexpr TPosition pos = POSITION;
    static constexpr CubeFormat format = FORMAT;
    using T = TYPE;
    static constexpr bool isTrans = ISTRANS;
    static constexpr LayoutMode layout = LAYOUT;
    static constexpr bool ibShare = IBSHARE;
    static constexpr TPosition srcPos = SRCPOS;
};

// Stops the compilation, once, where the class is to multiply scaled matrices.
template <typename TYPE>
struct MatmulWithoutScales {
    static_assert(sizeof(TYPE) == 0,
                  "Matmul: the twin leaves out MX matrices (MatmulTypeWithScale, SetTensorScaleA, SetTensorScaleB); it "
                  "has LoadData with LoadData2DMxParams and MmadMx");
};
template <TPosition POSITION, TPosition SCALE_POSITION, CubeFormat FORMAT, typename TYPE, bool ISTRANS = false,
          TPosition SRCPOS = TPosition::GM, CubeFormat SCALE_FORMAT = FORMAT, bool SCALE_ISTRANS = ISTRANS,
          TPosition SCALE_SRCPOS = SRCPOS>
struct MatmulTypeWithScale : MatmulType<POSITION, FORMAT, TYPE, ISTRANS, LayoutMode::NONE, false, SRCPOS>,
                             MatmulWithoutScales<TYPE> {};

struct MatmulConfig {
    bool doNorm = false;
    bool doBasicBlock = false;
    bool doMultiDataLoad = false;
    uint32_t basicM = 0;
    uint32_t basicN = 0;
    uint32_t basicK = 0;
    bool intrinsicsCheck = false;
    bool isNBatch = false;
    bool enVecND2NZ = false;
    bool doSpecialBasicBlock = false;
    uint32_t doMTE2Preload = 0;
    uint32_t singleCoreM = 0;
    uint32_t singleCoreN = 0;
    uint32_t singleCoreK = 0;
    uint32_t stepM = 0;
    uint32_t stepN = 0;
    uint32_t baseMN = 0;
    bool singleCoreMN = false;
    bool enUnitFlag = true;
    bool isPerTensor = false;
    bool hasAntiQuantOffset = false;
    bool doIBShareNorm = false;
    bool doSpecialMDL = false;
    bool enableInit = true;
    BatchMode batchMode = BatchMode::NONE;
    bool enableEnd = true;
    bool enableGetTensorC = true;
    bool enableSetOrgShape = true;
    bool enableSetBias = true;
    bool enableSetTail = true;
    bool enableQuantVector = true;
    bool enableSetDefineData = true;
    uint8_t iterateMode = 0xFF;
    bool enableReuse = true;
    bool enableUBReuse = true;
    bool enableL1CacheUB = false;
    bool intraBlockPartSum = false;
    IterateOrder iterateOrder = IterateOrder::UNDEF;
    ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
    bool enableDoubleCache = false;
    bool isBiasBatch = true;
    bool enableStaticPadZeros = false;
    bool isPartialOutput = false;
    bool enableMixDualMaster = false;
    bool isA2B2Shared = false;
    bool isEnableChannelSplit = false;
    bool enableKdimReorderLoad = false;
    bool isCO1Shared = false;
    uint32_t sharedCO1BufferSize = 64 * 1024;
    bool isMsgReuse = true;
    BatchOutMode batchOutMode = BatchOutMode::SINGLE_BATCH;
    bool enableRelu = false;
    bool enableL1BankConflictOptimise = false;
};

constexpr MatmulConfig GetNormalConfig(bool intrinsicsLimit = false, bool batchLoop = false, bool isVecND2NZ = false,
                                       BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1, bool isMsgReuse = true,
                                       IterateOrder iterateOrder = IterateOrder::UNDEF,
                                       ScheduleType scheduleType = ScheduleType::INNER_PRODUCT, bool enUnitFlag = true,
                                       bool enableMixDualMaster = false,
                                       BatchOutMode batchOutMode = BatchOutMode::SINGLE_BATCH) {
    MatmulConfig config;
    config.doNorm = true;
    config.intrinsicsCheck = intrinsicsLimit;
    config.isNBatch = batchLoop;
    config.enVecND2NZ = isVecND2NZ;
    config.batchMode = bmmMode;
    config.isMsgReuse = isMsgReuse;
    config.iterateOrder = iterateOrder;
    config.scheduleType = scheduleType;
    config.enUnitFlag = enUnitFlag;
    config.enableMixDualMaster = enableMixDualMaster;
    config.batchOutMode = batchOutMode;
    return config;
}

constexpr MatmulConfig GetMDLConfig(bool intrinsicsLimit = false, bool batchLoop = false, uint32_t doMTE2Preload = 0,
                                    bool isVecND2NZ = false, bool isPerTensor = false, bool hasAntiQuantOffset = false,
                                    bool enUnitFlag = false, bool isMsgReuse = true, bool enableUBReuse = true,
                                    bool enableL1CacheUB = false, bool enableMixDualMaster = false,
                                    bool enableKdimReorderLoad = false, bool enableL1BankConflictOptimise = false) {
    MatmulConfig config;
    config.doMultiDataLoad = true;
    config.intrinsicsCheck = intrinsicsLimit;
    config.isNBatch = batchLoop;
    config.doMTE2Preload = doMTE2Preload;
    config.enVecND2NZ = isVecND2NZ;
    config.isPerTensor = isPerTensor;
    config.hasAntiQuantOffset = hasAntiQuantOffset;
    config.enUnitFlag = enUnitFlag;
    config.isMsgReuse = isMsgReuse;
    config.enableUBReuse = enableUBReuse;
    config.enableL1CacheUB = enableL1CacheUB;
    config.enableMixDualMaster = enableMixDualMaster;
    config.enableKdimReorderLoad = enableKdimReorderLoad;
    config.enableL1BankConflictOptimise = enableL1BankConflictOptimise;
    return config;
}

constexpr MatmulConfig GetSpecialMDLConfig(bool intrinsicsLimit = false, bool batchLoop = false,
                                           uint32_t doMTE2Preload = 0, bool isVecND2NZ = false,
                                           bool isPerTensor = false, bool hasAntiQuantOffset = false) {
    MatmulConfig config =
        GetMDLConfig(intrinsicsLimit, batchLoop, doMTE2Preload, isVecND2NZ, isPerTensor, hasAntiQuantOffset);
    config.doMultiDataLoad = false;
    config.doSpecialMDL = true;
    return config;
}

constexpr MatmulConfig GetIBShareNormConfig(bool intrinsicsLimit = false, bool batchLoop = false,
                                            bool isVecND2NZ = false, BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1,
                                            bool isDoubleCache = false, bool enUnitFlag = true) {
    MatmulConfig config = GetNormalConfig(intrinsicsLimit, batchLoop, isVecND2NZ, bmmMode);
    config.doNorm = false;
    config.doIBShareNorm = true;
    config.enableDoubleCache = isDoubleCache;
    config.enUnitFlag = enUnitFlag;
    return config;
}

constexpr MatmulConfig GetBasicConfig(uint32_t basicM, uint32_t basicN, uint32_t basicK, bool intrinsicsLimit = false,
                                      bool batchLoop = false, BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1) {
    MatmulConfig config = GetNormalConfig(intrinsicsLimit, batchLoop, false, bmmMode);
    config.doNorm = false;
    config.doBasicBlock = true;
    config.basicM = basicM;
    config.basicN = basicN;
    config.basicK = basicK;
    return config;
}

struct MatmulShapeParams {
    uint32_t singleCoreM = 0;
    uint32_t singleCoreN = 0;
    uint32_t singleCoreK = 0;
    uint32_t basicM = 0;
    uint32_t basicN = 0;
    uint32_t basicK = 0;
};

struct MatmulQuantParams {
    bool isPerTensor = false;
    bool hasAntiQuantOffset = false;
};

struct MatmulBatchParams {
    bool isNBatch = false;
    BatchMode batchMode = BatchMode::NONE;
    bool isBiasBatch = true;
    BatchOutMode batchOutMode = BatchOutMode::SINGLE_BATCH;
};

struct MatmulBiasParams {
    bool isBiasBatch = true;
};

namespace detail {

constexpr void ApplyParams(MatmulConfig* config, const MatmulShapeParams& params) {
    config->singleCoreM = params.singleCoreM;
    config->singleCoreN = params.singleCoreN;
    config->singleCoreK = params.singleCoreK;
    config->basicM = params.basicM;
    config->basicN = params.basicN;
    config->basicK = params.basicK;
}
constexpr void ApplyParams(MatmulConfig* config, const MatmulQuantParams& params) {
    config->isPerTensor = params.isPerTensor;
    config->hasAntiQuantOffset = params.hasAntiQuantOffset;
}
constexpr void ApplyParams(MatmulConfig* config, const MatmulBatchParams& params) {
    config->isNBatch = params.isNBatch;
    config->batchMode = params.batchMode;
    config->isBiasBatch = params.isBiasBatch;
    config->batchOutMode = params.batchOutMode;
}
constexpr void ApplyParams(MatmulConfig* config, const MatmulBiasParams& params) {
    config->isBiasBatch = params.isBiasBatch;
}

}  // namespace detail

template <MatmulConfigMode mode, typename... Params>
constexpr MatmulConfig GetMMConfig(const Params&... params) {
    MatmulConfig config = mode == MatmulConfigMode::CONFIG_NORM         ? GetNormalConfig()
                          : mode == MatmulConfigMode::CONFIG_MDL        ? GetMDLConfig()
                          : mode == MatmulConfigMode::CONFIG_SPECIALMDL ? GetSpecialMDLConfig()
                                                                        : GetIBShareNormConfig();
    (detail::ApplyParams(&config, params), ...);
    return config;
}

inline constexpr MatmulConfig CFG_NORM = GetNormalConfig();
inline constexpr MatmulConfig CFG_MDL = GetMDLConfig();
inline constexpr MatmulConfig CFG_IBSHARE_NORM = GetIBShareNormConfig();
inline constexpr MatmulConfig MM_CFG_BB = GetBasicConfig(128, 128, 128);

// A tiling known at compile time, used in place of a configuration.
struct MatmulApiStaticTiling : tiling::TCubeTiling {
    MatmulConfig cfg;
};

template <typename A_TYPE, typename B_TYPE, typename C_TYPE, typename BIAS_TYPE>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig& config, int32_t = 512 * 1024) {
    MatmulApiStaticTiling result{};
    result.usedCoreNum = 1;
    result.M = result.singleCoreM = static_cast<int32_t>(config.singleCoreM);
    result.N = result.singleCoreN = static_cast<int32_t>(config.singleCoreN);
    result.Ka = result.Kb = result.singleCoreK = static_cast<int32_t>(config.singleCoreK);
    result.baseM = static_cast<int32_t>(config.basicM);
    result.baseN = static_cast<int32_t>(config.basicN);
    result.baseK = static_cast<int32_t>(config.basicK);
    result.stepM = result.stepN = result.stepKa = result.stepKb = 1;
    result.depthA1 = result.depthB1 = 1;
    result.dbL0A = result.dbL0B = result.dbL0C = 1;
    result.isBias = config.enableSetBias ? 1 : 0;
    result.cfg = config;
    return result;
}

namespace detail {

constexpr const MatmulConfig& ConfigOf(const MatmulConfig& config) { return config; }
constexpr const MatmulConfig& ConfigOf(const MatmulApiStaticTiling& tiling) { return tiling.cfg; }
constexpr const tiling::TCubeTiling* StaticTilingOf(const MatmulConfig&) { return nullptr; }
constexpr const tiling::TCubeTiling* StaticTilingOf(const MatmulApiStaticTiling& tiling) { return &tiling; }

}  // namespace detail

}  // namespace AscendC
