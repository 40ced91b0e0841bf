# Licensed under the Apache License, Version 2.0.
"""Plans: what a SuperKernel does on each core kind, and why (design §6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from skcore.graph.kernel import CoreKind, KernelType, OperatorClass, PerKind
from skcore.plan.group import FusionGroup
from skcore.plan.layout import ArgumentLayout
from skcore.plan.steps import Step


@dataclass(frozen=True, slots=True)
class Segment:
    """The steps that belong to operator ``op``: from the synchronisation before it to its end."""

    op: int
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """The ordered steps of one core kind; iterating gives them flat."""

    prologue: tuple[Step, ...] = ()
    segments: tuple[Segment, ...] = ()
    epilogue: tuple[Step, ...] = ()

    def __iter__(self) -> Iterator[Step]:
        return chain(self.prologue, *(segment.steps for segment in self.segments), self.epilogue)


@dataclass(frozen=True, slots=True)
class Shape:
    """Kernel type and block count of a SuperKernel."""

    kernel_type: KernelType
    blocks: int

    @property
    def cores(self) -> PerKind[int]:
        return self.kernel_type.cores(self.blocks)

    def participants(self, operator_class: OperatorClass) -> int:
        """How many indices the gate of an operator of this class runs over."""
        return self.cores.aiv if operator_class is OperatorClass.AIV else self.blocks


@dataclass(frozen=True, slots=True)
class Decision:
    """Something that planning decided: a stable key, its operators, what and why, and what would change it."""

    key: str
    operators: tuple[int, ...]
    text: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """A fusion group with its shape, its arguments and one program per core kind.

    ``workspace_bytes`` is the global memory that the SuperKernel needs for itself.
    """

    group: FusionGroup
    shape: Shape
    layout: ArgumentLayout
    programs: PerKind[Program]
    workspace_bytes: int = 0
    decisions: tuple[Decision, ...] = ()

    @property
    def name(self) -> str:
        return self.group.name

    def place(self, kind: CoreKind, number: int) -> str:
        """Where a step is, for messages."""
        return f"{self.name}: {kind.value} {number}"
