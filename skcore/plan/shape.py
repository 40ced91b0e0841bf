# Licensed under the Apache License, Version 2.0.
"""Kernel type and block count of a SuperKernel (spec jit §4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from skcore.graph.kernel import CoreKind, KernelType, PerKind, SubKernel
from skcore.options import Options
from skcore.plan.plan import Shape
from skcore.target import Target


@dataclass(frozen=True, slots=True)
class CoreNeed:
    """What a set of kernels needs together: cores of each kind, and for which types; ``waiting`` are the types of
    those that wait for their predecessor themselves.
    """

    cores: PerKind[int] = PerKind(0, 0)
    types: frozenset[KernelType] = frozenset()
    waiting: frozenset[KernelType] = frozenset()

    def join(self, kernel: SubKernel) -> CoreNeed:
        """What these kernels and one more need."""
        alone = need_of((kernel,))
        cores = PerKind(max(self.cores.aic, alone.cores.aic), max(self.cores.aiv, alone.cores.aiv))
        return CoreNeed(cores, self.types | alone.types, self.waiting | alone.waiting)

    def shape(self, target: Target) -> Shape:
        """The smallest SuperKernel on which all of the kernels find their cores, and the flags that they wait for."""
        aic, aiv = self.cores.aic, self.cores.aiv
        kinds = {kind for kernel_type in self.types for kind in kernel_type.kinds}
        if kinds == {CoreKind.AIV}:
            return Shape(KernelType.MIX_AIV_1_0, aiv)
        if kinds == {CoreKind.AIC}:
            return Shape(KernelType.MIX_AIC_1_0, aic)
        # A 1:2 kernel counts on two AIVs in each of its groups, however many AICs the others use.
        pairs = KernelType.MIX_AIC_1_2 in self.types or any(map(target.flags.are_tight, self.waiting))
        if aiv <= aic and not pairs:
            return Shape(KernelType.MIX_AIC_1_1, aic)
        return Shape(KernelType.MIX_AIC_1_2, max(aic, -(-aiv // 2)))


def need_of(kernels: Iterable[SubKernel]) -> CoreNeed:
    """What these kernels need together."""
    aic = aiv = 0
    types, waiting = set(), set()
    for kernel in kernels:
        cores = kernel.cores
        aic, aiv = max(aic, cores.aic), max(aiv, cores.aiv)
        types.add(kernel.kernel_type)
        if kernel.early_start.waits:
            waiting.add(kernel.kernel_type)
    return CoreNeed(PerKind(aic, aiv), frozenset(types), frozenset(waiting))


def override_shape(need: CoreNeed, options: Options, target: Target) -> tuple[Shape, tuple[str, ...]]:
    """Apply ``debug-aic-num`` and ``debug-aiv-num``; returns the shape and what is wrong with the numbers (§4.3)."""
    derived = need.shape(target)
    wanted = PerKind(options.debug_aic_num, options.debug_aiv_num)
    if wanted == PerKind(0, 0):
        return derived, ()
    faults = []
    for kind, count in wanted:
        if count > target.soc.cores[kind]:
            faults.append(
                f"debug-{kind.value}-num={count} is more than the {target.soc.cores[kind]} cores of the product"
            )
        if count < need.cores[kind]:
            faults.append(f"debug-{kind.value}-num={count} is less than the {need.cores[kind]} cores that are needed")
    shape = _shape_of_ratio(wanted)
    if shape is None:
        faults.append(f"debug-aic-num:debug-aiv-num={wanted.aic}:{wanted.aiv} is no ratio of 1:0, 0:1, 1:1 or 1:2")
    elif KernelType.MIX_AIC_1_2 in need.types and shape.kernel_type is not KernelType.MIX_AIC_1_2:
        faults.append("an operator of type MIX_AIC_1_2 needs two vector cores for each cube core")
    return shape or derived, tuple(faults)


def _shape_of_ratio(wanted: PerKind[int]) -> Shape | None:
    if wanted.aiv == 0:
        return Shape(KernelType.MIX_AIC_1_0, wanted.aic)
    if wanted.aic == 0:
        return Shape(KernelType.MIX_AIV_1_0, wanted.aiv)
    if wanted.aic == wanted.aiv:
        return Shape(KernelType.MIX_AIC_1_1, wanted.aic)
    return Shape(KernelType.MIX_AIC_1_2, wanted.aic) if wanted.aiv == 2 * wanted.aic else None
