# Licensed under the Apache License, Version 2.0.
"""Checked plans of operators on several streams, their steps, and the same plans without some of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from skcore.check import check_plan
from skcore.graph.kernel import CoreKind, KernelType, SubKernel
from skcore.options import Options
from skcore.plan.group import FusionGroup
from skcore.plan.plan import Plan
from skcore.plan.planner import plan_group
from skcore.plan.steps import Step
from tests.builders import make_group, make_kernel, target
from tests.check.damage import queues_of, with_queues

Events = dict[int, tuple[int, ...]]


def planned(
    kernels: Sequence[SubKernel],
    streams: str,
    sends: Events,
    receives: Events,
    arch: str,
    options: Options | None = None,
    limit: int | None = None,
) -> Plan:
    """A checked plan of kernels on these streams (one digit each) with these events; ``limit`` is that of counters."""
    made = target(arch)
    made = made if limit is None else replace(made, flags=replace(made.flags, counter_limit=limit))
    operators = tuple(
        replace(
            operator,
            task=replace(operator.task, stream=int(stream)),
            sends=sends.get(op, ()),
            receives=receives.get(op, ()),
        )
        for op, (operator, stream) in enumerate(zip(make_group(kernels).operators, streams, strict=True))
    )
    chosen = replace(options or Options(), stream_fusion=True)
    plan = plan_group(FusionGroup("sk", operators, chosen, "sk"), made)
    check_plan(plan, made)
    return plan


def kernels_of(*types: KernelType) -> list[SubKernel]:
    return [make_kernel(kernel_type, 2, f"k{op}") for op, kernel_type in enumerate(types)]


def steps_of(plan: Plan, step_type: type | tuple[type, ...]) -> list[tuple[CoreKind, int, Step]]:
    """The steps of these types, with the queue and the place in it."""
    return [
        (kind, number, step)
        for kind, program in plan.programs
        for number, step in enumerate(program)
        if isinstance(step, step_type)
    ]


def without(plan: Plan, kind: CoreKind, step_type: type | tuple[type, ...]) -> Plan:
    """The plan without the steps of these types in one queue."""
    queues = queues_of(plan)
    queues[kind] = [step for step in queues[kind] if not isinstance(step, step_type)]
    return with_queues(plan, queues)


def without_step(plan: Plan, kind: CoreKind, number: int) -> Plan:
    """The plan without one step."""
    queues = queues_of(plan)
    del queues[kind][number]
    return with_queues(plan, queues)
