// Licensed under the Apache License, Version 2.0.
//
// The Matmul class (ascendc_data_cube.md 10). In kernels for the cube alone (ASCENDC_CUBE_ONLY) an object computes on
// its own AIC. In MIX kernels an AIV's object sends requests to the AIC of its group, which serves them inside
// REGIST_MATMUL_OBJ until all objects of all its AIVs have ended, and then leaves the kernel.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ascendc/matmul_compute.h"
#include "ascendc/matmul_operand.h"
#include "ascendc/pipe.h"
#include "ascendc/tensor.h"

namespace AscendC {

// Policies that only change how the device moves data.
struct MatmulPolicy {};
struct NBuffer33MatmulPolicy {};

template <typename A_TYPE, typename B_TYPE, typename C_TYPE, typename BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          typename MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>, typename MATMUL_POLICY = MatmulPolicy>
class Matmul {
public:
    using SrcAT = typename A_TYPE::T;
    using SrcBT = typename B_TYPE::T;
    using DstT = typename C_TYPE::T;
    using BiasT = typename BIAS_TYPE::T;
    using Site = sktwin::Site;
    static constexpr MatmulConfig kConfig = detail::ConfigOf(MM_CFG);

    static_assert(
        !std::is_void_v<sktwin::cube::AccumulatorOf<SrcAT, SrcBT>>,
        "Matmul: the cube of this chip multiplies half, bfloat16_t, float, int8_t (and int4b_t on dav-2201), A and B "
        "alike; the class leaves out the 8- and 4-bit floats, which Mmad has");
    static_assert(std::is_void_v<sktwin::cube::AccumulatorOf<SrcAT, SrcBT>> ||
                      detail::IsMatmulTypes<sktwin::cube::AccumulatorOf<SrcAT, SrcBT>, DstT, BiasT>(),
                  "Matmul: this chip does not write such a C, or add such a bias, for these types of A and B");
    static_assert(detail::IsMatmulInput(A_TYPE::format, A_TYPE::pos) &&
                      detail::IsMatmulInput(B_TYPE::format, B_TYPE::pos),
                  "Matmul: A and B are ND or NZ (COLUMN_MAJOR: dav-3510, GM only) in GM, VECOUT or TSCM");
    static_assert(detail::IsMatmulOutput(C_TYPE::format, C_TYPE::pos),
                  "Matmul: C is ND, NZ or ND_ALIGN (COLUMN_MAJOR: dav-3510) in GM or VECIN; the twin leaves out CO1");
    static_assert(!MM_CB::kHasCopyOut,
                  "Matmul: the twin calls CopyA1 and CopyB1 of MatmulCallBackFunc, but not DataCopyOut");
    static_assert(!(MM_CB::kHasCopyA1 && A_TYPE::isTrans) && !(MM_CB::kHasCopyB1 && B_TYPE::isTrans),
                  "Matmul: the twin calls CopyA1 and CopyB1 for operands that are not transposed");
    static_assert(std::is_same_v<MATMUL_POLICY, MatmulPolicy> || std::is_same_v<MATMUL_POLICY, NBuffer33MatmulPolicy>,
                  "Matmul: the twin has the default policy and NBuffer33MatmulPolicy");
    static_assert(!kConfig.enableMixDualMaster && !kConfig.intraBlockPartSum && !kConfig.isPartialOutput,
                  "Matmul: the twin leaves out enableMixDualMaster, intraBlockPartSum and isPartialOutput");

    Matmul() {
        if (const auto* tiling = detail::StaticTilingOf(MM_CFG)) {
            UseTiling(*tiling);
        }
    }

    void Init(const TCubeTiling* tiling, TPipe* = nullptr, Site site = Site::Here()) {
        if (tiling == nullptr) {
            return;
        }
        UseTiling(*tiling);
        CheckTiling(site);
    }

    void SetOrgShape(int orgM, int orgN, int orgK) { SetOrgShape(orgM, orgN, orgK, orgK); }
    void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0) {
        auto& shape = request_.shape;
        shape.orgM = static_cast<uint64_t>(orgM);
        shape.orgN = static_cast<uint64_t>(orgN);
        shape.orgKa = static_cast<uint64_t>(orgKa);
        shape.orgKb = static_cast<uint64_t>(orgKb);
        shape.orgKc = static_cast<uint64_t>(orgKc);
    }
    void SetSingleShape(int singleM, int singleN, int singleK) { SetTail(singleM, singleN, singleK); }
    void SetTail(int tailM = -1, int tailN = -1, int tailK = -1) {
        auto& shape = request_.shape;
        shape.singleM = tailM < 0 ? shape.singleM : static_cast<uint64_t>(tailM);
        shape.singleN = tailN < 0 ? shape.singleN : static_cast<uint64_t>(tailN);
        shape.singleK = tailK < 0 ? shape.singleK : static_cast<uint64_t>(tailK);
    }

