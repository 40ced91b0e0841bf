# Licensed under the Apache License, Version 2.0.
"""What happens before what in a task graph: the order of each stream, and events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skcore.errors import GraphError, ProblemList
from skcore.graph.sorting import find_circles, sort_after
from skcore.graph.task import EventRecord, EventReset, EventWait, Task, describe


@dataclass(frozen=True, slots=True)
class TaskOrder:
    """The direct predecessors of each task by id, the record that each wait waits for, and the tasks in an order that
    respects all of this: issue order as far as possible. A wait without a record waits for something outside.
    """

    predecessors: Mapping[int, tuple[int, ...]]
    records: Mapping[int, int]
    sequence: tuple[Task, ...]


def order_tasks(tasks: Sequence[Task]) -> TaskOrder:
    """Find the order of tasks.

    Raises:
        GraphError: events that two tasks record, and tasks that wait for each other in a circle.
    """
    problems = ProblemList(GraphError)
    records = _records(tasks, problems)
    predecessors: dict[int, tuple[int, ...]] = {}
    last: dict[int, int] = {}
    for task in tasks:
        before = (last.get(task.stream), records.get(task.id))
        predecessors[task.id] = tuple(dict.fromkeys(each for each in before if each is not None))
        last[task.stream] = task.id
    position = {task.id: number for number, task in enumerate(tasks)}
    waited_for = {position[task]: {position[each] for each in earlier} for task, earlier in predecessors.items()}
    sequence = sort_after(waited_for, waited_for)
    for circle in find_circles(waited_for.keys() - set(sequence), waited_for):
        members = [tasks[number] for number in sorted(circle)]
        names = ", ".join(describe(task) for task in members)
        problems.add(members[0].where, f"{names} wait for each other in a circle", "remove one of the events")
    problems.raise_if_any()
    return TaskOrder(predecessors, records, tuple(tasks[number] for number in sequence))


def _records(tasks: Sequence[Task], problems: ProblemList) -> dict[int, int]:
    """The record of each wait: the last one before it since the event was reset, or else the first one after it."""
    records: dict[int, int] = {}
    last: dict[int, EventRecord] = {}
    early: dict[int, list[EventWait]] = defaultdict(list)
    for task in tasks:
        if isinstance(task, EventReset):
            last.pop(task.event, None)
            early.pop(task.event, None)
        elif isinstance(task, EventRecord):
            first = last.setdefault(task.event, task)
            if first is not task:
                what = f"event {task.event} is recorded by {first.where} already"
                problems.add(task.where, what, "use two events, or reset it between them")
            records.update((wait.id, task.id) for wait in early.pop(task.event, ()))
        elif isinstance(task, EventWait) and task.event in last:
            records[task.id] = last[task.event].id
        elif isinstance(task, EventWait):
            early[task.event].append(task)
    return records
