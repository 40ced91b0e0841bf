# Licensed under the Apache License, Version 2.0.
"""Random graphs of several streams whose results depend on every order between their operators.

A :class:`GraphSpec` is a small value that prints as the Python expression which makes it again. The kernels come from a
short catalogue, so that compiled ones are shared by all graphs.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

import skcore_kernels
from skcore.check import check_plan
from skcore.fuse import FusedGraph
from skcore.graph.kernel import EarlyStartCalls, KernelSource, KernelType, PerKind, SubKernel
from skcore.graph.task import (
    Argument,
    BufferArgument,
    EventRecord,
    EventWait,
    KernelTask,
    Scope,
    Task,
    WordArgument,
)
from skcore.graph.taskgraph import Buffer, ScopeSettings, TaskGraph
from skcore.options import parse_options
from skcore.plan.eligibility import inside_finding
from skcore.plan.layout import Role
from skcore.plan.shape import need_of, override_shape
from skcore.session import Session
from skcore.target import Target

PIECES = 48
PIECE_BYTES = 1024
NAME = "sk_random"
FIRST_OUTER_EVENT = 1000
INPUTS = ("a", "b", "c", "d")
MOST_STREAMS = 6
MOST_OPERATORS = 12


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to compile the kernel ``mingle``; ``plain`` replaces one whose full synchronisation would hang."""

    kernel_type: str
    blocks: int
    macros: tuple[str, ...] = ()
    plain: str = ""


VARIANTS = {
    "v1": Variant("AIV_ONLY", 1),
    "v17": Variant("AIV_ONLY", 17),
    "v48": Variant("AIV_ONLY", 48),
    "c3": Variant("AIC_ONLY", 3),
    "c24": Variant("AIC_ONLY", 24),
    "v6": Variant("MIX_AIV_1_0", 6),
    "v40_early": Variant("MIX_AIV_1_0", 40, ("EARLY_SET", "EARLY_WAIT")),
    "v8_wait": Variant("MIX_AIV_1_0", 8, ("EARLY_WAIT",)),
    "v48_sync": Variant("MIX_AIV_1_0", 48, ("FULL_SYNC",), "v48"),
    "v8_sync": Variant("MIX_AIV_1_0", 8, ("FULL_SYNC",), "v6"),
    "c9": Variant("MIX_AIC_1_0", 9),
    "c24_early": Variant("MIX_AIC_1_0", 24, ("EARLY_SET", "EARLY_WAIT")),
    "m5": Variant("MIX_AIC_1_1", 5),
    "m20_hand": Variant("MIX_AIC_1_1", 20, ("HAND_OVER",)),
    "m24_sync": Variant("MIX_AIC_1_1", 24, ("FULL_SYNC",), "m20_hand"),
    "m12_early": Variant("MIX_AIC_1_1", 12, ("EARLY_SET", "EARLY_WAIT"), "m5"),
    "w7": Variant("MIX_AIC_1_2", 7),
    "w11_hand": Variant("MIX_AIC_1_2", 11, ("HAND_OVER",)),
    "w24_sync": Variant("MIX_AIC_1_2", 24, ("FULL_SYNC",), "w24_set"),
    "w6_sync": Variant("MIX_AIC_1_2", 6, ("FULL_SYNC",), "w7"),
    "w16_early": Variant("MIX_AIC_1_2", 16, ("EARLY_SET", "EARLY_WAIT")),
    "w24_set": Variant("MIX_AIC_1_2", 24, ("EARLY_SET",)),
}
"""By name: v, c, m, w for vector, cube, mixed 1:1 and 1:2, then the blocks."""

_SIMPLEST = ("v1", "c3", "w7")


def _rank(variant: str) -> int:
    """How many variants are simpler."""
    return _SIMPLEST.index(variant) if variant in _SIMPLEST else len(_SIMPLEST)


OPTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("early-start", ("1", "1", "0", "2")),
    ("feed-sync-all", ("0", "1")),
    ("debug-sync-all", ("0", "0", "0", "1")),
    ("debug-dcci-all", ("0", "0", "1")),
    ("preload-code", ("per-func", "max", "none")),
    ("split-mode", ("4", "1", "2")),
    ("profiling", ("0", "0", "1")),
)
"""What the options of a graph are drawn from; the first value is the simplest."""


@dataclass(frozen=True, slots=True)
class Op:
    """An operator: its kernel variant and stream, and whether it writes into an old buffer where that is safe."""

    variant: str
    stream: int = 0
    reuse: bool = False


