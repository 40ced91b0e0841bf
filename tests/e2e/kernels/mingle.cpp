// Licensed under the Apache License, Version 2.0.
//
// y is a mix of four buffers, in pieces of 1 KiB: each piece of y depends on pieces that other blocks of earlier
// operators wrote, so an order that is missing shows in the bytes. Buffers and the workspace are kPieces pieces.
//
// AIV cores add (a linear mix), AIC cores multiply (pieces as matrices of int8). What a mixed kernel does is chosen by a
// macro: by default its kinds share the pieces; HAND_OVER: each AIC leaves products in the workspace for its AIVs.
// FULL_SYNC: a first mix goes to the workspace, all cores meet, the AIVs mix the workspace. EARLY_SET and EARLY_WAIT
// add the early-start calls.
#include "cube_tile.h"

namespace {

using namespace skcore_kernels;

constexpr uint32_t kPieces = 48;
constexpr uint32_t kPiece = 256;  // int32 elements
constexpr uint32_t kRows = 16;    // a piece is also a matrix of int8: 16 rows, or 16 columns
constexpr uint32_t kDepth = kPiece * sizeof(int32_t) / kRows;
constexpr uint16_t kProductsAreThere = 4;

#if __MIX_CORE_MACRO__ == 1
constexpr bool kMixed = true;
#else
constexpr bool kMixed = false;
#endif

struct Inputs {
    GM_ADDR a;
    GM_ADDR b;
    GM_ADDR c;
    GM_ADDR d;
    uint32_t shift;
    int32_t salt;

    __aicore__ uint32_t From(uint32_t piece, uint32_t times) const { return (piece + times * shift) % kPieces; }
};

class Adder {
public:
    __aicore__ Adder() {
        pipe_.InitBuffer(in_, kBuffers, kPiece * sizeof(int32_t));
        pipe_.InitBuffer(out_, kBuffers, kPiece * sizeof(int32_t));
    }

    __aicore__ void Mix(const Inputs& inputs, GM_ADDR to, uint32_t piece) {
        sum_ = out_.AllocTensor<int32_t>();
        AscendC::Duplicate(sum_, inputs.salt, static_cast<int32_t>(kPiece));
        Take(inputs.a, inputs.From(piece, 1));
        Take(inputs.b, inputs.From(piece, 2));
        Take(inputs.c, inputs.From(piece, 3));
        Take(inputs.d, inputs.From(piece, 5));
        Store(to, piece);
    }

    // The product of the piece, which lies in the workspace, with a mix of two inputs.
    __aicore__ void Finish(const Inputs& inputs, GM_ADDR workspace, GM_ADDR to, uint32_t piece) {
        sum_ = out_.AllocTensor<int32_t>();
        AscendC::Duplicate(sum_, inputs.salt, static_cast<int32_t>(kPiece));
        Take(workspace, piece);
        Take(inputs.c, inputs.From(piece, 3));
        Take(inputs.d, inputs.From(piece, 5));
        Store(to, piece);
    }

private:
    __aicore__ void Take(GM_ADDR from, uint32_t piece) {
        GlobalTensor<int32_t> source;
        source.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(from), kPieces * kPiece);
        LocalTensor<int32_t> value = in_.AllocTensor<int32_t>();
        AscendC::DataCopy(value, source[piece * kPiece], kPiece);
        in_.EnQue(value);
        value = in_.DeQue<int32_t>();
        AscendC::Muls(sum_, sum_, 3, static_cast<int32_t>(kPiece));
        AscendC::Add(sum_, sum_, value, static_cast<int32_t>(kPiece));
        in_.FreeTensor(value);
    }

    __aicore__ void Store(GM_ADDR to, uint32_t piece) {
        GlobalTensor<int32_t> target;
        target.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(to), kPieces * kPiece);
        out_.EnQue(sum_);
        sum_ = out_.DeQue<int32_t>();
        AscendC::DataCopy(target[piece * kPiece], sum_, kPiece);
        out_.FreeTensor(sum_);
    }

    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, kBuffers> in_;
    AscendC::TQue<AscendC::TPosition::VECOUT, kBuffers> out_;
    LocalTensor<int32_t> sum_;
};

class Multiplier {
public:
    __aicore__ explicit Multiplier(const Inputs& inputs) : inputs_(inputs) {
        even_.Init(pipe_, inputs.a, inputs.b, kPieces * kRows, kDepth, kRows, kPieces);
        odd_.Init(pipe_, inputs.c, inputs.d, kPieces * kRows, kDepth, kRows, kPieces);
    }

