# Licensed under the Apache License, Version 2.0.
"""Events with an end outside: waited for, notified and cleared, by their own word, in order with their own call."""

from __future__ import annotations

from dataclasses import replace

import pytest

from skcore.check import check_plan
from skcore.check.events import event_problems
from skcore.errors import PlanError
from skcore.graph.kernel import CoreKind, KernelType, PerKind
from skcore.options import Options
from skcore.plan.group import FusionGroup
from skcore.plan.layout import Role
from skcore.plan.plan import Plan, Program
from skcore.plan.planner import plan_group
from skcore.plan.steps import Call, ClearSlot, Notify, Step, WaitEvent
from tests.builders import make_group, make_kernel, target

AIC, AIV = CoreKind
A, V, M = KernelType.AIC_ONLY, KernelType.AIV_ONLY, KernelType.MIX_AIC_1_2
Events = dict[int, tuple[int, ...]]


def planned(sends: Events, receives: Events, types: tuple[KernelType, ...] = (V, V), streams: str = "") -> Plan:
    """The plan of operators of these types on these streams (one digit each) with these events."""
    group = make_group([make_kernel(kernel_type, 2, f"k{op}") for op, kernel_type in enumerate(types)])
    operators = tuple(
        replace(
            operator,
            task=replace(operator.task, stream=int(streams[op]) if streams else 0),
            sends=sends.get(op, ()),
            receives=receives.get(op, ()),
        )
        for op, operator in enumerate(group.operators)
    )
    return plan_group(FusionGroup("sk", operators, Options(stream_fusion=True), "sk"), target())


def steps_of(plan: Plan, kind: CoreKind = AIV) -> list[Step]:
    return list(plan.programs[kind])


def with_steps(plan: Plan, steps: list[Step], kind: CoreKind = AIV) -> Plan:
    return replace(
        plan, programs=PerKind.of(lambda each: Program(tuple(steps)) if each is kind else plan.programs[each])
    )


def problems(plan: Plan) -> list[str]:
    return [problem.what for problem in event_problems(plan)]


BOTH = planned({1: (8,)}, {1: (7,)})
WAIT, NOTIFY = BOTH.layout.index(Role.WAIT, 1), BOTH.layout.index(Role.NOTIFY, 1)


def find(steps: list[Step], kind_of_step: type, op: int | None = None) -> int:
    return next(
        number
        for number, step in enumerate(steps)
        if isinstance(step, kind_of_step) and (op is None or getattr(step, "op", None) == op)
    )


@pytest.mark.parametrize("types", [(V, V), (A, A), (M, M), (A, V), (V, A), (M, A)])
def test_waits_and_notifications_of_the_planner_are_accepted(types: tuple[KernelType, ...]) -> None:
    plan = planned({0: (3,), 1: (8, 9)}, {0: (4, 5), 1: (7,)}, types)
    found = [step for _, program in plan.programs for step in program if isinstance(step, Notify | WaitEvent)]
    assert len(found) == 6
    assert problems(plan) == []


@pytest.mark.parametrize(
    ("kind_of_step", "slot"), [(WaitEvent, WAIT), (Notify, NOTIFY), (ClearSlot, WAIT)], ids=["wait", "notify", "clear"]
)
def test_each_step_is_needed_once_and_not_twice(kind_of_step: type, slot: int) -> None:
    steps = steps_of(BOTH)
    number = find(steps, kind_of_step)
    name = kind_of_step.__name__
    assert problems(with_steps(BOTH, [*steps[:number], *steps[number + 1 :]])) == [
        f"1 {name} of argument {slot} is missing"
    ]
    twice = with_steps(BOTH, [*steps[:number], steps[number], *steps[number:]])
    # A word that is still set is seen twice.
    assert problems(twice) == ([] if kind_of_step is WaitEvent else [f"1 {name} of argument {slot} is too many"])


def refused(plan: Plan) -> str:
    with pytest.raises(PlanError) as raised:
        check_plan(plan, target())
    return str(raised.value)


def test_a_wait_behind_its_call_is_refused() -> None:
    steps = steps_of(BOTH)
    wait = steps.pop(find(steps, WaitEvent))
    steps.insert(find(steps, Call, 1) + 1, wait)
    found = refused(with_steps(BOTH, steps))
    assert "k1_1 may go on at " in found
    assert f"while argument {WAIT} is waited for" in found


def test_a_notification_before_its_call_is_refused() -> None:
    steps = steps_of(BOTH)
    step = steps.pop(find(steps, Notify))
    steps.insert(find(steps, Call, 1), step)
    assert "while k1_1 still runs" in refused(with_steps(BOTH, steps))


