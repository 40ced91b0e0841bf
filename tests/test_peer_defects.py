# Licensed under the Apache License, Version 2.0.
"""The defects of the peer inside one stream (spec jit §16): one test each that shows the right behaviour."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from skcore.build.cache import write_atomically
from skcore.build.elf import read_object
from skcore.build.process import run_tool
from skcore.build.superkernel import superkernel_unit
from skcore.build.unit import Artifact
from skcore.cli import main
from skcore.emit.source import emit_source
from skcore.errors import InputError, ObjectError, OptionError, PlanError, SkcoreError, ToolError
from skcore.frontends.op_list import read_op_list
from skcore.fuse import FusedGraph
from skcore.graph.kernel import CacheCleaning, KernelType
from skcore.options import Options, PreloadMode, parse_options
from skcore.plan.layout import Role
from skcore.plan.steps import Await, Call, Channel, CleanCache, Signal
from skcore.session import Session
from tests.builders import (
    ARCHES,
    make_kernel,
    make_plan,
    make_tiled_kernel,
    op_entry,
    plugins,
    target,
    write_kernel,
)
from tests.simulator import simulate

AIC, AIV = KernelType.AIC_ONLY, KernelType.AIV_ONLY

TINY = """\
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void tiny(GM_ADDR x) {
    if (AscendC::GetBlockIdx() == 0) {
        ((__gm__ uint32_t *)x)[0] = VALUE;
    }
}
"""
GRAPH = """\
version: 1
name: demo
buffers:
  x: {shape: [16], dtype: uint32}
kernels:
  tiny: {source: tiny.cpp, type: aiv_only, blocks: 2, parameters: [x], writes: [x], definitions: {VALUE: 7}}
tasks:
  - {kernel: tiny, arguments: {x: x}, scope: s}
  - {kernel: tiny, arguments: {x: x}, scope: s}
