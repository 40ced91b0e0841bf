# Licensed under the Apache License, Version 2.0.
"""SuperKernels and the tasks outside of them in an order in which they can run one after the other."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence

from skcore.graph.order import order_tasks
from skcore.graph.task import Task
from skcore.plan.plan import Plan


def arrange(tasks: Sequence[Task], plans: Sequence[Plan]) -> tuple[Plan | Task, ...]:
    """Plans where their first operator stood and tasks in issue order, as far as what each waits for allows it.

    What a SuperKernel waits for inside stands before it, unless that waits for the SuperKernel itself.
    """
    home = {task: plan for plan in plans for task in (*(op.task.id for op in plan.group.operators), *plan.group.events)}
    if len(plans) == 1 and len(home) == len(tasks):
        return tuple(plans)
    items: dict[int, Plan | Task] = {}
    number_of: dict[int, int] = {}
    for number, task in enumerate(tasks):
        plan = home.get(task.id)
        number_of[task.id] = number if plan is None else number_of.setdefault(id(plan), number)
        items.setdefault(number_of[task.id], plan or task)
    order = order_tasks(tasks)
    firm: dict[int, set[int]] = defaultdict(set)
    by_word: dict[int, set[int]] = defaultdict(set)
    for task in tasks:
        own = number_of[task.id]
        for earlier in order.predecessors[task.id]:
            inside = task.id in home and order.records.get(task.id) == earlier
            (by_word if inside else firm)[own] |= {number_of[earlier]} - {own}
    return tuple(items[number] for number in _sorted(list(items), firm, by_word))


def _sorted(numbers: Sequence[int], firm: Mapping[int, set[int]], by_word: Mapping[int, set[int]]) -> list[int]:
    """Numbers after those that they wait for; where nothing can go on, a wait inside is left to run beside."""
    waiting = {number: len(firm.get(number, set()) | by_word.get(number, set())) for number in numbers}
    after: dict[int, list[int]] = defaultdict(list)
    for number in numbers:
        for earlier in firm.get(number, set()) | by_word.get(number, set()):
            after[earlier].append(number)
    placed: dict[int, None] = {}
    ready = [number for number, count in waiting.items() if not count]
    heapq.heapify(ready)
    while len(placed) < len(numbers):
        if not ready:
            ready = [min(each for each in numbers if each not in placed and firm.get(each, set()) <= placed.keys())]
        number = heapq.heappop(ready)
        if number in placed:
            continue
        placed[number] = None
        for later in after[number]:
            waiting[later] -= 1
            if not waiting[later]:
                heapq.heappush(ready, later)
    return list(placed)
