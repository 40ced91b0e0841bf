# Licensed under the Apache License, Version 2.0.
"""The fewest synchronisations that keep a set of orders on two queues of cores.

Nodes are laid in one line; the cores of a kind execute those of their kind in that order. Before a node that is not
safe yet, synchronisations are put in, as late as possible: a later one covers more. There are four: all cores of a kind
meet (a barrier), or the cores of each group tell the other kind (a signal). What is known after each is a handful of
positions in the line, so all sensible ways can be followed side by side, the dearer or less knowing ones dropped.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from skcore.graph.kernel import CoreKind

_WIDEST = 12


class Move(Enum):
    """One synchronisation at a place in the line."""

    TELL_AIC = "the AIVs tell their AIC"
    MEET_AIC = "all AIC cores meet"
    TELL_AIV = "each AIC tells its AIVs"
    MEET_AIV = "all AIV cores meet"


FULL = (Move.TELL_AIC, Move.MEET_AIC, Move.TELL_AIV)
"""Together: all cores of both kinds meet."""


class Known(NamedTuple):
    """What is known to be complete, as positions in the line: by the cores of a kind, of a kind, everywhere or in the
    group. ``v_in_group_v`` is what an AIV knows of its sibling.
    """

    a_all_a: int = 0
    a_all_v: int = 0
    a_group_v: int = 0
    v_all_v: int = 0
    v_all_a: int = 0
    v_group_a: int = 0

    def after(self, move: Move, place: int) -> Known:
        """What is known after a synchronisation at a place in the line."""
        a_all_a, a_all_v, a_group_v, v_all_v, v_all_a, v_group_a = self
        if move is Move.MEET_AIC:
            return Known(max(a_all_a, place), max(a_all_v, a_group_v), a_group_v, v_all_v, v_all_a, v_group_a)
        if move is Move.MEET_AIV:
            return Known(a_all_a, a_all_v, a_group_v, max(v_all_v, place), max(v_all_a, v_group_a), v_group_a)
        if move is Move.TELL_AIV:
            return Known(
                a_all_a, a_all_v, a_group_v, max(v_all_v, a_all_v), max(v_all_a, a_all_a), max(v_group_a, place)
            )
        heard = max(a_group_v, place)
        return Known(max(a_all_a, v_all_a), max(a_all_v, v_all_v), heard, v_all_v, v_all_a, v_group_a)

    def covers(self, need: Need) -> bool:
        """Whether a node with these needs may start."""
        return (
            self.a_all_a >= need.a_of_a
            and self.a_all_v >= need.a_of_v
            and self.v_all_v >= need.v_of_v
            and self.v_all_a >= need.v_of_a
        )

    def knows_more(self, other: Known) -> bool:
        """Whether everything that the other knows is known here too."""
        return all(mine >= theirs for mine, theirs in zip(self, other, strict=True))


class Need(NamedTuple):
    """Positions in the line that have to be known before a node: by AIC cores of AIC and AIV nodes, by AIV cores."""

    a_of_a: int = 0
    a_of_v: int = 0
    v_of_v: int = 0
    v_of_a: int = 0


@dataclass(frozen=True, slots=True)
class Node:
    """A place in the line: the kinds that execute it, and the places of the nodes that it waits for.

    ``given`` and ``handed`` are moves that stand before it in any case, before and after those that are found; they
    cover the line up to ``given_place``.
    """

    kinds: tuple[CoreKind, ...]
    after: tuple[int, ...] = ()
    given: tuple[Move, ...] = ()
    handed: tuple[Move, ...] = ()
    given_place: int = 0


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to synchronise what came so far: what is known, its cost, and its moves as a chain."""

    known: Known
    cost: int
    last: tuple[int, tuple[Move, ...]] | None = None
    before: _Way | None = None

    def with_known(self, known: Known) -> _Way:
        """The same moves, knowing something else."""
        return self if known == self.known else _Way(known, self.cost, self.last, self.before)


