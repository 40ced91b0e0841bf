# Licensed under the Apache License, Version 2.0.
"""Operators whose tiling is decided on the device: the key chooses the code, the block count bounds it."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import pytest

from skcore.build.elf import read_object
from skcore.build.process import run_tool
from skcore.build.unit import KernelUnit
from skcore.errors import RunError
from skcore.graph.kernel import CodeCopy, CoreKind, KernelSource, KernelType, PerKind, SubKernel, TilingVariant
from skcore.graph.task import BufferArgument, KernelTask, Scope
from skcore.graph.taskgraph import Buffer, ScopeSettings, TaskGraph
from skcore.plan.steps import CallSelected
from skcore.run.verify import verify
from skcore.session import Session
from tests.e2e.chains import ARCHS, KERNELS, session_for

VARIANTS = {3: 5, 40: 11}
"""Shift of the rotation by tiling key."""


def variants_of(
    session: Session,
    folder: Path,
    name: str,
    macro: str,
    kernel_type: KernelType,
    more_macros: tuple[str, ...] = (),
    parameters: tuple[str, ...] = ("x", "y"),
) -> SubKernel:
    """A kernel of a source with two variants in one object, as a tiling-sink build gives it."""
    path = KERNELS / f"{name}.cpp"
    objects = []
    tiling = []
    for key, value in VARIANTS.items():
        source = KernelSource(path, path.read_text(), name, ((macro, str(value)),))
        symbols = symbols_of(f"{name}_{kernel_type.name.lower()}_key{key}", kernel_type)
        kernel = SubKernel(f"{name}_key{key}", kernel_type, 1, symbols, parameters, source=source)
        macros = ("__ASCENDC_ENABLE_SUPER_KERNEL__", "__SUPER_KERNEL_DYNAMIC_BLOCK_NUM__", *more_macros)
        macros = (*macros, "__MIX_CORE_MACRO__=1") if len(kernel_type.kinds) > 1 else macros
        unit = KernelUnit(kernel, source, symbols, macros)
        artifact = session.plugins.hook.compile_binary(unit=unit, target=session.target, toolchain="twin")
        objects += [artifact.file(kind.value) for kind in kernel_type.kinds]
        tiling.append(TilingVariant(key, kernel_type, symbols))
    merged = folder / f"{name}_{kernel_type.name.lower()}.o"
    run_tool(["ld", "-r", "-o", merged, *objects], what="merging the variants")
    data = merged.read_bytes()
    first = next(symbol for _, symbol in tiling[0].symbols if symbol is not None)
    code = CodeCopy(first, merged.name, data, read_object(data, merged.name).text_bytes)
    return SubKernel(
        name,
        kernel_type,
        24 if CoreKind.AIC in kernel_type.kinds else 48,
        PerKind(None, None),
        parameters,
        code=PerKind.of(lambda kind: (code,) if kind in kernel_type.kinds else ()),
        tiling=tuple(tiling),
    )


def symbols_of(name: str, kernel_type: KernelType) -> PerKind[str | None]:
    return PerKind.of(lambda kind: f"{name}_{kind.value}" if kind in kernel_type.kinds else None)


def tiled_kernel(session: Session, folder: Path) -> SubKernel:
    """A vector kernel that moves what it reads, by 5 for key 3 and by 11 for key 40."""
    return variants_of(session, folder, "rotate", "SHIFT", KernelType.AIV_ONLY)


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


@pytest.mark.parametrize("arch", ARCHS)
def test_d02_a_full_synchronisation_on_the_blocks_of_the_device_is_fed_by_the_other_cores(
    arch: str, tmp_path: Path
) -> None:
    session = session_for(arch)
    feeding = ("__ASCENDC_SUPERKERNEL_AUTO_SYNC_ALL__",)
    names = ("x", "y", "workspace")
    kernel = variants_of(session, tmp_path, "total", "VARIANT", KernelType.MIX_AIV_1_0, feeding, names)
    kernel = replace(kernel, full_sync=True, workspace_bytes=64 * 48)
    fused = session.fuse(graph_of(kernel, [(3, 4), (40, 16), (3, 1)]), overrides=["feed-sync-all=1"])
    calls = [step for step in fused.plans[0].programs.aiv if isinstance(step, CallSelected)]
    assert [step.fed for step in calls] == [True] * 3
    (comparison,) = verify(session, fused, range(4))
    assert comparison.equal


# Who runs, and when: spec jit §16.1 D10 and §16.2

LINE_WORDS = 16
AIV_LINES = 64


def marks_graph(runs: list[tuple[SubKernel, int, int, int]], options: str = "") -> TaskGraph:
    """Operators that leave marks, each with its tiling key, block count and stream, and a buffer of its own."""
    buffers = [Buffer("nothing", (16,), "uint32")]
    tasks = []
    for number, (kernel, key, blocks, stream) in enumerate(runs):
        buffers.append(Buffer(f"y{number}", (LINE_WORDS * 3 * AIV_LINES,), "uint32"))
        tasks.append(
            KernelTask(
                id=number,
                name=f"mark_{number}",
                stream=stream,
                scopes=(Scope("marks"),),
                where=f"here:{number}",
                kernel=replace(kernel, writes=("y",)),
                arguments=(("x", BufferArgument("nothing")), ("y", BufferArgument(f"y{number}"))),
                attributes=(("tiling-key", str(key)), ("block-num", str(blocks))),
            )
        )
    settings = (ScopeSettings("marks", options, "options"),)
    outputs = tuple(f"y{number}" for number in range(len(runs)))
    return TaskGraph("marks", tuple(tasks), tuple(buffers), settings, outputs=outputs, whole=True)


def marks_of(data: bytes) -> dict[int, tuple[int, int]]:
    """The mark and the block count of each line that some core wrote."""
    words = struct.unpack(f"<{len(data) // 4}I", data)
    lines = {line: words[line * LINE_WORDS : line * LINE_WORDS + 2] for line in range(len(words) // LINE_WORDS)}
    return {line: (mark, blocks) for line, (mark, blocks) in lines.items() if mark}


def lines_of(kernel_type: KernelType, blocks: int) -> list[int]:
    cores = kernel_type.cores(blocks)
    return [*range(cores.aic), *range(AIV_LINES, AIV_LINES + cores.aiv)]


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("kernel_type", KernelType, ids=lambda kernel_type: kernel_type.name)
def test_only_as_many_cores_run_an_operator_as_the_device_says(
    arch: str, kernel_type: KernelType, tmp_path: Path
) -> None:
    session = session_for(arch)
    kernel = variants_of(session, tmp_path, "mark", "MARK", kernel_type)
    fused = session.fuse(marks_graph([(kernel, 3, 1, 0), (kernel, 40, 5, 0)]))
    found = session.run(session.fused_program(fused)).buffers
    assert fused.plans[0].shape.blocks > 5
    assert marks_of(found["y0"]) == dict.fromkeys(lines_of(kernel_type, 1), (VARIANTS[3], 1))
    assert marks_of(found["y1"]) == dict.fromkeys(lines_of(kernel_type, 5), (VARIANTS[40], 5))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize(
    "types",
    [
        (KernelType.MIX_AIV_1_0,),
        (KernelType.MIX_AIC_1_0,),
        (KernelType.AIV_ONLY, KernelType.AIC_ONLY),
        (KernelType.AIC_ONLY, KernelType.MIX_AIC_1_2, KernelType.AIV_ONLY),
    ],
    ids=lambda types: " ".join(kernel_type.name for kernel_type in types),
)
def test_d10_operators_of_several_streams_run_when_their_tiling_is_there(
    arch: str, types: tuple[KernelType, ...], tmp_path: Path
) -> None:
    session = session_for(arch)
    kernels = [variants_of(session, tmp_path, "mark", "MARK", each) for each in types]
    runs = [(kernel, 40, 7, stream) for stream, kernel in enumerate(kernels)]
    fused = session.fuse(
        marks_graph([*runs, *((kernel, 3, 2, stream) for kernel, _, _, stream in runs)], "stream-fusion=1")
    )
    (plan,) = fused.plans
    assert len(plan.group.operators) == 2 * len(types)
    program = session.fused_program(fused)
    for seed in range(4):
        found = session.run(program.with_seed(seed)).buffers
        for number, each in enumerate((*types, *types)):
            mark, blocks = (VARIANTS[40], 7) if number < len(types) else (VARIANTS[3], 2)
            assert marks_of(found[f"y{number}"]) == dict.fromkeys(lines_of(each, blocks), (mark, blocks))


@pytest.mark.parametrize("arch", ARCHS)
def test_a_key_that_is_not_the_only_one_of_the_table_stops_the_run(arch: str, tmp_path: Path) -> None:
    session = session_for(arch)
    kernel = variants_of(session, tmp_path, "mark", "MARK", KernelType.AIV_ONLY)
    single = replace(kernel, tiling=kernel.tiling[:1])
    fused = session.fuse(marks_graph([(single, 40, 8, 0)], "split-mode=1"))
    with pytest.raises(RunError) as caught:
        session.run(session.fused_program(fused))
    assert caught.value.details["check"] == "trap"
    assert "select the code of mark_0" in str(caught.value)


@pytest.mark.parametrize("arch", ARCHS)
def test_the_locks_of_the_tilings_are_zero_after_the_run(arch: str, tmp_path: Path) -> None:
    session = session_for(arch)
    kernels = [
        variants_of(session, tmp_path, "mark", "MARK", each) for each in (KernelType.AIC_ONLY, KernelType.AIV_ONLY)
    ]
    fused = session.fuse(
        marks_graph([(kernel, 3, 2, stream) for stream, kernel in enumerate(kernels)], "stream-fusion=1")
    )
    found = session.run(session.fused_program(fused)).buffers
    locks = {name: data for name, data in found.items() if name.endswith("tiling-lock")}
    assert len(locks) == 2
    assert set(locks.values()) == {bytes(8)}
