# Licensed under the Apache License, Version 2.0.
"""The JIT input: spec jit §1 and §2."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skcore.errors import InputError
from skcore.frontends.op_list import DEFAULT_NAME, collect_ops, read_op_list
from skcore.frontends.request import Request
from skcore.graph.task import EventRecord, EventWait, KernelTask, Scope
from skcore.graph.taskgraph import TaskGraph
from tests.builders import op_entry, target, write_kernel
from tests.hostile import accepted_or_refused, mutated


def read(data: Mapping[str, Any], base: Path | None = None) -> TaskGraph:
    return read_op_list(data, target(), "input", base)


def problems(data: Mapping[str, Any]) -> list[str]:
    with pytest.raises(InputError) as raised:
        read(data)
    return [str(problem) for problem in raised.value.problems]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_kernel(tmp_path, "add")
    write_kernel(tmp_path, "mul", "KERNEL_TYPE_MIX_AIC_1_2", blockDim=8)
    return tmp_path


def test_operators_become_kernel_tasks_in_order(folder: Path) -> None:
    graph = read({"op_list": [op_entry(folder, "add", stream_id=3), op_entry(folder, "mul", stream_id=3)]})
    assert [(task.name, task.stream) for task in graph.kernels] == [("add_0", 3), ("mul_1", 3)]
    assert graph.name == DEFAULT_NAME
    assert graph.whole
    assert [task.scopes for task in graph.kernels] == [(Scope(DEFAULT_NAME),)] * 2


def test_one_kernel_used_twice_gets_two_names(folder: Path) -> None:
    graph = read({"op_list": [op_entry(folder, "add"), op_entry(folder, "add")]})
    assert [task.name for task in graph.kernels] == ["add_0", "add_1"]


def test_events_stand_around_their_operator(folder: Path) -> None:
    entries = [
        op_entry(folder, "add", send_event_list=[100, 101]),
        op_entry(folder, "mul", stream_id=1, recv_event_list=[100], send_event_list=[7]),
    ]
    tasks = read({"op_list": entries}).tasks
    words = [
        f"wait {task.event}" if isinstance(task, EventWait)
        else f"record {task.event}" if isinstance(task, EventRecord)
        else task.name if isinstance(task, KernelTask) else "?"
        for task in tasks
    ]  # fmt: skip
    assert words == ["add_0", "record 100", "record 101", "wait 100", "mul_1", "record 7"]
    assert [task.id for task in tasks] == list(range(6))
    assert [task.stream for task in tasks] == [-1, -1, -1, 1, 1, 1]


def test_options_and_name_belong_to_the_only_scope(folder: Path) -> None:
    data = {"op_list": [op_entry(folder, "add")], "super_kernel_options": "split-mode=1", "kernel_name": "te_sk"}
    graph = read(data)
    (scope,) = graph.scopes
    assert (scope.name, scope.options) == ("te_sk", "split-mode=1")
    assert "super_kernel_options" in scope.where
    assert graph.name == "te_sk"


@pytest.mark.parametrize("given_options", [None, ""])
def test_no_options_are_allowed(folder: Path, given_options: str | None) -> None:
    assert read({"op_list": [op_entry(folder, "add")], "super_kernel_options": given_options}).scopes[0].name


def test_a_json_file_counts_its_paths_from_its_own_folder(folder: Path) -> None:
    path = folder / "input.json"
    path.write_text(json.dumps({"op_list": [{"json_path": "add.json", "bin_path": "add.o"}]}))
    graph = collect_ops(path, Request(target()))
    assert graph is not None
    assert graph.kernels[0].where == f"{path}: op_list[0]"


@pytest.mark.parametrize("source", [{"ops": []}, Path("graph.yaml"), "op_list", 5, None])
def test_what_is_no_op_list_is_left_to_others(source: object) -> None:
    assert collect_ops(source, Request(target())) is None


def test_a_json_file_without_an_op_list_is_left_to_others(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"a": 1}')
    (tmp_path / "y.json").write_text("[1]")
    for name in ("x.json", "y.json"):
        assert collect_ops(tmp_path / name, Request(target())) is None


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"{", "is no JSON"),
        (b"", "is no JSON"),
        (b"\xff\xfe{}", "is no JSON"),
        (b"[" * 100_000, "is nested too deeply"),
    ],
    ids=["open", "empty", "bytes", "deep"],
)
def test_a_file_that_is_no_json_is_refused_with_its_name(tmp_path: Path, content: bytes, part: str) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=f"broken.json: {part}"):
        collect_ops(path, Request(target()))


def test_a_file_that_is_not_there_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.json: cannot be read: No such file"):
        collect_ops(tmp_path / "gone.json", Request(target()))


def test_all_faults_of_the_list_are_reported_with_their_paths(folder: Path) -> None:
    entries = [
        {"bin_path": "x.o"},
        op_entry(folder, "add", stream_id="one"),
        op_entry(folder, "add", task_type="static"),
        op_entry(folder, "add", sendlist=[1]),
        op_entry(folder, "add", recv_event_list=[1, "x"]),
    ]
    found = problems({"op_list": entries, "option": ""})
    text = "\n".join(found)
    assert len(found) == 6
    for path in (
        "op_list[0].json_path", "op_list[1].stream_id", "op_list[2].task_type", "op_list[3].sendlist",
        "op_list[4].recv_event_list[1]", "option",
    ):  # fmt: skip
        assert f"input: {path}: " in text
    assert "unknown key 'sendlist'" in text
    assert "unknown key 'option'" in text


def test_d17_an_entry_without_json_path_is_reported_up_front(folder: Path) -> None:
    (problem,) = problems({"op_list": [op_entry(folder, "add"), {"bin_path": str(folder / "mul.o")}]})
    assert problem.startswith("input: op_list[1].json_path: ")


@pytest.mark.parametrize("value", [None, "", 5, {}])
def test_an_op_list_that_is_no_list_is_refused(value: object) -> None:
    assert "op_list" in problems({"op_list": value})[0]


def test_an_empty_list_is_refused() -> None:
    assert problems({"op_list": []}) == ["input: op_list: is empty (give it at least one operator)"]


def test_faults_of_several_kernels_come_together_with_their_places(folder: Path) -> None:
    (folder / "mul.o").unlink()
    write_kernel(folder, "bad", blockDim=None, kernelName=5)
    entries = [op_entry(folder, name) for name in ("mul", "add", "bad", "gone")]
    found = problems({"op_list": entries})
    assert [problem.split(": ")[1] for problem in found] == ["op_list[0]", "op_list[2]", "op_list[2]", "op_list[3]"]
    assert "mul.o: cannot be read" in found[0]
    assert "check bin_path" in found[0]
    assert "kernelName" in found[1]
    assert "blockDim" in found[2]
    assert "gone.json: cannot be read" in found[3]
    assert "check json_path" in found[3]


@pytest.mark.parametrize("name", ["", "1x", "a b", "te-sk", "../../x", "x;"])
def test_a_name_that_no_function_and_no_file_can_have_is_refused(folder: Path, name: str) -> None:
    (problem,) = problems({"op_list": [op_entry(folder, "add")], "kernel_name": name})
    assert problem.startswith("input: kernel_name")


# Hostile input: whatever is in the documents, only InputError comes out.


@given(st.data())
@settings(max_examples=100)
def test_a_damaged_list_never_escapes_as_another_error(data: st.DataObject) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_kernel(folder, "add")
        document = {
            "op_list": [op_entry(folder, "add", stream_id=1, task_type="normal", send_event_list=[1])],
            "super_kernel_options": "split-mode=4",
            "kernel_name": "sk",
        }
        path = folder / "input.json"
        path.write_text(json.dumps(mutated(data, document)))
        with accepted_or_refused():
            collect_ops(path, Request(target()))


@pytest.mark.parametrize("dynamic", [False, True])
@given(data=st.data())
@settings(max_examples=100)
def test_damaged_metadata_never_escapes_as_another_error(dynamic: bool, data: st.DataObject) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        facts = write_kernel(folder, "add", "KERNEL_TYPE_MIX_AIC_1_1", split_mode=2)
        if dynamic:
            both = {"kernel_type": "KERNEL_TYPE_MIX_AIC_1_1", "dav-c220-cube": "a", "dav-c220-vec": "b"}
            facts["sub_operator_kernel_name"]["dynamic_func_names"] = {"2": both, "10": dict(both)}
        (folder / "add.json").write_text(json.dumps(mutated(data, facts)))
        entry = op_entry(folder, "add", task_type="dynamic" if dynamic else "normal")
        with accepted_or_refused():
            read({"op_list": [entry]})


@given(st.data())
@settings(max_examples=150)
def test_a_damaged_object_never_escapes_as_another_error(data: st.DataObject) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_kernel(folder, "add", split_mode=2)
        content = bytearray((folder / "add.o").read_bytes())
        for _ in range(data.draw(st.integers(1, 4))):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        cut = data.draw(st.integers(0, len(content)))
        (folder / "add.o").write_bytes(content[:cut] if data.draw(st.booleans()) else content)
        with accepted_or_refused():
            read({"op_list": [op_entry(folder, "add")]})
