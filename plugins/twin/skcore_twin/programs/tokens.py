# Licensed under the Apache License, Version 2.0.
"""Splits preprocessed C++ into the tokens that a translation looks at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<marker>^[ \t]*\#[^\n]*)
  | (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)")
  | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")
  | (?P<character>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')
  | (?P<name>[A-Za-z_]\w*)
  | (?P<number>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)
  | (?P<mark><<<|>>>|->|<=|>=|::|[^\s\w])
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_LINE = re.compile(r'\s*#\s*(?:line\s+)?(\d+)\s*(?:"((?:[^"\\]|\\.)*)")?([ \d]*)')
_SYSTEM_HEADER = "3"


@dataclass(frozen=True, slots=True)
class Token:
    """One token: its kind, as in the pattern above, its text, and where it begins in the whole text."""

    kind: str
    text: str
    at: int

    @property
    def end(self) -> int:
        return self.at + len(self.text)


def tokens_of(text: str) -> list[Token]:
    """The tokens of the program's own files, without comments; of headers of the system only the line markers."""
    return [token for begin, end in _own_parts(text) for token in _tokens(text, begin, end)]


def place_of(text: str, at: int) -> str:
    """``file:line`` of a place in the text, as its line markers say."""
    file, number, begin = "", 1, 0
    for found in re.finditer(r"^[ \t]*#[^\n]*", text[:at], re.MULTILINE):
        line = _LINE.match(found[0])
        if line is not None:
            number, file, begin = int(line[1]), line[2] if line[2] is not None else file, found.end() + 1
    number += text.count("\n", begin, at)
    return f"{file}:{number}" if file else f"line {number}"


def _own_parts(text: str) -> Iterator[tuple[int, int]]:
    begin, own = 0, True
    for found in re.finditer(r"^[ \t]*#[^\n]*", text, re.MULTILINE):
        line = _LINE.match(found[0])
        if line is None:
            continue
        system = _SYSTEM_HEADER in line[3].split()
        if own and system:
            yield begin, found.start()
        if not own and not system:
            begin = found.start()
        own = not system
    if own:
        yield begin, len(text)


def _tokens(text: str, begin: int, end: int) -> Iterator[Token]:
    for found in _TOKEN.finditer(text, begin, end):
        kind = str(found.lastgroup)
        if kind == "delimiter":
            kind = "raw"
        if kind not in ("comment", "marker"):
            yield Token(kind, found[0], found.start())
