# Licensed under the Apache License, Version 2.0.
"""The JIT emitter: a plan as Ascend C source (spec jit §10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skcore.emit.lowering import Lowering, Templates
from skcore.graph.kernel import CoreKind, KernelType
from skcore.options import EarlyStart
from skcore.plan.boundary import takes_part
from skcore.plan.layout import Role
from skcore.plan.plan import Plan
from skcore.plan.steps import Call, Preload, Select
from skcore.plan.symbols import split_symbols
from skcore.target import Target

_NAMING = Call | Preload


def emit_source(plan: Plan, target: Target, templates: Templates | None = None) -> str:
    """The source text of a SuperKernel; the same plan gives the same text in any process."""
    templates = templates or Templates(target)
    programs = []
    symbols: dict[str, None] = {}
    for kind, program in plan.programs:
        if not plan.shape.cores[kind]:
            continue
        lower = Lowering(templates, plan, target, kind)
        place = kind.value
        steps = []
        for number, step in enumerate(program):
            label, text = lower(step)
            steps.append((f"{place} {number}: {label}", text))
            if isinstance(step, _NAMING):
                symbols.update(dict.fromkeys(step.symbols))
            elif isinstance(step, Select):
                for symbol in plan.group.operators[step.op].kernel.variant_symbols(kind):
                    symbols.update(dict.fromkeys(split_symbols(symbol, step.copies)))
        programs.append({"kind": kind.value, "guard": kind.name, "steps": steps})
    align = plan.group.options.func_align
    view = {
        "name": plan.name,
        "npu_arch": target.npu_arch,
        "shape": f"{plan.shape.kernel_type.name}, {plan.shape.blocks} blocks",
        "entry": entry_name(plan),
        "alignment": f"__attribute__((aligned({align}))) " if align else "",
        "support": [templates.macro("support_profiling")()] if plan.group.options.profiling else [],
        "symbols": list(symbols),
        "programs": programs,
        "metadata": list(_metadata(plan, target)),
        "set_up": [_dump_set_up(plan, templates)] if prints(plan) else [],
    }
    return templates.render("superkernel.cpp.j2", view=view)


def prints(plan: Plan) -> bool:
    """Whether some sub-kernel prints or asserts on the device."""
    return any(kernel.debug_options for kernel in plan.group.kernels)


def _dump_set_up(plan: Plan, templates: Templates) -> str:
    """The dump area stands behind what else the workspace holds (spec jit §9)."""
    mixed = "true" if len(plan.shape.kernel_type.kinds) > 1 else "false"
    workspace = plan.layout.index(Role.WORKSPACE)
    return templates.macro("set_up_dump")(mixed=mixed, workspace=workspace, offset=plan.workspace_bytes)


def entry_name(plan: Plan) -> str:
    """Name of the entry function in the source; the build renames it for each core kind."""
    return f"auto_gen_{plan.name}_kernel"


def entry_symbol(plan: Plan, kind: CoreKind) -> str:
    """Name of the entry symbol of one core kind in the binary."""
    return f"{plan.name}_mix_{kind.value}"


def _metadata(plan: Plan, target: Target) -> Iterator[dict[str, Any]]:
    kernel_type = plan.shape.kernel_type
    main = "K_TYPE_MIX_AIV_MAIN" if kernel_type is KernelType.MIX_AIV_1_0 else "K_TYPE_MIX_AIC_MAIN"
    for kind in kernel_type.kinds:
        yield {
            "symbol": entry_symbol(plan, kind),
            "macro": target.core(kind).macro,
            "kernel_type": main,
            "aic": kernel_type.cores_per_block.aic,
            "aiv": kernel_type.cores_per_block.aiv,
        }


def source_macros(plan: Plan, target: Target, kind: CoreKind) -> tuple[str, ...]:
    """The macros with which the source is compiled for one core kind (spec jit §10.3, §11.3-§11.4)."""
    options = plan.group.options
    kernel_type = plan.shape.kernel_type
    macros = list(target.macros_of(kernel_type))
    if any(kernel.tiling for kernel in plan.group.kernels):
        macros.append("__SUPER_KERNEL_DYNAMIC_BLOCK_NUM__")
    if options.early_start is not EarlyStart.OFF or any(takes_part(kernel, kernel) for kernel in plan.group.kernels):
        macros += [
            "__ASCENDC_ENABLE_SET_NEXT_TASK_START",
            "__ASCENDC_ENABLE_WAIT_PRE_TASK_END",
            "__ASCENDC_SUPERKERNEL_EARLY_START_V2",
        ]
    if options.feed_sync_all:
        macros.append("__ASCENDC_SUPERKERNEL_AUTO_SYNC_ALL__")
    macros.append(f"ASCENDC_DUMP={int(prints(plan))}")
    macros.append(f"{entry_name(plan)}={entry_symbol(plan, kind)}")
    if len(kernel_type.kinds) == 2:
        macros.append("__MIX_CORE_MACRO__=1")
    if kernel_type is KernelType.MIX_AIC_1_1:
        macros.append("__MIX_CORE_AIC_RATION__=1")
    macros.append("TILING_KEY_VAR=0UL")
    macros.append(f"{plan.name}={plan.name}_0_tilingkey")
    return tuple(macros)
