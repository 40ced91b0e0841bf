# Licensed under the Apache License, Version 2.0.
"""Renaming and localising symbols, held against binutils and against programs that are linked and run."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skcore.build import elf
from skcore.build.elf import read_object
from skcore.build.rewrite import localise_symbols, rename_symbols
from skcore.errors import ObjectError
from skcore.testing.objects import make_object

KERNEL = """
#include <vector>
extern "C" int base();
template <class T> __attribute__((noinline)) T twice(T x) { return x + x + SALT; }
inline int &counter() { static int n; return n; }
struct Shape { virtual int area() { return SALT; } virtual ~Shape() {} };
static int table[] = {1, 2, 3};
extern "C" int helper(int x) { Shape s; return twice(x) + table[x % 3] + s.area() + counter()++; }
extern "C" int (*pointer)(int);
extern "C" int ENTRY(int x) {
    std::vector<int> v(3, helper(x));
    try { if (x > 100) throw x; } catch (int y) { return y; }
    return v.at(1) + base();
}
int (*pointer)(int) = helper;
"""
MAIN = """
#include <cstdio>
extern "C" int base() { return 1000; }
extern "C" int one(int); extern "C" int two(int);
int main() { int first = one(1), second = two(1); std::printf("%d %d\\n", first, second); }
"""
NAMES = ["k", "k_mix_aic", "k_mix_aiv", "helper"]
DEVICE_OBJECT = make_object(NAMES, 64)


class Folder:
    """A directory in which objects are compiled and looked at with binutils."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def run(self, *command: str) -> str:
        return subprocess.run(command, cwd=self.path, check=True, capture_output=True, text=True).stdout

    def compile(self, name: str, source: str, *options: str) -> bytes:
        (self.path / f"{name}.cpp").write_text(source)
        self.run("g++", "-c", "-ffunction-sections", *options, f"{name}.cpp", "-o", f"{name}.o")
        return (self.path / f"{name}.o").read_bytes()

    def with_objcopy(self, data: bytes, *options: str) -> bytes:
        (self.path / "in.o").write_bytes(data)
        self.run("objcopy", *options, "in.o", "out.o")
        return (self.path / "out.o").read_bytes()

    def link_and_run(self, *objects: bytes) -> str:
        for index, data in enumerate(objects):
            (self.path / f"part{index}.o").write_bytes(data)
        self.run("g++", *[f"part{index}.o" for index in range(len(objects))], "-o", "program")
        return self.run("./program").strip()

    def symbols(self, data: bytes) -> list[str]:
        (self.path / "look.o").write_bytes(data)
        return sorted(self.run("nm", "-a", "look.o").splitlines())

    def relocations(self, data: bytes) -> list[list[str]]:
        """Offset, type, symbol and addend of each relocation, without the symbol's index."""
        (self.path / "look.o").write_bytes(data)
        rows = [line.split() for line in self.run("readelf", "-rW", "look.o").splitlines()]
        return [[row[0], *row[2:]] for row in rows if len(row) >= 5 and row[2].startswith("R_")]

    def groups(self, data: bytes) -> str:
        (self.path / "look.o").write_bytes(data)
        return self.run("readelf", "-gW", "look.o")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return Folder(tmp_path_factory.mktemp("kernel")).compile("k", KERNEL, "-DSALT=10", "-DENTRY=k", "-g")


def test_renaming_a_compiled_object_agrees_with_objcopy(folder: Folder, kernel: bytes) -> None:
    names = {"k": "k_split1", "base": "other_base", "_Z5twiceIiET_S0_": "twice_split1"}
    ours = rename_symbols(kernel, names)
    theirs = folder.with_objcopy(kernel, *[f"--redefine-sym={old}={new}" for old, new in names.items()])
    assert folder.symbols(ours) == folder.symbols(theirs)
    assert folder.relocations(ours) == folder.relocations(theirs)
    assert folder.groups(ours) == folder.groups(theirs)
    assert "[twice_split1]" in folder.groups(ours)


def test_renaming_changes_only_names_and_the_place_of_the_string_table(kernel: bytes) -> None:
    source = read_object(kernel, "k.o")
    table = source.symbol_table
    assert table is not None
    renamed = rename_symbols(kernel, {"k": "k_split1"})
    index = [symbol.name for symbol in source.symbols].index("k") + 1
    entry, header = table.offset + index * elf.SYMBOL.size, source.sections[table.link].header
    allowed = {*range(entry, entry + 4), *range(header + 24, header + 40)}
    assert {place for place, byte in enumerate(kernel) if renamed[place] != byte} <= allowed


def test_a_copy_with_a_renamed_entry_links_and_runs_beside_the_original(folder: Folder) -> None:
    # Copies differ in their entry only where the rest is local or COMDAT, as for device objects.
    source = KERNEL.replace('extern "C" int helper', "static int helper").replace("int (*pointer)", "static int (*p)")
    source = source.replace('extern "C" static int (*p)(int);', "")
    original = folder.compile("k", source, "-DSALT=10", "-DENTRY=one")
    copy = rename_symbols(original, {"one": "two"})
    assert folder.link_and_run(folder.compile("m", MAIN), original, copy) == "1024 1025"