    template <typename Scales>
    void SetTensorScaleA(const Scales&, bool = false) {
        (void)sizeof(MatmulWithoutScales<Scales>);
    }
    template <typename Scales>
    void SetTensorScaleB(const Scales&, bool = true) {
        (void)sizeof(MatmulWithoutScales<Scales>);
    }
    void SetTensorA(const GlobalTensor<SrcAT>& gm, bool isTransposeA = false, Site site = Site::Here()) {
        SetLeft(detail::RefTo(gm, isTransposeA), site);
    }
    void SetTensorA(const LocalTensor<SrcAT>& leftMatrix, bool isTransposeA = false, Site site = Site::Here()) {
        SetLeft(detail::RefTo(leftMatrix, isTransposeA, site), site);
    }
    void SetTensorA(SrcAT aScalar, Site site = Site::Here()) { SetLeft(detail::ScalarRef(aScalar), site); }
    void SetTensorB(const GlobalTensor<SrcBT>& gm, bool isTransposeB = false, Site site = Site::Here()) {
        SetRight(detail::RefTo(gm, isTransposeB), site);
    }
    void SetTensorB(const LocalTensor<SrcBT>& rightMatrix, bool isTransposeB = false, Site site = Site::Here()) {
        SetRight(detail::RefTo(rightMatrix, isTransposeB, site), site);
    }
    void SetTensorB(SrcBT bScalar, Site site = Site::Here()) { SetRight(detail::ScalarRef(bScalar), site); }

    void SetBias(const GlobalTensor<BiasT>& biasGlobal, Site site = Site::Here()) {
        UseBias(detail::RefTo(biasGlobal), site);
    }
    void SetBias(const LocalTensor<BiasT>& inputBias, Site site = Site::Here()) {
        UseBias(detail::RefTo(inputBias, false, site), site);
    }
    void ClearBias() { request_.bias = {}; }
    void DisableBias() { ClearBias(); }

    void SetHF32(bool enableHF32 = false, int32_t transMode = 0) {
        request_.hf32 = enableHF32;
        request_.hf32Even = transMode == 1;
    }
    void SetQuantScalar(uint64_t quantScalar) {
        request_.quant = sktwin::matmul::Quant::kScalar;
        request_.quantScalar = quantScalar;
    }
    void SetQuantVector(const GlobalTensor<uint64_t>& quantTensor) {
        request_.quant = sktwin::matmul::Quant::kVector;
        request_.quantVector = detail::RefTo(quantTensor);
    }
    void SetQuantVector(const LocalTensor<uint64_t>& quantTensor, Site site = Site::Here()) {
        request_.quant = sktwin::matmul::Quant::kVector;
        request_.quantVector = detail::RefTo(quantTensor, false, site);
    }

    void SetWorkspace(GlobalTensor<DstT>& addr) { workspace_ = addr.GetPhyAddr(); }
    template <typename T>
    void SetWorkspace(T* addr, int) {
        workspace_ = reinterpret_cast<DstT*>(addr);
    }
    // The device converts formats there; the twin needs no room for it.
    void SetLocalWorkspace(const LocalTensor<uint8_t>&) {}
    void SetUserDefInfo(uint64_t tilingPtr) { request_.userTiling = tilingPtr; }
    template <typename T>
    void SetSelfDefineData(T data) {
        static_assert(std::is_integral_v<T> || std::is_pointer_v<T>, "SetSelfDefineData takes a number or a pointer");
        if constexpr (std::is_pointer_v<T>) {
            request_.userData = reinterpret_cast<uintptr_t>(data);
        } else {
            request_.userData = static_cast<uint64_t>(data);
        }
    }
    void SetSubBlockIdx(uint8_t subBlockIdx) { subBlock_ = subBlockIdx; }
    uint8_t GetSubBlockIdx() const {
        return subBlock_ == kOwnSubBlock ? static_cast<uint8_t>(sktwin::Self().subBlockIdx) : subBlock_;
    }

    // Computes the next block into L0C; false after the last one, and the next call begins again.
    template <bool sync = true>
    bool Iterate(bool enPartialSum = false, Site site = Site::Here()) {
        const uint64_t next = started_ ? request_.block + 1 : 0;
        if (next >= request_.shape.Blocks()) {
            started_ = false;
            return false;
        }
        started_ = true;
        request_.block = next;
        request_.partialSum = enPartialSum;
        Issue(sktwin::matmul::Work::kIterate, sync, site);
        return true;
    }

