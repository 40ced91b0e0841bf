# Licensed under the Apache License, Version 2.0.
"""Operators whose tiling is decided on the device: the key chooses the code, the block count bounds it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from skcore.build.elf import read_object
from skcore.build.process import run_tool
from skcore.build.unit import KernelUnit
from skcore.errors import RunError
from skcore.graph.kernel import CodeCopy, CoreKind, KernelSource, KernelType, PerKind, SubKernel, TilingVariant
from skcore.graph.task import BufferArgument, KernelTask, Scope
from skcore.graph.taskgraph import Buffer, TaskGraph
from skcore.run.verify import verify
from skcore.session import Session
from tests.e2e.chains import ARCHS, KERNELS, session_for

VARIANTS = {3: 5, 40: 11}
"""Shift of the rotation by tiling key."""


def tiled_kernel(session: Session, folder: Path) -> SubKernel:
    """A kernel with two variants in one object, as a tiling-sink build gives it."""
    path = KERNELS / "rotate.cpp"
    objects = []
    for key, shift in VARIANTS.items():
        source = KernelSource(path, path.read_text(), "rotate", (("SHIFT", str(shift)),))
        symbols: PerKind[str | None] = PerKind(None, f"rotate_key{key}")
        kernel = SubKernel(f"rotate_key{key}", KernelType.AIV_ONLY, 48, symbols, ("x", "y"), source=source)
        macros = ("__ASCENDC_ENABLE_SUPER_KERNEL__", "__SUPER_KERNEL_DYNAMIC_BLOCK_NUM__")
        unit = KernelUnit(kernel, source, symbols, macros)
        artifact = session.plugins.hook.compile_binary(unit=unit, target=session.target, toolchain="twin")
        objects.append(artifact.file("aiv"))
    merged = folder / "rotate.o"
    run_tool(["ld", "-r", "-o", merged, *objects], what="merging the variants")
    data = merged.read_bytes()
    code = CodeCopy(f"rotate_key{min(VARIANTS)}", "rotate.o", data, read_object(data, "rotate.o").text_bytes)
    tiling = tuple(TilingVariant(key, KernelType.AIV_ONLY, PerKind(None, f"rotate_key{key}")) for key in VARIANTS)
    return SubKernel(
        "rotate", KernelType.AIV_ONLY, 48, PerKind(None, None), ("x", "y"), code=PerKind((), (code,)), tiling=tiling
    )


def graph_of(kernel: SubKernel, runs: list[tuple[int, int]]) -> TaskGraph:
    """A chain of runs of the kernel, each with a tiling key and a block count."""
    size = (4096,)
    buffers = [Buffer("b0", size, "float32", {"random": {"seed": 1}})]
    tasks = []
    for number, (key, blocks) in enumerate(runs):
        buffers.append(Buffer(f"b{number + 1}", size, "float32"))
        tasks.append(
            KernelTask(
                id=number,
                name=f"rotate_{number}",
                scopes=(Scope("tiled"),),
                where=f"here:{number}",
                kernel=replace(kernel, writes=("y",)),
                arguments=(("x", BufferArgument(f"b{number}")), ("y", BufferArgument(f"b{number + 1}"))),
                attributes=(("tiling-key", str(key)), ("block-num", str(blocks))),
            )
        )
    return TaskGraph("tiled", tuple(tasks), tuple(buffers), outputs=(f"b{len(runs)}",), whole=True)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("options", [[], ["split-mode=1"], ["feed-sync-all=1", "profiling=1"]], ids=str)
def test_keys_and_block_counts_of_the_device_give_the_bytes_of_the_unfused_form(
    arch: str, options: list[str], tmp_path: Path
) -> None:
    session = session_for(arch)
    graph = graph_of(tiled_kernel(session, tmp_path), [(3, 48), (40, 5), (3, 1), (40, 17)])
    fused = session.fuse(graph, overrides=options)
    assert [len(plan.group.operators) for plan in fused.plans] == [4]
    (comparison,) = verify(session, fused, range(8))
    assert comparison.equal


@pytest.mark.parametrize("arch", ARCHS)
def test_a_key_that_the_operator_does_not_know_stops_the_run_and_names_the_step(arch: str, tmp_path: Path) -> None:
    session = session_for(arch)
    fused = session.fuse(graph_of(tiled_kernel(session, tmp_path), [(3, 8), (41, 8)]))
    with pytest.raises(RunError) as caught:
        session.run(session.fused_program(fused))
    assert caught.value.details["check"] == "trap"
    assert "select the code of rotate_1" in str(caught.value)


@pytest.mark.parametrize("arch", ARCHS)
def test_only_the_first_core_polls_for_the_tiling(arch: str, tmp_path: Path) -> None:
    session = session_for(arch)
    fused = session.fuse(graph_of(tiled_kernel(session, tmp_path), [(3, 8)]))
    assert fused.plans[0].shape.cores[CoreKind.AIV] == 48
    program = session.fused_program(fused)
    words = {name: bytes(8) if name.endswith("tiling-lock") else data for name, data in program.inputs.buffers.items()}
    with pytest.raises(RunError) as caught:
        session.run(replace(program, inputs=replace(program.inputs, buffers=words)))
    polling = [core for core in caught.value.details["cores"] if core["state"] == "polling"]
    assert len(polling) == 1
    assert "wait for the tiling of rotate_0" in str(caught.value)
