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
    """Operators in issue order that become the SuperKernel ``name``; ``scope`` is the name of their scope.

    ``events`` are the ids of the event tasks that it takes over; ``outward`` are sent events for which somebody outside
    waits, though somebody inside may do so too. ``relays`` are pairs of a sent and a received event of which the second
    is recorded outside only after the first: nobody may wait for it before the first is sent.
    """

    name: str
    operators: tuple[Operator, ...]
    options: Options
    scope: str = ""
    events: tuple[int, ...] = ()
    outward: tuple[int, ...] = ()
    relays: tuple[tuple[int, int], ...] = ()

    @property
    def kernels(self) -> tuple[SubKernel, ...]:
        """The kernels in order; for one of them take ``operators[op].kernel``."""
        return tuple(operator.kernel for operator in self.operators)
