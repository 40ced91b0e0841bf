# Licensed under the Apache License, Version 2.0.
"""Documentation is there: hooks with examples, and a docstring on every public thing."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from skcore.plugin.spec import Hooks

ROOT = Path(__file__).resolve().parents[2]
HOOKS = {name: member for name, member in vars(Hooks).items() if inspect.isfunction(member)}
MODULES = [*sorted((ROOT / "skcore").rglob("*.py")), *sorted((ROOT / "plugins").glob("*/skcore_*/**/*.py"))]


@pytest.mark.parametrize("name", HOOKS)
def test_every_hook_says_what_it_gives_when_it_is_called_and_shows_an_example(name: str) -> None:
    text = inspect.getdoc(HOOKS[name]) or ""
    assert re.match(r"[A-Z].*[.:]", text.splitlines()[0]), "the first line is a sentence"
    assert "Called" in text
    assert "Example::" in text


@pytest.mark.parametrize("name", HOOKS)
def test_the_example_of_a_hook_is_python_that_implements_the_hook(name: str) -> None:
    text = inspect.getdoc(HOOKS[name]) or ""
    example = textwrap.dedent(text.partition("Example::")[2])
    (function,) = [node for node in ast.parse(example).body if isinstance(node, ast.FunctionDef)]
    assert function.name == name
    assert [ast.unparse(decorator) for decorator in function.decorator_list] == ["hookimpl"]
    parameters = set(inspect.signature(HOOKS[name]).parameters) - {"self"}
    assert {argument.arg for argument in function.args.args} <= parameters


def undocumented(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if tree.body and not ast.get_docstring(tree):
        yield "the module"
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_") and not _is_hook(node):
            if not ast.get_docstring(node):
                yield node.name
            if isinstance(node, ast.ClassDef):
                yield from (f"{node.name}.{name}" for name in _methods_without(node))


def _is_hook(node: ast.FunctionDef | ast.ClassDef) -> bool:
    """Hook implementations are documented at the hook, overloads and stubs where they are implemented."""
    return any(ast.unparse(decorator) == "hookimpl" for decorator in node.decorator_list)


def _methods_without(node: ast.ClassDef) -> Iterator[str]:
    """Methods of more than one statement; what a short one does is what it says."""
    for member in node.body:
        if not isinstance(member, ast.FunctionDef) or member.name.startswith("_"):
            continue
        if len(member.body) > 2 and not ast.get_docstring(member):
            yield member.name


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_public_thing_has_a_docstring(path: Path) -> None:
    assert list(undocumented(path)) == []