def test_localising_a_compiled_object_agrees_with_objcopy(folder: Folder, kernel: bytes) -> None:
    names = ["helper", "pointer", "_Z5twiceIiET_S0_", "_ZN5Shape4areaEv"]
    ours = localise_symbols(kernel, names)
    theirs = folder.with_objcopy(kernel, *[f"--localize-symbol={name}" for name in names])
    assert folder.symbols(ours) == folder.symbols(theirs)
    assert folder.relocations(ours) == folder.relocations(theirs)
    warnings = subprocess.run(["readelf", "-aW", "look.o"], cwd=folder.path, check=True, capture_output=True).stderr
    assert warnings == b""


def test_localised_symbols_do_not_clash_when_linked_and_run(folder: Folder) -> None:
    parts = []
    for entry, salt in (("one", 10), ("two", 20)):
        data = folder.compile(entry, KERNEL, f"-DSALT={salt}", f"-DENTRY={entry}")
        weak = [s.name for s in read_object(data, entry).symbols if s.exported and s.binding == "weak"]
        parts.append(localise_symbols(data, ["helper", "pointer", *weak]))
    # The second kernel must not take the first one's twice() and Shape, though they have the same names.
    assert folder.link_and_run(folder.compile("m", MAIN), *parts) == "1024 1045"


def test_localising_after_a_relocatable_link_hides_the_sub_kernels(folder: Folder) -> None:
    folder.compile("one", KERNEL, "-DSALT=10", "-DENTRY=one")
    folder.compile("top", 'extern "C" int one(int); extern "C" int two(int x) { return one(x) + 1; }')
    folder.run("ld", "-r", "top.o", "one.o", "-o", "fused.o")
    fused = localise_symbols((folder.path / "fused.o").read_bytes(), ["one", "helper", "pointer"])
    assert {"one", "helper", "pointer"}.isdisjoint(read_object(fused, "fused.o").exports)
    plain = 'extern "C" int one(int x) { return x; }\nextern "C" int helper(int x) { return x; }\n'
    assert folder.link_and_run(folder.compile("m", MAIN + plain), fused) == "1 1025"


def test_a_comdat_group_stays_comdat_unless_it_holds_a_localised_symbol(folder: Folder, kernel: bytes) -> None:
    localised = localise_symbols(kernel, ["_Z5twiceIiET_S0_"])
    before, after = folder.groups(kernel).count("COMDAT group"), folder.groups(localised).count("COMDAT group")
    assert after == before - 1


def test_groups_keep_their_signatures_when_symbols_move(folder: Folder, kernel: bytes) -> None:
    assert "COMDAT group" in folder.groups(kernel)
    assert folder.groups(localise_symbols(kernel, ["helper", "k"])) == folder.groups(kernel)


@given(st.permutations(NAMES), st.integers(0, len(NAMES)))
def test_localising_makes_exactly_the_named_symbols_local(names: list[str], count: int) -> None:
    found = read_object(localise_symbols(DEVICE_OBJECT, names[:count]), "k.o")
    assert {s.name for s in found.symbols if s.binding == "local"} == set(names[:count])
    assert set(found.exports) == set(names[count:])


@given(st.dictionaries(st.sampled_from(NAMES), st.text("pqr_", min_size=1), max_size=4))
def test_renaming_of_a_device_object_renames_exactly_the_named_symbols(names: dict[str, str]) -> None:
    names = {old: f"{old}.{new}" for old, new in names.items()}
    found = read_object(rename_symbols(DEVICE_OBJECT, names), "k.o")
    assert list(found.exports) == [names.get(name, name) for name in NAMES]
    assert found.machine == 0x1029


def test_names_can_be_swapped() -> None:
    swapped = rename_symbols(DEVICE_OBJECT, {"k": "helper", "helper": "k"})
    assert read_object(swapped, "k.o").exports == ("helper", "k_mix_aic", "k_mix_aiv", "k")


def test_localising_what_is_local_already_changes_nothing() -> None:
    once = localise_symbols(DEVICE_OBJECT, ["k"])
    assert localise_symbols(once, ["k"]) == once


def test_one_table_for_the_names_of_symbols_and_sections_is_renamed_well() -> None:
    sections = read_object(DEVICE_OBJECT, "k.o").sections
    data = bytearray(DEVICE_OBJECT)
    symbol_names, section_names = sections[3], sections[4]
    joined = b"".join(DEVICE_OBJECT[s.offset : s.offset + s.size] for s in (symbol_names, section_names))
    struct.pack_into("<QQ", data, symbol_names.header + 24, len(data), len(joined))
    for section in sections[1:]:
        (name,) = struct.unpack_from("<I", data, section.header)
        struct.pack_into("<I", data, section.header, name + symbol_names.size)
    struct.pack_into("<H", data, 62, symbol_names.index)
    found = read_object(rename_symbols(bytes(data + joined), {"k": "k_split1"}), "k.o")
    assert [section.name for section in found.sections] == [section.name for section in sections]
    assert found.exports == ("k_split1", *NAMES[1:])


