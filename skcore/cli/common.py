# Licensed under the Apache License, Version 2.0.
"""Options that several commands share, and what they make of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from skcore.cli.console import ProgressLine, warn
from skcore.fuse import FusedGraph
from skcore.plugin import Plugins, load_plugins
from skcore.session import Session

Input = Annotated[Path, typer.Argument(metavar="INPUT", help="a graph file (.yaml) or an op_list (.json)")]
NpuArch = Annotated[str, typer.Option("--npu-arch", help="target, as listed by 'skcore targets'")]
Soc = Annotated[str | None, typer.Option("--soc", help="product of the target; default: the target's own choice")]
Overrides = Annotated[
    list[str] | None, typer.Option("--option", "-O", metavar="NAME=VALUE", help="replaces this option in every scope")
]
Strict = Annotated[bool, typer.Option("--strict", help="malformed parts of option strings are errors")]
Json = Annotated[bool, typer.Option("--json", help="print JSON")]
Toolchain = Annotated[str, typer.Option("--toolchain", help="toolchain that compiles")]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="compilations at once; default: one a core")]


def make_session(
    npu_arch: str,
    soc: str | None,
    *,
    toolchain: str = "twin",
    jobs: int | None = None,
    progress: ProgressLine | None = None,
    plugins: Plugins | None = None,
) -> Session:
    """A session for the target that the options name; plug-ins that did not load are told."""
    loaded = plugins or load_plugins()
    for record in loaded.records:
        if record.error:
            warn(f"plug-in {record.name} of {record.distribution} did not load: {record.error}")
    chosen: dict[str, Any] = {"jobs": jobs, "progress": progress}
    given = {name: value for name, value in chosen.items() if value is not None}
    return replace(Session(loaded, loaded.target(npu_arch, soc), toolchain), **given)


def tell_warnings(fused: FusedGraph) -> None:
    """Show what the front end and the options had to say."""
    for warning in fused.warnings:
        warn(str(warning))
