# Licensed under the Apache License, Version 2.0.
"""The graph file: read right, and refused with the line of every fault."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from skcore.errors import InputError
from skcore.frontends.graph_file import collect_ops, read_graph_file
from skcore.frontends.request import Request
from skcore.graph.kernel import EarlyStartCalls, KernelType
from skcore.graph.task import (
    BufferArgument,
    EventRecord,
    EventReset,
    EventWait,
    KernelTask,
    OtherTask,
    Scope,
    WordArgument,
)
from skcore.graph.taskgraph import TaskGraph
from tests.builders import target, write_kernel
from tests.hostile import accepted_or_refused, mutated

GOOD = """\
version: 1
name: demo
buffers:
  x: {shape: [16, 8], dtype: float32, initial: {random: {seed: 3}}}
  y: {shape: [16, 8], dtype: float32}
  z: {shape: [4], dtype: int32, initial: {file: data.npy}}
kernels:
  add:
    source: add.cpp
    function: add_kernel
    type: mix_aic_1_2
    blocks: 4
    parameters: [x, y, n]
    writes: [y]
    definitions: {TILE: 32, B: x}
    full_sync: true
    early_start: {set: true}
    workspace_bytes: 64
    reference: check.py:add
  soft: {library: softmax, blocks: 2, attributes: {axis: 1}}
  ready: {object: ready.o, metadata: ready.json, writes: [y]}
scopes:
  one: {options: {split-mode: 2, profiling: true}}
  two: {options: "split-mode=1"}
tasks:
  - {kernel: add, arguments: {x: x, y: {buffer: y, offset: 64}, n: {word: 7}}, scope: one, name: first}
  - {kernel: soft, arguments: {x: x, y: y}, scope: [one, null]}
  - {kernel: ready, scope: two, stream: 1}
  - {record: 5, stream: 1}
  - {wait: 5}
  - {reset: 5}
  - {other: copy, scope: one}
  - {kernel: add, scope: three, arguments: {x: z, y: y, n: {word: 1}}}
