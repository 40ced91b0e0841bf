# Licensed under the Apache License, Version 2.0.
"""Small valid objects and archives, for tests that need no compiler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from skcore.build import elf

_FUNCTION, _GLOBAL, _ALLOCATED_CODE = 2, 1, 6


def make_object(symbols: Sequence[str], text_bytes: int, machine: int = 0x1029) -> bytes:
    """A relocatable ELF64 object with ``text_bytes`` bytes of ``.text`` that the global functions share out in order.

    ``machine`` is ``e_machine``; the default is the one of device objects (spec device.md §7.5).
    """
    share = text_bytes // max(1, len(symbols))
    names, offsets = _string_table(symbols)
    table = bytes(elf.SYMBOL.size) + b"".join(
        elf.SYMBOL.pack(offset, _GLOBAL << 4 | _FUNCTION, 0, 1, index * share, share)
        for index, offset in enumerate(offsets)
    )
    section_names, places = _string_table([".text", ".symtab", ".strtab", ".shstrtab"])
    # Rows of the section table: type, flags, content, link, info, alignment, entry size.
    rows = [
        (elf.SHT_PROGBITS, _ALLOCATED_CODE, bytes(text_bytes), 0, 0, 4, 0),
        (elf.SHT_SYMTAB, 0, table, 3, 1, 8, elf.SYMBOL.size),
        (elf.SHT_STRTAB, 0, names, 0, 0, 1, 0),
        (elf.SHT_STRTAB, 0, section_names, 0, 0, 1, 0),
    ]
    body, headers = bytearray(), bytearray(elf.SECTION.size)
    for place, (kind, flags, content, link, info, alignment, entry_size) in zip(places, rows, strict=True):
        body += bytes(-len(body) % 8)
        offset = elf.HEADER.size + len(body)
        body += content
        headers += elf.SECTION.pack(place, kind, flags, 0, offset, len(content), link, info, alignment, entry_size)
    body += bytes(-len(body) % 8)
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    start = elf.HEADER.size
    header = elf.HEADER.pack(
        ident, 1, machine, 1, 0, 0, start + len(body), 0, start, 0, 0, elf.SECTION.size, len(rows) + 1, len(rows)
    )
    return bytes(header + body + headers)


def make_archive(members: Mapping[str, bytes]) -> bytes:
    """A GNU ``ar`` archive with these members in this order; names of more than 15 bytes go to the name table."""
    long_names, fields = bytearray(), []
    for name in members:
        encoded = name.encode()
        if len(encoded) > 15:
            fields.append(b"/%d" % len(long_names))
            long_names += encoded + b"/\n"
        else:
            fields.append(encoded + b"/")
    archive = bytearray(b"!<arch>\n")
    if long_names:
        archive += _member(b"//", bytes(long_names))
    for name_field, data in zip(fields, members.values(), strict=True):
        archive += _member(name_field, data)
    return bytes(archive)


def _member(name_field: bytes, data: bytes) -> bytes:
    header = b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (name_field, 0, 0, 0, b"644", len(data))
    return header + data + b"\n" * (len(data) % 2)


def _string_table(names: Sequence[str]) -> tuple[bytes, list[int]]:
    table, offsets = bytearray(1), []
    for name in names:
        offsets.append(len(table))
        table += name.encode() + b"\0"
    return bytes(table), offsets
