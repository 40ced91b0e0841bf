# Licensed under the Apache License, Version 2.0.
"""The line of a group: calls in sequence, with the waits and notifications of events around them (spec jit §5.2)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from skcore.errors import PlanError
from skcore.graph.kernel import CoreKind, KernelType, OperatorClass
from skcore.plan.group import FusionGroup
from skcore.plan.layout import ArgumentLayout, Role, layout_arguments
from skcore.plan.line import Act, Place, lay_out_line
from skcore.plan.orders import GroupOrder, order_group
from tests.builders import TYPES, make_group, make_kernel, target

A, V, M = KernelType.AIC_ONLY, KernelType.AIV_ONLY, KernelType.MIX_AIC_1_2
Event = tuple[int | None, int | None]
"""The operator that sends an event and the one that waits for it; None stands for outside."""
Line = tuple[FusionGroup, GroupOrder, ArgumentLayout, tuple[Place, ...]]


def line_of(types: list[KernelType], events: list[Event], streams: list[int] | None = None) -> Line:
    """The line of operators with events 100, 101, ...; each operator is on a stream of its own unless given."""
    group = make_group([make_kernel(kernel_type) for kernel_type in types])
    operators = list(group.operators)
    for op, operator in enumerate(operators):
        task = replace(operator.task, stream=streams[op] if streams else op)
        sends = tuple(100 + event for event, (sender, _) in enumerate(events) if sender == op)
        receives = tuple(100 + event for event, (_, receiver) in enumerate(events) if receiver == op)
        operators[op] = replace(operator, task=task, sends=sends, receives=receives)
    group = replace(group, operators=tuple(operators), options=replace(group.options, stream_fusion=True))
    order = order_group(group)
    layout = layout_arguments(group, target(), workspace=False)
    return group, order, layout, lay_out_line(group, order, layout)


@st.composite
def lines(draw: st.DrawFn) -> Line:
    """Any line with inner, backward and outer events."""
    types = draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=7))
    streams = [draw(st.integers(0, 2)) for _ in types]
    places = st.none() | st.integers(0, len(types) - 1)
    events = draw(st.lists(st.tuples(places, places).filter(lambda ends: ends[0] != ends[1]), max_size=7))
    try:
        return line_of(types, events, streams)
    except PlanError:
        assume(False)
        raise


@given(lines())
def test_each_operator_is_called_once_in_the_sequence_on_the_kinds_of_its_class(line: Line) -> None:
    group, order, _, places = line
    calls = [place for place in places if place.act is Act.CALL]
    assert tuple(place.op for place in calls) == order.sequence
    assert all(place.kinds == group.kernels[place.op].operator_class.kinds for place in calls)


@given(lines())
def test_an_operator_has_its_waits_its_call_and_its_notifications_in_one_stretch(line: Line) -> None:
    _, order, _, places = line
    by_op = {op: [place for place in places if place.op == op] for op in order.sequence}
    assert [place for op in order.sequence for place in by_op[op]] == list(places)
    rank = [Act.WAIT, Act.CALL, Act.NOTIFY]
    for own in by_op.values():
        ranks = [rank.index(place.act) for place in own]
        assert ranks == sorted(ranks)


@given(lines())
def test_the_words_of_all_events_but_the_inner_ones_have_a_place(line: Line) -> None:
    group, order, _, places = line
    found = [(place.act, place.op, place.event) for place in places if place.act is not Act.CALL]
    wanted = [
        (act, op, event)
        for op, operator in enumerate(group.operators)
        for act, events in ((Act.WAIT, operator.receives), (Act.NOTIFY, operator.sends))
        for event in events
        if event not in order.inner_events
    ]
    assert sorted(found, key=repr) == sorted(wanted, key=repr)


@given(lines())
def test_a_place_has_the_argument_word_of_its_event(line: Line) -> None:
    _, _, layout, places = line
    for place in places:
        if place.act is not Act.CALL:
            slot = layout.slots[place.slot]
            role = Role.WAIT if place.act is Act.WAIT else Role.NOTIFY
            assert (slot.role, slot.op, slot.name) == (role, place.op, f"{role.value}_{place.event}")


@given(lines())
def test_aic_cores_speak_for_aic_operators_and_aiv_cores_for_all_others(line: Line) -> None:
    group, _, _, places = line
    for place in places:
        if place.act is not Act.CALL:
            alone = group.kernels[place.op].operator_class is OperatorClass.AIC
            assert place.kinds == ((CoreKind.AIC,) if alone else (CoreKind.AIV,))


def acts(line: Line) -> list[tuple[Act, int]]:
    return [(place.act, place.op) for place in line[3]]


def test_a_forward_event_leaves_no_words() -> None:
    assert acts(line_of([A, V], [(0, 1)])) == [(Act.CALL, 0), (Act.CALL, 1)]


def test_a_backward_event_keeps_both_words() -> None:
    found = acts(line_of([A, V], [(1, 0)]))
    assert found == [(Act.CALL, 1), (Act.NOTIFY, 1), (Act.WAIT, 0), (Act.CALL, 0)]


@pytest.mark.parametrize(
    ("event", "wanted"),
    [((None, 0), [Act.WAIT, Act.CALL]), ((0, None), [Act.CALL, Act.NOTIFY])],
    ids=["from outside", "to outside"],
)
def test_an_event_with_an_end_outside_keeps_its_word(event: Event, wanted: list[Act]) -> None:
    assert [act for act, _ in acts(line_of([M], [event]))] == wanted


def test_several_events_of_an_operator_keep_their_order_and_their_words() -> None:
    _, _, layout, places = line_of([V], [(None, 0), (None, 0), (0, None), (0, None)])
    assert [place.event for place in places] == [100, 101, -1, 102, 103]
    assert [layout.slots[place.slot].name for place in places if place.act is Act.WAIT] == ["wait_100", "wait_101"]


def test_an_inner_event_before_an_outer_one_does_not_shift_its_word() -> None:
    _, _, layout, places = line_of([A, V], [(0, 1), (None, 1)])
    (wait,) = [place for place in places if place.act is Act.WAIT]
    assert layout.slots[wait.slot].name == "wait_101"
