# Licensed under the Apache License, Version 2.0.
"""Kernel type and block count of a SuperKernel: spec jit §4."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skcore.graph.kernel import CoreKind, KernelType, PerKind, SubKernel
from skcore.options import Options
from skcore.plan.plan import Shape
from skcore.plan.shape import CoreNeed, need_of, override_shape
from tests.builders import TYPES, kernels, make_kernel, small_target

AIV, AIC = KernelType.AIV_ONLY, KernelType.AIC_ONLY
AIV10, AIC10, M11, M12 = (KernelType[f"MIX_{name}"] for name in ("AIV_1_0", "AIC_1_0", "AIC_1_1", "AIC_1_2"))
PRODUCT = small_target(24, 48)


def shape_of(*kinds: tuple[KernelType, int]) -> Shape:
    return need_of(make_kernel(kernel_type, blocks) for kernel_type, blocks in kinds).shape(PRODUCT)


def override(kinds: Sequence[tuple[KernelType, int]], aic: int, aiv: int) -> tuple[Shape, tuple[str, ...]]:
    need = need_of(make_kernel(kernel_type, blocks) for kernel_type, blocks in kinds)
    return override_shape(need, Options(debug_aic_num=aic, debug_aiv_num=aiv), PRODUCT)


@pytest.mark.parametrize(
    ("kinds", "kernel_type", "blocks"),
    [
        ([(AIV, 32)], AIV10, 32),
        ([(AIV10, 8)], AIV10, 8),
        ([(AIV, 8), (AIV10, 16)], AIV10, 16),
        ([(AIC, 24)], AIC10, 24),
        ([(AIC10, 3)], AIC10, 3),
        ([(AIC, 4), (AIC10, 2)], AIC10, 4),
        ([(M11, 5), (M11, 7)], M11, 7),
        ([(M12, 5)], M12, 5),
        ([(AIC, 8), (AIV, 16)], M12, 8),
        ([(AIC, 8), (AIV, 17)], M12, 9),
        ([(M11, 8), (AIV, 16)], M12, 8),
        ([(AIC, 32), (AIV, 1)], M11, 32),
        ([(AIV, 32), (AIC, 1)], M12, 16),
        ([(M11, 4), (AIC, 8)], M11, 8),
        ([(M11, 4), (AIV, 4)], M11, 4),
        ([(M11, 4), (M12, 4)], M12, 4),
    ],
)
def test_the_table_of_the_specification_holds(
    kinds: list[tuple[KernelType, int]], kernel_type: KernelType, blocks: int
) -> None:
    assert shape_of(*kinds) == Shape(kernel_type, blocks)
    assert shape_of(*reversed(kinds)) == Shape(kernel_type, blocks)


@given(st.lists(kernels(most_blocks=30), min_size=1, max_size=6))
def test_every_kernel_finds_its_cores(group: list[SubKernel]) -> None:
    shape = need_of(group).shape(PRODUCT)
    for kernel in group:
        for kind in CoreKind:
            assert shape.cores[kind] >= kernel.cores[kind]
        assert shape.participants(kernel.operator_class) >= kernel.blocks


@given(st.lists(kernels(most_blocks=30), min_size=1, max_size=6))
def test_a_one_to_two_kernel_always_gets_two_vector_cores_a_group(group: list[SubKernel]) -> None:
    shape = need_of([*group, make_kernel(M12, 1)]).shape(PRODUCT)
    assert shape.kernel_type is M12


@given(st.lists(kernels(most_blocks=30), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_the_kernels_does_not_matter(group: list[SubKernel], random: Random) -> None:
    shuffled = list(group)
    random.shuffle(shuffled)
    assert need_of(shuffled).shape(PRODUCT) == need_of(group).shape(PRODUCT)


@given(st.lists(kernels(most_blocks=30), min_size=1, max_size=4))
def test_no_smaller_super_kernel_would_do(group: list[SubKernel]) -> None:
    shape = need_of(group).shape(PRODUCT)
    smaller = Shape(shape.kernel_type, shape.blocks - 1)
    assert any(smaller.cores[kind] < kernel.cores[kind] for kernel in group for kind in CoreKind)


@pytest.mark.parametrize("kernel_type", TYPES, ids=lambda kernel_type: kernel_type.name)
def test_a_super_kernel_always_has_a_sync_engine(kernel_type: KernelType) -> None:
    assert shape_of((kernel_type, 3)).kernel_type.has_sync_engine


# Overrides (§4.3)


@pytest.mark.parametrize(
    ("kinds", "aic", "aiv", "kernel_type", "blocks"),
    [
        ([(AIV, 8)], 4, 8, M12, 4),
        ([(AIV, 8)], 10, 20, M12, 10),
        ([(AIV, 8)], 0, 8, AIV10, 8),
        ([(AIV, 8)], 0, 48, AIV10, 48),
        ([(AIV, 8)], 8, 8, M11, 8),
        ([(AIC, 8)], 8, 0, AIC10, 8),
        ([(AIC, 8)], 24, 0, AIC10, 24),
        ([(AIC, 8), (AIV, 16)], 24, 48, M12, 24),
        ([(M11, 8)], 8, 8, M11, 8),
        ([(M11, 8)], 8, 16, M12, 8),
        ([(M12, 8)], 12, 24, M12, 12),
    ],
)
def test_debug_core_numbers_widen_the_super_kernel(
    kinds: list[tuple[KernelType, int]], aic: int, aiv: int, kernel_type: KernelType, blocks: int
) -> None:
    assert override(kinds, aic, aiv) == (Shape(kernel_type, blocks), ())


@pytest.mark.parametrize(
    ("kinds", "aic", "aiv", "part"),
    [
        ([(AIV, 8)], 3, 8, "no ratio"),
        ([(AIV, 8)], 4, 7, "no ratio"),
        ([(AIV, 8)], 0, 49, "more than the 48"),
        ([(AIC, 8)], 25, 0, "more than the 24"),
        ([(AIV, 8)], 0, 7, "less than the 8"),
        ([(AIC, 8)], 0, 8, "less than the 8"),
        ([(AIV, 8)], 8, 0, "less than the 8"),
        ([(M12, 4)], 8, 8, "two vector cores"),
        ([(M12, 4)], 4, 0, "less than the 8"),
    ],
)
def test_debug_core_numbers_that_do_not_fit_are_named(
    kinds: list[tuple[KernelType, int]], aic: int, aiv: int, part: str
) -> None:
    _, faults = override(kinds, aic, aiv)
    assert any(part in fault for fault in faults)


def test_all_faults_of_debug_core_numbers_are_reported_together() -> None:
    _, faults = override([(AIC, 26)], 25, 49)
    assert len(faults) == 4


@given(st.lists(kernels(most_blocks=20), min_size=1, max_size=4), st.integers(0, 26), st.integers(0, 50))
def test_an_accepted_override_is_safe_and_is_what_was_asked_for(group: list[SubKernel], aic: int, aiv: int) -> None:
    need = need_of(group)
    shape, faults = override_shape(need, Options(debug_aic_num=aic, debug_aiv_num=aiv), PRODUCT)
    if (aic, aiv) == (0, 0):
        assert (shape, faults) == (need.shape(PRODUCT), ())
    elif not faults:
        assert shape.cores == PerKind(aic, aiv)
        assert all(shape.cores[kind] >= kernel.cores[kind] for kernel in group for kind in CoreKind)
        assert shape.kernel_type is M12 or not any(kernel.kernel_type is M12 for kernel in group)


def test_an_empty_need_asks_for_no_cores() -> None:
    assert CoreNeed().cores == PerKind(0, 0)
