# Licensed under the Apache License, Version 2.0.
"""What stands between two operators: the synchronisation of exactly the core kinds that take part.

A boundary makes every core of the current operator wait until every core of the previous one has ended. With early
start (spec jit §6) each core says so itself, possibly before its end, and the SuperKernel does it for the cores and
kinds on which the sub-kernel does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from skcore.graph.kernel import CoreKind, OperatorClass, PerKind, SubKernel
from skcore.plan.plan import Shape
from skcore.plan.steps import (
    Await,
    Channel,
    EarlyConfigure,
    EarlySet,
    EarlyWait,
    FullSync,
    Gate,
    GroupSync,
    Index,
    Signal,
    Step,
)
from skcore.plan.synchronise import FULL, Move

Steps = tuple[Step, ...]
Side = tuple[int, SubKernel] | None
"""An operator before or after a hand-over; None stands for the SuperKernel's own begin or end."""
HandOver = tuple[Side, Side]


def gate_of(kernel: SubKernel) -> Gate:
    """The cores that run a sub-kernel inside a SuperKernel (spec device §1.5)."""
    index = Index.CORE if kernel.operator_class is OperatorClass.AIV else Index.BLOCK
    return Gate(index, kernel.blocks)


@cache
def boundary_steps(moves: tuple[Move, ...]) -> PerKind[Steps]:
    """The steps of each kind for synchronisations at one place."""
    if moves == FULL:
        return PerKind((FullSync(),), (FullSync(),))
    return PerKind.of(lambda kind: tuple(step for move in moves for step in _move_steps(move, kind)))


def _move_steps(move: Move, kind: CoreKind) -> Steps:
    channel = {Move.TELL_AIC: Channel.AIV_TO_AIC, Move.TELL_AIV: Channel.AIC_TO_AIV}.get(move)
    if channel is not None:
        return (Signal(channel) if channel.sender is kind else Await(channel),)
    meeting = CoreKind.AIC if move is Move.MEET_AIC else CoreKind.AIV
    return (GroupSync(kind),) if meeting is kind else ()


def early_moves(previous: OperatorClass, current: OperatorClass) -> tuple[Move, ...]:
    """What an early-start hand-over synchronises, once it is complete (spec jit §6.2)."""
    meets = {CoreKind.AIC: Move.MEET_AIC, CoreKind.AIV: Move.MEET_AIV}
    tells = {Channel.AIC_TO_AIV: Move.TELL_AIV, Channel.AIV_TO_AIC: Move.TELL_AIC}
    return (
        *(meets[kind] for kind in previous.kinds),
        *(
            tells[channel]
            for channel in Channel
            if channel.sender in previous.kinds and channel.receiver in current.kinds
        ),
    )


def early_boundary(previous: Side, current: Side, shape: Shape) -> PerKind[Steps]:
    """The early-start hand-over between two operators.

    At its begin the SuperKernel signals for a predecessor that does not exist, at its end it takes the signals that no
    successor takes: so flags are at zero afterwards, wherever a sub-kernel with early-start calls stands.
    """
    before = previous or current
    after = current or previous
    if before is None or after is None:
        raise ValueError("a boundary needs an operator on one of its sides")
    sets = previous[1].early_start.sets if previous else False
    waits = current[1].early_start.waits if current else False
    pair = (before[1].operator_class, after[1].operator_class)

    def steps(kind: CoreKind) -> Iterator[Step]:
        if kind in pair[0].kinds and _left_over(sets, kind, before[1], shape):
            yield EarlySet(before[0], gate_of(before[1]) if sets else None)
        if not _waits_for_something(kind, *pair):
            return
        if waits and kind in pair[1].kinds:
            yield EarlyConfigure(*pair)
        if _left_over(waits, kind, after[1], shape):
            own = waits and kind in pair[1].kinds
            yield EarlyWait(after[0], *pair, gate_of(after[1]) if own else None)

    return PerKind.of(lambda kind: tuple(steps(kind)))


def _left_over(by_kernel: bool, kind: CoreKind, kernel: SubKernel, shape: Shape) -> bool:
    """Whether some core of this kind does not make the call through the sub-kernel itself."""
    everywhere = kernel.blocks >= shape.participants(kernel.operator_class)
    return not (by_kernel and kind in kernel.operator_class.kinds and everywhere)


def _waits_for_something(kind: CoreKind, previous: OperatorClass, current: OperatorClass) -> bool:
    other = OperatorClass.AIV if kind is CoreKind.AIC else OperatorClass.AIC
    return not (previous is current is other)


def takes_part(previous: SubKernel | None, current: SubKernel | None) -> bool:
    """Whether a sub-kernel on one of the sides makes early-start calls itself."""
    return (previous is not None and previous.early_start.sets) or (current is not None and current.early_start.waits)
