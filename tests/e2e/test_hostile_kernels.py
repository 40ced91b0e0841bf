# Licensed under the Apache License, Version 2.0.
"""Kernels that would never end, or end the process, end with a report that names core, kernel and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from skcore.errors import RunError
from tests.e2e.chains import ARCHS, KERNELS, Link, rotate, session_for, write_chain

LINES = (KERNELS / "hostile.cpp").read_text().splitlines()


def run(arch: str, folder: Path, mode: int) -> None:
    """A SuperKernel of an operator that is right and one that goes wrong."""
    session = session_for(arch)
    hostile = Link("hostile", "aiv_only", 8, definitions=(("MODE", mode),))
    graph = session.read(write_chain(folder, [rotate("aiv_only", 8, 1), hostile]))
    session.run(session.fused_program(session.fuse(graph)))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize(
    ("mode", "check"), [(1, "endless-loop"), (2, "endless-loop"), (3, "stack-overflow"), (4, "wild-access")]
)
def test_a_kernel_that_goes_wrong_ends_with_a_report_of_core_kernel_and_line(
    arch: str, mode: int, check: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKCORE_TWIN_PATIENCE", "1")
    with pytest.raises(RunError) as caught:
        run(arch, tmp_path, mode)
    text = str(caught.value)
    assert caught.value.details["check"] == check
    assert "AIV block 2" in text
    assert "kernel hostile1" in text
    expected = [number for number, line in enumerate(LINES, 1) if line.endswith(f"// mode {mode}")]
    (core,) = caught.value.details["cores"]
    assert core["file"].endswith("hostile.cpp")
    assert abs(core["line"] - expected[0]) <= 1
    assert f"hostile.cpp:{core['line']}" in text


def test_a_kernel_that_does_not_go_wrong_is_let_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKCORE_TWIN_PATIENCE", "1")
    run("dav-2201", tmp_path, 0)


@pytest.mark.parametrize("text", ["", "-1", "1.5", "soon", "99999999"])
def test_a_patience_that_is_no_number_of_seconds_is_refused(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKCORE_TWIN_PATIENCE", text)
    with pytest.raises(RunError, match="SKCORE_TWIN_PATIENCE is"):
        run("dav-2201", tmp_path, 0)
