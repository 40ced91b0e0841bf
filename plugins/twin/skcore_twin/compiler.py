# Licensed under the Apache License, Version 2.0.
"""The host's C++ compiler, and the package's own sources."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from skcore.build.cache import key
from skcore.build.process import run_parallel, run_tool
from skcore.errors import ToolError

REMEDY = (
    "install a C++17 compiler: apt-get install g++, dnf install gcc-c++, xcode-select --install, "
    "or conda install cxx-compiler; CXX may name it"
)
PACKAGE = Path(str(files("skcore_twin")))
INCLUDE = PACKAGE / "include"
RUNTIME = PACKAGE / "runtime"


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C++ compiler: how it is called, and its version text."""

    command: tuple[str, ...]
    version: str

    def compile(self, source: Path, output: Path, flags: Sequence[str], what: str) -> None:
        """Compile one file into a relocatable object."""
        # Names of files reach reports and debug data; without their folders the bytes do not depend on the machine.
        maps = [f"-ffile-prefix-map={folder}/=" for folder in (source.parent, INCLUDE)]
        run_tool([*self.command, "-c", source, "-o", output, *flags, *maps], what=what, remedy=REMEDY)

    def compile_runtime(self, sources: Sequence[Path], folder: Path, flags: Sequence[str]) -> list[Path]:
        """Compile sources of the twin's runtime, as many at once as there are cores; gives the objects."""
        objects = [folder / f"{source.parent.name}_{source.stem}.o" for source in sources]
        jobs = [
            lambda source=source, output=output: self.compile(
                source, output, flags, f"compiling the twin's {source.name}"
            )
            for source, output in zip(sources, objects, strict=True)
        ]
        run_parallel(jobs, os.cpu_count() or 1)
        return objects

    def link(self, objects: Sequence[Path], output: Path, flags: Sequence[str], what: str) -> None:
        run_tool([*self.command, "-o", output, *objects, *flags], what=what, remedy=REMEDY)


@cache
def find_compiler() -> Compiler:
    """The compiler that CXX names, or the first of g++, clang++ and c++ on PATH.

    Raises:
        ToolError: there is none; says how to get one.
    """
    wanted = os.environ.get("CXX", "").split()
    candidates = [tuple(wanted)] if wanted else [("g++",), ("clang++",), ("c++",)]
    for command in candidates:
        if shutil.which(command[0]):
            version = run_tool([*command, "--version"], what="asking the compiler for its version", remedy=REMEDY)
            return Compiler(command, version.splitlines()[0])
    raise ToolError(f"no C++ compiler: {' and '.join(command[0] for command in candidates)} not found ({REMEDY})")


@cache
def sources_digest(folder: Path) -> str:
    """A digest of all of the package's files in a folder."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return key(tuple((str(path.relative_to(folder)), path.read_bytes()) for path in paths))
