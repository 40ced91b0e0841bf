# Licensed under the Apache License, Version 2.0.
"""Fixtures of the twin's tests: the built runtime, and a function that compiles kernel text and runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugins.twin.running import TWIN, KernelRunner, command


@pytest.fixture(scope="session")
def sktwin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runtime, built once a session."""
    executable = tmp_path_factory.mktemp("runtime") / "sktwin"
    sources = sorted((TWIN / "runtime").glob("*.cpp"))
    command(
        "g++",
        "-std=c++17",
        "-O2",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-I{TWIN / 'include'}",
        *sources,
        "-rdynamic",
        "-ldl",
        "-o",
        executable,
    )
    return executable


@pytest.fixture(scope="session")
def run_kernel(sktwin: Path, tmp_path_factory: pytest.TempPathFactory) -> KernelRunner:
    """Compiles kernel text and runs it: `run_kernel.run(source, Launch(...), ...)`."""
    return KernelRunner(sktwin, tmp_path_factory.mktemp("kernels"))
