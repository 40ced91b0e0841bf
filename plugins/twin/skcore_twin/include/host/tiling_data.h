// Licensed under the Apache License, Version 2.0.
//
// The tiling structures of the advanced API as host code fills them: the plain structures that kernels read, with the
// methods of the host (ascendc_adv_host.md 0.11). They add no bytes.
#pragma once

#include "ascendc/tiling_cube.h"
#include "ascendc/tiling_vector.h"
#include "register/tilingdata_base.h"

namespace optiling {

#define SKTWIN_CUBE_FIELD(field)                             \
    void set_##field(int32_t value) { this->field = value; } \
    int32_t get_##field() const { return field; }

struct TCubeTiling : AscendC::tiling::TCubeTiling {
    SKTWIN_TILING_STORAGE
    SKTWIN_CUBE_FIELD(usedCoreNum)
    SKTWIN_CUBE_FIELD(M)
    SKTWIN_CUBE_FIELD(N)
    SKTWIN_CUBE_FIELD(Ka)
    SKTWIN_CUBE_FIELD(Kb)
    SKTWIN_CUBE_FIELD(singleCoreM)
    SKTWIN_CUBE_FIELD(singleCoreN)
    SKTWIN_CUBE_FIELD(singleCoreK)
    SKTWIN_CUBE_FIELD(baseM)
    SKTWIN_CUBE_FIELD(baseN)
    SKTWIN_CUBE_FIELD(baseK)
    SKTWIN_CUBE_FIELD(depthA1)
    SKTWIN_CUBE_FIELD(depthB1)
    SKTWIN_CUBE_FIELD(stepM)
    SKTWIN_CUBE_FIELD(stepN)
    SKTWIN_CUBE_FIELD(isBias)
    SKTWIN_CUBE_FIELD(transLength)
    SKTWIN_CUBE_FIELD(iterateOrder)
    SKTWIN_CUBE_FIELD(shareMode)
    SKTWIN_CUBE_FIELD(shareL1Size)
    SKTWIN_CUBE_FIELD(shareL0CSize)
    SKTWIN_CUBE_FIELD(shareUbSize)
    SKTWIN_CUBE_FIELD(batchM)
    SKTWIN_CUBE_FIELD(batchN)
    SKTWIN_CUBE_FIELD(singleBatchM)
    SKTWIN_CUBE_FIELD(singleBatchN)
    SKTWIN_CUBE_FIELD(stepKa)
    SKTWIN_CUBE_FIELD(stepKb)
    SKTWIN_CUBE_FIELD(depthAL1CacheUB)
    SKTWIN_CUBE_FIELD(depthBL1CacheUB)
    SKTWIN_CUBE_FIELD(dbL0A)
    SKTWIN_CUBE_FIELD(dbL0B)
    SKTWIN_CUBE_FIELD(dbL0C)
    SKTWIN_CUBE_FIELD(ALayoutInfoB)
    SKTWIN_CUBE_FIELD(ALayoutInfoS)
    SKTWIN_CUBE_FIELD(ALayoutInfoN)
    SKTWIN_CUBE_FIELD(ALayoutInfoG)
    SKTWIN_CUBE_FIELD(ALayoutInfoD)
    SKTWIN_CUBE_FIELD(BLayoutInfoB)
    SKTWIN_CUBE_FIELD(BLayoutInfoS)
    SKTWIN_CUBE_FIELD(BLayoutInfoN)
    SKTWIN_CUBE_FIELD(BLayoutInfoG)
    SKTWIN_CUBE_FIELD(BLayoutInfoD)
    SKTWIN_CUBE_FIELD(CLayoutInfoB)
    SKTWIN_CUBE_FIELD(CLayoutInfoS1)
    SKTWIN_CUBE_FIELD(CLayoutInfoN)
    SKTWIN_CUBE_FIELD(CLayoutInfoG)
    SKTWIN_CUBE_FIELD(CLayoutInfoS2)
    SKTWIN_CUBE_FIELD(BatchNum)
    SKTWIN_CUBE_FIELD(mxTypePara)
};
#undef SKTWIN_CUBE_FIELD

static_assert(sizeof(TCubeTiling) == sizeof(AscendC::tiling::TCubeTiling), "the kernel reads the same bytes");

// Structures of the vector API: host code fills them by helpers and stores them as a whole.
#define SKTWIN_HOST_TILING(Name)          \
    struct Name : AscendC::tiling::Name { \
        SKTWIN_TILING_STORAGE             \
    };                                    \
    static_assert(sizeof(Name) == sizeof(AscendC::tiling::Name), "the kernel reads the same bytes")

SKTWIN_HOST_TILING(SoftMaxTiling);
SKTWIN_HOST_TILING(LogSoftMaxTiling);
SKTWIN_HOST_TILING(LayerNormTiling);
SKTWIN_HOST_TILING(LayerNormSeparateTiling);
SKTWIN_HOST_TILING(RmsNormTiling);
#undef SKTWIN_HOST_TILING

}  // namespace optiling
