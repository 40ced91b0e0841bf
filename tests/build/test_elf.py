# Licensed under the Apache License, Version 2.0.
"""The reader of relocatable objects: what it finds, and that a hostile file gives one clear error."""

from __future__ import annotations

import io
import struct
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from hypothesis import given
from hypothesis import strategies as st

from skcore.build import elf
from skcore.build.elf import read_object
from skcore.errors import ObjectError
from skcore.testing.objects import make_object

SOURCE = """
extern int outside(int);
template <class T> inline T twice(T x) { return x + outside(x); }
inline int &counter() { static int n; return n; }
__attribute__((weak)) int soft(int x) { return x; }
static int hidden[3] = {1, 2, 3};
__attribute__((section(".text.hot"))) int hot(int x) { return x + hidden[x]; }
extern "C" int entry(int x) { return twice(x) + twice(2L) + counter()++ + soft(x) + hot(x); }
"""
names = st.lists(st.text("abcXYZ_019", min_size=1, max_size=12), unique=True, max_size=6)
VALID = make_object(["kernel_mix_aic", "kernel_mix_aiv"], 96)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder: Path = tmp_path_factory.mktemp("elf")
    (folder / "a.cpp").write_text(SOURCE)
    subprocess.run(["g++", "-c", "-O0", "-g", "-ffunction-sections", "a.cpp"], cwd=folder, check=True)
    return (folder / "a.o").read_bytes()


@given(names=names, text_bytes=st.integers(0, 4096), machine=st.sampled_from([62, 0x1029]))
def test_an_object_that_was_made_reads_back(names: list[str], text_bytes: int, machine: int) -> None:
    found = read_object(make_object(names, text_bytes, machine), "a.o", machine)
    assert (found.machine, found.text_bytes, list(found.exports)) == (machine, text_bytes, names)
    assert all(symbol.kind == "function" and symbol.section == ".text" for symbol in found.symbols)


def test_symbols_are_those_that_pyelftools_finds(compiled: bytes) -> None:
    reference = ELFFile(io.BytesIO(compiled))
    table = reference.get_section_by_name(".symtab")
    assert isinstance(table, SymbolTableSection)
    expected = [
        (s.name, s["st_info"]["bind"] == "STB_LOCAL", s["st_shndx"] != "SHN_UNDEF", s["st_size"])
        for s in table.iter_symbols()
        if s["st_info"]["type"] != "STT_SECTION"
    ]
    found = [
        (s.name, s.binding == "local", s.defined, s.size)
        for s in read_object(compiled, "a.o").symbols
        if s.kind != "section"
    ]
    assert found == expected[1:]


def test_text_is_the_sum_of_all_executable_sections(compiled: bytes) -> None:
    sections = [s.header for s in ELFFile(io.BytesIO(compiled)).iter_sections()]
    code = [h["sh_size"] for h in sections if h["sh_type"] == "SHT_PROGBITS" and h["sh_flags"] & 4]
    assert len(code) > 3
    assert read_object(compiled, "a.o").text_bytes == sum(code)


def test_bindings_of_a_compiled_object_are_told_apart(compiled: bytes) -> None:
    found = {symbol.name: symbol for symbol in read_object(compiled, "a.o").symbols}
    assert found["entry"].binding == "global"
    assert found["_Z4softi"].binding == "weak"
    assert found["_ZL6hidden"].binding == "local"
    assert found["_ZZ7countervE1n"].binding == "unique"
    assert "_Z7outsidei" in read_object(compiled, "a.o").imports


def test_an_export_that_is_not_there_names_the_nearest() -> None:
    with pytest.raises(ObjectError, match=r"a\.o: defines no global symbol 'kernel_mix_aix'.*did you mean 'kernel_mix"):
        read_object(VALID, "a.o").export("kernel_mix_aix")


