# Licensed under the Apache License, Version 2.0.
"""The default of the hook ``plan_sync``: one stream, so the programs follow the order of the operators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from skcore.graph.kernel import CoreKind, PerKind, SubKernel
from skcore.options import Options
from skcore.plan.boundary import Steps, early_boundary, gate_of, plain_boundary, takes_part
from skcore.plan.feed import clearing_kind, feed_step, needs_feeding
from skcore.plan.group import FusionGroup
from skcore.plan.layout import ArgumentLayout
from skcore.plan.plan import Program, Segment, Shape
from skcore.plan.steps import (
    Await,
    Call,
    Channel,
    CleanCache,
    FeedClear,
    FullSync,
    GroupSync,
    Mark,
    PipeBarrier,
    Profile,
    Signal,
    Step,
)


@dataclass(frozen=True, slots=True)
class SyncPlanner:
    """Plans the programs of one group; every method gives the steps of one concern for both kinds."""

    group: FusionGroup
    shape: Shape
    layout: ArgumentLayout

    @property
    def options(self) -> Options:
        return self.group.options

    def programs(self) -> PerKind[Program]:
        """One program for each core kind; a kind that is not launched has an empty one."""
        return PerKind.of(lambda kind: self._program(kind) if self.shape.cores[kind] else Program())

    def _program(self, kind: CoreKind) -> Program:
        whole = Profile(Mark.WHOLE, 0, end=False)
        prologue = (*self._clear_feed(kind), *self._profile(whole))
        segments = tuple(Segment(op, tuple(self._segment(op, kind))) for op in range(len(self.group.operators)))
        epilogue = (*self._boundary(len(self.group.operators), kind), *self._profile(Profile(Mark.WHOLE, 0, end=True)))
        return Program(prologue, segments, epilogue)

    def _segment(self, op: int, kind: CoreKind) -> Iterator[Step]:
        yield from self._boundary(op, kind)
        if self.options.feed_sync_all:
            yield feed_step(op, len(self.group.operators), enabled=self._is_fed(op))
        yield from self._profile(Profile(Mark.OPERATOR, op + 1, end=False))
        yield from self._call(op, kind)
        yield from self._debug(kind)
        yield from self._profile(Profile(Mark.OPERATOR, op + 1, end=True))

    def _call(self, op: int, kind: CoreKind) -> Iterator[Step]:
        kernel = self.group.operators[op].kernel
        if kind not in kernel.operator_class.kinds:
            return
        cleaning = kernel.cleaning
        if cleaning.before and not cleaning.disabled:
            yield CleanCache()
        symbols = code_symbols(kernel, kind, self.options.split_mode)
        yield Call(op, symbols, self.layout.parameters[op], gate_of(kernel), fed=self._is_fed(op))
        if cleaning.after and not cleaning.disabled:
            yield CleanCache()

    def _debug(self, kind: CoreKind) -> Iterator[Step]:
        if self.options.debug_dcci_all:
            yield PipeBarrier()
            yield CleanCache()
        if self.options.debug_sync_all:
            yield FullSync() if all(count for _, count in self.shape.cores) else GroupSync(kind)

    def _boundary(self, op: int, kind: CoreKind) -> Steps:
        """The steps between operator ``op - 1`` and operator ``op``; either may be missing at an end of the list."""
        previous, current = self._at(op - 1), self._at(op)
        early: Steps = ()
        if takes_part(previous[1] if previous else None, current[1] if current else None):
            early = early_boundary(previous, current, self.shape)[kind]
        if previous is None or current is None or self.options.debug_sync_all:
            return early
        # A sub-kernel may signal before its own end, so cleaning that follows it needs a barrier of its own.
        if early and not (previous[1].early_start.sets and _cleans_after(previous[1])):
            return early
        plain = plain_boundary(previous[1].operator_class, current[1].operator_class)[kind]
        return (*plain, *early)

    def _at(self, op: int) -> tuple[int, SubKernel] | None:
        return (op, self.group.operators[op].kernel) if 0 <= op < len(self.group.operators) else None

    def _is_fed(self, op: int) -> bool:
        return self.options.feed_sync_all and needs_feeding(self.group.operators[op].kernel, self.shape)

    def _clear_feed(self, kind: CoreKind) -> Iterator[Step]:
        if not any(self._is_fed(op) for op in range(len(self.group.operators))):
            return
        clearing = clearing_kind(self.shape)
        if kind is clearing:
            yield FeedClear(2 * len(self.group.operators))
            yield GroupSync(kind)
        if all(count for _, count in self.shape.cores):
            yield Signal(Channel.AIV_TO_AIC) if kind is clearing else Await(Channel.AIV_TO_AIC)

    def _profile(self, step: Profile) -> tuple[Profile, ...]:
        return (step,) if self.options.profiling else ()


def _cleans_after(kernel: SubKernel) -> bool:
    return kernel.cleaning.after and not kernel.cleaning.disabled


def code_symbols(kernel: SubKernel, kind: CoreKind, split_mode: int) -> tuple[str, ...]:
    """Symbols of the copies of a sub-kernel's code on one core kind, the base first.

    Copies that came with the kernel are used as far as they go; otherwise the build makes ``split_mode`` of them.
    """
    given = kernel.code[kind]
    if len(given) > 1 or kernel.split_mode is not None:
        return tuple(copy.symbol for copy in given[:split_mode])
    base = kernel.symbols[kind]
    if base is None:
        raise ValueError(f"kernel {kernel.name!r} has no symbol for {kind.value}")
    return (base, *(f"{base}_split{number}" for number in range(1, split_mode)))