def test_a_clearing_before_its_wait_is_refused_and_behind_it_may_stand_anywhere() -> None:
    steps = steps_of(BOTH)
    step = steps.pop(find(steps, ClearSlot))
    wait = find(steps, WaitEvent)
    early = with_steps(BOTH, [*steps[:wait], step, *steps[wait:]])
    assert f"while argument {WAIT} is waited for" in refused(early)
    check_plan(with_steps(BOTH, [*steps[: wait + 1], step, *steps[wait + 1 :]]), target())


def test_a_wait_between_the_calls_of_other_operators_is_accepted() -> None:
    steps = steps_of(BOTH)
    wait = steps.pop(find(steps, WaitEvent))
    assert problems(with_steps(BOTH, [wait, *steps])) == []


@pytest.mark.parametrize("kind_of_step", [WaitEvent, Notify, ClearSlot])
def test_the_word_of_another_operator_is_refused_under_both_names(kind_of_step: type) -> None:
    plan = planned({0: (3,), 1: (8,)}, {0: (4,), 1: (7,)})
    role = Role.NOTIFY if kind_of_step is Notify else Role.WAIT
    own, other = plan.layout.index(role, 1), plan.layout.index(role, 0)
    steps = steps_of(plan)
    number = find(steps, kind_of_step, 1)
    steps[number] = kind_of_step(1, other)
    name = kind_of_step.__name__
    found = problems(with_steps(plan, steps))
    assert found[:2] == [f"argument {other} is no word of k1_1", f"1 {name} of argument {own} is missing"]
    assert kind_of_step is WaitEvent or found[2:] == [f"1 {name} of argument {other} is too many"]


@pytest.mark.parametrize("slot", [0, 1, 10_000])
def test_a_word_that_is_none_of_an_event_is_refused(slot: int) -> None:
    steps = steps_of(BOTH)
    number = find(steps, WaitEvent)
    steps[number] = WaitEvent(1, slot)
    found = problems(with_steps(BOTH, steps))
    assert f"1 WaitEvent of argument {WAIT} is missing" in found
    assert f"1 WaitEvent of argument {slot} is too many" in found


def test_an_event_inside_needs_no_word_and_may_not_use_one() -> None:
    plan = planned({0: (7,)}, {1: (7,)}, (V, V), "01")
    assert problems(plan) == []
    steps = steps_of(plan)
    assert not [step for step in steps if isinstance(step, Notify | WaitEvent | ClearSlot)]
    for step in (WaitEvent(1, plan.layout.index(Role.WAIT, 1)), ClearSlot(1, plan.layout.index(Role.WAIT, 1))):
        assert any("too many" in text for text in problems(with_steps(plan, [*steps, step])))
    assert any("too many" in text for text in problems(with_steps(plan, [*steps, Notify(0, 4)])))


def test_an_event_inside_whose_sender_stands_behind_its_receiver_keeps_its_words() -> None:
    plan = planned({1: (7,)}, {0: (7,)}, (V, V), "01")
    assert problems(plan) == []
    steps = steps_of(plan)
    assert [type(step) for step in steps if isinstance(step, Notify | WaitEvent | ClearSlot)] == [
        Notify,
        WaitEvent,
        ClearSlot,
    ]
    words: dict[type, int] = {Notify: plan.layout.index(Role.NOTIFY, 1), WaitEvent: plan.layout.index(Role.WAIT, 0)}
    words[ClearSlot] = words[WaitEvent]
    for kind_of_step, slot in words.items():
        left = [step for step in steps if not isinstance(step, kind_of_step)]
        assert problems(with_steps(plan, left)) == [f"1 {kind_of_step.__name__} of argument {slot} is missing"]


def test_a_notification_by_the_other_kind_is_refused_where_that_does_not_know_of_the_end() -> None:
    plan = planned({0: (3,)}, {0: (4,)}, (V, A))
    vector = steps_of(plan)
    step = vector.pop(find(vector, Notify))
    cube = steps_of(plan, AIC)
    check_plan(with_steps(with_steps(plan, vector), [*cube, step], AIC), target())
    moved = with_steps(with_steps(plan, vector), [step, *cube], AIC)
    assert "while k0_0 still runs on AIV cores" in refused(moved)


def test_events_with_two_senders_or_in_a_circle_never_become_a_plan() -> None:
    cases: list[tuple[Events, Events]] = [
        ({0: (7,), 1: (7,)}, {}),
        ({0: (7,), 1: (8,)}, {0: (8,), 1: (7,)}),
        ({0: (7,)}, {0: (7,)}),
    ]
    for sends, receives in cases:
        with pytest.raises(PlanError):
            planned(sends, receives)
