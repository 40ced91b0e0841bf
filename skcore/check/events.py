# Licensed under the Apache License, Version 2.0.
"""Whether events with an end outside are waited for, notified and cleared, each exactly once and by its own word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from skcore.errors import Problem
from skcore.graph.kernel import CoreKind
from skcore.plan.layout import Role
from skcore.plan.plan import Plan
from skcore.plan.steps import AwaitTiling, Call, CallSelected, ClearSlot, Notify, Select, WaitEvent


def event_problems(plan: Plan) -> Iterator[Problem]:
    """Words that are missed, used twice, of another operator, or handled on the wrong side of the call."""
    operators = plan.group.operators
    senders = {event: op for op, operator in enumerate(operators) for event in operator.sends}
    receivers = {event: op for op, operator in enumerate(operators) for event in operator.receives}
    inner = {event for event, op in senders.items() if receivers.get(event, -1) > op}
    expected: Counter[tuple[type, int]] = Counter()
    for index, slot in enumerate(plan.layout.slots):
        if slot.role is Role.NOTIFY and operators[slot.op].sends[slot.position] not in inner:
            expected[Notify, index] += 1
        elif slot.role is Role.TILING_LOCK:
            expected[AwaitTiling, index] += 1
        elif slot.role is Role.WAIT and operators[slot.op].receives[slot.position] not in inner:
            expected[WaitEvent, index] += 1
            expected[ClearSlot, index] += 1
    found: Counter[tuple[type, int]] = Counter()
    heard = _waits(plan)
    for kind, program in plan.programs:
        called: set[int] = set()
        selected: set[int] = set()
        for number, step in enumerate(program):
            if isinstance(step, Call | CallSelected):
                called.add(step.op)
                if isinstance(step, CallSelected) and step.op not in selected:
                    what = f"{operators[step.op].name} is called before its code is chosen"
                    yield Problem(f"{plan.name}: {kind.value} {number}", what)
            elif isinstance(step, Select):
                selected.add(step.op)
            elif isinstance(step, AwaitTiling):
                found[AwaitTiling, step.slot] += 1
            elif isinstance(step, Notify | WaitEvent | ClearSlot):
                found[type(step), step.slot] += 1
                owner = plan.layout.slots[step.slot].op if step.slot < len(plan.layout.slots) else -1
                late = isinstance(step, WaitEvent) and step.op in called
                early = not isinstance(step, WaitEvent) and step.op not in called
                waited = heard.get(step.slot, (kind, -1))
                early = early or (isinstance(step, ClearSlot) and (waited[0] is not kind or waited[1] > number))
                if owner != step.op or late or early:
                    name = operators[step.op].name
                    what = f"the {type(step).__name__} of argument {step.slot} is not where {name} needs it"
                    yield Problem(f"{plan.name}: {kind.value} {number}", what)
    for (step_type, index), count in (expected - found).items():
        yield Problem(plan.name, f"{count} {step_type.__name__} of argument {index} is missing")
    for (step_type, index), count in (found - expected).items():
        yield Problem(plan.name, f"{count} {step_type.__name__} of argument {index} is too many")


def _waits(plan: Plan) -> dict[int, tuple[CoreKind, int]]:
    """Where each word is waited for."""
    return {
        step.slot: (kind, number)
        for kind, program in plan.programs
        for number, step in enumerate(program)
        if isinstance(step, WaitEvent)
    }
