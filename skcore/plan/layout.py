# Licensed under the Apache License, Version 2.0.
"""The argument array of a SuperKernel: the only owner of every index (spec jit §9)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from skcore.plan.group import FusionGroup
from skcore.target import Target


class Role(Enum):
    """What an argument word is for."""

    HEAD = "head"
    PARAMETER = "parameter"
    TILING_KEY = "tiling-key"
    BLOCK_NUM = "block-num"
    TILING_LOCK = "tiling-lock"
    NOTIFY = "notify"
    WAIT = "wait"
    WORKSPACE = "workspace"
    PROFILING = "profiling"
    TASK_ID = "task-id"


@dataclass(frozen=True, slots=True)
class Slot:
    """One argument word: its role, its operator (-1: none), its name, and its position among its peers."""

    role: Role
    op: int
    name: str
    position: int = 0


@dataclass(frozen=True, slots=True)
class ArgumentLayout:
    """All argument words in order; ``parameters[op]`` is the index of the first word of operator ``op``."""

    slots: tuple[Slot, ...]
    parameters: tuple[int, ...]

    def tiling_word(self, role: Role, op: int) -> int:
        """Index of one of the three words of a tiling-sink operator, which follow its parameters."""
        return next(index for index in range(self.parameters[op], len(self.slots)) if self.slots[index].role is role)

    def first_event_word(self, role: Role, op: int) -> int | None:
        """Index of the first notify or wait word of an operator; None when it has none."""
        end = self.parameters[op + 1] if op + 1 < len(self.parameters) else len(self.slots)
        return next((index for index in range(self.parameters[op], end) if self.slots[index].role is role), None)

    def index(self, role: Role, op: int = -1, position: int = 0) -> int:
        """Index of the word with this role; raises KeyError when the layout has none."""
        for number, slot in enumerate(self.slots):
            if slot.role is role and slot.op == op and slot.position == position:
                return number
        raise KeyError(f"the argument array has no word {role.value!r} of operator {op}")


def layout_arguments(group: FusionGroup, target: Target, *, workspace: bool) -> ArgumentLayout:
    """Lay out the target's head words, each operator's words, and what the options need after them."""
    slots = [Slot(Role.HEAD, -1, name, position) for position, name in enumerate(target.argument_head)]
    parameters = []
    for op, operator in enumerate(group.operators):
        parameters.append(len(slots))
        slots += [Slot(Role.PARAMETER, op, name, position) for position, name in enumerate(operator.kernel.parameters)]
        if operator.kernel.tiling:
            slots += [Slot(role, op, role.value) for role in (Role.TILING_KEY, Role.BLOCK_NUM, Role.TILING_LOCK)]
        slots += [Slot(Role.NOTIFY, op, f"notify_{event}", place) for place, event in enumerate(operator.sends)]
        slots += [Slot(Role.WAIT, op, f"wait_{event}", place) for place, event in enumerate(operator.receives)]
    if workspace:
        slots.append(Slot(Role.WORKSPACE, -1, "workspace"))
    if group.options.profiling:
        slots.append(Slot(Role.PROFILING, -1, "profiling"))
        slots.append(Slot(Role.TASK_ID, -1, "task_id"))
    return ArgumentLayout(tuple(slots), tuple(parameters))
