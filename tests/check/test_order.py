# Licensed under the Apache License, Version 2.0.
"""The proof of order and progress (design §7.1, §7.2): a synchronisation removed, moved or doubled is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skcore.check import check_plan
from skcore.errors import PlanError
from skcore.graph.kernel import CoreKind, KernelType
from skcore.options import Options
from skcore.plan.plan import Plan, Program
from skcore.plan.steps import Call, EarlyConfigure, EarlySet, EarlyWait, FeedClear, GroupSync, Signal, Step
from tests.builders import make_kernel, make_plan, plans, target
from tests.simulator import Unsafe, simulate

AIC, AIV = KernelType.AIC_ONLY, KernelType.AIV_ONLY


def with_steps(plan: Plan, kind: CoreKind, steps: Sequence[Step]) -> Plan:
    return replace(plan, programs=replace(plan.programs, **{kind.value: Program(tuple(steps))}))


def refused(plan: Plan) -> None:
    with pytest.raises(PlanError):
        check_plan(plan, target())


def early_plan() -> Plan:
    """Early start with sub-kernels that make the calls themselves on some cores, or not at all."""
    first, third = make_kernel(AIV, 2, "a", sets=True), make_kernel(AIV, 2, "c", waits=True)
    return make_plan([first, make_kernel(AIV, 4, "b"), third])


@pytest.mark.parametrize("kind_of_step", [EarlySet, EarlyWait, EarlyConfigure])
def test_an_early_start_step_left_out_is_refused(kind_of_step: type) -> None:
    plan = early_plan()
    steps = list(plan.programs.aiv)
    places = [number for number, step in enumerate(steps) if isinstance(step, kind_of_step)]
    assert places
    for number in places:
        refused(with_steps(plan, CoreKind.AIV, [*steps[:number], *steps[number + 1 :]]))


def test_a_barrier_left_out_is_refused() -> None:
    plan = make_plan([make_kernel(AIV, 2, "a"), make_kernel(AIV, 2, "b")])
    refused(with_steps(plan, CoreKind.AIV, [step for step in plan.programs.aiv if not isinstance(step, GroupSync)]))


def test_a_signal_before_the_work_that_it_tells_of_is_refused() -> None:
    plan = make_plan([make_kernel(AIC, 2, "a"), make_kernel(AIV, 2, "b")])
    steps = list(plan.programs.aic)
    signals = [step for step in steps if isinstance(step, Signal)]
    refused(with_steps(plan, CoreKind.AIC, [*signals, *(step for step in steps if not isinstance(step, Signal))]))


def test_a_call_before_the_barrier_that_it_has_to_wait_for_is_refused() -> None:
    plan = make_plan([make_kernel(AIV, 2, "a"), make_kernel(AIV, 2, "b")])
    steps = list(plan.programs.aiv)
    calls = [step for step in steps if isinstance(step, Call)]
    refused(with_steps(plan, CoreKind.AIV, [*(step for step in steps if not isinstance(step, Call)), *calls]))


def test_a_feed_workspace_that_is_not_cleared_is_refused() -> None:
    kernels = [make_kernel(AIV, 1, "a", full_sync=True), make_kernel(AIV, 2, "b")]
    plan = make_plan(kernels, Options(feed_sync_all=True))
    refused(with_steps(plan, CoreKind.AIV, [step for step in plan.programs.aiv if not isinstance(step, FeedClear)]))


@given(plans(), st.data())
@settings(max_examples=150)
def test_what_the_reference_machine_finds_unsafe_is_refused(plan: Plan, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([kind for kind in CoreKind if plan.shape.cores[kind]]))
    steps = list(plan.programs[kind])
    number = data.draw(st.integers(0, len(steps) - 1))
    step = steps.pop(number)
    how = data.draw(st.sampled_from(["removed", "moved", "doubled"]))
    if how != "removed":
        steps.insert(data.draw(st.integers(0, len(steps))), step)
    if how == "doubled":
        steps.insert(number, step)
    damaged = with_steps(plan, kind, steps)
    try:
        simulate(damaged)
    except Unsafe:
        refused(damaged)
