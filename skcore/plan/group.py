# Licensed under the Apache License, Version 2.0.
"""Fusion groups: the operators that become one SuperKernel, and the events that tie them to each other and outside."""

from __future__ import annotations

from dataclasses import dataclass

from skcore.graph.kernel import SubKernel
from skcore.graph.task import KernelTask
from skcore.options import Options


@dataclass(frozen=True, slots=True)
class Operator:
    """A kernel task of a fusion group with its kernel, the events that it waits for, and those that it sends."""

    task: KernelTask
    kernel: SubKernel
    sends: tuple[int, ...] = ()
    receives: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        return self.task.name


@dataclass(frozen=True, slots=True)
class FusionGroup:
    """Operators in issue order that become the SuperKernel ``name``; ``scope`` is the name of their scope."""

    name: str
    operators: tuple[Operator, ...]
    options: Options
    scope: str = ""

    @property
    def kernels(self) -> tuple[SubKernel, ...]:
        """The kernels in order; for one of them take ``operators[op].kernel``."""
        return tuple(operator.kernel for operator in self.operators)
