# Licensed under the Apache License, Version 2.0.
"""Turns preprocessed Ascend C into C++: launches into calls, and the qualifiers of kernels into facts about them.

Everything else of the text stays byte for byte, with its line breaks, so that messages show the program's own lines.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from skcore.errors import InputError, Problem
from skcore.graph.kernel import KernelType
from skcore_twin.programs.tokens import Token, place_of, tokens_of

_QUALIFIERS = {
    "__vector__": KernelType.AIV_ONLY,
    "__cube__": KernelType.AIC_ONLY,
}
_MIXES = {
    ("0", "1"): KernelType.MIX_AIV_1_0,
    ("1", "0"): KernelType.MIX_AIC_1_0,
    ("1", "1"): KernelType.MIX_AIC_1_1,
    ("1", "2"): KernelType.MIX_AIC_1_2,
}
# Qualifiers with values in parentheses; they too precede a kernel's name.
_WITH_VALUES = {"__mix__", "__schedmode__", "__launch_bounds__", "__attribute__", "alignas"}
_REMOVED = {"__global__", "__vector__", "__cube__"}
_REMOVED_WITH_VALUES = {"__mix__", "__schedmode__", "__launch_bounds__", "KERNEL_TASK_TYPE_DEFAULT", "KERNEL_TASK_TYPE"}
_TASK_TYPES = {"KERNEL_TASK_TYPE_DEFAULT", "KERNEL_TASK_TYPE"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_CPP_TYPES = {
    KernelType.AIV_ONLY: "kAivOnly",
    KernelType.AIC_ONLY: "kAicOnly",
    KernelType.MIX_AIV_1_0: "kMixAiv10",
    KernelType.MIX_AIC_1_0: "kMixAic10",
    KernelType.MIX_AIC_1_1: "kMixAic11",
    KernelType.MIX_AIC_1_2: "kMixAic12",
}

# What tells which cores a kernel without a mark runs on, as its instructions tell a compiler of the device.
_CUBE_WORDS = {"Mmad", "MmadMx", "LoadData", "Fixpipe"}
_MATMUL_WORDS = {"Matmul", "MatmulImpl"}
_VECTOR_WORDS = {"VECIN", "VECOUT", "VECCALC", "UB", "Add", "Adds", "Mul", "Muls", "Cast", "Duplicate"}
_SYNC_WORDS = {"SyncAll", "CrossCoreSetFlag", "CrossCoreWaitFlag", "IBSet", "IBWait"}


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel that the text declares; ``type`` is None where nothing marks it; ``body`` lies between its braces."""

    name: str
    type: KernelType | None
    where: str
    body: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Translation:
    """C++ text, and the kernels of the text with the types that launches start them with."""

    text: str
    types: Mapping[str, KernelType]


def translate(text: str, types: Mapping[str, KernelType] | None = None, *, host: bool = False) -> Translation:
    """Translate a preprocessed source.

    ``types`` are those of an earlier translation for another kind of core. For the ``host`` bodies of kernels are
    left out: it never runs them.

    Raises:
        InputError: launches or kernels that cannot be read; names file and line of each.
    """
    reader = _Reader(text)
    kernels = reader.kernels()
    if types is None:
        types = _types_of(kernels, reader)
    defined = {kernel.name for kernel in kernels if kernel.body is not None}
    edits = [*reader.removals(), *reader.launches(types, defined)]
    if host:
        edits += [_Edit(begin, end, _blank(text[begin:end])) for begin, end in _bodies(kernels)]
    if reader.problems:
        raise InputError(reader.problems)
    return Translation(_edited(text, edits), types)


@dataclass(frozen=True, slots=True)
class _Edit:
    begin: int
    end: int
    text: str


def _bodies(kernels: Sequence[Kernel]) -> list[tuple[int, int]]:
    return [kernel.body for kernel in kernels if kernel.body is not None]


def _edited(text: str, edits: Sequence[_Edit]) -> str:
    parts, at = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.begin, -edit.end)):
        if edit.begin < at:
            continue  # inside what an earlier edit leaves out
        parts += [text[at : edit.begin], edit.text]
        at = edit.end
    return "".join([*parts, text[at:]])


def _blank(text: str) -> str:
    """The line breaks and line markers of the text alone: lines after it keep their numbers."""
    lines = text.split("\n")
    return "\n".join(line if number and line.lstrip().startswith("#") else "" for number, line in enumerate(lines))


