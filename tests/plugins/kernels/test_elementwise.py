# Licensed under the Apache License, Version 2.0.
"""Kernels that treat each element alone."""

from __future__ import annotations

import numpy as np
import pytest

from tests.plugins.kernels.bench import ARCHES, Array, Case, Family, numbers
from tests.plugins.twin.running import KernelRunner

# Less than a chunk, several chunks with a tail, and more than one tile.
SHAPES = ((7,), (5, 101), (3, 5000))
BLOCKS = (1, 3, 48)


def binary(op_type: str, dtype: str, shape: tuple[int, ...]) -> Case:
    scale = 100 if dtype == "int32" else 1
    inputs = {"x1": numbers(shape, 1) * scale, "x2": numbers(shape, 2) * scale}
    return Case(op_type, inputs, dict.fromkeys(("x1", "x2", "y"), dtype), {"y": shape})


def unary(op_type: str, source: str, result: str, x: Array) -> Case:
    return Case(op_type, {"x": x}, {"x": source, "y": result}, {"y": x.shape})


PAIRS = [
    (source, result)
    for source in ("float32", "float16", "bfloat16")
    for result in ("float32", "float16", "bfloat16")
    if source != result
]
CASES = (
    *(binary(op, dtype, shape) for op in ("add", "mul") for dtype in ("float32", "bfloat16") for shape in SHAPES),
    *(binary(op, dtype, (5, 101)) for op in ("add", "mul", "add_early") for dtype in ("float16", "int32")),
    *(unary("exp", dtype, dtype, numbers((5, 101), 3, -4, 2)) for dtype in ("float32", "float16", "bfloat16")),
    *(unary("cast", *pair, numbers((5, 101), 4, -1000, 1000)) for pair in PAIRS),
)
LABELS = [f"{number}-{case.op_type}-{case.dtypes['y']}-{case.outputs['y']}" for number, case in enumerate(CASES)]


@pytest.fixture(scope="module")
def family(run_kernel: KernelRunner) -> Family:
    return Family(run_kernel, CASES)


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("number", range(len(CASES)), ids=LABELS)
def test_the_result_is_that_of_numpy_for_any_number_of_blocks(family: Family, number: int, arch: int) -> None:
    family.check(number, arch, *BLOCKS)


@pytest.mark.parametrize("arch", ARCHES)
def test_every_number_of_blocks_gives_the_same_bytes(family: Family, arch: int) -> None:
    number = LABELS.index("2-add-float32-(3, 5000)")
    first, *others = family.run(number, arch, *range(1, 49))
    for other in others:
        np.testing.assert_array_equal(other["y"], first["y"])


@pytest.mark.parametrize("arch", ARCHES)
def test_cast_to_bfloat16_rounds_ties_to_even(run_kernel: KernelRunner, arch: int) -> None:
    x = np.array([1 + 2**-8, 1 + 3 * 2**-8])
    case = unary("cast", "float32", "bfloat16", x)
    y = Family(run_kernel, (case,)).run(0, arch, 1)[0]["y"]
    np.testing.assert_array_equal(y.astype(np.float32), [1.0, 1.015625])


@pytest.mark.parametrize("arch", ARCHES)
def test_integer_sums_wrap(run_kernel: KernelRunner, arch: int) -> None:
    largest = np.array([2**31 - 1, -(2**31)])
    case = Case("add", {"x1": largest, "x2": np.array([1, -1])}, dict.fromkeys(("x1", "x2", "y"), "int32"), {"y": (2,)})
    y = Family(run_kernel, (case,)).run(0, arch, 1)[0]["y"]
    np.testing.assert_array_equal(y, [-(2**31), 2**31 - 1])


@pytest.mark.parametrize("arch", ARCHES)
def test_early_start_kernel_is_right_when_launched_alone(family: Family, arch: int) -> None:
    number = next(index for index, case in enumerate(CASES) if case.op_type == "add_early")
    (got,) = family.run(number, arch, 7)
    np.testing.assert_array_equal(got["y"].astype(np.float64), CASES[number].expected()["y"])
