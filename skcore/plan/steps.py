# Licensed under the Apache License, Version 2.0.
"""The steps of a program (design §6). A step means the same on every target; a target's templates lower it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from skcore.graph.kernel import CoreKind, OperatorClass


class Index(Enum):
    """Which index a gate compares: the core's index over all cores of its kind, or the raw index of its block."""

    CORE = "core"
    BLOCK = "block"


@dataclass(frozen=True, slots=True)
class Gate:
    """The cores whose ``index`` is below ``blocks``."""

    index: Index
    blocks: int


class Channel(Enum):
    """A signal inside each group of one AIC and its AIVs, by direction."""

    AIC_TO_AIV = ("aic_to_aiv", CoreKind.AIC, CoreKind.AIV)
    AIV_TO_AIC = ("aiv_to_aic", CoreKind.AIV, CoreKind.AIC)

    def __init__(self, text: str, sender: CoreKind, receiver: CoreKind) -> None:
        self.text = text
        self.sender = sender
        self.receiver = receiver


@dataclass(frozen=True, slots=True)
class Call:
    """Runs operator ``op`` on the cores inside ``gate``; ``symbols`` are the copies of its code, chosen by core id.

    ``argument`` is the index of its first argument word. When ``fed``, the cores outside the gate join its full
    synchronisations until it ends (feed-sync-all).
    """

    op: int
    symbols: tuple[str, ...]
    argument: int
    gate: Gate
    fed: bool = False


@dataclass(frozen=True, slots=True)
class AwaitTiling:
    """The first core waits until the tiling of operator ``op`` is written, and takes the lock word ``slot`` back."""

    op: int
    slot: int


@dataclass(frozen=True, slots=True)
class Select:
    """Chooses the code of the tiling-sink operator ``op`` by its tiling key, the argument word ``key``; the word
    ``blocks`` says on how many blocks it runs. An unknown key stops the core.
    """

    op: int
    key: int
    blocks: int
    copies: int


@dataclass(frozen=True, slots=True)
class CallSelected:
    """Runs the code that the :class:`Select` of operator ``op`` chose; ``fed`` as in :class:`Call`."""

    op: int
    argument: int
    fed: bool = False


AnyCall = Call | CallSelected
"""Runs an operator."""


@dataclass(frozen=True, slots=True)
class GroupSync:
    """All cores of one kind wait for each other."""

    kind: CoreKind


@dataclass(frozen=True, slots=True)
class FullSync:
    """All cores of both kinds wait for each other."""


@dataclass(frozen=True, slots=True)
class Signal:
    """Tells the other kind's cores of the group, once all earlier work of this core is done."""

    channel: Channel


@dataclass(frozen=True, slots=True)
class Await:
    """Waits for the :class:`Signal` of the other kind's cores of the group."""

    channel: Channel


@dataclass(frozen=True, slots=True)
class EarlySet:
    """Signals for operator ``op`` that its successor may start, on the cores outside ``outside`` (None: on all)."""

    op: int
    outside: Gate | None


@dataclass(frozen=True, slots=True)
class EarlyConfigure:
    """Tells the sub-kernels which pair of operator classes their own wait is for."""

    previous: OperatorClass
    current: OperatorClass


@dataclass(frozen=True, slots=True)
class EarlyWait:
    """Waits until the predecessor of operator ``op`` has signalled, on the cores outside ``outside`` (None: on all)."""

    op: int
    previous: OperatorClass
    current: OperatorClass
    outside: Gate | None


@dataclass(frozen=True, slots=True)
class PipeBarrier:
    """Drains all pipes of the core."""


@dataclass(frozen=True, slots=True)
class Notify:
    """Sets the lock word of argument ``slot`` for something outside the SuperKernel."""

    op: int
    slot: int


@dataclass(frozen=True, slots=True)
class WaitEvent:
    """Waits until something outside the SuperKernel has set the lock word of argument ``slot``."""

    op: int
    slot: int


@dataclass(frozen=True, slots=True)
class ClearSlot:
    """Resets the lock word of argument ``slot`` of operator ``op``."""

    op: int
    slot: int


@dataclass(frozen=True, slots=True)
class Preload:
    """Starts to load ``units`` units of the code of operator ``op`` into the instruction cache."""

    op: int
    symbols: tuple[str, ...]
    units: int
    gate: Gate


@dataclass(frozen=True, slots=True)
class PreloadAhead:
    """Starts to load ``units`` units of the code that follows this step."""

    units: int


@dataclass(frozen=True, slots=True)
class CleanCache:
    """Writes back and drops the whole data cache of the core."""


@dataclass(frozen=True, slots=True)
class FeedClear:
    """Zeroes ``lines`` lines of the feed-sync workspace, spread over the cores of this kind."""

    lines: int


@dataclass(frozen=True, slots=True)
class FeedSync:
    """Prepares operator ``op`` for feed-sync-all: when ``enabled`` its full synchronisations are published."""

    op: int
    enabled: bool
    aic_line: int
    aiv_line: int


class Mark(Enum):
    """Kinds of profiling records (spec jit §10.4)."""

    WHOLE = 0
    NOTIFY = 4
    OPERATOR = 8
    WAIT = 12


@dataclass(frozen=True, slots=True)
class Profile:
    """Writes a profiling record: its kind, its index (0 for the whole, else position + 1), begin or end."""

    mark: Mark
    index: int
    end: bool


Step = (
    Call
    | AwaitTiling
    | Select
    | CallSelected
    | GroupSync
    | FullSync
    | Signal
    | Await
    | EarlySet
    | EarlyConfigure
    | EarlyWait
    | PipeBarrier
    | Notify
    | WaitEvent
    | ClearSlot
    | Preload
    | PreloadAhead
    | CleanCache
    | FeedClear
    | FeedSync
    | Profile
)
