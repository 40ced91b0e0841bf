# Licensed under the Apache License, Version 2.0.
"""Whether events with an end outside are waited for, notified and cleared, each by its own word and often enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set

from skcore.errors import Problem
from skcore.plan.layout import Role
from skcore.plan.plan import Plan
from skcore.plan.steps import AwaitTiling, CallSelected, ClearSlot, Notify, Select, WaitEvent

_EVENT_STEPS = Notify | WaitEvent | ClearSlot
_WORD_STEPS = AwaitTiling | _EVENT_STEPS


def event_problems(plan: Plan) -> Iterator[Problem]:
    """Words that are missed, set or cleared twice, or those of another operator; when is a matter of order."""
    yield from _place_problems(plan)
    expected = Counter(_expected(plan))
    found = Counter(
        [(type(step), step.slot) for _, program in plan.programs for step in program if isinstance(step, _WORD_STEPS)]
    )
    for (step_type, index), count in (expected - found).items():
        yield Problem(plan.name, f"{count} {step_type.__name__} of argument {index} is missing")
    for (step_type, index), count in (found - expected).items():
        # Who waits for a word once more sees it still set.
        if step_type is not WaitEvent or (WaitEvent, index) not in expected:
            yield Problem(plan.name, f"{count} {step_type.__name__} of argument {index} is too many")


def _expected(plan: Plan) -> Iterator[tuple[type, int]]:
    """The steps that have to stand in one of the programs: a word of an event that is an order alone has none."""
    operators = plan.group.operators
    inner = inner_events(plan)
    for index, slot in enumerate(plan.layout.slots):
        if slot.role is Role.NOTIFY:
            event = operators[slot.op].sends[slot.position]
            if event not in inner or event in plan.group.outward:
                yield Notify, index
        elif slot.role is Role.TILING_LOCK:
            yield AwaitTiling, index
        elif slot.role is Role.WAIT and operators[slot.op].receives[slot.position] not in inner:
            yield WaitEvent, index
            yield ClearSlot, index


def inner_events(plan: Plan) -> Set[int]:
    """The events that an operator sends to a later one: they are an order alone, their words stay as they are."""
    operators = plan.group.operators
    senders = {event: op for op, operator in enumerate(operators) for event in operator.sends}
    receivers = {event: op for op, operator in enumerate(operators) for event in operator.receives}
    return {event for event, op in senders.items() if receivers.get(event, -1) > op}


def _place_problems(plan: Plan) -> Iterator[Problem]:
    slots = plan.layout.slots
    for kind, program in plan.programs:
        selected: set[int] = set()
        for number, step in enumerate(program):
            if isinstance(step, Select):
                selected.add(step.op)
            elif isinstance(step, CallSelected) and step.op not in selected:
                what = f"{plan.group.operators[step.op].name} is called before its code is chosen"
                yield Problem(plan.place(kind, number), what)
            elif isinstance(step, _EVENT_STEPS) and (step.slot >= len(slots) or slots[step.slot].op != step.op):
                name = plan.group.operators[step.op].name
                yield Problem(plan.place(kind, number), f"argument {step.slot} is no word of {name}")
