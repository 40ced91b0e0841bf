# Licensed under the Apache License, Version 2.0.
"""What happens before what in a task graph."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skcore.errors import GraphError
from skcore.graph.order import order_tasks
from skcore.graph.task import EventRecord, EventReset, EventWait, OtherTask, Task


def tasks_of(text: str) -> list[Task]:
    """Tasks in words: a stream, then ``k``, or ``n`` ``w`` ``r`` and the event that is recorded, waited for, reset."""
    tasks: list[Task] = []
    for number, word in enumerate(text.split()):
        stream, what, event = int(word[0]), word[1], int(word[2:] or 0)
        where = f"here:{number}"
        if what == "k":
            tasks.append(OtherTask(id=number, stream=stream, where=where, name=f"t{number}"))
        elif what == "n":
            tasks.append(EventRecord(id=number, stream=stream, where=where, event=event))
        elif what == "w":
            tasks.append(EventWait(id=number, stream=stream, where=where, event=event))
        else:
            tasks.append(EventReset(id=number, stream=stream, where=where, event=event))
    return tasks


def sequence(tasks: Sequence[Task]) -> list[int]:
    return [task.id for task in order_tasks(tasks).sequence]


def test_issue_order_is_kept_where_it_respects_everything() -> None:
    assert sequence(tasks_of("0k 0n1 1w1 1k 0k")) == [0, 1, 2, 3, 4]


def test_a_wait_listed_before_its_record_comes_after_it() -> None:
    order = order_tasks(tasks_of("1w1 1k 0k 0n1"))
    assert [task.id for task in order.sequence] == [2, 3, 0, 1]
    assert order.records == {0: 3}
    assert order.predecessors == {0: (3,), 1: (0,), 2: (), 3: (2,)}


def test_a_wait_without_a_record_waits_for_something_outside() -> None:
    assert order_tasks(tasks_of("0w1 0k")).records == {}


def test_after_a_reset_an_event_may_be_recorded_again() -> None:
    assert order_tasks(tasks_of("0n1 1w1 0r1 0n1 1w1")).records == {1: 0, 4: 3}


def test_an_event_that_two_tasks_record_is_refused_and_both_are_named() -> None:
    with pytest.raises(GraphError, match="here:2: event 1 is recorded by here:0 already"):
        order_tasks(tasks_of("0n1 1k 1n1"))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("0w1 0n1", "EventWait(1), EventRecord(1)"),
        ("0w2 0n1 1w1 1n2", "EventWait(2), EventRecord(1), EventWait(1), EventRecord(2)"),
        ("2k 0w2 0k 0n1 1w1 1n2 1k", "EventWait(2), t2, EventRecord(1), EventWait(1), EventRecord(2)"),
    ],
)
def test_tasks_that_wait_for_each_other_are_refused_and_named(text: str, named: str) -> None:
    with pytest.raises(GraphError) as raised:
        order_tasks(tasks_of(text))
    assert [problem.what for problem in raised.value.problems] == [f"{named} wait for each other in a circle"]


def test_every_circle_is_told() -> None:
    with pytest.raises(GraphError) as raised:
        order_tasks(tasks_of("0w1 0n1 1w2 1n2 2w1 2k"))
    assert len(raised.value.problems) == 2


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("knw"), st.integers(1, 3)), max_size=12))
def test_a_sequence_has_every_task_once_behind_its_predecessors(words: list[tuple[int, str, int]]) -> None:
    recorded: set[int] = set()
    kept = []
    for stream, what, event in words:
        if what == "n" and event in recorded:
            continue
        recorded |= {event} if what == "n" else set()
        kept.append(f"{stream}{what}{event}")
    tasks = tasks_of(" ".join(kept))
    try:
        order = order_tasks(tasks)
    except GraphError:
        return
    place = {task.id: number for number, task in enumerate(order.sequence)}
    assert sorted(place) == [task.id for task in tasks]
    for task in tasks:
        assert all(place[before] < place[task.id] for before in order.predecessors[task.id])
