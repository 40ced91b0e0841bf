# Licensed under the Apache License, Version 2.0.
"""Rules of the design that a reader can check by looking: no chip in the core, layers, sizes, licence lines."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LICENCE = "Licensed under the Apache License, Version 2.0."
CHIPS = re.compile(r"dav[-_]?\d{3,}|dav[-_]c\d+|\bc220\b|\bc310\b|ascend[-_]?\d{3}|\b(2201|3510)\b", re.IGNORECASE)


def files(folder: str, *suffixes: str) -> list[Path]:
    found = (path for path in (ROOT / folder).rglob("*") if path.suffix in suffixes)
    return sorted(path for path in found if folder == "skcore" or not {"build", "dist"} & set(path.parts[-3:-1]))


CORE = files("skcore", ".py")
PYTHON = [*CORE, *files("plugins", ".py")]


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", files("skcore", ".py", ".j2", ".yaml"), ids=shown)
def test_the_core_names_no_chip(path: Path) -> None:
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    assert [f"{number}: {line.strip()}" for number, line in lines if CHIPS.search(line)] == []


def test_a_chips_name_would_be_seen() -> None:
    assert all(
        CHIPS.search(text) for text in ('"dav-2201"', "pip install skcore-dav3510", "__DAV_C220__", "Ascend910B")
    )


@pytest.mark.parametrize("path", CORE, ids=shown)
def test_only_the_command_line_prints(path: Path) -> None:
    if path.is_relative_to(ROOT / "skcore" / "cli"):
        return
    calls = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call)]
    names = [ast.unparse(call.func) for call in calls]
    assert not {"print", "typer.echo", "sys.stdout.write", "sys.stderr.write"} & set(names)


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


@pytest.mark.parametrize("path", CORE, ids=shown)
def test_the_core_imports_no_plug_in(path: Path) -> None:
    assert [name for name in imports(path) if name.startswith("skcore_")] == []


@pytest.mark.parametrize("path", files("plugins", ".py"), ids=shown)
def test_a_plug_in_imports_no_other_plug_in(path: Path) -> None:
    own = path.relative_to(ROOT / "plugins").parts[1]
    others = [name for name in imports(path) if name.startswith("skcore_") and name.split(".")[0] != own]
    assert others == []


@pytest.mark.parametrize("path", CORE, ids=shown)
def test_the_command_line_is_imported_by_nothing_below_it(path: Path) -> None:
    if path.is_relative_to(ROOT / "skcore" / "cli") or path.name == "__main__.py":
        return
    allowed = {"skcore.cli"} if path.name == "__init__.py" and path.parent.name == "cli" else set()
    assert [name for name in imports(path) if name.startswith("skcore.cli") and name not in allowed] == []


@pytest.mark.parametrize("path", PYTHON, ids=shown)
def test_a_file_has_at_most_450_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 450


@pytest.mark.parametrize("path", PYTHON, ids=shown)
def test_a_function_has_at_most_60_lines(path: Path) -> None:
    functions = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    long = {node.name: node.end_lineno - node.lineno + 1 for node in functions if node.end_lineno is not None}
    assert {name: lines for name, lines in long.items() if lines > 60} == {}


@pytest.mark.parametrize("path", [*PYTHON, *files("tests", ".py")], ids=shown)
def test_the_first_line_of_a_python_file_is_the_licence(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith(f"# {LICENCE}\n")


@pytest.mark.parametrize("path", PYTHON, ids=shown)
def test_annotations_are_postponed_where_there_are_any(path: Path) -> None:
    annotated = any(isinstance(node, ast.FunctionDef | ast.AnnAssign) for node in ast.walk(tree_of(path)))
    assert not annotated or "from __future__ import annotations" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", files("plugins", ".h", ".cpp"), ids=shown)
def test_the_first_line_of_a_cpp_file_is_the_licence(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith(f"// {LICENCE}\n")


@pytest.mark.parametrize("path", PYTHON, ids=shown)
def test_nothing_unfinished_is_left_behind(path: Path) -> None:
    assert not re.search(r"\b(TODO|FIXME|XXX)\b|NotImplementedError", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", PYTHON, ids=shown)
def test_there_is_no_state_that_the_whole_process_shares(path: Path) -> None:
    tree = tree_of(path)
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Global)]
    calls = [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert not {"os.chdir", "os.getpid"} & set(calls)