outputs: [x]
"""


def test_d01_a_cube_operator_waits_for_a_vector_operator() -> None:
    for blocks in product([1, 3], repeat=2):
        plan = make_plan([make_kernel(AIV, blocks[0], "v"), make_kernel(AIC, blocks[1], "c")])
        simulate(plan)
    channel = Channel.AIV_TO_AIC
    assert [step for step in plan.programs.aic if isinstance(step, Await)] == [Await(channel)]
    assert [step for step in plan.programs.aiv if isinstance(step, Signal)] == [Signal(channel)]
    for arch in ARCHES:
        assert "SYNC_AIV_FLAG" in emit_source(plan, target(arch))


@pytest.mark.parametrize(("arch", "split"), list(product(ARCHES, (1, 4))))
def test_d02_an_operator_with_its_tiling_on_the_device_is_called_where_it_is_fed(arch: str, split: int) -> None:
    kernels = [make_tiled_kernel(blocks=48, full_sync=True), make_kernel(blocks=2)]
    options = Options(feed_sync_all=True, split_mode=split)
    source = emit_source(make_plan(kernels, options, arch), target(arch))
    call = r"\(\(void \(\*\)\(uint64_t\)\)code_0\)\(\d\);"
    fed = rf"index_0 < blocks_0\) \{{[^}}]*{call}\s*AscendC::SuperKernelAutoSyncAllEndImpl\(\);\s*\}} else \{{"
    assert len(re.findall(fed, source)) == len(re.findall(call, source)) == 1


@pytest.mark.parametrize("split", [1, 2, 4])
def test_d03_idle_cores_are_let_go_at_any_number_of_copies(split: int) -> None:
    kernels = [make_kernel(blocks=1, full_sync=True), make_kernel(blocks=2)]
    source = emit_source(make_plan(kernels, Options(feed_sync_all=True, split_mode=split)), target())
    assert source.count("SuperKernelAutoSyncAllEndImpl") == source.count("SuperKernelAutoSyncAllComplementImpl") == 1


def test_d04_cleaning_after_a_fed_operator_comes_after_its_whole_form() -> None:
    fed = make_kernel(blocks=1, full_sync=True, cleaning=CacheCleaning(after=True))
    plan = make_plan([fed, make_kernel(blocks=2)], Options(feed_sync_all=True))
    source = emit_source(plan, target())
    cleaning = source.index("ENTIRE_DATA_CACHE")
    assert source.index("ComplementImpl") < cleaning
    assert not re.search(r"dcci[^}]*else", source[cleaning - 60 :])


@pytest.mark.parametrize("arch", ARCHES)
def test_d05_workspace_and_profiling_have_words_of_their_own(arch: str) -> None:
    plan = make_plan([make_kernel(), make_kernel()], Options(feed_sync_all=True, profiling=True), arch)
    words = [plan.layout.index(role) for role in (Role.WORKSPACE, Role.PROFILING, Role.TASK_ID)]
    first = len(target(arch).argument_head) + 6
    assert words == [first, first + 1, first + 2]


def test_d07_a_shorter_file_leaves_nothing_of_a_longer_one(tmp_path: Path) -> None:
    path = tmp_path / "kernel.cpp"
    write_atomically(path, "a long text " * 100)
    write_atomically(path, "short")
    assert path.read_text() == "short"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("mode", PreloadMode)
def test_d11_preload_cleans_no_cache(mode: PreloadMode) -> None:
    kernels = [make_kernel(name=name, cleaning=CacheCleaning(before=True, after=True)) for name in "abc"]
    steps = list(make_plan(kernels, Options(preload_code=mode)).programs.aiv)
    assert [type(step) for step in steps if isinstance(step, Call | CleanCache)] == [CleanCache, Call, CleanCache] * 3


def test_d12_every_refusal_is_an_error_of_ours_that_names_its_problems(tmp_path: Path) -> None:
    write_kernel(tmp_path, "k", sub_operator_kernel_type="KERNEL_TYPE_X", blockDim=1)
    (tmp_path / "k.o").write_bytes(b"no object")
    refusals: list[tuple[type[SkcoreError], Callable[[], object]]] = [
        (OptionError, lambda: parse_options("func-align=3")),
        (InputError, lambda: read_op_list({"op_list": [op_entry(tmp_path, "k")]}, target(), "here")),
        (PlanError, lambda: make_plan([make_kernel(supports_fusion=False)])),
        (ObjectError, lambda: read_object(b"no object", "k.o")),
        (ToolError, lambda: run_tool(["no-such-tool"], what="linking")),
    ]
    for kind, refuse in refusals:
        with pytest.raises(kind) as raised:
            refuse()
        assert isinstance(raised.value, SkcoreError)
        assert str(raised.value)
        if isinstance(raised.value, InputError):
            assert all(problem.where and problem.what for problem in raised.value.problems)


@pytest.mark.parametrize("program", ["exit(1)", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"])
def test_d13_a_tool_that_fails_is_an_error(program: str) -> None:
    with pytest.raises(ToolError, match=r"copying add\.o failed"):
        run_tool([sys.executable, "-c", program], what="copying add.o")


@pytest.mark.parametrize("kernel_type", KernelType, ids=lambda kernel_type: kernel_type.name)
def test_d15_any_number_of_copies_is_built_as_it_is_called(kernel_type: KernelType) -> None:
    every = kernel_type is KernelType.MIX_AIC_1_2
    for split in range(1, 65) if every else (1, 2, 3, 4, 5, 17, 63, 64):
        plan = make_plan([make_kernel(kernel_type, name="k"), make_kernel(AIV, name="v")], Options(split_mode=split))
        unit = superkernel_unit(plan, target())
        for kind, copies in unit.objects:
            called = {symbol for step in plan.programs[kind] if isinstance(step, Call) for symbol in step.symbols}
            assert {copy.symbol for copy in copies} == called
            if split in (1, 2, 64):
                assert all(copy.symbol in read_object(copy.data, copy.label).exports for copy in copies)
        declared = set(re.findall(r'^extern "C" __aicore__ void (\w+)\(', unit.source, re.M))
        assert declared == set(unit.local)
        assert len(declared) == split * (len(kernel_type.kinds) + 1)


def test_d17_an_entry_without_its_json_is_reported_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape("op_list[1].json_path")):
        read_op_list({"op_list": [op_entry(tmp_path, "not-written"), {"bin_path": "x.o"}]}, target(), "here")


# With the twin's compiler


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("SKCORE_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "tiny.cpp").write_text(TINY)
    (tmp_path / "graph.yaml").write_text(GRAPH)
    return Session(plugins(), target(), "twin", jobs=1)


def fused(session: Session, folder: Path, *overrides: str) -> FusedGraph:
    return session.fuse(session.read(folder / "graph.yaml"), overrides=overrides)


def built(session: Session, folder: Path, *overrides: str) -> Artifact:
    return session.build(fused(session, folder, *overrides))["sk_s"]


def test_d13_a_kernel_that_does_not_compile_is_an_error_with_the_compilers_words(
    session: Session, tmp_path: Path
) -> None:
    (tmp_path / "tiny.cpp").write_text(TINY.replace("VALUE", "no_such_name"))
    with pytest.raises(ToolError, match=r"(?s)compiling tiny.cpp.*no_such_name"):
        built(session, tmp_path)
    # D14: nothing half-made is left behind either.
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file() and path.suffix in (".o", ".cpp")]


def test_d14_a_build_leaves_no_temporary_files(session: Session, tmp_path: Path) -> None:
    before = set(tmp_path.iterdir()) | {tmp_path / "cache"}
    artifact = built(session, tmp_path)
    assert set(tmp_path.iterdir()) == before
    assert list((tmp_path / "cache" / "twin" / "work").iterdir()) == []
    listed = {path for _, path in artifact.files} | {artifact.files[0][1].parent / "manifest.json"}
    assert set(artifact.files[0][1].parent.iterdir()) == listed


def test_d16_the_digest_of_the_record_is_that_of_the_bytes_on_disk(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = [
        "build",
        str(tmp_path / "graph.yaml"),
        "--npu-arch",
        "dav-2201",
        "-o",
        str(tmp_path / "out"),
        "-j",
        "1",
    ]
    monkeypatch.setattr(sys, "argv", ["skcore", *arguments])
    with pytest.raises(SystemExit) as stop:
        main()
    assert not stop.value.code
    record = json.loads((tmp_path / "out" / "sk_s.json").read_text())
    (binary,) = [path for path in (tmp_path / "out").iterdir() if path.suffix == ".so"]
    assert record["sha256"] == hashlib.sha256(binary.read_bytes()).hexdigest()


def test_d19_whatever_changes_the_binary_changes_its_place_in_the_cache(session: Session, tmp_path: Path) -> None:
    first = built(session, tmp_path)
    again = built(session, tmp_path)
    assert again == first
    places = {first.file("binary")}
    for override in ("split-mode=1", "profiling=1", "feed-sync-all=1"):
        places.add(built(session, tmp_path, override).file("binary"))
    assert len(places) == 4
    (tmp_path / "graph.yaml").write_text(GRAPH.replace("VALUE: 7", "VALUE: 8"))
    other = built(session, tmp_path)
    assert other.file("binary") not in places
    # The name alone is the same for all of them.
    assert other.name == first.name
