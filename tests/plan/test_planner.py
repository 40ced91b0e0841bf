# Licensed under the Apache License, Version 2.0.
"""From a group to a plan, or to a refusal that names every cause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pluggy
import pytest
from hypothesis import given

from skcore.errors import PlanError
from skcore.graph.kernel import KernelType, PerKind, SubKernel, TilingVariant
from skcore.options import EarlyStart, Options
from skcore.plan.plan import Decision, Plan, Program
from skcore.plan.planner import plan_group
from skcore.plan.steps import Call, PipeBarrier, PreloadAhead
from skcore.plugin import Plugins, hookimpl
from skcore.plugin.spec import PROJECT, Hooks
from skcore.report.reasons import REASONS
from tests.builders import TYPES, make_group, make_kernel, plans, plugins, target

TILING = (TilingVariant(2, KernelType.AIV_ONLY, PerKind(None, "op_2")),)


def refusal(kernels: Sequence[SubKernel], options: Options | None = None, arch: str = "dav-2201") -> list[str]:
    with pytest.raises(PlanError) as raised:
        plan_group(make_group(kernels, options), target(arch))
    assert raised.value.exit_code == 1
    return [str(problem) for problem in raised.value.problems]


def decisions(kernels: Sequence[SubKernel], options: Options | None = None) -> dict[str, Decision]:
    return {decision.key: decision for decision in plan_group(make_group(kernels, options), target()).decisions}


@pytest.mark.parametrize(
    ("kernel", "key"),
    [
        (make_kernel(tiling=TILING, sets=True), "tiling-early-start"),
        (make_kernel(supports_fusion=False), "not-relinkable"),
        (make_kernel(split_mode=2), "split-mode"),
        (make_kernel(blocks=2, full_sync=True), "full-sync-cores"),
    ],
    ids=["tiling-early-start", "not-relinkable", "split-mode", "full-sync-cores"],
)
def test_a_group_that_cannot_be_one_super_kernel_is_refused_with_where_what_and_remedy(
    kernel: SubKernel, key: str
) -> None:
    (problem,) = refusal([kernel, make_kernel(blocks=4)])
    assert problem.startswith("here:0: sk: op_0 cannot fuse")
    assert f"({key})" in problem
    assert REASONS[key].remedy in problem


def test_all_causes_are_named_together() -> None:
    kernels = [make_kernel(supports_fusion=False), make_kernel(split_mode=2), make_kernel(blocks=2, full_sync=True)]
    found = refusal([*kernels, make_kernel(blocks=4)])
    assert [problem.split(":")[1] for problem in found] == ["0", "1", "2"]


def test_early_start_calls_of_a_compiled_kernel_are_refused_when_the_option_is_off() -> None:
    (problem,) = refusal([make_kernel(waits=True)], Options(early_start=EarlyStart.OFF))
    assert "early-start=1" in problem


def test_debug_core_numbers_that_do_not_fit_are_refused() -> None:
    assert "debug-aiv-num=4 is less than the 8" in refusal([make_kernel(blocks=8)], Options(debug_aiv_num=4))[0]


def test_an_empty_group_is_refused() -> None:
    assert refusal([]) == ["sk: a SuperKernel needs at least one operator (give it one)"]


def test_a_one_to_one_operator_in_a_one_to_two_super_kernel_is_pointed_out() -> None:
    found = decisions([make_kernel(KernelType.MIX_AIC_1_1), make_kernel(KernelType.MIX_AIC_1_2)])
    assert found["one-to-one-in-one-to-two"].operators == (0,)
    assert found["one-to-one-in-one-to-two"].remedy


def test_fed_operators_and_unknown_sizes_are_decisions() -> None:
    kernels = [make_kernel(blocks=1, full_sync=True), make_kernel(blocks=2, compiled=False)]
    found = decisions(kernels, Options(feed_sync_all=True))
    assert found["fed"].operators == (0,)
    assert found["size-unknown"].operators == (1,)


def test_early_start_is_a_decision_where_sub_kernels_take_part() -> None:
    assert decisions([make_kernel(sets=True), make_kernel()])["early-start"].operators == (0,)
    assert "early-start" not in decisions([make_kernel(), make_kernel()])


def test_jit_10_debug_synchronisation_is_a_decision_that_says_how_to_undo_it() -> None:
    assert decisions([make_kernel()], Options(debug_sync_all=True))["debug-sync-all"].remedy == "set debug-sync-all=0"


@given(plans())
def test_every_plan_says_why_it_has_its_shape(plan: Plan) -> None:
    assert plan.decisions[0].key == "shape"
    assert plan.decisions[0].operators == tuple(range(len(plan.group.operators)))
    assert plan.shape.kernel_type.name in plan.decisions[0].text
    assert len({(decision.key, decision.operators) for decision in plan.decisions}) == len(plan.decisions)


@given(plans())
def test_a_plan_made_with_plug_ins_that_leave_it_to_the_core_is_the_same(plan: Plan) -> None:
    assert plan_group(plan.group, target(), plugins()) == plan


@given(plans())
def test_planning_a_prefix_gives_a_prefix_of_the_layout(plan: Plan) -> None:
    kernels = plan.group.kernels[:1]
    options = replace(plan.group.options, feed_sync_all=True)
    first = plan_group(make_group([replace(kernels[0], full_sync=False)], options), target())
    words = len(target().argument_head) + len(kernels[0].parameters)
    assert first.layout.slots[:words] == plan.layout.slots[:words]


class _OwnSync:
    """A target that plans synchronisation and preload itself."""

    @hookimpl
    def plan_sync(self, group: object, target: object, options: object) -> PerKind[Program]:
        return PerKind(Program(), Program((PipeBarrier(),)))

    @hookimpl
    def emit_preload(self, plan: Plan, target: object, options: object) -> PerKind[Program]:
        return plan.programs.map(lambda _, program: replace(program, prologue=(*program.prologue, PreloadAhead(1))))


def test_a_target_may_plan_synchronisation_and_preload_itself() -> None:
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(Hooks)
    manager.register(_OwnSync())
    plan = plan_group(make_group([make_kernel()]), target(), Plugins(manager, ()))
    assert list(plan.programs.aiv) == [PipeBarrier(), PreloadAhead(1)]


@pytest.mark.parametrize("kernel_type", TYPES, ids=lambda kernel_type: kernel_type.name)
def test_a_single_operator_makes_a_super_kernel_without_any_boundary(kernel_type: KernelType) -> None:
    plan = plan_group(make_group([make_kernel(kernel_type, 3)]), target())
    for kind in kernel_type.kinds:
        assert [type(step).__name__ for step in plan.programs[kind]] == ["Preload", Call.__name__]