    template <bool sync = true>
    void GetTensorC(const GlobalTensor<DstT>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    Site site = Site::Here()) {
        ToGlobal(gm.GetPhyAddr(), enAtomic, enSequentialWrite);
        Issue(sktwin::matmul::Work::kFetch, sync, site);
    }
    template <bool sync = true>
    void GetTensorC(const LocalTensor<DstT>& co2Local, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    Site site = Site::Here()) {
        ToLocal(co2Local, enAtomic, enSequentialWrite, site);
        Issue(sktwin::matmul::Work::kFetch, sync, site);
    }
    template <bool sync = true>
    void GetTensorC(const GlobalTensor<DstT>& gm, const LocalTensor<DstT>& co2Local, uint8_t enAtomic = 0,
                    bool enSequentialWrite = false, Site site = Site::Here()) {
        GetTensorC<sync>(gm, enAtomic, enSequentialWrite, site);
        GetTensorC<sync>(co2Local, 0, enSequentialWrite, site);
    }
    // The block's place in the workspace of SetWorkspace.
    template <bool sync = false>
    GlobalTensor<DstT> GetTensorC(uint8_t enAtomic = 0, bool enSequentialWrite = false, Site site = Site::Here()) {
        (void)enSequentialWrite;
        GlobalTensor<DstT> block;
        const auto& shape = request_.shape;
        block.SetGlobalBuffer(NeedWorkspace(site) + request_.block * shape.baseM * shape.baseN,
                              shape.baseM * shape.baseN);
        ToGlobal(block.GetPhyAddr(), enAtomic, true);
        Issue(sktwin::matmul::Work::kFetch, true, site);
        return block;
    }
    void AsyncGetTensorC(const LocalTensor<DstT>& c, Site site = Site::Here()) { GetTensorC<false>(c, 0, true, site); }
    void WaitGetTensorC(Site site = Site::Here()) { Drain(site); }

    template <bool sync = true>
    void IterateAll(const GlobalTensor<DstT>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    bool waitIterateAll = false, bool fakeMsg = false, Site site = Site::Here()) {
        (void)waitIterateAll;
        if (fakeMsg) {
            return;
        }
        ToGlobal(gm.GetPhyAddr(), enAtomic, enSequentialWrite);
        request_.partialSum = false;
        Issue(sktwin::matmul::Work::kAll, sync, site);
        started_ = false;
    }
    template <bool sync = true>
    void IterateAll(const LocalTensor<DstT>& ubCmatrix, uint8_t enAtomic = 0, Site site = Site::Here()) {
        ToLocal(ubCmatrix, enAtomic, false, site);
        request_.partialSum = false;
        Issue(sktwin::matmul::Work::kAll, sync, site);
        started_ = false;
    }
    void WaitIterateAll(Site site = Site::Here()) { Drain(site); }

    void SetBatchNum(int32_t batchA, int32_t batchB) {
        request_.batch.countA = static_cast<uint64_t>(batchA);
        request_.batch.countB = static_cast<uint64_t>(batchB);
    }
#if defined(ASCENDC_CUBE_ONLY)
    void IterateBatch(const GlobalTensor<DstT>& gm, bool enPartialSum, uint8_t enAtomic, bool enSequentialWrite,
                      uint32_t matrixStrideA = 0, uint32_t matrixStrideB = 0, uint32_t matrixStrideC = 0,
                      Site site = Site::Here()) {
        (void)enSequentialWrite;
        IssueBatch(gm, {matrixStrideA, matrixStrideB, matrixStrideC}, enPartialSum, enAtomic, site);
    }
#else
    void IterateBatch(const GlobalTensor<DstT>& gm, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                      uint32_t matrixStrideA = 0, uint32_t matrixStrideB = 0, uint32_t matrixStrideC = 0,
                      bool enPartialSum = false, uint8_t enAtomic = 0, Site site = Site::Here()) {
        (void)enSequentialWrite;
        SetBatchNum(static_cast<int32_t>(batchA), static_cast<int32_t>(batchB));
        IssueBatch(gm, {matrixStrideA, matrixStrideB, matrixStrideC}, enPartialSum, enAtomic, site);
    }
#endif

    void End(Site site = Site::Here()) {
        if constexpr (detail::kMatmulSends) {
            Drain(site);
            CheckRegistered(site);
            sktwin::matmul::Send(sktwin::matmul::QuitWord(request_.object), site);
            registered_ = false;
        }
    }

