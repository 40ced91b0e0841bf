# Licensed under the Apache License, Version 2.0.
"""Runs all checks over plans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skcore.check.calls import call_problems
from skcore.check.events import event_problems
from skcore.check.layout import layout_problems
from skcore.check.order import order_problems
from skcore.check.progress import Resident, find_hangs
from skcore.check.residency import full_sync_problems, residency_problems
from skcore.collection import uncollected
from skcore.errors import PlanError, Problem, ProblemList
from skcore.graph.task import Task, describe
from skcore.plan.plan import Plan
from skcore.report.reasons import REASONS
from skcore.target import Target


def plan_problems(plan: Plan, target: Target) -> Iterator[Problem]:
    """Every fault of a plan; a plan without any is safe."""
    yield from residency_problems(plan, target)
    yield from full_sync_problems(plan, target)
    yield from layout_problems(plan)
    yield from call_problems(plan)
    yield from event_problems(plan)
    yield from order_problems(plan, target)


def graph_problems(tasks: Sequence[Task], plans: Sequence[Plan], target: Target) -> Iterator[Problem]:
    """Every way in which the SuperKernels of a graph and its other tasks may wait for each other without end."""
    residents = [Resident(plan.group, plan.shape) for plan in plans]
    for hang in find_hangs(tasks, residents, target):
        reason = REASONS[hang.key]
        what = f"{hang.name} may wait for ever at {describe(hang.before)}: {reason.text}: {hang.detail}"
        yield Problem(hang.before.where, what, reason.remedy)


@uncollected()
def check_plans(tasks: Sequence[Task], plans: Sequence[Plan], target: Target) -> None:
    """Refuse the SuperKernels of a graph that are not safe, each for itself and all together with the other tasks.

    Raises:
        PlanError: every fault of all of them.
    """
    problems = ProblemList(PlanError)
    for plan in plans:
        problems.extend(plan_problems(plan, target))
    problems.extend(graph_problems(tasks, plans, target))
    problems.raise_if_any()


@uncollected()
def check_plan(plan: Plan, target: Target) -> None:
    """Refuse a plan that is not safe by itself.

    Raises:
        PlanError: every fault of it.
    """
    problems = ProblemList(PlanError)
    problems.extend(plan_problems(plan, target))
    problems.raise_if_any()
