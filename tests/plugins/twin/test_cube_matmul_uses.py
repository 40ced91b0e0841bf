# Licensed under the Apache License, Version 2.0.
"""Ways to use the Matmul class: UB operands, several objects, partial sums, batches, constants; and misuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.plugins.twin.cube_oracle import FROM_GLOBAL, Array, multiply
from tests.plugins.twin.running import KernelRunner, Launch, Result
from tests.plugins.twin.test_cube_matmul import Problem, expected, tiling

SMALL = (
    FROM_GLOBAL
    + """
TCubeTiling Small() {
    TCubeTiling tiling;
    tiling.usedCoreNum = 1;
    tiling.M = tiling.singleCoreM = 32;
    tiling.N = tiling.singleCoreN = 48;
    tiling.Ka = tiling.Kb = tiling.singleCoreK = 64;
    tiling.baseM = 16;
    tiling.baseN = 32;
    tiling.baseK = 32;
    return tiling;
}
template <TPosition position, typename T>
using Rows = MatmulType<position, CubeFormat::ND, T>;
using InGlobal = Matmul<Rows<TPosition::GM, half>, Rows<TPosition::GM, half>, Rows<TPosition::GM, float>>;
using InUb = Matmul<Rows<TPosition::VECOUT, half>, Rows<TPosition::GM, half>, Rows<TPosition::VECIN, float>>;
KERNEL(kernel) {
    TPipe pipe;
    const TCubeTiling tiling = Small();
    BODY
}
"""
)


def small(
    run_kernel: KernelRunner, body: str, form: str = "mix11", c: bytes = bytes(32 * 48 * 4), **options: Any
) -> Result:
    """Runs a body on a 32 x 64 by 64 x 48 product. Words: A, B, C."""
    problem = small_problem()
    a, b, _ = problem.operands()
    return run_kernel.run(
        SMALL.replace("BODY", body),
        Launch(form, 1, ["a", "b", "c"]),
        buffers={"a": a.tobytes(), "b": b.tobytes(), "c": c},
        **options,
    )


def small_problem() -> Problem:
    """The product of SMALL."""
    return Problem(m=32, n=48, k=64)


def small_result(result: Result) -> Array:
    """Its C."""
    assert result.status == "ok", result.message
    return np.frombuffer(result.buffers["c"], np.float32).reshape(32, 48)


@pytest.mark.parametrize("arch", [2201, 3510])
def test_operands_from_ub_and_blocks_to_ub(run_kernel: KernelRunner, arch: int) -> None:
    body = """
    InUb mm;
    REGIST_MATMUL_OBJ(&pipe, nullptr, mm, &tiling);
    TBuf<TPosition::VECCALC> room;
    pipe.InitBuffer(room, 16384);
    LocalTensor<half> a(TPosition::VECOUT, 0, 2048);
    LocalTensor<float> block(TPosition::VECIN, 8192, 512);
    DataCopy(a, Global<half>(0), 2048);
    mm.SetTensorA(a);
    mm.SetTensorB(Global<half>(1));
    auto c = Global<float>(2);
    for (int i = 0; mm.Iterate(); ++i) {
        mm.GetTensorC(block, 0, true);
        const uint16_t width = i / 2 == 0 ? 32 : 16;
        const DataCopyParams rows(16, width / 8, (32 - width) / 8, (48 - width) / 8);
        DataCopy(c[i % 2 * 16 * 48 + i / 2 * 32], block, rows);
    }
    mm.End();
    """
    assert np.array_equal(small_result(small(run_kernel, body, arch=arch)), expected(small_problem()))


def test_two_objects_serve_in_turn(run_kernel: KernelRunner) -> None:
    body = """
    InGlobal first;
    InGlobal second;
    REGIST_MATMUL_OBJ(&pipe, nullptr, first, &tiling, second, &tiling);
    auto c = Global<float>(2);
    first.SetTensorA(Global<half>(0));
    first.SetTensorB(Global<half>(1));
    first.IterateAll<false>(c);
    first.End();
    second.SetTensorA(Global<half>(0));
    second.SetTensorB(Global<half>(1));
    second.IterateAll(c, 1);
    second.End();
    """
    assert np.array_equal(small_result(small(run_kernel, body)), expected(small_problem()) * 2)


def test_split_k_is_summed_with_the_atomic_of_iterate_all(run_kernel: KernelRunner) -> None:
    body = """
    InGlobal mm;
    REGIST_MATMUL_OBJ(&pipe, nullptr, mm, &tiling);
    mm.SetSingleShape(32, 48, 32);
    mm.SetTensorA(Global<half>(0)[GetSubBlockIdx() * 32]);
    mm.SetTensorB(Global<half>(1)[GetSubBlockIdx() * 32 * 48]);
    mm.IterateAll(Global<float>(2), 1);
    mm.End();
    """
    a, b, _ = small_problem().operands()
    halves = multiply(a[:, :32], b[:32]) + multiply(a[:, 32:], b[32:])
    assert np.array_equal(small_result(small(run_kernel, body, "mix12")), halves)


def test_partial_sums_stay_in_l0c(run_kernel: KernelRunner) -> None:
    body = """
    InGlobal mm;
    REGIST_MATMUL_OBJ(&pipe, nullptr, mm, &tiling);
    for (int block = 0; block < 2; ++block) {
        mm.SetSingleShape(16, 32, 32);
        for (int k = 0; k < 2; ++k) {
            mm.SetTensorA(Global<half>(0)[block * 16 * 64 + k * 32]);
            mm.SetTensorB(Global<half>(1)[k * 32 * 48]);
            mm.Iterate(k != 0);
        }
        mm.GetTensorC(Global<float>(2)[block * 16 * 48]);
    }
    mm.End();
    """
    result = small_result(small(run_kernel, body))
    assert np.array_equal(result[:, :32], expected(small_problem())[:, :32])
    assert not result[:, 32:].any()


def test_one_kernel_after_another_finds_the_mailbox_empty(run_kernel: KernelRunner) -> None:
    body = """
    for (int round = 0; round < 3; ++round) {
        [&] {
            InGlobal mm;
            REGIST_MATMUL_OBJ(&pipe, nullptr, mm, &tiling);
            mm.SetTensorA(Global<half>(0));
            mm.SetTensorB(Global<half>(1));
            mm.IterateAll(Global<float>(2), 1);
            mm.End();
        }();
    }
    """
    total = expected(small_problem())
    assert np.array_equal(small_result(small(run_kernel, body)), (total + total) + total)


def test_operands_shared_by_both_vector_cores_give_one_result_that_both_wait_for(run_kernel: KernelRunner) -> None:
    body = """
    using In = MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::NONE, true>;
    Matmul<In, In, Rows<TPosition::GM, float>, Rows<TPosition::GM, float>, CFG_IBSHARE_NORM> mm;
    REGIST_MATMUL_OBJ(&pipe, nullptr, mm, &tiling);
    auto c = Global<float>(2);
    mm.SetTensorA(Global<half>(0));
    mm.SetTensorB(Global<half>(1));
    mm.IterateAll(c, 1);
    if (GetSubBlockIdx() == 1) {
        LocalTensor<float> seen(TPosition::VECIN, 0, 1536);
        DataCopy(seen, c, 1536);
        DataCopy(c[1536], seen, 1536);
    }
    mm.End();
    """
    for seed in range(4):
        result = small(run_kernel, body, "mix12", bytes(2 * 32 * 48 * 4), seed=seed)
        assert result.status == "ok", result.message
        c, seen = np.frombuffer(result.buffers["c"], np.float32).reshape(2, 32, 48)
        assert np.array_equal(c, expected(small_problem()))
        assert np.array_equal(seen, c)


REGISTERED = "InGlobal mm; REGIST_MATMUL_OBJ(&pipe, nullptr, mm, &tiling); "
FAULTS = {
    "matmul-not-registered": "InGlobal mm; mm.Init(&tiling); mm.IterateAll(Global<float>(2));",
    "matmul-transpose": REGISTERED + "mm.SetTensorA(Global<half>(0), true);",
    "matmul-bias": REGISTERED + "mm.SetBias(Global<float>(2));",
    "matmul-tiling": "TCubeTiling big = tiling; big.baseM = 512; big.baseN = 256; InGlobal mm; mm.Init(&big);",
    "matmul-workspace": REGISTERED + "mm.Iterate<false>(); mm.GetTensorC();",
}


@pytest.mark.parametrize("check", FAULTS)
def test_misuse_is_reported_by_name(run_kernel: KernelRunner, check: str) -> None:
    body = FAULTS[check]
    if check in ("matmul-not-registered", "matmul-tiling"):
        body = "if ASCEND_IS_AIV { " + body + " }"
    assert small(run_kernel, body).check == check


def test_a_kernel_that_forgets_end_hangs_its_cube_core(run_kernel: KernelRunner) -> None:
    result = small(run_kernel, REGISTERED)
    assert result.status == "fault"
    assert result.cores[0]["kind"] == "AIC"


BATCH = (
    FROM_GLOBAL
    + """
