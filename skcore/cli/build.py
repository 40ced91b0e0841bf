# Licensed under the Apache License, Version 2.0.
"""``skcore build``: compiles and links the SuperKernels of an input."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from skcore.build.cache import write_atomically
from skcore.build.unit import Artifact
from skcore.check import check_plans
from skcore.cli.common import (
    Input,
    Jobs,
    Json,
    NpuArch,
    Overrides,
    Soc,
    Strict,
    Toolchain,
    make_session,
    tell_warnings,
)
from skcore.cli.console import ProgressLine, out, plain, print_json
from skcore.emit.metadata import record_text
from skcore.errors import PlanError, Problem
from skcore.fuse import FusedGraph
from skcore.session import Session


def build(
    source: Input,
    npu_arch: NpuArch,
    output: Annotated[Path, typer.Option("--output", "-o", help="folder for the binaries, sources and records")],
    soc: Soc = None,
    option: Overrides = None,
    strict: Strict = False,
    toolchain: Toolchain = "twin",
    jobs: Jobs = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="write sources and records, print the commands, run none")
    ] = False,
    as_json: Json = False,
) -> None:
    """Build the SuperKernels of INPUT into a folder: binary, source and metadata record of each."""
    with ProgressLine() as progress:
        session = make_session(npu_arch, soc, toolchain=toolchain, jobs=jobs, progress=progress)
        fused = session.fuse(session.read(source), overrides=option or (), strict=strict, compiled=not dry_run)
        tell_warnings(fused)
        if not fused.plans:
            raise PlanError(Problem(str(source), "nothing fuses, so there is nothing to build", "see 'skcore explain'"))
        check_plans(fused.graph.tasks, fused.plans, session.target)
        written = _dry_run(session, fused, output) if dry_run else _write(fused, session.build(fused), output)
    if as_json:
        print_json(written)
        return
    console = out()
    for name in written["files"]:
        console.print(plain(f"wrote {output / name}"))
    for command in written.get("commands", ()):
        console.print(plain(command))


def _dry_run(session: Session, fused: FusedGraph, folder: Path) -> dict[str, Any]:
    """Write what the toolchain would read, and tell the commands that it would run."""
    contents: dict[str, bytes | str] = {}
    commands: list[str] = []
    for script in session.build_scripts(fused).values():
        contents.update(script.files)
        commands += [" ".join(_quoted(argument) for argument in command) for command in script.commands]
    for plan in fused.plans:
        contents[f"{plan.name}.json"] = record_text(plan, None)
    contents["commands.sh"] = "".join(f"{command}\n" for command in ("set -e", *commands))
    return {"files": sorted(_written(contents, folder)), "commands": commands}


def _quoted(argument: str) -> str:
    """An argument for a shell in which variables stay variables."""
    return f'"{argument}"' if "$" in argument else shlex.quote(argument)


def _write(fused: FusedGraph, artifacts: Mapping[str, Artifact], folder: Path) -> dict[str, Any]:
    contents: dict[str, bytes | str] = {}
    for plan in fused.plans:
        artifact = artifacts[plan.name]
        for label, path in artifact.files:
            contents[f"{plan.name}{_suffix(label, path)}"] = path.read_bytes()
        contents[f"{plan.name}.json"] = record_text(plan, artifact.file("binary").read_bytes())
    return {"files": _written(contents, folder)}


def _written(contents: Mapping[str, bytes | str], folder: Path) -> list[str]:
    """Write everything once all of it is there; gives the names."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        write_atomically(folder / name, content)
    return list(contents)


def _suffix(label: str, path: Path) -> str:
    return path.suffix if label == "binary" else f"_{label}{path.suffix}"
