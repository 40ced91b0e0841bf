// Licensed under the Apache License, Version 2.0.
//
// What host code asks about the chip (spec ascendc_adv_host.md 15.2): the product that the program was compiled for.
#pragma once

#include <cstdint>

#include "sktwin/program_target.h"

namespace fe {

class PlatFormInfos;

}  // namespace fe

namespace platform_ascendc {

enum class CoreMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, FB = 7, BT = 8, RESERVED };

enum class SocVersion { ASCEND910B = 0, ASCEND950 = 1, RESERVED_VERSION = 99999 };

enum class NpuArch : uint32_t {
    DAV_1001 = 1001,
    DAV_2002 = 2002,
    DAV_2201 = 2201,
    DAV_3002 = 3002,
    DAV_3510 = 3510,
    DAV_RESV = 0xFFFF
};

enum class ReservedSize { RESERVED_SIZE_8K, RESERVED_SIZE_16K, RESERVED_SIZE_32K };

class PlatformAscendC {
public:
    explicit PlatformAscendC(fe::PlatFormInfos* = nullptr) : chip_(sktwin::program::TheChip()) {}

    uint32_t GetCoreNum() const { return chip_.vectorCores; }
    uint32_t GetCoreNumAic() const { return chip_.cubeCores; }
    uint32_t GetCoreNumAiv() const { return chip_.vectorCores; }
    uint32_t GetCoreNumVector() const { return 0; }
    SocVersion GetSocVersion() const { return chip_.arch == 3510 ? SocVersion::ASCEND950 : SocVersion::ASCEND910B; }
    NpuArch GetCurNpuArch() const { return static_cast<NpuArch>(chip_.arch); }
    uint32_t GetVecRegLen() const { return chip_.arch == 3510 ? 256 : 0; }
    uint32_t GetLibApiWorkSpaceSize() const { return 16U << 20; }
    uint32_t GetResGroupBarrierWorkSpaceSize() const { return 1U << 20; }
    uint32_t GetResCubeGroupWorkSpaceSize() const { return 1U << 20; }

    void GetCoreMemSize(const CoreMemType& type, uint64_t& size) const { size = Size(type); }

    // Blocks of a launch of both kinds for that many slices.
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

    // The last call counts.
    void ReserveLocalMemory(ReservedSize size) {
        reserved_ = size == ReservedSize::RESERVED_SIZE_8K ? 8U << 10 : size == ReservedSize::RESERVED_SIZE_16K ? 16U << 10
                                                                                                          : 32U << 10;
    }

private:
    uint64_t Size(CoreMemType type) const {
        switch (type) {
            case CoreMemType::L0_A:
                return chip_.l0a;
            case CoreMemType::L0_B:
                return chip_.l0b;
            case CoreMemType::L0_C:
                return chip_.l0c;
            case CoreMemType::L1:
                return chip_.l1;
            case CoreMemType::L2:
                return chip_.l2;
            case CoreMemType::UB:
                return chip_.ub - reserved_;
            case CoreMemType::HBM:
                return chip_.memory;
            case CoreMemType::FB:
                return chip_.fixpipe;
            case CoreMemType::BT:
                return chip_.bias;
            default:
                return 0;
        }
    }

    sktwin::program::Chip chip_;
    uint32_t reserved_ = 0;
};

class PlatformAscendCManager {
public:
    // The name of a product is accepted; the program's own chip is what answers.
    static PlatformAscendC* GetInstance(const char* = nullptr) {
        static PlatformAscendC platform;
        return &platform;
    }
};

}  // namespace platform_ascendc
