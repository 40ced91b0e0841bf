# Licensed under the Apache License, Version 2.0.
"""Instruction-cache preload: spec jit §7."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skcore.graph.kernel import CoreKind, KernelType, SubKernel
from skcore.options import Options, PreloadMode
from skcore.plan.plan import Plan
from skcore.plan.planner import plan_group
from skcore.plan.preload import preload_programs, preload_units
from skcore.plan.steps import Call, Preload, PreloadAhead, Step
from tests.builders import ARCHES, kernels, make_group, make_kernel, make_plan, plans, target

AIV = CoreKind.AIV


def preloads(steps: Iterable[Step]) -> list[Step]:
    return [step for step in steps if isinstance(step, Preload | PreloadAhead)]


@pytest.mark.parametrize(
    ("size", "units"),
    [(0, 0), (1, 1), (2047, 1), (2048, 1), (2049, 2), (9000, 5), (16383, 8), (16384, 8), (16385, 8), (10**9, 8)],
)
@pytest.mark.parametrize("arch", ARCHES)
def test_units_are_two_kibibytes_and_at_most_eight(size: int, units: int, arch: str) -> None:
    kernel = make_kernel()
    code = replace(kernel.code.aiv[0], text_bytes=size)
    sized = replace(kernel, code=replace(kernel.code, aiv=(code,)))
    assert preload_units(sized, AIV, target(arch).preload) == units


@pytest.mark.parametrize("arch", ARCHES)
def test_an_unknown_size_counts_as_the_most_that_is_allowed(arch: str) -> None:
    assert preload_units(make_kernel(compiled=False), AIV, target(arch).preload) == 8


def test_each_operator_is_loaded_while_its_predecessor_is_about_to_run() -> None:
    plan = make_plan([make_kernel(name=name) for name in "abcd"])
    order = [(type(step).__name__, step.op) for step in plan.programs.aiv if isinstance(step, Preload | Call)]
    assert order == [
        ("Preload", 0), ("Preload", 1), ("Call", 0), ("Preload", 2), ("Call", 1), ("Preload", 3), ("Call", 2),
        ("Call", 3),
    ]  # fmt: skip


@given(plans(most_operators=7))
def test_nothing_is_loaded_twice_or_too_late(plan: Plan) -> None:
    for _, program in plan.programs:
        steps = list(program)
        loaded = [step.op for step in steps if isinstance(step, Preload)]
        assert len(set(loaded)) == len(loaded)
        called: set[int] = set()
        for step in steps:
            if isinstance(step, Call):
                called.add(step.op)
            elif isinstance(step, Preload):
                assert step.op not in called


@given(plans(most_operators=5))
def test_a_preload_touches_what_the_call_will_run(plan: Plan) -> None:
    for _, program in plan.programs:
        calls = {step.op: step for step in program if isinstance(step, Call)}
        for step in program:
            if isinstance(step, Preload):
                assert (step.symbols, step.gate) == (calls[step.op].symbols, calls[step.op].gate)
                assert 1 <= step.units <= 8


@given(st.lists(kernels(full_sync=False), min_size=1, max_size=6))
def test_per_function_preload_loads_every_operator_that_has_code(group: list[SubKernel]) -> None:
    plan = make_plan(group)
    for kind, program in plan.programs:
        wanted = {
            op
            for op, kernel in enumerate(group)
            if kind in kernel.operator_class.kinds and preload_units(kernel, kind, target().preload)
        }
        assert {step.op for step in program if isinstance(step, Preload)} == wanted


def test_the_mode_none_adds_nothing() -> None:
    plan = make_plan([make_kernel(), make_kernel()], Options(preload_code=PreloadMode.NONE))
    assert not preloads(plan.programs.aiv)


@pytest.mark.parametrize("arch", ARCHES)
def test_the_mode_max_loads_the_head_once_before_everything(arch: str) -> None:
    kernels = [make_kernel(KernelType.MIX_AIC_1_1), make_kernel()]
    plan = make_plan(kernels, Options(preload_code=PreloadMode.AHEAD, profiling=True), arch)
    for _, program in plan.programs:
        steps = list(program)
        assert steps[0] == PreloadAhead(8)
        assert not preloads(steps[1:])


@pytest.mark.parametrize("mode", PreloadMode)
def test_a_kind_that_does_not_run_loads_nothing(mode: PreloadMode) -> None:
    plan = make_plan([make_kernel(), make_kernel()], Options(preload_code=mode))
    assert list(plan.programs.aic) == []


@given(plans())
def test_preload_changes_nothing_but_preloads(plan: Plan) -> None:
    bare = plan_group(
        make_group(plan.group.kernels, replace(plan.group.options, preload_code=PreloadMode.NONE)), target()
    )
    loaded = preload_programs(bare, target(), plan.group.options)
    for kind in CoreKind:
        rest = [step for step in loaded[kind] if not isinstance(step, Preload | PreloadAhead)]
        assert rest == list(bare.programs[kind])
        assert list(loaded[kind]) == list(plan.programs[kind])
