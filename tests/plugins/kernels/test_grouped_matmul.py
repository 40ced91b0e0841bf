# Licensed under the Apache License, Version 2.0.
"""Rows in groups, each times the weight of its group."""

from __future__ import annotations

import numpy as np
import pytest

from tests.plugins.kernels.bench import ARCHES, Case, Family, close, numbers
from tests.plugins.twin.running import KernelRunner


def grouped(groups: list[int], size: tuple[int, int, int], kind: str = "0", dtype: str = "float32") -> Case:
    m, k, n = size
    inputs = {"x": numbers((m, k), 1), "weight": numbers((len(groups), k, n), 2), "group_list": np.array(groups)}
    dtypes = {"x": "float16", "weight": "float16", "group_list": "int64", "y": dtype}
    return Case("grouped_matmul", inputs, dtypes, {"y": (m, n)}, {"group_list_type": kind})


CASES = (
    grouped([3, 3, 80, 150], (150, 40, 70)),
    grouped([3, 0, 77, 70], (150, 40, 70), "1", "float16"),
    grouped([64, 128], (128, 200, 64)),
    grouped([1], (1, 17, 5), "1"),
)


@pytest.fixture(scope="module")
def family(run_kernel: KernelRunner) -> Family:
    return Family(run_kernel, CASES)


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("number", range(len(CASES)))
def test_the_result_is_that_of_numpy_for_any_number_of_blocks(family: Family, number: int, arch: int) -> None:
    tolerance = {"float32": 1e-4, "float16": 2e-3}[CASES[number].dtypes["y"]]
    first, *others = family.run(number, arch, 1, 3, 24)
    close(first["y"], CASES[number].expected()["y"], tolerance)
    for other in others:
        np.testing.assert_array_equal(other["y"], first["y"])


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize(("groups", "kind"), [([1, 1, 3], "0"), ([1, 0, 2], "1")])
def test_rows_after_the_last_group_are_not_written(
    run_kernel: KernelRunner, groups: list[int], kind: str, arch: int
) -> None:
    inputs = {
        "x": np.array([[1, 2], [3, 4], [5, 6], [7, 8]]),
        "weight": np.array([[[1], [1]], [[2], [0]], [[0], [1]]]),
        "group_list": np.array(groups),
    }
    dtypes = {"x": "float16", "weight": "float16", "group_list": "int64", "y": "float16"}
    case = Case("grouped_matmul", inputs, dtypes, {"y": (4, 1)}, {"group_list_type": kind})
    (got,) = Family(run_kernel, (case,)).run(0, arch, 2)
    np.testing.assert_array_equal(got["y"][:3, 0], [3, 4, 6])
    assert got["y"][3:].tobytes() == b"\xa5\xa5"
