# Licensed under the Apache License, Version 2.0.
"""The shortest interleaving that shows a fault: what has to come before it in every interleaving, and nothing else.

Programs are straight lines and the k-th wait on a flag takes the k-th token, so all that an operation depends on is its
past: the operations before it on its core, those that made the tokens it takes, and their pasts. No interleaving comes
to the operation with fewer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from skcore.check.execution import TAKING, CoreState, Execution
from skcore.check.protocol import Flag, FlagUse, Word, WordUse

Progress = dict[int, int]
"""How many operations of each core are over, by the core's position in the execution."""


class Event(NamedTuple):
    """An operation of a core at its position in the execution."""

    core: int
    number: int


class Causes:
    """Which operations each operation of an execution depends on, apart from those before it on its core."""

    def __init__(self, execution: Execution) -> None:
        self._cores = execution.cores
        self._made: dict[tuple[int, Flag], list[Event]] = defaultdict(list)
        self._told: dict[Word, Event] = {}
        for position, core in enumerate(self._cores):
            for number, operation in enumerate(core.operations[: core.next]):
                if isinstance(operation, FlagUse) and operation.verb not in TAKING:
                    self._made[position, operation.flag].append(Event(position, number))
                elif isinstance(operation, WordUse) and operation.tells:
                    self._told.setdefault(operation.word, Event(position, number))
        self._causes = {
            Event(position, number): causes
            for position, core in enumerate(self._cores)
            for number, causes in self._waits(core)
        }

    def past(self, events: Iterable[Event]) -> Progress:
        """The fewest operations of each core that are over when all of the events are about to happen."""
        over: Progress = {}
        waiting = [Event(event.core, event.number - 1) for event in events]
        waiting += [cause for event in events for cause in self._causes.get(event, ())]
        while waiting:
            core, number = waiting.pop()
            done = over.get(core, 0)
            over[core] = max(done, number + 1)
            waiting += [cause for each in range(done, number + 1) for cause in self._causes.get(Event(core, each), ())]
        return over

    def line_up(self, over: Mapping[int, int]) -> list[Event]:
        """The operations of a past in an order in which they can happen."""
        done: Progress = dict.fromkeys(over, 0)
        line: list[Event] = []
        while len(line) < sum(over.values()):
            for core, end in over.items():
                while done[core] < end and self._can_happen(Event(core, done[core]), done):
                    line.append(Event(core, done[core]))
                    done[core] += 1
        return line

    def _can_happen(self, event: Event, done: Progress) -> bool:
        return all(done.get(cause.core, 0) > cause.number for cause in self._causes.get(event, ()))

    def _waits(self, core: CoreState) -> Iterator[tuple[int, list[Event]]]:
        """The waits of a core that ended, and what each waited for."""
        taken: Counter[Flag] = Counter()
        for number, operation in enumerate(core.operations[: core.next]):
            if isinstance(operation, WordUse) and not operation.tells:
                yield number, [self._told[operation.word]]
            elif isinstance(operation, FlagUse) and operation.verb in TAKING:
                turn = taken[operation.flag]
                taken[operation.flag] += 1
                makers = self._makers(core, operation.flag)
                yield number, [self._made[maker, operation.flag][turn] for maker in makers]

    def _makers(self, taker: CoreState, flag: Flag) -> list[int]:
        return [
            position
            for position, core in enumerate(self._cores)
            if core.place.kind is flag.maker and (flag.is_barrier or core.group == taker.group)
        ]