class _Reader:
    """Finds kernels and launches among the tokens of a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens_of(text)
        self.problems: list[Problem] = []

    def kernels(self) -> list[Kernel]:
        """Every declaration and definition with the qualifier ``__global__``."""
        return [kernel for index in self._named("__global__") if (kernel := self._kernel(index)) is not None]

    def removals(self) -> Iterator[_Edit]:
        """The qualifiers, which mean nothing to a host compiler."""
        for index, token in enumerate(self.tokens):
            if token.text in _REMOVED:
                yield _Edit(token.at, token.end, " " * len(token.text))
            elif token.text in _REMOVED_WITH_VALUES and self._is(index + 1, "("):
                end = self.tokens[self._after_group(index + 1) - 1].end
                yield _Edit(token.at, end, re.sub(r"[^\n]", " ", self.text[token.at : end]))

    def launches(self, types: Mapping[str, KernelType], defined: Collection[str]) -> Iterator[_Edit]:
        """``kernel<<<blocks, bytes, stream>>>(arguments)`` as a call: only the kernel and both brackets change."""
        for index, token in enumerate(self.tokens):
            if token.text == "<<<" and not self._is(index - 1, "operator"):
                yield from self._launch(index, types, defined)

    def _launch(self, index: int, types: Mapping[str, KernelType], defined: Collection[str]) -> Iterator[_Edit]:
        first, last_name = self._kernel_before(index)
        close = self._launch_end(index)
        if first is None or close is None:
            return
        begin, token = self.tokens[first].at, self.tokens[index]
        name = self.text[begin : self.tokens[index - 1].end]
        kernel_type = types.get(self.tokens[last_name].text)
        if kernel_type is None:
            self._problem(token, f"{name!r} is launched, but no kernel of that name is declared with __global__")
            return
        if self.tokens[last_name].text not in defined:
            what = f"{name!r} is launched, but its body is in another source"
            remedy = "launch it from a function of that source, or include the body"
            self.problems.append(Problem(place_of(self.text, token.at), what, remedy))
            return
        shown = re.sub(r"\s+", " ", name).replace("\\", "\\\\").replace('"', '\\"')
        call = (
            f"::sktwin::program::Configure<::sktwin::program::Type::{_CPP_TYPES[kernel_type]}, &{name}>"
            f'("{shown}", ::sktwin::Site::Here(), '
        )
        yield _Edit(begin, token.end, call)
        yield _Edit(self.tokens[close].at, self.tokens[close].end, ")")

    def _kernel_before(self, index: int) -> tuple[int | None, int]:
        """First token of the kernel's name before ``<<<``, and the token of its last part."""
        at = index - 1
        if at >= 0 and set(self.tokens[at].text) == {">"}:
            opened = self._angle_before(at)
            at = opened - 1 if opened is not None else -1
        if at < 0 or self.tokens[at].kind != "name":
            self._problem(self.tokens[index], "'<<<' follows no name of a kernel")
            return None, 0
        last = at
        while self._is(at - 1, "::"):
            before = at - 2
            if before >= 0 and set(self.tokens[before].text) == {">"}:
                opened = self._angle_before(before)
                before = opened - 1 if opened is not None else -1
            at = before if before >= 0 and self.tokens[before].kind == "name" else at - 1
        return at, last

    def _angle_before(self, at: int) -> int | None:
        """The token ``<`` whose list of template arguments ends with the token at ``at``."""
        depth = 0
        while at >= 0:
            text = self.tokens[at].text
            if set(text) == {">"}:
                depth += len(text)
            elif set(text) == {"<"}:
                depth -= len(text)
                if depth <= 0:
                    return at
            elif text in (")", "]", "}"):
                at = self._group_before(at)
            elif text == ";":
                return None
            at -= 1
        return None

    def _group_before(self, at: int) -> int:
        depth = 0
        while at >= 0:
            text = self.tokens[at].text
            depth += (text in (")", "]", "}")) - (text in ("(", "[", "{"))
            if depth == 0:
                return at
            at -= 1
        return 0

    def _launch_end(self, index: int) -> int | None:
        """The token ``>>>`` that belongs to ``<<<``; arguments in parentheses have to follow it."""
        at = index + 1
        while at < len(self.tokens):
            text = self.tokens[at].text
            if text == ">>>" and self._is(at + 1, "("):
                return at
            if text in _CLOSING:
                at = self._after_group(at)
                continue
            if text in (";", "}", ")", "]", "<<<"):
                break
            at += 1
        self._problem(
            self.tokens[index], "'<<<' without '>>>(' after it: write kernel<<<blocks, 0, stream>>>(arguments)"
        )
        return None

    def _kernel(self, index: int) -> Kernel | None:
        qualifiers = self._qualifiers_before(index)
        at = index + 1
        while at < len(self.tokens):
            token = self.tokens[at]
            if token.text in _WITH_VALUES and self._is(at + 1, "("):
                qualifiers.append(at)
                at = self._after_group(at + 1)
            elif token.text == "[":
                at = self._after_group(at)
            elif token.kind == "name" and self._is(at + 1, "("):
                break
            elif token.text in (";", "{", "}"):
                at = len(self.tokens)
            else:
                qualifiers.append(at)
                at += 1
        if at >= len(self.tokens):
            self._problem(self.tokens[index], "'__global__' without a function after it")
            return None
        name, after = self.tokens[at], self._after_group(at + 1)
        body = None
        while after < len(self.tokens) and self.tokens[after].text not in ("{", ";"):
            after += 1
        if self._is(after, "{"):
            last = self._after_group(after) - 1
            body = (self.tokens[after].end, self.tokens[last].at)
        marked = self._marked_type(qualifiers)
        return Kernel(name.text, marked or self._task_type(body), place_of(self.text, name.at), body)

    def _qualifiers_before(self, index: int) -> list[int]:
        found, at = [], index - 1
        while at >= 0:
            token = self.tokens[at]
            if token.text == ")":
                at = self._group_before(at) - 1
                continue
            if token.kind != "name":
                break
            found.append(at)
            at -= 1
        return found

    def _marked_type(self, qualifiers: Sequence[int]) -> KernelType | None:
        for index in qualifiers:
            token = self.tokens[index]
            if token.text in _QUALIFIERS:
                return _QUALIFIERS[token.text]
            if token.text == "__mix__":
                values = [each.text for each in self.tokens[index + 2 : self._after_group(index + 1) - 1]]
                pair = (values[0], values[-1]) if len(values) == 3 else ("", "")
                if pair not in _MIXES:
                    self._problem(token, "__mix__ takes (1, 0), (0, 1), (1, 1) or (1, 2)")
                    return None
                return _MIXES[pair]
        return None

    def _task_type(self, body: tuple[int, int] | None) -> KernelType | None:
        if body is None:
            return None
        for index, token in enumerate(self.tokens):
            if body[0] <= token.at < body[1] and token.text in _TASK_TYPES and self._is(index + 1, "("):
                value = self.tokens[self._after_group(index + 1) - 2]
                try:
                    return KernelType.from_name(value.text)
                except ValueError as error:
                    self._problem(value, str(error))
        return None

    @cached_property
    def words(self) -> frozenset[str]:
        """All names of the text."""
        return frozenset(token.text for token in self.tokens if token.kind == "name")

    def _named(self, name: str) -> list[int]:
        return [index for index, token in enumerate(self.tokens) if token.text == name]

    def _is(self, index: int, text: str) -> bool:
        return 0 <= index < len(self.tokens) and self.tokens[index].text == text

    def _after_group(self, index: int) -> int:
        """The token after the group that opens at ``index``."""
        depth = 0
        for at in range(index, len(self.tokens)):
            text = self.tokens[at].text
            depth += (text in _CLOSING) - (text in _CLOSING.values())
            if depth == 0:
                return at + 1
        return len(self.tokens)

    def _problem(self, token: Token, what: str) -> None:
        self.problems.append(Problem(place_of(self.text, token.at), what))


