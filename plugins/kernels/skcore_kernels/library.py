# Licensed under the Apache License, Version 2.0.
"""From a use of an operator to its kernel."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from skcore.graph.kernel import KernelSource, PerKind, SubKernel
from skcore.graph.task import KernelTask
from skcore.target import Target
from skcore_kernels.operation import Use
from skcore_kernels.operators import OPERATORS

ASCENDC = Path(str(files("skcore_kernels"))) / "ascendc"


def find(task: KernelTask, target: Target) -> SubKernel | None:
    """The kernel of a task, or None when its operator type is not one of the library.

    Raises:
        InputError: operands or attributes that the operator does not support, all together.
    """
    operator = OPERATORS.get(task.op_type)
    if operator is None:
        return None
    use = Use(operator, task, target)
    use.check_operands()
    use.check_attributes()
    use.stop_if_refused()
    definitions = operator.shape(use)
    blocks = use.blocks()
    workspace = operator.workspace(blocks) if operator.workspace else 0
    use.require_workspace(workspace)
    use.stop_if_refused()
    path = ASCENDC / f"{operator.name}.cpp"
    source = KernelSource(
        path=path,
        text=path.read_text(encoding="utf-8"),
        function=f"{operator.name}_kernel",
        definitions=tuple(sorted(definitions.items())),
        include_directories=(ASCENDC,),
    )
    return SubKernel(
        name=operator.name,
        kernel_type=operator.kernel_type,
        blocks=blocks,
        symbols=PerKind(None, None),
        parameters=operator.parameters,
        source=source,
        early_start=operator.early_start,
        full_sync=operator.full_sync,
        op_type=operator.name,
        writes=tuple(operator.outputs),
        workspace_bytes=workspace,
        reference=f"skcore_kernels.reference:{operator.name}",
    )
