# Licensed under the Apache License, Version 2.0.
"""Feed-sync-all: idle cores join the full synchronisations inside a sub-kernel (spec jit §6.4)."""

from __future__ import annotations

from skcore.graph.kernel import CoreKind, SubKernel
from skcore.plan.plan import Shape
from skcore.plan.steps import FeedSync
from skcore.target import FeedSyncData


def needs_feeding(kernel: SubKernel, shape: Shape) -> bool:
    """Whether cores of the SuperKernel may stay idle during a sub-kernel that synchronises all of them.

    On how many blocks a sub-kernel with its tiling on the device runs is known only there.
    """
    if not kernel.full_sync:
        return False
    return bool(kernel.tiling) or kernel.blocks < shape.participants(kernel.operator_class)


def workspace_bytes(operators: int, shape: Shape, data: FeedSyncData) -> int:
    """Bytes of the workspace: a share a core, doubled until both lines of every operator fit."""
    cores = max(shape.cores.aic, shape.cores.aiv)
    share = data.base_bytes
    while cores * share <= 2 * data.line_bytes * operators:
        share *= 2
    return cores * share


def feed_step(op: int, operators: int, *, enabled: bool) -> FeedSync:
    """The step that points both kinds at the lines of operator ``op``: all AIC lines come first."""
    return FeedSync(op, enabled, aic_line=op, aiv_line=operators + op)


def clearing_kind(shape: Shape) -> CoreKind:
    """The kind whose cores zero the workspace at the start."""
    return CoreKind.AIV if shape.cores.aiv else CoreKind.AIC
