# Licensed under the Apache License, Version 2.0.
"""The twin: a host toolchain and a runner, so that everything runs with no NPU (design §9)."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from skcore.build.unit import Artifact, CompileUnit
from skcore.errors import ToolError
from skcore.plugin import hookimpl
from skcore.run import Launch, RunInputs, RunResult
from skcore.target import Target

SKCORE_API_VERSION = 1


@hookimpl
def compile_binary(unit: CompileUnit, target: Target, toolchain: str) -> Artifact | None:
    from skcore_twin.toolchain import NAME, compile_unit

    return compile_unit(unit, target) if toolchain == NAME else None


@hookimpl
def run_artifact(artifact: Sequence[Launch], arguments: RunInputs, target: Target) -> RunResult | None:
    from skcore_twin.runner import run
    from skcore_twin.toolchain import NAME

    if any(launch.artifact.toolchain != NAME for launch in artifact):
        return None
    return run(artifact, arguments, target)


@hookimpl
def check_installation() -> Sequence[tuple[str, bool, str]]:
    from skcore_twin.compiler import find_compiler

    try:
        return [("C++ compiler", True, find_compiler().version)]
    except ToolError as error:
        return [("C++ compiler", False, str(error))]


@hookimpl
def add_commands(app: typer.Typer) -> None:
    from skcore_twin.programs.commands import add_commands

    add_commands(app)
