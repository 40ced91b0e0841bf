# Licensed under the Apache License, Version 2.0.
"""Runs all checks over a plan."""

from __future__ import annotations

from skcore.check.calls import call_problems
from skcore.check.events import event_problems
from skcore.check.layout import layout_problems
from skcore.check.order import order_problems
from skcore.check.residency import full_sync_problems, residency_problems
from skcore.errors import PlanError, ProblemList
from skcore.plan.plan import Plan
from skcore.target import Target


def check_plan(plan: Plan, target: Target) -> None:
    """Refuse a plan that is not safe.

    Raises:
        PlanError: every fault that was found.
    """
    problems = ProblemList(PlanError)
    problems.extend(residency_problems(plan, target))
    problems.extend(full_sync_problems(plan, target))
    problems.extend(layout_problems(plan))
    problems.extend(call_problems(plan))
    problems.extend(event_problems(plan))
    problems.extend(order_problems(plan, target))
    problems.raise_if_any()
