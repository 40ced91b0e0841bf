# Licensed under the Apache License, Version 2.0.
"""Whether one operator may enter a SuperKernel, and whether a set of them may share one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skcore.graph.kernel import KernelType, OperatorClass, SubKernel
from skcore.options import EarlyStart, Options
from skcore.plan.feed import needs_feeding
from skcore.plan.plan import Shape
from skcore.plan.shape import CoreNeed, override_shape
from skcore.report.reasons import REASONS
from skcore.target import Target


@dataclass(frozen=True, slots=True)
class Finding:
    """A reason (key of :data:`skcore.report.reasons.REASONS`) with the figures of this case."""

    key: str
    detail: str = ""

    @property
    def text(self) -> str:
        """The reason as a sentence, with the figures."""
        reason = REASONS[self.key].text
        return f"{reason}: {self.detail}" if self.detail else reason

    @property
    def remedy(self) -> str:
        return REASONS[self.key].remedy


def kernel_findings(kernel: SubKernel, options: Options) -> Iterator[Finding]:
    """Everything that keeps one kernel out of any SuperKernel with these options."""
    if not kernel.supports_fusion:
        yield Finding("not-relinkable")
    if kernel.tiling and (kernel.early_start.sets or kernel.early_start.waits):
        yield Finding("tiling-early-start")
    if kernel.split_mode is not None and kernel.split_mode != options.split_mode:
        yield Finding("split-mode", f"built for {kernel.split_mode}, split-mode={options.split_mode}")
    calls = kernel.early_start.sets or kernel.early_start.waits
    if calls and kernel.source is None and options.early_start is EarlyStart.OFF:
        yield Finding("early-start-off")


def shape_findings(
    kernels: Sequence[SubKernel], need: CoreNeed, target: Target, options: Options
) -> Iterator[tuple[Finding, int]]:
    """Everything that keeps these kernels from sharing a SuperKernel, with the position of the one that causes it."""
    shape, faults = override_shape(need, options, target)
    last = len(kernels) - 1
    for fault in faults:
        yield Finding("debug-cores", fault), last
    for position, kernel in enumerate(kernels):
        finding = inside_finding(kernel, shape, target, options)
        if finding is not None:
            yield finding, position


def residency_finding(shape: Shape, target: Target) -> Finding | None:
    """Why a SuperKernel of this shape would hang: its cores wait for each other, so all must be there at once."""
    for kind, cores in shape.cores:
        if cores > target.soc.cores[kind]:
            return Finding("too-many-blocks", f"{cores} {kind.name} cores, the product has {target.soc.cores[kind]}")
    return None


def inside_finding(kernel: SubKernel, shape: Shape, target: Target, options: Options) -> Finding | None:
    """Why a kernel would hang in a SuperKernel of this shape, if it would."""
    if kernel.early_start.waits and len(shape.kernel_type.kinds) > 1:
        own, others = map(target.flags.are_tight, (kernel.kernel_type, shape.kernel_type))
        if own is not others:
            return Finding("early-start-channels", f"{kernel.kernel_type.name} in {shape.kernel_type.name}")
    return full_sync_finding(kernel, shape, target, options)


def full_sync_finding(kernel: SubKernel, shape: Shape, target: Target, options: Options) -> Finding | None:
    """Why a kernel that synchronises all its cores would hang in a SuperKernel of this shape, if it would."""
    if not needs_feeding(kernel, shape) or (kernel.tiling and not options.feed_sync_all):
        return None
    detail = f"it runs on {kernel.blocks} of {shape.participants(kernel.operator_class)} indices"
    if not options.feed_sync_all:
        return Finding("full-sync-cores", detail)
    mixed = kernel.operator_class is OperatorClass.MIX
    if mixed and shape.kernel_type is KernelType.MIX_AIC_1_1 and not target.feed_sync.mixed_one_to_one:
        return Finding("feed-sync-form", detail)
    return None
