# Licensed under the Apache License, Version 2.0.
"""Names of the copies of a sub-kernel's code (spec jit §7)."""

from __future__ import annotations

from skcore.graph.kernel import CoreKind, SubKernel


def split_symbols(base: str, copies: int) -> tuple[str, ...]:
    """The base symbol and the names of its further copies."""
    return (base, *(f"{base}_split{number}" for number in range(1, copies)))


def code_symbols(kernel: SubKernel, kind: CoreKind, split_mode: int) -> tuple[str, ...]:
    """Symbols of the copies of a sub-kernel's code on one core kind, the base first.

    Copies that came with the kernel are used as far as they go; otherwise the build makes ``split_mode`` of them.
    """
    given = kernel.code[kind]
    if len(given) > 1 or kernel.split_mode is not None:
        return tuple(copy.symbol for copy in given[:split_mode])
    base = kernel.symbols[kind]
    if base is None:
        raise ValueError(f"kernel {kernel.name!r} has no symbol for {kind.value}")
    return split_symbols(base, split_mode)
