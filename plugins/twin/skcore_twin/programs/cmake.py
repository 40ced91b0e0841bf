# Licensed under the Apache License, Version 2.0.
"""The CMake package with the language ASC, for ``find_package(ASC)``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from skcore.build.cache import Cache, default_root, key
from skcore_twin.compiler import INCLUDE, PACKAGE, sources_digest
from skcore_twin.programs.build import LIBRARIES, empty_libraries

_SOURCES = PACKAGE / "cmake"


def cmake_folder() -> Path:
    """The folder for ``CMAKE_PREFIX_PATH``: the package, bound to the interpreter that runs now."""
    script = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m skcore_twin.asc "$@"\n'
    paths = f'set(SKCORE_TWIN_INCLUDE "{INCLUDE.as_posix()}")\n'
    sources = sorted(_SOURCES.iterdir())

    def make(folder: Path) -> None:
        for source in sources:
            (folder / source.name).write_bytes(source.read_bytes())
        (folder / "skcore-paths.cmake").write_text(paths)
        (folder / "skcore-asc").write_text(script)
        (folder / "skcore-asc").chmod(0o755)
        (folder / "lib").mkdir()
        empty_libraries(folder / "lib")

    names = [*(source.name for source in sources), "skcore-paths.cmake", "skcore-asc"]
    return Cache(default_root() / "twin").get_or_make(
        key("program cmake", script, paths, LIBRARIES, sources_digest(_SOURCES)), names, make
    )
