# Licensed under the Apache License, Version 2.0.
"""From a plan to the unit that a toolchain links: source, macros, objects and their copies (design §10)."""

from __future__ import annotations

from collections.abc import Iterator

from skcore.build.rewrite import rename_symbols
from skcore.build.unit import SuperKernelUnit
from skcore.emit.lowering import Templates
from skcore.emit.source import emit_source, entry_symbol, source_macros
from skcore.errors import ObjectError, Problem
from skcore.graph.kernel import CodeCopy, CoreKind, PerKind, SubKernel
from skcore.plan.plan import Plan
from skcore.plan.steps import Call, Select
from skcore.plan.symbols import split_symbols
from skcore.target import Target


def superkernel_unit(plan: Plan, target: Target, templates: Templates | None = None) -> SuperKernelUnit:
    """Everything that is needed to compile and link the SuperKernel of a plan."""
    objects = PerKind.of(lambda kind: tuple(_objects(plan, kind)))
    local = dict.fromkeys(copy.symbol for _, copies in objects for copy in copies)
    local.update(_variant_names(plan))
    cores = plan.shape.cores
    return SuperKernelUnit(
        plan=plan,
        source=emit_source(plan, target, templates),
        flags=plan.group.options.compile_options,
        macros=PerKind.of(lambda kind: source_macros(plan, target, kind) if cores[kind] else ()),
        entries=PerKind.of(lambda kind: entry_symbol(plan, kind) if cores[kind] else None),
        objects=objects,
        local=tuple(local),
    )


def _variant_names(plan: Plan) -> dict[str, None]:
    """All symbols of the tiling-sink operators and of their copies."""
    names = (
        name
        for kernel in plan.group.kernels
        for kind in CoreKind
        for symbol in kernel.variant_symbols(kind)
        for name in split_symbols(symbol, plan.group.options.split_mode)
    )
    return dict.fromkeys(names)


def _objects(plan: Plan, kind: CoreKind) -> Iterator[CodeCopy]:
    """The object of each symbol that the program calls, once each; copies that a kernel lacks are made."""
    origins: dict[str, CodeCopy] = {}
    for step in plan.programs[kind]:
        if isinstance(step, Select):
            yield from _variant_objects(plan, step, kind, origins)
        if not isinstance(step, Call):
            continue
        given = plan.group.operators[step.op].kernel.code[kind]
        for number, symbol in enumerate(step.symbols):
            origin = next(iter((*given[number : number + 1], *given[:1], _NOT_COMPILED)))
            if _is_new(plan, origins, symbol, origin):
                yield _copy(origin, symbol)


def _is_new(plan: Plan, origins: dict[str, CodeCopy], symbol: str, origin: CodeCopy) -> bool:
    """Whether no object defines the symbol yet; from now on this one does. Two different ones are refused."""
    if symbol not in origins:
        origins[symbol] = origin
        return True
    if origins[symbol].data != origin.data:
        what = f"the symbol {symbol!r} is also defined by another object, {origins[symbol].label}"
        raise ObjectError(Problem(f"{plan.name}: {origin.label}", what, "rename one of them"))
    return False


def _variant_objects(plan: Plan, step: Select, kind: CoreKind, origins: dict[str, CodeCopy]) -> Iterator[CodeCopy]:
    """The one object of a tiling-sink operator and its copies; the variants of both kinds are renamed together."""
    found = _variant_object(plan.group.operators[step.op].kernel)
    if found is None or found[0] is not kind:
        return
    base = found[1]
    symbols = dict.fromkeys(
        symbol
        for kernel in plan.group.kernels
        if (other := _variant_object(kernel)) is not None and other[1].data == base.data
        for each in CoreKind
        for symbol in kernel.variant_symbols(each)
    )
    for number in range(step.copies):
        names = {symbol: split_symbols(symbol, step.copies)[number] for symbol in symbols}
        new = [_is_new(plan, origins, name, base) for name in names.values()]
        if all(new):
            data = rename_symbols(base.data, names, base.label) if number else base.data
            yield CodeCopy(next(iter(names.values())), f"{base.symbol}_{number}.o", data, base.text_bytes)


def _variant_object(kernel: SubKernel) -> tuple[CoreKind, CodeCopy] | None:
    """The object of a tiling-sink operator, with the kind under which it is linked."""
    return next(((kind, copies[0]) for kind, copies in kernel.code if kernel.tiling and copies), None)


_NOT_COMPILED = CodeCopy("", "", b"", 0)


def _copy(origin: CodeCopy, symbol: str) -> CodeCopy:
    if origin.symbol == symbol:
        return origin
    data = rename_symbols(origin.data, {origin.symbol: symbol}, origin.label) if origin.data else b""
    return CodeCopy(symbol, f"{symbol}.o", data, origin.text_bytes)
