# Licensed under the Apache License, Version 2.0.
"""Cores that execute programs of calls and cross-core steps, with what each of them knows of all others.

Two groups of one AIC and two AIVs each stand for any number: every group executes the same programs, so what a core
knows of one other group it knows of all. Knowledge is a vector clock: how many operators each core has completed, as
far as this core can tell. Nothing here is shared with the planner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

AIC, AIV = 0, 1
CORES = (AIC, AIC, AIV, AIV, AIV, AIV)
"""The kind of each core."""
GROUP = (0, 1, 0, 0, 1, 1)
"""The group of each core."""
OF_KIND = ((0, 1), (2, 3, 4, 5))

Clock = tuple[int, ...]
Clocks = tuple[Clock, ...]


class Word(NamedTuple):
    """One thing that all cores of a kind do: ``call`` operator ``op``, ``meet`` their kind, ``tell`` or ``hear`` the
    other kind of their group, or ``full``: meet all cores of both kinds.
    """

    what: str
    op: int = -1


Programs = tuple[tuple[Word, ...], tuple[Word, ...]]
"""The program of the AIC cores and that of the AIV cores."""


@dataclass(frozen=True, slots=True)
class Graph:
    """Operators with the kinds that execute them, in the order of both queues, and pairs that must not overlap."""

    kinds: tuple[tuple[int, ...], ...]
    orders: tuple[tuple[int, int], ...]

    @property
    def launched(self) -> tuple[int, ...]:
        """The kinds that execute something."""
        return tuple(sorted({kind for kinds in self.kinds for kind in kinds}))

    def needs(self, queues: Sequence[Sequence[int]] | None = None) -> list[Clock]:
        """Before each operator: how much of every core's queue has to be known as complete."""
        queues = queues or [[op for op, kinds in enumerate(self.kinds) if kind in kinds] for kind in (AIC, AIV)]
        place = [{op: number + 1 for number, op in enumerate(queue)} for queue in queues]
        found = [[0, 0] for _ in self.kinds]
        for first, second in self.orders:
            for kind in self.kinds[first]:
                found[second][kind] = max(found[second][kind], place[kind][first])
        return [tuple(need[kind] for kind in CORES) for need in found]

    def __str__(self) -> str:
        names = {(AIC,): "AIC", (AIV,): "AIV", (AIC, AIV): "MIX"}
        orders = ", ".join(f"{first}->{second}" for first, second in self.orders)
        return f"[{' '.join(names[kinds] for kinds in self.kinds)}] {orders or 'no orders'}"


def joined(clocks: Sequence[Clock]) -> Clock:
    """What cores know together."""
    return tuple(map(max, *clocks)) if len(clocks) > 1 else tuple(clocks[0])


def covers(clock: Clock, need: Clock) -> bool:
    return all(known >= needed for known, needed in zip(clock, need, strict=True))


def fault(graph: Graph, programs: Programs) -> str:
    """What is wrong with programs: "missing", "early", "stuck" or "left over", and details; empty when they are right.

    The cores of a MIX operator start it together, for its halves may wait for each other; they learn nothing by that.
    """
    called = sorted((word.op, kind) for kind in (AIC, AIV) for word in programs[kind] if word.what == "call")
    wanted = sorted((op, kind) for op, kinds in enumerate(graph.kinds) for kind in kinds)
    if called != wanted:
        return f"missing: {sorted(set(wanted) ^ set(called))} is not called once"
    return _Run(graph, programs).fault()


def cross_core_steps(program: Sequence[Word]) -> int:
    """Settings and waits, counted as the conformance records do: a full synchronisation is one step."""
    return sum({"meet": 2, "call": 0}.get(word.what, 1) for word in program)


def flag_operations(program: Sequence[Word], kind: int) -> int:
    """Settings and waits that the cores of a kind execute: a full synchronisation is made of several."""
    return sum({"meet": 2, "call": 0, "full": 4 if kind == AIC else 2}.get(word.what, 1) for word in program)


class _Run:
    """One run. Every flag has one source and one taker, so what is known does not depend on the interleaving."""

    def __init__(self, graph: Graph, programs: Programs) -> None:
        self.graph = graph
        self.programs = programs
        queues = [[word.op for word in program if word.what == "call"] for program in programs]
        self.needs = graph.needs(queues)
        self.clocks: list[Clock] = [(0,) * len(CORES) for _ in CORES]
        self.at = [0] * 2
        self.told: tuple[list[Clocks], list[Clocks]] = ([], [])

    def fault(self) -> str:
        while True:
            before = tuple(self.at)
            for kind in (AIC, AIV):
                while self.at[kind] < len(self.programs[kind]) and self._step(kind, self.programs[kind][self.at[kind]]):
                    self.at[kind] += 1
            early = self._mixed() or ""
            if early:
                return early
            if tuple(self.at) == before:
                stuck = [kind for kind in (AIC, AIV) if self.at[kind] < len(self.programs[kind])]
                if stuck:
                    return f"stuck: the cores of {stuck}"
                return "left over: signals that nobody takes" if any(self.told) else ""

    def _step(self, kind: int, word: Word) -> bool:
        cores = OF_KIND[kind]
        if word.what == "meet":
            together = joined([self.clocks[core] for core in cores])
            for core in cores:
                self.clocks[core] = together
        elif word.what == "tell":
            self.told[kind].append(tuple(self.clocks))
        elif word.what == "hear":
            if not self.told[1 - kind]:
                return False
            said = self.told[1 - kind].pop(0)
            for core in cores:
                heard = [said[other] for other in OF_KIND[1 - kind] if GROUP[other] == GROUP[core]]
                self.clocks[core] = joined([self.clocks[core], *heard])
        else:
            return False
        return True

    def _mixed(self) -> str:
        """Calls, and full synchronisations: all kinds that take part stand at the same word."""
        for kind in (AIC, AIV):
            if self.at[kind] >= len(self.programs[kind]):
                continue
            word = self.programs[kind][self.at[kind]]
            kinds = self.graph.kinds[word.op] if word.what == "call" else (AIC, AIV)
            if word.what not in ("call", "full"):
                continue
            if any(self.at[each] >= len(self.programs[each]) for each in kinds):
                continue
            if any(self.programs[each][self.at[each]] != word for each in kinds):
                continue
            early = self._call(word, kinds) if word.what == "call" else self._full()
            if early:
                return early
            for each in kinds:
                self.at[each] += 1
        return ""

    def _full(self) -> str:
        together = joined(self.clocks)
        self.clocks = [together for _ in CORES]
        return ""

    def _call(self, word: Word, kinds: tuple[int, ...]) -> str:
        for core, kind in enumerate(CORES):
            if kind in kinds:
                clock = self.clocks[core]
                if not covers(clock, self.needs[word.op]):
                    return f"early: core {core} starts {word.op}, knows {clock}, needs {self.needs[word.op]}"
                self.clocks[core] = tuple(done + (other == core) for other, done in enumerate(clock))
        return ""
