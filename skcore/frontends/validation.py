# Licensed under the Apache License, Version 2.0.
"""Shared by the front ends: turns what pydantic finds into problems with a place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import ValidationError

from skcore.errors import Problem

Place = Callable[[Sequence[str | int]], str]


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
