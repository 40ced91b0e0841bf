# Licensed under the Apache License, Version 2.0.
"""The task graph: the one input form, from every front end (design §3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from skcore.graph.task import KernelTask, Task


@dataclass(frozen=True, slots=True)
class Buffer:
    """A region of global memory: ``shape`` in elements of ``dtype`` (a NumPy name, or bfloat16).

    ``initial`` says how its first contents are made, in the words of the front end that knows it.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    initial: Mapping[str, Any] = field(default_factory=dict)
    where: str = ""


@dataclass(frozen=True, slots=True)
class ScopeSettings:
    """The options of one scope: an option string or a mapping, not parsed yet."""

    name: str
    options: str | Mapping[str, Any] | None = None
    where: str = ""


@dataclass(frozen=True, slots=True)
class TaskGraph:
    """Tasks in issue order, the buffers they use, their scopes, and the buffers that count as results."""

    name: str
    tasks: tuple[Task, ...]
    buffers: tuple[Buffer, ...] = ()
    scopes: tuple[ScopeSettings, ...] = ()
    outputs: tuple[str, ...] = ()
    whole: bool = False
    """The whole graph is one fusion group by order of its caller (the JIT entry): it is refused, never cut."""

    @property
    def kernels(self) -> tuple[KernelTask, ...]:
        return tuple(task for task in self.tasks if isinstance(task, KernelTask))
