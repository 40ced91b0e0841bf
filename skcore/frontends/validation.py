# Licensed under the Apache License, Version 2.0.
"""Shared by the front ends: names, JSON files, and what pydantic finds as problems with a place."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import StringConstraints, ValidationError

from skcore.errors import InputError, Problem

Place = Callable[[Sequence[str | int]], str]

# A name that is one in C, and that a file may have with what is added to it.
Symbol = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=180)]


def json_path(path: Sequence[str | int]) -> str:
    """``('op_list', 0, 'json_path')`` as ``op_list[0].json_path``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else str(part))
    return text


def problems_of(error: ValidationError, place: Place) -> list[Problem]:
    """One problem for each finding; ``place`` tells where a path stands in the input."""
    problems = []
    for finding in error.errors():
        path = [part for part in finding["loc"] if not str(part).startswith("function-")]
        what = finding["msg"]
        if finding["type"] == "extra_forbidden":
            what = f"unknown key {path[-1]!r}"
        problems.append(Problem(place(path), f"{json_path(path)}: {what}"))
    return problems


def read_json(path: Path, remedy: str = "") -> Any:
    """The data of a JSON file.

    Raises:
        InputError: it cannot be read or parsed, or an object has a key twice.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_unique)
    except OSError as error:
        raise InputError(Problem(str(path), f"cannot be read: {error.strerror}", remedy)) from error
    except RecursionError as error:
        raise InputError(Problem(str(path), "is nested too deeply to be read")) from error
    except ValueError as error:
        raise InputError(Problem(str(path), f"is no JSON: {error}")) from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} stands twice in an object")
        found[key] = value
    return found
