# Licensed under the Apache License, Version 2.0.
"""A small reference machine for plans: every core of a launch, its flag counters, and what each core knows has ended.

It follows spec device §3.2 (modes of cross-core flags) and §5.1 (early start), and shares nothing with the planner.
Each counter has one source and one consumer, so what a wait learns does not depend on the interleaving: one run stands
for all of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from skcore.graph.kernel import CoreKind, KernelType, OperatorClass, SubKernel
from skcore.plan.plan import Plan, Shape
from skcore.plan.steps import (
    Await,
    Call,
    Channel,
    CleanCache,
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

AIC_ALL, AIV_TO_AIC, AIC_TO_AIV, AIV_ALL = 11, 12, 13, 14
Primitive = tuple[str, int]  # ("set", id) or ("wait", id)
ALL_OF = {CoreKind.AIC: AIC_ALL, CoreKind.AIV: AIV_ALL}
A, V, M = OperatorClass.AIC, OperatorClass.AIV, OperatorClass.MIX

# Spec device §5.1, wait V2: by pair, what AIC and what AIV does.
EARLY: dict[tuple[OperatorClass, OperatorClass], dict[CoreKind, list[Primitive]]] = {}
for _pair, _aic, _aiv in (
    ((A, A), "w11", ""),
    ((A, V), "w11 s13", "w13"),
    ((A, M), "w11 s13", "w13"),
    ((V, A), "w12", "w14 s12"),
    ((V, V), "", "w14"),
    ((V, M), "w12", "w14 s12"),
    ((M, A), "w11 w12", "w14 s12"),
    ((M, V), "w11 s13", "w14 w13"),
    ((M, M), "w11 s13 w12", "w14 s12 w13"),
):
    EARLY[_pair] = {
        kind: [("set" if word[0] == "s" else "wait", int(word[1:])) for word in text.split()]
        for kind, text in ((CoreKind.AIC, _aic), (CoreKind.AIV, _aiv))
    }


class Unsafe(AssertionError):
    """The plan hangs, starts something too early, or leaves flags behind."""


@dataclass
class Core:
    """A core: its place, the operators' parts that it knows to have ended, and its program as primitives."""

    kind: CoreKind
    number: int
    group: int
    known: set[tuple[int, CoreKind, int]] = field(default_factory=set)
    pair: tuple[OperatorClass, OperatorClass] | None = None
    counters: Counter[int] = field(default_factory=Counter)
    highest: int = 0

    def passes(self, gate: Gate) -> bool:
        return (self.number if gate.index is Index.CORE else self.group) < gate.blocks


def workers(kernel: SubKernel, shape: Shape) -> set[tuple[CoreKind, int]]:
    """The cores that have to run a kernel: the launch it was built for, placed at the lowest indices."""
    ratio = shape.kernel_type.cores_per_block
    found = set()
    for kind in kernel.operator_class.kinds:
        mixed = kernel.operator_class is OperatorClass.MIX
        count = kernel.blocks * ratio[kind] if mixed else kernel.blocks
        found |= {(kind, number) for number in range(count)}
    return found


