# Licensed under the Apache License, Version 2.0.
"""The default of the hook ``plan_sync``: one queue of steps for each core kind, from the line of a group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from skcore.graph.kernel import CoreKind, PerKind, SubKernel
from skcore.options import Options
from skcore.plan.boundary import Steps, boundary_steps, early_boundary, early_moves, gate_of, takes_part
from skcore.plan.feed import clearing_kind, feed_step, needs_feeding
from skcore.plan.group import FusionGroup
from skcore.plan.layout import ArgumentLayout, Role
from skcore.plan.line import Act, Place, lay_out_line
from skcore.plan.orders import GroupOrder
from skcore.plan.plan import Decision, Program, Segment, Shape
from skcore.plan.steps import (
    Await,
    AwaitTiling,
    Call,
    CallSelected,
    Channel,
    CleanCache,
    ClearSlot,
    EarlyConfigure,
    EarlyWait,
    FeedClear,
    FullSync,
    GroupSync,
    Mark,
    Notify,
    PipeBarrier,
    Profile,
    Select,
    Signal,
    Step,
    WaitEvent,
)
from skcore.plan.symbols import code_symbols
from skcore.plan.sync_reasons import sync_decisions
from skcore.plan.synchronise import FULL, Move, Node, synchronise


@dataclass(frozen=True, slots=True)
class SyncPlanner:
    """Plans the programs of one group; every method gives the steps of one concern."""

    group: FusionGroup
    order: GroupOrder
    shape: Shape
    layout: ArgumentLayout

    @property
    def options(self) -> Options:
        return self.group.options

    def plan(self) -> tuple[PerKind[Program], tuple[Decision, ...]]:
        """One program for each core kind, empty where it is not launched, and why they synchronise as they do."""
        line = lay_out_line(self.group, self.order, self.layout)
        launched = tuple(kind for kind, cores in self.shape.cores if cores)
        nodes = self._nodes(line)
        moves = synchronise(nodes, launched)
        programs = PerKind.of(lambda kind: self._program(kind, line, moves) if kind in launched else Program())
        return programs, tuple(sync_decisions(self.group, self.order, line, nodes, moves))

    def _nodes(self, line: tuple[Place, ...]) -> list[Node]:
        """The line as the synchroniser sees it: who runs a place, what it waits for, what stands there anyway."""
        calls = {place.op: number for number, place in enumerate(line) if place.act is Act.CALL}
        before = self.order.predecessors()
        sent = {event for operator in self.group.operators for event in operator.sends}
        nodes = []
        waits: list[int] = []
        last_call: int | None = None
        for number, place in enumerate(line):
            if place.act is Act.CALL:
                after = (*(calls[op] for op in before.get(place.op, ())), *waits)
                waits = []
            else:
                after = {Act.NOTIFY: (calls[place.op],), Act.SELECT: (number - 1,)}.get(place.act, ())
            # An event that comes from inside is an order too, so its word holds nobody back.
            if place.act is Act.WAIT and place.event not in sent:
                waits.append(number)
            nodes.append(Node(place.kinds, after, *self._given(line, last_call, number)))
            if place.act is Act.CALL:
                last_call = number
        return nodes

    def _given(self, line: tuple[Place, ...], last_call: int | None, number: int) -> tuple[tuple[Move, ...], int]:
        """Synchronisation that stands before a place for other reasons, and the place up to which it reaches."""
        if last_call is None:
            return (), 0
        moves: tuple[Move, ...] = ()
        if self.options.debug_sync_all and number == last_call + 1:
            meets = {CoreKind.AIC: Move.MEET_AIC, CoreKind.AIV: Move.MEET_AIV}
            launched = [kind for kind, cores in self.shape.cores if cores]
            moves = FULL if len(launched) == len(CoreKind) else (meets[launched[0]],)
        if line[number].act is Act.CALL and self._is_early(line[last_call].op, line[number].op):
            previous, current = (self.group.operators[line[each].op].kernel for each in (last_call, number))
            # Cleaning that follows an early signal is not covered by it.
            if not (previous.early_start.sets and _cleans_after(previous)):
                moves = (*moves, *early_moves(previous.operator_class, current.operator_class))
        return moves, last_call + 1

    def _program(self, kind: CoreKind, line: tuple[Place, ...], moves: list[tuple[Move, ...]]) -> Program:
        whole = Profile(Mark.WHOLE, 0, end=False)
        prologue = (*self._clear_feed(kind), *self._profile(whole))
        segments: dict[int, list[Step]] = {}
        last_op: int | None = None
        for place, before in zip(line, moves, strict=True):
            steps = segments.setdefault(place.op, [])
            steps += boundary_steps(before)[kind]
            if place.act is Act.CALL:
                steps += self._early(last_op, place.op, kind)
                steps += self._operator(place.op, kind)
                last_op = place.op
            elif kind in place.kinds:
                steps += self._event(place)
        segments = _with_pipe_barriers(segments)
        made = tuple(Segment(op, tuple(steps)) for op, steps in segments.items())
        return Program(prologue, made, (*self._early(last_op, None, kind), *self._epilogue(kind, line)))

    def _epilogue(self, kind: CoreKind, line: tuple[Place, ...]) -> Iterator[Step]:
        for place in line:
            if place.act is Act.WAIT and kind in place.kinds:
                yield ClearSlot(place.op, place.slot)
        yield from self._profile(Profile(Mark.WHOLE, 0, end=True))

    def _operator(self, op: int, kind: CoreKind) -> Iterator[Step]:
        if self.options.feed_sync_all:
            yield feed_step(op, len(self.group.operators), enabled=self._is_fed(op))
        yield from self._profile(Profile(Mark.OPERATOR, op + 1, end=False))
        yield from self._call(op, kind)
        yield from self._debug(kind)
        yield from self._profile(Profile(Mark.OPERATOR, op + 1, end=True))

    def _event(self, place: Place) -> Iterator[Step]:
        if place.act is Act.TILING:
            yield AwaitTiling(place.op, place.slot)
            return
        if place.act is Act.SELECT:
            key, blocks = (self.layout.tiling_word(role, place.op) for role in (Role.TILING_KEY, Role.BLOCK_NUM))
            yield Select(place.op, key, blocks, self.options.split_mode)
            return
        mark = Mark.WAIT if place.act is Act.WAIT else Mark.NOTIFY
        yield from self._profile(Profile(mark, place.event, end=False))
        yield WaitEvent(place.op, place.slot) if place.act is Act.WAIT else Notify(place.op, place.slot)
        yield from self._profile(Profile(mark, place.event, end=True))

    def _call(self, op: int, kind: CoreKind) -> Iterator[Step]:
        kernel = self.group.operators[op].kernel
        if kind not in kernel.operator_class.kinds:
            return
        cleaning = kernel.cleaning
        if cleaning.before and not cleaning.disabled:
            yield CleanCache()
        argument, fed = self.layout.parameters[op], self._is_fed(op)
        if kernel.tiling:
            yield CallSelected(op, argument, fed)
        else:
            symbols = code_symbols(kernel, kind, self.options.split_mode)
            yield Call(op, symbols, argument, gate_of(kernel), fed)
        if cleaning.after and not cleaning.disabled:
            yield CleanCache()

    def _debug(self, kind: CoreKind) -> Iterator[Step]:
        if self.options.debug_dcci_all:
            yield PipeBarrier()
            yield CleanCache()
        if self.options.debug_sync_all:
            yield FullSync() if all(count for _, count in self.shape.cores) else GroupSync(kind)

    def _early(self, previous: int | None, current: int | None, kind: CoreKind) -> Steps:
        """The early-start hand-over between two operators that follow each other in the line."""
        if not self._is_early(previous, current):
            return ()
        return early_boundary(self._at(previous), self._at(current), self.shape)[kind]

    def _is_early(self, previous: int | None, current: int | None) -> bool:
        before, after = self._at(previous), self._at(current)
        return takes_part(before[1] if before else None, after[1] if after else None)

    def _at(self, op: int | None) -> tuple[int, SubKernel] | None:
        return None if op is None else (op, self.group.operators[op].kernel)

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


def _with_pipe_barriers(segments: dict[int, list[Step]]) -> dict[int, list[Step]]:
    """Two sub-kernels on one core share its local memories: where no barrier stands between them, the pipes drain.

    A sub-kernel that waits for its predecessor itself knows from when on it may use them.
    """
    found: dict[int, list[Step]] = {}
    settled = True
    for op, steps in segments.items():
        found[op] = []
        for step in steps:
            if isinstance(step, Call | CallSelected) and not settled:
                found[op].append(PipeBarrier())
            if isinstance(step, Call | CallSelected):
                settled = False
            elif isinstance(step, GroupSync | FullSync | EarlyConfigure | EarlyWait | PipeBarrier):
                settled = True
            found[op].append(step)
    return found
