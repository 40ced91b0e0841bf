# Licensed under the Apache License, Version 2.0.
"""From kernel source to sub-kernel: its symbols and macros, and the code that a toolchain made of it."""

from __future__ import annotations

from dataclasses import replace

from skcore.build.cache import key
from skcore.build.elf import read_object
from skcore.build.sources import source_closure
from skcore.build.unit import Artifact, KernelUnit
from skcore.graph.kernel import CacheCleaning, CodeCopy, CoreKind, EarlyStartCalls, PerKind, SubKernel
from skcore.options import EarlyStart, Options


def adapt_kernel(kernel: SubKernel, options: Options) -> SubKernel:
    """A kernel as the options of its scope want it: how a source is built, and where caches are cleaned.

    A compiled kernel says itself where they are cleaned, unless its tiling is decided on the device (spec jit §6.5).
    """
    cleaning = CacheCleaning(
        before=kernel.op_type in options.dcci_before_kernel_start,
        after=kernel.op_type in options.dcci_after_kernel_end,
        disabled=kernel.op_type in options.dcci_disable_on_kernel,
    )
    if kernel.tiling:
        return replace(kernel, cleaning=cleaning)
    if kernel.source is None or kernel.is_compiled:
        return kernel
    # A barrier after every operator leaves nothing to overlap.
    early = options.early_start is EarlyStart.ON and not options.debug_sync_all
    adapted = replace(kernel, early_start=kernel.early_start if early else EarlyStartCalls(), cleaning=cleaning)
    return replace(adapted, symbols=_symbols(adapted, sub_kernel_macros(adapted, options)))


def _symbols(kernel: SubKernel, macros: tuple[str, ...]) -> PerKind[str | None]:
    if kernel.source is None:
        return kernel.symbols
    source = kernel.source
    digest = key(kernel.name, source_closure(source), source.definitions, macros, kernel.kernel_type.name)[:10]
    return PerKind.of(
        lambda kind: f"{source.function}_{digest}_{kind.value}" if kind in kernel.kernel_type.kinds else None
    )


def sub_kernel_macros(kernel: SubKernel, options: Options) -> tuple[str, ...]:
    """The macros of a sub-kernel's compilation (spec device §5.4, jit §2.5)."""
    macros = ["__ASCENDC_ENABLE_SUPER_KERNEL__", f"__SUPER_KERNEL_STATIC_BLOCK_NUM__={kernel.blocks}"]
    if options.feed_sync_all:
        macros.append("__ASCENDC_SUPERKERNEL_AUTO_SYNC_ALL__")
    if kernel.early_start.sets or kernel.early_start.waits:
        macros.append("__ASCENDC_SUPERKERNEL_EARLY_START_V2")
    if kernel.early_start.sets:
        macros.append("__ASCENDC_ENABLE_SET_NEXT_TASK_START")
    if kernel.early_start.waits:
        macros.append("__ASCENDC_ENABLE_WAIT_PRE_TASK_END")
    cleaning = kernel.cleaning
    if not (cleaning.before or cleaning.after or cleaning.disabled):
        macros.append("__ASCENDC_SUPER_KERNEL_ENABLE_GM_GET_SET_VALUE_DCCI__")
    macros.append("ASCENDC_DUMP=0")
    if len(kernel.kernel_type.kinds) == 2:
        macros.append("__MIX_CORE_MACRO__=1")
    if kernel.kernel_type.cores_per_block == PerKind(1, 1):
        macros.append("__MIX_CORE_AIC_RATION__=1")
    return tuple(macros)


def kernel_unit(kernel: SubKernel, options: Options) -> KernelUnit:
    """The unit to compile for an adapted source kernel."""
    if kernel.source is None:
        raise ValueError(f"kernel {kernel.name!r} has no source")
    return KernelUnit(kernel, kernel.source, kernel.symbols, sub_kernel_macros(kernel, options))


def with_code(kernel: SubKernel, artifact: Artifact) -> SubKernel:
    """The kernel with the objects that a toolchain made of its source."""

    def copies(kind: CoreKind) -> tuple[CodeCopy, ...]:
        symbol = kernel.symbols[kind]
        if symbol is None:
            return ()
        data = artifact.file(kind.value).read_bytes()
        label = f"{symbol}.o"
        parsed = read_object(data, label)
        parsed.export(symbol)
        return (CodeCopy(symbol, label, data, parsed.text_bytes),)

    return replace(kernel, code=PerKind.of(copies))