class Machine:
    """Runs a plan to its end."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        shape = plan.shape
        ratio = shape.kernel_type.cores_per_block
        self.cores = [
            Core(kind, number, number // ratio[kind]) for kind, count in shape.cores for number in range(count)
        ]
        self.of_kind = {kind: [core for core in self.cores if core.kind is kind] for kind in CoreKind}
        self.pending: dict[tuple[int, int, int], list[set[tuple[int, CoreKind, int]]]] = defaultdict(list)
        self.arrivals: dict[tuple[int, int], list[set[tuple[int, CoreKind, int]]]] = defaultdict(list)
        self.ran: Counter[tuple[int, CoreKind, int]] = Counter()

    def run(self) -> None:
        """Raises Unsafe with what is wrong."""
        waiting = {id(core): self._program(core) for core in self.cores}
        blocked: dict[int, int] = {}
        while waiting:
            moved = False
            for core in self.cores:
                moved |= id(core) in waiting and self._advance(core, waiting, blocked)
            if not moved:
                stuck = [
                    f"{core.kind.name} {core.number} on {blocked[id(core)]}"
                    for core in self.cores
                    if id(core) in waiting
                ]
                raise Unsafe(f"nothing can run: {', '.join(stuck)}")
        self._check_end()

    def _advance(self, core: Core, waiting: dict[int, Iterator[Primitive]], blocked: dict[int, int]) -> bool:
        """Run a core until it blocks or ends; whether it moved."""
        moved = False
        while True:
            flag = blocked.get(id(core))
            if flag is None:
                primitive = next(waiting[id(core)], None)
                if primitive is None:
                    del waiting[id(core)]
                    return True
                moved = True
                if primitive[0] == "set":
                    self._set(core, primitive[1])
                    continue
                flag = blocked[id(core)] = primitive[1]
            if core.counters[flag] == 0:
                return moved
            core.counters[flag] -= 1
            core.known |= self.pending[id(core), flag, 0].pop(0)
            del blocked[id(core)]
            moved = True

    def _set(self, core: Core, flag: int) -> None:
        if flag == AIC_TO_AIV:
            self._deliver(
                [other for other in self.of_kind[CoreKind.AIV] if other.group == core.group], flag, core.known
            )
            return
        if flag == AIV_TO_AIC:
            setters = [other for other in self.of_kind[CoreKind.AIV] if other.group == core.group]
            receivers = [other for other in self.of_kind[CoreKind.AIC] if other.group == core.group]
        else:
            setters = receivers = self.of_kind[core.kind]
        self.arrivals[id(core), flag].append(set(core.known))
        if all(self.arrivals[id(other), flag] for other in setters):
            learnt = set().union(*(self.arrivals[id(other), flag].pop(0) for other in setters))
            self._deliver(receivers, flag, learnt)

    def _deliver(self, receivers: list[Core], flag: int, learnt: set[tuple[int, CoreKind, int]]) -> None:
        if not receivers:
            raise Unsafe(f"flag {flag} is set and nobody is there to take it")
        for other in receivers:
            other.counters[flag] += 1
            other.highest = max(other.highest, other.counters[flag])
            self.pending[id(other), flag, 0].append(set(learnt))

    def _check_end(self) -> None:
        for core in self.cores:
            left = {flag: count for flag, count in core.counters.items() if count}
            halves = [flag for flag in (11, 12, 14) if self.arrivals[id(core), flag]]
            if left or halves:
                raise Unsafe(f"{core.kind.name} {core.number} keeps flags {left}, unmatched sets {halves}")
            if core.highest > 15:
                raise Unsafe("a counter passes 15")
        expected = Counter(
            (op, kind, number)
            for op, kernel in enumerate(self.plan.group.kernels)
            for kind, number in workers(kernel, self.plan.shape)
        )
        if self.ran != expected:
            raise Unsafe(f"ran {self.ran}, expected {expected}")

    # Programs as primitives

    def _program(self, core: Core) -> Iterator[Primitive]:
        last_call: Call | None = None
        for step in self.plan.programs[core.kind]:
            if isinstance(step, Call):
                last_call = step
                yield from self._call(core, step)
            elif isinstance(step, CleanCache) and last_call is not None:
                self._started_in_order(core, last_call.op)
            else:
                yield from self._step(core, step)

    def _step(self, core: Core, step: Step) -> Iterator[Primitive]:
        if isinstance(step, GroupSync):
            yield from (("set", ALL_OF[step.kind]), ("wait", ALL_OF[step.kind]))
        elif isinstance(step, FullSync):
            yield from self._full_sync(core)
        elif isinstance(step, Signal):
            yield "set", AIC_TO_AIV if step.channel is Channel.AIC_TO_AIV else AIV_TO_AIC
        elif isinstance(step, Await):
            yield "wait", AIC_TO_AIV if step.channel is Channel.AIC_TO_AIV else AIV_TO_AIC
        elif isinstance(step, EarlySet):
            if step.outside is None or not core.passes(step.outside):
                yield "set", ALL_OF[core.kind]
        elif isinstance(step, EarlyConfigure):
            core.pair = (step.previous, step.current)
        elif isinstance(step, EarlyWait) and (step.outside is None or not core.passes(step.outside)):
            yield from EARLY[step.previous, step.current][core.kind]

    def _full_sync(self, core: Core) -> Iterator[Primitive]:
        if core.kind is CoreKind.AIV:
            yield from (("set", AIV_TO_AIC), ("wait", AIC_TO_AIV))
        else:
            yield from (("wait", AIV_TO_AIC), ("set", AIC_ALL), ("wait", AIC_ALL), ("set", AIC_TO_AIV))

    def _call(self, core: Core, call: Call) -> Iterator[Primitive]:
        kernel = self.plan.group.kernels[call.op]
        inside = core.passes(call.gate)
        if inside:
            if kernel.early_start.waits:
                if core.pair is None:
                    raise Unsafe("a sub-kernel waits and was never told for which pair")
                yield from EARLY[core.pair][core.kind]
            self._started_in_order(core, call.op)
            self.ran[call.op, core.kind, core.number] += 1
        if kernel.full_sync and (inside or call.fed):
            if kernel.operator_class is OperatorClass.MIX:
                yield from self._full_sync(core)
            else:
                yield from (("set", ALL_OF[core.kind]), ("wait", ALL_OF[core.kind]))
        if inside:
            core.known.add((call.op, core.kind, core.number))
            if kernel.early_start.sets:
                yield "set", ALL_OF[core.kind]

    def _started_in_order(self, core: Core, op: int) -> None:
        """Everything before operator ``op`` has ended, as far as this core can know."""
        for previous in range(op):
            kernel = self.plan.group.kernels[previous]
            for kind, number in workers(kernel, self.plan.shape):
                if (previous, kind, number) not in core.known:
                    raise Unsafe(
                        f"{core.kind.name} {core.number} starts {op} before {kind.name} {number} ended {previous}"
                    )


def simulate(plan: Plan) -> None:
    """Run a plan; raises Unsafe."""
    Machine(plan).run()


def has_two_kinds(shape: Shape) -> bool:
    return shape.kernel_type in (KernelType.MIX_AIC_1_1, KernelType.MIX_AIC_1_2)
