# Licensed under the Apache License, Version 2.0.
"""Matrix products on the cube core, alone and with a vector epilogue."""

from __future__ import annotations

import numpy as np
import pytest

from tests.plugins.kernels.bench import ARCHES, Case, Family, Form, numbers
from tests.plugins.twin.running import KernelRunner

# (m, k, n): one row, uneven edges of every axis, several tiles and depth steps.
SIZES = ((1, 40, 16), (16, 128, 64), (50, 33, 70), (130, 300, 129))
BLOCKS = (1, 3, 20)
PAIRS = (("float16", "float16"), ("bfloat16", "float32"), ("bfloat16", "bfloat16"))


def matmul(
    size: tuple[int, int, int], source: str = "float16", result: str = "float32", op_type: str = "matmul"
) -> Case:
    m, k, n = size
    inputs = {"a": numbers((m, k), 1), "b": numbers((k, n), 2)}
    return Case(op_type, inputs, {"a": source, "b": source, "c": result}, {"c": (m, n)})


def bias_act(size: tuple[int, int, int], activation: str, result: str = "float16", bias: str = "float32") -> Case:
    m, k, n = size
    inputs = {"a": numbers((m, k), 1), "b": numbers((k, n), 2), "bias": numbers((n,), 3)}
    dtypes = {"a": "float16", "b": "float16", "bias": bias, "c": result}
    return Case("matmul_bias_act", inputs, dtypes, {"c": (m, n)}, {"activation": activation})


def scaled(size: tuple[int, int, int], result: str = "float16", scale: str = "float32") -> Case:
    m, k, n = size
    inputs = {"a": numbers((m, k), 1), "b": numbers((k, n), 2), "scale": numbers((n,), 3, 0.5, 2)}
    return Case("matmul_scale", inputs, {"a": "float16", "b": "float16", "scale": scale, "c": result}, {"c": (m, n)})


def quantised(size: tuple[int, int, int], result: str = "float16") -> Case:
    m, k, n = size
    generator = np.random.default_rng(5)
    inputs = {
        "a": generator.integers(-128, 128, (m, k)),
        "b": generator.integers(-128, 128, (k, n)),
        "scale": numbers((n,), 3, 0.001, 0.002),
        "token_scale": numbers((m,), 4, 0.01, 0.02),
    }
    dtypes = {"a": "int8", "b": "int8", "scale": "float32", "token_scale": "float32", "c": result}
    return Case("quant_matmul", inputs, dtypes, {"c": (m, n)})


CASES = (
    *(matmul(size) for size in SIZES),
    *(matmul((50, 33, 70), *pair) for pair in PAIRS),
    *(bias_act(size, "relu") for size in SIZES),
    bias_act((50, 33, 70), "silu", "float32"),
    bias_act((50, 33, 70), "none", "bfloat16", "float16"),
    *(scaled(size) for size in SIZES),
    scaled((50, 33, 70), "float32", "bfloat16"),
    *(quantised(size) for size in SIZES),
    quantised((50, 33, 70), "float32"),
)
LABELS = [f"{number}-{case.op_type}-{case.dtypes['c']}-{case.outputs['c']}" for number, case in enumerate(CASES)]
SCALED = (scaled((130, 300, 129)), scaled((1, 16, 300)))


API_CASES = (
    *(matmul(size, op_type="matmul_api") for size in SIZES),
    *(matmul((50, 33, 70), dtype, dtype, "matmul_api") for dtype in ("float32", "float16", "bfloat16")),
)


@pytest.fixture(scope="module")
def api_family(run_kernel: KernelRunner) -> Family:
    return Family(run_kernel, API_CASES, ("ASCENDC_CUBE_ONLY=",))


@pytest.fixture(scope="module")
def family(run_kernel: KernelRunner) -> Family:
    return Family(run_kernel, CASES)


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("number", range(len(CASES)), ids=LABELS)
def test_the_result_is_that_of_numpy_for_any_number_of_blocks(family: Family, number: int, arch: int) -> None:
    check_product(family, number, arch)


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("number", range(len(API_CASES)))
def test_the_matmul_class_gives_the_result_of_numpy(api_family: Family, number: int, arch: int) -> None:
    check_product(api_family, number, arch)


def check_product(family: Family, number: int, arch: int) -> None:
    """Compare with NumPy; sums of k products of numbers below 1 have errors that grow with the root of k."""
    case = family.cases[number]
    tolerance = {"float32": 1e-5, "float16": 1e-3, "bfloat16": 8e-3}[case.dtypes["c"]]
    absolute = tolerance * float(case.inputs["a"].shape[1]) ** 0.5
    for got in family.run(number, arch, *BLOCKS):
        np.testing.assert_allclose(got["c"].astype(np.float64), case.expected()["c"], rtol=tolerance, atol=absolute)


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("op_type", ["matmul", "matmul_bias_act", "matmul_scale", "quant_matmul"])
def test_every_number_of_blocks_and_every_schedule_gives_the_same_bytes(
    family: Family, op_type: str, arch: int
) -> None:
    number = next(index for index, label in enumerate(LABELS) if f"-{op_type}-" in label and "(130, 129)" in label)
    first, *others = family.run(number, arch, *range(1, 12))
    for seed in range(2, 8):
        others += family.run(number, arch, 2, 3, seed=seed)
    for other in others:
        np.testing.assert_array_equal(other["c"], first["c"])


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("number", range(len(SCALED)))
def test_a_one_to_one_kernel_gives_the_same_bytes_in_a_one_to_two_launch(
    run_kernel: KernelRunner, number: int, arch: int
) -> None:
    family = Family(run_kernel, SCALED)
    (alone,) = family.run(number, arch, 3)
    for seed in range(1, 6):
        (inside,) = family.run(number, arch, 3, form=Form("mix12", 5), seed=seed)
        np.testing.assert_array_equal(inside["c"], alone["c"])


@pytest.mark.parametrize("arch", ARCHES)
def test_integer_products_are_exact(run_kernel: KernelRunner, arch: int) -> None:
    generator = np.random.default_rng(7)
    a, b = generator.integers(-8, 9, (35, 200)), generator.integers(-8, 9, (200, 45))
    case = Case("matmul", {"a": a, "b": b}, {"a": "float16", "b": "float16", "c": "float32"}, {"c": (35, 45)})
    (got,) = Family(run_kernel, (case,)).run(0, arch, 4)
    np.testing.assert_array_equal(got["c"], a @ b)


@pytest.mark.parametrize("arch", ARCHES)
def test_quantised_products_of_hand_checked_numbers(run_kernel: KernelRunner, arch: int) -> None:
    inputs = {
        "a": np.array([[1, 2], [3, -4]]),
        "b": np.array([[5, -6], [7, 8]]),
        "scale": np.array([0.1, 0.5]),
        "token_scale": np.array([2, 0.25]),
    }
    dtypes = {"a": "int8", "b": "int8", "scale": "float32", "token_scale": "float32", "c": "bfloat16"}
    (got,) = Family(run_kernel, (Case("quant_matmul", inputs, dtypes, {"c": (2, 2)}),)).run(0, arch, 1)
    np.testing.assert_array_equal(got["c"].astype(np.float32), [[3.796875, 10], [-0.32421875, -6.25]])
