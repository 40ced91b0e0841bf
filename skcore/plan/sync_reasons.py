# Licensed under the Apache License, Version 2.0.
"""Why each synchronisation stands where it does, and why an order needs none of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skcore.plan.group import FusionGroup
from skcore.plan.line import Act, Place
from skcore.plan.orders import GroupOrder, Order
from skcore.plan.plan import Decision
from skcore.plan.synchronise import Known, Move, Node, after_moves, need_of_places


def sync_decisions(
    group: FusionGroup,
    order: GroupOrder,
    line: Sequence[Place],
    nodes: Sequence[Node],
    moves: Sequence[tuple[Move, ...]],
) -> Iterator[Decision]:
    """A decision for each place with synchronisations, and one for each order that was known already."""
    calls = {place.op: number for number, place in enumerate(line) if place.act is Act.CALL}
    of: dict[int, list[Order]] = {}
    for each in order.orders:
        of.setdefault(each.after, []).append(each)
    known = Known()
    last = -1
    for number, (place, node, made) in enumerate(zip(line, nodes, moves, strict=True)):
        known = after_moves(known, node.given, node.given_place)
        handed = after_moves(known, node.handed, node.given_place)
        if node.given or node.handed:
            last = number
        orders = of.get(place.op, ()) if place.act is Act.CALL else ()
        unknown = []
        for each in orders:
            if handed.covers(need_of_places(nodes, node, (calls[each.before],))):
                yield _known_already(group, each, line, last)
            else:
                unknown.append(each)
        known = after_moves(after_moves(known, made, number), node.handed, node.given_place)
        if made:
            last = number
            yield _needed(group, place, made, unknown)


def _needed(group: FusionGroup, place: Place, moves: tuple[Move, ...], orders: list[Order]) -> Decision:
    name = group.operators[place.op].name
    what = ", ".join(move.value for move in moves)
    if place.act is Act.CALL:
        because = "; ".join(_text(group, each) for each in orders) or "the wait before it is done by one core"
        before = name
    else:
        before = f"the {place.act.value} of {name}"
        because = "one core tells for all" if place.act is Act.NOTIFY else "one core waits for all"
    concerned = tuple(dict.fromkeys((*(each.before for each in orders), place.op)))
    return Decision("barrier", concerned, f"before {before}: {what}; needed by {because}")


def _known_already(group: FusionGroup, each: Order, line: Sequence[Place], last: int) -> Decision:
    since = f"before {group.operators[line[last].op].name}" if last >= 0 else "at the start"
    text = f"{_text(group, each)} needs no synchronisation of its own: it is known since the hand-over {since}"
    return Decision("no-barrier", (each.before, each.after), text)


def _text(group: FusionGroup, each: Order) -> str:
    names = f"{group.operators[each.before].name} before {group.operators[each.after].name}"
    return f"{names} ({each.cause.value} {each.what})"