outputs: [y]
"""


def write(folder: Path, text: str = GOOD) -> Path:
    (folder / "add.cpp").write_text("// kernel\n")
    write_kernel(folder, "ready")
    path = folder / "graph.yaml"
    path.write_text(text)
    return path


def read(folder: Path, text: str = GOOD) -> TaskGraph:
    return read_graph_file(write(folder, text), target())


def problems(folder: Path, text: str) -> list[tuple[int, str]]:
    """The line and the text of each problem."""
    path = write(folder, text)
    with pytest.raises(InputError) as raised:
        read_graph_file(path, target())
    found = []
    for problem in raised.value.problems:
        match = re.match(re.escape(str(path)) + r":(\d+)", problem.where)
        assert match, problem
        found.append((int(match[1]), str(problem)))
    return found


def line_of(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


def test_tasks_stand_in_order_with_ids_streams_and_lines(tmp_path: Path) -> None:
    graph = read(tmp_path)
    assert [type(task) for task in graph.tasks] == [
        KernelTask, KernelTask, KernelTask, EventRecord, EventWait, EventReset, OtherTask, KernelTask,
    ]  # fmt: skip
    assert [task.id for task in graph.tasks] == list(range(8))
    assert [task.stream for task in graph.tasks] == [0, 0, 1, 1, 0, 0, 0, 0]
    first = line_of(GOOD, "- {kernel: add")
    assert [task.where for task in graph.tasks] == [f"{tmp_path / 'graph.yaml'}:{first + n}" for n in range(8)]
    assert not graph.whole
    assert graph.outputs == ("y",)


def test_scopes_go_from_the_outermost_to_the_innermost(tmp_path: Path) -> None:
    scopes = [task.scopes for task in read(tmp_path).tasks]
    assert scopes[0] == (Scope("one"),)
    assert scopes[1] == (Scope("one"), Scope(None))
    assert scopes[3] == ()


def test_a_scope_null_means_never_fuse_and_no_scope_means_none_at_all(tmp_path: Path) -> None:
    graph = read(tmp_path, GOOD.replace("scope: [one, null]", "scope: null"))
    assert graph.tasks[1].scopes == (Scope(None),)


def test_every_scope_that_is_used_or_declared_has_settings_with_its_line(tmp_path: Path) -> None:
    scopes = {scope.name: scope for scope in read(tmp_path).scopes}
    assert list(scopes) == ["one", "two", "three"]
    assert scopes["one"].options == {"split-mode": 2, "profiling": True}
    assert scopes["two"].options == "split-mode=1"
    assert scopes["three"].options is None
    assert scopes["two"].where.endswith(f":{line_of(GOOD, '  two: {options')}")


def test_arguments_are_buffers_with_offsets_or_words(tmp_path: Path) -> None:
    first = read(tmp_path).kernels[0]
    assert first.name == "first"
    assert dict(first.arguments) == {"x": BufferArgument("x"), "y": BufferArgument("y", 64), "n": WordArgument(7)}
    assert [(operand.name, operand.shape, operand.dtype) for operand in first.operands] == [
        ("x", (16, 8), "float32"), ("y", (16, 8), "float32"),
    ]  # fmt: skip


def test_a_source_kernel_is_read_with_all_its_facts(tmp_path: Path) -> None:
    kernel = read(tmp_path).kernels[0].kernel
    assert kernel is not None
    assert kernel.source is not None
    assert kernel.kernel_type is KernelType.MIX_AIC_1_2
    assert (kernel.blocks, kernel.parameters, kernel.writes) == (4, ("x", "y", "n"), ("y",))
    assert (kernel.full_sync, kernel.workspace_bytes) == (True, 64)
    assert kernel.early_start == EarlyStartCalls(sets=True)
    assert (kernel.source.function, kernel.source.text) == ("add_kernel", "// kernel\n")
    assert kernel.source.definitions == (("B", "x"), ("TILE", "32"))
    assert kernel.reference == f"{tmp_path / 'check.py'}:add"


def test_a_library_kernel_is_left_to_the_libraries(tmp_path: Path) -> None:
    task = read(tmp_path).kernels[1]
    assert task.kernel is None
    assert task.op_type == "softmax"
    assert task.attributes == (("axis", "1"), ("blocks", "2"))


def test_a_compiled_kernel_is_read_from_its_files(tmp_path: Path) -> None:
    kernel = read(tmp_path).kernels[2].kernel
    assert kernel is not None
    assert kernel.is_compiled
    assert (kernel.name, kernel.writes) == ("ready", ("y",))


def test_buffers_have_shape_type_contents_and_line(tmp_path: Path) -> None:
    buffers = {buffer.name: buffer for buffer in read(tmp_path).buffers}
    assert (buffers["x"].shape, buffers["x"].dtype) == ((16, 8), "float32")
    assert buffers["x"].initial == {"random": {"seed": 3, "low": -1.0, "high": 1.0}}
    assert buffers["y"].initial == {}
    assert buffers["z"].initial == {"file": str(tmp_path / "data.npy")}
    assert buffers["z"].where.endswith(":6")


@pytest.mark.parametrize("source", [Path("graph.json"), "graph.yaml", {"version": 1}, None])
def test_what_is_no_path_of_a_yaml_file_is_left_to_others(source: object) -> None:
    assert collect_ops(source, Request(target())) is None


@pytest.mark.parametrize("suffix", [".yaml", ".yml"])
def test_both_endings_are_known(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path).rename(tmp_path / f"graph{suffix}")
    assert collect_ops(path, Request(target())) is not None


EDITS = {
    "unknown key": ("stream: 1}\n  - {record", "strem: 1}\n  - {record", "- {kernel: ready", "unknown key 'strem'"),
    "unknown buffer": ("arguments: {x: x, y: y}", "arguments: {x: x, y: yy}", "- {kernel: soft", "no buffer 'yy'"),
    "unknown kernel": ("- {kernel: ready", "- {kernel: reddy", "- {kernel: reddy", "did you mean 'ready'?"),
    "unknown output": ("outputs: [y]", "outputs: [w]", "outputs: [w]", "there is no buffer 'w'"),
    "wrong dtype": ("dtype: int32", "dtype: int23", "dtype: int23", "float32"),
    "empty shape": ("shape: [4]", "shape: [0]", "shape: [0]", "greater than or equal to 1"),
    "two contents": ("{file: data.npy}", "{file: d, constant: 1}", "{file: d,", "one of constant, random and file"),
    "unknown type": ("type: mix_aic_1_2", "type: mix_aic_2_1", "type: mix_aic", "did you mean"),
    "no blocks": ("    blocks: 4\n", "", "  add:", "a source needs type, blocks and parameters"),
    "unknown written": ("    writes: [y]", "    writes: [q]", "  add:", "has no parameter 'q'"),
    "two origins": ("library: softmax", "library: softmax, source: a.cpp", "  soft:", "exactly one of library"),
    "half compiled": ("object: ready.o, metadata: ready.json", "object: ready.o", "  ready:", "go together"),
    "two kinds": ("- {wait: 5}", "- {wait: 5, record: 5}", "- {wait: 5", "exactly one of kernel, record"),
    "no record": ("record: 5, stream: 1", "record: 6, stream: 1", "- {wait: 5", "nothing records event 5"),
    "no kind": ("- {wait: 5}", "- {stream: 5}", "- {stream: 5", "exactly one of kernel, record"),
    "missing source": ("source: add.cpp", "source: gone.cpp", "  add:", "'gone.cpp' cannot be read"),
    "missing object": ("object: ready.o", "object: gone.o", "  ready:", "gone.o: cannot be read"),
    "negative offset": ("offset: 64", "offset: -1", "- {kernel: add, arguments", "greater than or equal to 0"),
    "wide word": ("word: 7", "word: 18446744073709551616", "- {kernel: add, arguments", "less than"),
    "unknown parameter": (
        "{x: z, y: y, n: {word: 1}}",
        "{q: z, x: z, y: y, n: {word: 1}}",
        "scope: three",
        "no parameter 'q'",
    ),
    "parameter twice": ("parameters: [x, y, n]", "parameters: [x, y, x]", "  add:", "twice"),
    "idle fact": ("library: softmax", "library: softmax, full_sync: true", "  soft:", "full_sync"),
    "idle arguments": ("- {wait: 5}", "- {wait: 5, arguments: {x: x}}", "- {wait: 5", "arguments"),
    "wrong version": ("version: 1", "version: 2", "version: 2", "Input should be 1"),
    "bad name": ("name: demo", "name: 1-demo", "name: 1-demo", "pattern"),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_fault_is_reported_with_its_line(tmp_path: Path, name: str) -> None:
    old, new, place, part = EDITS[name]
    assert old in GOOD
    text = GOOD.replace(old, new)
    found = problems(tmp_path, text)
    assert any(part in problem for _, problem in found)
    assert {line for line, _ in found} == {line_of(text, place)}


def test_faults_in_several_places_are_all_reported_with_their_lines(tmp_path: Path) -> None:
    text = GOOD
    names = ("unknown key", "wrong dtype", "no blocks", "two kinds", "wrong version")
    for name in names:
        text = text.replace(*EDITS[name][:2])
    found = problems(tmp_path, text)
    assert {line for line, _ in found} == {line_of(text, EDITS[name][2]) for name in names}


def test_faults_that_need_the_whole_file_are_all_reported_with_their_lines(tmp_path: Path) -> None:
    text = GOOD
    names = ("unknown buffer", "unknown kernel", "unknown output", "missing object", "unknown type")
    for name in names:
        text = text.replace(*EDITS[name][:2])
    found = problems(tmp_path, text)
    assert {line for line, _ in found} == {line_of(text, EDITS[name][2]) for name in names}


@pytest.mark.parametrize(
    ("text", "line"),
    [("version: 1\nname: a\nname: b\n", 3), ("buffers:\n  x: {}\n  y: {}\n  x: {}\n", 4), ("a: [{b: 1, b: 2}]\n", 1)],
)
def test_a_key_that_stands_twice_is_reported_with_its_line(tmp_path: Path, text: str, line: int) -> None:
    ((found, problem),) = problems(tmp_path, text)
    assert found == line
    assert "stands twice" in problem


@pytest.mark.parametrize(
    "text", ["version: [1", "a: b: c", "\tx: 1", "- 1\nb: 2", "*x", "&a [*a]", "!!python/object:os.x {}"]
)
def test_text_that_is_no_yaml_is_refused_with_its_file(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError, match=re.escape(str(path))):
        read_graph_file(path, target())


@pytest.mark.parametrize("text", ["", "null", "[]", "text", "5"])
def test_a_document_that_is_no_mapping_is_refused_with_its_file(tmp_path: Path, text: str) -> None:
    assert problems(tmp_path, text)[0][0] == 1


def test_a_file_that_is_not_there_or_no_text_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.yaml: cannot be read"):
        read_graph_file(tmp_path / "gone.yaml", target())
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(InputError, match=r"bytes\.yaml: is no UTF-8 text"):
        read_graph_file(tmp_path / "bytes.yaml", target())


# Hostile input


@given(st.data())
@settings(max_examples=120)
def test_a_damaged_graph_file_never_escapes_as_another_error(data: st.DataObject) -> None:
    with TemporaryDirectory() as name:
        document = mutated(data, yaml.safe_load(GOOD))
        with accepted_or_refused():
            read(Path(name), yaml.safe_dump(document))


@given(st.data())
@settings(max_examples=120)
def test_damaged_text_never_escapes_as_another_error(data: st.DataObject) -> None:
    lines = GOOD.splitlines()
    for _ in range(data.draw(st.integers(1, 3))):
        number = data.draw(st.integers(0, len(lines) - 1))
        place = data.draw(st.integers(0, len(lines[number])))
        extra = data.draw(
            st.text(st.characters(codec="utf-8"), max_size=3) | st.sampled_from(["? ", "- ", "<<: ", "!!set "])
        )
        lines[number] = lines[number][:place] + extra + lines[number][place + data.draw(st.integers(0, 3)) :]
    with TemporaryDirectory() as name:
        path = write(Path(name))
        path.write_text("\n".join(lines), encoding="utf-8")
        with accepted_or_refused():
            read_graph_file(path, target())


@pytest.mark.parametrize(
    "text",
    [
        "[" * 3000,
        "? [a, b]\n: 1\n",
        "<<: {version: 1}\nname: x\n",
        "<<: 5\n",
        "version: 2024-99-99\n",
        "version: 0xZZ\nname: 1_000\n",
        "kernels: &k\n  a: *k\n",
        "name: !!binary aGk=\n",
        "name: !!int abc\n",
        "name: !!timestamp x\n",
        'name: "\\ud800"\n',
        "1: 2\ntrue: 3\nnull: 4\n",
    ],
    ids=range(12),
)
def test_odd_documents_are_refused_as_input(tmp_path: Path, text: str) -> None:
    path = write(tmp_path)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError):
        read_graph_file(path, target())
