# Licensed under the Apache License, Version 2.0.
"""What every core knows of the others at each point, in every interleaving (design §7).

Programs are straight lines and the k-th wait on a flag takes the k-th token, so what a core may rely on does not depend
on luck: it follows from its own past and from the pasts of those that made the tokens it took. One pass over the
operations computes it. Knowledge is how many steps of a kind's program are complete: on all cores of the kind, or on
those of the own group.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from skcore.check.protocol import CorePlace, Flag, Operation, Protocol, Verb
from skcore.graph.kernel import CoreKind

_KINDS = tuple(CoreKind)


@dataclass(slots=True)
class Knowledge:
    """Completed steps of each kind: on all cores, and on the cores of the own group."""

    everywhere: dict[CoreKind, int] = field(default_factory=lambda: dict.fromkeys(_KINDS, 0))
    in_group: dict[CoreKind, int] = field(default_factory=lambda: dict.fromkeys(_KINDS, 0))

    def copy(self) -> Knowledge:
        return Knowledge(dict(self.everywhere), dict(self.in_group))

    def learn(self, other: Knowledge, *, same_group: bool) -> None:
        """Take over what another core knew; what it knew of its own group helps only inside that group."""
        for kind in _KINDS:
            self.everywhere[kind] = max(self.everywhere[kind], other.everywhere[kind])
            if same_group:
                self.in_group[kind] = max(self.in_group[kind], other.in_group[kind])


@dataclass(frozen=True, slots=True)
class Token:
    """One arrival or signal of a core: how many steps it had done, and what it knew."""

    done: int
    knowledge: Knowledge


@dataclass(slots=True)
class CoreState:
    """A core during the pass; ``take_steps`` are the steps of its waits by flag."""

    place: CorePlace
    group: int
    operations: list[Operation]
    take_steps: dict[Flag, list[int]]
    next: int = 0
    knowledge: Knowledge = field(default_factory=Knowledge)
    made: dict[Flag, list[Token]] = field(default_factory=lambda: defaultdict(list))
    taken: dict[Flag, int] = field(default_factory=lambda: defaultdict(int))

    @property
    def waiting(self) -> Operation | None:
        """The operation that the core is at, or None at its end."""
        return self.operations[self.next] if self.next < len(self.operations) else None


@dataclass(frozen=True, slots=True)
class Start:
    """An operator starts on a core: the step of the call, and what the core knows then."""

    place: CorePlace
    op: int
    step: int
    knowledge: Knowledge


@dataclass(frozen=True, slots=True)
class Overflow:
    """A flag whose count may pass the limit before its taker has caught up."""

    place: CorePlace
    flag: Flag
    step: int
    count: int


class Execution:
    """One pass over the cores of representative groups: starts, overflows, and where it ends."""

    def __init__(self, groups: list[tuple[CorePlace, ...]], protocol: Protocol, limit: int) -> None:
        self.cores = [
            _core_state(place, number, list(protocol.operations(place)))
            for number, group in enumerate(groups)
            for place in group
        ]
        self.starts: list[Start] = []
        self.overflows: list[Overflow] = []
        self._limit = limit
        self._of_kind = {kind: [core for core in self.cores if core.place.kind is kind] for kind in _KINDS}
        self._of_group = {
            (number, kind): [core for core in self._of_kind[kind] if core.group == number]
            for number in range(len(groups))
            for kind in _KINDS
        }
        moved = True
        while moved:
            moved = False
            for core in self.cores:
                while self._advance(core):
                    moved = True

    @property
    def stuck(self) -> list[CoreState]:
        """Cores that wait for what never comes."""
        return [core for core in self.cores if core.waiting is not None]

    def left_over(self) -> Iterator[tuple[CorePlace, Flag, int]]:
        """Tokens that nobody takes, and barriers at which some cores arrive oftener than others."""
        for core in self.cores:
            for flag, tokens in core.made.items():
                for taker in self._of_group[core.group, flag.taker]:
                    if len(tokens) > taker.taken[flag]:
                        yield taker.place, flag, len(tokens) - taker.taken[flag]

    def _advance(self, core: CoreState) -> bool:
        operation = core.waiting
        if operation is None:
            return False
        if operation.verb is None:
            self.starts.append(Start(core.place, operation.op, operation.step, core.knowledge.copy()))
        elif operation.verb in (Verb.ARRIVE, Verb.SEND):
            self._make(core, operation)
        elif not self._take(core, operation.flag):
            return False
        core.next += 1
        return True

    def _make(self, core: CoreState, operation: Operation) -> None:
        flag = operation.flag
        core.made[flag].append(Token(operation.done, core.knowledge.copy()))
        known = core.knowledge.everywhere[flag.taker]
        if flag.barrier is None:
            known = max(known, core.knowledge.in_group[flag.taker])
        takers = self._of_group[core.group, flag.taker]
        caught_up = min((bisect_left(taker.take_steps[flag], known) for taker in takers), default=0)
        count = len(core.made[flag]) - caught_up
        if count > self._limit:
            self.overflows.append(Overflow(core.place, flag, operation.step, count))

    def _take(self, core: CoreState, flag: Flag) -> bool:
        number = core.taken[flag]
        makers = self._of_kind[flag.maker] if flag.barrier is not None else self._of_group[core.group, flag.maker]
        if not makers or any(len(maker.made[flag]) <= number for maker in makers):
            return False
        tokens = [(maker, maker.made[flag][number]) for maker in makers]
        knowledge = core.knowledge
        for maker, token in tokens:
            knowledge.learn(token.knowledge, same_group=maker.group == core.group)
        done = min(token.done for _, token in tokens)
        if flag.barrier is None:
            knowledge.in_group[flag.maker] = max(knowledge.in_group[flag.maker], done)
        else:
            self._learn_everywhere(knowledge, flag.barrier, done, [token for _, token in tokens])
        core.taken[flag] += 1
        return True

    @staticmethod
    def _learn_everywhere(knowledge: Knowledge, kind: CoreKind, done: int, tokens: list[Token]) -> None:
        """A barrier: what all its cores had done, and what each of them knew of the other kind in its group."""
        other = CoreKind.AIV if kind is CoreKind.AIC else CoreKind.AIC
        heard = min(token.knowledge.in_group[other] for token in tokens)
        knowledge.everywhere[kind] = max(knowledge.everywhere[kind], done)
        knowledge.everywhere[other] = max(knowledge.everywhere[other], heard)


def _core_state(place: CorePlace, group: int, operations: list[Operation]) -> CoreState:
    take_steps: dict[Flag, list[int]] = defaultdict(list)
    for operation in operations:
        if operation.verb in (Verb.COLLECT, Verb.TAKE):
            take_steps[operation.flag].append(operation.step)
    return CoreState(place, group, operations, take_steps)
