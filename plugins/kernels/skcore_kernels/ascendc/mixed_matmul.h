// Licensed under the Apache License, Version 2.0.
//
// A matrix product with a vector epilogue: the cube core of a group leaves tiles in the workspace, and the vector cores
// of the group finish them. Works for one and for two vector cores a group, also when that number is the SuperKernel's
// and not the kernel's: the vector cores that there are share the rows of each tile.
#pragma once

#include "cube_tile.h"

namespace skcore_kernels {

constexpr uint32_t kSlots = 2;  // tiles of a group that may be in the workspace at once
constexpr uint32_t kTileElements = kTileM * kTileN;

// Between the cube core and all vector cores of its group.
constexpr uint8_t kGroupMode = 2;

// Flags of the hand-over; both are back at zero at the end.
struct HandOver {
    uint16_t full;
    uint16_t empty;
};

// The tiles of a group in order; slot and whether a later tile takes the same slot follow from the position.
class TileWalk {
public:
    __aicore__ TileWalk(uint32_t group, uint32_t groups, uint32_t m, uint32_t n)
        : group_(group), groups_(groups), m_(m), n_(n), tiles_(TileCount(m, n)) {}

    __aicore__ uint32_t Count() const { return group_ < tiles_ ? AscendC::DivCeil(tiles_ - group_, groups_) : 0; }
    __aicore__ Tile At(uint32_t position) const { return TileOf(group_ + position * groups_, m_, n_); }
    __aicore__ uint32_t SlotOffset(uint32_t position) const {
        return (group_ * kSlots + position % kSlots) * kTileElements;
    }
    __aicore__ bool SlotWasUsed(uint32_t position) const { return position >= kSlots; }
    __aicore__ bool SlotIsUsedAgain(uint32_t position) const { return position + kSlots < Count(); }

private:
    uint32_t group_;
    uint32_t groups_;
    uint32_t m_;
    uint32_t n_;
    uint32_t tiles_;
};

template <typename In>
class CubeSide {
public:
    using Sum = typename CubeTile<In>::Sum;

    __aicore__ void Init(GM_ADDR a, GM_ADDR b, GM_ADDR workspace, uint32_t m, uint32_t k, uint32_t n) {
        cube_.Init(pipe_, a, b, m, k, n);
        workspace_.SetGlobalBuffer(reinterpret_cast<__gm__ Sum*>(workspace));
    }

    __aicore__ void Process(const TileWalk& walk, const HandOver& flags) {
        for (uint32_t position = 0; position < walk.Count(); ++position) {
            const Tile tile = walk.At(position);
            cube_.Compute(tile);
            if (walk.SlotWasUsed(position)) {
                AscendC::CrossCoreWaitFlag(flags.empty);
            }
            cube_.Store(workspace_[walk.SlotOffset(position)], tile, kTileN);
            AscendC::CrossCoreSetFlag<kGroupMode, PIPE_FIX>(flags.full);
        }
    }

private:
    AscendC::TPipe pipe_;
    CubeTile<In> cube_;
    GlobalTensor<Sum> workspace_;
};

// Epilogue: Init(pipe); Apply(values, tile, rows), in place on those rows of the tile: kTileN floats each, of which
// tile.columns count.
template <typename Sum, typename Out, typename Epilogue>
class VectorSide {
public:
    __aicore__ explicit VectorSide(Epilogue& epilogue) : epilogue_(epilogue) {}

    __aicore__ void Init(AscendC::TPipe& pipe, GM_ADDR c, GM_ADDR workspace, uint32_t n) {
        n_ = n;
        c_.SetGlobalBuffer(reinterpret_cast<__gm__ Out*>(c));
        workspace_.SetGlobalBuffer(reinterpret_cast<__gm__ Sum*>(workspace));
        pipe.InitBuffer(inputs_, kBuffers, kTileElements * sizeof(Sum));
        pipe.InitBuffer(outputs_, kBuffers, kTileElements * sizeof(Out));
        epilogue_.Init(pipe);
    }

    __aicore__ void Process(const TileWalk& walk, const HandOver& flags) {
        for (uint32_t position = 0; position < walk.Count(); ++position) {
            const Tile tile = walk.At(position);
            const Range rows = Share(tile.rows, AscendC::GetSubBlockIdx(), AscendC::GetTaskRation());
            // Every vector core takes part in the hand-over, also one that has no rows of this tile.
            AscendC::CrossCoreWaitFlag(flags.full);
            if (rows.Size() > 0) {
                Load(walk.SlotOffset(position) + rows.begin * kTileN, rows.Size(), tile.columns);
            }
            if (walk.SlotIsUsedAgain(position)) {
                AscendC::CrossCoreSetFlag<kGroupMode, PIPE_MTE2>(flags.empty);
            }
            if (rows.Size() > 0) {
                Compute(tile, rows);
                Store(tile, rows);
            }
        }
    }

private:
    __aicore__ void Load(uint32_t offset, uint32_t rows, uint32_t columns) {
        LocalTensor<Sum> input = inputs_.template AllocTensor<Sum>();
        const uint32_t loaded = AscendC::AlignUp(columns, kPerBlock<Sum>);
        const AscendC::DataCopyExtParams shape(rows, columns * sizeof(Sum), (kTileN - columns) * sizeof(Sum),
                                               (kTileN - loaded) / kPerBlock<Sum>, 0);
        AscendC::DataCopyPad(input, workspace_[offset], shape, AscendC::DataCopyPadExtParams<Sum>(false, 0, 0, Sum(0)));
        inputs_.EnQue(input);
    }

