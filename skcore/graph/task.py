# Licensed under the Apache License, Version 2.0.
"""Tasks: what a stream holds, in issue order (design §6)."""

from __future__ import annotations

from dataclasses import dataclass

from skcore.graph.kernel import SubKernel


@dataclass(frozen=True, slots=True)
class BufferArgument:
    """An argument word that is the address of a buffer plus a byte offset."""

    buffer: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class WordArgument:
    """An argument word with a fixed value."""

    value: int


Argument = BufferArgument | WordArgument


@dataclass(frozen=True, slots=True)
class Scope:
    """A scope tag: a named region that shall be fused; the name None means "never fuse"."""

    name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskBase:
    """What all tasks have: identity, stream, scope tags from outermost to innermost, and the place in the source."""

    id: int
    stream: int = 0
    scopes: tuple[Scope, ...] = ()
    where: str = ""


@dataclass(frozen=True, slots=True)
class Operand:
    """What an operator is called with: parameter name, shape in elements, dtype."""

    name: str
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelTask(TaskBase):
    """One run of a kernel.

    ``kernel`` is None until one is found; ``missing`` says why there is none. ``arguments`` gives the parameters by
    name, and is empty where a front end knows no buffers; ``operands`` and ``attributes`` are what a kernel provider
    needs to choose a kernel. ``fusible`` is False where the user keeps it out of SuperKernels.
    """

    name: str
    kernel: SubKernel | None
    op_type: str = ""
    arguments: tuple[tuple[str, Argument], ...] = ()
    operands: tuple[Operand, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    fusible: bool = True
    missing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRecord(TaskBase):
    """Signals an event when everything before it on its stream has ended."""

    event: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EventWait(TaskBase):
    """Holds its stream until the event was recorded."""

    event: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EventReset(TaskBase):
    """Takes an event back to its unrecorded state."""

    event: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueWrite(TaskBase):
    """Writes a word of global memory when everything before it on its stream has ended."""

    address: str
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueWait(TaskBase):
    """Holds its stream until a word of global memory compares true."""

    address: str
    value: int
    comparison: str = "eq"


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherTask(TaskBase):
    """A task that is no AI-core kernel: a copy, a host callback, an AI-CPU operator."""

    name: str


Task = KernelTask | EventRecord | EventWait | EventReset | ValueWrite | ValueWait | OtherTask


def describe(task: Task) -> str:
    """A short name of a task for messages."""
    if isinstance(task, KernelTask | OtherTask):
        return task.name
    label = type(task).__name__
    return f"{label}({task.event})" if isinstance(task, EventRecord | EventWait | EventReset) else label
