// Licensed under the Apache License, Version 2.0.
//
// The host's Matmul tiling classes (ascendc_data_cube.md 11.2, 11.3). What they choose need not be what the device's
// library chooses, but it meets every documented constraint. GetTiling gives -1 only when no tiling does, and then says
// why on standard error.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "host/matmul_blocks.h"
#include "host/matmul_grid.h"
#include "host/matmul_types.h"
#include "host/tiling_data.h"

namespace matmul_tiling {

class MatmulApiTilingBase {
public:
    using Tiling = AscendC::tiling::TCubeTiling;

    MatmulApiTilingBase() = default;
    explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& platform) {
        using platform_ascendc::CoreMemType;
        platform.GetCoreMemSize(CoreMemType::L1, chip_.l1Size);
        platform.GetCoreMemSize(CoreMemType::L0_C, chip_.l0CSize);
        platform.GetCoreMemSize(CoreMemType::UB, chip_.ubSize);
        platform.GetCoreMemSize(CoreMemType::L0_A, chip_.l0ASize);
        platform.GetCoreMemSize(CoreMemType::L0_B, chip_.l0BSize);
        UseChip();
    }
    explicit MatmulApiTilingBase(const PlatformInfo& platform) : chip_(platform) { UseChip(); }
    virtual ~MatmulApiTilingBase() = default;

    int32_t SetAType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false) {
        return SetOperand(&a_, {pos, type, dataType, isTrans, true});
    }
    int32_t SetBType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false) {
        return SetOperand(&b_, {pos, type, dataType, isTrans, true});
    }
    int32_t SetCType(TPosition pos, CubeFormat type, DataType dataType) {
        return SetOperand(&c_, {pos, type, dataType, false, true});
    }
    int32_t SetBiasType(TPosition pos, CubeFormat type, DataType dataType) {
        return SetOperand(&bias_, {pos, type, dataType, false, true});
    }
    int32_t SetScaleAType(TPosition, CubeFormat, bool = false) { return UseScales(); }
    int32_t SetScaleBType(TPosition, CubeFormat, bool = true) { return UseScales(); }

    // The sizes to tile; -1 takes the size of SetOrgShape.
    virtual int32_t SetShape(int32_t m, int32_t n, int32_t k) {
        shape_ = {m, n, k};
        return 0;
    }
    int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKIn) {
        return SetOrgShape(orgMIn, orgNIn, orgKIn, orgKIn);
    }
    int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKaIn, int32_t orgKbIn) {
        if (orgMIn <= 0 || orgNIn <= 0 || orgKaIn <= 0 || orgKbIn <= 0) {
            return -1;
        }
        org_ = {orgMIn, orgNIn, orgKaIn};
        orgKb_ = orgKbIn;
        return 0;
    }
    int32_t SetSingleShape(int32_t singleMIn = -1, int32_t singleNIn = -1, int32_t singleKIn = -1) {
        single_ = {singleMIn, singleNIn, singleKIn};
        return 0;
    }
    int32_t SetFixSplit(int32_t baseMIn = -1, int32_t baseNIn = -1, int32_t baseKIn = -1) {
        fixed_ = {baseMIn, baseNIn, baseKIn};
        return 0;
    }
    int32_t SetSplitRange(int32_t maxBaseM = -1, int32_t maxBaseN = -1, int32_t maxBaseK = -1, int32_t minBaseM = -1,
                          int32_t minBaseN = -1, int32_t minBaseK = -1) {
        most_ = {maxBaseM, maxBaseN, maxBaseK};
        least_ = {minBaseM, minBaseN, minBaseK};
        return 0;
    }

    int32_t SetBias(bool isBiasIn = false) {
        hasBias_ = isBiasIn;
        return 0;
    }
    int32_t EnableBias(bool isBiasIn = false) { return SetBias(isBiasIn); }
    // What the tiling may use, in bytes; -1 leaves all of a memory.
    int32_t SetBufferSpace(int32_t l1Size = -1, int32_t l0CSize = -1, int32_t ubSize = -1, int32_t btSize = -1) {
        const auto use = [](int64_t* size, int32_t given) {
            *size = given < 0 ? *size : std::min<int64_t>(*size, given);
        };
        UseChip();
        use(&l1_, l1Size);
        use(&l0c_, l0CSize);
        use(&ub_, ubSize);
        use(&biasTable_, btSize);
        return 0;
    }
    int32_t SetTraverse(MatrixTraverse traverse) {
        traverse_ = traverse;
        return 0;
    }
    int32_t SetMadType(MatrixMadType madType) {
        madType_ = madType;
        return 0;
    }
    int32_t SetMatmulConfigParams(int32_t = 1, bool = false, ScheduleType = ScheduleType::INNER_PRODUCT,
                                  MatrixTraverse traverse = MatrixTraverse::NOSET, bool = false) {
        traverse_ = traverse == MatrixTraverse::NOSET ? traverse_ : traverse;
        return 0;
    }
    int32_t SetMatmulConfigParams(const MatmulConfigParams& params) {
        return SetMatmulConfigParams(params.mmConfigType, params.enableL1CacheUB, params.scheduleType, params.traverse);
    }
    // These change how the device moves data, not what a valid tiling is.
    int32_t SetDoubleBuffer(bool, bool, bool, bool, bool = true, bool = true) { return 0; }
    int32_t SetDequantType(DequantType) { return 0; }
    int32_t SetSparse(bool = false) { return 0; }
    int32_t EnableL1BankConflictOptimise() { return 0; }

    int32_t SetBatchNum(int32_t batch) {
        batch_ = batch;
        return 0;
    }
    int32_t SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
        return SetLayout(&layoutA_, b, s, n, g, d);
    }
    int32_t SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
        return SetLayout(&layoutB_, b, s, n, g, d);
    }
    int32_t SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
        return SetLayout(&layoutC_, b, s, n, g, d);
    }
    int32_t SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k) {
        if (batchA <= 0 || batchB <= 0 || m <= 0 || n <= 0 || k <= 0) {
            return -1;
        }
        batchA_ = batchA;
        batchB_ = batchB;
        batch_ = std::max(batchA, batchB);
        SetLayout(&layoutA_, batchA, a_.transposed ? k : m, 1, 1, a_.transposed ? m : k);
        SetLayout(&layoutB_, batchB, b_.transposed ? n : k, 1, 1, b_.transposed ? k : n);
        SetLayout(&layoutC_, batch_, m, 1, 1, n);
        return 0;
    }

    // 0, or -1 when no tiling meets all demands. Takes the kernel's structure and the host's.
    int64_t GetTiling(Tiling& tiling) {
        Problem problem;
        const char* wrong = Ask(&problem);
        wrong = wrong != nullptr ? wrong : Solve(problem);
        if (wrong != nullptr) {
            std::fprintf(stderr, "matmul_tiling: GetTiling(%lld x %lld x %lld): %s\n", Long(problem.m), Long(problem.n),
                         Long(problem.k), wrong);
            return -1;
        }
        Fill(problem, &tiling);
        return 0;
    }
    int32_t GetBaseM() const { return static_cast<int32_t>(blocks_.m); }
    int32_t GetBaseN() const { return static_cast<int32_t>(blocks_.n); }
    int32_t GetBaseK() const { return static_cast<int32_t>(blocks_.k); }
    int32_t GetSingleShape(int32_t& m, int32_t& n, int32_t& k) const {
        m = static_cast<int32_t>(grid_.m.size);
        n = static_cast<int32_t>(grid_.n.size);
        k = static_cast<int32_t>(grid_.k.size);
        return 0;
    }

