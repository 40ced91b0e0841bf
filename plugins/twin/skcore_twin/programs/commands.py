# Licensed under the Apache License, Version 2.0.
"""``skcore twin``: whole Ascend C programs on the twin."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Annotated

import typer

from skcore.cli.common import Json, NpuArch, Soc
from skcore.cli.console import print_json
from skcore.plugin import load_plugins
from skcore_twin.programs.api import names_of
from skcore_twin.programs.build import Source, compile_source, link_program
from skcore_twin.programs.cmake import cmake_folder

_SIGNAL_BASE = 128


def add_commands(app: typer.Typer) -> None:
    """Add the sub-commands to the command line."""
    twin = typer.Typer(help="Whole Ascend C programs on the twin.", no_args_is_help=True)
    twin.command("run")(run)
    twin.command("cmake-dir")(cmake_dir)
    twin.command("api")(api)
    app.add_typer(twin, name="twin")


def run(
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="an Ascend C program (.asc)", exists=True)],
    npu_arch: NpuArch,
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[-- ARGUMENT...]", help="arguments of the program")
    ] = None,
    soc: Soc = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="seed of the scheduler")] = 1,
    include: Annotated[list[Path] | None, typer.Option("-I", help="folder with headers")] = None,
    define: Annotated[list[str] | None, typer.Option("-D", metavar="NAME[=VALUE]", help="macro")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="write the program there as well")] = None,
) -> None:
    """Compile SOURCE and run it; the exit code is the program's, or 86 after a fault of its device."""
    definitions = [*(f"-I{folder}" for folder in include or ()), *(f"-D{macro}" for macro in define or ())]
    compiled = compile_source(Source(source, tuple(definitions)), load_plugins().target(npu_arch, soc))
    program = link_program([compiled.path], source.name)
    if output is not None:
        output.write_bytes(program.read_bytes())
        output.chmod(0o755)
    environment = {**os.environ, "SKCORE_TWIN_SEED": str(seed)}
    code = subprocess.run([program, *(arguments or ())], check=False, env=environment).returncode
    raise typer.Exit(code if code >= 0 else _SIGNAL_BASE - code)


def cmake_dir() -> None:
    """Print the folder of the CMake package, for -DCMAKE_PREFIX_PATH=$(skcore twin cmake-dir)."""
    typer.echo(str(cmake_folder()))


def api(npu_arch: NpuArch, as_json: Json = False) -> None:
    """List the names that programs for the chip may use, one a line: functions, types, members and constants."""
    names = names_of(load_plugins().target(npu_arch))
    if as_json:
        print_json(names)
    else:
        typer.echo("\n".join(names))
