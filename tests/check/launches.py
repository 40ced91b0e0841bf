# Licensed under the Apache License, Version 2.0.
"""A judge of fused graphs: all orders in which launches start, hold their cores, wait and end (spec scenarios §2.0).

A SuperKernel and a kernel that synchronises all its cores start when all of these are free; any other kernel gets on
with one block. A SuperKernel does one thing after the other, and keeps its cores while it waits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from skcore.check.progress import Resident
from skcore.graph.kernel import CoreKind, PerKind
from skcore.graph.order import order_tasks
from skcore.graph.task import KernelTask, Task
from skcore.target import Target


class TooLarge(Exception):
    """There are more states than may be looked at."""


class State(NamedTuple):
    """Tasks that are over, kernels that run outside, and how much each SuperKernel has done (-1: not started)."""

    over: frozenset[int]
    running: frozenset[int]
    places: tuple[int, ...]


class World:
    """The tasks and the SuperKernels of a fused graph."""

    def __init__(self, tasks: Sequence[Task], residents: Sequence[Resident], target: Target) -> None:
        self.tasks = tasks
        self.residents = residents
        self.available = target.soc.cores
        self.order = order_tasks(tasks)
        position = {task.id: number for number, task in enumerate(self.order.sequence)}
        members = [{*(op.task.id for op in group.operators), *group.events} for group, _ in residents]
        self.lines = [sorted(inside, key=position.__getitem__) for inside in members]
        self.home = {task: number for number, line in enumerate(self.lines) for task in line}

    def stuck(self, most: int = 30_000) -> State | None:
        """A state that can be reached, in which something is left and nothing can go on."""
        start = State(frozenset(), frozenset(), (-1,) * len(self.lines))
        seen, todo = {start}, [start]
        while todo:
            state = todo.pop()
            after = list(self._next(state))
            if not after and len(state.over) < len(self.tasks):
                return state
            todo += [each for each in after if each not in seen]
            seen.update(after)
            if len(seen) > most:
                raise TooLarge
        return None

    def _next(self, state: State) -> Iterator[State]:
        for task in self.tasks:
            if task.id in state.running:
                yield state._replace(over=state.over | {task.id}, running=state.running - {task.id})
            elif task.id not in state.over and task.id not in self.home and self._can_start(task, state):
                if isinstance(task, KernelTask):
                    yield state._replace(running=state.running | {task.id})
                else:
                    yield state._replace(over=state.over | {task.id})
        for number, (line, place) in enumerate(zip(self.lines, state.places, strict=True)):
            if place < 0 and self._can_launch(number, state):
                yield self._at(state, number, 0)
            elif 0 <= place < len(line) and self._is_recorded(line[place], state):
                after = self._at(state, number, place + 1)
                yield after._replace(over=after.over | {line[place]})

    @staticmethod
    def _at(state: State, number: int, place: int) -> State:
        return state._replace(places=(*state.places[:number], place, *state.places[number + 1 :]))

    def _can_start(self, task: Task, state: State) -> bool:
        ready = all(self._is_over(before, task.id, state) for before in self.order.predecessors[task.id])
        return ready and (not isinstance(task, KernelTask) or self._fits(_least(task), state))

    def _can_launch(self, number: int, state: State) -> bool:
        outside = [
            (before, task)
            for task in self.lines[number]
            for before in self.order.predecessors[task]
            if self.home.get(before) != number and self.order.records.get(task) != before
        ]
        ready = all(self._is_over(before, task, state) for before, task in outside)
        return ready and self._fits(self.residents[number].shape.cores, state)

    def _is_recorded(self, task: int, state: State) -> bool:
        record = self.order.records.get(task)
        return record is None or record in state.over

    def _is_over(self, before: int, task: int, state: State) -> bool:
        """A record is over at once where it is waited for; else a SuperKernel is over as a whole."""
        if before in self.home and self.order.records.get(task) != before:
            number = self.home[before]
            return state.places[number] == len(self.lines[number])
        return before in state.over

    def _fits(self, wanted: PerKind[int], state: State) -> bool:
        held = [
            self.residents[number].shape.cores
            for number, place in enumerate(state.places)
            if 0 <= place < len(self.lines[number])
        ]
        held += [_least(task) for task in self.tasks if isinstance(task, KernelTask) and task.id in state.running]
        return all(
            not wanted[kind] or sum(cores[kind] for cores in held) + wanted[kind] <= self.available[kind]
            for kind in CoreKind
        )


def _least(task: KernelTask) -> PerKind[int]:
    """The cores with which a kernel outside gets on."""
    if task.kernel is None:
        return PerKind(0, 0)
    return task.kernel.cores if task.kernel.full_sync else task.kernel.kernel_type.cores(1)
