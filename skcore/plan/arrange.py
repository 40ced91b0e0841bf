# Licensed under the Apache License, Version 2.0.
"""SuperKernels and the tasks outside of them in an order in which they can run one after the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from skcore.graph.order import order_tasks
from skcore.graph.sorting import sort_after
from skcore.graph.task import EventWait, Task
from skcore.plan.plan import Plan


class Arrangement(NamedTuple):
    """Plans where their first operator stood, and tasks in issue order, each behind what it waits for.

    ``beside`` are the names of plans and waits inside of them for what stands behind them all the same: it has to run
    at the same time.
    """

    items: tuple[Plan | Task, ...]
    beside: tuple[tuple[str, EventWait], ...] = ()


def arrange(tasks: Sequence[Task], plans: Sequence[Plan]) -> Arrangement:
    """Order plans and the tasks outside of them so that they can run one after the other, where that is possible."""
    home = {task: plan for plan in plans for task in (*(op.task.id for op in plan.group.operators), *plan.group.events)}
    if len(plans) == 1 and len(home) == len(tasks):
        return Arrangement(tuple(plans))
    items: dict[int, Plan | Task] = {}
    first: dict[str, int] = {}
    number_of: dict[int, int] = {}
    for number, task in enumerate(tasks):
        plan = home.get(task.id)
        number_of[task.id] = number if plan is None else first.setdefault(plan.name, number)
        items.setdefault(number_of[task.id], plan or task)
    order = order_tasks(tasks)
    firm: dict[int, set[int]] = defaultdict(set)
    inside: list[_Wait] = []
    for task in tasks:
        own, plan = number_of[task.id], home.get(task.id)
        for each in order.predecessors[task.id]:
            earlier = number_of[each]
            if earlier == own:
                continue
            if plan is not None and isinstance(task, EventWait) and order.records.get(task.id) == each:
                inside.append(_Wait(own, earlier, plan.name, task))
            else:
                firm[own].add(earlier)
    numbers, beside = _sorted(items, firm, inside)
    return Arrangement(tuple(items[number] for number in numbers), tuple((wait.plan, wait.task) for wait in beside))


class _Wait(NamedTuple):
    """A wait inside of the plan with the number ``own`` for what the item ``earlier`` records."""

    own: int
    earlier: int
    plan: str
    task: EventWait


def _sorted(
    numbers: Collection[int], firm: Mapping[int, set[int]], inside: Sequence[_Wait]
) -> tuple[list[int], list[_Wait]]:
    """The numbers in order, and the waits not kept: where all wait, the first that only waits inside goes on."""
    beside: list[_Wait] = []
    while True:
        before = {number: set(firm.get(number, ())) for number in numbers}
        for wait in inside:
            if wait not in beside:
                before[wait.own].add(wait.earlier)
        found = sort_after(numbers, before)
        stuck = set(numbers) - set(found)
        if not stuck:
            return found, beside
        first = min(number for number in stuck if stuck.isdisjoint(firm.get(number, ())))
        beside += [wait for wait in inside if wait.own == first and wait.earlier in stuck and wait not in beside]