protected:
    struct Sizes {
        int64_t m = -1;
        int64_t n = -1;
        int64_t k = -1;
    };
    // The product that all cores make together.
    struct Problem {
        int64_t m = 0;
        int64_t n = 0;
        int64_t k = 0;
    };
    struct Operand {
        TPosition position = TPosition::GM;
        CubeFormat format = CubeFormat::ND;
        DataType type = DataType::DT_FLOAT16;
        bool transposed = false;
        bool given = false;

        int64_t Bits() const { return BitsOf(type); }
        int64_t Fractal() const { return Bits() == 0 ? 16 : 256 / Bits(); }  // elements in 32 bytes
    };

    virtual int64_t CoresToUse() const { return 1; }
    virtual bool SharesCores() const { return false; }
    virtual bool SplitsK() const { return false; }

    Sizes alignSingle_;
    Sizes mostSingle_;
    Sizes leastSingle_;
    sktwin::tiling::Grid grid_;
    int32_t batchA_ = 0;
    int32_t batchB_ = 0;
    int32_t batch_ = 0;
    bool hasBias_ = false;

private:
    struct Layout {
        int32_t b = 0;
        int32_t s = 0;
        int32_t n = 0;
        int32_t g = 0;
        int32_t d = 0;
    };
    static constexpr int32_t kScaleFactors = 1 << 24 | 1 << 16 | 1 << 8 | 1;

    static long long Long(int64_t value) { return value; }
    static int32_t Narrow(int64_t value) { return static_cast<int32_t>(value); }
    static sktwin::tiling::Range RangeOf(int64_t least, int64_t most) {
        sktwin::tiling::Range range;
        range.least = least > 0 ? least : range.least;
        range.most = most > 0 ? most : range.most;
        return range;
    }

    void UseChip() {
        l1_ = static_cast<int64_t>(chip_.l1Size);
        l0c_ = static_cast<int64_t>(chip_.l0CSize);
        ub_ = static_cast<int64_t>(chip_.ubSize);
        biasTable_ = static_cast<int64_t>(sktwin::ThePlatform().bias);
    }
    int32_t SetOperand(Operand* operand, const Operand& given) {
        if (BitsOf(given.type) == 0) {
            return -1;
        }
        *operand = given;
        return 0;
    }
    int32_t UseScales() {
        madType_ = MatrixMadType::MXMODE;
        return 0;
    }
    static int32_t SetLayout(Layout* layout, int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
        *layout = {b, s, n, g, d};
        return 0;
    }

    // What is wrong with the question, null when nothing is.
    const char* Ask(Problem* problem) const {
        const auto pick = [](int64_t first, int64_t second, int64_t third) {
            return first > 0 ? first : second > 0 ? second : third;
        };
        problem->m = pick(shape_.m, org_.m, layoutC_.s);
        problem->n = pick(shape_.n, org_.n, layoutC_.d);
        problem->k = pick(shape_.k, org_.k, a_.transposed ? layoutA_.s : layoutA_.d);
        if (!a_.given || !b_.given || !c_.given) {
            return "call SetAType, SetBType and SetCType before";
        }
        if (problem->m <= 0 || problem->n <= 0 || problem->k <= 0) {
            return "call SetShape or SetOrgShape with positive sizes before";
        }
        return nullptr;
    }

    const char* Solve(const Problem& problem) {
        using sktwin::tiling::ChooseBlocks;
        using sktwin::tiling::ChooseGrid;
        using sktwin::tiling::GridAxis;
        const auto align = [](int64_t asked, int64_t own) {
            return asked > 0 ? sktwin::tiling::RoundUp(asked, own) : own;
        };
        const auto axis = [this](int64_t size, int64_t align, int64_t single, sktwin::tiling::Range range) {
            return SharesCores() ? GridAxis{size, align, single, range}
                                 : GridAxis{single > 0 ? single : size, align, -1, {}};
        };
        const GridAxis m = axis(problem.m, align(alignSingle_.m, AlignOfPart(problem.m, fixed_.m, AlignOfM())),
                                single_.m, RangeOf(leastSingle_.m, mostSingle_.m));
        const GridAxis n = axis(problem.n, align(alignSingle_.n, AlignOfPart(problem.n, fixed_.n, AlignOfN())),
                                single_.n, RangeOf(leastSingle_.n, mostSingle_.n));
        GridAxis k =
            axis(problem.k, align(alignSingle_.k, AlignOfK()), single_.k, RangeOf(leastSingle_.k, mostSingle_.k));
        if (!SplitsK() && k.fixed <= 0) {
            k.fixed = k.size;
        }
        const auto grid = ChooseGrid(m, n, k, CoresToUse());
        if (!grid) {
            return "no grid of that many cores meets SetSingleShape, SetSingleRange and SetDim";
        }
        const auto blocks = ChooseBlocks(BlockProblemOf(*grid));
        if (!blocks) {
            return "no base block meets SetFixSplit and SetSplitRange and fits L0A, L0B, L0C, L1, the bias table and "
                   "UB";
        }
        grid_ = *grid;
        blocks_ = *blocks;
        return nullptr;
    }

    // Where A or B in L1 is rounded up to whole fractals, blocks of it are whole too.
    int64_t AlignOfM() const { return a_.transposed ? std::max<int64_t>(16, a_.Fractal()) : 16; }
    int64_t AlignOfN() const { return b_.transposed ? 16 : std::max<int64_t>(16, b_.Fractal()); }
    // Parts hold whole blocks of a size that is asked for.
    static int64_t AlignOfPart(int64_t size, int64_t fixed, int64_t own) {
        return fixed > 0 && fixed <= size ? sktwin::tiling::RoundUp(fixed, own) : own;
    }
    int64_t AlignOfK() const {
        const int64_t own = std::max<int64_t>({16, a_.Fractal(), b_.Fractal()});
        return madType_ == MatrixMadType::MXMODE ? std::max<int64_t>(own, 64) : own;
    }

    sktwin::tiling::BlockProblem BlockProblemOf(const sktwin::tiling::Grid& grid) const {
        constexpr int64_t kRowBits = 1024;  // the recommended depth of a block
        const bool local = c_.position != TPosition::GM && c_.position != TPosition::CO1;
        const bool fixed = fixed_.m > 0 && fixed_.n > 0;
        sktwin::tiling::BlockProblem problem;
        problem.m = {grid.m.size, fixed_.m > 0 ? 16 : AlignOfM(), 128, fixed_.m, RangeOf(least_.m, most_.m)};
        problem.n = {grid.n.size, fixed_.n > 0 ? 16 : AlignOfN(), 256, fixed_.n, RangeOf(least_.n, most_.n)};
        problem.k = {grid.k.size, AlignOfK(), kRowBits / std::max(a_.Bits(), b_.Bits()), fixed_.k,
                     RangeOf(least_.k, most_.k)};
        problem.bitsA = a_.Bits();
        problem.bitsB = b_.Bits();
        problem.fractalA = AlignOfM();
        problem.fractalB = AlignOfN();
        problem.biasBytes = hasBias_ ? std::max<int64_t>(bias_.given ? bias_.Bits() / 8 : 4, 1) : 0;
        problem.resultBytes = local ? c_.Bits() / 8 : 0;
        problem.l0a = static_cast<int64_t>(chip_.l0ASize);
        problem.l0b = static_cast<int64_t>(chip_.l0BSize);
        problem.l0c = l0c_;
        problem.l1 = l1_;
        problem.ub = fixed ? ub_ : ub_ / 2;  // kernels often keep two blocks
        problem.biasTable = biasTable_;
        return problem;
    }

    void Fill(const Problem& problem, Tiling* tiling) const {
        *tiling = Tiling();
        tiling->usedCoreNum = Narrow(grid_.Cores());
        tiling->M = Narrow(org_.m > 0 ? org_.m : problem.m);
        tiling->N = Narrow(org_.n > 0 ? org_.n : problem.n);
        tiling->Ka = Narrow(org_.k > 0 ? org_.k : problem.k);
        tiling->Kb = Narrow(orgKb_ > 0 ? orgKb_ : problem.k);
        tiling->singleCoreM = Narrow(grid_.m.size);
        tiling->singleCoreN = Narrow(grid_.n.size);
        tiling->singleCoreK = Narrow(grid_.k.size);
        tiling->baseM = GetBaseM();
        tiling->baseN = GetBaseN();
        tiling->baseK = GetBaseK();
        tiling->stepM = tiling->stepN = 1;
        tiling->stepKa = tiling->stepKb = Narrow(blocks_.steps);
        tiling->depthA1 = tiling->depthB1 = Narrow(blocks_.steps * blocks_.l1Buffers);
        tiling->dbL0A = tiling->dbL0B = Narrow(blocks_.l0Buffers);
        tiling->dbL0C = 1;
        tiling->isBias = hasBias_ ? 1 : 0;
        tiling->iterateOrder = traverse_ == MatrixTraverse::FIRSTN ? 1 : 0;
        tiling->shareL1Size = Narrow(blocks_.BytesOfL1(BlockProblemOf(grid_)));
        tiling->shareL0CSize = tiling->baseM * tiling->baseN * 4;
        tiling->mxTypePara = madType_ == MatrixMadType::MXMODE ? kScaleFactors : 0;
        FillBatch(tiling);
    }
    void FillBatch(Tiling* tiling) const {
        tiling->ALayoutInfoB = layoutA_.b;
        tiling->ALayoutInfoS = layoutA_.s;
        tiling->ALayoutInfoN = layoutA_.n;
        tiling->ALayoutInfoG = layoutA_.g;
        tiling->ALayoutInfoD = layoutA_.d;
        tiling->BLayoutInfoB = layoutB_.b;
        tiling->BLayoutInfoS = layoutB_.s;
        tiling->BLayoutInfoN = layoutB_.n;
        tiling->BLayoutInfoG = layoutB_.g;
        tiling->BLayoutInfoD = layoutB_.d;
        tiling->CLayoutInfoB = layoutC_.b;
        tiling->CLayoutInfoS1 = layoutC_.s;
        tiling->CLayoutInfoN = layoutC_.n;
        tiling->CLayoutInfoG = layoutC_.g;
        tiling->CLayoutInfoS2 = layoutC_.d;
        tiling->BatchNum = batch_;
    }

    PlatformInfo chip_;
    int64_t l1_ = static_cast<int64_t>(chip_.l1Size);
    int64_t l0c_ = static_cast<int64_t>(chip_.l0CSize);
    int64_t ub_ = static_cast<int64_t>(chip_.ubSize);
    int64_t biasTable_ = static_cast<int64_t>(sktwin::ThePlatform().bias);
    Operand a_;
    Operand b_;
    Operand c_;
    Operand bias_;
    Sizes shape_;
    Sizes org_;
    int64_t orgKb_ = -1;
    Sizes single_;
    Sizes fixed_;
    Sizes most_;
    Sizes least_;
    Layout layoutA_;
    Layout layoutB_;
    Layout layoutC_;
    MatrixTraverse traverse_ = MatrixTraverse::NOSET;
    MatrixMadType madType_ = MatrixMadType::NORMAL;
    sktwin::tiling::Blocks blocks_;
};

