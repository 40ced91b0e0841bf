# Licensed under the Apache License, Version 2.0.
"""What every core knows of the others at each point, in every interleaving (design §7).

Programs are straight lines and the k-th wait on a flag takes the k-th token, so what a core may rely on does not depend
on luck: it follows from its own past and from the pasts of those that made the tokens it took. One pass over the
operations computes it. Knowledge is how many steps of a kind's program are complete: on all cores of the kind, or on
those of the own group.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from skcore.check.protocol import Begin, CorePlace, Flag, FlagUse, Operation, Protocol, Verb, Word
from skcore.graph.kernel import CoreKind

_FLAGS = len(Flag)
TAKING = (Verb.COLLECT, Verb.TAKE)


class Knowledge(NamedTuple):
    """Completed steps of each kind: on all cores, and on the cores of the own group."""

    aic: int = 0
    aiv: int = 0
    group_aic: int = 0
    group_aiv: int = 0

    def everywhere(self, kind: CoreKind) -> int:
        return self.aic if kind is CoreKind.AIC else self.aiv

    def in_group(self, kind: CoreKind) -> int:
        return self.group_aic if kind is CoreKind.AIC else self.group_aiv

    def with_learned(self, other: Knowledge, *, same_group: bool) -> Knowledge:
        """With what another core knew; what it knew of its own group helps only inside that group."""
        return Knowledge(
            max(self.aic, other.aic),
            max(self.aiv, other.aiv),
            max(self.group_aic, other.group_aic) if same_group else self.group_aic,
            max(self.group_aiv, other.group_aiv) if same_group else self.group_aiv,
        )

    def with_everywhere(self, aic: int, aiv: int) -> Knowledge:
        return Knowledge(max(self.aic, aic), max(self.aiv, aiv), self.group_aic, self.group_aiv)

    def with_group(self, kind: CoreKind, done: int) -> Knowledge:
        if kind is CoreKind.AIC:
            return self._replace(group_aic=max(self.group_aic, done))
        return self._replace(group_aiv=max(self.group_aiv, done))


class Token(NamedTuple):
    """One arrival or signal of a core: how many steps it had done, and what it knew."""

    done: int
    knowledge: Knowledge


@dataclass(slots=True, eq=False)
class CoreState:
    """A core during the pass; lists are by number of flag, ``take_steps`` are the steps of its waits."""

    place: CorePlace
    group: int
    operations: list[Operation]
    next: int = 0
    knowledge: Knowledge = Knowledge()
    made: list[list[Token]] = field(default_factory=lambda: [[] for _ in range(_FLAGS)])
    taken: list[int] = field(default_factory=lambda: [0] * _FLAGS)
    take_steps: list[list[int]] = field(default_factory=lambda: [[] for _ in range(_FLAGS)])

    def __post_init__(self) -> None:
        for operation in self.operations:
            if isinstance(operation, FlagUse) and operation.verb in TAKING:
                self.take_steps[operation.flag.number].append(operation.step)

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
    """A flag whose count may pass the limit before its taker has caught up, at operation ``number`` of a core.

    ``core`` is the core's position in the execution.
    """

    core: int
    number: int
    place: CorePlace
    flag: Flag
    step: int
    count: int


class Execution:
    """One pass over the cores of representative groups: starts, overflows, and where it ends."""

    def __init__(self, groups: list[tuple[CorePlace, ...]], protocol: Protocol, limit: int) -> None:
        self.cores = [
            CoreState(place, number, list(protocol.operations(place)))
            for number, group in enumerate(groups)
            for place in group
        ]
        self.starts: list[Start] = []
        self.overflows: list[Overflow] = []
        self._told: set[Word] = set()
        self._limit = limit
        self._makers = {id(core): [self._those(core, flag, flag.maker) for flag in Flag] for core in self.cores}
        self._takers = {id(core): [self._those(core, flag, flag.taker) for flag in Flag] for core in self.cores}
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
            for flag in Flag:
                made = len(core.made[flag.number])
                takers = [taker for taker in self._takers[id(core)][flag.number] if taker.group == core.group]
                if made and not takers:
                    yield core.place, flag, made
                for taker in takers:
                    if made > taker.taken[flag.number]:
                        yield taker.place, flag, made - taker.taken[flag.number]

    def _those(self, core: CoreState, flag: Flag, kind: CoreKind) -> list[CoreState]:
        """The cores of a kind on the other end of a flag: all for a barrier, those of the group for a channel."""
        return [
            other for other in self.cores if other.place.kind is kind and (flag.is_barrier or other.group == core.group)
        ]

    def _advance(self, core: CoreState) -> bool:
        operation = core.waiting
        if operation is None:
            return False
        if isinstance(operation, FlagUse):
            if operation.verb not in TAKING:
                self._make(core, operation)
            elif not self._take(core, operation.flag):
                return False
        elif isinstance(operation, Begin):
            self.starts.append(Start(core.place, operation.op, operation.step, core.knowledge))
        elif operation.tells:
            self._told.add(operation.word)
        elif operation.word not in self._told:
            return False
        core.next += 1
        return True

    def _make(self, core: CoreState, operation: FlagUse) -> None:
        flag = operation.flag
        tokens = core.made[flag.number]
        tokens.append(Token(operation.done, core.knowledge))
        if len(tokens) <= self._limit:
            return
        known = core.knowledge.everywhere(flag.taker)
        if not flag.is_barrier:
            known = max(known, core.knowledge.in_group(flag.taker))
        takers = self._takers[id(core)][flag.number]
        caught_up = min((bisect_left(taker.take_steps[flag.number], known) for taker in takers), default=0)
        if len(tokens) - caught_up > self._limit:
            position = self.cores.index(core)
            count = len(tokens) - caught_up
            self.overflows.append(Overflow(position, core.next, core.place, flag, operation.step, count))

    def _take(self, core: CoreState, flag: Flag) -> bool:
        number = core.taken[flag.number]
        makers = self._makers[id(core)][flag.number]
        made = [maker.made[flag.number] for maker in makers]
        if not makers or min(map(len, made)) <= number:
            return False
        tokens = [each[number] for each in made]
        knowledge = core.knowledge
        for maker, token in zip(makers, tokens, strict=True):
            # What a core knew itself teaches it nothing.
            if token.knowledge is not knowledge:
                knowledge = knowledge.with_learned(token.knowledge, same_group=maker.group == core.group)
        done = min([token.done for token in tokens])
        if not flag.is_barrier:
            core.knowledge = knowledge.with_group(flag.maker, done)
        elif flag.maker is CoreKind.AIC:
            core.knowledge = knowledge.with_everywhere(done, min(token.knowledge.group_aiv for token in tokens))
        else:
            core.knowledge = knowledge.with_everywhere(min(token.knowledge.group_aic for token in tokens), done)
        core.taken[flag.number] += 1
        return True
