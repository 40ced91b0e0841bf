# Licensed under the Apache License, Version 2.0.
"""The content-addressed cache: keys without clashes, entries that are whole or not there."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skcore.build.cache import Cache, KeyPart, default_root, key, write_atomically
from skcore.errors import SkcoreError, ToolError

leaves = st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.binary(max_size=4)
parts: st.SearchStrategy[KeyPart] = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
KEY = key("an", "entry")


def typed(part: object) -> object:
    """A form in which values are equal only when they are the same: 1 and True are not."""
    if isinstance(part, dict):
        return {name: typed(value) for name, value in part.items()}
    if isinstance(part, tuple):
        return [typed(value) for value in part]
    return type(part).__name__, part


def make_files(directory: Path) -> None:
    (directory / "a.o").write_bytes(b"object")
    (directory / "a.json").write_text("{}")


def make_never(directory: Path) -> None:
    raise AssertionError(f"{directory} is made though the entry is there")


def content(entry: Path) -> dict[str, bytes]:
    return {name: (entry / name).read_bytes() for name in ("a.o", "a.json")}


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@given(parts, parts)
def test_keys_are_equal_exactly_for_equal_inputs(one: KeyPart, other: KeyPart) -> None:
    assert (key(one) == key(other)) == (typed(one) == typed(other))


def test_the_order_of_a_mapping_is_not_in_the_key() -> None:
    assert key({"a": 1, "b": {"x": 2, "y": 3}}) == key({"b": {"y": 3, "x": 2}, "a": 1})


@pytest.mark.parametrize(
    ("one", "other"), [(("ab", "c"), ("a", "bc")), (("a",), ("a", "")), ((("a",), "b"), ("a", ("b",)))]
)
def test_where_one_part_ends_is_in_the_key(one: tuple[KeyPart, ...], other: tuple[KeyPart, ...]) -> None:
    assert key(*one) != key(*other)


def test_a_key_is_the_same_with_any_hash_seed() -> None:
    program = "from skcore.build.cache import key; print(key({'a': 1, 'b': (None, True)}, b'x'))"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed}, check=True, capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert outputs == {f"{key({'a': 1, 'b': (None, True)}, b'x')}\n".encode()}


def test_a_type_without_one_meaning_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot hold a float"):
        key(1.5)  # type: ignore[arg-type]


def test_an_entry_is_made_once(cache: Cache) -> None:
    entry = cache.get_or_make(KEY, ["a.o", "a.json"], make_files)
    assert content(entry) == {"a.o": b"object", "a.json": b"{}"}
    assert cache.get_or_make(KEY, ["a.o", "a.json"], make_never) == entry


def test_a_failure_leaves_nothing_and_is_raised(cache: Cache) -> None:
    def fail(directory: Path) -> None:
        make_files(directory)
        raise ToolError("the compiler failed")

    with pytest.raises(ToolError, match="the compiler failed"):
        cache.get_or_make(KEY, ["a.o"], fail)
    assert [path for path in cache.root.rglob("*") if path.is_file()] == []


def test_a_file_that_was_not_made_is_an_error(cache: Cache) -> None:
    with pytest.raises(ToolError, match=r"left no file 'b\.o'"):
        cache.get_or_make(KEY, ["a.o", "b.o"], make_files)


@pytest.mark.parametrize("damage", ["missing", "short", "manifest", "no manifest", "all"])
def test_a_damaged_entry_is_made_again_and_nothing_else_is_touched(cache: Cache, damage: str) -> None:
    other = cache.get_or_make(key("other"), ["a.o", "a.json"], make_files)
    entry = cache.get_or_make(KEY, ["a.o", "a.json"], make_files)
    if damage == "missing":
        (entry / "a.o").unlink()
    elif damage == "short":
        (entry / "a.o").write_bytes(b"obj")
    elif damage == "manifest":
        (entry / "manifest.json").write_text('{"files": {"a.o": 3}')
    elif damage == "no manifest":
        (entry / "manifest.json").unlink()
    else:
        shutil.rmtree(entry)
        entry.write_text("not even a directory")
    assert content(cache.get_or_make(KEY, ["a.o", "a.json"], make_files)) == content(other)
    assert list((cache.root / "work").iterdir()) == []


@given(manifest=st.recursive(leaves.filter(lambda v: not isinstance(v, bytes)), st.lists, max_leaves=3))
def test_any_manifest_that_is_not_ours_means_that_the_entry_is_made_again(
    tmp_path_factory: pytest.TempPathFactory, manifest: object
) -> None:
    cache = Cache(tmp_path_factory.mktemp("cache"))
    entry = cache.get_or_make(KEY, ["a.o"], make_files)
    (entry / "manifest.json").write_text(json.dumps({"files": {"a.o": manifest}}))
    (entry / "a.o").write_bytes(b"junk")
    assert content(cache.get_or_make(KEY, ["a.o"], make_files))["a.o"] == b"object"


def test_an_entry_that_lacks_a_name_is_made_again(cache: Cache) -> None:
    cache.get_or_make(KEY, ["a.o"], make_files)
    entry = cache.get_or_make(KEY, ["a.o", "a.json"], make_files)
    assert cache.get_or_make(KEY, ["a.json"], make_never) == entry


def test_changed_bytes_of_the_same_size_are_found_by_their_digest(cache: Cache) -> None:
    entry = cache.get_or_make(KEY, ["a.o"], make_files)
    cache.get_or_make(key("other"), ["a.o"], make_files)
    assert cache.damaged() == []
    (entry / "a.o").write_bytes(b"0bject")
    assert cache.damaged() == [entry]


def test_the_first_of_two_makers_wins(cache: Cache) -> None:
    def slow(directory: Path) -> None:
        make_files(directory)
        (directory / "a.o").write_bytes(b"late")
        cache.get_or_make(KEY, ["a.o"], make_files)

    assert content(cache.get_or_make(KEY, ["a.o"], slow))["a.o"] == b"object"


def test_many_processes_share_one_entry(cache: Cache) -> None:
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_hammer, args=(cache,)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert list((cache.root / "work").iterdir()) == []
    assert len(list(cache.root.glob("??/*"))) == 20


def _hammer(cache: Cache) -> None:
    for index in range(20):
        entry = cache.get_or_make(key(index), ["a.o", "a.json"], make_files)
        assert content(entry) == {"a.o": b"object", "a.json": b"{}"}


def test_a_root_that_cannot_be_used_names_the_variable_to_set(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SkcoreError, match=r"cannot use the cache .*file.*SKCORE_CACHE_DIR"):
        Cache(tmp_path / "file").get_or_make(KEY, ["a.o"], make_files)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"SKCORE_CACHE_DIR": "/own", "XDG_CACHE_HOME": "/xdg"}, "/own"),
        ({"XDG_CACHE_HOME": "/xdg"}, "/xdg/skcore"),
        ({"XDG_CACHE_HOME": "relative"}, "/home/me/.cache/skcore"),
        ({}, "/home/me/.cache/skcore"),
    ],
)
def test_the_default_root_follows_the_environment(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], expected: str
) -> None:
    for name, value in {"SKCORE_CACHE_DIR": "", "XDG_CACHE_HOME": "", "HOME": "/home/me", **variables}.items():
        monkeypatch.setenv(name, value)
    assert default_root() == Path(expected)


def test_a_file_is_replaced_whole_and_leaves_no_part(tmp_path: Path) -> None:
    path = tmp_path / "kernel.cpp"
    path.write_text("a much longer text that must not show through")
    write_atomically(path, "short ü")
    assert path.read_bytes() == "short ü".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_keeps_the_old_content(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.mkdir()
    with pytest.raises(SkcoreError, match=r"cannot write .*file"):
        write_atomically(path, b"data")
    assert list(tmp_path.iterdir()) == [path]
