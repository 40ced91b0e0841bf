# Licensed under the Apache License, Version 2.0.
"""The rules by which the public JIT peer synchronises two queues (spec jit §5.1, §5.3-§5.5), as a plain oracle.

They are written down as they are, with their defects: what comes out may be wrong, so it is judged like any other
program. Where the description leaves something open, what needs fewer steps is taken, in the peer's favour.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tests.plan.cores import AIC, AIV, Graph, Programs, Word

MIX = 2
LABELS = {
    (AIC, AIC): ("cub:cub",),
    (AIC, AIV): ("cub:vec",),
    (AIC, MIX): ("cub:vec",),
    (AIV, AIC): ("vec:cub",),
    (AIV, AIV): ("vec:vec",),
    (AIV, MIX): ("vec:cub",),
    (MIX, AIC): ("vec:cub",),
    (MIX, AIV): ("cub:vec",),
    (MIX, MIX): ("cub:vec", "vec:cub"),
}
"""The labels of an edge, by the classes of its ends."""
CHANNELS = {"cub:vec": (AIC, AIV), "vec:cub": (AIV, AIC)}
TOLD = {AIC: "cub:vec", AIV: "vec:cub"}
HEARD = {AIC: "vec:cub", AIV: "cub:vec"}
KINDS = {AIC: (AIC,), AIV: (AIV,), MIX: (AIC, AIV)}


@dataclass(frozen=True, slots=True)
class Listed:
    """An operator of a list: its class, its stream, the events that it sends, and those that it receives."""

    type: int
    stream: int
    sends: tuple[int, ...] = ()
    receives: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A list of operators; ``graph`` has a further operator for each wait and notification of an outer event."""

    listed: tuple[Listed, ...]
    graph: Graph
    waits: dict[tuple[int, int], int]
    notifies: dict[tuple[int, int], int]


class RefusedError(Exception):
    """The peer takes no such list, or writes it as one stream."""


def inner_events(listed: Sequence[Listed]) -> frozenset[int]:
    """The events that are sent inside before they are received, in list order (spec jit §5.1)."""
    sent: set[int] = set()
    found: set[int] = set()
    for operator in listed:
        found |= sent.intersection(operator.receives)
        sent.update(operator.sends)
    return frozenset(found)


def case_of(listed: Sequence[Listed]) -> Case:
    """What has to happen before what; an event from inside is an order, and a word only where it runs backward."""
    inner = inner_events(listed)
    kinds = [KINDS[operator.type] for operator in listed]
    orders: list[tuple[int, int]] = []
    last: dict[int, int] = {}
    senders = {event: op for op, operator in enumerate(listed) for event in operator.sends}
    waits: dict[tuple[int, int], int] = {}
    notifies: dict[tuple[int, int], int] = {}
    for op, operator in enumerate(listed):
        if operator.stream in last:
            orders.append((last[operator.stream], op))
        last[operator.stream] = op
        orders += [(senders[event], op) for event in operator.receives if event in senders]
    for op, operator in enumerate(listed):
        speaker = (AIC,) if operator.type == AIC else (AIV,)
        for event in (event for event in operator.receives if event not in inner):
            waits[op, event] = len(kinds)
            if event not in senders:
                orders.append((len(kinds), op))
            kinds.append(speaker)
        for event in (event for event in operator.sends if event not in inner):
            notifies[op, event] = len(kinds)
            orders.append((op, len(kinds)))
            kinds.append(speaker)
    return Case(tuple(listed), Graph(tuple(kinds), tuple(orders)), waits, notifies)


def peer_programs(case: Case) -> tuple[Programs, Graph]:
    """The peer's programs, and what they are judged by: it moves some notifications to the AIC; raises RefusedError."""
    _classify(case.listed)
    peer = _Peer(case)
    kinds = list(case.graph.kinds)
    for (op, _), node in case.notifies.items():
        if op in peer.moved:
            kinds[node] = (AIC,)
    return peer.programs(), Graph(tuple(kinds), case.graph.orders)


def _classify(listed: Sequence[Listed]) -> None:
    """Raises RefusedError unless the list is written as two queues."""
    if any(set(first.sends) & set(first.receives) for first in listed):
        raise RefusedError("an operator sends to itself")
    if listed[0].receives or listed[-1].sends:
        raise RefusedError("the first operator waits or the last one sends")
    for place, first in enumerate(listed):
        for second in listed[place + 1 :]:
            if first.stream == second.stream and set(first.sends) & set(second.receives):
                raise RefusedError("an event inside one stream")
    for first, second in pairwise(listed):
        if first.stream != second.stream and not set(first.sends) & set(second.receives):
            return
    raise RefusedError("one stream in effect")


