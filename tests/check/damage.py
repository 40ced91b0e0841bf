# Licensed under the Apache License, Version 2.0.
"""Random plans (streams, events inside and outside, early start, fed full synchronisations), damaged at some steps."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum

from skcore.check import check_plan
from skcore.errors import PlanError
from skcore.graph.kernel import CoreKind, EarlyStartCalls, KernelType, OperatorClass, PerKind, SubKernel
from skcore.graph.task import KernelTask
from skcore.options import EarlyStart, Options, PreloadMode
from skcore.plan.group import FusionGroup, Operator
from skcore.plan.plan import Plan, Program
from skcore.plan.planner import plan_group
from skcore.plan.steps import (
    Await,
    Call,
    Channel,
    ClearSlot,
    EarlyConfigure,
    EarlySet,
    EarlyWait,
    FeedClear,
    FeedSync,
    FullSync,
    Gate,
    GroupSync,
    Index,
    Notify,
    Signal,
    Step,
    WaitEvent,
)
from skcore.target import Target

ARCHES = ("dav-2201", "dav-3510")
# Steps that synchronise or call; the others change neither order nor progress.
JUDGED = (
    Await,
    Call,
    ClearSlot,
    EarlyConfigure,
    EarlySet,
    EarlyWait,
    FeedClear,
    FeedSync,
    FullSync,
    GroupSync,
    Notify,
    Signal,
    WaitEvent,
)
Queues = dict[CoreKind, list[Step]]
Place = tuple[CoreKind, int]


# Plans


def random_kernel(rng: random.Random, number: int, types: list[KernelType], most_blocks: int, full: bool) -> SubKernel:
    kernel_type = rng.choice(types)
    name = f"op{number}"
    symbols = PerKind.of(lambda kind: f"{name}_{kind.value}" if kind in kernel_type.kinds else None)
    return SubKernel(
        name=name,
        kernel_type=kernel_type,
        blocks=rng.randint(1, most_blocks),
        symbols=symbols,
        parameters=("x", "y")[: rng.randint(1, 2)],
        early_start=EarlyStartCalls(rng.random() < 0.25, rng.random() < 0.25),
        full_sync=full and rng.random() < 0.3,
    )


def random_group(rng: random.Random, most_operators: int = 5, most_blocks: int = 2) -> FusionGroup:
    """Operators on one to three streams, with events among them (also against their order in the list) and outside."""
    one_type = rng.choice(list(KernelType))
    types = rng.choice([[one_type], list(KernelType), list(KernelType)])
    full = rng.random() < 0.4
    count = rng.randint(1, most_operators)
    streams = [rng.randrange(rng.randint(1, 3)) for _ in range(count)]
    sends: dict[int, list[int]] = defaultdict(list)
    receives: dict[int, list[int]] = defaultdict(list)
    for event in range(rng.randint(0, 3)):
        first, second = (rng.randrange(count) for _ in range(2))
        how = rng.choice(["inner", "inner", "from outside", "to outside"])
        if how != "from outside":
            sends[first].append(event)
        if how != "to outside":
            receives[second].append(event)
    operators = []
    for op in range(count):
        kernel = random_kernel(rng, op, types, most_blocks, full)
        task = KernelTask(id=op, stream=streams[op], name=f"{kernel.name}", kernel=kernel, where=f"op {op}")
        operators.append(Operator(task, kernel, tuple(sends[op]), tuple(receives[op])))
    options = Options(
        early_start=rng.choice([EarlyStart.ON, EarlyStart.ON, EarlyStart.WITHOUT_SUB_KERNELS]),
        preload_code=PreloadMode.NONE,
        feed_sync_all=full or rng.random() < 0.1,
        debug_sync_all=rng.random() < 0.05,
        split_mode=1,
        stream_fusion=True,
    )
    sent, received = ({event for op in range(count) for event in of[op]} for of in (sends, receives))
    outward = tuple(event for event in sorted(sent) if event not in received or rng.random() < 0.3)
    outer = [(first, second) for first in outward for second in sorted(received - sent)]
    relays = tuple(rng.sample(outer, rng.randint(0, min(2, len(outer)))))
    return FusionGroup("sk", tuple(operators), options, "sk", (), outward, relays)


def random_plan(rng: random.Random, target: Target, most_operators: int = 5, most_blocks: int = 2) -> Plan:
    """A plan of the planner, checked by nobody."""
    while True:
        try:
            return plan_group(random_group(rng, most_operators, most_blocks), target)
        except PlanError:
            continue


def random_damaged(
    rng: random.Random, targets: dict[str, Target], most_operators: int = 5, most_blocks: int = 2
) -> Iterator[tuple[str, Damaged]]:
    """Damaged plans without end, a dozen of each plan that is accepted as it is."""
    while True:
        arch = rng.choice(ARCHES)
        plan = random_plan(rng, targets[arch], most_operators, most_blocks)
        if refusal(plan, targets[arch]):
            continue
        for _ in range(12):
            found = damaged(rng, plan, rng.choice([1, 1, 2]))
            if found is not None:
                yield arch, found


# Damage


@dataclass(frozen=True, slots=True)
class Damaged:
    """A plan with a damaged step: which kind of damage, and where."""

    plan: Plan
    how: str
    text: str


def queues_of(plan: Plan) -> Queues:
    return {kind: list(program) for kind, program in plan.programs}


def with_queues(plan: Plan, queues: Queues) -> Plan:
    return replace(plan, programs=PerKind.of(lambda kind: Program(tuple(queues[kind]))))


def _places(queues: Queues, kinds: type | tuple[type, ...]) -> list[Place]:
    return [
        (kind, number) for kind, queue in queues.items() for number, step in enumerate(queue) if isinstance(step, kinds)
    ]


def _removed(rng: random.Random, plan: Plan, queues: Queues, place: Place) -> bool:
    del queues[place[0]][place[1]]
    return True


def _moved(rng: random.Random, plan: Plan, queues: Queues, place: Place) -> bool:
    queue = queues[place[0]]
    step = queue.pop(place[1])
    far = rng.random() < 0.5
    to = rng.randint(0, len(queue)) if far else max(0, min(len(queue), place[1] + rng.choice([-2, -1, 1, 2])))
    queue.insert(to, step)
    return to != place[1]


def _doubled(rng: random.Random, plan: Plan, queues: Queues, place: Place) -> bool:
    queue = queues[place[0]]
    queue.insert(rng.choice([place[1], rng.randint(0, len(queue))]), queue[place[1]])
    return True


def _swapped(rng: random.Random, plan: Plan, queues: Queues, place: Place) -> bool:
    kind, number = place
    others = [
        other for each, other in _places(queues, JUDGED) if each is kind and queues[kind][other] != queues[kind][number]
    ]
    if not others:
        return False
    other = rng.choice(others)
    queues[kind][number], queues[kind][other] = queues[kind][other], queues[kind][number]
    return True


def _channel(rng: random.Random, plan: Plan, queues: Queues, place: Place) -> bool:
    """A signal on the other channel, a wait for a signal instead of a signal, or a barrier instead of a signal."""
    kind, number = place
    step = queues[kind][number]
    if not isinstance(step, Signal | Await | GroupSync | FullSync):
        return False
    channel = rng.choice(list(Channel))
    others: list[Step] = [Signal(channel), Await(channel), GroupSync(rng.choice(list(CoreKind))), FullSync()]
    changed = rng.choice(others)
    queues[kind][number] = changed
    return changed != step


def _kind(rng: random.Random, plan: Plan, queues: Queues, place: Place) -> bool:
    """On the cores of the other kind."""
    if not all(cores for _, cores in plan.shape.cores):
        return False
    step = queues[place[0]].pop(place[1])
    other = CoreKind.AIV if place[0] is CoreKind.AIC else CoreKind.AIC
    queue = queues[other]
    queue.insert(rng.randint(0, len(queue)), step)
    return True


def _gate(rng: random.Random, plan: Plan, queues: Queues, place: Place) -> bool:
    kind, number = place
    step = queues[kind][number]
    if isinstance(step, Call):
        queues[kind][number] = replace(step, gate=_other_gate(rng, step.gate))
    elif isinstance(step, EarlySet | EarlyWait):
        outside = rng.choice([None, Gate(rng.choice(list(Index)), rng.randint(0, 3))])
        if step.outside is not None and rng.random() < 0.7:
            outside = _other_gate(rng, step.outside)
        queues[kind][number] = replace(step, outside=outside)
    return queues[kind][number] != step


def _other_gate(rng: random.Random, gate: Gate) -> Gate:
    if rng.random() < 0.3:
        return replace(gate, index=Index.CORE if gate.index is Index.BLOCK else Index.BLOCK)
    return replace(gate, blocks=max(0, gate.blocks + rng.choice([-1, 1])))


def _slot(rng: random.Random, plan: Plan, queues: Queues, place: Place) -> bool:
    kind, number = place
    step = queues[kind][number]
    if isinstance(step, Notify | WaitEvent | ClearSlot):
        roles = [index for index, slot in enumerate(plan.layout.slots) if slot.role.value in ("notify", "wait")]
        queues[kind][number] = replace(step, slot=rng.choice([*roles, rng.randint(0, len(plan.layout.slots))]))
    return queues[kind][number] != step


def _operator(rng: random.Random, plan: Plan, queues: Queues, place: Place) -> bool:
    """With the code, the arguments, or the number of another operator."""
    kind, number = place
    step = queues[kind][number]
    op = rng.randrange(len(plan.group.operators))
    if isinstance(step, Call):
        changes: list[Call] = [replace(step, argument=plan.layout.parameters[op])]
        symbol = plan.group.operators[op].kernel.symbols[kind]
        if symbol is not None:
            changes += [replace(step, symbols=(symbol,)), replace(step, op=op)]
        queues[kind][number] = rng.choice(changes)
    elif isinstance(step, FeedSync):
        count = len(plan.group.operators)
        queues[kind][number] = replace(step, op=op, aic_line=op, aiv_line=count + op)
    return queues[kind][number] != step


def _configure(rng: random.Random, plan: Plan, queues: Queues, place: Place) -> bool:
    kind, number = place
    step = queues[kind][number]
    if isinstance(step, EarlyConfigure | EarlyWait):
        previous, current = rng.choice(list(OperatorClass)), rng.choice(list(OperatorClass))
        queues[kind][number] = replace(step, previous=previous, current=current)
    return queues[kind][number] != step


def _feeding(rng: random.Random, plan: Plan, queues: Queues, place: Place) -> bool:
    kind, number = place
    step = queues[kind][number]
    if isinstance(step, Call):
        queues[kind][number] = replace(step, fed=not step.fed)
        return plan.group.operators[step.op].kernel.full_sync
    if isinstance(step, FeedSync):
        queues[kind][number] = replace(step, enabled=not step.enabled)
    return queues[kind][number] != step


Damage = Callable[[random.Random, Plan, Queues, Place], bool]
DAMAGES: dict[str, tuple[Damage, tuple[type, ...]]] = {
    "removed": (_removed, JUDGED),
    "moved": (_moved, JUDGED),
    "doubled": (_doubled, JUDGED),
    "swapped": (_swapped, JUDGED),
    "other channel": (_channel, (Signal, Await, GroupSync, FullSync)),
    "other core kind": (_kind, JUDGED),
    "other gate": (_gate, (Call, EarlySet, EarlyWait)),
    "other slot": (_slot, (Notify, WaitEvent, ClearSlot)),
    "other operator": (_operator, (Call, FeedSync)),
    "other pair": (_configure, (EarlyConfigure, EarlyWait)),
    "feeding": (_feeding, (Call, FeedSync)),
}


def damaged(rng: random.Random, plan: Plan, times: int = 1) -> Damaged | None:
    """The plan with ``times`` damages, or None where the drawn ones change nothing that is judged."""
    queues = queues_of(plan)
    hows, texts = [], []
    for _ in range(times):
        how = rng.choice(list(DAMAGES))
        damage, kinds = DAMAGES[how]
        places = _places(queues, kinds)
        if not places:
            return None
        place = rng.choice(places)
        step = queues[place[0]][place[1]]
        if not damage(rng, plan, queues, place):
            return None
        hows.append(how)
        texts.append(f"{how}: {place[0].value} {place[1]} {brief(step)}")
    made = with_queues(plan, queues)
    if judged_steps(made) == judged_steps(plan):
        return None
    return Damaged(made, hows[0] if times == 1 else "two damages", "; ".join(texts))


def judged_steps(plan: Plan) -> dict[CoreKind, list[Step]]:
    return {
        kind: [step for step in program if isinstance(step, JUDGED)] if plan.shape.cores[kind] else []
        for kind, program in plan.programs
    }


# What is shown and asked


def refusal(plan: Plan, target: Target) -> str:
    """Why the checker refuses a plan, or nothing."""
    try:
        check_plan(plan, target)
    except PlanError as error:
        return str(error)
    return ""


def brief(value: object) -> str:
    """A step as one writes it, with names for members of enumerations."""
    if isinstance(value, Gate):
        return f"{value.index.value} < {value.blocks}"
    if isinstance(value, Enum):
        return value.name
    if is_dataclass(value):
        parts = (brief(getattr(value, part.name)) for part in fields(value))
        return f"{type(value).__name__}({', '.join(parts)})"
    return str(value)


def shown(plan: Plan) -> str:
    """A plan in short lines."""
    lines = [f"{plan.shape.kernel_type.name} x {plan.shape.blocks}"]
    for op, operator in enumerate(plan.group.operators):
        kernel = operator.kernel
        facts = [kernel.kernel_type.name, f"{kernel.blocks} blocks", f"stream {operator.task.stream}"]
        facts += ["sets"] * kernel.early_start.sets + ["waits"] * kernel.early_start.waits
        facts += ["full sync"] * kernel.full_sync
        facts += [f"sends {list(operator.sends)}"] * bool(operator.sends)
        facts += [f"receives {list(operator.receives)}"] * bool(operator.receives)
        lines.append(f"op {op}: {', '.join(facts)}")
    for kind, program in plan.programs:
        steps = [(number, step) for number, step in enumerate(program) if isinstance(step, JUDGED)]
        lines += [f"{kind.value} {number}: {brief(step)}" for number, step in steps]
    return "\n".join(f"    {line}" for line in lines)
