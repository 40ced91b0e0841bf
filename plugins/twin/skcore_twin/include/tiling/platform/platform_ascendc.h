// Licensed under the Apache License, Version 2.0.
//
// What host code asks about the chip (ascendc_adv_host.md 15.2); the answers are the twin's target.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sktwin/platform.h"

namespace fe {
class PlatFormInfos;
}

namespace platform_ascendc {

enum class CoreMemType : int32_t { L0_A = 0, L0_B, L0_C, L1, L2, UB, HBM, FB, BT, RESERVED };
enum class SocVersion : int32_t {
    ASCEND910 = 0,
    ASCEND910B,
    ASCEND310P,
    ASCEND310B,
    ASCEND950,
    RESERVED_VERSION = 99999
};
enum class ReservedSize : uint32_t { RESERVED_SIZE_8K = 0, RESERVED_SIZE_16K, RESERVED_SIZE_32K };

}  // namespace platform_ascendc

enum class NpuArch : uint32_t {
    DAV_1001 = 1001,
    DAV_2002 = 2002,
    DAV_2201 = 2201,
    DAV_3002 = 3002,
    DAV_3510 = 3510,
    DAV_RESV = 0xFFFF,
};

namespace platform_ascendc {

using ::NpuArch;

class PlatformAscendC {
public:
    PlatformAscendC() = default;
    // Operator tiling passes a description of the chip that the twin has no use for.
    explicit PlatformAscendC(fe::PlatFormInfos*) {}

    uint32_t GetCoreNum() const { return GetCoreNumAiv(); }
    uint32_t GetCoreNumAic() const { return chip_.aicCores; }
    uint32_t GetCoreNumAiv() const { return chip_.aivCores; }
    uint32_t GetCoreNumVector() const { return 0; }
    uint32_t CalcTschNumBlocks(uint32_t sliceNum, uint32_t aicCoreNum, uint32_t aivCoreNum) const {
        if (aicCoreNum == 0 || aivCoreNum == 0 || aicCoreNum > aivCoreNum) {
            return sliceNum;
        }
        const uint32_t ratio = aivCoreNum / aicCoreNum;
        const uint32_t blocks = (sliceNum + ratio - 1) / ratio;
        return ratio == 2 && blocks > aicCoreNum ? 0 : blocks;
    }
    uint32_t CalcTschBlockDim(uint32_t sliceNum, uint32_t aicCoreNum, uint32_t aivCoreNum) const {
        return CalcTschNumBlocks(sliceNum, aicCoreNum, aivCoreNum);
    }

    void GetCoreMemSize(const CoreMemType& memType, uint64_t& size) const {
        switch (memType) {
            case CoreMemType::L0_A:
                size = chip_.l0a;
                break;
            case CoreMemType::L0_B:
                size = chip_.l0b;
                break;
            case CoreMemType::L0_C:
                size = chip_.l0c;
                break;
            case CoreMemType::L1:
                size = chip_.l1;
                break;
            case CoreMemType::L2:
                size = chip_.l2;
                break;
            case CoreMemType::UB:
                size = chip_.ub - std::min(reserved_, chip_.ub);
                break;
            case CoreMemType::HBM:
                size = chip_.hbm;
                break;
            case CoreMemType::FB:
                size = chip_.fixpipe;
                break;
            case CoreMemType::BT:
                size = chip_.bias;
                break;
            default:
                size = 0;
        }
    }
    void GetCoreMemBw(const CoreMemType& memType, uint64_t& bwSize) const {
        bwSize = memType == CoreMemType::L2 ? chip_.l2Bandwidth : memType == CoreMemType::HBM ? chip_.hbmBandwidth : 0;
    }
    uint32_t GetLibApiWorkSpaceSize() const { return 16U << 20; }
    uint32_t GetResCubeGroupWorkSpaceSize() const { return 1U << 20; }
    uint32_t GetResGroupBarrierWorkSpaceSize() const { return 1U << 20; }
    SocVersion GetSocVersion() const { return chip_.arch == 3510 ? SocVersion::ASCEND950 : SocVersion::ASCEND910B; }
    NpuArch GetCurNpuArch() const { return static_cast<NpuArch>(chip_.arch); }
    uint32_t GetVecRegLen() const { return chip_.arch == 3510 ? 256 : 0; }
    // Lowers the UB that GetCoreMemSize tells; the last call counts.
    void ReserveLocalMemory(ReservedSize size) { reserved_ = 8192ULL << static_cast<uint32_t>(size); }

private:
    const sktwin::Platform& chip_ = sktwin::ThePlatform();
    uint64_t reserved_ = 0;
};

class PlatformAscendCManager {
public:
    // The twin's target, whatever name of a chip the caller gives.
    static PlatformAscendC* GetInstance(const char* = nullptr) {
        static PlatformAscendC platform;
        return &platform;
    }
};

}  // namespace platform_ascendc
