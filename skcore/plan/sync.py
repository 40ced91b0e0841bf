# Licensed under the Apache License, Version 2.0.
"""The default of the hook ``plan_sync``: one queue of steps for each core kind, from the line of a group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skcore.graph.kernel import CoreKind, PerKind, SubKernel
from skcore.options import Options
from skcore.plan.boundary import HandOver, Side, boundary_steps, early_boundary, early_moves, gate_of, takes_part
from skcore.plan.feed import clearing_kind, feed_step, needs_feeding
from skcore.plan.group import FusionGroup
from skcore.plan.layout import ArgumentLayout, Role
from skcore.plan.line import Act, Place, lay_out_line, with_takes
from skcore.plan.orders import GroupOrder
from skcore.plan.plan import Decision, Program, Segment, Shape
from skcore.plan.steps import (
    AnyCall,
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
from skcore.plan.synchronise import FULL, NEVER, Move, Node, answered, synchronise, synchronise_freely


@dataclass(frozen=True, slots=True)
class SyncPlanner:
    """Plans the programs of one group; every method gives the steps of one concern."""

    group: FusionGroup
    order: GroupOrder
    shape: Shape
    layout: ArgumentLayout
    counter_limit: int
    """How many signals a flag can hold."""

    @property
    def options(self) -> Options:
        return self.group.options

    def plan(self) -> tuple[PerKind[Program], tuple[Decision, ...]]:
        """One program for each core kind, empty where it is not launched, and why they synchronise as they do."""
        line = lay_out_line(self.group, self.order, self.layout)
        launched = tuple(kind for kind, cores in self.shape.cores if cores)
        nodes: Sequence[Node] = self._nodes(line)
        if self._is_free():
            order, nodes, moves = synchronise_freely(nodes, launched)
            line = tuple(line[place] for place in order)
        else:
            moves = synchronise(nodes, launched)
        moves = answered(nodes, moves, self.counter_limit)
        while (apart := with_takes(self.group, line, [number for number, made in enumerate(moves) if made])) != line:
            line, nodes = apart, self._nodes(apart)
            moves = answered(nodes, synchronise(nodes, launched), self.counter_limit)
        programs = PerKind.of(lambda kind: self._program(kind, line, moves) if kind in launched else Program())
        return programs, tuple(sync_decisions(self.group, self.order, line, nodes, moves))

    def _is_free(self) -> bool:
        """Whether the two queues may be interleaved anew: nothing depends on who stands next to whom in the line."""
        operators = self.group.operators
        early = any(takes_part(operator.kernel, operator.kernel) for operator in operators)
        return not (early or self.options.debug_sync_all or self._may_be_answered())

    def _may_be_answered(self) -> bool:
        """Whether an event is told by a word before another one is waited for: it may be what that one waits for."""
        told = False
        for op in self.order.sequence:
            operator = self.group.operators[op]
            if told and any(event not in self.order.inner_events for event in operator.receives):
                return True
            told = told or any(
                event not in self.order.inner_events or event in self.group.outward for event in operator.sends
            )
        return False

    def _nodes(self, line: Sequence[Place]) -> list[Node]:
        """The line as the synchroniser sees it: who runs a place, what it waits for, what stands there anyway."""
        calls = {place.op: number for number, place in enumerate(line) if place.act is Act.CALL}
        before = self.order.predecessors()
        sent = {event for operator in self.group.operators for event in operator.sends}
        nodes = []
        waits: dict[int, list[int]] = {}
        last_call: int | None = None
        for number, (place, hand_over) in enumerate(zip(line, self._hand_overs(line), strict=True)):
            after: tuple[int, ...] = ()
            if place.act is Act.CALL:
                after = (*[calls[op] for op in before.get(place.op, ())], *waits.get(place.op, ()))
            elif place.act is Act.NOTIFY:
                after = (calls[place.op],)
            elif place.act is Act.SELECT:
                after = (number - 1,)
            # An event that comes from inside is an order too, so its word holds nobody back.
            if place.act is Act.WAIT and place.event not in sent:
                waits.setdefault(place.op, []).append(number)
            reached = NEVER if last_call is None else last_call + 1
            given, handed = self._given(last_call, number), self._handed(*hand_over) if hand_over else ()
            nodes.append(Node(place.kinds, after, given, handed, reached))
            if place.act is Act.CALL:
                last_call = number
        return nodes

    def _given(self, last_call: int | None, number: int) -> tuple[Move, ...]:
        """The synchronisation of a diagnosis after each call."""
        if not self.options.debug_sync_all or last_call is None or number != last_call + 1:
            return ()
        meets = {CoreKind.AIC: Move.MEET_AIC, CoreKind.AIV: Move.MEET_AIV}
        launched = [kind for kind, cores in self.shape.cores if cores]
        return FULL if len(launched) == len(CoreKind) else (meets[launched[0]],)

    def _hand_overs(self, line: Sequence[Place]) -> Iterator[HandOver | None]:
        """The early-start hand-over at each place, from one call to the next; None where no sub-kernel takes part."""
        previous: Side = None
        for place in line:
            current = (place.op, self.group.operators[place.op].kernel)
            if place.act is Act.TAKE:
                yield current, None
                previous = None
            elif place.act is Act.CALL:
                taking_part = takes_part(previous[1] if previous else None, current[1])
                yield (previous, current) if taking_part else None
                previous = current
            else:
                yield None

    def _handed(self, previous: Side, current: Side) -> tuple[Move, ...]:
        """An early-start hand-over as a synchronisation, of all that its signals cover."""
        # Cleaning that follows an early signal is not covered by it.
        if previous and previous[1].early_start.sets and self._cleans_after(previous[1]):
            return ()
        first, second = previous or current, current or previous
        return early_moves(first[1].operator_class, second[1].operator_class) if first and second else ()

    def _program(self, kind: CoreKind, line: Sequence[Place], moves: Sequence[tuple[Move, ...]]) -> Program:
        whole = Profile(Mark.WHOLE, 0, end=False)
        prologue = (*self._clear_feed(kind), *self._profile(whole))
        segments: list[tuple[int, list[Step]]] = []
        for place, before, hand_over in zip(line, moves, self._hand_overs(line), strict=True):
            if not segments or segments[-1][0] != place.op:
                segments.append((place.op, []))
            steps = segments[-1][1]
            if before:
                steps += boundary_steps(before)[kind]
            if hand_over:
                steps += early_boundary(*hand_over, self.shape)[kind]
            if place.act is Act.CALL:
                steps += self._operator(place.op, kind)
            elif place.act is Act.TAKE:
                steps += self._debug_sync(kind)
            elif kind in place.kinds:
                steps += self._event(place)
        made = tuple(Segment(op, tuple(steps)) for op, steps in _with_pipe_barriers(segments))
        return Program(prologue, made, tuple(self._epilogue(kind, line)))

    def _epilogue(self, kind: CoreKind, line: Sequence[Place]) -> Iterator[Step]:
        for place in line:
            if place.act is Act.WAIT and kind in place.kinds:
                yield ClearSlot(place.op, place.slot)
        yield from self._profile(Profile(Mark.WHOLE, 0, end=True))

    def _operator(self, op: int, kind: CoreKind) -> Iterator[Step]:
        if self.options.feed_sync_all:
            yield feed_step(op, len(self.group.operators), enabled=self._is_fed(op))
        yield from self._profile(Profile(Mark.OPERATOR, op + 1, end=False))
        yield from self._call(op, kind)
        if self.options.debug_dcci_all:
            yield PipeBarrier()
            yield CleanCache()
        if not self.group.operators[op].kernel.early_start.sets:
            yield from self._debug_sync(kind)
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

    def _cleans_after(self, kernel: SubKernel) -> bool:
        return self.options.debug_dcci_all or (kernel.cleaning.after and not kernel.cleaning.disabled)

    def _debug_sync(self, kind: CoreKind) -> Iterator[Step]:
        if self.options.debug_sync_all:
            yield FullSync() if all(count for _, count in self.shape.cores) else GroupSync(kind)

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


_SETTLING = GroupSync | FullSync | EarlyConfigure | EarlyWait | PipeBarrier


def _with_pipe_barriers(segments: list[tuple[int, list[Step]]]) -> Iterator[tuple[int, list[Step]]]:
    """Two sub-kernels on one core share its local memories: where no barrier stands between them, the pipes drain.

    A sub-kernel that waits for its predecessor itself knows from when on it may use them.
    """
    settled = True
    for op, steps in segments:
        found: list[Step] = []
        for step in steps:
            if isinstance(step, AnyCall):
                if not settled:
                    found.append(PipeBarrier())
                settled = False
            elif isinstance(step, _SETTLING):
                settled = True
            found.append(step)
        yield op, found
