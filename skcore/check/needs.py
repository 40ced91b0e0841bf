# Licensed under the Apache License, Version 2.0.
"""What has to be over before what: from the task graph's orders, and from the words and lines that operators use."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass

from skcore.graph.kernel import CoreKind
from skcore.graph.task import BufferArgument
from skcore.plan.group import Operator
from skcore.plan.layout import Role
from skcore.plan.plan import Plan
from skcore.plan.steps import (
    AnyCall,
    AwaitTiling,
    Call,
    CallSelected,
    ClearSlot,
    FeedClear,
    Gate,
    Index,
    Notify,
    Select,
    Step,
    WaitEvent,
)


def required_orders(plan: Plan) -> Iterator[tuple[int, int]]:
    """Pairs of operators of which the first has to end before the second starts.

    By event, and by stream or, where that was asked for and all buffers are known, by what they read and write.
    """
    operators = plan.group.operators
    senders = {event: op for op, operator in enumerate(operators) for event in operator.sends}
    for op, operator in enumerate(operators):
        yield from ((senders[event], op) for event in operator.receives if event in senders)
    touched = [_touched(operator) for operator in operators]
    if plan.group.options.auto_op_parallel and all(touched):
        yield from _sharing_pairs(touched)
    else:
        last: dict[int, int] = {}
        for op, operator in enumerate(operators):
            if operator.task.stream in last:
                yield last[operator.task.stream], op
            last[operator.task.stream] = op


def _touched(operator: Operator) -> dict[str, bool]:
    """The buffers of an operator, and whether it writes them; nothing where that is not known."""
    writes = operator.kernel.writes
    arguments = operator.task.arguments if writes else ()
    found: dict[str, bool] = {}
    for name, argument in arguments:
        if isinstance(argument, BufferArgument):
            found[argument.buffer] = found.get(argument.buffer, False) or name in writes
    return found


def _sharing_pairs(touched: list[dict[str, bool]]) -> Iterator[tuple[int, int]]:
    """For each buffer: a writer waits for those that touched it since the last writer, a reader for that writer."""
    since: dict[str, list[int]] = {}
    for op, buffers in enumerate(touched):
        for buffer, written in buffers.items():
            earlier = since.setdefault(buffer, [])
            writers = [other for other in earlier if touched[other][buffer]]
            yield from ((other, op) for other in (earlier if written else writers))
            since[buffer] = [op] if written else [*earlier, op]


_FIRST_CORE = Gate(Index.CORE, 1)


@dataclass(frozen=True, slots=True)
class Need:
    """A step that has to be complete on the cores inside ``gate`` (None: all of its kind).

    ``op`` is the operator that it calls (-1: none).
    """

    kind: CoreKind
    step: int
    what: str
    gate: Gate | None = None
    op: int = -1


Needs = dict[tuple[int, type], list[Need]]
"""By operator and by the type of a step of it: its call, a notification of its end, the choice of its code."""


def needs_of(plan: Plan) -> Needs:
    """What has to be complete before each step that others have to be over for."""
    calls: dict[int, list[Need]] = {}
    clears: list[Need] = []
    fed: dict[int, type] = {}
    needs: Needs = {}
    sent = {event for operator in plan.group.operators for event in operator.sends}
    for kind, program in plan.programs:
        for number, step in enumerate(program):
            if isinstance(step, AnyCall):
                name = plan.group.operators[step.op].name
                gate = step.gate if isinstance(step, Call) else None
                calls.setdefault(step.op, []).append(Need(kind, number, f"{name} still runs", gate, step.op))
                fed.update({step.op: type(step)} if step.fed else {})
            elif isinstance(step, FeedClear):
                clears.append(Need(kind, number, "the feed-sync workspace is cleared"))
            else:
                for key, what in _waited_for(plan, step, sent):
                    needs.setdefault(key, []).append(Need(kind, number, what, _FIRST_CORE))
    for first, second in required_orders(plan):
        needs.setdefault((second, _call_type(plan, second)), []).extend(calls.get(first, ()))
    for op, ends in calls.items():
        needs[op, Notify] = ends
    for op, call_type in fed.items():
        needs.setdefault((op, call_type), []).extend(clears)
    return needs


def _waited_for(plan: Plan, step: Step, sent: Set[int]) -> Iterator[tuple[tuple[int, type], str]]:
    """Which step may only follow a wait for the world outside, and what for."""
    if isinstance(step, AwaitTiling):
        yield (step.op, Select), "its tiling is waited for"
    elif isinstance(step, WaitEvent):
        what = f"argument {step.slot} is waited for"
        yield (step.op, ClearSlot), what
        if _comes_from_outside(plan, step, sent):
            yield (step.op, _call_type(plan, step.op)), what


def _call_type(plan: Plan, op: int) -> type:
    return CallSelected if plan.group.operators[op].kernel.tiling else Call


def _comes_from_outside(plan: Plan, step: WaitEvent, sent: Set[int]) -> bool:
    """Whether an event has no sender inside, so that its word alone tells of it."""
    if step.slot >= len(plan.layout.slots) or plan.layout.slots[step.slot].role is not Role.WAIT:
        return True
    slot = plan.layout.slots[step.slot]
    return plan.group.operators[slot.op].receives[slot.position] not in sent
