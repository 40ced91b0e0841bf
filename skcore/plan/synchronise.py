# Licensed under the Apache License, Version 2.0.
"""The fewest synchronisations that keep a set of orders on two queues of cores.

Nodes are laid in one line; the cores of a kind execute those of their kind in that order. Before a node that is not
safe yet, synchronisations are put in, as late as possible: a later one covers more. There are four: all cores of a kind
meet (a barrier), or the cores of each group tell the other kind (a signal). What is known after each is a handful of
positions in the line, so all sensible ways can be followed side by side, the dearer or less knowing ones dropped.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, lru_cache
from typing import NamedTuple

from skcore.graph.kernel import CoreKind

_WIDEST = 12

Position = float
"""A position in the line, or a distance between two: a whole number, or NEVER."""

NEVER: Position = -math.inf


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

    a_all_a: Position = NEVER
    a_all_v: Position = NEVER
    a_group_v: Position = NEVER
    v_all_v: Position = NEVER
    v_all_a: Position = NEVER
    v_group_a: Position = NEVER

    def after(self, move: Move, place: Position) -> Known:
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
        return (
            self.a_all_a >= other.a_all_a
            and self.a_all_v >= other.a_all_v
            and self.a_group_v >= other.a_group_v
            and self.v_all_v >= other.v_all_v
            and self.v_all_a >= other.v_all_a
            and self.v_group_a >= other.v_group_a
        )

    def seen_from(self, place: Position) -> Known:
        """The same as distances from a place in the line."""
        return Known._make([value - place for value in self])


class Need(NamedTuple):
    """Positions in the line that have to be known before a node: by AIC cores of AIC and AIV nodes, by AIV cores."""

    a_of_a: Position = NEVER
    a_of_v: Position = NEVER
    v_of_v: Position = NEVER
    v_of_a: Position = NEVER

    def seen_from(self, place: Position) -> Need:
        """The same as distances from a place in the line."""
        a_of_a, a_of_v, v_of_v, v_of_a = self
        return Need(a_of_a - place, a_of_v - place, v_of_v - place, v_of_a - place)


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
    given_place: Position = NEVER


class _Way(NamedTuple):
    """One way to synchronise what came so far: what is known, and its cost."""

    known: Known
    cost: int


class _Front(NamedTuple):
    """The ways that are followed, the cheapest first and at no cost, and what every one of them knows.

    Positions are distances from the place at which they were found.
    """

    ways: tuple[_Way, ...] = (_Way(Known(), 0),)
    common: Known = Known()


class _Scene(NamedTuple):
    """A node as its place sees it: what it needs, what stands there, and how far back anything is waited for later."""

    need: Need
    given: tuple[Move, ...]
    handed: tuple[Move, ...]
    given_place: Position
    horizon: Position


class _Choice(NamedTuple):
    """How a way came about: from which one of the earlier front, and by which moves."""

    before: int
    moves: tuple[Move, ...]


def synchronise(nodes: Sequence[Node], launched: Iterable[CoreKind]) -> list[tuple[Move, ...]]:
    """The moves before each node: together as few as were found."""
    kinds = frozenset(launched)
    horizons = _horizons(nodes)
    front, found_at = _Front(), 0
    history: list[tuple[int, tuple[_Choice, ...]]] = []
    for place, node in enumerate(nodes):
        need = need_of_places(nodes, node, node.after)
        if not node.given and not node.handed and front.common.covers(need.seen_from(found_at)):
            continue
        reached, horizon = node.given_place - place, horizons[place] - place
        scene = _Scene(need.seen_from(place), node.given, node.handed, reached, horizon)
        front, choices = _next_front(front, place - found_at, scene, kinds)
        history.append((place, choices))
        found_at = place
    found: list[tuple[Move, ...]] = [()] * len(nodes)
    way = 0
    for place, choices in reversed(history):
        way, found[place] = choices[way]
    return found


# Networks repeat their layers: what matters are distances, and the same ones recur all along the line.
@lru_cache(maxsize=1 << 12)
def _next_front(
    front: _Front, age: int, scene: _Scene, launched: frozenset[CoreKind]
) -> tuple[_Front, tuple[_Choice, ...]]:
    """The front after a node, ``age`` places further on, and how each of its ways came about."""
    need, given, handed, given_place, horizon = scene

    def handed_over(known: Known) -> Known:
        return after_moves(known, handed, given_place)

    starts = [_Way(after_moves(known.seen_from(age), given, given_place), cost) for known, cost in front.ways]
    safe = [handed_over(known).covers(need) for known, _ in starts]
    found = [(way, _Choice(number, ())) for number, way in enumerate(starts)]
    if not all(safe):
        found = _cheapest(
            (_Way(_forgetting(known, horizon), way.cost + len(moves)), _Choice(choice.before, moves))
            for (way, choice), is_safe in zip(found, safe, strict=True)
            for known, moves in ([(way.known, ())] if is_safe else _extended(way.known, need, launched))
        )
    ways = tuple(_Way(handed_over(way.known), way.cost - found[0][0].cost) for way, _ in found)
    common = Known._make(map(min, zip(*(way.known for way in ways), strict=True)))
    return _Front(ways, common), tuple(choice for _, choice in found)


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
    queues = [deque(place for place, node in enumerate(nodes) if kind in node.kinds) for kind in CoreKind]
    placed: dict[int, int] = {}
    known = Known()
    while len(placed) < len(nodes):
        ready = [place for place in _heads(nodes, queues) if all(other in placed for other in nodes[place].after)]
        needs = {
            place: _need_of(nodes[place], [(nodes[other].kinds, placed[other]) for other in nodes[place].after])
            for place in ready
        }
        chosen = next((place for place in ready if known.covers(needs[place])), None)
        if chosen is None:
            here = len(placed)
            seen = known.seen_from(here)
            ways = {place: _extended(seen, needs[place].seen_from(here), launched)[0] for place in ready}
            chosen = min(ways, key=lambda place: len(ways[place][1]))
            known = ways[chosen][0].seen_from(-here)
        placed[chosen] = len(placed)
        for queue in queues:
            if queue and queue[0] == chosen:
                queue.popleft()
    return list(placed)


def _heads(nodes: Sequence[Node], queues: Sequence[deque[int]]) -> list[int]:
    """The nodes that are next on all of their kinds, in the order of the old line."""
    heads = [queue[0] for queue in queues if queue]
    return sorted(place for place in set(heads) if heads.count(place) == len(nodes[place].kinds))


def _horizons(nodes: Sequence[Node]) -> list[Position]:
    """For each node, the earliest place that a later node waits for: what lies before it need not be told apart."""
    found: list[Position] = [math.inf] * len(nodes)
    for place in range(len(nodes) - 1, 0, -1):
        found[place - 1] = min((found[place], *nodes[place].after))
    return found


def _forgetting(known: Known, horizon: Position) -> Known:
    return Known._make([value if value > horizon else NEVER for value in known])


@cache
def _moves(launched: frozenset[CoreKind]) -> tuple[Move, ...]:
    if len(launched) == len(CoreKind):
        return tuple(Move)
    meets = {Move.MEET_AIC: CoreKind.AIC, Move.MEET_AIV: CoreKind.AIV}
    return tuple(move for move, kind in meets.items() if kind in launched)


def after_moves(known: Known, moves: Iterable[Move], place: Position) -> Known:
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


def need_of_places(nodes: Sequence[Node], node: Node, after: Iterable[int]) -> Need:
    """What has to be known before a node for it to follow the nodes at these places."""
    return _need_of(node, [(nodes[place].kinds, place) for place in after])


def _need_of(node: Node, ends: Iterable[tuple[tuple[CoreKind, ...], int]]) -> Need:
    """What has to be known before a node for it to follow what these kinds do at these places."""
    aic = aiv = NEVER
    for kinds, place in ends:
        if place >= aic and CoreKind.AIC in kinds:
            aic = place + 1
        if place >= aiv and CoreKind.AIV in kinds:
            aiv = place + 1
    on_aic, on_aiv = CoreKind.AIC in node.kinds, CoreKind.AIV in node.kinds
    return Need(aic if on_aic else NEVER, aiv if on_aic else NEVER, aiv if on_aiv else NEVER, aic if on_aiv else NEVER)


@lru_cache(maxsize=1 << 14)
def _extended(start: Known, need: Need, launched: frozenset[CoreKind]) -> tuple[tuple[Known, tuple[Move, ...]], ...]:
    """The shortest sequences of moves at place 0 that cover a need, and those one move longer, as far as worth a look.

    Positions are distances from the place.
    """
    possible = _moves(launched)
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


def _cheapest(ways: Iterable[tuple[_Way, _Choice]]) -> list[tuple[_Way, _Choice]]:
    """The ways that no other one beats in both cost and knowledge, the cheapest first, not too many."""
    kept: list[tuple[_Way, _Choice]] = []
    for way, choice in sorted(ways, key=lambda each: (each[0].cost, tuple(-value for value in each[0].known))):
        if not any(other.known.knows_more(way.known) for other, _ in kept):
            kept.append((way, choice))
            if len(kept) == _WIDEST:
                break
    return kept