def _types_of(kernels: Sequence[Kernel], reader: _Reader) -> dict[str, KernelType]:
    """The type of each kernel by name: a mark anywhere counts for all declarations of it."""
    types: dict[str, KernelType] = {}
    marks: dict[str, Kernel] = {}
    for kernel in kernels:
        other = marks.setdefault(kernel.name, kernel) if kernel.type is not None else kernel
        if other.type is not kernel.type:
            what = f"kernel {kernel.name!r} has another type at {other.where}; the twin tells kernels by their name"
            reader.problems.append(Problem(kernel.where, what))
    for kernel in kernels:
        marked = marks.get(kernel.name)
        types[kernel.name] = marked.type if marked and marked.type else _deduced(reader.words)
    return types


def _deduced(words: frozenset[str]) -> KernelType:
    """What a compiler of the device would find in the instructions, by the names in the source (device §1.3)."""
    # A Matmul object is driven from a vector core, so both kinds run.
    if words & _MATMUL_WORDS or (words & _CUBE_WORDS and words & _VECTOR_WORDS):
        return KernelType.MIX_AIC_1_2
    if words & _CUBE_WORDS:
        return KernelType.AIC_ONLY
    return KernelType.MIX_AIV_1_0 if words & _SYNC_WORDS else KernelType.AIV_ONLY
