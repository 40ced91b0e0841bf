# Licensed under the Apache License, Version 2.0.
"""Drop-in for the JIT entry that graph engines call (spec jit §1, Appendix A).

``compile`` takes the same three arguments. What the original takes from the process around it (the product, the folder)
is given by keyword or by environment variable here, because nothing in skcore is global.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skcore.build.cache import write_atomically
from skcore.check import check_plans
from skcore.emit.metadata import record_text
from skcore.errors import InputError, Problem
from skcore.frontends.op_list import DEFAULT_NAME
from skcore.plugin import load_plugins
from skcore.session import Session


def compile(  # noqa: A001 - the name is the interface
    kernel_infos: Mapping[str, Any],
    called_kernel_name: str = DEFAULT_NAME,
    compile_infos: Mapping[str, Any] | None = None,
    *,
    npu_arch: str | None = None,
    soc: str | None = None,
    toolchain: str = "bisheng",
    kernel_meta_dir: Path | None = None,
) -> None:
    """Build one SuperKernel from compiled operators.

    Writes ``<name>.o``, ``<name>.json`` and ``<name>_kernel.cpp`` into ``kernel_meta_dir`` (default: ``kernel_meta`` in
    the working directory).

    Args:
        kernel_infos: ``op_list`` and ``super_kernel_options``.
        called_kernel_name: name of the SuperKernel.
        compile_infos: accepted and unused, as in the original.
        npu_arch: target; default: the environment variable ``SKCORE_NPU_ARCH``.
        soc: product; default: the environment variable ``SKCORE_SOC``, then the target's own choice.
        toolchain: toolchain that compiles.
        kernel_meta_dir: folder for the results.

    Raises:
        InputError: all problems of the input.
        PlanError: the operators cannot be one SuperKernel.
        ToolError: the toolchain is missing or failed.
    """
    arch = npu_arch or os.environ.get("SKCORE_NPU_ARCH")
    if arch is None:
        raise InputError(Problem("npu_arch", "no target is named", "pass npu_arch=... or set SKCORE_NPU_ARCH"))
    plugins = load_plugins()
    session = Session(plugins, plugins.target(arch, soc or os.environ.get("SKCORE_SOC")), toolchain)
    fused = session.fuse(session.read({**kernel_infos, "kernel_name": called_kernel_name}))
    check_plans(fused.graph.tasks, fused.plans, session.target)
    artifact = session.build(fused)[called_kernel_name]
    folder = kernel_meta_dir or Path("kernel_meta")
    folder.mkdir(mode=0o750, parents=True, exist_ok=True)
    binary = artifact.file("binary").read_bytes()
    write_atomically(folder / f"{called_kernel_name}_kernel.cpp", artifact.file("source").read_bytes())
    write_atomically(folder / f"{called_kernel_name}.json", record_text(fused.plans[0], binary))
    # The binary comes last: where it stands, the rest is there too.
    write_atomically(folder / f"{called_kernel_name}.o", binary)
