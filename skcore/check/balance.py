# Licensed under the Apache License, Version 2.0.
"""Whether synchronisation is balanced: what one side sets, the other side takes (design §7.2, §7.3).

Inside one stream every core of a kind executes the same synchronising steps, so equal numbers are enough for the two
kinds to meet; the order proof over several streams is a matter of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from skcore.errors import Problem
from skcore.graph.kernel import CoreKind
from skcore.plan.plan import Plan
from skcore.plan.steps import Await, Call, Channel, FullSync, GroupSync, Signal


def balance_problems(plan: Plan) -> Iterator[Problem]:
    """Signals and waits, full synchronisations and calls that do not pair, and barriers of a kind that does not run."""
    counts = {kind: Counter(_key(step) for step in program) for kind, program in plan.programs}
    for channel in Channel:
        sent, taken = counts[channel.sender][Signal, channel], counts[channel.receiver][Await, channel]
        if sent != taken:
            yield Problem(plan.name, f"{sent} signals {channel.text} meet {taken} waits")
    if counts[CoreKind.AIC][FullSync, None] != counts[CoreKind.AIV][FullSync, None]:
        yield Problem(plan.name, "the core kinds do not reach equally many full synchronisations")
    for kind, program in plan.programs:
        if any(isinstance(step, GroupSync) and step.kind is not kind for step in program):
            yield Problem(plan.name, f"{kind.name} cores synchronise cores of the other kind")
        for op, operator in enumerate(plan.group.operators):
            expected = int(kind in operator.kernel.operator_class.kinds)
            calls = counts[kind][Call, op]
            if calls != expected:
                yield Problem(
                    plan.name, f"{operator.name} is called {calls} times on {kind.name} cores, not {expected}"
                )


def _key(step: object) -> tuple[type, object]:
    if isinstance(step, Signal | Await):
        return type(step), step.channel
    return type(step), step.op if isinstance(step, Call) else None
