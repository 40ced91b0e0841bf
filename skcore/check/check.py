# Licensed under the Apache License, Version 2.0.
"""Runs all checks over plans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skcore.check.calls import call_problems
from skcore.check.events import event_problems
from skcore.check.layout import layout_problems
from skcore.check.order import order_problems
from skcore.check.residency import full_sync_problems, residency_problems
from skcore.collection import uncollected
from skcore.errors import PlanError, Problem, ProblemList
from skcore.plan.plan import Plan
from skcore.target import Target


def plan_problems(plan: Plan, target: Target) -> Iterator[Problem]:
    """Every fault of a plan; a plan without any is safe."""
    yield from residency_problems(plan, target)
    yield from full_sync_problems(plan, target)
    yield from layout_problems(plan)
    yield from call_problems(plan)
    yield from event_problems(plan)
    yield from order_problems(plan, target)


@uncollected()
def check_plans(plans: Iterable[Plan], target: Target) -> None:
    """Refuse plans that are not safe.

    Raises:
        PlanError: every fault of all of them.
    """
    problems = ProblemList(PlanError)
    for plan in plans:
        problems.extend(plan_problems(plan, target))
    problems.raise_if_any()


def check_plan(plan: Plan, target: Target) -> None:
    """Refuse a plan that is not safe.

    Raises:
        PlanError: every fault of it.
    """
    check_plans((plan,), target)
