# Licensed under the Apache License, Version 2.0.
"""Whether events with an end outside are waited for, notified and cleared, each by its own word and often enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

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
    yield from ((AwaitTiling, index) for index, slot in enumerate(plan.layout.slots) if slot.role is Role.TILING_LOCK)
    yield from ((Notify, word.slot) for word in used_words(plan, Role.NOTIFY))
    for word in used_words(plan, Role.WAIT):
        yield WaitEvent, word.slot
        yield ClearSlot, word.slot


class EventWord(NamedTuple):
    """The argument word of an event: its slot in the layout, its operator, the event."""

    slot: int
    op: int
    event: int


def used_words(plan: Plan, role: Role) -> Iterator[EventWord]:
    """The words that an operator sets (notify) or that are set for it (wait).

    An event that an operator sends to a later one is an order alone; its words stay as they are, unless somebody
    outside waits for it as well.
    """
    operators = plan.group.operators
    senders = {event: op for op, operator in enumerate(operators) for event in operator.sends}
    receivers = {event: op for op, operator in enumerate(operators) for event in operator.receives}
    inner = {event for event, op in senders.items() if receivers.get(event, -1) > op}
    told = plan.group.outward if role is Role.NOTIFY else ()
    for index, slot in enumerate(plan.layout.slots):
        if slot.role is role:
            operator = operators[slot.op]
            event = (operator.sends if role is Role.NOTIFY else operator.receives)[slot.position]
            if event not in inner or event in told:
                yield EventWord(index, slot.op, event)


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
