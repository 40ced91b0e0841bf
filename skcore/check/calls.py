# Licensed under the Apache License, Version 2.0.
"""Whether each operator is called once, with its own code, on its own cores, with its own lines for idle cores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from skcore.errors import Problem
from skcore.graph.kernel import CoreKind, OperatorClass, SubKernel
from skcore.plan.plan import Plan
from skcore.plan.steps import (
    AnyCall,
    Await,
    Call,
    EarlyConfigure,
    FeedClear,
    FeedSync,
    Gate,
    GroupSync,
    Index,
    Signal,
    Step,
)


def call_problems(plan: Plan) -> Iterator[Problem]:
    """Calls that are missing or too many, of foreign code, on other cores, or whose idle cores listen elsewhere."""
    for kind, program in plan.programs:
        line: FeedSync | None = None
        for number, step in enumerate(program):
            if isinstance(step, FeedSync):
                line = step
            elif isinstance(step, AnyCall):
                if step.fed and not _is_own(plan, line, step.op):
                    name = plan.group.operators[step.op].name
                    yield Problem(plan.place(kind, number), f"idle cores that join {name} do not listen to its lines")
                if isinstance(step, Call):
                    for fault in _code_faults(plan, step, kind):
                        yield Problem(plan.place(kind, number), fault)
    yield from _clear_problems(plan)
    yield from _count_problems(plan)
    yield from _configure_problems(plan)


def _code_faults(plan: Plan, step: Call, kind: CoreKind) -> Iterator[str]:
    operator = plan.group.operators[step.op]
    kernel = operator.kernel
    base = kernel.symbols[kind]
    foreign = {*step.symbols}.difference([base], [copy.symbol for copy in kernel.code[kind]])
    if not step.symbols or any(symbol.rstrip("0123456789") != f"{base}_split" for symbol in foreign):
        yield f"the code {', '.join(step.symbols)} is not that of {operator.name}"
    if step.gate != _gate_of(kernel):
        built, let_through = cores_of(plan, step.op, kind), _cores(plan, step.gate, kind)
        if built != let_through:
            yield f"{operator.name} runs on {let_through} {kind.name} cores, not on the {built} that it was built for"


def cores_of(plan: Plan, op: int, kind: CoreKind) -> int:
    """On how many cores of a kind that it runs on an operator is to run; they are always the first ones."""
    return _cores(plan, _gate_of(plan.group.operators[op].kernel), kind)


def _gate_of(kernel: SubKernel) -> Gate:
    return Gate(Index.CORE if kernel.operator_class is OperatorClass.AIV else Index.BLOCK, kernel.blocks)


def _cores(plan: Plan, gate: Gate, kind: CoreKind) -> int:
    """How many cores of a kind a gate lets through; they are always the first ones."""
    ratio = plan.shape.kernel_type.cores_per_block[kind]
    return min(plan.shape.cores[kind], gate.blocks * (ratio if gate.index is Index.BLOCK else 1))


def _is_own(plan: Plan, line: FeedSync | None, op: int) -> bool:
    """Whether a step has told both kinds of the lines that belong to an operator alone."""
    count = len(plan.group.operators)
    return line is not None and line.enabled and (line.aic_line, line.aiv_line) == (op, count + op)


def _clear_problems(plan: Plan) -> Iterator[Problem]:
    """Lines are cleared by somebody; that it is done before they are used is a matter of order."""
    if any(isinstance(step, FeedClear) for _, program in plan.programs for step in program):
        return
    fed = {step.op for _, program in plan.programs for step in program if isinstance(step, AnyCall) and step.fed}
    for op in sorted(fed):
        yield Problem(plan.name, f"nobody clears the feed-sync workspace that {plan.group.operators[op].name} uses")


def _count_problems(plan: Plan) -> Iterator[Problem]:
    """Each operator is called once on each of its kinds and not on the others, and no kind acts for the other."""
    for kind, program in plan.programs:
        for number, step in enumerate(program):
            if _acting(step, kind) is not kind:
                yield Problem(plan.place(kind, number), f"{kind.name} cores act for cores of the other kind")
        counts = Counter([step.op for step in program if isinstance(step, AnyCall)])
        for op, operator in enumerate(plan.group.operators):
            expected = int(kind in operator.kernel.operator_class.kinds)
            if counts[op] != expected:
                text = f"{operator.name} is called {counts[op]} times on {kind.name} cores, not {expected}"
                yield Problem(plan.name, text)


def _acting(step: Step, kind: CoreKind) -> CoreKind:
    """The kind whose part a step takes in a program of a kind."""
    if isinstance(step, GroupSync):
        return step.kind
    if isinstance(step, Signal):
        return step.channel.sender
    return step.channel.receiver if isinstance(step, Await) else kind


def _configure_problems(plan: Plan) -> Iterator[Problem]:
    """A sub-kernel that waits itself is told for which pair of classes."""
    for kind, program in plan.programs:
        configured = False
        for number, step in enumerate(program):
            configured = configured or isinstance(step, EarlyConfigure)
            if isinstance(step, Call) and plan.group.operators[step.op].kernel.early_start.waits and not configured:
                name = plan.group.operators[step.op].name
                yield Problem(plan.place(kind, number), f"{name} waits for a pair that nobody set")
