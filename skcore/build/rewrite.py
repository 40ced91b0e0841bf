# Licensed under the Apache License, Version 2.0.
"""Renames and localises symbols of ELF64 objects, in this process, for any machine (spec jit.md §7, §11.3).

This is what split copies and the linked super-kernel need. Only the symbols and what refers to them by number
change; a longer table goes to the end of the file, so that all other bytes stay where they are.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NoReturn

from skcore.build import elf
from skcore.build.elf import ObjectFile, Section, Symbol, read_object
from skcore.errors import ObjectError, Problem, ProblemList, nearest

_GRP_COMDAT = 1
_EM_MIPS = 8
_SHT_LLVM_ADDRSIG, _SHT_LLVM_CALL_GRAPH = 0x6FFF4C03, 0x6FFF4C09
_RELOCATION_BYTES = {elf.SHT_REL: 16, elf.SHT_RELA: 24}
_SH_OFFSET, _SH_SIZE, _SH_INFO = 24, 32, 44


def rename_symbols(data: bytes, names: Mapping[str, str], label: str = "object") -> bytes:
    """A copy of the object in which every symbol named by a key of ``names`` has the value as its name.

    Definitions, references and the signatures of COMDAT groups follow; names of sections do not. Raises
    :class:`ObjectError` with all problems when a name is unknown, not possible, or would merge two symbols.
    """
    source = read_object(data, label)
    _check_renames(source, names)
    table = source.symbol_table
    if table is None:
        return data
    strings = source.sections[table.link]
    content = bytearray(data[strings.offset : strings.offset + strings.size])
    result = bytearray(data)
    places: dict[str, int] = {}
    for index, symbol in enumerate(source.symbols, start=1):
        if _has_own_name(symbol) and symbol.name in names:
            name = names[symbol.name]
            if name not in places:
                places[name] = len(content)
                content += name.encode() + b"\0"
            struct.pack_into("<I", result, table.offset + index * elf.SYMBOL.size, places[name])
    if places:
        _move_to_end(result, strings, content)
    return bytes(result)


def localise_symbols(data: bytes, names: Collection[str], label: str = "object") -> bytes:
    """A copy of the object in which the named symbols are local, so that no other object can see or clash with them.

    A COMDAT group that holds one of them is no longer COMDAT: its twin in another object could not stand in for it.
    Names that are local already are left as they are. Raises :class:`ObjectError` when a name is not defined here.
    """
    source = read_object(data, label)
    _check_defined(source, names)
    wanted = frozenset(names)
    numbered = enumerate(source.symbols, start=1)
    chosen = {index for index, symbol in numbered if symbol.exported and symbol.name in wanted}
    table = source.symbol_table
    if table is None or not chosen:
        return data
    return _Localiser(source, table, chosen).result()


def _has_own_name(symbol: Symbol) -> bool:
    return symbol.kind not in ("section", "file")


def _check_renames(source: ObjectFile, names: Mapping[str, str]) -> None:
    problems = ProblemList(ObjectError)
    known = {symbol.name for symbol in source.symbols if _has_own_name(symbol)}
    taken = {symbol.name: symbol.name for symbol in source.symbols if symbol.binding != "local"}
    for old in names:
        taken.pop(old, None)
    for old, new in names.items():
        if old not in known:
            problems.add(source.label, f"has no symbol {old!r} to rename", nearest(old, known))
        if not new or "\0" in new:
            problems.add(source.label, f"cannot rename {old!r} to {new!r}", "give a name without null characters")
        elif new in taken:
            fault = f"cannot rename {old!r} to {new!r}, which is also the name of {taken[new]!r}"
            problems.add(source.label, fault, "give a name that no other symbol has")
        taken.setdefault(new, old)
    problems.raise_if_any()


def _check_defined(source: ObjectFile, names: Iterable[str]) -> None:
    problems = ProblemList(ObjectError)
    defined = {symbol.name for symbol in source.symbols if symbol.defined and _has_own_name(symbol)}
    for name in sorted(set(names) - defined):
        problems.add(source.label, f"defines no symbol {name!r} to make local", nearest(name, defined))
    problems.raise_if_any()


def _move_to_end(result: bytearray, section: Section, content: bytes | bytearray) -> None:
    struct.pack_into("<QQ", result, section.header + _SH_OFFSET, len(result), len(content))
    result += content


class _Localiser:
    """Reorders the symbol table, locals first, and renumbers everything that refers to symbols by index."""

    def __init__(self, source: ObjectFile, table: Section, chosen: set[int]) -> None:
        self._source, self._table, self._chosen = source, table, chosen
        self._bytes = bytearray(source.data)
        rows = [bytearray(row) for row in self._rows(table, elf.SYMBOL.size)]
        for index in chosen:
            rows[index][4] &= 0x0F
        self._order = sorted(range(len(rows)), key=lambda index: rows[index][4] >> 4 != 0)
        self._new_index = [0] * len(rows)
        for new, old in enumerate(self._order):
            self._new_index[old] = new
        self._locals = sum(row[4] >> 4 == 0 for row in rows)
        self._put(table, b"".join(rows[index] for index in self._order))

    def result(self) -> bytes:
        if self._source.machine == _EM_MIPS:
            self._fail("has relocations in the form of MIPS, which is not supported here")
        struct.pack_into("<I", self._bytes, self._table.header + _SH_INFO, self._locals)
        for section in self._source.sections:
            if section.link == self._table.index and section.stored:
                self._renumber_of(section)(section)
        return bytes(self._bytes)

    def _renumber_of(self, section: Section) -> Callable[[Section], None]:
        known: dict[int, Callable[[Section], None]] = {
            elf.SHT_REL: self._renumber_relocations,
            elf.SHT_RELA: self._renumber_relocations,
            elf.SHT_GROUP: self._renumber_group,
            elf.SHT_SYMTAB_SHNDX: self._reorder_wide_indices,
            _SHT_LLVM_ADDRSIG: self._renumber_address_significance,
            _SHT_LLVM_CALL_GRAPH: lambda _: None,  # its relocations hold the symbols
        }
        if section.type not in known:
            self._fail(f"has section {section.name!r} of type {section.type:#x}, which may refer to symbols by number")
        return known[section.type]

    def _renumber_relocations(self, section: Section) -> None:
        size = _RELOCATION_BYTES[section.type]
        if section.entry_size != size or section.size % size:
            self._fail(f"has relocations of {section.entry_size} bytes in {section.name!r}, not {size}")
        for place in range(section.offset + 12, section.offset + section.size, size):
            (symbol,) = struct.unpack_from("<I", self._bytes, place)
            struct.pack_into("<I", self._bytes, place, self._moved(symbol, section))

    def _renumber_group(self, section: Section) -> None:
        if section.size < 4 or section.size % 4:
            self._fail(f"has group {section.name!r} of {section.size} bytes")
        struct.pack_into("<I", self._bytes, section.header + _SH_INFO, self._moved(section.info, section))
        flags, *members = struct.unpack_from(f"<{section.size // 4}I", self._bytes, section.offset)
        held = {self._source.symbols[index - 1].section_index for index in self._chosen}
        if not held.isdisjoint(members):
            struct.pack_into("<I", self._bytes, section.offset, flags & ~_GRP_COMDAT)

    def _reorder_wide_indices(self, section: Section) -> None:
        rows = self._rows(section, 4)
        if len(rows) != len(self._order):
            self._fail(f"has {len(rows)} section indices in {section.name!r} for {len(self._order)} symbols")
        self._put(section, b"".join(rows[index] for index in self._order))

    def _renumber_address_significance(self, section: Section) -> None:
        content = self._source.data[section.offset : section.offset + section.size]
        indices = _read_uleb128(content)
        if indices is None:
            self._fail(f"has a cut off number in {section.name!r}")
        renumbered = b"".join(_uleb128(self._moved(index, section)) for index in indices)
        if len(renumbered) == section.size:
            self._put(section, renumbered)
        else:
            _move_to_end(self._bytes, section, renumbered)

    def _moved(self, index: int, section: Section) -> int:
        if index >= len(self._new_index):
            self._fail(f"refers to symbol {index} of {len(self._new_index)} in section {section.name!r}")
        return self._new_index[index]

    def _rows(self, section: Section, size: int) -> Sequence[bytes]:
        data, end = self._source.data, section.offset + section.size
        return [data[place : place + size] for place in range(section.offset, end, size)]

    def _put(self, section: Section, content: bytes) -> None:
        self._bytes[section.offset : section.offset + section.size] = content

    def _fail(self, what: str) -> NoReturn:
        raise ObjectError(Problem(self._source.label, what, "rebuild the object, or leave its symbols global"))


def _read_uleb128(content: bytes) -> list[int] | None:
    numbers, value, shift = [], 0, 0
    for byte in content:
        value |= (byte & 0x7F) << shift
        shift += 7
        if shift > 63:
            return None
        if not byte & 0x80:
            numbers.append(value)
            value = shift = 0
    return None if shift else numbers


def _uleb128(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
