# Licensed under the Apache License, Version 2.0.
"""The Matmul class on cube-only and MIX kernels: results bit for bit, and what it refuses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.plugins.twin.cube_oracle import (
    FROM_GLOBAL,
    Array,
    ceil_div,
    from_bfloat16,
    multiply,
    quant_word,
    to_bfloat16,
    to_nz,
    truncated_scale,
)
from tests.plugins.twin.host_program import CUBE_FIELDS
from tests.plugins.twin.running import KernelRunner, Launch, Result

# The core's part as the samples of the class compute it: column of M first, tails at the ends.
# Words: A, B, bias, C, tiling, with bias, how (0 IterateAll, 1 block by block, 2 asynchronous), scalar of quantisation.
SOURCE = (
    FROM_GLOBAL
    + """
#ifndef CONFIG
#define CONFIG CFG_NORM
#endif
using Multiply = Matmul<MatmulType<TPosition::GM, CubeFormat::FORMAT_A, ELEMENT, TURN_A>,
                        MatmulType<TPosition::GM, CubeFormat::FORMAT_B, ELEMENT, TURN_B>,
                        MatmulType<TPosition::GM, CubeFormat::FORMAT_C, RESULT_T>,
                        MatmulType<TPosition::GM, CubeFormat::ND, BIAS_T>, CONFIG>;
