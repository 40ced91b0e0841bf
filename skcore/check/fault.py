# Licensed under the Apache License, Version 2.0.
"""A fault of a plan with the interleaving that shows it."""

from __future__ import annotations

from dataclasses import dataclass

from skcore.check.protocol import CorePlace
from skcore.errors import Problem
from skcore.graph.kernel import CoreKind

_MOST_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Action:
    """Something that a core does at a step of its program."""

    place: CorePlace
    step: int
    what: str

    def __str__(self) -> str:
        return f"{core_name(self.place)} {self.what} ({self.place.kind.value} {self.step})"


@dataclass(frozen=True, slots=True)
class Late:
    """A core that is behind in an interleaving: it has not ended operator ``op`` yet (-1: has not begun at all)."""

    place: CorePlace
    op: int


@dataclass(frozen=True, slots=True)
class Fault(Problem):
    """A problem of a plan; after ``actions``, and with no fewer, it has happened.

    ``late`` is behind then. Without actions the fault is in the plan itself, or every interleaving
    has it.
    """

    actions: tuple[Action, ...] = ()
    late: Late | None = None

    def __str__(self) -> str:
        hidden = max(0, len(self.actions) - _MOST_SHOWN)
        lines = [Problem.__str__(self)]
        if hidden:
            lines.append(f"  after {hidden} earlier actions:")
        elif self.actions:
            lines.append("  the shortest way there:")
        return "\n".join((*lines, *(f"    {action}" for action in self.actions[hidden:])))


def core_name(place: CorePlace) -> str:
    """A core in words: its kind, its block, and its place among the AIVs of a group of several."""
    text = f"{place.kind.name} block {place.block}"
    return f"{text}.{place.sub_block}" if place.kind is CoreKind.AIV and place.ratio > 1 else text
