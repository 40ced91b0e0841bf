# Licensed under the Apache License, Version 2.0.
"""From a plan to the unit that a toolchain links: source, macros, objects and their copies (design §10)."""

from __future__ import annotations

from collections.abc import Iterator

from skcore.build.rewrite import rename_symbols
from skcore.build.unit import SuperKernelUnit
from skcore.emit.lowering import Templates
from skcore.emit.source import emit_source, entry_symbol, source_macros
from skcore.errors import ObjectError, Problem
from skcore.graph.kernel import CodeCopy, CoreKind, PerKind
from skcore.plan.plan import Plan
from skcore.plan.steps import Call
from skcore.target import Target


def superkernel_unit(plan: Plan, target: Target, templates: Templates | None = None) -> SuperKernelUnit:
    """Everything that is needed to compile and link the SuperKernel of a plan."""
    objects = PerKind.of(lambda kind: tuple(_objects(plan, kind)))
    local = dict.fromkeys(copy.symbol for _, copies in objects for copy in copies)
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


def _objects(plan: Plan, kind: CoreKind) -> Iterator[CodeCopy]:
    """The object of each symbol that the program calls, once each; copies that a kernel lacks are made."""
    origins: dict[str, CodeCopy] = {}
    for step in plan.programs[kind]:
        if not isinstance(step, Call):
            continue
        given = plan.group.operators[step.op].kernel.code[kind]
        if not given:
            yield from (CodeCopy(symbol, f"{symbol}.o", b"", 0) for symbol in step.symbols if symbol not in origins)
            origins.update((symbol, CodeCopy(symbol, "", b"", 0)) for symbol in step.symbols)
            continue
        for number, symbol in enumerate(step.symbols):
            origin = given[min(number, len(given) - 1)]
            known = origins.get(symbol)
            if known is None:
                origins[symbol] = origin
                yield origin if origin.symbol == symbol else _renamed(given[0], symbol)
            elif known is not origin and known.data != origin.data:
                raise ObjectError(
                    Problem(
                        f"{plan.name}: {origin.label}",
                        f"the symbol {symbol!r} is also defined by another object, {known.label}",
                        "rename one of them",
                    )
                )


def _renamed(base: CodeCopy, symbol: str) -> CodeCopy:
    data = rename_symbols(base.data, {base.symbol: symbol}, base.label)
    return CodeCopy(symbol, f"{symbol}.o", data, base.text_bytes)