@dataclass(frozen=True, slots=True)
class GraphSpec:
    """Operators in list order, events as (sender, receivers), operators with an outer receive or send, and options."""

    ops: tuple[Op, ...]
    events: tuple[tuple[int, tuple[int, ...]], ...] = ()
    outer_receives: tuple[int, ...] = ()
    outer_sends: tuple[int, ...] = ()
    options: str = ""

    def predecessors(self) -> list[list[int]]:
        """The operators that each operator waits for, by stream and by event."""
        found: list[list[int]] = [[] for _ in self.ops]
        last: dict[int, int] = {}
        for number, op in enumerate(self.ops):
            if op.stream in last:
                found[number].append(last[op.stream])
            last[op.stream] = number
        for sender, receivers in self.events:
            for receiver in receivers:
                if sender not in found[receiver]:
                    found[receiver].append(sender)
        return found

    def sequence(self) -> list[int] | None:
        """The operators in an order that respects all of theirs; None when they wait for each other in a circle."""
        predecessors = self.predecessors()
        placed: dict[int, None] = {}
        while len(placed) < len(self.ops):
            waiting = (op for op in range(len(self.ops)) if op not in placed)
            ready = next((op for op in waiting if all(before in placed for before in predecessors[op])), None)
            if ready is None:
                return None
            placed[ready] = None
        return list(placed)

    def fitting(self, target: Target) -> GraphSpec:
        """The same graph without full synchronisations and waits that would hang."""
        options = parse_options(self.options).options
        need = need_of([kernel_of(op.variant) for op in self.ops])
        shape, _ = override_shape(need, options, target)
        ops = tuple(
            replace(op, variant=VARIANTS[op.variant].plain)
            if inside_finding(kernel_of(op.variant), shape, target, options)
            else op
            for op in self.ops
        )
        # A smaller shape may follow, in which others would hang.
        return self if ops == self.ops else replace(self, ops=ops).fitting(target)

    def smaller(self, target: Target) -> Iterator[GraphSpec]:
        """Valid graphs that are a little simpler, the simplest first."""
        for op in range(len(self.ops)):
            if len(self.ops) > 1:
                yield self._without(op).fitting(target)
        for number in range(len(self.events)):
            yield replace(self, events=self.events[:number] + self.events[number + 1 :])
        options = self.options.split(":") if self.options else []
        for number in range(len(options)):
            yield replace(self, options=":".join(options[:number] + options[number + 1 :])).fitting(target)
        for number in range(len(self.outer_receives)):
            yield replace(self, outer_receives=self.outer_receives[:number] + self.outer_receives[number + 1 :])
        for number in range(len(self.outer_sends)):
            yield replace(self, outer_sends=self.outer_sends[:number] + self.outer_sends[number + 1 :])
        for op, each in enumerate(self.ops):
            simpler = [replace(each, reuse=False)]
            simpler += [replace(each, variant=name) for name in _SIMPLEST[: _rank(each.variant)]]
            for changed in simpler:
                if changed != each:
                    yield replace(self, ops=(*self.ops[:op], changed, *self.ops[op + 1 :])).fitting(target)

    def _without(self, gone: int) -> GraphSpec:
        def moved(numbers: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(number - (number > gone) for number in numbers if number != gone)

        events = tuple(
            (sender - (sender > gone), moved(receivers))
            for sender, receivers in self.events
            if sender != gone and moved(receivers)
        )
        ops = self.ops[:gone] + self.ops[gone + 1 :]
        return GraphSpec(ops, events, moved(self.outer_receives), moved(self.outer_sends), self.options)


@cache
def _source() -> KernelSource:
    path = Path(__file__).parent / "kernels" / "mingle.cpp"
    folder = Path(next(iter(skcore_kernels.__path__))) / "ascendc"
    return KernelSource(path, path.read_text(), "mingle", include_directories=(folder,))


@cache
def kernel_of(name: str) -> SubKernel:
    """The uncompiled kernel of a variant."""
    variant = VARIANTS[name]
    needs_workspace = "FULL_SYNC" in variant.macros or "HAND_OVER" in variant.macros
    return SubKernel(
        name=name,
        kernel_type=KernelType[variant.kernel_type],
        blocks=variant.blocks,
        symbols=PerKind(None, None),
        parameters=(*INPUTS, "y", "workspace", "shift", "salt"),
        source=replace(_source(), definitions=tuple((macro, "1") for macro in variant.macros)),
        early_start=EarlyStartCalls("EARLY_SET" in variant.macros, "EARLY_WAIT" in variant.macros),
        full_sync="FULL_SYNC" in variant.macros,
        op_type="mingle",
        writes=("y",),
        workspace_bytes=PIECES * PIECE_BYTES if needs_workspace else 0,
    )


# Graphs --------------------------------------------------------------------------------------------------------------


def task_graph(spec: GraphSpec) -> TaskGraph:
    """The graph of a spec, with its operators in list order and their events around them."""
    arguments = _arguments(spec)
    tasks: list[Task] = []
    scopes = (Scope(NAME),)
    for number, op in enumerate(spec.ops):
        received = [event for event, (_, receivers) in enumerate(spec.events) if number in receivers]
        received += [FIRST_OUTER_EVENT + number] if number in spec.outer_receives else []
        sent = [event for event, (sender, _) in enumerate(spec.events) if sender == number]
        sent += [FIRST_OUTER_EVENT + MOST_OPERATORS + number] if number in spec.outer_sends else []
        where = f"operator {number}"
        for event in received:
            tasks.append(EventWait(id=len(tasks), stream=op.stream, scopes=scopes, where=where, event=event))
        task = KernelTask(
            id=len(tasks),
            stream=op.stream,
            scopes=scopes,
            where=where,
            name=f"{op.variant}_{number}",
            kernel=kernel_of(op.variant),
            op_type="mingle",
            arguments=arguments[number],
        )
        tasks.append(task)
        for event in sent:
            tasks.append(EventRecord(id=len(tasks), stream=op.stream, scopes=scopes, where=where, event=event))
    written = dict.fromkeys(argument.buffer for given in arguments for argument in _buffers(given))
    settings = (ScopeSettings(NAME, f"stream-fusion=1:{spec.options}".rstrip(":"), "options"),)
    return TaskGraph(NAME, tuple(tasks), tuple(_declared(written)), settings, whole=True)


def _buffers(arguments: Sequence[tuple[str, Argument]]) -> Iterator[BufferArgument]:
    return (argument for _, argument in arguments if isinstance(argument, BufferArgument))


def _declared(names: Sequence[str] | dict[str, None]) -> Iterator[Buffer]:
    shape = (PIECES * PIECE_BYTES // 4,)
    for name in names:
        low, high = -(2.0**31), 2.0**31 - 1
        yield Buffer(name, shape, "int32", {"random": {"seed": 1, "low": low, "high": high}}, name)


def _arguments(spec: GraphSpec) -> list[tuple[tuple[str, Argument], ...]]:
    """The arguments of each operator: it reads what its predecessors wrote, and writes what nobody else may use."""
    predecessors = spec.predecessors()
    ancestors = _ancestors(spec, predecessors)
    users: dict[str, set[int]] = {}
    output: dict[int, str] = {}
    found: list[tuple[tuple[str, Argument], ...]] = [()] * len(spec.ops)
    for op in spec.sequence() or ():
        inputs = [output[before] for before in predecessors[op]][: len(INPUTS)]
        inputs += [f"x{position}" for position in range(len(inputs), len(INPUTS))]
        free = [name for name, by in users.items() if name not in inputs and by <= ancestors[op] and spec.ops[op].reuse]
        output[op] = free[0] if free else f"y{op}"
        readers = {after for after, before in enumerate(predecessors) if op in before[: len(INPUTS)]}
        users.setdefault(output[op], set()).update({op} | readers)
        found[op] = (
            *((parameter, BufferArgument(name)) for parameter, name in zip(INPUTS, inputs, strict=True)),
            ("y", BufferArgument(output[op])),
            ("shift", WordArgument(1 + 5 * op % (PIECES - 1))),
            ("salt", WordArgument(77 + op)),
        )
    return found


def _ancestors(spec: GraphSpec, predecessors: list[list[int]]) -> list[set[int]]:
    found: list[set[int]] = [set() for _ in spec.ops]
    for op in spec.sequence() or ():
        for before in predecessors[op]:
            found[op] |= {before} | found[before]
    return found


# Drawing -------------------------------------------------------------------------------------------------------------


@st.composite
def graph_specs(draw: st.DrawFn, target: Target, most_operators: int = MOST_OPERATORS) -> GraphSpec:
    """Any graph; it shrinks to few operators, one stream, no events and default options."""
    streams = draw(st.integers(1, MOST_STREAMS))
    op = st.builds(Op, st.sampled_from(tuple(VARIANTS)), st.integers(0, streams - 1), st.booleans())
    ops = tuple(draw(st.lists(op, min_size=1, max_size=most_operators)))
    numbers = st.integers(0, len(ops) - 1)
    pairs = draw(st.lists(st.tuples(numbers, numbers), max_size=2 * len(ops)))
    joined = draw(st.booleans())
    outside = [tuple(sorted(draw(st.sets(numbers, max_size=3)))) for _ in range(2)]
    options = {name: draw(st.sampled_from(values)) for name, values in OPTIONS}
    return make_spec(ops, pairs, joined, outside[0], outside[1], options, target)


def random_spec(random_: random.Random, target: Target, most_operators: int = MOST_OPERATORS) -> GraphSpec:
    """A graph from a plain generator: mostly several streams and many events."""
    streams = random_.randint(1, MOST_STREAMS)
    count = random_.randint(2, most_operators)
    names = tuple(VARIANTS)
    if random_.random() < 0.25:
        kinds = random_.choice(("v", "c", "mw", "vc"))
        names = tuple(name for name in names if name[0] in kinds)
    ops = tuple(Op(random_.choice(names), random_.randrange(streams), random_.random() < 0.5) for _ in range(count))
    pairs = [(random_.randrange(count), random_.randrange(count)) for _ in range(random_.randint(0, 2 * count))]
    outside = [tuple(sorted(random_.sample(range(count), random_.randint(0, 2)))) for _ in range(2)]
    options = {name: random_.choice(values) for name, values in OPTIONS}
    return make_spec(ops, pairs, random_.random() < 0.3, outside[0], outside[1], options, target)


def make_spec(
    ops: tuple[Op, ...],
    pairs: Sequence[tuple[int, int]],
    joined: bool,
    outer_receives: tuple[int, ...],
    outer_sends: tuple[int, ...],
    options: dict[str, str],
    target: Target,
) -> GraphSpec:
    """A valid graph: pairs become events as long as there is no circle; ``joined`` gives one sender one event."""
    simplest = {name: values[0] for name, values in OPTIONS}
    text = ":".join(f"{name}={value}" for name, value in options.items() if value != simplest[name])
    spec = GraphSpec(ops, (), outer_receives, outer_sends, text)
    for sender, receiver in dict.fromkeys(pairs):
        if sender == receiver or len(spec.predecessors()[receiver]) == len(INPUTS):
            continue
        larger = replace(spec, events=_with_event(spec.events, sender, receiver, joined))
        if larger.sequence() is not None:
            spec = larger
    return spec.fitting(target)


def _with_event(
    events: tuple[tuple[int, tuple[int, ...]], ...], sender: int, receiver: int, joined: bool
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    senders = [first for first, _ in events]
    if not joined or sender not in senders:
        return (*events, (sender, (receiver,)))
    return tuple(
        (first, (*receivers, receiver)) if first == sender else (first, receivers) for first, receivers in events
    )


# Running -------------------------------------------------------------------------------------------------------------


def fuse_spec(session: Session, spec: GraphSpec) -> FusedGraph:
    """The fused form: one SuperKernel; events are inside of it."""
    fused = session.fuse(task_graph(spec))
    return replace(fused, items=fused.plans)


def unfused_results(session: Session, spec: GraphSpec, fused: FusedGraph) -> dict[str, bytes]:
    """The buffers after every kernel ran alone, in an order that respects all of theirs."""
    kernels = fused.graph.kernels
    ordered = tuple(kernels[op] for op in spec.sequence() or ())
    alone = replace(fused, graph=replace(fused.graph, tasks=ordered, whole=False))
    return dict(session.run(session.unfused_program(alone)).buffers)


def faults(fused: FusedGraph, expected: dict[str, bytes], found: dict[str, bytes]) -> list[str]:
    """Buffers with other bytes than expected, and words of events that are not as they have to be at the end."""
    wrong = [buffer.name for buffer in fused.graph.buffers if found[buffer.name] != expected[buffer.name]]
    for plan in fused.plans:
        for slot in plan.layout.slots:
            if slot.role in (Role.NOTIFY, Role.WAIT):
                word = f"{plan.name}.{plan.group.operators[slot.op].name}.{slot.name}"
                wrong += [] if _word(found, word) == _final_word(fused, slot.role, slot.name) else [word]
    return wrong


def _word(found: dict[str, bytes], name: str) -> int:
    value: int = struct.unpack("<Q", found[name])[0]
    return value


def _final_word(fused: FusedGraph, role: Role, name: str) -> int:
    """A notification leaves 1 and a wait 0; the words of inner events stay as they were, 0 and 1."""
    event = int(name.rpartition("_")[2])
    position = {task.id: number for number, task in enumerate(fused.graph.tasks)}
    records = [position[t.id] for t in fused.graph.tasks if isinstance(t, EventRecord) and t.event == event]
    waits = [position[t.id] for t in fused.graph.tasks if isinstance(t, EventWait) and t.event == event]
    inner = bool(records) and any(wait > records[0] for wait in waits)
    return int(inner) if role is Role.WAIT else int(not inner)


def check_spec(session: Session, spec: GraphSpec, seeds: Sequence[int]) -> None:
    """The plan is accepted, and the fused form gives the bytes of the unfused one with every seed."""
    fused = fuse_spec(session, spec)
    for plan in fused.plans:
        check_plan(plan, session.target)
    expected = unfused_results(session, spec, fused)
    program = session.fused_program(fused)
    for seed in seeds:
        found = dict(session.run(program.with_seed(seed)).buffers)
        wrong = faults(fused, expected, found)
        assert not wrong, f"seed {seed}: {', '.join(wrong)} differ in {spec}"
