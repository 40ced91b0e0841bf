# Licensed under the Apache License, Version 2.0.
"""Finding the host's C++ compiler."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from skcore.errors import ToolError
from skcore_twin.compiler import find_compiler


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """The compiler is looked for once a process: these tests look again, and leave nothing behind."""
    find_compiler.cache_clear()
    yield
    find_compiler.cache_clear()


def test_without_a_compiler_the_error_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(ToolError, match=r"no C\+\+ compiler.*apt-get install g\+\+"):
        find_compiler()


def test_the_variable_cxx_names_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "g++ -fno-exceptions")
    assert find_compiler().command == ("g++", "-fno-exceptions")


def test_a_compiler_that_cxx_names_and_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(ToolError, match="no-such-compiler not found"):
        find_compiler()
