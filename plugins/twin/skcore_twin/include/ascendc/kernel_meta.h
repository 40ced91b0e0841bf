// Licensed under the Apache License, Version 2.0.
//
// What a binary says of its functions (spec device §7.6), and the run configuration that kernels may refer to.
#pragma once

#include <cstdint>

enum FuncMetaType { F_TYPE_KTYPE = 1, F_TYPE_CROSS_CORE_SYNC = 2, F_TYPE_MIX_TASK_RATION = 3 };

enum KernelType {
    K_TYPE_AICORE = 1,
    K_TYPE_AIC = 2,
    K_TYPE_AIV = 3,
    K_TYPE_MIX_AIC_MAIN = 4,
    K_TYPE_MIX_AIV_MAIN = 5,
};

struct BaseTlv {
    unsigned short type;
    unsigned short len;
};

struct FunMetaKType {
    BaseTlv head;
    unsigned int ktype;
};

struct FunMetaMixCoreType {
    BaseTlv head;
    unsigned short taskRation0;
    unsigned short taskRation1;
};

struct FunLevelMixCoreType {
    FunMetaKType ktypeMeta;
    FunMetaMixCoreType mixCoreType;
};

struct OpSystemRunCfg {
    uint64_t l2Cacheoffset;
};
