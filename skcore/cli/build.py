# Licensed under the Apache License, Version 2.0.
"""``skcore build``: compiles and links the SuperKernels of an input."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from skcore.build.cache import write_atomically
from skcore.build.unit import Artifact
from skcore.check import check_plan
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
from skcore.emit.metadata import emit_record
from skcore.errors import PlanError, Problem
from skcore.fuse import FusedGraph
from skcore.plan.plan import Plan
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
        for plan in fused.plans:
            check_plan(plan, session.target)
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
        contents[f"{plan.name}.json"] = _record(plan, None)
    contents["commands.sh"] = "".join(f"{command}\n" for command in ("set -e", *commands))
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        write_atomically(folder / name, content)
    return {"files": sorted(contents), "commands": commands}


def _quoted(argument: str) -> str:
    """An argument for a shell in which variables stay variables."""
    return f'"{argument}"' if "$" in argument else shlex.quote(argument)


def _record(plan: Plan, digest: str | None) -> str:
    return json.dumps(emit_record(plan, digest), indent=2) + "\n"


def _write(fused: FusedGraph, artifacts: Mapping[str, Artifact], folder: Path) -> dict[str, Any]:
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for plan in fused.plans:
        artifact = artifacts[plan.name]
        digest = ""
        for label, path in artifact.files:
            data = path.read_bytes()
            name = f"{plan.name}{_suffix(label, path)}"
            write_atomically(folder / name, data)
            files.append(name)
            if label == "binary":
                digest = hashlib.sha256(data).hexdigest()
        write_atomically(folder / f"{plan.name}.json", _record(plan, digest))
        files.append(f"{plan.name}.json")
    return {"files": files}


def _suffix(label: str, path: Path) -> str:
    return path.suffix if label == "binary" else f"_{label}{path.suffix}"
