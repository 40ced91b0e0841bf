# Licensed under the Apache License, Version 2.0.
"""What has to happen before what in a group (spec jit §5.1, scenarios §2.0)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from skcore.errors import PlanError
from skcore.options import Options
from skcore.plan.group import FusionGroup
from skcore.plan.orders import Cause, GroupOrder, Order, order_group
from tests.builders import make_group, make_kernel


@dataclass(frozen=True)
class On:
    """An operator: its stream, the events that it sends, and those that it waits for."""

    stream: int
    sends: tuple[int, ...] = ()
    receives: tuple[int, ...] = ()


def group_of(*listed: On, fusion: bool = True) -> FusionGroup:
    """A group of vector operators ``op_0``, ``op_1``, ... at ``here:0``, ``here:1``, ..."""
    group = make_group([make_kernel() for _ in listed], Options(stream_fusion=fusion))
    operators = tuple(
        replace(operator, task=replace(operator.task, stream=on.stream), sends=on.sends, receives=on.receives)
        for operator, on in zip(group.operators, listed, strict=True)
    )
    return replace(group, operators=operators)


def order_of(*listed: On, fusion: bool = True) -> GroupOrder:
    return order_group(group_of(*listed, fusion=fusion))


def refusal(*listed: On, fusion: bool = True) -> PlanError:
    with pytest.raises(PlanError) as caught:
        order_of(*listed, fusion=fusion)
    return caught.value


# Streams


def test_operators_of_a_stream_follow_each_other() -> None:
    found = order_of(On(7), On(7), On(7))
    assert found.orders == (Order(0, 1, Cause.STREAM, 7), Order(1, 2, Cause.STREAM, 7))


def test_an_operator_waits_for_the_last_one_of_its_own_stream_only() -> None:
    found = order_of(On(0), On(1), On(0), On(1))
    assert set(found.orders) == {Order(0, 2, Cause.STREAM, 0), Order(1, 3, Cause.STREAM, 1)}


def test_different_streams_are_free_of_each_other() -> None:
    assert order_of(On(0), On(1), On(2)).orders == ()


# Events


def test_an_event_from_inside_is_an_order() -> None:
    found = order_of(On(0, sends=(5,)), On(1, receives=(5,)))
    assert found.orders == (Order(0, 1, Cause.EVENT, 5),)
    assert found.inner_events == {5}


def test_all_receivers_of_an_event_wait_for_its_sender() -> None:
    found = order_of(On(0, sends=(5,)), On(1, receives=(5,)), On(2, receives=(5,)))
    assert {(order.before, order.after) for order in found.orders} == {(0, 1), (0, 2)}


@pytest.mark.parametrize("listed", [(On(0, sends=(5,)), On(0)), (On(0), On(0, receives=(5,)))], ids=["sent", "awaited"])
def test_an_event_with_an_end_outside_is_no_order(listed: tuple[On, On]) -> None:
    found = order_of(*listed)
    assert [order.cause for order in found.orders] == [Cause.STREAM]
    assert found.inner_events == frozenset()


def test_a_backward_event_turns_its_operators_round_and_keeps_its_words() -> None:
    found = order_of(On(0, receives=(5,)), On(1, sends=(5,)))
    assert found.orders == (Order(1, 0, Cause.EVENT, 5),)
    assert found.sequence == (1, 0)
    assert found.inner_events == frozenset()


def test_an_event_inside_one_stream_is_a_second_order_of_the_same_pair() -> None:
    found = order_of(On(0, sends=(5,)), On(0, receives=(5,)))
    assert set(found.orders) == {Order(0, 1, Cause.STREAM, 0), Order(0, 1, Cause.EVENT, 5)}
    assert found.sequence == (0, 1)


def test_predecessors_are_those_of_the_orders() -> None:
    found = order_of(On(0, sends=(5,)), On(1), On(1, receives=(5,)))
    assert sorted(found.predecessors()[2]) == [0, 1]
    assert 0 not in found.predecessors()


# Refusals


def test_an_operator_that_waits_for_itself_is_refused_with_its_event() -> None:
    (problem,) = refusal(On(0), On(0, sends=(5,), receives=(5,))).problems
    assert problem.where == "here:1"
    assert "op_1" in problem.what
    assert "event 5" in problem.what


def test_two_senders_of_an_event_are_both_named() -> None:
    (problem,) = refusal(On(0, sends=(5,)), On(0), On(0, sends=(5,))).problems
    assert problem.where == "here:2"
    assert "op_0" in problem.what
    assert "op_2" in problem.what
    assert "op_1" not in problem.what
    assert "event 5" in problem.what
    assert problem.remedy


def test_a_circle_is_refused_with_its_operators() -> None:
    (problem,) = refusal(On(0, receives=(6,), sends=(5,)), On(1, receives=(5,), sends=(6,)), On(2)).problems
    assert "op_0, op_1 wait for each other" in problem.what
    assert "op_2" not in problem.what
    assert problem.remedy


def test_a_backward_event_inside_one_stream_is_a_circle() -> None:
    (problem,) = refusal(On(0, receives=(5,)), On(0, sends=(5,))).problems
    assert "op_0, op_1" in problem.what


def test_operators_that_only_wait_for_a_circle_are_not_named_as_part_of_it() -> None:
    (problem,) = refusal(On(0, receives=(6,), sends=(5,)), On(1, receives=(5,), sends=(6,)), On(1)).problems
    assert "op_2" not in problem.what


def test_circles_are_told_apart_and_what_stands_between_them_is_in_none() -> None:
    found = refusal(
        On(0, receives=(6,), sends=(5, 1)),
        On(1, receives=(5,), sends=(6,)),
        On(2, receives=(1,), sends=(2,)),
        On(3, receives=(8, 2), sends=(7,)),
        On(4, receives=(7,), sends=(8,)),
    ).problems
    assert [problem.what for problem in found] == [
        "op_0, op_1 wait for each other in a circle",
        "op_3, op_4 wait for each other in a circle",
    ]


def test_all_problems_are_reported_at_once() -> None:
    listed = (On(0, sends=(5,)), On(0, sends=(5,)), On(0, sends=(6,), receives=(6,)))
    assert len(refusal(*listed).problems) == 2


# Without stream fusion


def test_a_change_of_stream_without_an_event_names_both_tasks_and_the_option() -> None:
    (problem,) = refusal(On(3), On(4), fusion=False).problems
    assert problem.where == "here:1"
    for word in ("op_0", "op_1", "stream 3", "stream 4"):
        assert word in problem.what
    assert "stream-fusion=1" in problem.remedy


def test_each_change_of_stream_needs_an_event_of_its_own() -> None:
    problems = refusal(On(0, sends=(5,)), On(1, receives=(5,)), On(0), On(1), fusion=False).problems
    assert [problem.where for problem in problems] == ["here:2", "here:3"]


def test_an_event_between_others_than_the_neighbours_covers_no_change_of_stream() -> None:
    listed = (On(0, sends=(5,)), On(0), On(1, receives=(5,)))
    assert [problem.where for problem in refusal(*listed, fusion=False).problems] == ["here:2"]


@given(st.lists(st.integers(0, 2), min_size=1, max_size=8))
def test_streams_that_events_join_need_no_stream_fusion(streams: list[int]) -> None:
    changes = {op for op in range(1, len(streams)) if streams[op] != streams[op - 1]}
    listed = [
        On(stream, sends=(op + 1,) if op + 1 in changes else (), receives=(op,) if op in changes else ())
        for op, stream in enumerate(streams)
    ]
    found = order_of(*listed, fusion=False)
    assert found.sequence == tuple(range(len(streams)))
    assert found.inner_events == changes


# Properties


@st.composite
def lists(draw: st.DrawFn, *, backward: bool = True) -> list[On]:
    """Operators on up to four streams with events between them, some of which may go round in a circle."""
    streams = draw(st.lists(st.integers(0, 3), min_size=1, max_size=9))
    listed = [On(stream) for stream in streams]
    places = st.integers(0, len(streams) - 1)
    for event, (first, second) in enumerate(draw(st.lists(st.tuples(places, places), max_size=6))):
        if first == second or (first > second and not backward):
            continue
        listed[first] = replace(listed[first], sends=(*listed[first].sends, event))
        listed[second] = replace(listed[second], receives=(*listed[second].receives, event))
    return listed


def wanted_pairs(listed: Sequence[On]) -> set[tuple[int, int]]:
    """All pairs of the input, by comparing each two operators: of one stream in list order, and of one event."""
    found = set()
    for first, one in enumerate(listed):
        for second, other in enumerate(listed):
            if (first < second and one.stream == other.stream) or set(one.sends) & set(other.receives):
                found.add((first, second))
    return found


def ordered(listed: Sequence[On]) -> GroupOrder:
    try:
        return order_of(*listed)
    except PlanError:
        assume(False)
        raise


@given(lists())
def test_the_sequence_holds_each_operator_once_and_respects_streams_and_events(listed: list[On]) -> None:
    sequence = ordered(listed).sequence
    assert sorted(sequence) == list(range(len(listed)))
    assert all(sequence.index(first) < sequence.index(second) for first, second in wanted_pairs(listed))


@given(lists())
def test_a_group_is_refused_exactly_when_no_sequence_respects_its_orders(listed: list[On]) -> None:
    reach = wanted_pairs(listed)
    for middle in range(len(listed)):
        into = {first for first, second in reach if second == middle}
        out = {second for first, second in reach if first == middle}
        reach |= {(first, second) for first in into for second in out}
    circle = any(first == second for first, second in reach)
    try:
        order_of(*listed)
        refused = False
    except PlanError:
        refused = True
    assert refused == circle


@given(lists())
def test_each_place_of_the_sequence_has_the_earliest_operator_that_may_stand_there(listed: list[On]) -> None:
    sequence = ordered(listed).sequence
    pairs = wanted_pairs(listed)
    for place, op in enumerate(sequence):
        left = set(sequence[place:])
        free = {second for second in left if not any((first, second) in pairs for first in left)}
        assert op == min(free)


@given(lists(backward=False))
def test_forward_events_keep_the_issue_order(listed: list[On]) -> None:
    assert ordered(listed).sequence == tuple(range(len(listed)))


@given(lists())
def test_orders_are_between_the_pairs_of_the_input_and_imply_all_of_them(listed: list[On]) -> None:
    wanted = wanted_pairs(listed)
    found = {(order.before, order.after) for order in ordered(listed).orders}
    assert found <= wanted
    implied = set(found)
    for middle in range(len(listed)):
        into = {first for first, second in implied if second == middle}
        out = {second for first, second in implied if first == middle}
        implied |= {(first, second) for first in into for second in out}
    assert wanted <= implied


@given(lists(), st.data())
def test_an_event_that_nobody_sends_changes_nothing(listed: list[On], data: st.DataObject) -> None:
    before = ordered(listed)
    op = data.draw(st.integers(0, len(listed) - 1))
    listed[op] = replace(listed[op], receives=(*listed[op].receives, 99))
    assert ordered(listed) == before


@given(lists())
def test_names_of_streams_do_not_matter(listed: list[On]) -> None:
    renamed = [replace(on, stream=100 - on.stream) for on in listed]
    assert ordered(renamed).sequence == ordered(listed).sequence