inline int Least(int a, int b) { return a < b ? a : b; }
KERNEL(kernel) {
    TPipe pipe;
    TCubeTiling tiling;
    std::memcpy(&tiling, sktwin::GlobalAccess(reinterpret_cast<void*>(Word(4)), sizeof(tiling), false), sizeof(tiling));
    Multiply mm;
    REGIST_MATMUL_OBJ(&pipe, nullptr, mm, &tiling);
    const int blocksM = (tiling.M + tiling.singleCoreM - 1) / tiling.singleCoreM;
    const int atM = GetBlockIdx() % blocksM * tiling.singleCoreM;
    const int atN = GetBlockIdx() / blocksM * tiling.singleCoreN;
    auto a = Global<ELEMENT>(0);
    auto b = Global<ELEMENT>(1);
    auto bias = Global<BIAS_T>(2);
    auto c = Global<RESULT_T>(3);
    mm.SetTensorA(a[TURN_A ? atM : atM * tiling.Ka], TURN_A);
    mm.SetTensorB(b[TURN_B ? atN * tiling.Kb : atN], TURN_B);
    if (Word(5) != 0) {
        mm.SetBias(bias[atN]);
    }
    mm.SetTail(Least(tiling.M - atM, tiling.singleCoreM), Least(tiling.N - atN, tiling.singleCoreN));
    mm.SetQuantScalar(Word(7));
    auto part = c[atM * tiling.N + atN];
    if (Word(6) == 0) {
        mm.IterateAll(part);
    } else if (Word(6) == 1) {
        while (mm.Iterate()) {
            mm.GetTensorC(part);
        }
    } else {
        mm.IterateAll<false>(part, 0, false, true);
        mm.WaitIterateAll();
    }
    mm.End();
}
"""
)
NUMPY: dict[str, Any] = {
    "float": np.float32,
    "half": np.float16,
    "bfloat16_t": np.uint16,
    "int32_t": np.int32,
    "int8_t": np.int8,
}
FORMS = {"aic": 1, "mix11": 1, "mix12": 2}


def tiling(**fields: int) -> bytes:
    """The bytes of TCubeTiling with these fields."""
    return np.array([fields.get(name, 0) for name in CUBE_FIELDS], np.int32).tobytes()


@dataclass(frozen=True, slots=True)
class Problem:
    """A product of an M x K by a K x N matrix split over four cores."""

    m: int = 50
    n: int = 70
    k: int = 33
    element: str = "half"
    result: str = "float"
    bias: str = "float"
    single: tuple[int, int] = (32, 48)
    base: tuple[int, int, int] = (16, 32, 16)

    def operands(self) -> tuple[Array, Array, Array]:
        """A, B and the bias as stored."""
        rng = np.random.default_rng(self.m * self.n + self.k)
        if self.element == "int8_t":
            return (
                rng.integers(-128, 128, (self.m, self.k), np.int8),
                rng.integers(-128, 128, (self.k, self.n), np.int8),
                rng.integers(-999, 999, self.n).astype(np.int32),
            )
        a = rng.standard_normal((self.m, self.k)).astype(np.float32)
        b = rng.standard_normal((self.k, self.n)).astype(np.float32)
        bias = rng.standard_normal(self.n).astype(np.float32)
        return stored(a, self.element), stored(b, self.element), stored(bias, self.bias)

    def tiling(self, bias: bool, order: int = 0) -> bytes:
        """Its tiling."""
        cores = ceil_div(self.m, self.single[0]) * ceil_div(self.n, self.single[1])
        return tiling(
            usedCoreNum=cores,
            M=self.m,
            N=self.n,
            Ka=self.k,
            Kb=self.k,
            singleCoreM=self.single[0],
            singleCoreN=self.single[1],
            singleCoreK=self.k,
            baseM=self.base[0],
            baseN=self.base[1],
            baseK=self.base[2],
            isBias=int(bias),
            iterateOrder=order,
            stepM=1,
            stepN=1,
        )


def stored(values: Array, kind: str) -> Array:
    """float32 numbers in the storage of a kind."""
    return to_bfloat16(values).reshape(values.shape) if kind == "bfloat16_t" else values.astype(NUMPY[kind])


def meant(values: Array, kind: str) -> Array:
    """The numbers that stored elements mean."""
    return from_bfloat16(values).reshape(values.shape) if kind == "bfloat16_t" else values


def run(
    run_kernel: KernelRunner,
    problem: Problem,
    form: str = "mix12",
    *,
    arch: int = 2201,
    with_bias: bool = False,
    how: int = 0,
    turn: tuple[bool, bool] = (False, False),
    formats: tuple[str, str, str] = ("ND", "ND", "ND"),
    order: int = 0,
    image: int = 0,
    stored_as: tuple[Array, Array] | None = None,
    seed: int = 1,
    macros: tuple[str, ...] = (),
) -> Array:
    """C as the kernel wrote it."""
    a, b, bias = problem.operands()
    left = a.T if turn[0] else a
    right = b.T if turn[1] else b
    left, right = stored_as or (left, right)
    buffers: dict[str, bytes | int] = {
        "a": np.ascontiguousarray(left).tobytes(),
        "b": np.ascontiguousarray(right).tobytes(),
        "bias": bias.tobytes(),
        "c": problem.m * problem.n * NUMPY[problem.result]().itemsize,
        "tiling": problem.tiling(with_bias, order),
    }
    launch = Launch(form, 4 // FORMS[form], ["a", "b", "bias", "c", "tiling", int(with_bias), how, image])
    defined = [
        f"ELEMENT={problem.element}",
        f"RESULT_T={problem.result}",
        f"BIAS_T={problem.bias}",
        *[f"FORMAT_{name}={value}" for name, value in zip("ABC", formats, strict=True)],
        *[f"TURN_{name}={str(value).lower()}" for name, value in zip("AB", turn, strict=True)],
        *macros,
    ]
    if form == "aic":
        defined.append("ASCENDC_CUBE_ONLY")
    result: Result = run_kernel.run(SOURCE, launch, arch=arch, buffers=buffers, seed=seed, macros=defined)
    assert result.status == "ok", result.message
    return np.frombuffer(result.buffers["c"], NUMPY[problem.result]).reshape(problem.m, problem.n)


def expected(problem: Problem, with_bias: bool = False) -> Array:
    """C as sums in increasing k, rounded once."""
    a, b, bias = problem.operands()
    start = meant(bias, problem.bias) if with_bias else 0
    total = multiply(meant(a, problem.element), meant(b, problem.element), start)
    return stored(total, problem.result)


@pytest.mark.parametrize("arch", [2201, 3510])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("how", [0, 1, 2])
def test_odd_shapes_on_every_kind_of_kernel(run_kernel: KernelRunner, arch: int, form: str, how: int) -> None:
    problem = Problem()
    got = run(run_kernel, problem, form, arch=arch, with_bias=True, how=how)
    assert np.array_equal(got, expected(problem, True))


@pytest.mark.parametrize(
    ("element", "result", "bias"),
    [
        ("half", "half", "half"),
        ("bfloat16_t", "bfloat16_t", "float"),
        ("bfloat16_t", "float", "float"),
        ("float", "float", "float"),
        ("int8_t", "int32_t", "int32_t"),
    ],
)
def test_types_of_operands_and_results(run_kernel: KernelRunner, element: str, result: str, bias: str) -> None:
    problem = Problem(element=element, result=result, bias=bias)
    assert np.array_equal(run(run_kernel, problem, with_bias=True), expected(problem, True))


def test_the_bits_do_not_depend_on_the_tiling(run_kernel: KernelRunner) -> None:
    coarse = Problem(base=(32, 48, 48))
    for order in (0, 1):
        assert np.array_equal(run(run_kernel, coarse, how=1, order=order), expected(Problem()))


@pytest.mark.parametrize("turn", [(False, True), (True, False), (True, True)])
def test_transposed_operands(run_kernel: KernelRunner, turn: tuple[bool, bool]) -> None:
    problem = Problem()
    assert np.array_equal(run(run_kernel, problem, "aic", turn=turn), expected(problem))


def test_integers_are_dequantised_on_the_way_out(run_kernel: KernelRunner) -> None:
    problem = Problem(element="int8_t", result="half", bias="int32_t")
    a, b, bias = problem.operands()
    got = run(run_kernel, problem, with_bias=True, image=quant_word(0.01))
    scaled = multiply(a, b, bias).astype(np.float32) * truncated_scale(0.01)
    assert np.array_equal(got, scaled.astype(np.float16))


@pytest.mark.parametrize("seed", range(6))
def test_every_interleaving_gives_the_same_result(run_kernel: KernelRunner, seed: int) -> None:
    problem = Problem()
    assert np.array_equal(run(run_kernel, problem, how=1, seed=seed), expected(problem))


def test_nz_operands_and_results_on_one_core(run_kernel: KernelRunner) -> None:
    problem = Problem(m=48, n=64, k=32, single=(48, 64), base=(16, 32, 16))
    a, b, _ = problem.operands()
    source = SOURCE.replace("GetBlockIdx()", "0")
    buffers: dict[str, bytes | int] = {
        "a": to_nz(a, 16).tobytes(),
        "b": to_nz(b, 16).tobytes(),
        "bias": 256,
        "c": 48 * 64 * 4,
        "tiling": problem.tiling(False),
    }
    macros = [
        "ELEMENT=half",
        "RESULT_T=float",
        "BIAS_T=float",
        "FORMAT_A=NZ",
        "FORMAT_B=NZ",
        "FORMAT_C=NZ",
        "TURN_A=false",
        "TURN_B=false",
        "ASCENDC_CUBE_ONLY",
    ]
    launch = Launch("aic", 1, ["a", "b", "bias", "c", "tiling", 0, 0, 0])
    result = run_kernel.run(source, launch, buffers=buffers, macros=macros)
    assert result.status == "ok", result.message
    c = np.frombuffer(result.buffers["c"], np.float32).reshape(4, 48, 16).transpose(1, 0, 2).reshape(48, 64)
    assert np.array_equal(c, expected(problem))
