# Licensed under the Apache License, Version 2.0.
"""The one exception tree: every error says what, where, why, and what to do (design §11)."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with an input.

    ``where`` is a file with a line or a JSON path, ``what`` the fault and its reason, ``remedy`` what to do.
    """

    where: str
    what: str
    remedy: str = ""

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text} ({self.remedy})" if self.remedy else text


class SkcoreError(Exception):
    """Base of all errors that skcore raises on purpose; anything else that escapes is a defect here."""

    exit_code = 2


class InputError(SkcoreError):
    """An input is wrong; holds all of its problems, not the first alone."""

    def __init__(self, problems: Sequence[Problem] | Problem) -> None:
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class OptionError(InputError):
    """Options that are unknown, out of their domain, repeated or malformed."""


class GraphError(InputError):
    """A task graph that contradicts itself."""


class ObjectError(InputError):
    """A binary object or archive that cannot be used."""


class PlanError(InputError):
    """A fusion group for which no safe plan exists: the answer is no."""

    exit_code = 1


class PluginError(SkcoreError):
    """A plug-in that cannot be loaded, clashes with another, or is missing."""


class EmitError(SkcoreError):
    """A target cannot express a step of a plan."""


class ToolError(SkcoreError):
    """An outside program is missing or failed."""


class RunError(SkcoreError):
    """The run stopped: a hang, a fault of a kernel, or a difference; ``details`` is the runner's report as data."""

    exit_code = 1

    def __init__(self, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.details: Mapping[str, Any] = details or {}


class ProblemList:
    """Collects problems so that an input's faults are reported together."""

    def __init__(self, error: type[InputError] = InputError) -> None:
        self._error = error
        self._problems: list[Problem] = []

    def add(self, where: str, what: str, remedy: str = "") -> None:
        self._problems.append(Problem(where, what, remedy))

    def extend(self, problems: Iterable[Problem]) -> None:
        self._problems.extend(problems)

    def __len__(self) -> int:
        return len(self._problems)

    def raise_if_any(self) -> None:
        if self._problems:
            raise self._error(self._problems)


def nearest(name: str, valid: Iterable[str], most: int = 20) -> str:
    """A phrase that names the closest valid spelling, or the valid ones (at most ``most``) when nothing is close."""
    choices = sorted(valid)
    close = difflib.get_close_matches(name, choices, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    if not choices:
        return "there is none to choose from"
    more = f", and {len(choices) - most} more" if len(choices) > most else ""
    return f"valid: {', '.join(choices[:most])}{more}"