def test_symbol_indices_of_address_significance_tables_follow(folder: Folder) -> None:
    names = [f"f{index}" for index in range(200)]
    lines = [f".globl {name}\n{name}: nop" for name in names]
    lines.append('.section .llvm_addrsig,"",@0x6fff4c03\n.uleb128 ' + ", ".join(str(i) for i in (1, 5, 199, 200)))
    (folder.path / "a.s").write_text("\n".join(lines) + "\n")
    folder.run("as", "a.s", "-o", "a.o")
    data = bytearray((folder.path / "a.o").read_bytes())
    source = read_object(bytes(data), "a.o")
    (section,) = [s for s in source.sections if s.name == ".llvm_addrsig"]
    assert source.symbol_table is not None
    struct.pack_into("<I", data, section.header + 40, source.symbol_table.index)
    significant = [source.symbols[index - 1].name for index in (1, 5, 199, 200)]

    result = localise_symbols(bytes(data), [significant[2], "f150"])

    found = read_object(result, "a.o")
    (section,) = [s for s in found.sections if s.name == ".llvm_addrsig"]
    indices = _uleb128s(result[section.offset : section.offset + section.size])
    assert [found.symbols[index - 1].name for index in indices] == significant


def test_symbols_in_sections_beyond_16_bits_keep_their_section(folder: Folder) -> None:
    lines = [f'.section .text.f{i},"ax"\n.globl f{i}\nf{i}: nop' for i in range(65300)]
    (folder.path / "many.s").write_text("\n".join(lines) + "\n")
    folder.run("as", "many.s", "-o", "many.o")
    result = localise_symbols((folder.path / "many.o").read_bytes(), ["f65299", "f1"])
    places = {s.name: s.section for s in read_object(result, "many.o").symbols if s.kind != "section"}
    assert len(places) == 65300
    assert all(section == f".text.{name}" for name, section in places.items())


def test_a_section_that_may_refer_to_symbols_by_number_is_refused() -> None:
    data = bytearray(DEVICE_OBJECT)
    sections = read_object(DEVICE_OBJECT, "k.o").sections
    struct.pack_into("<I", data, sections[1].header + 4, 0x70000042)
    struct.pack_into("<I", data, sections[1].header + 40, 2)
    with pytest.raises(ObjectError, match=r"k\.o: has section '\.text' of type 0x70000042"):
        localise_symbols(bytes(data), ["k"], "k.o")


def test_unknown_names_are_reported_together_with_the_nearest() -> None:
    with pytest.raises(ObjectError) as caught:
        rename_symbols(DEVICE_OBJECT, {"helpr": "a", "k_mix_aix": "b"}, "k.o")
    assert "k.o: has no symbol 'helpr' to rename (did you mean 'helper'?)" in str(caught.value)
    assert len(caught.value.problems) == 2


@pytest.mark.parametrize("name", ["k.cpp", ".text.k"])
def test_names_of_files_and_sections_are_not_those_of_symbols(kernel: bytes, name: str) -> None:
    with pytest.raises(ObjectError, match="has no symbol"):
        rename_symbols(kernel, {name: "other"})


@pytest.mark.parametrize("names", [{"k": "helper"}, {"k": "x", "helper": "x"}, {"k": ""}, {"k": "a\0b"}])
def test_a_rename_that_would_merge_or_lose_a_symbol_is_refused(names: dict[str, str]) -> None:
    with pytest.raises(ObjectError, match="cannot rename"):
        rename_symbols(DEVICE_OBJECT, names)


def test_a_reference_cannot_be_made_local(kernel: bytes) -> None:
    with pytest.raises(ObjectError, match="defines no symbol 'base' to make local"):
        localise_symbols(kernel, ["base"])


def test_rewriting_a_hostile_object_gives_an_object_or_an_object_error(kernel: bytes) -> None:
    @given(st.lists(st.tuples(st.integers(0, len(kernel) - 1), st.integers(0, 255)), min_size=1, max_size=6))
    def check(changes: list[tuple[int, int]]) -> None:
        data = bytearray(kernel)
        for place, value in changes:
            data[place] = value
        try:
            results = [rename_symbols(bytes(data), {"k": "k_split1"}), localise_symbols(bytes(data), ["helper"])]
        except ObjectError:
            return
        for result in results:
            read_object(result, "result.o")

    check()


def _uleb128s(content: bytes) -> list[int]:
    numbers, value, shift = [], 0, 0
    for byte in content:
        value |= (byte & 0x7F) << shift
        shift = 0 if byte < 0x80 else shift + 7
        if not shift:
            numbers.append(value)
            value = 0
    return numbers
