// Licensed under the Apache License, Version 2.0.
//
// The chip as host code sees it: what the platform queries and the tiling classes answer from. With SKTWIN_PROGRAM
// (a whole program on the twin) or SKTWIN_PLATFORM_OF_RUNTIME defined, whoever runs the program defines ThePlatform()
// from its target. Without them, the values are those of the chip of __NPU_ARCH__ (dav-2201 when that is not defined),
// and the macros SKTWIN_AIC_CORES, SKTWIN_AIV_CORES, SKTWIN_L2_BYTES and SKTWIN_HBM_BYTES replace single ones.
#pragma once

#include <cstdint>

namespace sktwin {

// Sizes in bytes, bandwidths in bytes a cycle.
struct Platform {
    uint32_t arch;
    const char* soc;
    uint32_t aicCores;
    uint32_t aivCores;
    uint64_t l0a;
    uint64_t l0b;
    uint64_t l0c;
    uint64_t l1;
    uint64_t l2;
    uint64_t ub;
    uint64_t hbm;
    uint64_t fixpipe;
    uint64_t bias;
    uint64_t l2Bandwidth;
    uint64_t hbmBandwidth;
};

#if defined(__NPU_ARCH__) && __NPU_ARCH__ == 3510
constexpr Platform kPlatformOfChip = {
    3510,         "Ascend950PR_9599", 36,           72,      64 << 10, 64 << 10, 256 << 10, 512 << 10,
    128ULL << 20, 248 << 10,          128ULL << 30, 6 << 10, 4 << 10,  128,      32};
#else
constexpr Platform kPlatformOfChip = {2201,        "Ascend910B1", 24,        48,           64 << 10,
                                      64 << 10,    128 << 10,     512 << 10, 192ULL << 20, 192 << 10,
                                      64ULL << 30, 7 << 10,       1 << 10,   128,          32};
#endif

#if defined(SKTWIN_PROGRAM) || defined(SKTWIN_PLATFORM_OF_RUNTIME)
const Platform& ThePlatform();
#else
inline const Platform& ThePlatform() {
    static const Platform platform = [] {
        Platform chosen = kPlatformOfChip;
#ifdef SKTWIN_AIC_CORES
        chosen.aicCores = SKTWIN_AIC_CORES;
#endif
#ifdef SKTWIN_AIV_CORES
        chosen.aivCores = SKTWIN_AIV_CORES;
#endif
#ifdef SKTWIN_L2_BYTES
        chosen.l2 = SKTWIN_L2_BYTES;
#endif
#ifdef SKTWIN_HBM_BYTES
        chosen.hbm = SKTWIN_HBM_BYTES;
#endif
        return chosen;
    }();
    return platform;
}
#endif

}  // namespace sktwin
