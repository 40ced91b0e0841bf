# Licensed under the Apache License, Version 2.0.
"""Which buffers an operator reads and writes, where that is known."""

from __future__ import annotations

from dataclasses import dataclass

from skcore.graph.task import BufferArgument
from skcore.plan.group import Operator


@dataclass(frozen=True, slots=True)
class Accesses:
    """Names of buffers, whole ones: two places of one buffer count as the same."""

    reads: frozenset[str]
    writes: frozenset[str]


def accesses_of(operator: Operator) -> Accesses | None:
    """What an operator touches; None where its arguments or what it writes are not known."""
    kernel, task = operator.kernel, operator.task
    if not task.arguments or not kernel.writes:
        return None
    buffers = {name: argument.buffer for name, argument in task.arguments if isinstance(argument, BufferArgument)}
    written = frozenset(buffers[name] for name in kernel.writes if name in buffers)
    # A buffer that is only written would have to be written whole, which nobody promises: it counts as read too.
    return Accesses(frozenset(buffers.values()), written)
