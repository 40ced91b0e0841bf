# Licensed under the Apache License, Version 2.0.
"""The toolchain ``bisheng``: the vendor's device compiler and linker, for every target that has flags for it.

What differs from chip to chip is data of the target, so one plug-in serves them all.
"""

from __future__ import annotations

from collections.abc import Sequence

from skcore.build.unit import Artifact, BuildScript, CompileUnit
from skcore.plugin import hookimpl
from skcore.target import Target
from skcore_bisheng.install import find_installation, missing_parts
from skcore_bisheng.script import SHELL_INSTALLATION, build_script
from skcore_bisheng.toolchain import compile_unit

SKCORE_API_VERSION = 1
NAME = "bisheng"


@hookimpl
def compile_binary(unit: CompileUnit, target: Target, toolchain: str) -> Artifact | None:
    return compile_unit(unit, target, find_installation()) if toolchain == NAME else None


@hookimpl
def describe_build(unit: CompileUnit, target: Target, toolchain: str) -> BuildScript | None:
    return build_script(unit, target, SHELL_INSTALLATION) if toolchain == NAME else None


@hookimpl
def check_installation() -> Sequence[tuple[str, bool, str]]:
    missing = missing_parts()
    # The device toolchain is optional: its absence is told, not a fault of the installation.
    detail = f"not installed, only dry runs work: {'; '.join(missing)}" if missing else find_installation().root
    return [("device toolchain (optional)", True, detail)]
