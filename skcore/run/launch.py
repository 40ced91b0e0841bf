# Licensed under the Apache License, Version 2.0.
"""What a runner is asked to do, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from skcore.build.unit import Artifact
from skcore.graph.kernel import KernelType, PerKind
from skcore.graph.task import Argument, BufferArgument


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch: the entry symbols of an artifact on ``blocks`` blocks, with the argument words."""

    label: str
    artifact: Artifact
    symbols: PerKind[str | None]
    kernel_type: KernelType
    blocks: int
    words: tuple[Argument, ...]
    super_kernel: bool


@dataclass(frozen=True, slots=True)
class Pointer:
    """A word inside a buffer, at a byte offset, that is the address of a place inside another buffer."""

    buffer: str
    offset: int
    target: BufferArgument


@dataclass(frozen=True, slots=True)
class RunInputs:
    """First contents of every buffer by name, addresses to store in them, and the seed of the scheduler."""

    buffers: Mapping[str, bytes]
    pointers: tuple[Pointer, ...] = ()
    seed: int = 0


@dataclass(frozen=True, slots=True)
class RunResult:
    """Last contents of every buffer by name, what kernels printed, and figures of the run by name."""

    buffers: Mapping[str, bytes]
    printed: str = ""
    figures: Mapping[str, float] | None = None
