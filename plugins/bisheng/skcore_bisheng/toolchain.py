# Licensed under the Apache License, Version 2.0.
"""Runs the script of a unit with the installed toolchain, once for the same content."""

from __future__ import annotations

import shutil
from pathlib import Path

from skcore.build.cache import Cache, default_root, key
from skcore.build.process import run_tool
from skcore.build.unit import Artifact, CompileUnit
from skcore.target import Target
from skcore_bisheng.install import Installation
from skcore_bisheng.script import build_script

NAME = "bisheng"


def compile_unit(unit: CompileUnit, target: Target, installation: Installation) -> Artifact:
    """Build a unit; the version text of the compiler is part of what makes the content the same."""
    script = build_script(unit, target, installation)
    version = run_tool(["bisheng", "--version"], what="asking bisheng for its version")
    content = key(NAME, version, script.files, script.commands)
    names = [name for _, name in script.outputs]

    def make(folder: Path) -> None:
        for name, data in script.files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        for command in script.commands:
            run_tool(command, what=f"building {unit.name}", cwd=folder)
        for path in list(folder.iterdir()):
            if path.name not in names:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    folder = Cache(default_root() / NAME).get_or_make(content, names, make)
    return Artifact(NAME, unit.name, tuple((label, folder / name) for label, name in script.outputs))
