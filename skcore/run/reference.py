# Licensed under the Apache License, Version 2.0.
"""The same graph computed with NumPy, where kernels have a reference."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from skcore.errors import InputError, Problem
from skcore.graph.task import BufferArgument, KernelTask
from skcore.graph.taskgraph import TaskGraph
from skcore.run.contents import Array, from_bytes, initial_bytes, to_bytes

Reference = Callable[[Mapping[str, Array], Mapping[str, str]], Mapping[str, Array]]


def reference_results(graph: TaskGraph) -> dict[str, Array]:
    """Buffers that the references can compute, by name; one that depends on a kernel without a reference is missing."""
    declared = {buffer.name: buffer for buffer in graph.buffers}
    values = {buffer.name: from_bytes(initial_bytes(buffer), buffer.shape, buffer.dtype) for buffer in graph.buffers}
    for task in graph.kernels:
        buffers = {name: argument.buffer for name, argument in task.arguments if isinstance(argument, BufferArgument)}
        written = [buffers[name] for name in (task.kernel.writes if task.kernel else ()) if name in buffers]
        partial = any(isinstance(argument, BufferArgument) and argument.offset for _, argument in task.arguments)
        known = all(used in values or used in written for used in buffers.values())
        function = _function(task) if known and not partial else None
        if function is None:
            for unknown in written or buffers.values():
                values.pop(unknown, None)
            continue
        inputs = {name: values[used] for name, used in buffers.items() if used in values}
        for name, result in function(inputs, dict(task.attributes)).items():
            buffer = declared[buffers[name]]
            stored = to_bytes(np.asarray(result).reshape(buffer.shape), buffer.dtype)
            values[buffer.name] = from_bytes(stored, buffer.shape, buffer.dtype)
    return values


def _function(task: KernelTask) -> Reference | None:
    """The reference function that a kernel names: ``module:function`` or ``file.py:function``."""
    where = task.kernel.reference if task.kernel else None
    if where is None:
        return None
    origin, _, name = where.rpartition(":")
    try:
        if origin.endswith(".py"):
            spec = importlib.util.spec_from_file_location(Path(origin).stem, origin)
            if spec is None or spec.loader is None:
                raise ImportError(f"{origin} is no Python file")
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        else:
            module = importlib.import_module(origin)
        function: Reference = getattr(module, name)
    except (ImportError, OSError, AttributeError) as error:
        problem = Problem(task.where, f"{task.name}: the reference {where!r} cannot be loaded: {error}")
        raise InputError(problem) from error
    return function


def largest_difference(first: Array, second: Array) -> tuple[float, float]:
    """Largest absolute difference, and the largest one relative to max(1, |second|); NaN where only one is NaN."""
    a, b = first.astype(np.float64), second.astype(np.float64)
    both = (np.isnan(a) & np.isnan(b)) | (a == b)
    difference = np.where(both, 0.0, np.abs(a - b))
    if not difference.size:
        return 0.0, 0.0
    return float(np.max(difference)), float(np.max(difference / np.maximum(1.0, np.abs(b))))
