# Licensed under the Apache License, Version 2.0.
"""What an operator of the library is, and the checked view of one use of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import prod

from skcore.errors import InputError, ProblemList, nearest
from skcore.graph.kernel import EarlyStartCalls, KernelType
from skcore.graph.task import KernelTask, Operand
from skcore.target import Target

FLOATS = ("float32", "float16", "bfloat16")
SHORT_FLOATS = ("float16", "bfloat16")
CPP_TYPES = {
    "float32": "float",
    "float16": "half",
    "bfloat16": "bfloat16_t",
    "int8": "int8_t",
    "int32": "int32_t",
}
Definitions = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of an operator: its default, and its domain: the values of a word, or None for a number."""

    default: str
    words: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator: the kernel with its types, operands and attributes.

    ``shape`` checks the shapes of a use and gives the macros; ``work`` is how many blocks can have something to do, and
    ``workspace`` the workspace's bytes for a number of blocks.
    """

    name: str
    kernel_type: KernelType
    inputs: Mapping[str, tuple[str, ...]]
    outputs: Mapping[str, tuple[str, ...]]
    shape: Callable[[Use], Definitions]
    work: Callable[[Use], int]
    workspace: Callable[[int], int] | None = None
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    full_sync: bool = False
    early_start: EarlyStartCalls = EarlyStartCalls()

    @property
    def operands(self) -> Mapping[str, tuple[str, ...]]:
        """All operands in the order of the kernel's parameters, with the dtypes that each may have."""
        return {**self.inputs, **self.outputs}

    @property
    def parameters(self) -> tuple[str, ...]:
        return (*self.operands, "workspace") if self.workspace else tuple(self.operands)

    @property
    def summary(self) -> str:
        """What the operator takes, for messages."""
        operands = ", ".join(f"{name} ({' or '.join(dtypes)})" for name, dtypes in self.operands.items())
        attributes = ", ".join(["blocks", *self.attributes])
        return f"{self.name} takes {operands}; attributes: {attributes}"


class Use:
    """One use of an operator: its operands and attributes, and the list of what is wrong with them."""

    def __init__(self, operator: Operator, task: KernelTask, target: Target) -> None:
        self.operator = operator
        self.task = task
        self.target = target
        self.operands = {operand.name: operand for operand in task.operands}
        self._given = dict(task.attributes)
        self._problems = ProblemList(InputError)

    def refuse(self, what: str, remedy: str = "") -> None:
        """Record something that is wrong."""
        self._problems.add(self.task.where, f"{self.task.name}: {what}", remedy or self.operator.summary)

    def stop_if_refused(self) -> None:
        """Raise what was recorded so far."""
        self._problems.raise_if_any()

    def check_operands(self) -> None:
        """Refuse operands that are missing, unknown or of another dtype."""
        known = self.operator.operands
        for name in self.operands:
            if name not in self.operator.parameters:
                self.refuse(f"there is no operand {name!r}; {nearest(name, self.operator.parameters)}")
        for name, dtypes in known.items():
            if name not in self.operands:
                self.refuse(f"operand {name!r} is missing")
            elif self.operands[name].dtype not in dtypes:
                self.refuse(f"{name} has dtype {self.operands[name].dtype}, which is not supported")
            elif not self.operands[name].shape:
                self.refuse(f"{name} has no axes")

    def check_attributes(self) -> None:
        """Refuse attributes that are unknown or outside of their domain."""
        known = self.operator.attributes
        for name, value in self._given.items():
            if name == "blocks":
                continue
            if name not in known:
                self.refuse(f"there is no attribute {name!r}; {nearest(name, ['blocks', *known])}")
            elif (words := known[name].words) is not None:
                if value not in words:
                    self.refuse(f"attribute {name}={value!r} is not supported; {nearest(value, words)}")
            elif not _is_number(value):
                self.refuse(f"attribute {name}={value!r} is no number")

    def attribute(self, name: str) -> str:
        return self._given.get(name, self.operator.attributes[name].default)

    def operand(self, name: str) -> Operand:
        return self.operands[name]

    def shape(self, name: str) -> tuple[int, ...]:
        return self.operands[name].shape

    def elements(self, name: str) -> int:
        return prod(self.shape(name))

    def cpp_type(self, name: str) -> str:
        return CPP_TYPES[self.operands[name].dtype]

    def require_shape(self, name: str, wanted: tuple[int, ...], because: str) -> None:
        """Refuse an operand that has not the shape that follows from the others."""
        if self.shape(name) != wanted:
            self.refuse(f"{name} has shape {list(self.shape(name))}; it must be {list(wanted)}, {because}")

    def require_rank(self, names: Iterable[str], rank: int) -> bool:
        """Refuse operands that have another number of axes; true when all have it."""
        wrong = [name for name in names if len(self.shape(name)) != rank]
        for name in wrong:
            self.refuse(f"{name} has shape {list(self.shape(name))}; it must have {rank} axes")
        return not wrong

    def require_most(self, what: str, value: int, most: int) -> None:
        """Refuse a size that the kernel's local memory or its counters do not hold."""
        if value > most:
            self.refuse(f"{what} is {value}; the kernel takes at most {most}")

    def require_workspace(self, wanted: int) -> None:
        """Refuse a workspace of the graph that is too small; without one the runner gives it."""
        if "workspace" in self.operands:
            bits = "".join(filter(str.isdigit, self.operand("workspace").dtype))
            given = self.elements("workspace") * int(bits) // 8
            if given < wanted:
                self.refuse(f"workspace has {given} bytes; it needs {wanted}", "leave it out, or make it larger")

    def blocks(self) -> int:
        """Blocks to launch: the attribute, or as many as can have work; at most what the chip has."""
        per_block = self.operator.kernel_type.cores_per_block
        soc = self.target.soc
        most = min(soc.cores[kind] // count for kind, count in per_block if count)
        text = self._given.get("blocks")
        if text is None:
            return max(1, min(most, self.operator.work(self)))
        if not text.isdecimal() or not 1 <= int(text) <= most:
            self.refuse(f"attribute blocks={text!r} is not supported", f"give 1 to {most} on {self.target.npu_arch}")
            return 1
        return int(text)


def _is_number(text: str) -> bool:
    try:
        return float(text) - float(text) == 0.0
    except ValueError:
        return False
