# Licensed under the Apache License, Version 2.0.
"""Whether each operator is called once, with its own code, on its own cores, with its own lines for idle cores."""

from __future__ import annotations

from collections.abc import Iterator

from skcore.errors import Problem
from skcore.graph.kernel import CoreKind, OperatorClass
from skcore.plan.plan import Plan
from skcore.plan.steps import (
    Await,
    Call,
    CallSelected,
    EarlyConfigure,
    FeedClear,
    FeedSync,
    Gate,
    GroupSync,
    Index,
    Signal,
)


def call_problems(plan: Plan) -> Iterator[Problem]:
    """Calls that are missing or too many, of foreign code, on other cores, or whose idle cores listen elsewhere."""
    for kind, program in plan.programs:
        line: FeedSync | None = None
        for number, step in enumerate(program):
            where = f"{plan.name}: {kind.value} {number}"
            if isinstance(step, FeedSync):
                line = step
            elif isinstance(step, Call | CallSelected):
                name = plan.group.operators[step.op].name
                if step.fed and not _is_own(plan, line, step.op):
                    yield Problem(where, f"idle cores that join {name} do not listen to its lines")
                if isinstance(step, Call):
                    yield from _code_problems(plan, step, kind, where)
    yield from _clear_problems(plan)
    yield from _count_problems(plan)
    yield from _configure_problems(plan)


def _code_problems(plan: Plan, step: Call, kind: CoreKind, where: str) -> Iterator[Problem]:
    kernel = plan.group.operators[step.op].kernel
    name = plan.group.operators[step.op].name
    base = kernel.symbols[kind]
    given = {copy.symbol for copy in kernel.code[kind]} | {base}
    own = all(symbol in given or symbol.rstrip("0123456789") == f"{base}_split" for symbol in step.symbols)
    if not (step.symbols and own):
        yield Problem(where, f"the code {', '.join(step.symbols)} is not that of {name}")
    built, let_through = cores_of(plan, step.op, kind), _cores(plan, step.gate, kind)
    if built != let_through:
        yield Problem(
            where, f"{name} runs on {let_through} {kind.name} cores, not on the {built} that it was built for"
        )


def cores_of(plan: Plan, op: int, kind: CoreKind) -> int:
    """On how many cores of a kind that it runs on an operator is to run; they are always the first ones."""
    kernel = plan.group.operators[op].kernel
    index = Index.CORE if kernel.operator_class is OperatorClass.AIV else Index.BLOCK
    return _cores(plan, Gate(index, kernel.blocks), kind)


def _cores(plan: Plan, gate: Gate, kind: CoreKind) -> int:
    """How many cores of a kind a gate lets through; they are always the first ones."""
    ratio = plan.shape.kernel_type.cores_per_block[kind]
    return min(plan.shape.cores[kind], gate.blocks * (ratio if gate.index is Index.BLOCK else 1))


def _is_own(plan: Plan, line: FeedSync | None, op: int) -> bool:
    """Whether a step has told both kinds of the lines that belong to an operator alone."""
    count = len(plan.group.operators)
    return line is not None and line.enabled and (line.aic_line, line.aiv_line) == (op, count + op)


def _clear_problems(plan: Plan) -> Iterator[Problem]:
    """Lines are cleared once, at the begin: later somebody may be using them."""
    clearing = [kind for kind, program in plan.programs if any(isinstance(step, FeedClear) for step in program)]
    fed = [
        step for _, program in plan.programs for step in program if isinstance(step, Call | CallSelected) and step.fed
    ]
    for op in dict.fromkeys(step.op for step in fed if not clearing):
        yield Problem(plan.name, f"nobody clears the feed-sync workspace that {plan.group.operators[op].name} uses")
    for kind, program in plan.programs:
        called = False
        cleared = 0
        for number, step in enumerate(program):
            called = called or isinstance(step, Call | CallSelected)
            cleared += isinstance(step, FeedClear)
            if isinstance(step, FeedClear) and (called or cleared > 1 or len(clearing) > 1):
                yield Problem(
                    f"{plan.name}: {kind.value} {number}", "the feed-sync workspace is cleared while it is used"
                )


def _count_problems(plan: Plan) -> Iterator[Problem]:
    """Each operator is called once on each of its kinds and not on the others, and no kind acts for the other."""
    for kind, program in plan.programs:
        for number, step in enumerate(program):
            acting = step.kind if isinstance(step, GroupSync) else kind
            if isinstance(step, Signal | Await):
                acting = step.channel.sender if isinstance(step, Signal) else step.channel.receiver
            if acting is not kind:
                yield Problem(
                    f"{plan.name}: {kind.value} {number}", f"{kind.name} cores act for cores of the other kind"
                )
        counts: dict[int, int] = {}
        for step in program:
            if isinstance(step, Call | CallSelected):
                counts[step.op] = counts.get(step.op, 0) + 1
        for op, operator in enumerate(plan.group.operators):
            expected = int(kind in operator.kernel.operator_class.kinds)
            if counts.get(op, 0) != expected:
                text = f"{operator.name} is called {counts.get(op, 0)} times on {kind.name} cores, not {expected}"
                yield Problem(plan.name, text)


def _configure_problems(plan: Plan) -> Iterator[Problem]:
    """A sub-kernel that waits itself is told for which pair of classes."""
    for kind, program in plan.programs:
        configured = False
        for number, step in enumerate(program):
            configured = configured or isinstance(step, EarlyConfigure)
            if isinstance(step, Call) and plan.group.operators[step.op].kernel.early_start.waits and not configured:
                name = plan.group.operators[step.op].name
                yield Problem(f"{plan.name}: {kind.value} {number}", f"{name} waits for a pair that nobody set")
