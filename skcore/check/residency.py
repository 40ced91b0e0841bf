# Licensed under the Apache License, Version 2.0.
"""Whether all cores of a SuperKernel can be there at once: they wait for each other (spec device §1.4)."""

from __future__ import annotations

from collections.abc import Iterator

from skcore.errors import Problem
from skcore.plan.eligibility import full_sync_finding
from skcore.plan.plan import Plan
from skcore.target import Target


def full_sync_problems(plan: Plan, target: Target) -> Iterator[Problem]:
    """Operators whose full synchronisation waits for cores that do not run them."""
    for operator in plan.group.operators:
        finding = full_sync_finding(operator.kernel, plan.shape, target, plan.group.options)
        if finding is not None:
            what = f"{plan.name}: {operator.name} would hang ({finding.key}): {finding.text}"
            yield Problem(operator.task.where, what, finding.remedy)


def residency_problems(plan: Plan, target: Target) -> Iterator[Problem]:
    """One problem for each core kind of which the product has too few."""
    for kind, cores in plan.shape.cores:
        available = target.soc.cores[kind]
        if cores > available:
            widest = max(plan.group.operators, key=lambda operator: operator.kernel.cores[kind])
            yield Problem(
                widest.task.where,
                f"{plan.name} (too-many-blocks): {widest.name} needs {cores} {kind.name} cores and "
                f"{target.soc_name or target.default_soc} has {available}: the ones that run would wait for ever",
                "build it for fewer blocks, or name a larger product with --soc",
            )
