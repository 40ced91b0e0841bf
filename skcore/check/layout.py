# Licensed under the Apache License, Version 2.0.
"""Whether every index that a plan uses is an argument word of the right owner (design §7.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from skcore.errors import Problem
from skcore.plan.layout import Role, Slot
from skcore.plan.plan import Plan
from skcore.plan.steps import AnyCall, AwaitTiling, FeedClear, FeedSync, Profile, Select, Step


def layout_problems(plan: Plan) -> Iterator[Problem]:
    """Calls whose arguments are not the operator's own words, and words that steps need and the layout lacks."""
    roles = {slot.role for slot in plan.layout.slots}
    for kind, program in plan.programs:
        for number, step in enumerate(program):
            fault = _fault(plan, step, roles)
            if fault is not None:
                yield Problem(plan.place(kind, number), fault)


def _fault(plan: Plan, step: Step, roles: Set[Role]) -> str | None:
    if isinstance(step, AnyCall):
        operator = plan.group.operators[step.op]
        words = plan.layout.slots[step.argument : step.argument + len(operator.kernel.parameters)]
        if len(words) != len(operator.kernel.parameters) or not _are_parameters(words, step.op):
            return f"the words from {step.argument} on are not the arguments of {operator.name}"
    elif isinstance(step, Select | AwaitTiling):
        read = (step.key, step.blocks) if isinstance(step, Select) else (step.slot,)
        wanted = (Role.TILING_KEY, Role.BLOCK_NUM) if isinstance(step, Select) else (Role.TILING_LOCK,)
        if read != tuple(plan.layout.tiling_word(role, step.op) for role in wanted):
            return f"{plan.group.operators[step.op].name} reads its tiling from wrong words"
    elif isinstance(step, FeedClear) or (isinstance(step, FeedSync) and step.enabled):
        return None if Role.WORKSPACE in roles else "feed-sync needs a workspace word"
    elif isinstance(step, Profile):
        return None if Role.PROFILING in roles else "profiling needs a buffer word"
    return None


def _are_parameters(words: Sequence[Slot], op: int) -> bool:
    return all(
        slot.role is Role.PARAMETER and slot.op == op and slot.position == position
        for position, slot in enumerate(words)
    )
