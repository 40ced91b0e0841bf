# Licensed under the Apache License, Version 2.0.
"""What steps do with cross-core flags (spec device §3, §5.1), for the proofs: nothing here is shared with planning.

A flag operation is an arrival at a barrier of one kind, the wait for that barrier, a signal to the other kind of the
group, or the wait for it. Early-start waits and full synchronisations are sequences of these. Cores also tell each
other something by words of memory: of events, and of operators that idle cores join.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from skcore.graph.kernel import CoreKind, OperatorClass
from skcore.plan.layout import Role
from skcore.plan.plan import Plan
from skcore.plan.steps import (
    AnyCall,
    Await,
    Call,
    CallSelected,
    Channel,
    ClearSlot,
    EarlyConfigure,
    EarlySet,
    EarlyWait,
    FullSync,
    Gate,
    GroupSync,
    Index,
    Notify,
    Select,
    Signal,
    Step,
    WaitEvent,
)
from skcore.target import Target


class Verb(Enum):
    """What a flag operation does."""

    ARRIVE = "arrives at"
    COLLECT = "passes"
    SEND = "sends"
    TAKE = "takes"


class Flag(Enum):
    """A counter: who makes its tokens and who takes them; one kind alone is a barrier of that kind.

    Tightly coupled groups have channels of their own (spec device §11). ``number`` counts the members from 0.
    """

    AIC_BARRIER = (0, CoreKind.AIC, CoreKind.AIC)
    AIV_BARRIER = (1, CoreKind.AIV, CoreKind.AIV)
    AIC_TO_AIV = (2, CoreKind.AIC, CoreKind.AIV)
    AIV_TO_AIC = (3, CoreKind.AIV, CoreKind.AIC)
    TIGHT_AIC_TO_AIV = (4, CoreKind.AIC, CoreKind.AIV)
    TIGHT_AIV_TO_AIC = (5, CoreKind.AIV, CoreKind.AIC)

    def __init__(self, number: int, maker: CoreKind, taker: CoreKind) -> None:
        self.number = number
        self.maker = maker
        self.taker = taker
        self.is_barrier = maker is taker

    def __str__(self) -> str:
        return (
            f"barrier of {self.maker.name}" if self.is_barrier else f"signal of {self.maker.name} to {self.taker.name}"
        )


def barrier_of(kind: CoreKind) -> Flag:
    """The barrier of all cores of a kind."""
    return Flag.AIC_BARRIER if kind is CoreKind.AIC else Flag.AIV_BARRIER


def channel_flag(channel: Channel, *, tight: bool = False) -> Flag:
    """The flag of a channel inside each group."""
    if channel is Channel.AIC_TO_AIV:
        return Flag.TIGHT_AIC_TO_AIV if tight else Flag.AIC_TO_AIV
    return Flag.TIGHT_AIV_TO_AIC if tight else Flag.AIV_TO_AIC


class FlagUse(NamedTuple):
    """A flag operation at a step; ``done`` is how many steps of the program are complete then: what it tells others."""

    step: int
    verb: Verb
    flag: Flag
    done: int


class Begin(NamedTuple):
    """An operator starts on a core, or something of it that has to wait as the operator itself does."""

    step: int
    op: int


class Word(NamedTuple):
    """A word of memory that cores set for each other: its number among those of what it tells of."""

    what: str
    number: int

    def __str__(self) -> str:
        return f"{self.what} {self.number}"


class WordUse(NamedTuple):
    """A core sets a word (``tells``) or waits until it is set; a word tells nothing of what others have done."""

    step: int
    tells: bool
    word: Word

    def __str__(self) -> str:
        return f"word of {self.word}"


Operation = FlagUse | Begin | WordUse


@dataclass(frozen=True, slots=True)
class CorePlace:
    """A core by its place: raw block index, sub-block index, AIVs a group."""

    kind: CoreKind
    block: int
    sub_block: int
    ratio: int

    @property
    def is_first(self) -> bool:
        """Whether it is the core of its kind that acts for all of them."""
        return not (self.block or self.sub_block)

    def inside(self, gate: Gate) -> bool:
        """Whether the core is one of those that the gate lets through."""
        alone = self.kind is CoreKind.AIC or gate.index is Index.BLOCK
        index = self.block if alone else self.block * self.ratio + self.sub_block
        return index < gate.blocks


_FLAGGED = GroupSync | FullSync | Signal | Await | EarlySet | EarlyWait


class Protocol:
    """Turns the program of one core into its flag operations."""

    def __init__(self, plan: Plan, target: Target) -> None:
        self._plan = plan
        self._are_tight = target.flags.are_tight
        self._tight = self._are_tight(plan.shape.kernel_type)
        self._sent = {event for operator in plan.group.operators for event in operator.sends}

    def operations(self, core: CorePlace) -> Iterator[Operation]:
        """The operations of a core in program order."""
        pair: tuple[OperatorClass, OperatorClass] | None = None
        for number, step in enumerate(self._plan.programs[core.kind]):
            if isinstance(step, AnyCall):
                yield from self._call(step, number, core, pair)
            elif isinstance(step, EarlyConfigure):
                pair = (step.previous, step.current)
            elif isinstance(step, Notify | ClearSlot):
                if core.is_first:
                    yield Begin(number, step.op)
                yield from (WordUse(number, True, word) for word in self._words(step, Role.NOTIFY, core))
            elif isinstance(step, WaitEvent):
                yield from (WordUse(number, False, word) for word in self._words(step, Role.WAIT, core))
            elif isinstance(step, Select):
                yield Begin(number, step.op)
            elif isinstance(step, _FLAGGED):
                for verb, flag in self._flags(step, core):
                    yield FlagUse(number, verb, flag, number)

    def _words(self, step: Notify | WaitEvent | ClearSlot, role: Role, core: CorePlace) -> Iterator[Word]:
        """What the first core sets, or has to wait for: the event, or where it comes from outside those before it."""
        if step.slot >= len(self._plan.layout.slots) or not core.is_first:
            return
        slot = self._plan.layout.slots[step.slot]
        if slot.role is not role:
            return
        operator = self._plan.group.operators[slot.op]
        event = (operator.sends if role is Role.NOTIFY else operator.receives)[slot.position]
        if role is Role.NOTIFY or event in self._sent:
            yield Word("event", event)
        for sent, received in self._plan.group.relays if role is Role.WAIT else ():
            if received == event:
                yield Word("event", sent)

    def _call(
        self, step: Call | CallSelected, number: int, core: CorePlace, pair: tuple[OperatorClass, OperatorClass] | None
    ) -> Iterator[Operation]:
        kernel = self._plan.group.operators[step.op].kernel
        inside = isinstance(step, CallSelected) or core.inside(step.gate)
        tight = self._are_tight(kernel.kernel_type) if inside else self._tight
        if inside and kernel.early_start.waits and pair is not None:
            for verb, flag in self._early_wait(core.kind, *pair, tight):
                yield FlagUse(number, verb, flag, number)
        # A core that feeds an operator takes part in it.
        if inside or step.fed:
            yield Begin(number, step.op)
        if kernel.full_sync and (inside or step.fed):
            if step.fed and (core.is_first or not inside):
                yield WordUse(number, inside, Word(f"line of the {core.kind.name} cores for operator", step.op))
            for verb, flag in self._full(core.kind, kernel.operator_class, tight):
                yield FlagUse(number, verb, flag, number)
        if inside and kernel.early_start.sets:
            yield FlagUse(number, Verb.ARRIVE, barrier_of(core.kind), number + 1)

    def _flags(self, step: Step, core: CorePlace) -> Iterator[tuple[Verb, Flag]]:
        match step:
            case GroupSync(kind=kind):
                yield Verb.ARRIVE, barrier_of(kind)
                yield Verb.COLLECT, barrier_of(kind)
            case FullSync():
                yield from self._full(core.kind, OperatorClass.MIX, self._tight)
            case Signal(channel=channel):
                yield Verb.SEND, channel_flag(channel)
            case Await(channel=channel):
                yield Verb.TAKE, channel_flag(channel)
            case EarlySet(outside=outside):
                if outside is None or not core.inside(outside):
                    yield Verb.ARRIVE, barrier_of(core.kind)
            case EarlyWait(previous=previous, current=current, outside=outside):
                if outside is None or not core.inside(outside):
                    yield from self._early_wait(core.kind, previous, current, self._tight)

    @staticmethod
    def _full(kind: CoreKind, operator_class: OperatorClass, tight: bool) -> Iterator[tuple[Verb, Flag]]:
        """A full synchronisation: of one kind, or of both through the AICs."""
        up = channel_flag(Channel.AIV_TO_AIC, tight=tight)
        down = channel_flag(Channel.AIC_TO_AIV, tight=tight)
        if operator_class is not OperatorClass.MIX:
            yield Verb.ARRIVE, barrier_of(kind)
            yield Verb.COLLECT, barrier_of(kind)
        elif kind is CoreKind.AIV:
            yield Verb.SEND, up
            yield Verb.TAKE, down
        else:
            yield Verb.TAKE, up
            yield Verb.ARRIVE, barrier_of(kind)
            yield Verb.COLLECT, barrier_of(kind)
            yield Verb.SEND, down

    @staticmethod
    def _early_wait(
        kind: CoreKind, previous: OperatorClass, current: OperatorClass, tight: bool
    ) -> Iterator[tuple[Verb, Flag]]:
        """The wait table: own barrier first, then tell the other kind, then hear it."""
        other = CoreKind.AIV if kind is CoreKind.AIC else CoreKind.AIC
        tells = kind in previous.kinds and other in current.kinds
        hears = other in previous.kinds and kind in current.kinds
        if kind in previous.kinds:
            yield Verb.COLLECT, barrier_of(kind)
        for channel in Channel:
            if tells and channel.sender is kind:
                yield Verb.SEND, channel_flag(channel, tight=tight)
        for channel in Channel:
            if hears and channel.receiver is kind:
                yield Verb.TAKE, channel_flag(channel, tight=tight)