def synchronise(nodes: Sequence[Node], launched: Iterable[CoreKind]) -> list[tuple[Move, ...]]:
    """The moves before each node: together as few as were found."""
    possible = tuple(_moves(frozenset(launched)))
    horizons = _horizons(nodes)
    ways = [_Way(Known(), 0)]
    for place, node in enumerate(nodes):
        ways = [way.with_known(after_moves(way.known, node.given, node.given_place)) for way in ways]
        need = need_of_places(nodes, node, node.after)
        if not all(_handed(way.known, node).covers(need) for way in ways):
            found_ways = (found for way in ways for found in _extended(way, node, need, place, possible))
            ways = _cheapest(_forgetting(way, horizons[place]) for way in found_ways)
        ways = [way.with_known(_handed(way.known, node)) for way in ways]
    found: list[tuple[Move, ...]] = [()] * len(nodes)
    way: _Way | None = min(ways, key=lambda each: each.cost)
    while way is not None:
        if way.last is not None:
            found[way.last[0]] = way.last[1]
        way = way.before
    return found


def synchronise_freely(
    nodes: Sequence[Node], launched: Iterable[CoreKind]
) -> tuple[Sequence[int], Sequence[Node], list[tuple[Move, ...]]]:
    """A line of the same queues, as the old places in its order, its nodes, and the moves before each of them.

    The nodes of each kind keep their order among themselves; who of the other kind comes between is free.
    """
    kinds = frozenset(launched)
    given = list(range(len(nodes)))
    lines = [(given, nodes)]
    is_chain = all(place - 1 in nodes[place].after for place in given[1:])
    other = given if is_chain else _interleaved(nodes, kinds)
    if other != given:
        lines.append((other, _in_line(nodes, other)))
    found = [(order, line, synchronise(line, kinds)) for order, line in lines]
    return min(found, key=lambda each: sum(map(len, each[2])))


def _in_line(nodes: Sequence[Node], line: Sequence[int]) -> list[Node]:
    """The nodes in another order, which names their places."""
    places = {old: new for new, old in enumerate(line)}
    return [replace(nodes[old], after=tuple(places[each] for each in nodes[old].after)) for old in line]


def _interleaved(nodes: Sequence[Node], launched: frozenset[CoreKind]) -> list[int]:
    """Those that need nothing new first, then those that need the fewest synchronisations."""
    possible = tuple(_moves(launched))
    queues = {kind: deque(place for place, node in enumerate(nodes) if kind in node.kinds) for kind in CoreKind}
    placed: dict[int, int] = {}
    known = Known()
    while len(placed) < len(nodes):
        ready = [place for place in _heads(nodes, queues) if all(other in placed for other in nodes[place].after)]
        needs = {place: _placed_need(nodes, place, placed) for place in ready}
        chosen = next((place for place in ready if known.covers(needs[place])), None)
        if chosen is None:
            way = _Way(known, 0)
            ways = {each: next(_extended(way, nodes[each], needs[each], len(placed), possible)) for each in ready}
            chosen = min(ways, key=lambda each: ways[each].cost)
            known = ways[chosen].known
        placed[chosen] = len(placed)
        for kind in nodes[chosen].kinds:
            queues[kind].popleft()
    return list(placed)


def _heads(nodes: Sequence[Node], queues: Mapping[CoreKind, deque[int]]) -> list[int]:
    """The nodes that are next on all of their kinds, in the order of the old line."""
    heads = sorted({queue[0] for queue in queues.values() if queue})
    return [place for place in heads if all(queues[kind][0] == place for kind in nodes[place].kinds)]


def _placed_need(nodes: Sequence[Node], place: int, placed: Mapping[int, int]) -> Need:
    of: dict[CoreKind, int] = dict.fromkeys(CoreKind, 0)
    for other in nodes[place].after:
        for kind in nodes[other].kinds:
            of[kind] = max(of[kind], placed[other] + 1)
    return _need_of_kinds(nodes[place], of)


def _horizons(nodes: Sequence[Node]) -> list[int]:
    """For each node, the earliest place that a later node waits for: what lies before it need not be told apart."""
    found = [len(nodes)] * len(nodes)
    for place in range(len(nodes) - 1, 0, -1):
        found[place - 1] = min(found[place], *nodes[place].after) if nodes[place].after else found[place]
    return found


def _forgetting(way: _Way, horizon: int) -> _Way:
    known = Known(*(value if value > horizon else 0 for value in way.known))
    return way.with_known(known)


def _moves(launched: frozenset[CoreKind]) -> Iterator[Move]:
    for move in Move:
        single = {Move.MEET_AIC: CoreKind.AIC, Move.MEET_AIV: CoreKind.AIV}.get(move)
        if single in launched or (single is None and len(launched) == len(CoreKind)):
            yield move


def after_moves(known: Known, moves: Iterable[Move], place: int) -> Known:
    """What is known after several synchronisations at a place in the line."""
    for move in moves:
        known = known.after(move, place)
    return known


