# Licensed under the Apache License, Version 2.0.
"""Small values for tests: kernels, groups, graphs and targets, and strategies that draw them. Nothing is compiled."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from skcore.errors import PlanError
from skcore.graph.kernel import (
    CacheCleaning,
    CodeCopy,
    CoreKind,
    EarlyStartCalls,
    KernelType,
    PerKind,
    SubKernel,
    TilingVariant,
)
from skcore.graph.task import KernelTask, Scope, Task
from skcore.graph.taskgraph import ScopeSettings, TaskGraph
from skcore.options import EarlyStart, Options, PreloadMode
from skcore.plan.group import FusionGroup, Operator
from skcore.plan.plan import Plan
from skcore.plan.planner import plan_group
from skcore.plugin import Plugins, load_plugins
from skcore.target import Target
from skcore.testing.objects import make_archive, make_object

ARCHES = ("dav-2201", "dav-3510")
TYPES = tuple(KernelType)
PARAMETERS = ("x", "y", "workspace")


@cache
def plugins() -> Plugins:
    return load_plugins()


@cache
def target(arch: str = "dav-2201") -> Target:
    return plugins().target(arch)


def small_target(aic: int, aiv: int, arch: str = "dav-2201") -> Target:
    """A target whose product has this many cores."""
    made = target(arch)
    soc = replace(made.soc, aic=aic, aiv=aiv)
    return replace(made, socs={made.default_soc: soc})


def make_kernel(
    kernel_type: KernelType = KernelType.AIV_ONLY,
    blocks: int = 1,
    name: str = "op",
    *,
    sets: bool = False,
    waits: bool = False,
    copies: int = 1,
    text_bytes: int = 3000,
    compiled: bool = True,
    **facts: Any,
) -> SubKernel:
    """A kernel with ``copies`` copies of its code on each kind it runs on, or with symbols alone."""
    symbols = PerKind.of(lambda kind: f"{name}_{kind.value}" if kind in kernel_type.kinds else None)

    def code(kind: CoreKind) -> tuple[CodeCopy, ...]:
        base = symbols[kind]
        if base is None or not compiled:
            return ()
        names = [base, *(f"{base}_split{number}" for number in range(1, copies))]
        return tuple(CodeCopy(symbol, f"{symbol}.o", make_object([symbol], text_bytes), text_bytes) for symbol in names)

    facts.setdefault("parameters", PARAMETERS)
    return SubKernel(
        name=name,
        kernel_type=kernel_type,
        blocks=blocks,
        symbols=symbols,
        code=PerKind.of(code),
        early_start=EarlyStartCalls(sets, waits),
        **facts,
    )


def make_tiled_kernel(
    kernel_type: KernelType = KernelType.AIV_ONLY,
    keys: Sequence[int] = (3, 40),
    blocks: int = 4,
    name: str = "tiled",
    *,
    text_bytes: int = 3000,
    **facts: Any,
) -> SubKernel:
    """A kernel whose tiling is decided on the device: one object with the symbols of a variant for each key."""

    def variant(key: int) -> TilingVariant:
        names = PerKind.of(lambda kind: f"{name}_{key}_{kind.value}" if kind in kernel_type.kinds else None)
        return TilingVariant(key, kernel_type, names)

    variants = tuple(map(variant, keys))
    symbols = [symbol for variant in variants for _, symbol in variant.symbols if symbol is not None]
    code = CodeCopy(symbols[0], f"{name}.o", make_object(symbols, text_bytes), text_bytes)
    facts.setdefault("parameters", PARAMETERS)
    return SubKernel(
        name=name,
        kernel_type=kernel_type,
        blocks=blocks,
        symbols=PerKind(None, None),
        code=PerKind.of(lambda kind: (code,) if kind in kernel_type.kinds else ()),
        tiling=variants,
        **facts,
    )


def make_group(
    kernels: Sequence[SubKernel], options: Options | None = None, name: str = "sk", stream: int = 0
) -> FusionGroup:
    """The group of these kernels in order; task names are ``<kernel>_<position>``."""
    operators = tuple(
        Operator(
            KernelTask(id=number, stream=stream, where=f"here:{number}", name=f"{kernel.name}_{number}", kernel=kernel),
            kernel,
        )
        for number, kernel in enumerate(kernels)
    )
    return FusionGroup(name, operators, options or Options(), name)


def make_plan(kernels: Sequence[SubKernel], options: Options | None = None, arch: str = "dav-2201") -> Plan:
    return plan_group(make_group(kernels, options), target(arch))


def make_task(number: int, kernel: SubKernel | None, scope: str | None = "s", stream: int = 0) -> KernelTask:
    """A kernel task named ``K<number>`` in a scope; the scope name ``""`` stands for no scope."""
    scopes = () if scope == "" else (Scope(scope),)
    return KernelTask(
        id=number, stream=stream, scopes=scopes, where=f"graph:{number}", name=f"K{number}", kernel=kernel
    )


def make_graph(tasks: Sequence[Task], options: dict[str, str] | None = None, *, whole: bool = False) -> TaskGraph:
    settings = tuple(ScopeSettings(name, text, f"scope {name}") for name, text in (options or {}).items())
    return TaskGraph("graph", tuple(tasks), scopes=settings, whole=whole)


# Files ---------------------------------------------------------------------------------------------------------------


def write_kernel(folder: Path, name: str, kernel_type: str = "KERNEL_TYPE_AIV_ONLY", **changes: Any) -> dict[str, Any]:
    """A compiled kernel as ``<name>.json`` and ``<name>.o``; returns its metadata.

    ``changes`` replace fields of the metadata; the value None removes one.
    """
    kinds = KernelType.from_name(kernel_type).kinds if kernel_type.startswith("KERNEL_TYPE_") else (CoreKind.AIV,)
    single = kernel_type in ("KERNEL_TYPE_AIV_ONLY", "KERNEL_TYPE_AIC_ONLY") or len(kinds) == 0
    copies = changes.get("split_mode") or 1
    entries, members = {}, {}
    for kind in kinds:
        key = "AiCore" if single else target().core(kind).symbol_key
        entry = {"func_name": f"{name}_{kind.value}", "obj_files": f"/somewhere/{name}_{kind.value}.o"}
        members[f"{name}_{kind.value}.o"] = make_object([entry["func_name"]], 2000)
        for number in range(1, copies):
            file = f"{name}_{kind.value}_split{number}.o"
            entry[f"obj_files_split{number}"] = file
            members[file] = make_object([f"{entry['func_name']}_split{number}"], 2000)
        entries[key] = entry
    facts: dict[str, Any] = {
        "kernelName": name,
        "sub_operator_kernel_name": entries,
        "sub_operator_kernel_type": kernel_type,
        "blockDim": 4,
        "sub_operator_params": list(PARAMETERS),
        "sub_operator_early_start_set_flag": False,
        "sub_operator_early_start_wait_flag": False,
    }
    facts.update(changes)
    facts = {key: value for key, value in facts.items() if value is not None}
    (folder / f"{name}.json").write_text(json.dumps(facts))
    plain = len(kinds) == 1 and "split_mode" not in facts
    (folder / f"{name}.o").write_bytes(next(iter(members.values())) if plain else make_archive(members))
    return facts


def op_entry(folder: Path, name: str, **changes: Any) -> dict[str, Any]:
    """The entry of an ``op_list`` for a kernel of :func:`write_kernel`."""
    return {"json_path": str(folder / f"{name}.json"), "bin_path": str(folder / f"{name}.o"), **changes}


# Strategies ----------------------------------------------------------------------------------------------------------


@st.composite
def kernels(draw: st.DrawFn, most_blocks: int = 5, full_sync: bool = True) -> SubKernel:
    """Any kernel: type, blocks, copies, early-start calls, cleaning, full synchronisation."""
    kernel_type = draw(st.sampled_from(TYPES))
    blocks = draw(st.integers(1, most_blocks))
    cleaning = CacheCleaning(*(draw(st.booleans()) for _ in range(3)))
    flags = [draw(st.booleans()) for _ in range(3)]
    name = f"{kernel_type.name.lower()}_{blocks}"
    return make_kernel(
        kernel_type,
        blocks,
        name,
        sets=flags[0],
        waits=flags[1],
        full_sync=flags[2] and full_sync,
        cleaning=cleaning,
        compiled=draw(st.booleans()),
        parameters=tuple(f"p{number}" for number in range(draw(st.integers(0, 4)))),
        text_bytes=draw(st.sampled_from([0, 4, 2048, 2052, 100_000])),
    )


@st.composite
def options(draw: st.DrawFn) -> Options:
    """Any options under which a group of :func:`kernels` may fuse."""
    return Options(
        func_align=draw(st.sampled_from([0, 2, 512])),
        preload_code=draw(st.sampled_from(PreloadMode)),
        early_start=draw(st.sampled_from([EarlyStart.ON, EarlyStart.WITHOUT_SUB_KERNELS])),
        debug_dcci_all=draw(st.booleans()),
        debug_sync_all=draw(st.booleans()),
        feed_sync_all=draw(st.booleans()),
        profiling=draw(st.booleans()),
        split_mode=draw(st.sampled_from([1, 2, 3, 4])),
    )


@st.composite
def plans(draw: st.DrawFn, arch: str = "dav-2201", most_operators: int = 5) -> Plan:
    """Any plan that the planner makes."""
    group = make_group(draw(st.lists(kernels(), min_size=1, max_size=most_operators)), draw(options()))
    try:
        return plan_group(group, target(arch))
    except PlanError:
        return plan_group(make_group(relaxed(group.kernels), group.options), target(arch))


def relaxed(kernels: Iterable[SubKernel]) -> list[SubKernel]:
    """The kernels without what the planner refuses of :func:`kernels`: full synchronisations and waits of their own."""
    return [
        replace(kernel, full_sync=False, early_start=replace(kernel.early_start, waits=False)) for kernel in kernels
    ]
