# Licensed under the Apache License, Version 2.0.
"""What the commands print with: text for people on a terminal, JSON for programs, errors and progress beside it."""

from __future__ import annotations

import json
import traceback
from typing import Any, Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from skcore.errors import InputError, SkcoreError

_ERRORS = Console(stderr=True, soft_wrap=True, highlight=False)


_NARROWEST = 120


def out() -> Console:
    """The console of results; long lines are not broken, so that they can be searched and copied."""
    console = Console(soft_wrap=True, highlight=False)
    console.width = max(console.width, _NARROWEST)
    return console


def print_json(data: Any) -> None:
    """Results as one JSON document, keys in their order."""
    print(json.dumps(data, indent=2, ensure_ascii=False))


def table(*columns: str) -> Table:
    """An empty table in the common style; columns whose name ends in # hold figures."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for number, column in enumerate(columns):
        justify: Literal["left", "right"] = "right" if column.endswith("#") else "left"
        last = number == len(columns) - 1
        made.add_column(column.removesuffix("#"), justify=justify, overflow="fold", no_wrap=not last)
    return made


def plain(text: str, style: str = "") -> Text:
    """Text that is shown as it is: brackets in names are no markup."""
    return Text(text, style=style)


def note(text: str) -> None:
    """A remark beside the results."""
    _ERRORS.print(plain(text, "dim"))


def warn(text: str) -> None:
    """A warning beside the results."""
    _ERRORS.print(Text.assemble(("warning: ", "yellow"), text))


def report_error(error: SkcoreError) -> None:
    """Every problem of an error on a line of its own, its remedy below."""
    if not isinstance(error, InputError):
        _ERRORS.print(Text.assemble(("error: ", "bold red"), str(error)))
        return
    for problem in error.problems:
        where = f"{problem.where}: " if problem.where else ""
        _ERRORS.print(Text.assemble(("error: ", "bold red"), where, problem.what))
        if problem.remedy:
            _ERRORS.print(plain(f"       {problem.remedy}", "dim"))


def report_defect(error: Exception) -> None:
    """An exception that nobody expected."""
    _ERRORS.print(plain("".join(traceback.format_exception(error)).rstrip(), "dim"))
    _ERRORS.print(Text.assemble(("defect of skcore: ", "bold red"), f"{type(error).__name__}: {error}"))


class ProgressLine:
    """Progress of long work on one line of a terminal; silent elsewhere."""

    def __init__(self) -> None:
        self._status = _ERRORS.status("") if _ERRORS.is_terminal else None

    def __enter__(self) -> ProgressLine:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def __call__(self, what: str, done: int, total: int) -> None:
        """``done`` of ``total`` pieces of ``what`` are finished."""
        if self._status is not None:
            self._status.update(f"{what}: {done} of {total}")
