# Licensed under the Apache License, Version 2.0.
"""The reader of ``ar`` archives: both kinds of long names, and refusal of anything doubtful."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skcore.build.archive import is_archive, read_archive
from skcore.errors import ObjectError
from skcore.testing.objects import make_archive, make_object

file_names = st.text("abcxyz_0.-", min_size=1, max_size=60).filter(lambda name: name not in (".", ".."))
contents = st.dictionaries(file_names, st.binary(max_size=50), max_size=5)
VALID = make_archive({"short.o": b"123", "a_name_that_is_longer_than_the_field.o": b"4567", "b.o": b""})


def member(field: bytes, data: bytes) -> bytes:
    return b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (field, 0, 0, 0, b"644", len(data)) + data + b"\n" * (len(data) % 2)


@given(contents)
def test_an_archive_that_was_made_reads_back_in_order(members: dict[str, bytes]) -> None:
    assert list(read_archive(make_archive(members), "a.a").items()) == list(members.items())


def test_members_are_those_that_ar_packed(tmp_path: Path) -> None:
    members = {
        "k.o": make_object(["k"], 8, 62),
        "k_with_a_long_name_split1.o": make_object(["k_split1"], 12, 62),
        "odd.txt": b"odd",
    }
    for name, data in members.items():
        (tmp_path / name).write_bytes(data)
    subprocess.run(["ar", "rcs", "k.a", *members], cwd=tmp_path, check=True)
    packed = (tmp_path / "k.a").read_bytes()
    assert is_archive(packed)
    assert read_archive(packed, "k.a") == members


def test_ar_lists_the_members_that_were_made(tmp_path: Path) -> None:
    (tmp_path / "k.a").write_bytes(VALID)
    listed = subprocess.run(["ar", "t", "k.a"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert listed.split() == list(read_archive(VALID, "k.a"))


def test_bsd_names_and_index_are_understood() -> None:
    data = b"!<arch>\n" + member(b"#1/12", b"__.SYMDEF\0\0\0index") + member(b"#1/20", b"a_long_bsd_name.o\0\0\0data")
    assert read_archive(data, "bsd.a") == {"a_long_bsd_name.o": b"data"}


@pytest.mark.parametrize("name", ["../up.o", "/root.o", "dir/x.o", "..", ".", "back\\slash.o", "new\x1bline.o"])
def test_a_name_that_is_no_plain_file_name_is_refused(name: str) -> None:
    data = b"!<arch>\n" + member(b"#1/%d" % len(name), name.encode() + b"data")
    with pytest.raises(ObjectError, match=r"evil\.a: member .* (no file name|path separator)"):
        read_archive(data, "evil.a")


def test_all_bad_members_are_reported_together() -> None:
    data = b"!<arch>\n" + member(b"a.o/", b"1") + member(b"a.o/", b"2") + member(b"../b.o/", b"3")
    with pytest.raises(ObjectError) as caught:
        read_archive(data, "bad.a")
    assert [problem.what.split(" ", 2)[1] for problem in caught.value.problems] == ["'a.o'", "'../b.o'"]


def test_a_flood_of_bad_members_gives_a_message_of_bounded_length() -> None:
    with pytest.raises(ObjectError) as caught:
        read_archive(b"!<arch>\n" + member(b"../b.o/", b"3") * 1000, "bad.a")
    assert len(caught.value.problems) == 20


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is no ar archive"),
        (b"!<thin>\n", "is a thin archive.*without --thin"),
        (VALID[:-70], "is cut off"),
        (b"!<arch>\n" + member(b"/7", b""), "has no long name at 7"),
        (b"!<arch>\n" + member(b"#1/9", b"abc"), "has a name of 9 bytes in a member of 3"),
        (b"!<arch>\n" + member(b"a/", b"").replace(b"`\n", b"xx"), "has no member header at 8"),
        (
            b"!<arch>\n" + member(b"a/", b"").replace(b"0         `", b"-4        `"),
            "has no number for the member size",
        ),
    ],
)
def test_a_damaged_archive_is_refused_with_its_place(data: bytes, message: str) -> None:
    with pytest.raises(ObjectError, match=rf"^bad\.a: {message}"):
        read_archive(data, "bad.a")


@given(st.binary(max_size=200), st.integers(0, len(VALID)))
def test_any_bytes_parse_or_give_an_object_error(tail: bytes, length: int) -> None:
    _parses_or_refuses(VALID[:length] + tail)


@given(st.lists(st.tuples(st.integers(8, len(VALID) - 1), st.sampled_from(b"0189/# `\n\0\xff.a-")), max_size=8))
def test_any_bytes_changed_parse_or_give_an_object_error(changes: list[tuple[int, int]]) -> None:
    data = bytearray(VALID)
    for place, value in changes:
        data[place] = value
    _parses_or_refuses(bytes(data))


def _parses_or_refuses(data: bytes) -> None:
    try:
        members = read_archive(data, "some.a")
    except ObjectError as error:
        wheres = {problem.where for problem in error.problems}
    else:
        wheres = {"some.a"}
        assert sum(map(len, members.values())) <= len(data)
    assert wheres == {"some.a"}
