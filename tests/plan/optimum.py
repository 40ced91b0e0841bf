# Licensed under the Apache License, Version 2.0.
"""The fewest synchronisations of a graph with fixed queues, found exactly.

A placement is any number of barriers at any gaps of a kind's queue and of signals from any gap to any gap, paired first
in, first out. Why the search below covers all of them:

1. A placement that gets to its end has a run. In that run, delay each sending to just before it is heard: the sender
   has done no less by then, so nobody knows less, nothing waits longer, and the pairs stay as they are. So moves that
   happen in one go - all of a kind meet, or each group's cores of a kind tell the other kind - are as good as any.
2. Knowledge only grows, and a move tells more the later it comes. So an operator that may start is best run at once,
   whatever follows: between two moves, everything runs that can.
3. A state is thus where both queues stand and what each core knows, and of two states with as many moves, one that is
   nowhere behind the other makes the other superfluous.

Breadth first over the number of moves, the first state at the end of both queues is an optimum over all placements and
all interleavings of the queues.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import NamedTuple

from tests.plan.cores import (
    AIC,
    AIV,
    CORES,
    GROUP,
    OF_KIND,
    Clock,
    Clocks,
    Graph,
    Programs,
    Word,
    covers,
    fault,
    joined,
)

_START = (0,) * len(CORES)


class State(NamedTuple):
    """How many operators each queue has begun, how many of the line, and what each core knows."""

    at: tuple[int, int]
    clocks: Clocks

    def is_behind(self, other: State) -> bool:
        """Whether the other state is nowhere behind this one."""
        return (
            self.at[0] <= other.at[0]
            and self.at[1] <= other.at[1]
            and all(covers(theirs, mine) for theirs, mine in zip(other.clocks, self.clocks, strict=True))
        )


@dataclass(frozen=True, slots=True)
class Solution:
    """The number of moves, and one way to place them: moves and operators in the order of a run."""

    moves: int
    run: tuple[str | int, ...]

    @property
    def line(self) -> tuple[int, ...]:
        """The operators in the order of the run."""
        return tuple(each for each in self.run if isinstance(each, int))


MOVES = ("AIC meet", "AIV meet", "AIC tell", "AIV tell")


def fewest(graph: Graph, *, in_line: bool = False, apart: bool = False) -> Solution:
    """An optimum.

    ``in_line`` looks only at the interleaving in which the graph lists its operators; ``apart`` allows the halves of a
    MIX operator to start at different times, as if they never waited for each other (they may: a lower bound only).
    """
    queues = [[op for op, kinds in enumerate(graph.kinds) if kind in kinds] for kind in (AIC, AIV)]
    needs = graph.needs(queues)
    possible = MOVES if len(graph.launched) > 1 else tuple(MOVES[kind] for kind in graph.launched)

    def advance(state: State) -> tuple[State, tuple[int, ...]]:
        return _advance(graph, queues, needs, state, in_line=in_line, apart=apart)

    start, ran = advance(State((0, 0), (_START,) * len(CORES)))
    end = (len(queues[AIC]), len(queues[AIV]))
    layer: list[tuple[State, tuple[str | int, ...]]] = [(start, ran)]
    count = 0
    while True:
        for state, run in layer:
            if state.at == end:
                return Solution(count, run)
        layer = _foremost(_grown(layer, possible, advance))
        count += 1


def _advance(
    graph: Graph, queues: list[list[int]], needs: list[Clock], state: State, *, in_line: bool, apart: bool
) -> tuple[State, tuple[int, ...]]:
    """Run what can run, until nothing can."""
    at, clocks = list(state.at), list(state.clocks)
    ran: list[int] = []
    moved = True
    while moved:
        moved = False
        heads = {kind: queues[kind][at[kind]] for kind in (AIC, AIV) if at[kind] < len(queues[kind])}
        for op in (min(heads.values()),) if in_line and heads else tuple(dict.fromkeys(heads.values())):
            wanted = graph.kinds[op]
            for kinds in [(kind,) for kind in wanted] if apart else [wanted]:
                if any(heads.get(kind) != op for kind in kinds):
                    continue
                cores = [core for kind in kinds for core in OF_KIND[kind]]
                if all(covers(clocks[core], needs[op]) for core in cores):
                    for core in cores:
                        clocks[core] = tuple(done + (other == core) for other, done in enumerate(clocks[core]))
                    for kind in kinds:
                        at[kind] += 1
                        del heads[kind]
                    ran.append(op)
                    moved = True
    return State((at[0], at[1]), tuple(clocks)), tuple(ran)


def _grown(
    layer: Iterable[tuple[State, tuple[str | int, ...]]],
    possible: tuple[str, ...],
    advance: Callable[[State], tuple[State, tuple[int, ...]]],
) -> Iterator[tuple[State, tuple[str | int, ...]]]:
    for state, run in layer:
        for move in possible:
            after, ran = advance(State(state.at, _moved(state.clocks, move)))
            if after != state:
                yield after, (*run, move, *ran)


def _moved(clocks: Clocks, move: str) -> Clocks:
    kind = AIC if move.startswith("AIC") else AIV
    found = list(clocks)
    if move.endswith("meet"):
        together = joined([clocks[core] for core in OF_KIND[kind]])
        for core in OF_KIND[kind]:
            found[core] = together
    else:
        for core in OF_KIND[1 - kind]:
            said = [clocks[other] for other in OF_KIND[kind] if GROUP[other] == GROUP[core]]
            found[core] = joined([clocks[core], *said])
    return tuple(found)


def _foremost(
    found: Iterable[tuple[State, tuple[str | int, ...]]],
) -> list[tuple[State, tuple[str | int, ...]]]:
    """The states that no other one makes superfluous."""
    unique = dict(reversed([(state, run) for state, run in found]))
    kept: list[tuple[State, tuple[str | int, ...]]] = []
    for state in sorted(unique, key=lambda each: (-sum(each.at) - sum(map(sum, each.clocks)), each)):
        if not any(state.is_behind(other) for other, _ in kept):
            kept.append((state, unique[state]))
    return kept


def programs_of(graph: Graph, run: Iterable[str | int]) -> Programs:
    """The programs of a run."""
    programs: tuple[list[Word], list[Word]] = ([], [])
    for each in run:
        if isinstance(each, int):
            for kind in graph.kinds[each]:
                programs[kind].append(Word("call", each))
        else:
            kind = AIC if each.startswith("AIC") else AIV
            programs[kind].append(Word(each[4:]))
            if each.endswith("tell"):
                programs[1 - kind].append(Word("hear"))
    return tuple(programs[AIC]), tuple(programs[AIV])


# By trying everything -------------------------------------------------------------------------------------------------


def placements(graph: Graph, moves: int) -> Iterator[Programs]:
    """All programs with so many moves: every barrier at every gap, every signal from every gap to every gap."""
    queues = [[Word("call", op) for op, kinds in enumerate(graph.kinds) if kind in kinds] for kind in (AIC, AIV)]
    launched = graph.launched
    both = len(launched) > 1
    for split in product(range(moves + 1), repeat=3):
        down, up, meet_aic = split
        meet_aiv = moves - sum(split)
        wrong = meet_aiv < 0 or (not both and (down or up))
        if wrong or (meet_aic and AIC not in launched) or (meet_aiv and AIV not in launched):
            continue
        aic = list(_mixtures(queues[AIC], {"meet": meet_aic, "tell": down, "hear": up}))
        aiv = list(_mixtures(queues[AIV], {"meet": meet_aiv, "tell": up, "hear": down}))
        yield from product(aic, aiv)


def _mixtures(queue: list[Word], counts: dict[str, int]) -> Iterator[tuple[Word, ...]]:
    """All ways to put so many words of each sort between the calls of a queue."""
    total = len(queue) + sum(counts.values())
    for places in combinations(range(total), len(queue)):
        calls = dict(zip(places, queue, strict=True))
        free = [place for place in range(total) if place not in calls]
        for words in _arrangements(counts, len(free)):
            filled = dict(zip(free, words, strict=True))
            yield tuple(calls.get(place) or Word(filled[place]) for place in range(total))


def _arrangements(counts: dict[str, int], length: int) -> Iterator[tuple[str, ...]]:
    if not length:
        yield ()
        return
    for what, count in counts.items():
        if count:
            for rest in _arrangements({**counts, what: count - 1}, length - 1):
                yield (what, *rest)


def some_placement(graph: Graph, moves: int) -> Programs | None:
    """Programs with so many moves that are right, by trying all of them."""
    return next((programs for programs in placements(graph, moves) if not fault(graph, programs)), None)
