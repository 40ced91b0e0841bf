# Licensed under the Apache License, Version 2.0.
"""From a fusion group to a plan: shape, argument layout, programs, and the reasons for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from skcore.collection import uncollected
from skcore.errors import PlanError, ProblemList
from skcore.graph.kernel import KernelType
from skcore.options import EarlyStart, Options
from skcore.plan.eligibility import Finding, kernel_findings, shape_findings
from skcore.plan.feed import needs_feeding, workspace_bytes
from skcore.plan.group import FusionGroup, Operator
from skcore.plan.layout import layout_arguments
from skcore.plan.orders import order_group
from skcore.plan.plan import Decision, Plan, Shape
from skcore.plan.preload import preload_programs
from skcore.plan.shape import CoreNeed, need_of, override_shape
from skcore.plan.sync import SyncPlanner
from skcore.plugin import Plugins
from skcore.target import Target


@uncollected()
def plan_group(group: FusionGroup, target: Target, plugins: Plugins | None = None) -> Plan:
    """Plan one SuperKernel.

    Raises:
        PlanError: the group cannot be one SuperKernel; every cause is named.
    """
    options = group.options
    need = need_of(group.kernels)
    _refuse_impossible(group, need, target)
    order = order_group(group)
    shape, _ = override_shape(need, options, target)
    workspace = workspace_bytes(len(group.operators), shape, target.feed_sync) if options.feed_sync_all else 0
    printing = any(kernel.debug_options for kernel in group.kernels)
    layout = layout_arguments(group, target, workspace=workspace > 0 or printing)
    programs = plugins.hook.plan_sync(group=group, target=target, options=options) if plugins else None
    decisions = tuple(_decisions(group, shape))
    if programs is None:
        programs, reasons = SyncPlanner(group, order, shape, layout, target.flags.counter_limit).plan()
        decisions += reasons
    plan = Plan(group, shape, layout, programs, workspace, decisions)
    loaded = plugins.hook.emit_preload(plan=plan, target=target, options=options) if plugins else None
    return replace(plan, programs=preload_programs(plan, target, options) if loaded is None else loaded)


def _refuse_impossible(group: FusionGroup, need: CoreNeed, target: Target) -> None:
    problems = ProblemList(PlanError)
    if not group.operators:
        problems.add(group.name, "a SuperKernel needs at least one operator", "give it one")
        problems.raise_if_any()
    for operator in group.operators:
        for finding in kernel_findings(operator.kernel, group.options):
            _report(problems, group, operator, finding)
    for finding, position in shape_findings(group.kernels, need, target, group.options):
        _report(problems, group, group.operators[position], finding)
    problems.raise_if_any()


def _report(problems: ProblemList, group: FusionGroup, operator: Operator, finding: Finding) -> None:
    what = f"{group.name}: {operator.name} cannot fuse ({finding.key}): {finding.text}"
    problems.add(operator.task.where, what, finding.remedy)


def _decisions(group: FusionGroup, shape: Shape) -> Iterator[Decision]:
    options = group.options
    cores = shape.cores
    yield Decision(
        "shape",
        tuple(range(len(group.operators))),
        f"{shape.kernel_type.name} with {shape.blocks} blocks: {cores.aic} AIC and {cores.aiv} AIV cores, "
        "the most that any of the operators needs",
    )
    for op, kernel in enumerate(group.kernels):
        if kernel.kernel_type is KernelType.MIX_AIC_1_1 and shape.kernel_type is KernelType.MIX_AIC_1_2:
            yield Decision(
                "one-to-one-in-one-to-two",
                (op,),
                "a 1:1 operator runs on both vector cores of each group here, where GetTaskRation() is 2",
                "make sure that it shares its work by GetTaskRation(), or gives sub-block 1 none",
            )
        if kernel.tiling and kernel.full_sync and not options.feed_sync_all:
            yield Decision(
                "full-sync-at-run-time",
                (op,),
                "it synchronises all its cores, and how many run is decided on the device: with fewer it would hang",
                "set feed-sync-all=1",
            )
        if options.feed_sync_all and needs_feeding(kernel, shape):
            yield Decision("fed", (op,), "idle cores join its full synchronisations (feed-sync-all=1)")
    unknown = tuple(op for op, kernel in enumerate(group.kernels) if not kernel.is_compiled)
    if unknown:
        yield Decision("size-unknown", unknown, "not compiled yet: their preload takes the most that is allowed")
    yield from _early_start_decisions(group, options)


def _early_start_decisions(group: FusionGroup, options: Options) -> Iterator[Decision]:
    callers = tuple(
        op for op, kernel in enumerate(group.kernels) if kernel.early_start.sets or kernel.early_start.waits
    )
    if options.debug_sync_all:
        yield Decision(
            "debug-sync-all",
            tuple(range(len(group.operators))),
            "all cores synchronise after every operator, so no further barrier stands between them",
            "set debug-sync-all=0",
        )
    elif callers and options.early_start is EarlyStart.ON:
        yield Decision("early-start", callers, "they say themselves when a successor may start or what they wait for")
