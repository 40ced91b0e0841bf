# Licensed under the Apache License, Version 2.0.
"""Reader for ``ar`` archives of objects, with GNU and BSD long names, in this process (spec jit.md §2.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from skcore.errors import ObjectError, Problem, ProblemList

_MAGIC, _THIN_MAGIC = b"!<arch>\n", b"!<thin>\n"
_HEADER_BYTES = 60
_NAME_LIMIT = 255
_PROBLEM_LIMIT = 20
_INDEX_NAMES = frozenset({"__.SYMDEF", "__.SYMDEF SORTED", "__.SYMDEF_64", "__.SYMDEF_64 SORTED"})


def is_archive(data: bytes) -> bool:
    """Whether these bytes start like an ``ar`` archive of either kind."""
    return data[: len(_MAGIC)] in (_MAGIC, _THIN_MAGIC)


def read_archive(data: bytes, label: str) -> dict[str, bytes]:
    """The members by name, in the archive's order, without its symbol index.

    Names are plain file names, each once. Raises :class:`ObjectError`, and nothing else, for any other bytes.
    """
    members: dict[str, bytes] = {}
    problems = ProblemList(ObjectError)
    for name, content in _Archive(data, label).members():
        fault = _fault_of(name) or ("is there more than once" if name in members else "")
        if fault:
            problems.add(label, f"member {name!r} {fault}", "repack the archive with distinct, plain file names")
            if len(problems) == _PROBLEM_LIMIT:
                break
        members[name] = content
    problems.raise_if_any()
    return members


def _fault_of(name: str) -> str:
    if name in ("", ".", ".."):
        return "is no file name"
    if "/" in name or "\\" in name or not name.isprintable():
        return "has a path separator or an unprintable character in its name"
    return ""


@dataclass(frozen=True, slots=True)
class _Archive:
    data: bytes
    label: str

    def fail(self, what: str, remedy: str = "repack the archive, the file is damaged") -> NoReturn:
        raise ObjectError(Problem(self.label, what, remedy))

    def members(self) -> Iterator[tuple[str, bytes]]:
        if self.data[:8] == _THIN_MAGIC:
            self.fail("is a thin archive, which holds paths and no objects", "pack it without --thin")
        if self.data[:8] != _MAGIC:
            self.fail("is no ar archive: it does not start with '!<arch>'", "expected an archive made by 'ar rcs'")
        long_names: bytes | None = None
        offset = len(_MAGIC)
        while offset < len(self.data):
            field, start, end = self._read_header(offset)
            offset = end + end % 2
            if field == b"//":
                if long_names is not None:
                    self.fail(f"has a second table of long names, at {start}")
                long_names = self.data[start:end]
            elif field not in (b"/", b"/SYM64/"):
                name, start = self._read_name(field, start, end, long_names)
                if name not in _INDEX_NAMES:
                    yield name, self.data[start:end]

    def _read_header(self, offset: int) -> tuple[bytes, int, int]:
        """The name field, and where the content starts and ends."""
        header = self.data[offset : offset + _HEADER_BYTES]
        if len(header) < _HEADER_BYTES:
            self.fail(f"is cut off: {len(header)} bytes at {offset}, and a member's header has {_HEADER_BYTES}")
        if header[58:] != b"`\n":
            self.fail(f"has no member header at {offset}")
        size = self._number(header[48:58], f"the member size at {offset + 48}")
        start = offset + _HEADER_BYTES
        if start + size > len(self.data):
            self.fail(f"is cut off: the member at {offset} ends at {start + size}, the file at {len(self.data)}")
        return header[:16].rstrip(b" "), start, start + size

    def _read_name(self, field: bytes, start: int, end: int, long_names: bytes | None) -> tuple[str, int]:
        """The member's name, and where its content starts behind a name that is stored there (BSD)."""
        if field.startswith(b"#1/"):
            length = self._number(field[3:], f"the name length before {start}")
            if length > end - start:
                self.fail(f"has a name of {length} bytes in a member of {end - start}, at {start}")
            return self._text(self.data[start : start + length].rstrip(b"\0"), start), start + length
        if field[:1] == b"/":
            place = self._number(field[1:], f"the long name's place before {start}")
            last = (long_names or b"").find(b"\n", place, place + _NAME_LIMIT + 2)
            if long_names is None or last < 0:
                self.fail(f"has no long name at {place}, for the member at {start}")
            return self._text(long_names[place:last].removesuffix(b"/"), start), start
        return self._text(field.removesuffix(b"/"), start), start

    def _number(self, text: bytes, what: str) -> int:
        digits = text.rstrip(b" ")
        if not digits.isdigit():
            self.fail(f"has no number for {what}: {text!r}")
        return int(digits)

    def _text(self, name: bytes, start: int) -> str:
        if len(name) > _NAME_LIMIT:
            self.fail(f"has a name of {len(name)} bytes, more than {_NAME_LIMIT}, for the member at {start}")
        try:
            return name.decode()
        except UnicodeDecodeError:
            self.fail(f"has a name that is no UTF-8, for the member at {start}")
