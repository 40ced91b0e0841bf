# Licensed under the Apache License, Version 2.0.
"""Reader for relocatable ELF64 objects, in this process and in time and memory linear in the file (design §10).

The reader takes only what the gABI allows: little endian, sections inside the file and apart from each other. That
sections do not overlap is what bounds the work on a hostile file, here and in :mod:`skcore.build.rewrite`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, NoReturn

from skcore.errors import ObjectError, Problem, nearest

Binding = Literal["local", "global", "weak", "unique", "other"]
SymbolKind = Literal["none", "data", "function", "section", "file", "other"]

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")

SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHT_RELA = 1, 2, 3, 4
SHT_NOBITS, SHT_REL, SHT_GROUP, SHT_SYMTAB_SHNDX = 8, 9, 17, 18
SHF_EXECINSTR = 4
SHN_UNDEF, SHN_RESERVED, SHN_XINDEX = 0, 0xFF00, 0xFFFF

_ET_REL = 1
_FILE_KINDS = {2: "an executable", 3: "a shared library", 4: "a core dump"}
_BINDINGS: dict[int, Binding] = {0: "local", 1: "global", 2: "weak", 10: "unique"}
_SYMBOL_KINDS: dict[int, SymbolKind] = {
    0: "none", 1: "data", 2: "function", 3: "section", 4: "file", 5: "data", 6: "data", 10: "function",
}  # fmt: skip


def is_stored(section_type: int) -> bool:
    """Whether a file holds bytes for sections of this type."""
    return section_type not in (0, SHT_NOBITS)


@dataclass(frozen=True, slots=True)
class Section:
    """One section header; offsets and sizes in bytes, ``header`` is where the header itself lies in the file."""

    index: int
    header: int
    name: str
    type: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    entry_size: int

    @property
    def stored(self) -> bool:
        """Whether the file holds bytes for this section."""
        return is_stored(self.type)


@dataclass(frozen=True, slots=True)
class Symbol:
    """One symbol; ``size`` in bytes, ``section`` empty and its index 0 when it is undefined, absolute or common."""

    name: str
    binding: Binding
    kind: SymbolKind
    defined: bool
    section: str
    section_index: int
    size: int

    @property
    def exported(self) -> bool:
        """Whether other objects can link against it."""
        return self.defined and self.binding != "local"


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """A relocatable object: its bytes, and what they hold.

    ``symbols`` is in file order without the null symbol, ``text_bytes`` the size of all executable sections.
    """

    label: str
    data: bytes = field(repr=False)
    machine: int
    text_bytes: int
    symbols: tuple[Symbol, ...] = field(repr=False)
    sections: tuple[Section, ...] = field(repr=False)

    @property
    def exports(self) -> tuple[str, ...]:
        """Names that other objects can link against."""
        return tuple(symbol.name for symbol in self.symbols if symbol.exported)

    @property
    def imports(self) -> tuple[str, ...]:
        """Names that another object must define."""
        return tuple(symbol.name for symbol in self.symbols if not symbol.defined)

    @property
    def symbol_table(self) -> Section | None:
        """The section that holds the symbols, when there is one."""
        return next((section for section in self.sections if section.type == SHT_SYMTAB), None)

    def export(self, name: str) -> Symbol:
        """The exported symbol of this name, or :class:`ObjectError` with the nearest name there is."""
        for symbol in self.symbols:
            if symbol.exported and symbol.name == name:
                return symbol
        raise ObjectError(Problem(self.label, f"defines no global symbol {name!r}", nearest(name, set(self.exports))))


def read_object(data: bytes, label: str, machine: int | None = None) -> ObjectFile:
    """Reads a relocatable ELF64 object, for the given ``e_machine`` when one is given.

    Raises :class:`ObjectError`, and nothing else, when the bytes are anything but such an object.
    """
    reader = _Reader(data, label)
    found, sections = reader.read_sections(machine)
    symbols = tuple(reader.read_symbols(sections))
    text = sum(s.size for s in sections if s.type == SHT_PROGBITS and s.flags & SHF_EXECINSTR)
    return ObjectFile(label, data, found, text, symbols, sections)


class _Header(NamedTuple):
    """A section header as it stands in the file; ``name`` is a place in the table of section names."""

    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


@dataclass(frozen=True, slots=True)
class _Reader:
    data: bytes
    label: str

    def fail(self, what: str, remedy: str = "rebuild the object, the file is damaged") -> NoReturn:
        raise ObjectError(Problem(self.label, what, remedy))

    def read_sections(self, machine: int | None) -> tuple[int, tuple[Section, ...]]:
        found, table, count, names_index = self._read_header(machine)
        rows = memoryview(self.data)[table : table + count * SECTION.size]
        headers = [_Header._make(row) for row in SECTION.iter_unpack(rows)]
        self._check_places(headers, table)
        if not count:
            return found, ()
        names = _Names(self, headers, names_index, "section names")
        return found, tuple(
            Section(index, table + index * SECTION.size, names[name], kind, flags, offset, size, link, info, entry_size)
            for index, (name, kind, flags, _, offset, size, link, info, _, entry_size) in enumerate(headers)
        )

    def _read_header(self, machine: int | None) -> tuple[int, int, int, int]:
        """Machine, offset and length of the section table, and the index of the section with their names."""
        expected = "expected a relocatable ELF64 object, little endian"
        if self.data[:4] != b"\x7fELF":
            self.fail("is no ELF file: the first four bytes are not 7f 45 4c 46", expected)
        if len(self.data) < HEADER.size:
            self.fail(f"is cut off: {len(self.data)} bytes, and the ELF header alone has {HEADER.size}")
        ident, kind, found, _, _, _, table, _, _, _, _, entry_size, count, names = HEADER.unpack_from(self.data)
        if ident[4] != 2 or ident[5] != 1:
            self.fail(f"has ELF class {ident[4]} and byte order {ident[5]}, not 2 (64 bit) and 1 (little)", expected)
        if kind != _ET_REL:
            self.fail(f"is {_FILE_KINDS.get(kind, f'of ELF type {kind}')}", f"{expected}: compile with -c")
        if machine is not None and found != machine:
            self.fail(f"is for machine {found:#x}, not {machine:#x}", "use the object compiled for this target")
        if table == 0:
            return found, 0, 0, 0
        if entry_size != SECTION.size:
            self.fail(f"has section headers of {entry_size} bytes, not {SECTION.size}")
        if table + SECTION.size > len(self.data):
            self.fail(f"is cut off: the section table at {table} is beyond the {len(self.data)} bytes of the file")
        first = SECTION.unpack_from(self.data, table)
        # More than 65279 sections: the first header holds the numbers that do not fit into the ELF header.
        count = count or first[5]
        names = first[6] if names == SHN_XINDEX else names
        if table + count * SECTION.size > len(self.data):
            self.fail(f"is cut off: {count} section headers at {table} do not fit into {len(self.data)} bytes")
        return found, table, count, names

    def _check_places(self, headers: Sequence[_Header], table: int) -> None:
        places = [(0, HEADER.size, "the ELF header"), (table, len(headers) * SECTION.size, "the section table")]
        places += [
            (header.offset, header.size, f"section {index}")
            for index, header in enumerate(headers)
            if is_stored(header.type) and header.size
        ]
        end, owner = 0, ""
        for offset, size, name in sorted(place for place in places if place[1]):
            if offset + size > len(self.data):
                self.fail(f"is cut off: {name} ends at {offset + size}, the file at {len(self.data)}")
            if offset < end:
                self.fail(f"has {name} on top of {owner}")
            end, owner = offset + size, name

    def read_symbols(self, sections: tuple[Section, ...]) -> Iterator[Symbol]:
        tables = [section for section in sections if section.type == SHT_SYMTAB]
        if not tables:
            return
        table = tables[0]
        if len(tables) > 1:
            self.fail("has more than one symbol table")
        if table.entry_size != SYMBOL.size or table.size % SYMBOL.size:
            self.fail(f"has a symbol table of {table.size} bytes in entries of {table.entry_size}, not {SYMBOL.size}")
        if table.info * SYMBOL.size > table.size:
            self.fail(f"has {table.info} local symbols in a table of {table.size // SYMBOL.size}")
        names = _Names(self, sections, table.link, "symbol names")
        wide = self._wide_indices(sections, table)
        entries = SYMBOL.iter_unpack(memoryview(self.data)[table.offset : table.offset + table.size])
        for index, (name, info, _, place, _, size) in enumerate(entries):
            if index == 0:
                continue
            section = self._section_of(index, place, wide, sections)
            kind = _SYMBOL_KINDS.get(info & 15, "other")
            text = section.name if section and kind == "section" and not name else names[name]
            binding = _BINDINGS.get(info >> 4, "other")
            where = (section.name, section.index) if section else ("", 0)
            yield Symbol(text, binding, kind, place != SHN_UNDEF, *where, size)

    def _wide_indices(self, sections: tuple[Section, ...], table: Section) -> tuple[int, ...]:
        wide = wide_index_section(sections, table)
        if wide is None:
            return ()
        if wide.size // 4 != table.size // SYMBOL.size or wide.size % 4:
            self.fail(f"has section indices in {wide.size} bytes for {table.size // SYMBOL.size} symbols")
        return struct.unpack_from(f"<{wide.size // 4}I", self.data, wide.offset)

    def _section_of(
        self, symbol: int, place: int, wide: tuple[int, ...], sections: tuple[Section, ...]
    ) -> Section | None:
        if place == SHN_XINDEX and wide:
            place = wide[symbol]
        elif place == SHN_UNDEF or SHN_RESERVED <= place < SHN_XINDEX:
            return None
        if place >= len(sections):
            self.fail(f"has symbol {symbol} in section {place}, and there are {len(sections)} sections")
        return sections[place]


class _Names:
    """A string table; the same place is read once, and all names together are bounded by the table's size.

    Without the bound, a table of n bytes in which every symbol names another suffix would take n² bytes to read.
    """

    def __init__(self, reader: _Reader, sections: Sequence[Section | _Header], index: int, what: str) -> None:
        self._reader, self._what = reader, what
        if index >= len(sections) or sections[index].type != SHT_STRTAB:
            reader.fail(f"has {what} in section {index}, which is no string table")
        table = sections[index]
        self._bytes = reader.data[table.offset : table.offset + table.size]
        self._left = 4096 + 16 * table.size
        self._known: dict[int, str] = {0: ""}

    def __getitem__(self, offset: int) -> str:
        name = self._known.get(offset)
        if name is None:
            name = self._known[offset] = self._read(offset)
        return name

    def _read(self, offset: int) -> str:
        end = self._bytes.find(b"\0", offset)
        if end < 0:
            self._reader.fail(f"has {self._what} without an end at {offset} of {len(self._bytes)} bytes")
        self._left -= end - offset
        if self._left < 0:
            self._reader.fail(f"has {self._what} that overlap without measure", "no compiler writes this")
        try:
            return self._bytes[offset:end].decode()
        except UnicodeDecodeError:
            self._reader.fail(f"has {self._what} that are no UTF-8, at {offset}")


def wide_index_section(sections: tuple[Section, ...], table: Section) -> Section | None:
    """The section with the symbols' section indices of more than 16 bits, when there is one."""
    return next((s for s in sections if s.type == SHT_SYMTAB_SHNDX and s.link == table.index), None)
