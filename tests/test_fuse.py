# Licensed under the Apache License, Version 2.0.
"""Fuse: from a task graph to a task graph with SuperKernels in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pluggy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skcore.errors import InputError, OptionError, PlanError, Problem
from skcore.fuse import FusedGraph, find_kernels, fuse
from skcore.graph.kernel import CodeCopy, KernelSource, PerKind, SubKernel
from skcore.graph.task import EventWait, KernelTask, OtherTask, Scope, Task, describe
from skcore.options import Options
from skcore.plan.plan import Plan
from skcore.plugin import Plugins, hookimpl
from skcore.plugin.spec import PROJECT, Hooks
from skcore.target import Target
from tests.builders import kernels, make_graph, make_kernel, make_task, plugins, target


def run(tasks: Sequence[Task], options: dict[str, str] | None = None, overrides: Sequence[str] = ()) -> FusedGraph:
    return fuse(make_graph(tasks, options), target(), plugins(), overrides=overrides)


def shown(fused: FusedGraph) -> list[str]:
    return [
        f"{item.name}({' '.join(op.name for op in item.group.operators)})" if isinstance(item, Plan) else describe(item)
        for item in fused.items
    ]


def source_kernel(name: str = "add") -> SubKernel:
    source = KernelSource(Path(f"/nowhere/{name}.cpp"), "// text", f"{name}_kernel")
    return replace(make_kernel(compiled=False, name=name), source=source, op_type=name, symbols=PerKind(None, None))


def test_a_plan_stands_where_its_first_operator_stood() -> None:
    tasks: list[Task] = [make_task(0, make_kernel(), ""), make_task(1, make_kernel()), make_task(2, make_kernel())]
    fused = run([*tasks, OtherTask(id=3, name="copy"), make_task(4, make_kernel())])
    assert shown(fused) == ["K0", "sk_s_0(K1 K2)", "copy", "sk_s_1(K4)"]


@given(st.lists(kernels(), max_size=8), st.data())
def test_nothing_is_lost_and_nothing_comes_twice(run_of: list[SubKernel], data: st.DataObject) -> None:
    scopes = [data.draw(st.sampled_from(["a", "b", "", None])) for _ in run_of]
    tasks = [
        make_task(number, kernel, scope) for number, (kernel, scope) in enumerate(zip(run_of, scopes, strict=True))
    ]
    fused = run(tasks, {"a": "feed-sync-all=1"})
    ids = []
    for item in fused.items:
        ids += [op.task.id for op in item.group.operators] if isinstance(item, Plan) else [item.id]
    assert ids == list(range(len(tasks)))
    assert fused.plans == tuple(item for item in fused.items if isinstance(item, Plan))


def test_each_scope_has_its_own_options_and_an_override_reaches_all() -> None:
    tasks = [make_task(0, make_kernel(), "a"), make_task(1, make_kernel(), "b"), make_task(2, make_kernel(), "c")]
    plans = run(tasks, {"a": "split-mode=1", "b": "split-mode=2"}, ["profiling=1"]).plans
    assert [plan.group.options.split_mode for plan in plans[:2]] == [1, 2]
    assert all(plan.group.options.profiling for plan in plans[:2])


def test_an_override_reaches_a_scope_that_has_no_options_of_its_own() -> None:
    (plan,) = run([make_task(0, make_kernel(), "c")], {}, ["split-mode=1"]).plans
    assert plan.group.options.split_mode == 1


def test_faults_in_the_options_of_all_scopes_come_together() -> None:
    with pytest.raises(OptionError) as raised:
        run([make_task(0, make_kernel(), "a")], {"a": "split-mode=0", "b": "foo=1", "c": "profiling=1"})
    assert [problem.where for problem in raised.value.problems] == ["scope a", "scope b"]


def test_warnings_about_options_are_kept() -> None:
    fused = run([make_task(0, make_kernel(), "a")], {"a": "option_xxx2"})
    assert "option_xxx2" in str(fused.warnings[0])


def test_fusing_twice_gives_the_same() -> None:
    tasks = [make_task(number, make_kernel(blocks=1 + number), "a" if number % 3 else "") for number in range(9)]
    assert run(tasks) == run(tasks)


# Graphs that are one SuperKernel by order of their caller


def whole(tasks: Sequence[Task], options: str = "") -> FusedGraph:
    return fuse(make_graph(tasks, {"s": options}, whole=True), target(), plugins())


def test_a_whole_graph_becomes_one_super_kernel_with_its_name_and_options() -> None:
    (plan,) = whole([make_task(number, make_kernel()) for number in range(3)], "split-mode=1").plans
    assert plan.name == "graph"
    assert plan.group.options == Options(split_mode=1)
    assert len(plan.group.operators) == 3


def test_a_whole_graph_is_refused_and_never_cut() -> None:
    tasks = [make_task(0, make_kernel(blocks=2, full_sync=True)), make_task(1, make_kernel(blocks=4))]
    with pytest.raises(PlanError, match="full-sync-cores"):
        whole(tasks)


def test_everything_in_the_way_of_a_whole_graph_is_named_together() -> None:
    tasks: list[Task] = [
        make_task(0, make_kernel()),
        EventWait(id=1, event=5, where="here"),
        OtherTask(id=2, name="copy", where="here"),
    ]
    with pytest.raises(PlanError) as raised:
        whole(tasks)
    text = str(raised.value)
    assert "no operator follows EventWait(5) on stream 0" in text
    assert "copy cannot be part of a SuperKernel" in text


# Kernels of libraries and of source


class _Library:
    """Has a kernel for ``add``, refuses ``bad`` and knows nothing else."""

    @hookimpl
    def find_kernel(self, op: KernelTask, target: Target) -> SubKernel | None:
        if op.op_type == "bad":
            raise InputError(Problem(op.where, f"{op.name}: bad operands"))
        return make_kernel(name="found") if op.op_type == "add" else None


def library() -> Plugins:
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(Hooks)
    manager.register(_Library())
    return Plugins(manager, ())


def wanted(number: int, op_type: str) -> KernelTask:
    return KernelTask(
        id=number, name=f"K{number}", kernel=None, op_type=op_type, scopes=(Scope("s"),), where=f"at {number}"
    )


def test_operators_without_a_kernel_get_one_from_a_library_or_a_reason() -> None:
    graph = find_kernels(make_graph([wanted(0, "add"), wanted(1, "sub")]), target(), library())
    first, second = graph.kernels
    assert first.kernel is not None
    assert first.kernel.name == "found"
    assert second.kernel is None
    assert second.missing == "no kernel library has 'sub'"
    fused = fuse(graph, target(), library())
    assert [item.finding.detail for item in fused.left_out] == ["no kernel library has 'sub'"]


def test_everything_that_libraries_refuse_comes_together() -> None:
    with pytest.raises(InputError) as raised:
        find_kernels(make_graph([wanted(0, "bad"), wanted(1, "add"), wanted(2, "bad")]), target(), library())
    assert [problem.where for problem in raised.value.problems] == ["at 0", "at 2"]


def test_source_kernels_are_compiled_once_each_and_take_their_place() -> None:
    asked: list[str] = []

    def compile_kernels(wanted: Sequence[tuple[SubKernel, Options]]) -> Mapping[SubKernel, SubKernel]:
        asked.extend(kernel.name for kernel, _ in wanted)
        made = {}
        for kernel, _ in wanted:
            copy = CodeCopy(str(kernel.symbols.aiv), "x.o", b"", 4000)
            made[kernel] = replace(kernel, code=PerKind((), (copy,)))
        return made

    tasks = [make_task(0, source_kernel()), make_task(1, source_kernel()), make_task(2, source_kernel("mul"), "")]
    fused = fuse(make_graph(tasks), target(), plugins(), compile_kernels=compile_kernels)
    assert asked == ["add", "mul"]
    assert all(kernel.is_compiled for kernel in fused.plans[0].group.kernels)
    assert all(task.kernel is not None and task.kernel.is_compiled for task in fused.graph.kernels)


def test_a_source_kernel_is_adapted_to_the_options_of_its_scope() -> None:
    kernel = source_kernel()
    tasks = [make_task(0, kernel, "a"), make_task(1, kernel, "b"), make_task(2, kernel, "c")]
    options = {"a": "dcci-before-kernel-start=add", "b": "dcci-disable-on-kernel=add:dcci-after-kernel-end=other"}
    first, second, third = (plan.group.kernels[0] for plan in run(tasks, options).plans)
    assert (first.cleaning.before, first.cleaning.after, first.cleaning.disabled) == (True, False, False)
    assert (second.cleaning.before, second.cleaning.after, second.cleaning.disabled) == (False, False, True)
    assert first.symbols != third.symbols


@pytest.mark.parametrize(
    ("options", "kept"), [("", True), ("early-start=0", False), ("early-start=2", False), ("debug-sync-all=1", False)]
)
def test_early_start_calls_of_a_source_kernel_follow_the_options(options: str, kept: bool) -> None:
    kernel = source_kernel()
    calling = replace(kernel, early_start=replace(kernel.early_start, sets=True, waits=True))
    (plan,) = run([make_task(0, calling, "a")], {"a": options}).plans
    assert plan.group.kernels[0].early_start.sets == kept
    assert plan.group.kernels[0].early_start.waits == kept
