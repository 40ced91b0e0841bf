# Licensed under the Apache License, Version 2.0.
"""A kernel library: Ascend C kernels for common operators, each with a NumPy reference."""

from __future__ import annotations

from skcore.graph.kernel import SubKernel
from skcore.graph.task import KernelTask
from skcore.plugin import hookimpl
from skcore.target import Target

SKCORE_API_VERSION = 1


@hookimpl
def find_kernel(op: KernelTask, target: Target) -> SubKernel | None:
    """Knows the operator types of :data:`skcore_kernels.operators.OPERATORS`."""
    from skcore_kernels.library import find

    return find(op, target)
