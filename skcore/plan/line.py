# Licensed under the Apache License, Version 2.0.
"""The line of things that a group does: its operators in sequence, with the waits and notifications of outer events."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from skcore.graph.kernel import CoreKind, OperatorClass
from skcore.plan.group import FusionGroup
from skcore.plan.layout import ArgumentLayout, Role
from skcore.plan.orders import GroupOrder


class Act(Enum):
    """What stands at a place of the line."""

    WAIT = "wait"
    TILING = "tiling"
    SELECT = "select"
    CALL = "call"
    TAKE = "take"
    NOTIFY = "notify"


@dataclass(frozen=True, slots=True)
class Place:
    """One thing that a group does: for operator ``op``; ``slot`` and ``event`` belong to waits and notifications.

    ``kinds`` execute it. Of a wait or a notification only the first core does, for all the others. A take belongs to
    early start: the SuperKernel takes the signals of the operator before it, so that no successor does.
    """

    act: Act
    op: int
    kinds: tuple[CoreKind, ...]
    slot: int = -1
    event: int = -1


def lay_out_line(group: FusionGroup, order: GroupOrder, layout: ArgumentLayout) -> tuple[Place, ...]:
    """The places in an order that respects all orders of the group."""
    line = tuple(place for op in order.sequence for place in _places(group, op, order, layout))
    return with_takes(group, line, range(len(line)) if group.options.debug_sync_all else ())


def with_takes(group: FusionGroup, line: Sequence[Place], parted: Collection[int]) -> tuple[Place, ...]:
    """The line with a take after each operator with early signals whose successor does not come next to it.

    Signals use the flag of the barrier: one in between would meet too early. ``parted`` are places of the line with
    something in between before them.
    """

    def places() -> Iterator[Place]:
        for number, place in enumerate(line):
            yield place
            if place.act is not Act.CALL or not group.operators[place.op].kernel.early_start.sets:
                continue
            following = line[number + 1].act if number + 1 < len(line) else None
            if following is not Act.TAKE and (following is not Act.CALL or number + 1 in parted):
                yield Place(Act.TAKE, place.op, place.kinds)

    return tuple(places())


def _places(group: FusionGroup, op: int, order: GroupOrder, layout: ArgumentLayout) -> Iterator[Place]:
    operator = group.operators[op]
    operator_class = operator.kernel.operator_class
    speaker = (CoreKind.AIC,) if operator_class is OperatorClass.AIC else (CoreKind.AIV,)
    if operator.kernel.tiling:
        yield Place(Act.TILING, op, speaker, layout.tiling_word(Role.TILING_LOCK, op))
        yield Place(Act.SELECT, op, operator_class.kinds)
    received = [event not in order.inner_events for event in operator.receives]
    yield from _events(Act.WAIT, op, operator.receives, received, speaker, layout)
    yield Place(Act.CALL, op, operator_class.kinds)
    told = [event not in order.inner_events or event in group.outward for event in operator.sends]
    yield from _events(Act.NOTIFY, op, operator.sends, told, speaker, layout)


def _events(
    act: Act,
    op: int,
    events: tuple[int, ...],
    have_words: Sequence[bool],
    kinds: tuple[CoreKind, ...],
    layout: ArgumentLayout,
) -> Iterator[Place]:
    first = layout.first_event_word(Role.WAIT if act is Act.WAIT else Role.NOTIFY, op) if events else None
    for position, (event, has_word) in enumerate(zip(events, have_words, strict=True)):
        if has_word and first is not None:
            yield Place(act, op, kinds, first + position, event)
