# Licensed under the Apache License, Version 2.0.
"""Compiles host programs against the twin's headers, where no warning may come up, and runs them."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from tests.plugins.twin.running import TWIN, command

# Names of the TCubeTiling words, in order.
# fmt: off
CUBE_FIELDS = (
    "usedCoreNum", "M", "N", "Ka", "Kb", "singleCoreM", "singleCoreN", "singleCoreK", "baseM", "baseN", "baseK",
    "depthA1", "depthB1", "stepM", "stepN", "isBias", "transLength", "iterateOrder", "shareMode", "shareL1Size",
    "shareL0CSize", "shareUbSize", "batchM", "batchN", "singleBatchM", "singleBatchN", "stepKa", "stepKb",
    "depthAL1CacheUB", "depthBL1CacheUB", "dbL0A", "dbL0B", "dbL0C", "ALayoutInfoB", "ALayoutInfoS", "ALayoutInfoN",
    "ALayoutInfoG", "ALayoutInfoD", "BLayoutInfoB", "BLayoutInfoS", "BLayoutInfoN", "BLayoutInfoG", "BLayoutInfoD",
    "CLayoutInfoB", "CLayoutInfoS1", "CLayoutInfoN", "CLayoutInfoG", "CLayoutInfoS2", "BatchNum", "mxTypePara",
)
# fmt: on


@cache
def compile_host(source: str, arch: int = 2201, *macros: str) -> Path:
    """The program, compiled once for equal input; its folder goes with this process."""
    folder = Path(tempfile.mkdtemp(prefix="sktwin-host-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    text, program = folder / "program.cpp", folder / "program"
    text.write_text(source)
    command(
        "g++",
        "-std=c++17",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-I{TWIN / 'include'}",
        f"-D__NPU_ARCH__={arch}",
        *(f"-D{macro}" for macro in macros),
        text,
        "-o",
        program,
    )
    return program


def run_host(program: Path, text: str = "") -> list[str]:
    """What the program prints for this input, line by line."""
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
