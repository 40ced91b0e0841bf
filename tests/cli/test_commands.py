# Licensed under the Apache License, Version 2.0.
"""The command line: what it prints, and its exit codes (design §11). Nothing is compiled here."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from skcore import __version__
from skcore.cli import main
from skcore.options import option_table
from skcore.plugin.manager import installed_entry_points
from tests.builders import op_entry, write_kernel

GRAPH = """\
version: 1
name: demo
buffers:
  x: {shape: [64], dtype: float16}
kernels:
  narrow: {source: k.cpp, type: aiv_only, blocks: 4, parameters: [x], full_sync: true}
  wide: {source: k.cpp, type: mix_aic_1_2, blocks: 8, parameters: [x]}
tasks:
  - {kernel: wide, name: first, scope: s}
  - {kernel: wide, name: second, scope: s}
  - {kernel: narrow, name: third, scope: s}
  - {other: copy, scope: s}
  - {kernel: wide, name: last}
"""


@dataclass(frozen=True)
class Done:
    """How a command ended and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Done]


@pytest.fixture
def skcore(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["skcore", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return run


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    (tmp_path / "k.cpp").write_text("// kernel\n")
    path = tmp_path / "graph.yaml"
    path.write_text(GRAPH)
    return path


ARCH = ("--npu-arch", "dav-2201")


def test_plan_tells_what_fuses_as_json(skcore: Run, graph: Path) -> None:
    done = skcore("plan", graph, *ARCH, "--json")
    assert (done.code, done.err) == (0, "")
    data = done.data
    assert (data["graph"], data["launches_before"], data["launches_after"]) == ("demo", 4, 3)
    first, second = data["super_kernels"]
    assert [operator["name"] for operator in first["operators"]] == ["first", "second"]
    assert [operator["name"] for operator in second["operators"]] == ["third"]
    assert (first["kernel_type"], first["blocks"], first["aic_cores"], first["aiv_cores"]) == ("MIX_AIC_1_2", 8, 8, 16)
    assert first["operators"][0]["where"] == f"{graph}:9"
    assert set(first["programs"]) == {"aic", "aiv"}
    assert all({"step", "text"} == set(step) for step in first["programs"]["aiv"])
    assert [word["index"] for word in first["argument_words"]] == list(range(first["arguments"]))
    assert first["options"]["split-mode"] == "4"


def test_plan_gives_the_reason_and_the_remedy_of_everything_left_out(skcore: Run, graph: Path) -> None:
    data = skcore("plan", graph, *ARCH, "--json").data
    assert [(item["task"], item["key"], item["scope"]) for item in data["left_out"]] == [
        ("copy", "not-a-kernel", "s"), ("last", "not-in-scope", None),
    ]  # fmt: skip
    (cut,) = data["cuts"]
    assert (cut["before"], cut["key"], cut["causes"]) == ("third", "full-sync-cores", ["third"])
    assert all(item["remedy"] for item in (*data["left_out"], *data["cuts"]))


def test_plan_shows_text_for_people(skcore: Run, graph: Path) -> None:
    done = skcore("plan", graph, *ARCH)
    assert done.code == 0
    for part in (
        "sk_s_0: 2 operators, MIX_AIC_1_2, 8 blocks",
        "not fused:",
        "copy (not-a-kernel)",
        "launches: 4 before",
    ):
        assert part in done.out


def test_plan_shows_steps_and_source_only_when_asked(skcore: Run, graph: Path) -> None:
    assert "call first" not in skcore("plan", graph, *ARCH).out
    assert "call first on block index < 8" in skcore("plan", graph, *ARCH, "--steps").out
    with_source = skcore("plan", graph, *ARCH, "--source", "--json").data
    assert all("auto_gen_sk_s_" in kernel["source"] for kernel in with_source["super_kernels"])


def test_an_option_on_the_command_line_reaches_every_scope(skcore: Run, graph: Path) -> None:
    data = skcore("plan", graph, *ARCH, "-O", "feed-sync-all=1", "--option", "profiling=1", "--json").data
    (kernel,) = data["super_kernels"]
    assert kernel["workspace_bytes"] == 8192
    assert data["cuts"] == []


def test_the_same_command_prints_the_same(skcore: Run, graph: Path) -> None:
    arguments = ("plan", graph, *ARCH, "--json", "--source")
    assert skcore(*arguments).out == skcore(*arguments).out


def test_explain_gives_the_decisions(skcore: Run, graph: Path) -> None:
    done = skcore("explain", graph, *ARCH)
    assert done.code == 0
    assert "why sk_s_0 is as it is:" in done.out
    assert "shape: MIX_AIC_1_2 with 8 blocks" in done.out
    assert "set feed-sync-all=1" in done.out


def test_explain_one_operator_says_nothing_of_the_others(skcore: Run, graph: Path) -> None:
    data = skcore("explain", graph, *ARCH, "--operator", "third", "--json").data
    assert [kernel["name"] for kernel in data["super_kernels"]] == ["sk_s_1"]
    assert [cut["before"] for cut in data["cuts"]] == ["third"]
    assert data["left_out"] == []
    data = skcore("explain", graph, *ARCH, "--operator", "last", "--json").data
    assert data["super_kernels"] == []
    assert [item["task"] for item in data["left_out"]] == ["last"]


def test_explain_an_unknown_operator_names_the_nearest(skcore: Run, graph: Path) -> None:
    done = skcore("explain", graph, *ARCH, "--operator", "secnd")
    assert done.code == 2
    assert "did you mean 'second'?" in done.err


def test_options_lists_the_table(skcore: Run) -> None:
    data = skcore("options", "--json").data
    assert [entry["name"] for entry in data] == [entry.name for entry in option_table()]
    assert all(set(entry) >= {"name", "values", "default", "text"} for entry in data)
    text = skcore("options").out
    assert all(entry.name in text for entry in option_table())


def test_targets_lists_every_product(skcore: Run) -> None:
    data = {entry["npu_arch"]: entry for entry in skcore("targets", "--json").data}
    assert {"dav-2201", "dav-3510"} <= set(data)
    assert data["dav-2201"]["socs"]["Ascend910B3"] == {"aic": 20, "aiv": 40}
    assert all(entry["default_soc"] in entry["socs"] for entry in data.values())


def test_plugins_lists_the_built_in_and_the_installed_ones(skcore: Run) -> None:
    done = skcore("plugins", "--json")
    assert done.code == 0
    names = {entry["name"] for entry in done.data}
    assert {"op-list", "graph-file", "dav2201", "dav3510"} <= names
    assert all(entry["error"] is None for entry in done.data)


@dataclass(frozen=True)
class BrokenEntry:
    """An installed plug-in that cannot be imported."""

    name: str = "broken"
    value: str = "broken_plugin"

    @property
    def dist(self) -> SimpleNamespace:
        return SimpleNamespace(name="skcore-broken", version="9")

    def load(self) -> object:
        raise ImportError("No module named 'torch'")


def install(monkeypatch: pytest.MonkeyPatch, *entries: BrokenEntry) -> None:
    both = (*installed_entry_points(), *entries)
    monkeypatch.setattr("skcore.plugin.manager.installed_entry_points", lambda: both)


def test_a_broken_plug_in_is_listed_and_ends_with_one(skcore: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, BrokenEntry())
    done = skcore("plugins", "--json")
    assert done.code == 1
    errors = {entry["name"]: entry["error"] for entry in done.data if entry["error"]}
    assert errors == {"broken": "ImportError: No module named 'torch'"}
    assert "skcore-broken 9" in skcore("plugins").out
    assert skcore("doctor").code == 1


def test_a_broken_plug_in_does_not_stop_the_other_commands(
    skcore: Run, graph: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, BrokenEntry())
    done = skcore("plan", graph, *ARCH, "--json")
    assert done.code == 0
    assert done.data["super_kernels"]
    assert done.err.startswith("warning: plug-in broken of skcore-broken 9 did not load")


def test_a_clash_of_plug_in_names_ends_with_two_and_names_both(skcore: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, BrokenEntry(), BrokenEntry(value="other_plugin"))
    done = skcore("options")
    assert done.code == 2
    assert "broken_plugin" in done.err
    assert "other_plugin" in done.err


def test_doctor_tells_each_check(skcore: Run) -> None:
    done = skcore("doctor", "--json")
    assert done.code == int(not all(entry["ok"] for entry in done.data))
    assert {"targets"} <= {entry["check"] for entry in done.data}


def test_the_version_is_printed(skcore: Run) -> None:
    done = skcore("--version")
    assert (done.code, done.out) == (0, f"skcore {__version__}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("plan",), ("plan", "x.yaml"), ("no-such-command",), ("plan", "x.yaml", *ARCH, "--no-such-flag"),
        ("run", "x.yaml", *ARCH, "--seeds", "0"), ("run", "x.yaml", *ARCH, "--jobs", "zero"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_wrong_usage_ends_with_two(skcore: Run, arguments: tuple[str, ...]) -> None:
    done = skcore(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err


@pytest.mark.parametrize(
    ("edit", "arguments", "part"),
    [
        (None, ("--npu-arch", "dav-2202"), "did you mean 'dav-2201'?"),
        (None, (*ARCH, "--soc", "Ascend910b3"), "did you mean 'Ascend910B3'?"),
        (None, (*ARCH, "-O", "split-mod=1"), "did you mean 'split-mode'?"),
        (None, (*ARCH, "-O", "split-mode=0"), "a number from 1 to 64 is expected"),
        (None, (*ARCH, "-O", "split-mode"), "is not of the form name=value"),
        (("name: first", "nam: first"), ARCH, "graph.yaml:9: tasks[0].nam: unknown key 'nam'"),
        (("kernel: narrow", "kernel: narow"), ARCH, "did you mean 'narrow'?"),
        (("version: 1", "version: [1"), ARCH, "is no YAML"),
    ],
)
def test_wrong_input_ends_with_two_and_says_what_to_do(
    skcore: Run, graph: Path, edit: tuple[str, str] | None, arguments: tuple[str, ...], part: str
) -> None:
    if edit is not None:
        graph.write_text(GRAPH.replace(*edit))
    done = skcore("plan", graph, *arguments)
    assert (done.code, done.out) == (2, "")
    assert part in done.err
    assert done.err.startswith("error: ")
    assert "Traceback" not in done.err


@pytest.mark.parametrize("name", ["gone.yaml", "gone.json", "gone.txt"])
def test_a_file_that_is_not_there_ends_with_two(skcore: Run, tmp_path: Path, name: str) -> None:
    done = skcore("plan", tmp_path / name, *ARCH)
    assert done.code == 2
    assert f"{name}: there is no such file" in done.err


def test_an_input_that_nobody_knows_ends_with_two(skcore: Run, tmp_path: Path) -> None:
    (tmp_path / "graph.txt").write_text("x")
    done = skcore("plan", tmp_path / "graph.txt", *ARCH)
    assert done.code == 2
    assert "no front end knows this input" in done.err


def test_a_folder_as_input_ends_with_two(skcore: Run, tmp_path: Path) -> None:
    for name in ("a.yaml", "a.json", "a"):
        (tmp_path / name).mkdir()
        assert skcore("plan", tmp_path / name, *ARCH).code == 2


def test_all_problems_of_an_input_are_printed(skcore: Run, graph: Path) -> None:
    graph.write_text(GRAPH.replace("name: first", "nam: first").replace("dtype: float16", "dtype: half"))
    done = skcore("plan", graph, *ARCH)
    assert done.err.count("error: ") == 2


def op_list(folder: Path, **changes: Any) -> Path:
    write_kernel(folder, "add", **changes)
    write_kernel(folder, "mul", blockDim=8)
    path = folder / "input.json"
    path.write_text(json.dumps({"op_list": [op_entry(folder, "add"), op_entry(folder, "mul")]}))
    return path


def test_an_op_list_is_planned_as_one_super_kernel(skcore: Run, tmp_path: Path) -> None:
    data = skcore("plan", op_list(tmp_path), *ARCH, "--json").data
    assert (data["launches_before"], data["launches_after"]) == (2, 1)


def test_an_op_list_that_cannot_fuse_ends_with_one(skcore: Run, tmp_path: Path) -> None:
    done = skcore("plan", op_list(tmp_path, sub_op_with_sync_all=True), *ARCH)
    assert (done.code, done.out) == (1, "")
    assert "add_0 cannot fuse (full-sync-cores)" in done.err
    assert "set feed-sync-all=1" in done.err


def test_a_strict_scope_that_cannot_fuse_ends_with_one(skcore: Run, graph: Path) -> None:
    done = skcore("plan", graph, *ARCH, "-O", "strict-scope-check=abort")
    assert done.code == 1
    assert "graph.yaml:12" in done.err
    assert "copy cannot fuse" in done.err


def test_more_blocks_than_the_product_has_ends_with_one(skcore: Run, tmp_path: Path) -> None:
    done = skcore("plan", op_list(tmp_path, blockDim=49), *ARCH)
    assert done.code == 1
    assert "too-many-blocks" in done.err


def test_malformed_parts_of_options_are_warnings_and_with_strict_errors(skcore: Run, graph: Path) -> None:
    graph.write_text(GRAPH + 'scopes: {s: {options: "foo"}}\n')
    done = skcore("plan", graph, *ARCH)
    assert done.code == 0
    assert "warning: " in done.err
    assert "'foo'" in done.err
    assert skcore("plan", graph, *ARCH, "--strict").code == 2


def test_a_defect_ends_with_three_and_is_called_so(skcore: Run, graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("internal")

    monkeypatch.setattr("skcore.cli.plan.summarise", broken)
    done = skcore("plan", graph, *ARCH)
    assert done.code == 3
    assert "defect of skcore: RuntimeError: internal" in done.err


def test_brackets_in_names_are_no_markup(skcore: Run, graph: Path) -> None:
    graph.write_text(GRAPH.replace("name: first", 'name: "[red]first[/]"'))
    assert "[red]first[/]" in skcore("plan", graph, *ARCH, "--steps").out


def test_nothing_to_build_ends_with_one(skcore: Run, graph: Path, tmp_path: Path) -> None:
    graph.write_text(GRAPH.replace(", scope: s", ""))
    done = skcore("build", graph, *ARCH, "-o", tmp_path / "out", "--dry-run")
    assert done.code == 1
    assert "nothing fuses" in done.err
    assert not (tmp_path / "out").exists()


def test_an_unknown_toolchain_ends_with_two_and_says_what_to_install(skcore: Run, tmp_path: Path) -> None:
    done = skcore("build", op_list(tmp_path), *ARCH, "-o", tmp_path / "out", "--toolchain", "gcc-npu")
    assert done.code == 2
    assert "no toolchain 'gcc-npu' is installed" in done.err


def test_the_module_runs_as_a_program() -> None:
    done = subprocess.run([sys.executable, "-m", "skcore", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"skcore {__version__}\n"
