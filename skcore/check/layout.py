# Licensed under the Apache License, Version 2.0.
"""Whether every index that a plan uses is an argument word of the right owner (design §7.4)."""

from __future__ import annotations

from collections.abc import Iterator

from skcore.errors import Problem
from skcore.plan.layout import Role
from skcore.plan.plan import Plan
from skcore.plan.steps import AwaitTiling, Call, CallSelected, FeedClear, FeedSync, Profile, Select


def layout_problems(plan: Plan) -> Iterator[Problem]:
    """Calls whose arguments are not the operator's own words, and words that steps need and the layout lacks."""
    slots = plan.layout.slots
    for kind, program in plan.programs:
        for number, step in enumerate(program):
            where = f"{plan.name}: {kind.value} {number}"
            if isinstance(step, Call | CallSelected):
                kernel = plan.group.operators[step.op].kernel
                wanted = [(Role.PARAMETER, step.op, position) for position in range(len(kernel.parameters))]
                words = slots[step.argument : step.argument + len(wanted)]
                if [(slot.role, slot.op, slot.position) for slot in words] != wanted:
                    name = plan.group.operators[step.op].name
                    yield Problem(where, f"the words from {step.argument} on are not the arguments of {name}")
            elif isinstance(step, Select | AwaitTiling):
                read = (step.key, step.blocks) if isinstance(step, Select) else (step.slot,)
                roles = (Role.TILING_KEY, Role.BLOCK_NUM) if isinstance(step, Select) else (Role.TILING_LOCK,)
                if read != tuple(plan.layout.tiling_word(role, step.op) for role in roles):
                    yield Problem(where, f"{plan.group.operators[step.op].name} reads its tiling from wrong words")
            elif isinstance(step, FeedClear | FeedSync) and _enabled(step) and not plan.layout.has(Role.WORKSPACE):
                yield Problem(where, "feed-sync needs a workspace word")
            elif isinstance(step, Profile) and not plan.layout.has(Role.PROFILING):
                yield Problem(where, "profiling needs a buffer word")


def _enabled(step: FeedClear | FeedSync) -> bool:
    return isinstance(step, FeedClear) or step.enabled
