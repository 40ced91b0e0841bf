# Licensed under the Apache License, Version 2.0.
"""The kernel that synchronises all its cores."""

from __future__ import annotations

import numpy as np
import pytest

from tests.plugins.kernels.bench import ARCHES, Case, Family, numbers
from tests.plugins.twin.running import KernelRunner

SHAPES = ((7,), (33, 65), (4, 30000))
CASES = tuple(
    Case("global_sum", {"x": numbers(shape, 1, 0, 1)}, {"x": dtype, "y": dtype}, {"y": shape}, {"factor": "0.001"})
    for shape in SHAPES
    for dtype in ("float32", "float16")
)


@pytest.fixture(scope="module")
def family(run_kernel: KernelRunner) -> Family:
    return Family(run_kernel, CASES)


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("number", range(len(CASES)))
def test_the_result_is_that_of_numpy_for_any_number_of_blocks(family: Family, number: int, arch: int) -> None:
    family.check(number, arch, 1, 5, 48)


@pytest.mark.parametrize("arch", ARCHES)
def test_every_schedule_gives_the_same_bytes(family: Family, arch: int) -> None:
    (first,) = family.run(2, arch, 24)
    for seed in range(2, 12):
        (other,) = family.run(2, arch, 24, seed=seed)
        np.testing.assert_array_equal(other["y"], first["y"])


@pytest.mark.parametrize("arch", ARCHES)
def test_without_its_synchronisation_the_result_is_wrong(run_kernel: KernelRunner, arch: int) -> None:
    broken = Family(run_kernel, CASES[2:3], ("SyncAll=GetSubBlockIdx",))
    (got,) = broken.run(0, arch, 24)
    assert not np.allclose(got["y"], CASES[2].expected()["y"], rtol=1e-3)
