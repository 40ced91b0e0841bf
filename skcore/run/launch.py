# Licensed under the Apache License, Version 2.0.
"""What a runner is asked to do, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from skcore.build.unit import Artifact
from skcore.graph.kernel import CoreKind, KernelType, PerKind
from skcore.graph.task import Argument, BufferArgument


@dataclass(frozen=True, slots=True)
class WatchedCall:
    """A sub-kernel that a SuperKernel calls, known by the index of its first argument word.

    ``cores`` is on how many cores of each kind it runs, always the first ones; None: that is decided on the device.
    One that ``waits`` begins when its own early-start wait returns.
    """

    argument: int
    name: str
    cores: PerKind[int] | None
    waits: bool = False


@dataclass(frozen=True, slots=True)
class CallOrder:
    """The call with the first argument word ``first`` ends on all of its cores before ``second`` begins on any."""

    first: int
    second: int


@dataclass(frozen=True, slots=True)
class ToldWord:
    """The lock word that argument word ``word`` points to is set by the launch once the call ``call`` has ended."""

    word: int
    call: int


@dataclass(frozen=True, slots=True)
class OutsideWord:
    """A lock word that something outside sets to 1 during the launch, and before which ``call`` may not begin.

    It is set once the lock words of the arguments ``after`` are 1. A word without ``call`` orders nothing.
    """

    word: int
    call: int | None
    after: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Watch:
    """What a launch has to keep and what happens outside of it; the other tuples name calls by their ``argument``."""

    calls: tuple[WatchedCall, ...] = ()
    orders: tuple[CallOrder, ...] = ()
    told: tuple[ToldWord, ...] = ()
    outside: tuple[OutsideWord, ...] = ()


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch: the entry symbols of an artifact on ``blocks`` blocks, with the argument words.

    A runner stops where the ``watch`` is not kept, if it can see that.
    """

    label: str
    artifact: Artifact
    symbols: PerKind[str | None]
    kernel_type: KernelType
    blocks: int
    words: tuple[Argument, ...]
    super_kernel: bool
    watch: Watch = Watch()


@dataclass(frozen=True, slots=True)
class Pointer:
    """A word inside a buffer, at a byte offset, that is the address of a place inside another buffer."""

    buffer: str
    offset: int
    target: BufferArgument


@dataclass(frozen=True, slots=True)
class Hold:
    """A core, by raw block index and index inside its group, that gets on only where no other core can.

    It is held once it has begun the call with the first argument word ``argument``, or from the start (None), in the
    SuperKernel ``launch``; empty: in every SuperKernel that has this core and this call. Lock words that the outside
    sets come as late as they can there.
    """

    kind: CoreKind
    block: int
    sub_block: int = 0
    argument: int | None = None
    launch: str = ""


@dataclass(frozen=True, slots=True)
class RunInputs:
    """First contents of every buffer by name, addresses to store in them, the seed of the scheduler, and held cores."""

    buffers: Mapping[str, bytes]
    pointers: tuple[Pointer, ...] = ()
    seed: int = 0
    holds: tuple[Hold, ...] = ()


@dataclass(frozen=True, slots=True)
class RunResult:
    """Last contents of every buffer by name, what kernels printed, and figures of the run by name."""

    buffers: Mapping[str, bytes]
    printed: str = ""
    figures: Mapping[str, float] | None = None