// The product of one core.
class MatmulApiTiling : public MatmulApiTilingBase {
public:
    using MatmulApiTilingBase::MatmulApiTilingBase;
};

// One product over several cores.
class MultiCoreMatmulTiling : public MatmulApiTilingBase {
public:
    using MatmulApiTilingBase::MatmulApiTilingBase;

    // How many cores there are: AIVs in kernels that have both kinds, AICs in kernels for the cube alone.
    int32_t SetDim(int32_t dim) {
        if (dim <= 0) {
            return -1;
        }
        dim_ = dim;
        return 0;
    }
    int32_t SetSingleRange(int32_t maxM = -1, int32_t maxN = -1, int32_t maxK = -1, int32_t minM = -1,
                           int32_t minN = -1, int32_t minK = -1) {
        mostSingle_ = {maxM, maxN, maxK};
        leastSingle_ = {minM, minN, minK};
        return 0;
    }
    int32_t SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK) {
        alignSingle_ = {alignM, alignN, alignK};
        return 0;
    }
    void EnableMultiCoreSplitK(bool flag) { splitK_ = flag; }
    int32_t SetSplitK(bool flag) {
        splitK_ = flag;
        return 0;
    }
    int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim) const {
        dim = static_cast<int32_t>(grid_.Cores());
        mDim = static_cast<int32_t>(grid_.m.count);
        nDim = static_cast<int32_t>(grid_.n.count);
        return 0;
    }