def test_more_sections_than_the_header_can_count_are_read(tmp_path: Path) -> None:
    lines = [f'.section .text.f{i},"ax"\n.globl f{i}\nf{i}: nop' for i in range(65300)]
    (tmp_path / "many.s").write_text("\n".join(lines) + "\n")
    subprocess.run(["as", "many.s", "-o", "many.o"], cwd=tmp_path, check=True)
    found = read_object((tmp_path / "many.o").read_bytes(), "many.o")
    assert found.text_bytes == 65300
    assert found.export("f65299").section == ".text.f65299"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is no ELF file"),
        (b"!<arch>\n", "is no ELF file.*expected a relocatable ELF64 object"),
        (b"\x7fELF\x02\x01", "is cut off: 6 bytes"),
        (VALID[:4] + b"\x01" + VALID[5:], "has ELF class 1"),
        (VALID[:5] + b"\x02" + VALID[6:], "has ELF class 2 and byte order 2"),
        (VALID[:16] + b"\x03" + VALID[17:], "is a shared library.*compile with -c"),
        (VALID[:-1], "is cut off: 5 section headers"),
    ],
)
def test_a_wrong_file_is_refused_with_what_was_expected(data: bytes, message: str) -> None:
    with pytest.raises(ObjectError, match=rf"^bad\.o: {message}"):
        read_object(data, "bad.o")


def test_an_object_for_another_machine_is_refused() -> None:
    with pytest.raises(ObjectError, match="is for machine 0x1029, not 0x3e"):
        read_object(VALID, "a.o", machine=62)


def test_sections_on_top_of_each_other_are_refused() -> None:
    sections = read_object(VALID, "a.o").sections
    patched = bytearray(VALID)
    struct.pack_into("<Q", patched, sections[3].header + 24, sections[2].offset)
    with pytest.raises(ObjectError, match="on top of"):
        read_object(bytes(patched), "a.o")


def test_names_that_would_take_quadratic_memory_are_refused() -> None:
    # One name of n bytes, and n symbols that each start one byte further inside it.
    count = 4000
    data = bytearray(make_object(["x" * count, *[f"s{i}" for i in range(count)]], 0))
    table = read_object(bytes(data), "a.o").symbol_table
    assert table is not None
    for index in range(1, count):
        struct.pack_into("<I", data, table.offset + index * elf.SYMBOL.size, index)
    with pytest.raises(ObjectError, match="overlap without measure"):
        read_object(bytes(data), "a.o")


@given(st.integers(0, len(VALID) - 1))
def test_every_truncation_is_refused(length: int) -> None:
    with pytest.raises(ObjectError):
        read_object(VALID[:length], "cut.o")


@given(st.binary(max_size=300), st.booleans())
def test_any_bytes_parse_or_give_an_object_error(tail: bytes, header: bool) -> None:
    _parses_or_refuses(VALID[:64] + tail if header else tail)


@given(st.lists(st.tuples(st.integers(0, len(VALID) - 1), st.integers(0, 255)), max_size=8))
def test_any_bytes_changed_parse_or_give_an_object_error(changes: list[tuple[int, int]]) -> None:
    data = bytearray(VALID)
    for place, value in changes:
        data[place] = value
    _parses_or_refuses(bytes(data))


@given(st.data())
def test_any_field_of_a_section_header_may_be_hostile(data: st.DataObject) -> None:
    section = data.draw(st.sampled_from(read_object(VALID, "a.o").sections))
    edges = st.sampled_from([0, 1, 23, 24, 2**31, 2**32 - 1, 2**63, 2**64 - 1])
    row = list(elf.SECTION.unpack_from(VALID, section.header))
    for place in data.draw(st.lists(st.integers(0, 9), min_size=1, max_size=3)):
        narrow = place in (0, 1, 6, 7)
        row[place] = data.draw(edges | st.integers(0, len(VALID))) & (2**32 - 1 if narrow else 2**64 - 1)
    patched = bytearray(VALID)
    elf.SECTION.pack_into(patched, section.header, *row)
    _parses_or_refuses(bytes(patched))


def test_mutations_of_a_compiled_object_parse_or_give_an_object_error(compiled: bytes) -> None:
    @given(st.lists(st.tuples(st.integers(0, len(compiled) - 1), st.integers(0, 255)), min_size=1, max_size=30))
    def check(changes: list[tuple[int, int]]) -> None:
        data = bytearray(compiled)
        for place, value in changes:
            data[place] = value
        _parses_or_refuses(bytes(data))

    check()


def _parses_or_refuses(data: bytes) -> None:
    try:
        found = read_object(data, "some.o")
    except ObjectError as error:
        problems = error.problems
    else:
        problems = ()
        assert found.text_bytes <= len(data)
    assert [problem.where for problem in problems] in ([], ["some.o"])
