# Licensed under the Apache License, Version 2.0.
"""Compiles the programs of these tests, once a session each, and runs them."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from skcore.plugin import load_plugins
from skcore_twin.programs.build import Source, compile_source, link_program

FOLDER = Path(__file__).parent
CHIPS = ("dav-2201", "dav-3510")


@cache
def program(name: str, chip: str = "dav-2201", definitions: tuple[str, ...] = ()) -> Path:
    """The executable of a program of this folder, or of any path."""
    compiled = compile_source(Source(FOLDER / name, definitions), load_plugins().target(chip))
    return link_program([compiled.path], name)


def run(path: Path, arguments: Sequence[str] = (), seed: int = 1) -> subprocess.CompletedProcess[str]:
    """The program's end, whatever its exit code is."""
    environment = {"SKCORE_TWIN_SEED": str(seed)}
    return subprocess.run([path, *arguments], capture_output=True, text=True, check=False, timeout=120, env=environment)