protected:
    int64_t CoresToUse() const override {
        return std::min<int64_t>(dim_,
                                 std::max<int64_t>(sktwin::ThePlatform().aivCores, sktwin::ThePlatform().aicCores));
    }
    bool SharesCores() const override { return true; }
    // A bias would be added by each part of K.
    bool SplitsK() const override { return splitK_ && !hasBias_; }

private:
    int32_t dim_ = 1;
    bool splitK_ = false;
};

// Many products of one size; cores share the batch, and each has whole products.
class BatchMatmulTiling : public MatmulApiTilingBase {
public:
    using MatmulApiTilingBase::MatmulApiTilingBase;

    int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim, int32_t& batchCoreM, int32_t& batchCoreN) const {
        dim = mDim = nDim = batchCoreM = batchCoreN = 1;
        return 0;
    }
};

// Bytes that the Matmul object needs of each memory for this tiling.
inline int32_t MatmulGetTmpBufSize(const AscendC::tiling::TCubeTiling& tiling, SysTilingTempBufSize& bufSize) {
    bufSize = {tiling.shareUbSize, tiling.shareL1Size, tiling.shareL0CSize};
    return 0;
}
inline int32_t MultiCoreMatmulGetTmpBufSize(const AscendC::tiling::TCubeTiling& tiling, SysTilingTempBufSize& bufSize) {
    return MatmulGetTmpBufSize(tiling, bufSize);
}
inline int32_t BatchMatmulGetTmpBufSize(const AscendC::tiling::TCubeTiling& tiling, SysTilingTempBufSize& bufSize) {
    return MatmulGetTmpBufSize(tiling, bufSize);
}
inline int32_t MatmulGetTmpBufSizeV2(const AscendC::tiling::TCubeTiling& tiling, SysTilingTempBufSize& bufSize) {
    return MatmulGetTmpBufSize(tiling, bufSize);
}
inline int32_t MultiCoreMatmulGetTmpBufSizeV2(const AscendC::tiling::TCubeTiling& tiling,
                                              SysTilingTempBufSize& bufSize) {
    return MatmulGetTmpBufSize(tiling, bufSize);
}
inline int32_t BatchMatmulGetTmpBufSizeV2(const AscendC::tiling::TCubeTiling& tiling, SysTilingTempBufSize& bufSize) {
    return MatmulGetTmpBufSize(tiling, bufSize);
}

}  // namespace matmul_tiling
