# Licensed under the Apache License, Version 2.0.
"""What has to happen before what in a fusion group, and one order of its operators that respects it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from skcore.errors import PlanError, ProblemList
from skcore.graph.sorting import find_circles, sort_after
from skcore.plan.accesses import accesses_of
from skcore.plan.group import FusionGroup


class Cause(Enum):
    """Why one operator waits for another."""

    STREAM = "stream"
    EVENT = "event"
    DATA = "data"
    RELAY = "by way of the outside,"


@dataclass(frozen=True, slots=True)
class Order:
    """Operator ``before`` ends on all of its cores before operator ``after`` starts on any of its own."""

    before: int
    after: int
    cause: Cause
    what: int | str
    """The stream, the event, the buffer, or the two events of a relay."""


@dataclass(frozen=True, slots=True)
class GroupOrder:
    """All orders of a group, the events with both ends inside, and a sequence of the operators that respects them.

    An event whose sender stands behind its receiver in the list keeps its lock words besides: whoever lists operators
    in that way expects them to be written (spec jit §5.1).
    """

    orders: tuple[Order, ...]
    inner_events: frozenset[int]
    sequence: tuple[int, ...]

    def predecessors(self) -> dict[int, list[int]]:
        """The operators that each operator waits for."""
        found: dict[int, list[int]] = defaultdict(list)
        for order in self.orders:
            found[order.after].append(order.before)
        return found


def order_group(group: FusionGroup) -> GroupOrder:
    """Find the orders of a group.

    Raises:
        PlanError: events that contradict themselves or each other, or streams that may not share a SuperKernel.
    """
    problems = ProblemList(PlanError)
    senders = _owners(group, problems)
    data = _data_orders(group) if group.options.auto_op_parallel else None
    orders = [
        *(_stream_orders(group) if data is None else data),
        *_event_orders(group, senders, problems),
        *_relay_orders(group, senders),
    ]
    if not group.options.stream_fusion:
        _check_streams(group, orders, problems)
    problems.raise_if_any()
    inner = frozenset(
        order.what
        for order in orders
        if isinstance(order.what, int) and order.cause is Cause.EVENT and order.before < order.after
    )
    return GroupOrder(tuple(orders), inner, _sequence(group, orders))


def _owners(group: FusionGroup, problems: ProblemList) -> dict[int, int]:
    """The operator that sends each event."""
    senders: dict[int, int] = {}
    for op, operator in enumerate(group.operators):
        for event in operator.sends:
            first = senders.setdefault(event, op)
            if first != op:
                name = group.operators[first].name
                problems.add(
                    operator.task.where, f"{operator.name} sends event {event}, and so does {name}", "use two events"
                )
    return senders


def _stream_orders(group: FusionGroup) -> Iterator[Order]:
    last: dict[int, int] = {}
    for op, operator in enumerate(group.operators):
        stream = operator.task.stream
        if stream in last:
            yield Order(last[stream], op, Cause.STREAM, stream)
        last[stream] = op


def _data_orders(group: FusionGroup) -> list[Order] | None:
    """Orders by shared buffers: what is read or written after a write, and what is written after a read.

    None where some operator's buffers are not known: then only its stream tells what it must not overtake.
    """
    orders: list[Order] = []
    writer: dict[str, int] = {}
    readers: dict[str, list[int]] = defaultdict(list)
    for op, operator in enumerate(group.operators):
        accesses = accesses_of(operator)
        if accesses is None:
            return None
        written = sorted(buffer for buffer in accesses.reads if buffer in writer)
        orders += [Order(writer[buffer], op, Cause.DATA, buffer) for buffer in written]
        for buffer in sorted(accesses.writes):
            orders += [Order(reader, op, Cause.DATA, buffer) for reader in readers[buffer]]
            writer[buffer] = op
            readers[buffer] = []
        for buffer in accesses.reads - accesses.writes:
            readers[buffer].append(op)
    return orders


def _event_orders(group: FusionGroup, senders: dict[int, int], problems: ProblemList) -> Iterator[Order]:
    for op, operator in enumerate(group.operators):
        for event in operator.receives:
            sender = senders.get(event)
            if sender == op:
                problems.add(operator.task.where, f"{operator.name} waits for event {event}, which it sends itself")
            elif sender is not None:
                yield Order(sender, op, Cause.EVENT, event)


def _relay_orders(group: FusionGroup, senders: dict[int, int]) -> Iterator[Order]:
    """Who waits for an event that the outside records only after another one has come to it."""
    for sent, received in group.relays:
        for op, operator in enumerate(group.operators):
            if received in operator.receives:
                yield Order(senders[sent], op, Cause.RELAY, f"{sent} to {received}")


def _check_streams(group: FusionGroup, orders: list[Order], problems: ProblemList) -> None:
    """Without stream fusion each change of stream is covered by an event between the neighbours (spec jit §5.1)."""
    covered = {(order.before, order.after) for order in orders if order.cause is Cause.EVENT}
    for op in range(1, len(group.operators)):
        previous, current = group.operators[op - 1], group.operators[op]
        if previous.task.stream != current.task.stream and (op - 1, op) not in covered:
            problems.add(
                current.task.where,
                f"{previous.name} is on stream {previous.task.stream} and {current.name} on stream "
                f"{current.task.stream}, with no event from the one to the other",
                "set stream-fusion=1, or put them on one stream",
            )


def _sequence(group: FusionGroup, orders: list[Order]) -> tuple[int, ...]:
    """The operators in issue order as far as the orders allow it."""
    operators = range(len(group.operators))
    before: dict[int, set[int]] = defaultdict(set)
    for order in orders:
        before[order.after].add(order.before)
    sequence = sort_after(operators, before)
    problems = ProblemList(PlanError)
    for circle in map(sorted, find_circles(set(operators) - set(sequence), before)):
        names = ", ".join(group.operators[op].name for op in circle)
        what = f"{names} wait for each other in a circle"
        problems.add(group.operators[circle[0]].task.where, what, "remove one of the events")
    problems.raise_if_any()
    return tuple(sequence)
