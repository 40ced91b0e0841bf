# Licensed under the Apache License, Version 2.0.
"""Checks of finished plans: they accept what the planner makes and refuse a plan that was damaged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given

from skcore.check import check_plan
from skcore.check.layout import layout_problems
from skcore.check.order import order_problems
from skcore.check.residency import residency_problems
from skcore.errors import PlanError
from skcore.graph.kernel import CoreKind, KernelType, PerKind
from skcore.options import Options
from skcore.plan.layout import Role
from skcore.plan.plan import Plan, Program, Shape
from skcore.plan.planner import plan_group
from skcore.plan.steps import Await, Call, FeedClear, FeedSync, FullSync, GroupSync, Profile, Signal, Step
from tests.builders import TYPES, make_group, make_kernel, make_plan, plans, small_target, target

AIC, AIV = CoreKind
A, V, M = KernelType.AIC_ONLY, KernelType.AIV_ONLY, KernelType.MIX_AIC_1_2


def rich_plan(options: Options | None = None) -> Plan:
    """A plan in which every kind of synchronisation occurs."""
    narrow = make_kernel(V, 2, "narrow", full_sync=True)
    kinds = [make_kernel(A, 2, "a"), make_kernel(V, 3, "v"), make_kernel(M, 2, "m"), make_kernel(M, 1, "n"), narrow]
    return make_plan([*kinds, make_kernel(A, 1, "z")], options or Options(feed_sync_all=True, profiling=True))


def with_steps(plan: Plan, kind: CoreKind, steps: Sequence[Step]) -> Plan:
    programs = PerKind.of(lambda each: Program(tuple(steps)) if each is kind else plan.programs[each])
    return replace(plan, programs=programs)


def each(plan: Plan, kinds: type | tuple[type, ...]) -> list[tuple[CoreKind, int, Step]]:
    return [
        (kind, number, step)
        for kind, program in plan.programs
        for number, step in enumerate(program)
        if isinstance(step, kinds)
    ]


def edited(plan: Plan, kind: CoreKind, number: int, *instead: Step) -> Plan:
    steps = list(plan.programs[kind])
    return with_steps(plan, kind, [*steps[:number], *instead, *steps[number + 1 :]])


def refused(plan: Plan, part: str = "") -> None:
    with pytest.raises(PlanError) as raised:
        check_plan(plan, target())
    assert part in str(raised.value)


@given(plans(most_operators=7))
def test_every_plan_of_the_planner_is_accepted(plan: Plan) -> None:
    check_plan(plan, target())


def test_the_plan_that_is_damaged_below_holds_every_step_that_is_damaged() -> None:
    found = {type(step) for _, _, step in each(rich_plan(), object)}
    assert {Call, Signal, Await, FullSync, GroupSync, FeedClear, FeedSync, Profile} <= found


@pytest.mark.parametrize("kind_of_step", [Signal, Await, FullSync, Call])
def test_a_plan_without_one_of_its_steps_is_refused(kind_of_step: type) -> None:
    plan = rich_plan()
    places = each(plan, kind_of_step)
    assert places
    for kind, number, _ in places:
        refused(edited(plan, kind, number))


@pytest.mark.parametrize("kind_of_step", [Signal, Await, FullSync, Call])
def test_a_plan_with_one_of_its_steps_twice_is_refused(kind_of_step: type) -> None:
    plan = rich_plan()
    for kind, number, step in each(plan, kind_of_step):
        refused(edited(plan, kind, number, step, step))


def test_a_call_on_the_wrong_kind_is_refused_and_named() -> None:
    plan = make_plan([make_kernel(A, 2, "a"), make_kernel(V, 2, "v")])
    for kind, number, step in each(plan, Call):
        other = AIV if kind is AIC else AIC
        moved = with_steps(edited(plan, kind, number), other, [*plan.programs[other], step])
        refused(moved, "is called 0 times")


def test_a_barrier_of_the_other_kind_is_refused() -> None:
    plan = rich_plan()
    for kind, number, _ in each(plan, GroupSync):
        refused(edited(plan, kind, number, GroupSync(AIV if kind is AIC else AIC)), "cores of the other kind")


@pytest.mark.parametrize("offset", [-1, 1, 2, 100])
def test_a_call_with_the_arguments_of_another_is_refused_and_named(offset: int) -> None:
    plan = rich_plan()
    for kind, number, step in each(plan, Call):
        assert isinstance(step, Call)
        shifted = replace(step, argument=step.argument + offset)
        refused(edited(plan, kind, number, shifted), f"not the arguments of {plan.group.operators[step.op].name}")


@pytest.mark.parametrize(
    ("role", "part"), [(Role.WORKSPACE, "needs a workspace word"), (Role.PROFILING, "needs a buffer word")]
)
def test_a_step_without_its_argument_word_is_refused(role: Role, part: str) -> None:
    plan = rich_plan()
    slots = tuple(slot for slot in plan.layout.slots if slot.role is not role)
    refused(replace(plan, layout=replace(plan.layout, slots=slots)), part)


def test_a_plan_with_more_cores_than_the_product_is_refused_with_the_widest_operator() -> None:
    plan = plan_group(make_group([make_kernel(V, 8, "narrow"), make_kernel(V, 40, "wide")]), target())
    check_plan(plan, target())
    with pytest.raises(PlanError) as raised:
        check_plan(plan, small_target(10, 20))
    (problem,) = raised.value.problems
    assert problem.where == "here:1"
    assert "wide_1 needs 40 AIV cores" in problem.what
    assert "--soc" in problem.remedy


@pytest.mark.parametrize("kernel_type", TYPES, ids=lambda kernel_type: kernel_type.name)
def test_residency_counts_the_cores_of_each_kind(kernel_type: KernelType) -> None:
    plan = plan_group(make_group([make_kernel(kernel_type, 6)]), target())
    cores = plan.shape.cores
    exact = small_target(max(1, cores.aic), max(1, cores.aiv))
    assert list(residency_problems(plan, exact)) == []
    for kind in kernel_type.kinds:
        less = {each: max(0, count - (each is kind)) for each, count in cores}
        assert len(list(residency_problems(plan, small_target(less[AIC], less[AIV])))) == 1


def test_all_faults_of_a_plan_are_reported_together() -> None:
    plan = rich_plan()
    kind, number, step = each(plan, Call)[0]
    assert isinstance(step, Call)
    damaged = replace(edited(plan, kind, number, replace(step, argument=0)), shape=Shape(M, 25))
    kind, number, _ = each(damaged, Signal)[0]
    with pytest.raises(PlanError) as raised:
        check_plan(edited(damaged, kind, number), target())
    for part in ("too-many-blocks", "not the arguments of", "waits for ever"):
        assert part in str(raised.value)


def test_a_check_that_finds_nothing_says_nothing() -> None:
    assert list(layout_problems(rich_plan())) == []
    assert list(order_problems(rich_plan(), target())) == []
