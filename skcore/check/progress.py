# Licensed under the Apache License, Version 2.0.
"""Whether SuperKernels and what runs outside of them all come to their ends (design §7.2, spec scenarios §2.0).

A SuperKernel starts when all of its cores are free, and holds them to its end, also while it waits. What it waits for
inside has to run meanwhile: beside it, and beside every other SuperKernel that may be waiting then too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from skcore.graph.kernel import CoreKind, PerKind
from skcore.graph.order import order_tasks
from skcore.graph.sorting import find_circles, sort_after
from skcore.graph.task import KernelTask, Task, describe
from skcore.plan.group import FusionGroup
from skcore.plan.plan import Shape
from skcore.target import Target


class Resident(NamedTuple):
    """A SuperKernel by its group and its shape."""

    group: FusionGroup
    shape: Shape


@dataclass(frozen=True, slots=True)
class Hang:
    """Something inside a SuperKernel that may be waited for without end.

    ``before`` is a task of the group ``name``: where the group ends before it, this hang is gone. ``key`` is a reason.
    """

    name: str
    before: Task
    key: str
    detail: str


def find_hangs(tasks: Sequence[Task], residents: Sequence[Resident], target: Target) -> list[Hang]:
    """Every way in which SuperKernels wait for what cannot run; none where all of them end in every order of starts."""
    if len(residents) == 1 and len(residents[0].group.operators) + len(residents[0].group.events) == len(tasks):
        return []
    world = _World(tasks, residents)
    return list(world.circles()) or list(world.shortages(target))


class _World:
    """Tasks, and the begin and the end of each SuperKernel, with what comes before what.

    The points are numbered: tasks in order, then a begin and an end for each SuperKernel.
    """

    def __init__(self, tasks: Sequence[Task], residents: Sequence[Resident]) -> None:
        order = order_tasks(tasks)
        self._tasks = order.sequence
        self._residents = residents
        point = {task.id: number for number, task in enumerate(self._tasks)}
        self._home: dict[int, int] = {}
        for number, (group, _) in enumerate(residents):
            self._home.update(dict.fromkeys(self._home_points(group, point), number))
        self._before: list[dict[int, int]] = [{} for _ in range(len(self._tasks) + 2 * len(residents))]
        self._inside: list[tuple[int, int]] = []
        for task in self._tasks:
            for earlier in order.predecessors[task.id]:
                is_event = order.records.get(task.id) == earlier
                self._link(point[earlier], point[task.id], is_event=is_event)
        for group, _ in residents:
            self._line_up(group, point)
        for task_point, home in self._home.items():
            self._before[task_point][self._begin(home)] = task_point
            self._before[self._end(home)][task_point] = task_point

    def _begin(self, home: int) -> int:
        return len(self._tasks) + 2 * home

    def _end(self, home: int) -> int:
        return self._begin(home) + 1

    def _link(self, earlier: int, later: int, *, is_event: bool) -> None:
        """Events reach into SuperKernels and out of them by words; all else waits for their begins and their ends."""
        first, second = self._home.get(earlier), self._home.get(later)
        if first == second:
            self._before[later][earlier] = later
            return
        source = earlier if first is None or is_event else self._end(first)
        if second is None:
            self._before[later][source] = later
        elif is_event:
            self._before[later][source] = later
            self._inside.append((second, later))
        else:
            self._before[self._begin(second)].setdefault(source, later)

    def _line_up(self, group: FusionGroup, point: Mapping[int, int]) -> None:
        """Inside a SuperKernel a wait may hold up all that stands behind it, also on other streams."""
        inside = {wait for _, wait in self._inside}
        last: int | None = None
        for task_point in sorted(self._home_points(group, point)):
            if last is not None:
                self._before[task_point].setdefault(last, task_point)
            if task_point in inside:
                last = task_point

    @staticmethod
    def _home_points(group: FusionGroup, point: Mapping[int, int]) -> list[int]:
        return [point[task] for task in (*(operator.task.id for operator in group.operators), *group.events)]

    def circles(self) -> Iterator[Hang]:
        """Points that wait for each other; each circle ends where the group that it runs through is parted."""
        stuck = set(range(len(self._before))) - set(self._sequence())
        for circle in find_circles(stuck, {point: self._before[point].keys() for point in stuck}):
            yield self._circle(circle)

    def _circle(self, circle: Sequence[int]) -> Hang:
        """Some SuperKernel of a circle is entered by way of a task that is not its first: there it can be parted."""
        pairs = zip(circle, (*circle[1:], circle[0]), strict=True)
        entries = [self._before[later][earlier] for later, earlier in pairs if self._enters(earlier, later)]
        entry = max(point for point in entries if not self._is_first(point))
        group, _ = self._residents[self._home[entry]]
        others = [describe(self._tasks[point]) for point in circle if point < len(self._tasks) and point != entry]
        return Hang(group.name, self._tasks[entry], "ends-first", ", ".join(others[:3]))

    def _enters(self, earlier: int, later: int) -> bool:
        """Whether a point is waited for by a SuperKernel that it does not belong to."""
        home = self._home.get(self._before[later][earlier])
        return home is not None and earlier != self._begin(home) and self._home.get(earlier) != home

    def _is_first(self, point: int) -> bool:
        group, _ = self._residents[self._home[point]]
        return self._tasks[point].id == group.operators[0].task.id

    def shortages(self, target: Target) -> Iterator[Hang]:
        """Waits inside for something that may find too few cores free."""
        if not self._inside:
            return
        past = self._pasts()
        holders = [
            (home, wait) for home, wait in self._inside if past[wait] & ~past[self._begin(home)] & self._starts(home)
        ]
        holding = dict.fromkeys(home for home, _ in holders)
        for home, wait in holders:
            needed = past[wait] & ~past[self._begin(home)] & self._starts(home)
            for start in _bits(needed):
                beside = [other for other in holding if self._may_be_beside(other, start, past)]
                text = self._shortage(start, self._chains(beside, past), target)
                if text:
                    group, _ = self._residents[home]
                    yield Hang(group.name, self._tasks[wait], "cores-held", text)
                    break

    def _starts(self, home: int) -> int:
        """The points at which something other than a SuperKernel itself needs cores."""
        kernels = (
            point for point, task in enumerate(self._tasks) if isinstance(task, KernelTask) and point not in self._home
        )
        others = (self._begin(other) for other in range(len(self._residents)) if other != home)
        return sum(1 << point for point in (*kernels, *others))

    def _may_be_beside(self, holder: int, start: int, past: Sequence[int]) -> bool:
        """Whether a SuperKernel may hold its cores when something wants to start: neither comes before the other."""
        end = start if start < len(self._tasks) else start + 1
        over = past[start] >> self._end(holder) & 1
        later = past[self._begin(holder)] >> end & 1
        return start != self._begin(holder) and not over and not later

    def _chains(self, holders: Sequence[int], past: Sequence[int]) -> list[list[Resident]]:
        """SuperKernels in chains of which each ends before the next begins: of a chain one at most holds cores."""
        chains: list[list[int]] = []
        for home in sorted(holders, key=lambda each: past[self._begin(each)].bit_count()):
            fitting = (chain for chain in chains if past[self._begin(home)] >> self._end(chain[-1]) & 1)
            chain = next(fitting, None)
            if chain is None:
                chains.append([home])
            else:
                chain.append(home)
        return [[self._residents[home] for home in chain] for chain in chains]

    def _shortage(self, start: int, chains: Sequence[Sequence[Resident]], target: Target) -> str:
        """What is missing when from each chain the SuperKernel with the most cores is there."""
        name, wanted = self._needs(start)
        for kind in CoreKind:
            held = [max(chain, key=lambda resident: resident.shape.cores[kind]) for chain in chains]
            taken = sum(shape.cores[kind] for _, shape in held)
            if wanted[kind] and taken + wanted[kind] > target.soc.cores[kind]:
                names = ", ".join(group.name for group, _ in held)
                return (
                    f"{name} needs {wanted[kind]} {kind.name} cores, {names} may hold {taken} meanwhile, "
                    f"and the product has {target.soc.cores[kind]}"
                )
        return ""

    def _needs(self, start: int) -> tuple[str, PerKind[int]]:
        if start >= len(self._tasks):
            group, shape = self._residents[(start - len(self._tasks)) // 2]
            return group.name, shape.cores
        task = self._tasks[start]
        kernel = task.kernel if isinstance(task, KernelTask) else None
        return describe(task), PerKind(0, 0) if kernel is None else kernel.cores

    def _sequence(self) -> list[int]:
        """The points after all that comes before them, without those in circles."""
        return sort_after(range(len(self._before)), dict(enumerate(self._before)))

    def _pasts(self) -> list[int]:
        """For each point the set of the points before it, as bits."""
        past = [0] * len(self._before)
        for point in self._sequence():
            for earlier in self._before[point]:
                past[point] |= past[earlier] | 1 << earlier
        return past


def _bits(value: int) -> Iterator[int]:
    while value:
        lowest = value & -value
        yield lowest.bit_length() - 1
        value ^= lowest
