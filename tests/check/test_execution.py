# Licensed under the Apache License, Version 2.0.
"""What cores know of each other: representative groups, flag operations, knowledge, overflow, what is left over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from skcore.check.cores import representative_groups
from skcore.check.execution import Execution, Knowledge
from skcore.check.protocol import (
    Begin,
    CorePlace,
    Flag,
    FlagUse,
    Operation,
    Protocol,
    Verb,
    WordUse,
    barrier_of,
    channel_flag,
)
from skcore.graph.kernel import CoreKind, KernelType, OperatorClass, PerKind
from skcore.options import Options
from skcore.plan.plan import Plan, Program
from skcore.plan.steps import (
    Await,
    Call,
    Channel,
    EarlyConfigure,
    EarlySet,
    EarlyWait,
    FullSync,
    Gate,
    GroupSync,
    Index,
    PipeBarrier,
    Signal,
    Step,
)
from tests.builders import ARCHES, make_kernel, make_plan, target

AIC, AIV = CoreKind
A, V, M = KernelType.AIC_ONLY, KernelType.AIV_ONLY, KernelType.MIX_AIC_1_2
CUBE, VECTOR, MIXED = OperatorClass
UP, DOWN = Channel.AIV_TO_AIC, Channel.AIC_TO_AIV


def with_steps(plan: Plan, aic: Sequence[Step], aiv: Sequence[Step]) -> Plan:
    return replace(plan, programs=PerKind(Program(tuple(aic)), Program(tuple(aiv))))


def mixed_plan(aic: Sequence[Step] = (), aiv: Sequence[Step] = (), blocks: int = 2) -> Plan:
    """Two AIC and four AIV cores with these steps; the plan has one mixed operator, which nobody calls."""
    return with_steps(make_plan([make_kernel(M, blocks, "m")]), aic, aiv)


def groups(blocks: int = 2) -> list[tuple[CorePlace, ...]]:
    return [
        (CorePlace(AIC, block, 0, 2), CorePlace(AIV, block, 0, 2), CorePlace(AIV, block, 1, 2))
        for block in range(blocks)
    ]


def executed(aic: Sequence[Step], aiv: Sequence[Step], arch: str = "dav-2201", limit: int = 15) -> Execution:
    plan = mixed_plan(aic, aiv)
    return Execution(groups(), Protocol(plan, target(arch)), limit)


def words(operations: Sequence[Operation]) -> list[str]:
    return [word(operation) for operation in operations]


def word(operation: Operation) -> str:
    if isinstance(operation, Begin):
        return f"START {operation.op}"
    if isinstance(operation, WordUse):
        return f"{'TELL' if operation.tells else 'HEAR'} {operation.word}"
    return f"{operation.verb.name} {operation.flag.name}"


def operations(plan: Plan, core: CorePlace, arch: str = "dav-2201") -> list[str]:
    return words(list(Protocol(plan, target(arch)).operations(core)))


# Groups that gates tell apart


def test_one_group_stands_for_all_where_no_gate_matters() -> None:
    plan = make_plan([make_kernel(V, 40, "v"), make_kernel(A, 3, "a"), make_kernel(M, 7, "m")])
    assert [group[0].block for group in representative_groups(plan)] == [0]


@pytest.mark.parametrize(
    ("kernel_type", "kinds"),
    [
        (KernelType.MIX_AIV_1_0, [AIV]),
        (KernelType.MIX_AIC_1_0, [AIC]),
        (KernelType.MIX_AIC_1_1, [AIC, AIV]),
        (KernelType.MIX_AIC_1_2, [AIC, AIV, AIV]),
    ],
)
def test_a_group_has_the_cores_of_one_block(kernel_type: KernelType, kinds: list[CoreKind]) -> None:
    ((*group,),) = representative_groups(make_plan([make_kernel(kernel_type, 3)]))
    assert [core.kind for core in group] == kinds
    assert [core.sub_block for core in group if core.kind is AIV] == list(range(kinds.count(AIV)))


@pytest.mark.parametrize(("blocks", "borders"), [(1, [0, 1]), (2, [0, 1]), (3, [0, 1, 2]), (5, [0, 2, 3]), (8, [0])])
def test_a_gate_of_vector_cores_tells_the_group_that_it_cuts_from_those_beside_it(
    blocks: int, borders: list[int]
) -> None:
    plan = make_plan([make_kernel(V, blocks, "v", sets=True), make_kernel(M, 4, "m")])
    assert [group[0].block for group in representative_groups(plan)] == borders


def test_a_gate_of_blocks_tells_the_first_block_outside() -> None:
    plan = make_plan([make_kernel(M, 3, "n", waits=True), make_kernel(M, 5, "m")])
    assert [group[0].block for group in representative_groups(plan)] == [0, 3]


@pytest.mark.parametrize(
    ("place", "index", "limit"),
    [
        (CorePlace(AIC, 3, 0, 2), Index.BLOCK, 4),
        (CorePlace(AIC, 3, 0, 2), Index.CORE, 4),
        (CorePlace(AIV, 3, 1, 2), Index.BLOCK, 4),
        (CorePlace(AIV, 3, 1, 2), Index.CORE, 8),
        (CorePlace(AIV, 3, 0, 2), Index.CORE, 7),
    ],
)
def test_a_core_is_inside_a_gate_above_its_index(place: CorePlace, index: Index, limit: int) -> None:
    assert place.inside(Gate(index, limit))
    assert not place.inside(Gate(index, limit - 1))


# Flag operations


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("ratio_type", [KernelType.MIX_AIC_1_1, KernelType.MIX_AIC_1_2])
def test_a_full_synchronisation_goes_up_across_and_down(arch: str, ratio_type: KernelType) -> None:
    plan = with_steps(make_plan([make_kernel(ratio_type, 2, "m")], arch=arch), [FullSync()], [FullSync()])
    tight = "TIGHT_" if arch == "dav-3510" and ratio_type is KernelType.MIX_AIC_1_2 else ""
    up, down = f"{tight}AIV_TO_AIC", f"{tight}AIC_TO_AIV"
    cube = [f"TAKE {up}", "ARRIVE AIC_BARRIER", "COLLECT AIC_BARRIER", f"SEND {down}"]
    assert operations(plan, CorePlace(AIC, 0, 0, 1), arch) == cube
    assert operations(plan, CorePlace(AIV, 0, 0, 1), arch) == [f"SEND {up}", f"TAKE {down}"]


EARLY = [
    # Spec device §5.1, wait V2.
    (CUBE, CUBE, "w11", ""),
    (CUBE, VECTOR, "w11 s13", "w13"),
    (CUBE, MIXED, "w11 s13", "w13"),
    (VECTOR, CUBE, "w12", "w14 s12"),
    (VECTOR, VECTOR, "", "w14"),
    (VECTOR, MIXED, "w12", "w14 s12"),
    (MIXED, CUBE, "w11 w12", "w14 s12"),
    (MIXED, VECTOR, "w11 s13", "w14 w13"),
    (MIXED, MIXED, "w11 s13 w12", "w14 s12 w13"),
]
NAMES = {
    "w11": "COLLECT AIC_BARRIER",
    "w14": "COLLECT AIV_BARRIER",
    "s12": "SEND AIV_TO_AIC",
    "w12": "TAKE AIV_TO_AIC",
    "s13": "SEND AIC_TO_AIV",
    "w13": "TAKE AIC_TO_AIV",
}


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize(("previous", "current", "aic", "aiv"), EARLY)
def test_an_early_start_wait_follows_the_table(
    previous: OperatorClass, current: OperatorClass, aic: str, aiv: str, arch: str
) -> None:
    step = EarlyWait(0, previous, current, None)
    plan = mixed_plan([step], [step])
    for core, text in ((CorePlace(AIC, 0, 0, 2), aic), (CorePlace(AIV, 0, 1, 2), aiv)):
        expected = [NAMES[word] for word in text.split()]
        if arch == "dav-3510":
            expected = [name.replace("SEND ", "SEND TIGHT_").replace("TAKE ", "TAKE TIGHT_") for name in expected]
        assert operations(plan, core, arch) == expected


def test_early_steps_are_for_the_cores_outside_their_gate() -> None:
    gate = Gate(Index.BLOCK, 1)
    steps: list[Step] = [EarlySet(0, gate), EarlyWait(0, VECTOR, VECTOR, gate)]
    plan = mixed_plan([], steps)
    assert operations(plan, CorePlace(AIV, 0, 1, 2)) == []
    assert operations(plan, CorePlace(AIV, 1, 0, 2)) == ["ARRIVE AIV_BARRIER", "COLLECT AIV_BARRIER"]


def test_a_sub_kernel_with_early_start_calls_waits_for_its_pair_starts_and_sets() -> None:
    plan = make_plan([make_kernel(V, 2, "v", sets=True, waits=True)])
    (call,) = [step for step in plan.programs.aiv if isinstance(step, Call)]
    told = with_steps(plan, [], [EarlyConfigure(CUBE, VECTOR), call])
    core = CorePlace(AIV, 0, 0, 1)
    assert operations(told, core) == ["TAKE AIC_TO_AIV", "START 0", "ARRIVE AIV_BARRIER"]
    (*_, last) = Protocol(told, target()).operations(core)
    assert last == FlagUse(1, Verb.ARRIVE, Flag.AIV_BARRIER, 2)
    assert operations(told, CorePlace(AIV, 2, 0, 1)) == []


@pytest.mark.parametrize("kernel_type", [A, V])
def test_an_operator_of_one_kind_synchronises_that_kind(kernel_type: KernelType) -> None:
    plan = make_plan([make_kernel(kernel_type, 2, full_sync=True)])
    (kind,) = kernel_type.kinds
    name = barrier_of(kind).name
    assert operations(plan, CorePlace(kind, 1, 0, 1)) == ["START 0", f"ARRIVE {name}", f"COLLECT {name}"]


def test_a_core_that_feeds_takes_part_and_another_idle_one_does_not() -> None:
    kernels = [make_kernel(V, 1, "n", full_sync=True), make_kernel(V, 2, "w")]
    plan = make_plan(kernels, Options(feed_sync_all=True))
    (call,) = [step for step in plan.programs.aiv if isinstance(step, Call) and step.op == 0]
    outside = CorePlace(AIV, 1, 0, 1)
    barrier = ["ARRIVE AIV_BARRIER", "COLLECT AIV_BARRIER"]
    line = "line of the AIV cores for operator 0"
    assert operations(with_steps(plan, [], [call]), outside) == [
        "START 0",
        f"HEAR {line}",
        *barrier,
        f"HEAR end of the {line}",
    ]
    first = CorePlace(AIV, 0, 0, 1)
    assert operations(with_steps(plan, [], [call]), first) == [
        "START 0",
        f"TELL {line}",
        *barrier,
        f"TELL end of the {line}",
    ]
    alone = replace(call, fed=False)
    assert operations(with_steps(plan, [], [alone]), outside) == []
    assert operations(with_steps(plan, [], [alone]), CorePlace(AIV, 0, 0, 1)) == ["START 0", *barrier]


def test_steps_without_flags_make_no_operations_but_count() -> None:
    plan = mixed_plan([PipeBarrier(), Signal(DOWN)])
    (signal,) = Protocol(plan, target()).operations(CorePlace(AIC, 0, 0, 2))
    assert signal == FlagUse(1, Verb.SEND, Flag.AIC_TO_AIV, 1)


def test_flags_are_numbered_from_zero_and_tight_channels_are_others() -> None:
    assert [flag.number for flag in Flag] == list(range(len(Flag)))
    assert {channel_flag(channel, tight=tight) for channel in Channel for tight in (False, True)} == {
        flag for flag in Flag if not flag.is_barrier
    }


# Knowledge


def knowledge_at_end(execution: Execution, kind: CoreKind, block: int = 0) -> Knowledge:
    (core, *_) = [core for core in execution.cores if core.place.kind is kind and core.place.block == block]
    assert core.waiting is None
    return core.knowledge


def test_a_barrier_tells_what_is_complete_everywhere() -> None:
    execution = executed([PipeBarrier(), PipeBarrier(), GroupSync(AIC)], [])
    assert knowledge_at_end(execution, AIC) == Knowledge(aic=2)


def test_a_signal_tells_of_the_own_group_alone_and_a_barrier_behind_it_of_all() -> None:
    alone = executed([PipeBarrier(), Signal(DOWN)], [Await(DOWN)])
    assert knowledge_at_end(alone, AIV) == Knowledge(group_aic=1)
    together = executed([PipeBarrier(), Signal(DOWN)], [Await(DOWN), GroupSync(AIV)])
    assert knowledge_at_end(together, AIV) == Knowledge(aic=1, aiv=1, group_aic=1)


def test_what_a_core_knows_of_all_goes_on_with_its_signal() -> None:
    execution = executed([GroupSync(AIC), Signal(DOWN)], [Await(DOWN)])
    assert knowledge_at_end(execution, AIV) == Knowledge(aic=0, group_aic=1)
    execution = executed([PipeBarrier(), GroupSync(AIC), Signal(DOWN)], [Await(DOWN)])
    assert knowledge_at_end(execution, AIV) == Knowledge(aic=1, group_aic=2)


def test_a_full_synchronisation_tells_both_kinds_of_both() -> None:
    for arch in ARCHES:
        execution = executed([PipeBarrier(), FullSync()], [PipeBarrier(), PipeBarrier(), FullSync()], arch)
        for kind in CoreKind:
            known = knowledge_at_end(execution, kind)
            assert (known.everywhere(AIC), known.everywhere(AIV)) == (1, 2)


def test_a_wait_takes_the_first_token_that_is_left_and_no_later_one() -> None:
    """An early signal that nobody took is what the next barrier of the kind meets at."""
    execution = executed([], [EarlySet(0, None), PipeBarrier(), GroupSync(AIV)])
    assert knowledge_at_end(execution, AIV) == Knowledge(aiv=0)
    assert {count for _, _, count in execution.left_over()} == {1}


def test_tight_channels_do_not_mix_with_the_loose_ones() -> None:
    early = EarlyWait(0, CUBE, VECTOR, None)
    loose = executed([EarlySet(0, None), early], [Await(DOWN)])
    assert not loose.stuck
    tight = executed([EarlySet(0, None), early], [Await(DOWN)], "dav-3510")
    assert {core.place.kind for core in tight.stuck} == {AIV}


# Progress, residue, limits


def test_a_core_that_waits_for_what_never_comes_is_stuck_where_it_waits() -> None:
    execution = executed([Await(UP)], [])
    assert len(execution.stuck) == 2
    for core in execution.stuck:
        assert core.waiting == FlagUse(0, Verb.TAKE, Flag.AIV_TO_AIC, 0)


def test_waits_in_a_circle_are_stuck() -> None:
    execution = executed([Await(UP), Signal(DOWN)], [Await(DOWN), Signal(UP)])
    assert len(execution.stuck) == 6


def test_a_barrier_waits_for_the_cores_of_all_groups() -> None:
    plan = mixed_plan([], [EarlySet(0, Gate(Index.CORE, 1)), EarlyWait(0, VECTOR, VECTOR, None)])
    execution = Execution(groups(), Protocol(plan, target()), 15)
    assert len(execution.stuck) == 4


def test_a_signal_that_nobody_takes_is_left_over_at_its_taker() -> None:
    execution = executed([Signal(DOWN), Signal(DOWN)], [Await(DOWN)])
    left = set(execution.left_over())
    assert {(place.kind, flag, count) for place, flag, count in left} == {(AIV, Flag.AIC_TO_AIV, 1)}
    assert len(left) == 4


def test_nothing_is_left_over_where_every_signal_is_taken() -> None:
    assert not list(executed([Signal(DOWN), Await(UP)], [Await(DOWN), Signal(UP)]).left_over())


@pytest.mark.parametrize(("signals", "overflows"), [(3, False), (4, True)])
def test_a_counter_passes_its_limit_where_its_taker_need_not_have_caught_up(signals: int, overflows: bool) -> None:
    execution = executed([Signal(DOWN)] * signals, [Await(DOWN)] * signals, limit=3)
    assert bool(execution.overflows) is overflows
    assert not execution.stuck
    if overflows:
        first = execution.overflows[0]
        assert (first.place.kind, first.flag, first.step, first.count) == (AIC, Flag.AIC_TO_AIV, 3, 4)


def test_a_counter_holds_any_number_of_signals_where_each_is_answered() -> None:
    execution = executed([Signal(DOWN), Await(UP)] * 9, [Await(DOWN), Signal(UP)] * 9, limit=1)
    assert not execution.overflows


def test_barriers_never_pass_the_limit_however_many_there_are() -> None:
    assert not executed([GroupSync(AIC)] * 40, [GroupSync(AIV)] * 40).overflows


def test_a_start_has_what_its_core_knows_then() -> None:
    plan = make_plan([make_kernel(V, 2, "a"), make_kernel(V, 2, "b")])
    execution = Execution(representative_groups(plan), Protocol(plan, target()), 15)
    steps = list(plan.programs.aiv)
    first, second = execution.starts
    assert (first.op, first.knowledge) == (0, Knowledge())
    assert second.op == 1
    assert second.knowledge.everywhere(AIV) > first.step
    assert isinstance(steps[second.step], Call)
