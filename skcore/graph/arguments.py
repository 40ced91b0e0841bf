# Licensed under the Apache License, Version 2.0.
"""Whether a task gives its kernel the arguments that the kernel takes."""

from __future__ import annotations

from collections.abc import Iterator

from skcore.errors import Problem, nearest
from skcore.graph.task import KernelTask

# A buffer for it is made where none is given: its size is a property of the kernel.
WORKSPACE = "workspace"


def argument_problems(task: KernelTask) -> Iterator[Problem]:
    """Arguments that the kernel does not have, and parameters without one; nothing where no buffers are known."""
    kernel = task.kernel
    if kernel is None or not task.arguments:
        return
    given = [name for name, _ in task.arguments]
    for name in given:
        if name not in kernel.parameters:
            what = f"{task.name}: the kernel has no parameter {name!r}"
            yield Problem(task.where, what, nearest(name, kernel.parameters))
    for name in kernel.parameters:
        if name not in given and name != WORKSPACE:
            yield Problem(task.where, f"{task.name}: the parameter {name!r} has no argument", "add it to arguments")
