# Licensed under the Apache License, Version 2.0.
"""Order, progress and residue of a plan, proved for every interleaving (design §7.1-§7.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skcore.check.cores import representative_groups
from skcore.check.execution import CoreState, Execution, Start
from skcore.check.protocol import CorePlace, Protocol, Verb
from skcore.errors import Problem
from skcore.graph.kernel import CoreKind
from skcore.graph.task import BufferArgument
from skcore.plan.group import Operator
from skcore.plan.labels import label_step
from skcore.plan.layout import Role
from skcore.plan.plan import Plan
from skcore.plan.steps import (
    AwaitTiling,
    Call,
    CallSelected,
    FeedClear,
    Notify,
    Select,
    Step,
    WaitEvent,
)
from skcore.target import Target


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


def order_problems(plan: Plan, target: Target) -> Iterator[Problem]:
    """Every order that some interleaving breaks, every wait that never ends, every flag that is left over."""
    steps = {kind: list(program) for kind, program in plan.programs}
    execution = Execution(representative_groups(plan), Protocol(plan, target), target.flags.counter_limit)
    yield from (_stuck_problem(plan, core, steps) for core in execution.stuck)
    if not execution.stuck:
        for place, flag, count in dict.fromkeys(execution.left_over()):
            yield Problem(plan.name, f"{_core(place)} ends with {count} of {flag} that nobody takes")
    for overflow in execution.overflows:
        where = f"{plan.name}: {overflow.place.kind.value} {overflow.step}"
        yield Problem(where, f"{overflow.flag} may reach {overflow.count}, the counter ends at its limit")
    needs = _needs(plan, steps)
    clears = [
        (kind, number) for kind, run in steps.items() for number, step in enumerate(run) if isinstance(step, FeedClear)
    ]
    for start in execution.starts:
        for need in needs.get((start.op, type(steps[start.place.kind][start.step])), ()):
            if start.knowledge.everywhere(need.kind) <= need.step:
                yield _order_problem(plan, start, need)
        call = steps[start.place.kind][start.step]
        if isinstance(call, Call | CallSelected) and call.fed and not _is_cleared(start, clears):
            name = plan.group.operators[start.op].name
            yield Problem(plan.name, f"{name} may start before the feed-sync workspace is cleared")


@dataclass(frozen=True, slots=True)
class _Need:
    """A step of the other cores that has to be complete, and what it is."""

    kind: CoreKind
    step: int
    what: str


def _needs(plan: Plan, steps: dict[CoreKind, list[Step]]) -> dict[tuple[int, type], list[_Need]]:
    """What has to be complete before the call of an operator, its notifications, and the choice of its code."""
    calls: dict[int, list[_Need]] = {}
    needs: dict[tuple[int, type], list[_Need]] = {}

    def add(op: int, before: type, need: _Need) -> None:
        needs.setdefault((op, before), []).append(need)

    for kind, program in steps.items():
        for number, step in enumerate(program):
            if isinstance(step, Call | CallSelected):
                name = plan.group.operators[step.op].name
                calls.setdefault(step.op, []).append(_Need(kind, number, f"{name} still runs"))
            elif isinstance(step, WaitEvent) and _comes_from_outside(plan, step):
                add(step.op, _call_type(plan, step.op), _Need(kind, number, f"argument {step.slot} is waited for"))
            elif isinstance(step, AwaitTiling):
                add(step.op, Select, _Need(kind, number, "its tiling is waited for"))
    for first, second in required_orders(plan):
        for need in calls.get(first, ()):
            add(second, _call_type(plan, second), need)
    for op, ends in calls.items():
        needs[op, Notify] = ends
    return needs


def _call_type(plan: Plan, op: int) -> type:
    return CallSelected if plan.group.operators[op].kernel.tiling else Call


def _comes_from_outside(plan: Plan, step: WaitEvent) -> bool:
    """Whether an event has no sender inside, so that its word alone tells of it."""
    if step.slot >= len(plan.layout.slots) or plan.layout.slots[step.slot].role is not Role.WAIT:
        return True
    slot = plan.layout.slots[step.slot]
    event = plan.group.operators[slot.op].receives[slot.position]
    return all(event not in operator.sends for operator in plan.group.operators)


def _order_problem(plan: Plan, start: Start, need: _Need) -> Problem:
    name = plan.group.operators[start.op].name
    return Problem(
        f"{plan.name}: {start.place.kind.value} {start.step}",
        f"{name} may go on at {_core(start.place)} while {need.what} on {need.kind.name} cores: "
        f"nothing makes it wait for step {need.kind.value} {need.step}",
    )


def _is_cleared(start: Start, clears: Sequence[tuple[CoreKind, int]]) -> bool:
    """Whether the lines of the feed-sync workspace are zero before an operator that uses them starts."""
    return any(start.knowledge.everywhere(kind) > number for kind, number in clears)


def _stuck_problem(plan: Plan, core: CoreState, steps: dict[CoreKind, list[Step]]) -> Problem:
    operation = core.waiting
    if operation is None:
        raise ValueError("the core is at its end")
    kind = core.place.kind
    step = steps[kind][operation.step]
    verb = "waits for ever" if operation.verb in (Verb.COLLECT, Verb.TAKE, Verb.HEAR) else "stops"
    what = f"word of event {operation.op}" if operation.verb is Verb.HEAR else str(operation.flag)
    return Problem(
        f"{plan.name}: {kind.value} {operation.step}",
        f"{_core(core.place)} {verb} at {label_step(step, plan)!r} for the {what}",
    )


def _core(place: CorePlace) -> str:
    text = f"{place.kind.name} block {place.block}"
    return f"{text}.{place.sub_block}" if place.kind is CoreKind.AIV and place.ratio > 1 else text
