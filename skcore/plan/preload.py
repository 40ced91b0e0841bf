# Licensed under the Apache License, Version 2.0.
"""The default of the hook ``emit_preload``: instruction-cache preload (spec jit §7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from skcore.graph.kernel import CoreKind, PerKind, SubKernel
from skcore.options import Options, PreloadMode
from skcore.plan.plan import Plan, Program, Segment
from skcore.plan.steps import AnyCall, Call, Preload, PreloadAhead
from skcore.target import PreloadData, Target


def preload_programs(plan: Plan, target: Target, options: Options) -> PerKind[Program]:
    """The plan's programs with the preload steps of the option ``preload-code`` added."""
    return plan.programs.map(lambda kind, program: _preloaded(plan, program, kind, target.preload, options))


def _preloaded(plan: Plan, program: Program, kind: CoreKind, data: PreloadData, options: Options) -> Program:
    if options.preload_code is PreloadMode.NONE or not program.segments:
        return program
    if options.preload_code is PreloadMode.AHEAD:
        return replace(program, prologue=(PreloadAhead(data.ahead_units), *program.prologue))
    queue = [step for step in program if isinstance(step, AnyCall)]
    following = {call.op: after for call, after in pairwise(queue)}
    segments = []
    # While one operator is about to run, the next one is loaded; the first has nobody before it to do so.
    ahead = queue[:1]
    for segment in program.segments:
        calls = [step.op for step in segment.steps if isinstance(step, AnyCall)]
        ahead += [following[op] for op in calls if op in following]
        loads = [load for call in ahead for load in _load(plan, call, kind, data)]
        segments.append(Segment(segment.op, (*loads, *segment.steps)) if loads else segment)
        ahead = []
    return replace(program, segments=tuple(segments))


def _load(plan: Plan, call: AnyCall, kind: CoreKind, data: PreloadData) -> Iterator[Preload]:
    """Loads what a call runs, on the cores that run it; what a selection will run is not known yet."""
    units = preload_units(plan.group.operators[call.op].kernel, kind, data)
    if units and isinstance(call, Call):
        yield Preload(call.op, call.symbols, units, call.gate)


def preload_units(kernel: SubKernel, kind: CoreKind, data: PreloadData) -> int:
    """Units to load for a sub-kernel; its size is taken as the cap while it is not compiled."""
    size = kernel.text_bytes(kind)
    loaded = data.cap_bytes if size is None else min(size, data.cap_bytes)
    return -(-loaded // data.unit_bytes)