@dataclass
class _Peer:
    case: Case
    edges: dict[tuple[int, int], set[str]] = field(default_factory=dict)
    moved: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        listed = self.case.listed
        self.queues = [[op for op, each in enumerate(listed) if kind in KINDS[each.type]] for kind in (AIC, AIV)]
        self.place = [{op: place for place, op in enumerate(queue)} for queue in self.queues]
        self.last_of_stream = set({each.stream: op for op, each in enumerate(listed)}.values())
        self._insert_all()
        self._reduce()

    # Edges

    def _insert(self, first: int, second: int) -> None:
        types = self.case.listed[first].type, self.case.listed[second].type
        self.edges[first, second] = set(LABELS[types])

    def _insert_all(self) -> None:
        listed = self.case.listed
        last: dict[int, int] = {}
        for op, operator in enumerate(listed):
            if operator.stream in last:
                self._insert(last[operator.stream], op)
            last[operator.stream] = op
        receivers = {event: op for op, operator in enumerate(listed) for event in operator.receives}
        for op, operator in enumerate(listed):
            for event in operator.sends:
                if event in receivers:
                    self._insert(op, receivers[event])
        for op, operator in enumerate(listed[:-1]):
            if operator.type == MIX and self._notifies(op):
                if listed[op + 1].type == AIC:
                    self.moved.add(op)
                if listed[op + 1].stream != operator.stream and (op, op + 1) not in self.edges:
                    self._insert(op, op + 1)

    def _notifies(self, op: int) -> list[int]:
        events = self.case.listed[op].sends
        return [self.case.notifies[op, event] for event in events if (op, event) in self.case.notifies]

    def _waits(self, op: int) -> list[int]:
        events = self.case.listed[op].receives
        return [self.case.waits[op, event] for event in events if (op, event) in self.case.waits]

    def _reduce(self) -> None:
        crossed = [(edge, label) for label in CHANNELS for edge in self._with(label) if self._is_crossed(edge, label)]
        self._remove(crossed)
        for label in ("vec:cub", "cub:vec"):
            self._keep_one(label, by_sender=True)
        for label in ("cub:vec", "vec:cub"):
            self._keep_one(label, by_sender=False)

    def _with(self, label: str) -> list[tuple[int, int]]:
        return [edge for edge, labels in self.edges.items() if label in labels]

    def _is_crossed(self, edge: tuple[int, int], label: str) -> bool:
        sending, receiving = (self.place[kind] for kind in CHANNELS[label])
        return any(
            receiving[second] < receiving[edge[1]] and sending[first] > sending[edge[0]]
            for first, second in self._with(label)
        )

    def _keep_one(self, label: str, *, by_sender: bool) -> None:
        """Of several receivers of one sender the earliest, of several senders to one receiver the latest."""
        sending, receiving = (self.place[kind] for kind in CHANNELS[label])
        together: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for edge in self._with(label):
            together[edge[0] if by_sender else edge[1]].append(edge)
        for edges in together.values():
            if by_sender:
                kept = min(edges, key=lambda edge: receiving[edge[1]])
            else:
                kept = max(edges, key=lambda edge: sending[edge[0]])
            self._remove([(edge, label) for edge in edges if edge != kept])

    def _remove(self, parts: list[tuple[tuple[int, int], str]]) -> None:
        for edge, label in parts:
            self.edges[edge].discard(label)
            if not self.edges[edge]:
                del self.edges[edge]

    # Programs

    def programs(self) -> Programs:
        return tuple(self._program(AIC)), tuple(self._program(AIV))

    def _program(self, kind: int) -> Iterator[Word]:
        previous: int | None = None
        for op in self.queues[kind]:
            if previous is not None:
                yield from self._send(previous, kind)
            for (_, receiver), labels in self.edges.items():
                if receiver == op and HEARD[kind] in labels:
                    yield Word("hear")
            if previous is not None:
                yield from self._notify(previous, kind)
                yield from self._wait(op, kind)
            yield Word("call", op)
            previous = op
        if previous is not None:
            yield from self._send(previous, kind)
            yield from self._notify(previous, kind)

    def _send(self, op: int, kind: int) -> Iterator[Word]:
        if op == len(self.case.listed) - 1:
            return
        same = "cub:cub" if kind == AIC else "vec:vec"
        sent = [labels for (sender, _), labels in self.edges.items() if sender == op]
        meets = any(labels & {same, *CHANNELS} for labels in sent)
        if meets or (op in self.last_of_stream and self._notifies(op) and self._speaks(op, kind)):
            yield Word("meet")
            yield from (Word("tell") for labels in sent if TOLD[kind] in labels)

    def _speaks(self, op: int, kind: int) -> bool:
        """Whether the queue of this kind writes the notifications of an operator."""
        speaker = AIC if self.case.listed[op].type == AIC or op in self.moved else AIV
        return kind == speaker

    def _notify(self, op: int, kind: int) -> Iterator[Word]:
        if self._speaks(op, kind):
            yield from (Word("call", node) for node in self._notifies(op))

    def _wait(self, op: int, kind: int) -> Iterator[Word]:
        nodes = self._waits(op)
        if not nodes:
            return
        operator_type = self.case.listed[op].type
        if kind == (AIC if operator_type == AIC else AIV):
            yield from (Word("call", node) for node in nodes)
        yield Word("full" if operator_type == MIX else "meet")
