# Licensed under the Apache License, Version 2.0.
"""Kernels that treat each row alone."""

from __future__ import annotations

import numpy as np
import pytest

from tests.plugins.kernels.bench import ARCHES, Array, Case, Family, close, numbers
from tests.plugins.twin.running import KernelRunner

SHAPES = ((1, 3), (5, 33), (2, 7, 256), (9, 1000))
DTYPES = ("float32", "float16", "bfloat16")
BLOCKS = (1, 4, 48)


def softmax(x: Array, dtype: str) -> Case:
    return Case("softmax", {"x": x}, {"x": dtype, "y": dtype}, {"y": x.shape})


def rms_norm(x: Array, gamma: Array, dtype: str, gamma_dtype: str, epsilon: str = "1e-5") -> Case:
    dtypes = {"x": dtype, "gamma": gamma_dtype, "y": dtype}
    return Case("rms_norm", {"x": x, "gamma": gamma}, dtypes, {"y": x.shape}, {"epsilon": epsilon})


def swiglu(x: Array, dtype: str) -> Case:
    return Case("swiglu", {"x": x}, {"x": dtype, "y": dtype}, {"y": (*x.shape[:-1], x.shape[-1] // 2)})


def dynamic_quant(x: Array, dtype: str) -> Case:
    dtypes = {"x": dtype, "y": "int8", "scale": "float32"}
    return Case("dynamic_quant", {"x": x}, dtypes, {"y": x.shape, "scale": x.shape[:-1]})


def doubled(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (*shape[:-1], 2 * shape[-1])


CASES = (
    *(softmax(numbers(shape, 1, -8, 8), dtype) for shape in SHAPES for dtype in DTYPES),
    *(rms_norm(numbers(shape, 2, -3, 3), numbers(shape[-1:], 3), dtype, dtype) for shape in SHAPES for dtype in DTYPES),
    rms_norm(numbers((5, 33), 2), numbers((33,), 3), "float16", "float32"),
    *(swiglu(numbers(doubled(shape), 4, -8, 8), dtype) for shape in SHAPES for dtype in DTYPES),
)
LABELS = [f"{number}-{case.op_type}-{case.dtypes['y']}-{case.outputs['y']}" for number, case in enumerate(CASES)]
QUANT = tuple(dynamic_quant(numbers(shape, 5, -3, 3), dtype) for shape in SHAPES for dtype in DTYPES)


@pytest.fixture(scope="module")
def family(run_kernel: KernelRunner) -> Family:
    return Family(run_kernel, CASES)


@pytest.fixture(scope="module")
def quant(run_kernel: KernelRunner) -> Family:
    return Family(run_kernel, QUANT)


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("number", range(len(CASES)), ids=LABELS)
def test_the_result_is_that_of_numpy_for_any_number_of_blocks(family: Family, number: int, arch: int) -> None:
    family.check(number, arch, *BLOCKS)


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("op_type", ["softmax", "rms_norm", "swiglu"])
def test_every_number_of_blocks_gives_the_same_bytes(family: Family, op_type: str, arch: int) -> None:
    number = next(index for index, label in enumerate(LABELS) if f"-{op_type}-" in label and "(9, 1000)" in label)
    first, *others = family.run(number, arch, *range(1, 49, 4))
    for other in others:
        np.testing.assert_array_equal(other["y"], first["y"])


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("number", range(len(QUANT)))
def test_quantised_rows_differ_from_the_reference_by_at_most_one_step(quant: Family, number: int, arch: int) -> None:
    expected = QUANT[number].expected()
    for got in quant.run(number, arch, *BLOCKS):
        assert np.abs(got["y"] - expected["y"]).max() <= 1
        assert np.mean(got["y"] != expected["y"]) < 0.02
        np.testing.assert_allclose(got["scale"], expected["scale"], rtol=1e-6)


@pytest.mark.parametrize("arch", ARCHES)
def test_hand_checked_vectors(run_kernel: KernelRunner, arch: int) -> None:
    quantised = np.array([[1, -2, 3, -4], [0, 0, 0, 0], [0.1, 0.2, 0.3, 0.35]])
    cases = (
        dynamic_quant(quantised, "float16"),
        rms_norm(np.array([[3.0, 4.0]]), np.array([1.0, 2.0]), "float32", "float32", "0"),
        swiglu(np.array([[1.0, 2.0, 3.0, 4.0]]), "float32"),
    )
    family = Family(run_kernel, cases)
    (quant,) = family.run(0, arch, 2)
    np.testing.assert_array_equal(quant["y"], [[32, -64, 95, -127], [0, 0, 0, 0], [36, 73, 109, 127]])
    np.testing.assert_allclose(quant["scale"], [0.03149606, 0, 0.002756675], rtol=1e-6)
    close(family.run(1, arch, 1)[0]["y"], np.array([[0.8485281, 2.2627418]]), 2e-7)
    close(family.run(2, arch, 1)[0]["y"], np.array([[2.1931758, 7.0463762]]), 2e-7)


@pytest.mark.parametrize("arch", ARCHES)
def test_softmax_of_large_values_does_not_overflow(run_kernel: KernelRunner, arch: int) -> None:
    (got,) = Family(run_kernel, (softmax(np.array([[60000.0, 60000.0, -60000.0]]), "float16"),)).run(0, arch, 1)
    np.testing.assert_array_equal(got["y"].astype(np.float32), [[0.5, 0.5, 0.0]])