using Multiply = Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::LAYOUT>,
                        MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::LAYOUT>,
                        MatmulType<TPosition::GM, CubeFormat::ND, float, false, LayoutMode::LAYOUT>>;
KERNEL(kernel) {
    TPipe pipe;
    TCubeTiling tiling;
    std::memcpy(&tiling, sktwin::GlobalAccess(reinterpret_cast<void*>(Word(3)), sizeof(tiling), false), sizeof(tiling));
    Multiply mm;
    REGIST_MATMUL_OBJ(&pipe, nullptr, mm, &tiling);
    mm.SetTensorA(Global<half>(0));
    mm.SetTensorB(Global<half>(1));
    mm.IterateBatch(Global<float>(2), Word(4), Word(5), false);
    mm.End();
}
"""
)


BATCHES = [("NORMAL", (6, 6)), ("NORMAL", (6, 2)), ("BSNGD", (6, 6)), ("SBNGD", (6, 3))]


@pytest.mark.parametrize(("layout", "batches"), BATCHES)
def test_batches_in_each_layout(run_kernel: KernelRunner, layout: str, batches: tuple[int, int]) -> None:
    m, n, k, count = 24, 32, 16, 6
    rng = np.random.default_rng(6)
    a = rng.standard_normal((batches[0], m, k)).astype(np.float16)
    b = rng.standard_normal((batches[1], k, n)).astype(np.float16)

    def laid_out(matrices: Array) -> Array:
        # One outer batch and one group: heads are the batch, so both orders are [rows, heads, columns].
        return matrices if layout == "NORMAL" else np.ascontiguousarray(matrices.transpose(1, 0, 2))

    fields = tiling(
        usedCoreNum=1,
        M=m,
        N=n,
        Ka=k,
        Kb=k,
        singleCoreM=m,
        singleCoreN=n,
        singleCoreK=k,
        baseM=16,
        baseN=16,
        baseK=16,
        ALayoutInfoB=1,
        ALayoutInfoS=m,
        ALayoutInfoN=batches[0],
        ALayoutInfoG=1,
        ALayoutInfoD=k,
        BLayoutInfoB=1,
        BLayoutInfoS=k,
        BLayoutInfoN=batches[1],
        BLayoutInfoG=1,
        BLayoutInfoD=n,
        CLayoutInfoB=1,
        CLayoutInfoS1=m,
        CLayoutInfoN=count,
        CLayoutInfoG=1,
        CLayoutInfoS2=n,
    )
    buffers: dict[str, bytes | int] = {
        "a": laid_out(a).tobytes(),
        "b": laid_out(b).tobytes(),
        "c": count * m * n * 4,
        "tiling": fields,
    }
    launch = Launch("mix11", 1, ["a", "b", "c", "tiling", *batches])
    result = run_kernel.run(BATCH, launch, buffers=buffers, macros=[f"LAYOUT={layout}"])
    assert result.status == "ok", result.message
    c = np.frombuffer(result.buffers["c"], np.float32)
    c = c.reshape(count, m, n) if layout == "NORMAL" else c.reshape(m, count, n).transpose(1, 0, 2)
    for index in range(count):
        wanted = multiply(a[index], b[index * batches[1] // count])
        assert np.array_equal(c[index], wanted)


def test_a_compile_time_tiling_needs_none_at_run_time(run_kernel: KernelRunner) -> None:
    source = (
        SMALL.replace(
            "KERNEL(kernel)",
            """
