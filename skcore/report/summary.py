# Licensed under the Apache License, Version 2.0.
"""What fused and what did not, as data: the ``--json`` form, from which the text form is made too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skcore.fuse import FusedGraph
from skcore.graph.task import KernelTask, describe
from skcore.plan.labels import label_step
from skcore.plan.plan import Plan, Program


def summarise(fused: FusedGraph) -> dict[str, Any]:
    """The whole result of fusing a graph."""
    return {
        "graph": fused.graph.name,
        "launches_before": len(fused.graph.kernels),
        "launches_after": sum(isinstance(item, Plan | KernelTask) for item in fused.items),
        "super_kernels": [summarise_plan(plan) for plan in fused.plans],
        "left_out": [
            {
                "task": describe(item.task),
                "where": item.task.where,
                "scope": item.scope or None,
                "key": item.finding.key,
                "reason": item.finding.text,
                "remedy": item.finding.remedy,
            }
            for item in fused.left_out
        ],
        "cuts": [
            {
                "before": cut.before.name,
                "where": cut.before.where,
                "key": cut.finding.key,
                "reason": cut.finding.text,
                "causes": [describe(cause) for cause in cut.causes],
                "remedy": cut.finding.remedy,
            }
            for cut in fused.cuts
        ],
        "warnings": [str(warning) for warning in fused.warnings],
    }


def summarise_plan(plan: Plan) -> dict[str, Any]:
    """One SuperKernel: its shape, its operators, and why it is as it is."""
    return {
        "name": plan.name,
        "scope": plan.group.scope,
        "kernel_type": plan.shape.kernel_type.name,
        "blocks": plan.shape.blocks,
        "aic_cores": plan.shape.cores.aic,
        "aiv_cores": plan.shape.cores.aiv,
        "workspace_bytes": plan.workspace_bytes,
        "arguments": len(plan.layout.slots),
        "operators": [
            {
                "name": operator.name,
                "where": operator.task.where,
                "kernel_type": operator.kernel.kernel_type.name,
                "blocks": operator.kernel.blocks,
                "full_sync": operator.kernel.full_sync,
                "argument": plan.layout.parameters[number],
            }
            for number, operator in enumerate(plan.group.operators)
        ],
        "decisions": [
            {
                "key": decision.key,
                "operators": [plan.group.operators[op].name for op in decision.operators],
                "text": decision.text,
                "remedy": decision.remedy or None,
            }
            for decision in plan.decisions
        ],
    }


def summarise_steps(plan: Plan) -> dict[str, Any]:
    """The programs, the argument words and the options of one SuperKernel."""
    return {
        "programs": {kind.value: list(_steps(plan, program)) for kind, program in plan.programs},
        "argument_words": [
            {"index": index, "role": slot.role.value, "operator": _operator(plan, slot.op), "name": slot.name}
            for index, slot in enumerate(plan.layout.slots)
        ],
        "options": plan.group.options.as_mapping(),
    }


def _steps(plan: Plan, program: Program) -> Iterator[dict[str, str]]:
    for step in program:
        yield {"step": type(step).__name__, "text": label_step(step, plan)}


def _operator(plan: Plan, op: int) -> str | None:
    return plan.group.operators[op].name if op >= 0 else None