def answered(nodes: Sequence[Node], moves: Iterable[tuple[Move, ...]], limit: int) -> list[tuple[Move, ...]]:
    """The moves, with an answer wherever the counter of a signal might come near the limit of the hardware.

    Who signals does not wait for those that hear it, so it may be any number of signals ahead of them. The clearing of
    the feed-sync workspace and a full synchronisation inside an operator take one more signal each.
    """
    ahead = dict.fromkeys(_ANSWERS, 0)
    found = []
    for node, made in zip(nodes, moves, strict=True):
        _count(ahead, (*node.given, *made))
        missing = tuple(answer for move, answer in _ANSWERS.items() if ahead[move] >= limit - 2)
        _count(ahead, (*missing, *node.handed))
        found.append((*made, *missing))
    return found


_ANSWERS = {Move.TELL_AIC: Move.TELL_AIV, Move.TELL_AIV: Move.TELL_AIC}


def _count(ahead: dict[Move, int], moves: Iterable[Move]) -> None:
    """Count signals that are not answered yet."""
    for move in moves:
        if move in ahead:
            ahead[move] += 1
            ahead[_ANSWERS[move]] = 0


def _handed(known: Known, node: Node) -> Known:
    return after_moves(known, node.handed, node.given_place)


def need_of_places(nodes: Sequence[Node], node: Node, after: Iterable[int]) -> Need:
    """What has to be known before a node for it to follow the nodes at these places."""
    of: dict[CoreKind, int] = dict.fromkeys(CoreKind, 0)
    for place in after:
        for kind in nodes[place].kinds:
            of[kind] = max(of[kind], place + 1)
    return _need_of_kinds(node, of)


def _need_of_kinds(node: Node, of: Mapping[CoreKind, int]) -> Need:
    aic, aiv = of[CoreKind.AIC], of[CoreKind.AIV]
    on_aic, on_aiv = CoreKind.AIC in node.kinds, CoreKind.AIV in node.kinds
    return Need(aic if on_aic else 0, aiv if on_aic else 0, aiv if on_aiv else 0, aic if on_aiv else 0)


def _extended(way: _Way, node: Node, need: Need, place: int, possible: tuple[Move, ...]) -> Iterator[_Way]:
    """The way with every sequence of moves that lets the node start and is worth a look."""
    if _handed(way.known, node).covers(need):
        yield way
        return
    # Only distances from the place matter, and they recur all along the line.
    known = Known(*(value - place if value else _NEVER for value in way.known))
    distance = Need(*(value - place if value else _NEVER for value in need))
    for after, moves in _ways_to_cover(known, distance, possible):
        absolute = Known(*(value + place if value != _NEVER else 0 for value in after))
        yield _Way(absolute, way.cost + len(moves), (place, moves), way)


_NEVER = -(1 << 60)


@lru_cache(maxsize=1 << 14)
def _ways_to_cover(start: Known, need: Need, possible: tuple[Move, ...]) -> tuple[tuple[Known, tuple[Move, ...]], ...]:
    """The shortest sequences of moves at place 0 that cover a need, and those one move longer."""
    found: list[tuple[Known, tuple[Move, ...]]] = []
    frontier: Mapping[Known, tuple[Move, ...]] = {start: ()}
    shortest = None
    for length in range(1, 5):
        grown: dict[Known, tuple[Move, ...]] = {}
        for known, moves in frontier.items():
            for move in possible:
                after = known.after(move, 0)
                if after != known:
                    grown.setdefault(after, (*moves, move))
        for known, moves in grown.items():
            if known.covers(need):
                shortest = length if shortest is None else shortest
                found.append((known, moves))
        if shortest is not None and length > shortest:
            break
        frontier = grown
    kept: list[tuple[Known, tuple[Move, ...]]] = []
    for known, moves in sorted(found, key=lambda each: (len(each[1]), tuple(-value for value in each[0]))):
        if not any(other.knows_more(known) for other, _ in kept):
            kept.append((known, moves))
    return tuple(kept)


def _cheapest(ways: Iterable[_Way]) -> list[_Way]:
    """The ways that no other one beats in both cost and knowledge, the cheapest first, not too many."""
    kept: list[_Way] = []
    for way in sorted(ways, key=lambda each: (each.cost, tuple(-value for value in each.known))):
        if not any(other.known.knows_more(way.known) for other in kept):
            kept.append(way)
            if len(kept) == _WIDEST:
                break
    return kept