constexpr MatmulConfig kShapes = GetMMConfig<MatmulConfigMode::CONFIG_NORM>(MatmulShapeParams{32, 48, 64, 16, 32, 32});
using InA = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using InC = MatmulType<TPosition::GM, CubeFormat::ND, float>;
constexpr auto kStatic = GetMatmulApiTiling<InA, InA, InC, InC>(kShapes);
KERNEL(kernel)""",
        )
        .replace("const TCubeTiling tiling = Small();", "")
        .replace(
            "BODY",
            """
    Matmul<InA, InA, InC, InC, kStatic> mm;
    REGIST_MATMUL_OBJ(&pipe, nullptr, mm);
    mm.SetTensorA(Global<half>(0));
    mm.SetTensorB(Global<half>(1));
    mm.IterateAll(Global<float>(2));
    mm.End();
    """,
        )
    )
    a, b, _ = small_problem().operands()
    result = run_kernel.run(
        source, Launch("mix11", 1, ["a", "b", "c"]), buffers={"a": a.tobytes(), "b": b.tobytes(), "c": 32 * 48 * 4}
    )
    assert np.array_equal(small_result(result), expected(small_problem()))


CALLBACKS = (
    FROM_GLOBAL
    + """
inline void CopyLeft(const LocalTensor<int8_t>& a1, const void* gm, int row, int col, int useM, int useK,
                     const uint64_t tilingPtr, const uint64_t dataPtr) {
    GlobalTensor<half> a;
    a.SetGlobalBuffer(reinterpret_cast<half*>(const_cast<void*>(gm)));
    // The data pointer of this kernel is the number of rows to skip, the tiling pointer the row pitch.
    const uint64_t start = (row * 16 + dataPtr) * tilingPtr + col * 32;
    const Nd2NzParams block(1, useM, useK, 0, tilingPtr, (useM + 15) / 16 * 16, 1, 0);
    DataCopy(a1.ReinterpretCast<half>(), a[start], block);
}
inline void CopyRight(const LocalTensor<int8_t>& b1, const void* gm, int row, int col, int useK, int useN,
                      const uint64_t, const uint64_t) {
    GlobalTensor<half> b;
    b.SetGlobalBuffer(reinterpret_cast<half*>(const_cast<void*>(gm)));
    const uint64_t start = row * 32 * 48 + col * 32;
    DataCopy(b1.ReinterpretCast<half>(), b[start], Nd2NzParams(1, useK, useN, 0, 48, (useK + 15) / 16 * 16, 1, 0));
}
template <typename T>
using Rows = MatmulType<TPosition::GM, CubeFormat::ND, T>;
using Calls = MatmulCallBackFunc<nullptr, CopyLeft, CopyRight>;
using Multiply = Matmul<Rows<half>, Rows<half>, Rows<float>, Rows<float>, CFG_NORM, Calls>;
KERNEL(kernel) {
    TPipe pipe;
    TCubeTiling tiling;
    tiling.M = tiling.singleCoreM = 24;
    tiling.N = tiling.singleCoreN = 48;
    tiling.Ka = tiling.Kb = tiling.singleCoreK = 64;
    tiling.baseM = 16;
    tiling.baseN = tiling.baseK = 32;
    Multiply mm;
    REGIST_MATMUL_OBJ(&pipe, nullptr, mm, &tiling);
    mm.SetUserDefInfo(64);
    mm.SetSelfDefineData(8);
    mm.SetTensorA(Global<half>(0));
    mm.SetTensorB(Global<half>(1));
    mm.IterateAll(Global<float>(2));
    mm.End();
}
"""
)


@pytest.mark.parametrize("arch", [2201, 3510])
def test_user_functions_fill_l1_with_the_blocks_that_are_multiplied(run_kernel: KernelRunner, arch: int) -> None:
    a, b, _ = small_problem().operands()
    buffers: dict[str, bytes | int] = {"a": a.tobytes(), "b": b.tobytes(), "c": 24 * 48 * 4}
    result = run_kernel.run(CALLBACKS, Launch("mix11", 1, ["a", "b", "c"]), arch=arch, buffers=buffers)
    assert result.status == "ok", result.message
    assert np.array_equal(np.frombuffer(result.buffers["c"], np.float32).reshape(24, 48), multiply(a[8:], b))


FUSED = """
#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/matmul_intf.h"
using namespace AscendC;
using namespace matmul;
template <TPosition position, typename T>
using Rows = MatmulType<position, CubeFormat::ND, T>;
class Fused {
public:
    void Init(TPipe* pipe) { pipe->InitBuffer(out_, 2, 16 * 32 * sizeof(float)); }
    void Run(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
        a_.SetGlobalBuffer(reinterpret_cast<half*>(a));
        b_.SetGlobalBuffer(reinterpret_cast<half*>(b));
        c_.SetGlobalBuffer(reinterpret_cast<float*>(c));
        // Each of the two vector cores takes half of the rows.
        const uint32_t row = GetBlockIdx() * 16;
        mm.SetTensorA(a_[row * 64]);
        mm.SetTensorB(b_);
        for (uint32_t column = 0; mm.Iterate(); column += 32) {
            auto block = out_.AllocTensor<float>();
            mm.GetTensorC(block, false, true);
            LeakyRelu(block, block, 0.125f, 16 * 32);
            out_.EnQue(block);
            auto done = out_.DeQue<float>();
            DataCopy(c_[row * 64 + column], done, DataCopyParams(16, 4, 0, 4));
            out_.FreeTensor(done);
        }
        mm.End();
    }
    Matmul<Rows<TPosition::GM, half>, Rows<TPosition::GM, half>, Rows<TPosition::VECIN, float>> mm;

private:
    GlobalTensor<half> a_;
    GlobalTensor<half> b_;
    GlobalTensor<float> c_;
    TQue<TPosition::VECOUT, 2> out_;
};
extern "C" __global__ __aicore__ void kernel(uint64_t) {
    const uint64_t* words = get_para_base();
    TCubeTiling tiling;
    tiling.usedCoreNum = 2;
    tiling.M = 32;
    tiling.N = tiling.singleCoreN = 64;
    tiling.Ka = tiling.Kb = tiling.singleCoreK = 64;
    tiling.singleCoreM = tiling.baseM = 16;
    tiling.baseN = tiling.baseK = 32;
    TPipe pipe;
    Fused fused;
    fused.Init(&pipe);
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), fused.mm, &tiling);
    fused.Run(reinterpret_cast<GM_ADDR>(words[0]), reinterpret_cast<GM_ADDR>(words[1]),
              reinterpret_cast<GM_ADDR>(words[2]));
}
"""


@pytest.mark.parametrize("arch", [2201, 3510])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_fused_kernel_post_processes_blocks_on_the_vector_cores(
    run_kernel: KernelRunner, arch: int, seed: int
) -> None:
    rng = np.random.default_rng(9)
    a = rng.standard_normal((32, 64)).astype(np.float16)
    b = rng.standard_normal((64, 64)).astype(np.float16)
    buffers: dict[str, bytes | int] = {"a": a.tobytes(), "b": b.tobytes(), "c": 32 * 64 * 4}
    launch = Launch("mix12", 1, ["a", "b", "c"])
    result = run_kernel.run(FUSED, launch, arch=arch, buffers=buffers, seed=seed)
    assert result.status == "ok", result.message
    product = multiply(a, b)
    got = np.frombuffer(result.buffers["c"], np.float32).reshape(32, 64)
    assert np.array_equal(got, np.where(product > 0, product, product * np.float32(0.125)))
