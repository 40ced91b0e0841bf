# Licensed under the Apache License, Version 2.0.
"""What stands between two operators: it holds the order, pairs up, and touches no more kinds than take part."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings

from skcore.graph.kernel import CacheCleaning, CoreKind, KernelType, OperatorClass
from skcore.options import EarlyStart, Options
from skcore.plan.boundary import boundary_steps, early_boundary
from skcore.plan.plan import Plan, Program
from skcore.plan.planner import plan_group
from skcore.plan.steps import Await, Call, EarlyConfigure, EarlySet, EarlyWait, FullSync, GroupSync, Signal
from skcore.plan.synchronise import Node, synchronise
from tests.builders import TYPES, make_group, make_kernel, make_plan, plans, target
from tests.simulator import Machine, Unsafe, simulate

PAIRS = list(product(TYPES, TYPES))
NAMES = [f"{first.name}-{second.name}" for first, second in PAIRS]
SYNC = (GroupSync, FullSync, Signal, Await, EarlySet, EarlyWait, EarlyConfigure)
CLASSES = list(OperatorClass)
FLAGS = list(product([False, True], repeat=2))
BLOCKS = [(1, 1), (1, 3), (3, 1), (4, 4)]


def kinds_that_synchronise(plan: Plan) -> set[CoreKind]:
    return {kind for kind, program in plan.programs if any(isinstance(step, SYNC) for step in program)}


def needed_kinds(first: OperatorClass, second: OperatorClass) -> set[CoreKind]:
    return {*first.kinds, *second.kinds}


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=NAMES)
def test_exactly_the_kinds_of_the_two_operators_synchronise(first: KernelType, second: KernelType) -> None:
    plan = make_plan([make_kernel(first, 2, "a"), make_kernel(second, 2, "b")])
    wanted = needed_kinds(first.operator_class, second.operator_class)
    assert kinds_that_synchronise(plan) == wanted


@pytest.mark.parametrize(("first", "second"), list(product(CLASSES, CLASSES)))
def test_a_boundary_has_steps_for_exactly_the_kinds_that_take_part(first: OperatorClass, second: OperatorClass) -> None:
    steps = boundary_steps(synchronise([Node(first.kinds), Node(second.kinds, (0,))], CoreKind)[1])
    assert {kind for kind, own in steps if own} == needed_kinds(first, second)
    early = early_boundary(
        (0, make_kernel(_any_type(first), 2, "a", sets=True)),
        (1, make_kernel(_any_type(second), 2, "b")),
        make_plan([make_kernel(KernelType.MIX_AIC_1_2, 4)]).shape,
    )
    assert {kind for kind, own in early if own} == needed_kinds(first, second)


def _any_type(operator_class: OperatorClass) -> KernelType:
    return next(kernel_type for kernel_type in TYPES if kernel_type.operator_class is operator_class)


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=NAMES)
@pytest.mark.parametrize("blocks", BLOCKS, ids=str)
def test_every_core_starts_after_all_of_the_previous_operator_ended(
    first: KernelType, second: KernelType, blocks: tuple[int, int]
) -> None:
    for sets, waits in FLAGS:
        pair = [make_kernel(first, blocks[0], "a", sets=sets), make_kernel(second, blocks[1], "b", waits=waits)]
        simulate(make_plan(pair))


@pytest.mark.parametrize("kernel_type", TYPES, ids=lambda kernel_type: kernel_type.name)
@pytest.mark.parametrize("blocks", [1, 3])
def test_early_start_calls_pair_up_at_both_ends_of_a_super_kernel(kernel_type: KernelType, blocks: int) -> None:
    for sets, waits in FLAGS:
        caller = make_kernel(kernel_type, blocks, "caller", sets=sets, waits=waits)
        other = make_kernel(KernelType.MIX_AIC_1_2, 2, "other")
        for group in ([caller], [caller, caller], [caller, other], [other, caller]):
            simulate(make_plan(group))


@given(plans(most_operators=7))
@settings(max_examples=250)
def test_any_plan_keeps_the_order_and_leaves_every_flag_at_zero(plan: Plan) -> None:
    simulate(plan)


@given(plans("dav-3510"))
@settings(max_examples=60)
def test_plans_of_the_other_target_are_safe_too(plan: Plan) -> None:
    simulate(plan)


def test_a_long_chain_never_lets_a_counter_pass_its_limit() -> None:
    kernels = [
        make_kernel(TYPES[number % 6], 1 + number % 3, f"k{number}", sets=number % 2 == 0) for number in range(60)
    ]
    machine = Machine(make_plan(kernels))
    machine.run()
    assert max(core.highest for core in machine.cores) <= 15


@pytest.mark.parametrize("debug", [False, True], ids=["its own", "debug-dcci-all"])
@pytest.mark.parametrize("kernel_type", TYPES, ids=lambda kernel_type: kernel_type.name)
def test_cleaning_after_a_kernel_that_signals_early_ends_before_the_next_starts(
    kernel_type: KernelType, debug: bool
) -> None:
    first = make_kernel(kernel_type, 2, "a", sets=True, cleaning=CacheCleaning(after=not debug))
    plan = make_plan([first, make_kernel(kernel_type, 2, "b")], Options(debug_dcci_all=debug))
    simulate(plan)
    for kind in kernel_type.kinds:
        between = [type(step) for step in plan.programs[kind].segments[1].steps]
        assert between.index(GroupSync if FullSync not in between else FullSync) < between.index(Call)


@pytest.mark.parametrize("mode", [EarlyStart.OFF, EarlyStart.ON, EarlyStart.WITHOUT_SUB_KERNELS])
def test_kernels_that_make_no_calls_get_no_early_start_steps(mode: EarlyStart) -> None:
    plan = make_plan(
        [make_kernel(kernel_type, 2, kernel_type.name) for kernel_type in TYPES], Options(early_start=mode)
    )
    steps = [step for _, program in plan.programs for step in program]
    assert not any(isinstance(step, EarlySet | EarlyWait | EarlyConfigure) for step in steps)


def test_a_call_the_sub_kernel_makes_on_all_cores_is_not_made_again() -> None:
    pair = [make_kernel(blocks=3, name="a", sets=True), make_kernel(blocks=3, name="b", waits=True)]
    steps = list(make_plan(pair).programs.aiv)
    assert not any(isinstance(step, EarlySet | EarlyWait) for step in steps)
    assert any(isinstance(step, EarlyConfigure) for step in steps)


def test_a_boundary_without_operators_is_refused() -> None:
    with pytest.raises(ValueError, match="needs an operator"):
        early_boundary(None, None, make_plan([make_kernel()]).shape)


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=NAMES)
def test_no_step_of_a_plain_boundary_can_be_left_out(first: KernelType, second: KernelType) -> None:
    plan = make_plan([make_kernel(first, 2, "a"), make_kernel(second, 2, "b")])
    for kind, program in plan.programs:
        for number, step in enumerate(program):
            if not isinstance(step, SYNC):
                continue
            rest = Program(tuple(other for position, other in enumerate(program) if position != number))
            with pytest.raises(Unsafe):
                simulate(replace(plan, programs=replace(plan.programs, **{kind.value: rest})))


def test_planning_gives_the_same_plan_twice() -> None:
    kernels = [make_kernel(kernel_type, 3, kernel_type.name, sets=True, waits=True) for kernel_type in TYPES]
    group = make_group(kernels, Options(profiling=True, feed_sync_all=True))
    assert plan_group(group, target()) == plan_group(group, target())
