// Licensed under the Apache License, Version 2.0.
//
// Names of the host's Matmul tiling (ascendc_data_cube.md 11.2). Positions, formats and schedules are those of the
// kernel side, so that a program may open both namespaces.
#pragma once

#include <cstdint>

#include "ascendc/enums.h"
#include "ascendc/matmul_config.h"
#include "tiling/platform/platform_ascendc.h"

namespace matmul_tiling {

using ::CubeFormat;
using AscendC::ScheduleType;
using AscendC::TPosition;

enum class DataType : int32_t {
    DT_FLOAT = 0,
    DT_FLOAT16 = 1,
    DT_INT8 = 2,
    DT_INT32 = 3,
    DT_UINT8 = 4,
    DT_INT16 = 6,
    DT_UINT16 = 7,
    DT_UINT32 = 8,
    DT_INT64 = 9,
    DT_UINT64 = 10,
    DT_DOUBLE = 11,
    DT_BOOL = 12,
    DT_BF16 = 27,
    DT_INT4 = 29,
    DT_BFLOAT16 = 33,
    DT_HIFLOAT8 = 34,
    DT_FLOAT8_E4M3FN = 35,
    DT_FLOAT8_E5M2 = 36,
    DT_FLOAT4_E2M1 = 37,
    DT_FLOAT8_E8M0 = 38,
    DT_FLOAT4_E1M2 = 39,
};

enum class MatrixTraverse : int32_t { NOSET = 0, FIRSTM = 1, FIRSTN = 2 };
enum class MatrixMadType : int32_t { NORMAL = 0, HF32 = 1, MXMODE = 2 };
enum class DequantType : int32_t { SCALAR = 0, TENSOR = 1 };
enum class TilingPolicy : int32_t { FIXED_A_TSCM = 0, FIXED_B_TSCM, FIXED_A_B_TSCM, NO_POLICY };

struct PlatformInfo {
    platform_ascendc::SocVersion socVersion = platform_ascendc::PlatformAscendC().GetSocVersion();
    uint64_t l1Size = sktwin::ThePlatform().l1;
    uint64_t l0CSize = sktwin::ThePlatform().l0c;
    uint64_t ubSize = sktwin::ThePlatform().ub;
    uint64_t l0ASize = sktwin::ThePlatform().l0a;
    uint64_t l0BSize = sktwin::ThePlatform().l0b;
};

struct SysTilingTempBufSize {
    int32_t ubSize = 0;
    int32_t l1Size = 0;
    int32_t l0cSize = 0;
};

struct MatmulConfigParams {
    int32_t mmConfigType = 1;  // 0 Norm, 1 MDL
    bool enableL1CacheUB = false;
    ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
    MatrixTraverse traverse = MatrixTraverse::NOSET;
    bool enVecND2NZ = false;
};

// Bits of an element; 0 for what the cube does not take or give.
constexpr int64_t BitsOf(DataType type) {
    switch (type) {
        case DataType::DT_FLOAT:
        case DataType::DT_INT32:
            return 32;
        case DataType::DT_FLOAT16:
        case DataType::DT_BF16:
        case DataType::DT_BFLOAT16:
            return 16;
        case DataType::DT_INT8:
        case DataType::DT_UINT8:
        case DataType::DT_HIFLOAT8:
        case DataType::DT_FLOAT8_E4M3FN:
        case DataType::DT_FLOAT8_E5M2:
            return 8;
        case DataType::DT_INT4:
        case DataType::DT_FLOAT4_E2M1:
        case DataType::DT_FLOAT4_E1M2:
            return 4;
        default:
            return 0;
    }
}

}  // namespace matmul_tiling
