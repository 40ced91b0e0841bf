# Licensed under the Apache License, Version 2.0.
"""The JIT scenarios and the templates MOE2S and MLA of the scenario specification (§2.2, §3.4, §3.5), by name."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from skcore.check import check_plan
from skcore.errors import OptionError, PlanError
from skcore.graph.kernel import CoreKind, EarlyStartCalls, KernelType, SubKernel
from skcore.graph.task import KernelTask, describe
from skcore.options import Options, parse_options
from skcore.plan.group import FusionGroup, Operator
from skcore.plan.grouping import Grouping, group_tasks
from skcore.plan.layout import Role
from skcore.plan.plan import Plan
from skcore.plan.planner import plan_group
from skcore.plan.steps import (
    Await,
    Call,
    ClearSlot,
    EarlySet,
    EarlyWait,
    FullSync,
    GroupSync,
    Notify,
    Signal,
    Step,
    WaitEvent,
)
from tests.builders import make_graph, make_kernel, make_task, small_target, target
from tests.stream_plans import without_step

AIC, AIV, MIX = KernelType.AIC_ONLY, KernelType.AIV_ONLY, KernelType.MIX_AIC_1_2
FUSED = Options(stream_fusion=True)


def operator(
    number: int, kernel: SubKernel, stream: int = 0, sends: tuple[int, ...] = (), receives: tuple[int, ...] = ()
) -> Operator:
    task = KernelTask(id=number, stream=stream, name=f"{kernel.name}_{number}", kernel=kernel, where=f"here:{number}")
    return Operator(task, kernel, sends, receives)


def planned(operators: list[Operator], options: Options = FUSED) -> Plan:
    plan = plan_group(FusionGroup("sk", tuple(operators), options, "sk"), target())
    check_plan(plan, target())
    return plan


def of(plan: Plan, kind: CoreKind, *types: type[Step]) -> list[Step]:
    return [step for step in plan.programs[kind] if isinstance(step, types)]


def test_jit_01_two_vector_operators_keep_their_order_with_a_barrier_of_vector_cores_only() -> None:
    plan = planned([operator(0, make_kernel(AIV, 32)), operator(1, make_kernel(AIV, 32))], Options())
    steps = of(plan, CoreKind.AIV, Call, GroupSync, FullSync)
    assert [type(step) for step in steps] == [Call, GroupSync, Call]
    assert list(plan.programs.aic) == []


@pytest.mark.parametrize(("first", "second"), list(product(KernelType, repeat=2)))
def test_jit_02_the_type_of_a_super_kernel_is_the_join_of_those_of_its_operators(
    first: KernelType, second: KernelType
) -> None:
    plan = planned([operator(0, make_kernel(first, 4, "a")), operator(1, make_kernel(second, 4, "b"))], Options())
    kinds = {kind for each in (first, second) for kind in each.kinds}
    assert set(plan.shape.kernel_type.kinds) == kinds
    assert (plan.shape.kernel_type is MIX) == (MIX in (first, second))
    assert plan.shape.blocks == 4


@pytest.mark.parametrize(("first", "second"), list(product(KernelType, repeat=2)))
def test_jit_02_a_barrier_covers_the_kinds_of_both_operators_and_no_more(first: KernelType, second: KernelType) -> None:
    plan = planned([operator(0, make_kernel(first, 4, "a")), operator(1, make_kernel(second, 4, "b"))], Options())
    meeting = {kind for kind in CoreKind if of(plan, kind, GroupSync, FullSync)}
    taking_part = {kind for kind in CoreKind if of(plan, kind, GroupSync, FullSync, Signal, Await)}
    assert taking_part == {kind for each in (first, second) for kind in each.kinds}
    assert meeting
    for kind in taking_part:
        for number, step in enumerate(plan.programs[kind]):
            if isinstance(step, GroupSync | FullSync | Signal | Await):
                with pytest.raises(PlanError):
                    check_plan(without_step(plan, kind, number), target())


@pytest.mark.parametrize(("first", "second"), [(AIC, AIV), (AIC, MIX), (AIV, AIC)])
def test_jit_03_an_outer_wait_holds_all_cores_of_the_operator_back_and_no_wait_adds_nothing(
    first: KernelType, second: KernelType
) -> None:
    alone = planned([operator(0, make_kernel(first, 8)), operator(1, make_kernel(second, 8), 1)])
    waiting = planned([operator(0, make_kernel(first, 8)), operator(1, make_kernel(second, 8), 1, receives=(7,))])
    syncs = (GroupSync, FullSync, Signal)
    assert sum(len(of(alone, kind, *syncs)) for kind in CoreKind) == 0
    waits = [kind for kind in CoreKind if of(waiting, kind, WaitEvent)]
    assert waits == [CoreKind.AIC if second is AIC else CoreKind.AIV]
    assert len(of(waiting, waits[0], GroupSync)) == 1


@pytest.mark.parametrize(("first", "second"), [(AIC, AIV), (AIC, MIX), (AIV, AIC)])
def test_jit_03_an_event_between_two_operators_is_an_order_without_words(first: KernelType, second: KernelType) -> None:
    plan = planned(
        [operator(0, make_kernel(first, 8), sends=(100,)), operator(1, make_kernel(second, 8), 1, receives=(100,))]
    )
    assert not any(of(plan, kind, WaitEvent, Notify, ClearSlot) for kind in CoreKind)
    assert any(of(plan, kind, Signal) for kind in CoreKind)


def test_jit_04_a_full_synchronisation_on_fewer_cores_is_refused_or_fed() -> None:
    operators = [operator(0, make_kernel(AIV, 48)), operator(1, make_kernel(AIV, 8, full_sync=True))]
    with pytest.raises(PlanError, match="feed-sync-all=1"):
        planned(operators, Options())
    plan = planned(operators, Options(feed_sync_all=True))
    assert [step.fed for step in plan.programs.aiv if isinstance(step, Call)] == [False, True]


@pytest.mark.parametrize("blocks", [1, 32, 48])
def test_jit_06_the_super_kernel_has_the_most_blocks_of_its_operators(blocks: int) -> None:
    plan = planned([operator(0, make_kernel(AIV, 8)), operator(1, make_kernel(AIV, blocks))], Options())
    assert plan.shape.blocks == max(8, blocks)
    assert [step.gate.blocks for step in plan.programs.aiv if isinstance(step, Call)] == [8, blocks]


def test_jit_06_more_blocks_than_the_product_has_are_an_error() -> None:
    plan = plan_group(FusionGroup("sk", (operator(0, make_kernel(AIV, 49)),), Options(), "sk"), target())
    with pytest.raises(PlanError, match="too-many-blocks"):
        check_plan(plan, target())


def test_jit_07_zero_leaves_a_debug_core_number_unset() -> None:
    plan = planned([operator(0, make_kernel(AIV, 8))], Options(debug_aiv_num=48, debug_aic_num=0))
    assert (plan.shape.kernel_type, plan.shape.blocks) == (KernelType.MIX_AIV_1_0, 48)


def test_jit_10_synchronising_after_every_operator_leaves_no_early_start_and_says_so() -> None:
    plan = planned([operator(0, make_kernel(AIV, 8)), operator(1, make_kernel(AIV, 8))], Options(debug_sync_all=True))
    assert of(plan, CoreKind.AIV, EarlySet, EarlyWait) == []
    assert "debug-sync-all" in {decision.key for decision in plan.decisions}


@pytest.mark.parametrize(
    ("text", "what"),
    [("a=1:a=2", "'a'"), ("foo=1", "unknown option 'foo'"), ("early-start=", "empty value"),
     ("profiling=1:profiling=1", "set twice")],
)  # fmt: skip
def test_jit_08_an_unknown_option_an_empty_value_and_one_given_twice_are_errors(text: str, what: str) -> None:
    with pytest.raises(OptionError, match=what):
        parse_options(text)


def test_jit_08_a_part_without_a_value_is_ignored_with_a_warning_and_strictly_an_error() -> None:
    (warning,) = parse_options("option_xxx2").warnings
    assert "option_xxx2" in str(warning)
    with pytest.raises(OptionError, match="option_xxx2"):
        parse_options("option_xxx2", strict=True)


@pytest.mark.parametrize("text", [" : ", "", None])
def test_jit_08_nothing_means_the_defaults(text: str | None) -> None:
    assert parse_options(text).options == Options()


JIT_09 = {
    "early-start": (["0", "1", "2"], ["3"]),
    "func-align": (["0", "2", "256", "512"], ["3", "-1"]),
    "split-mode": ([str(count) for count in range(1, 65)], ["0", "65"]),
    "preload-code": (["none", "per-func", "max"], ["x"]),
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, (good, _) in JIT_09.items() for value in good])
def test_jit_09_a_value_of_the_table_is_taken(name: str, value: str) -> None:
    assert parse_options(f"{name}={value}").options.as_mapping()[name] == value


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, (_, bad) in JIT_09.items() for value in bad])
def test_jit_09_a_value_outside_the_table_is_refused(name: str, value: str) -> None:
    with pytest.raises(OptionError, match=name):
        parse_options(f"{name}={value}")


@pytest.mark.parametrize(("copies", "split"), [(4, 4), (2, 2), (1, 1)])
def test_jit_12_the_copies_that_came_with_a_kernel_are_used(copies: int, split: int) -> None:
    kernel = make_kernel(AIV, 8, copies=copies, split_mode=split)
    plan = planned([operator(0, kernel)], Options(split_mode=split))
    (call,) = (step for step in plan.programs.aiv if isinstance(step, Call))
    assert len(call.symbols) == copies


def test_jit_12_fewer_copies_than_announced_are_enough() -> None:
    kernel = make_kernel(AIV, 8, copies=2, split_mode=4)
    plan = planned([operator(0, kernel)], Options(split_mode=4))
    (call,) = (step for step in plan.programs.aiv if isinstance(step, Call))
    assert len(call.symbols) == 2


def test_jit_13_outer_events_have_their_own_words_behind_the_parameters() -> None:
    first, second = make_kernel(AIC, 8, parameters=("x", "y")), make_kernel(AIC, 8, parameters=("x", "y", "z"))
    plan = planned([operator(0, first, sends=(100,)), operator(1, second, 1, receives=(101,))])
    assert plan.layout.parameters == (1, 4)
    assert plan.layout.first_event_word(Role.NOTIFY, 0) == 3
    assert plan.layout.first_event_word(Role.WAIT, 1) == 7
    steps = of(plan, CoreKind.AIC, Call, Notify, WaitEvent, ClearSlot)
    assert [getattr(step, "slot", type(step)) for step in steps] == [Call, 3, 7, Call, 7]


def test_d08_a_wait_at_the_head_of_a_queue_is_kept() -> None:
    plan = planned([operator(0, make_kernel(AIC, 8)), operator(1, make_kernel(AIV, 8), 1, receives=(7,))])
    steps = of(plan, CoreKind.AIV, WaitEvent, GroupSync, Call)
    assert [type(step) for step in steps] == [WaitEvent, GroupSync, Call]


@pytest.mark.parametrize("arch", ["dav-2201", "dav-3510"])
def test_d09_a_mixed_operator_with_a_wait_holds_both_kinds_back_in_both_queues(arch: str) -> None:
    operators = (operator(0, make_kernel(AIC, 8)), operator(1, make_kernel(MIX, 8), 1, receives=(7,)))
    plan = plan_group(FusionGroup("sk", operators, FUSED, "sk"), target(arch))
    check_plan(plan, target(arch))


def test_d22_operators_that_wait_for_each_other_are_refused_and_named() -> None:
    operators = [
        operator(0, make_kernel(AIC, 8, "cube"), 0, sends=(1,), receives=(2,)),
        operator(1, make_kernel(AIV, 8, "vector"), 1, sends=(2,), receives=(1,)),
    ]
    with pytest.raises(PlanError, match=r"cube_0, vector_1 wait for each other in a circle"):
        planned(operators)


def moe_two_streams() -> list[Operator]:
    """MOE2S: gating and experts on stream 0, the shared expert on stream 1."""
    a, b = (10,), (11,)
    rows = [
        ("norm", AIV, 40, 0, (), (), False),
        ("gate", MIX, 24, 0, (), (), False),
        ("topk", AIV, 8, 0, a, (), False),
        ("up", AIC, 24, 1, (), a, False),
        ("act", AIV, 48, 1, (), (), False),
        ("down", AIC, 24, 1, b, (), False),
        ("dispatch", AIV, 48, 0, (), (), True),
        ("gmm1", MIX, 24, 0, (), (), False),
        ("swiglu", AIV, 48, 0, (), (), False),
        ("gmm2", MIX, 24, 0, (), (), False),
        ("combine", AIV, 48, 0, (), (), True),
        ("add", AIV, 40, 0, (), b, False),
    ]
    return [
        operator(number, make_kernel(kernel_type, blocks, name, full_sync=full), stream, sends, receives)
        for number, (name, kernel_type, blocks, stream, sends, receives, full) in enumerate(rows)
    ]


def test_moe2s_both_streams_in_one_scope_are_one_super_kernel_with_inner_events_only() -> None:
    plan = planned(moe_two_streams())
    assert (plan.shape.kernel_type, plan.shape.blocks) == (MIX, 24)
    assert not any(of(plan, kind, WaitEvent, Notify) for kind in CoreKind)


def test_moe2s_does_not_fit_a_product_with_fewer_cores() -> None:
    plan = plan_group(FusionGroup("sk", tuple(moe_two_streams()), FUSED, "sk"), small_target(20, 40))
    with pytest.raises(PlanError, match="too-many-blocks"):
        check_plan(plan, small_target(20, 40))


def test_an_early_start_kernel_in_two_streams_leaves_no_flag_behind() -> None:
    early = replace(make_kernel(AIV, 8), early_start=EarlyStartCalls(sets=True, waits=True))
    planned([operator(0, make_kernel(AIC, 8)), operator(1, early, 1), operator(2, make_kernel(MIX, 4), 0)])


MLA = {
    "norm": (AIV, 40, False),
    "prolog": (MIX, 24, True),
    "rope": (AIV, 8, False),
    "attention": (MIX, 20, True),
    "transpose-bmm": (AIC, 24, False),
    "quant": (AIV, 40, False),
    "matmul": (MIX, 24, False),
    "allreduce": (AIV, 48, True),
}
"""The operators of decode attention: type, blocks, and whether they synchronise all their cores."""


def mla_groups(options: str) -> Grouping:
    tasks = [
        replace(make_task(number, make_kernel(kernel_type, blocks, f"k{number}", full_sync=full)), name=name)
        for number, (name, (kernel_type, blocks, full)) in enumerate(MLA.items())
    ]
    return group_tasks(make_graph(tasks), target(), {"s": parse_options(options).options})


def test_mla_is_three_super_kernels_as_its_full_synchronisations_go_from_24_to_20_cores_and_back() -> None:
    grouping = mla_groups("")
    assert [[each.name for each in group.operators] for group in grouping.groups] == [
        ["norm", "prolog", "rope"],
        ["attention"],
        ["transpose-bmm", "quant", "matmul", "allreduce"],
    ]
    assert [(cut.before.name, cut.finding.key) for cut in grouping.cuts] == [
        ("attention", "full-sync-cores"),
        ("transpose-bmm", "full-sync-cores"),
    ]
    assert [[describe(cause) for cause in cut.causes] for cut in grouping.cuts] == [["attention"], ["attention"]]
    assert grouping.left_out == ()


def test_mla_with_feed_sync_all_is_one_super_kernel() -> None:
    (group,) = mla_groups("feed-sync-all=1").groups
    assert [each.name for each in group.operators] == list(MLA)


@pytest.mark.parametrize("options", ["", "feed-sync-all=1"])
def test_mla_has_a_safe_plan_for_each_of_its_groups(options: str) -> None:
    for group in mla_groups(options).groups:
        check_plan(plan_group(group, target()), target())