    // For REGIST_MATMUL_OBJ: the object's number in the kernel's registration.
    void Register(uint8_t object) {
        request_.object = object;
        registered_ = true;
    }
    static void RunServed(void* object, const sktwin::matmul::Request& request) {
        static_cast<Matmul*>(object)->engines_[request.client].Run(request);
    }

private:
    static constexpr uint8_t kOwnSubBlock = 0xff;
    static constexpr bool kOneResultForBoth = A_TYPE::ibShare && B_TYPE::ibShare;

    void UseTiling(const TCubeTiling& tiling) {
        const auto pick = [](uint32_t fixed, int32_t given) {
            return fixed != 0 ? uint64_t{fixed} : static_cast<uint64_t>(given);
        };
        auto& shape = request_.shape;
        SetOrgShape(tiling.M, tiling.N, tiling.Ka, tiling.Kb);
        shape.singleM = pick(kConfig.singleCoreM, tiling.singleCoreM);
        shape.singleN = pick(kConfig.singleCoreN, tiling.singleCoreN);
        shape.singleK = pick(kConfig.singleCoreK, tiling.singleCoreK);
        shape.baseM = pick(kConfig.basicM, tiling.baseM);
        shape.baseN = pick(kConfig.basicN, tiling.baseN);
        shape.baseK = pick(kConfig.basicK, tiling.baseK);
        shape.nFirst = kConfig.iterateOrder == IterateOrder::UNDEF ? tiling.iterateOrder == 1
                                                                   : kConfig.iterateOrder == IterateOrder::ORDER_N;
        hasBias_ = tiling.isBias != 0;
        const auto layout = [](int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
            return sktwin::matmul::BatchLayout{static_cast<uint64_t>(b), static_cast<uint64_t>(s),
                                               static_cast<uint64_t>(n), static_cast<uint64_t>(g),
                                               static_cast<uint64_t>(d)};
        };
        request_.batch.a = layout(tiling.ALayoutInfoB, tiling.ALayoutInfoS, tiling.ALayoutInfoN, tiling.ALayoutInfoG,
                                  tiling.ALayoutInfoD);
        request_.batch.b = layout(tiling.BLayoutInfoB, tiling.BLayoutInfoS, tiling.BLayoutInfoN, tiling.BLayoutInfoG,
                                  tiling.BLayoutInfoD);
        request_.batch.c = layout(tiling.CLayoutInfoB, tiling.CLayoutInfoS1, tiling.CLayoutInfoN, tiling.CLayoutInfoG,
                                  tiling.CLayoutInfoS2);
    }

    // What the device would silently overrun.
    void CheckTiling(Site site) const {
        const auto& shape = request_.shape;
        constexpr uint64_t kL0 = 64 * 1024;
        constexpr uint64_t kL0c = (sktwin::kChip3510 ? 256 : 128) * 1024;
        const uint64_t a = sktwin::BytesOf<SrcAT>(shape.baseM * shape.baseK);
        const uint64_t b = sktwin::BytesOf<SrcBT>(shape.baseN * shape.baseK);
        const uint64_t c = shape.baseM * shape.baseN * sizeof(float);
        if (shape.Blocks() == 0 || shape.singleK == 0 || a > kL0 || b > kL0 || c > kL0c) {
            sktwin::Fault(
                "matmul-tiling", site,
                "Matmul tiling: singleCore %llu x %llu x %llu in base blocks %llu x %llu x "
                "%llu (M x N x K) needs %llu bytes of L0A, %llu of L0B and %llu of L0C; there are %llu, %llu and "
                "%llu, and no size may be zero",
                U(shape.singleM), U(shape.singleN), U(shape.singleK), U(shape.baseM), U(shape.baseN), U(shape.baseK),
                U(a), U(b), U(c), U(kL0), U(kL0), U(kL0c));
        }
    }
    static unsigned long long U(uint64_t value) { return value; }