    __aicore__ void Mix(GM_ADDR to, uint32_t piece) {
        if (piece % 2 == 0) {
            Multiply(even_, inputs_.From(piece, 1), inputs_.From(piece, 2), to, piece);
        } else {
            Multiply(odd_, inputs_.From(piece, 3), inputs_.From(piece, 5), to, piece);
        }
    }

private:
    __aicore__ void Multiply(CubeTile<int8_t>& cube, uint32_t left, uint32_t right, GM_ADDR to, uint32_t piece) {
        GlobalTensor<int32_t> target;
        target.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(to), kPieces * kPiece);
        const Tile tile{left * kRows, 0, kRows, kRows};
        cube.SelectRight(right);
        cube.Compute(tile);
        cube.Store(target[piece * kPiece], tile, kRows);
    }

    Inputs inputs_;
    AscendC::TPipe pipe_;
    CubeTile<int8_t> even_;
    CubeTile<int8_t> odd_;
};

// Each kind of a mixed kernel has the pieces of one parity of their halves; a kernel of one kind has all.
__aicore__ inline bool IsOurs(uint32_t piece, bool cube) { return !kMixed || (piece / 2 % 2 == 0) == cube; }

__aicore__ inline void OnCube(const Inputs& inputs, GM_ADDR y, [[maybe_unused]] GM_ADDR workspace) {
    Multiplier multiplier(inputs);
    const uint32_t block = AscendC::GetBlockIdx();
    const uint32_t blocks = AscendC::GetBlockNum();
#if defined(HAND_OVER)
    for (uint32_t piece = block; piece < kPieces; piece += blocks) {
        multiplier.Mix(workspace, piece);
    }
    AscendC::CrossCoreSetFlag<2, PIPE_FIX>(kProductsAreThere);
#else
    uint32_t number = 0;
    for (uint32_t piece = 0; piece < kPieces; ++piece) {
        if (IsOurs(piece, true) && number++ % blocks == block) {
#if defined(FULL_SYNC)
            multiplier.Mix(workspace, piece);
#else
            multiplier.Mix(y, piece);
#endif
        }
    }
#if defined(FULL_SYNC)
    AscendC::SyncAll<false>();
#endif
#endif
}

__aicore__ inline void OnVector(const Inputs& inputs, GM_ADDR y, [[maybe_unused]] GM_ADDR workspace) {
    Adder adder;
    const uint32_t worker = AscendC::GetBlockIdx();
    const uint32_t ratio = kMixed ? AscendC::GetTaskRation() : 1;
    const uint32_t workers = AscendC::GetBlockNum() * ratio;
#if defined(HAND_OVER)
    AscendC::CrossCoreWaitFlag(kProductsAreThere);
    uint32_t number = 0;
    for (uint32_t piece = worker / ratio; piece < kPieces; piece += AscendC::GetBlockNum()) {
        if (number++ % ratio == worker % ratio) {
            adder.Finish(inputs, workspace, y, piece);
        }
    }
#else
    uint32_t number = 0;
    for (uint32_t piece = 0; piece < kPieces; ++piece) {
        if (IsOurs(piece, false) && number++ % workers == worker) {
#if defined(FULL_SYNC)
            adder.Mix(inputs, workspace, piece);
#else
            adder.Mix(inputs, y, piece);
#endif
        }
    }
#if defined(FULL_SYNC)
    AscendC::SyncAll<!kMixed>();
    const Inputs mixed{workspace, workspace, inputs.c, inputs.d, inputs.shift, inputs.salt};
    for (uint32_t piece = worker; piece < kPieces; piece += workers) {
        adder.Mix(mixed, y, piece);
    }
#endif
#endif
}

}  // namespace

extern "C" __global__ __aicore__ void mingle(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR d, GM_ADDR y, GM_ADDR workspace,
                                             GM_ADDR shift, GM_ADDR salt) {
    const Inputs inputs{a,
                        b,
                        c,
                        d,
                        static_cast<uint32_t>(reinterpret_cast<uint64_t>(shift)),
                        static_cast<int32_t>(reinterpret_cast<uint64_t>(salt))};
#if defined(EARLY_WAIT)
    AscendC::WaitPreTaskEnd();
#endif
    if ASCEND_IS_AIC {
        OnCube(inputs, y, workspace);
    }
    if ASCEND_IS_AIV {
        OnVector(inputs, y, workspace);
    }
#if defined(EARLY_SET)
    AscendC::SetNextTaskStart();
#endif
}
