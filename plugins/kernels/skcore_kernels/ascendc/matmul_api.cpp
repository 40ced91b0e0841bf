// Licensed under the Apache License, Version 2.0.
//
// c = a @ b through the Matmul class, with its tiling fixed here.
// Macros: OP_A_TYPE, OP_C_TYPE, OP_SIZE_M, OP_SIZE_K, OP_SIZE_N.
#define ASCENDC_CUBE_ONLY
#include "common.h"
#include "lib/matmul_intf.h"

namespace {

using namespace skcore_kernels;

constexpr uint32_t kPartM = 64;  // what one block computes at a time
constexpr uint32_t kPartN = 64;
constexpr uint32_t kDepth = 64;

template <typename T>
using Matrix = AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, T>;

class MatmulApi {
public:
    __aicore__ void Init(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
        a_.SetGlobalBuffer(reinterpret_cast<__gm__ OP_A_TYPE*>(a), uint64_t(OP_SIZE_M) * OP_SIZE_K);
        b_.SetGlobalBuffer(reinterpret_cast<__gm__ OP_A_TYPE*>(b), uint64_t(OP_SIZE_K) * OP_SIZE_N);
        c_.SetGlobalBuffer(reinterpret_cast<__gm__ OP_C_TYPE*>(c), uint64_t(OP_SIZE_M) * OP_SIZE_N);
        FillTiling();
    }

    __aicore__ void Process() {
        REGIST_MATMUL_OBJ(&pipe_, AscendC::GetSysWorkSpacePtr(), matmul_, &tiling_);
        constexpr uint32_t across = AscendC::DivCeil(OP_SIZE_N, kPartN);
        constexpr uint32_t parts = AscendC::DivCeil(OP_SIZE_M, kPartM) * across;
        for (uint32_t part = AscendC::GetBlockIdx(); part < parts; part += AscendC::GetBlockNum()) {
            const uint32_t row = part / across * kPartM;
            const uint32_t column = part % across * kPartN;
            matmul_.SetTensorA(a_[uint64_t(row) * OP_SIZE_K]);
            matmul_.SetTensorB(b_[column]);
            matmul_.SetTail(Part(OP_SIZE_M - row, kPartM), Part(OP_SIZE_N - column, kPartN), OP_SIZE_K);
            matmul_.IterateAll(c_[uint64_t(row) * OP_SIZE_N + column]);
        }
        matmul_.End();
    }

private:
    __aicore__ static int Part(uint32_t left, uint32_t most) { return static_cast<int>(left < most ? left : most); }

    __aicore__ void FillTiling() {
        tiling_.usedCoreNum = static_cast<int32_t>(AscendC::GetBlockNum());
        tiling_.M = OP_SIZE_M;
        tiling_.N = OP_SIZE_N;
        tiling_.Ka = tiling_.Kb = tiling_.singleCoreK = OP_SIZE_K;
        tiling_.singleCoreM = tiling_.baseM = kPartM;
        tiling_.singleCoreN = tiling_.baseN = kPartN;
        tiling_.baseK = kDepth;
        tiling_.depthA1 = tiling_.depthB1 = 2;
        tiling_.stepM = tiling_.stepN = tiling_.stepKa = tiling_.stepKb = 1;
        tiling_.dbL0A = tiling_.dbL0B = 2;
        tiling_.dbL0C = 1;
        tiling_.shareL1Size = kPartM * kDepth * sizeof(OP_A_TYPE) * 2 + kPartN * kDepth * sizeof(OP_A_TYPE) * 2;
        tiling_.shareL0CSize = kPartM * kPartN * sizeof(float);
    }

    AscendC::TPipe pipe_;
    GlobalTensor<OP_A_TYPE> a_;
    GlobalTensor<OP_A_TYPE> b_;
    GlobalTensor<OP_C_TYPE> c_;
    TCubeTiling tiling_{};
    AscendC::Matmul<Matrix<OP_A_TYPE>, Matrix<OP_A_TYPE>, Matrix<OP_C_TYPE>> matmul_;
};

}  // namespace

extern "C" __global__ __aicore__ void matmul_api_kernel(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_0);
    MatmulApi kernel;
    kernel.Init(a, b, c);
    kernel.Process();
}