    void SetLeft(sktwin::matmul::MatrixRef matrix, Site site) {
        CheckTranspose(matrix.transpose, A_TYPE::isTrans, "SetTensorA", site);
        Drain(site);
        request_.a = matrix;
        started_ = false;
    }
    void SetRight(sktwin::matmul::MatrixRef matrix, Site site) {
        CheckTranspose(matrix.transpose, B_TYPE::isTrans, "SetTensorB", site);
        Drain(site);
        request_.b = matrix;
        started_ = false;
    }
    static void CheckTranspose(bool asked, bool possible, const char* api, Site site) {
        if (asked && !possible) {
            sktwin::Fault("matmul-transpose", site,
                          "%s: the matrix is passed as transposed, but its MatmulType has ISTRANS "
                          "false; set ISTRANS to true",
                          api);
        }
    }
    void UseBias(sktwin::matmul::MatrixRef bias, Site site) {
        if (!hasBias_) {
            sktwin::Fault("matmul-bias", site,
                          "SetBias: the tiling has isBias 0; call SetBias(true) or EnableBias(true) on "
                          "the tiling object of the host");
        }
        Drain(site);
        request_.bias = bias;
    }
    DstT* NeedWorkspace(Site site) const {
        if (workspace_ == nullptr) {
            sktwin::Fault("matmul-workspace", site, "GetTensorC without a destination needs SetWorkspace before it");
        }
        return workspace_;
    }
    struct Strides {
        uint64_t a;
        uint64_t b;
        uint64_t c;
    };
    void IssueBatch(const GlobalTensor<DstT>& gm, const Strides& strides, bool enPartialSum, uint8_t enAtomic,
                    Site site) {
        CheckBatch(enPartialSum, site);
        request_.batch.strideA = strides.a;
        request_.batch.strideB = strides.b;
        request_.batch.strideC = strides.c;
        request_.partialSum = false;
        ToGlobal(gm.GetPhyAddr(), enAtomic, false);
        Issue(sktwin::matmul::Work::kBatch, true, site);
    }
    void CheckBatch(bool enPartialSum, Site site) const {
        const uint64_t a = request_.batch.countA;
        const uint64_t b = request_.batch.countB;
        if (enPartialSum || a == 0 || b == 0 || (a % b != 0 && b % a != 0)) {
            sktwin::Fault("matmul-batch", site,
                          "IterateBatch: batches %llu of A and %llu of B; one must be a multiple of the "
                          "other, and the twin leaves out enPartialSum",
                          U(a), U(b));
        }
    }

    void ToGlobal(DstT* address, uint8_t enAtomic, bool enSequentialWrite) {
        auto& to = request_.destination;
        to = {};
        to.global = reinterpret_cast<uint8_t*>(address);
        to.atomic = enAtomic;
        to.sequential = enSequentialWrite;
    }
    void ToLocal(const LocalTensor<DstT>& tensor, uint8_t enAtomic, bool enSequentialWrite, Site site) {
        if (enAtomic != 0) {
            sktwin::Fault("matmul-atomic", site, "Matmul: results for a local tensor take enAtomic 0");
        }
        auto& to = request_.destination;
        to = {};
        to.core = detail::OwnerOf(tensor, site);
        to.memory = tensor.GetMemory();
        to.start = tensor.GetByteOffset();
        to.sequential = enSequentialWrite;
    }

    void CheckRegistered(Site site) const {
        if (!registered_) {
            sktwin::Fault("matmul-not-registered", site,
                          "this Matmul object is used outside REGIST_MATMUL_OBJ and End; in a MIX "
                          "kernel register every object once and end it once");
        }
    }

    void Issue(sktwin::matmul::Work work, bool wait, Site site) {
        request_.work = work;
        request_.site = site;
        if constexpr (detail::kMatmulComputes) {
            engines_[0].Run(request_);
        } else if constexpr (detail::kMatmulSends) {
            CheckRegistered(site);
            Drain(site);
            request_.client = static_cast<uint8_t>(sktwin::Self().subBlockIdx);
            request_.sharedWith = kOneResultForBoth && request_.client != 0 ? ++issued_ : 0;
            posted_ = request_;
            sktwin::matmul::Send(reinterpret_cast<uintptr_t>(&posted_), site);
            pending_ = true;
            if (wait) {
                Drain(site);
            }
        }
    }

    // Waits for the request that is under way: the AIC reads it and its operands until then.
    void Drain(Site site) {
        if (detail::kMatmulSends && pending_) {
            sktwin::matmul::AwaitAcknowledgement(request_.object, site);
            pending_ = false;
        }
    }

    sktwin::matmul::Request request_;
    sktwin::matmul::Request posted_;
    sktwin::matmul::Engine<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB> engines_[sktwin::matmul::kClients];
    DstT* workspace_ = nullptr;
    uint32_t issued_ = 0;
    uint8_t subBlock_ = kOwnSubBlock;
    bool hasBias_ = false;
    bool started_ = false;
    bool registered_ = false;
    bool pending_ = false;
};

template <typename A_TYPE, typename B_TYPE, typename C_TYPE, typename BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          typename MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>, typename MATMUL_POLICY = MatmulPolicy>
using MatmulImpl = Matmul<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;

}  // namespace AscendC
