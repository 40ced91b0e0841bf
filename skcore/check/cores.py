# Licensed under the Apache License, Version 2.0.
"""Which cores have to be looked at: those that gates tell apart, not every one of them."""

from __future__ import annotations

from collections.abc import Iterator

from skcore.check.protocol import CorePlace
from skcore.graph.kernel import CoreKind
from skcore.plan.plan import Plan
from skcore.plan.steps import Call, EarlySet, EarlyWait, Gate, Index


def representative_groups(plan: Plan, most: int = 1) -> list[tuple[CorePlace, ...]]:
    """Up to ``most`` groups of cores (an AIC and its AIVs) for each way in which gates see groups."""
    per_block = plan.shape.kernel_type.cores_per_block
    ratio = max(1, per_block.aiv)
    borders = {0}
    for gate in _gates(plan):
        if gate.index is Index.BLOCK:
            borders.add(gate.blocks)
        else:
            borders |= {-(-(gate.blocks - sub_block) // ratio) for sub_block in range(ratio)}
    starts = sorted(block for block in borders if 0 <= block < plan.shape.blocks)
    ends = (*starts[1:], plan.shape.blocks)
    blocks = [block for start, end in zip(starts, ends, strict=True) for block in range(start, min(start + most, end))]
    return [
        (
            *(CorePlace(CoreKind.AIC, block, 0, ratio) for _ in range(per_block.aic)),
            *(CorePlace(CoreKind.AIV, block, sub_block, ratio) for sub_block in range(per_block.aiv)),
        )
        for block in blocks
    ]


_EARLY = EarlySet | EarlyWait


def _gates(plan: Plan) -> Iterator[Gate]:
    """Gates on which flag operations depend.

    Others need not be told apart: the first group of a stretch is inside of every gate that ends in the stretch.
    """
    for _, program in plan.programs:
        for step in program:
            if isinstance(step, _EARLY) and step.outside is not None:
                yield step.outside
            elif isinstance(step, Call):
                kernel = plan.group.operators[step.op].kernel
                if kernel.full_sync or kernel.early_start.sets or kernel.early_start.waits:
                    yield step.gate