    __aicore__ void Compute(const Tile& tile, const Range& rows) {
        const uint32_t count = rows.Size() * kTileN;
        LocalTensor<Sum> input = inputs_.template DeQue<Sum>();
        LocalTensor<Out> output = outputs_.template AllocTensor<Out>();
        LocalTensor<float> values = input.template ReinterpretCast<float>();
        if constexpr (!std::is_same_v<Sum, float>) {
            AscendC::Cast(values, input, AscendC::RoundMode::CAST_RINT, count);
        }
        epilogue_.Apply(values, tile, rows);
        Narrow(output, values, count);
        outputs_.EnQue(output);
        inputs_.FreeTensor(input);
    }

    __aicore__ void Store(const Tile& tile, const Range& rows) {
        LocalTensor<Out> output = outputs_.template DeQue<Out>();
        const uint32_t stored = AscendC::AlignUp(tile.columns, kPerBlock<Out>);
        const uint32_t gap = (kTileN - stored) / kPerBlock<Out>;
        const AscendC::DataCopyExtParams shape(rows.Size(), tile.columns * sizeof(Out), gap,
                                               (n_ - tile.columns) * sizeof(Out), 0);
        AscendC::DataCopyPad(c_[uint64_t(tile.row + rows.begin) * n_ + tile.column], output, shape);
        outputs_.FreeTensor(output);
    }

    Epilogue& epilogue_;
    AscendC::TQue<AscendC::TPosition::VECIN, kBuffers> inputs_;
    AscendC::TQue<AscendC::TPosition::VECOUT, kBuffers> outputs_;
    GlobalTensor<Out> c_;
    GlobalTensor<Sum> workspace_;
    uint32_t n_ = 0;
};

// A part of a vector of the epilogue's parameters, such as one value a column of the product, as float.
template <typename T>
class Parameters {
public:
    __aicore__ void Init(AscendC::TPipe& pipe, GM_ADDR address) {
        source_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address));
        pipe.InitBuffer(queue_, 1, kMost * sizeof(T));
        pipe.InitBuffer(wide_, kMost * sizeof(float));
    }

    __aicore__ LocalTensor<float> Load(uint32_t start, uint32_t count) {
        LocalTensor<T> values = queue_.template AllocTensor<T>();
        CopyIn(values, source_[start], count);
        queue_.EnQue(values);
        values = queue_.template DeQue<T>();
        Widen(wide_.template Get<float>(), values, count);
        queue_.FreeTensor(values);
        return wide_.template Get<float>();
    }

private:
    static constexpr uint32_t kMost = kTileM > kTileN ? kTileM : kTileN;

    GlobalTensor<T> source_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> queue_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide_;
};

// values = values * scale, row by row of `count` values each.
__aicore__ inline void ScaleColumns(const LocalTensor<float>& values, const LocalTensor<float>& scale, uint32_t rows,
                                    uint32_t count) {
    for (uint32_t row = 0; row < rows; ++row) {
        AscendC::Mul(values[row * kTileN], values[row * kTileN], scale, static_cast<int32_t>(count));
    }
}

// The whole kernel, on either kind of core. Workspace: kSlots * kTileElements words of 4 bytes a group.
template <typename In, typename Out, typename Epilogue>
__aicore__ inline void RunMixedMatmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace, uint32_t m, uint32_t k,
                                      uint32_t n, Epilogue& epilogue, const HandOver& flags) {
    const uint32_t group = AscendC::GetBlockIdx() / AscendC::GetTaskRation();
    const TileWalk walk(group, AscendC::GetBlockNum(), m, n);
    if ASCEND_IS_AIC {
        CubeSide<In> cube;
        cube.Init(a, b, workspace, m, k, n);
        cube.Process(walk, flags);
    }
    if ASCEND_IS_AIV {
        AscendC::TPipe pipe;
        VectorSide<typename CubeTile<In>::Sum, Out, Epilogue> vector(epilogue);
        vector.Init(pipe, c, workspace, n);
        vector.Process(walk, flags);
    }
}

}  // namespace skcore_kernels
