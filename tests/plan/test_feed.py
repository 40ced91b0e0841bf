# Licensed under the Apache License, Version 2.0.
"""Feed-sync-all: spec jit §6.4."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skcore.graph.kernel import CoreKind, KernelType, OperatorClass
from skcore.options import Options
from skcore.plan.feed import clearing_kind, feed_step, needs_feeding, workspace_bytes
from skcore.plan.plan import Shape
from skcore.plan.steps import Await, Call, FeedClear, FeedSync, GroupSync, Signal
from tests.builders import TYPES, make_kernel, make_plan, target

DATA = target().feed_sync
SHAPES = [shape for shape in TYPES if shape.has_sync_engine]
FED = Options(feed_sync_all=True)

FITTING = [(shape, kernel) for shape in SHAPES for kernel in TYPES if set(kernel.kinds) <= set(shape.kinds)]


@pytest.mark.parametrize(("shape_type", "kernel_type"), FITTING, ids=lambda kernel_type: kernel_type.name)
def test_a_full_sync_kernel_is_fed_exactly_when_cores_stay_idle(
    shape_type: KernelType, kernel_type: KernelType
) -> None:
    shape = Shape(shape_type, 6)
    limit = 12 if shape_type is KernelType.MIX_AIC_1_2 and kernel_type.operator_class is OperatorClass.AIV else 6
    for blocks in range(1, limit + 1):
        assert needs_feeding(make_kernel(kernel_type, blocks, full_sync=True), shape) == (blocks < limit)
        assert not needs_feeding(make_kernel(kernel_type, blocks), shape)


@pytest.mark.parametrize(
    ("operators", "shape", "size"),
    [
        (2, Shape(KernelType.MIX_AIC_1_0, 32), 16384),
        (2, Shape(KernelType.MIX_AIV_1_0, 32), 16384),
        (2, Shape(KernelType.MIX_AIC_1_1, 32), 16384),
        (2, Shape(KernelType.MIX_AIC_1_2, 16), 16384),
        (4, Shape(KernelType.MIX_AIC_1_0, 1), 1024),
        (4, Shape(KernelType.MIX_AIC_1_2, 1), 1024),
        (3, Shape(KernelType.MIX_AIC_1_0, 1), 512),
    ],
)
def test_the_workspace_sizes_of_the_specification_hold(operators: int, shape: Shape, size: int) -> None:
    assert workspace_bytes(operators, shape, DATA) == size


@given(st.integers(1, 200), st.sampled_from(SHAPES), st.integers(1, 24))
def test_both_lines_of_every_operator_fit_into_the_workspace(
    operators: int, shape_type: KernelType, blocks: int
) -> None:
    size = workspace_bytes(operators, Shape(shape_type, blocks), DATA)
    lines = [line for op in range(operators) for line in _lines(feed_step(op, operators, enabled=True))]
    assert sorted(lines) == list(range(2 * operators))
    assert size > max(lines) * DATA.line_bytes + DATA.line_bytes - 1


def _lines(step: FeedSync) -> tuple[int, int]:
    return step.aic_line, step.aiv_line


@pytest.mark.parametrize("first", TYPES, ids=lambda kernel_type: kernel_type.name)
def test_the_workspace_is_cleared_before_anything_reads_it(first: KernelType) -> None:
    kernels = [make_kernel(first, 2, "narrow", full_sync=True), make_kernel(first, 4, "wide")]
    plan = make_plan(kernels, FED)
    clearing = clearing_kind(plan.shape)
    for kind, program in plan.programs:
        steps = list(program)
        if kind is clearing:
            assert [type(step) for step in steps[:2]] == [FeedClear, GroupSync]
            assert steps[0] == FeedClear(4)
        elif plan.shape.cores[kind]:
            assert isinstance(steps[0], Await)
    if len(plan.shape.kernel_type.kinds) == 2:
        assert isinstance(list(plan.programs.aiv)[2], Signal)


def test_without_an_idle_core_nothing_is_cleared_and_nothing_is_fed() -> None:
    plan = make_plan([make_kernel(blocks=4, full_sync=True), make_kernel(blocks=4)], FED)
    steps = [step for _, program in plan.programs for step in program]
    assert not any(isinstance(step, FeedClear) for step in steps)
    assert not any(isinstance(step, Call) and step.fed for step in steps)
    assert [step.enabled for step in steps if isinstance(step, FeedSync)] == [False, False]


@pytest.mark.parametrize("kernel_type", TYPES, ids=lambda kernel_type: kernel_type.name)
def test_every_call_says_what_the_step_before_it_says(kernel_type: KernelType) -> None:
    kernels = [make_kernel(kernel_type, blocks, f"k{blocks}", full_sync=True) for blocks in (1, 2, 4)]
    plan = make_plan(kernels, FED)
    for kind in kernel_type.kinds:
        steps = [step for step in plan.programs[kind] if isinstance(step, FeedSync | Call)]
        assert len(steps) == 6
        for first, second in list(pairwise(steps))[::2]:
            assert isinstance(first, FeedSync)
            assert isinstance(second, Call)
            assert (first.op, first.enabled) == (second.op, second.fed)
        assert [step.fed for step in steps if isinstance(step, Call)] == [True, True, False]


def test_without_the_option_there_is_no_workspace() -> None:
    assert make_plan([make_kernel()]).workspace_bytes == 0
    assert make_plan([make_kernel(), make_kernel()], FED).workspace_bytes == 512


def test_the_kind_that_clears_is_the_one_that_writes_from_its_vector_cores() -> None:
    assert clearing_kind(Shape(KernelType.MIX_AIC_1_0, 2)) is CoreKind.AIC
    assert clearing_kind(Shape(KernelType.MIX_AIC_1_2, 2)) is CoreKind.AIV
