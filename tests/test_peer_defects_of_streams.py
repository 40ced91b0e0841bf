# Licensed under the Apache License, Version 2.0.
"""The defects of the peer across several streams (spec jit §16): one test each that shows the right behaviour."""

from __future__ import annotations

import re
from itertools import product

import pytest

from skcore.check import check_plan
from skcore.emit.source import emit_source
from skcore.errors import PlanError
from skcore.graph.kernel import CoreKind, KernelType
from skcore.options import Options
from skcore.plan.layout import Role
from skcore.plan.steps import (
    Await,
    AwaitTiling,
    EarlyWait,
    FullSync,
    GroupSync,
    Notify,
    Select,
    Signal,
    WaitEvent,
)
from tests.builders import ARCHES, make_kernel, make_tiled_kernel, target
from tests.check.damage import queues_of, with_queues
from tests.stream_plans import kernels_of, planned, steps_of, without, without_step

A, V, M = KernelType.AIC_ONLY, KernelType.AIV_ONLY, KernelType.MIX_AIC_1_2


@pytest.mark.parametrize("arch", ARCHES)
def test_d06_workspace_and_profiling_keep_their_words_beside_those_of_events(arch: str) -> None:
    wide = make_kernel(V, 2, "wide")
    narrow = make_kernel(V, 1, "narrow", full_sync=True)
    options = Options(feed_sync_all=True, profiling=True)
    plan = planned([wide, narrow], "01", {0: (7,)}, {1: (8,)}, arch, options)
    roles = [slot.role for slot in plan.layout.slots]
    for role in (Role.NOTIFY, Role.WAIT, Role.WORKSPACE, Role.PROFILING):
        assert roles.count(role) == 1
    source = emit_source(plan, target(arch))
    for role in (Role.WORKSPACE, Role.PROFILING):
        assert f"param_base[{roles.index(role)}]" in source


@pytest.mark.parametrize("arch", ARCHES)
def test_d06_profiling_alone_has_the_word_behind_those_of_all_operators(arch: str) -> None:
    plan = planned(kernels_of(A, V), "01", {0: (7,)}, {1: (8,)}, arch, Options(profiling=True))
    assert [slot.role for slot in plan.layout.slots][-4:] == [Role.PARAMETER, Role.WAIT, Role.PROFILING, Role.TASK_ID]
    assert f"SkProfile(param_base[{len(plan.layout.slots) - 2}]," in emit_source(plan, target(arch))


@pytest.mark.parametrize(("arch", "first"), list(product(ARCHES, (A, V, M))))
def test_d08_a_wait_at_the_head_of_a_queue_is_kept(arch: str, first: KernelType) -> None:
    plan = planned(kernels_of(first, V), "01", {}, {0: (7,)}, arch)
    assert sum(isinstance(step, WaitEvent) for _, program in plan.programs for step in program) == 1


@pytest.mark.parametrize(("arch", "before"), list(product(ARCHES, (A, V, M))))
def test_d09_all_cores_of_a_mixed_operator_know_of_its_wait_whoever_stands_before_it(
    arch: str, before: KernelType
) -> None:
    plan = planned(kernels_of(before, M), "01", {}, {1: (7,)}, arch)
    barriers = (GroupSync, FullSync)
    meeting = [kind for kind, program in plan.programs if any(isinstance(step, barriers) for step in program)]
    assert meeting
    for kind in meeting:
        with pytest.raises(PlanError):
            check_plan(without(plan, kind, barriers), target(arch))


SYNCS = (GroupSync, FullSync, Signal, Await)


@pytest.mark.parametrize(("arch", "kernel_type"), list(product(ARCHES, KernelType)))
def test_d10_alone_exactly_the_cores_of_its_kinds_wait_for_the_tiling_of_an_operator(
    arch: str, kernel_type: KernelType
) -> None:
    plan = planned([make_tiled_kernel(kernel_type)], "0", {}, {}, arch)
    kinds = kernel_type.kinds
    assert {kind for kind, _, _ in steps_of(plan, Select)} == set(kinds)
    (poller,) = (kind for kind, _, _ in steps_of(plan, AwaitTiling))
    assert poller is kinds[-1]
    assert (GroupSync(poller),) == tuple(step for _, _, step in steps_of(plan, GroupSync))
    assert {kind for kind, _, _ in steps_of(plan, SYNCS)} == set(kinds)


@pytest.mark.parametrize(("arch", "kernel_type", "other"), list(product(ARCHES, (A, V, M), (A, V, M))))
def test_d10_in_several_streams_all_cores_that_choose_code_have_learned_of_the_tiling(
    arch: str, kernel_type: KernelType, other: KernelType
) -> None:
    kernels = [*kernels_of(other), make_tiled_kernel(kernel_type), *kernels_of(other)]
    plan = planned(kernels, "010", {}, {}, arch)
    (poller,) = (kind for kind, _, _ in steps_of(plan, AwaitTiling))
    for kind in kernel_type.kinds:
        steps = list(plan.programs[kind])
        chosen = next(number for number, step in enumerate(steps) if isinstance(step, Select))
        learns = (GroupSync, FullSync) if kind is poller else (Await, FullSync)
        assert isinstance(steps[chosen - 1], (*learns, Signal))
        assert any(isinstance(step, learns) for step in steps[:chosen])


@pytest.mark.parametrize(("arch", "types"), list(product(ARCHES, ((A, V), (V, A)))))
def test_d10_cores_of_a_kind_that_does_not_run_the_operator_do_not_wait_for_its_tiling(
    arch: str, types: tuple[KernelType, KernelType]
) -> None:
    tiled, other = types
    plan = planned([*kernels_of(other), make_tiled_kernel(tiled)], "01", {}, {}, arch)
    assert {kind for kind, _, _ in steps_of(plan, (AwaitTiling, Select, *SYNCS))} == set(tiled.kinds)


@pytest.mark.parametrize(("arch", "kernel_type", "streams"), list(product(ARCHES, KernelType, ("00", "01"))))
def test_d10_a_synchronisation_after_the_tiling_that_one_queue_lacks_is_refused(
    arch: str, kernel_type: KernelType, streams: str
) -> None:
    plan = planned([*kernels_of(V), make_tiled_kernel(kernel_type)], streams, {}, {}, arch)
    awaited = next(number for _, number, _ in steps_of(plan, AwaitTiling))
    poller = kernel_type.kinds[-1]
    found = [(kind, number) for kind, number, _ in steps_of(plan, SYNCS) if kind is not poller or number > awaited]
    assert found
    for kind, number in found:
        with pytest.raises(PlanError):
            check_plan(without_step(plan, kind, number), target(arch))


@pytest.mark.parametrize("arch", ARCHES)
def test_d10_two_operators_with_one_kernel_wait_for_a_tiling_each(arch: str) -> None:
    kernel = make_tiled_kernel(M)
    plan = planned([kernel, kernel], "01", {}, {}, arch)
    slots = [step.slot for _, _, step in steps_of(plan, AwaitTiling) if isinstance(step, AwaitTiling)]
    assert slots == [plan.layout.tiling_word(Role.TILING_LOCK, op) for op in (0, 1)]
    for kind, number, _ in steps_of(plan, AwaitTiling):
        before = [step for step in list(plan.programs[kind])[number + 1 :] if isinstance(step, (*SYNCS, Select))]
        assert not isinstance(before[0], Select)


@pytest.mark.parametrize(("arch", "types"), list(product(ARCHES, product((A, V, M), repeat=3))))
def test_d18_what_the_last_operator_sends_is_notified_after_its_end_on_all_cores(
    arch: str, types: tuple[KernelType, ...]
) -> None:
    plan = planned(kernels_of(*types), "010", {2: (7,)}, {}, arch)
    assert sum(isinstance(step, Notify) for _, program in plan.programs for step in program) == 1


@pytest.mark.parametrize(("kernel_type", "expected"), [(A, "PIPE_FIX"), (V, "PIPE_MTE3")])
def test_d20_a_barrier_for_debugging_follows_the_output_of_the_cores_that_it_joins(
    kernel_type: KernelType, expected: str
) -> None:
    kernels = kernels_of(kernel_type, kernel_type)
    plan = planned(kernels, "01", {}, {}, "dav-2201", Options(debug_sync_all=True))
    pipes = re.findall(r"sync\((\w+), AscendC::GetffstMsg\(0,", emit_source(plan, target("dav-2201")))
    assert pipes == [expected, expected]


@pytest.mark.parametrize("arch", ARCHES)
def test_d21_a_mixed_predecessor_has_ended_on_all_cores_though_another_event_comes_later(arch: str) -> None:
    plan = planned(kernels_of(M, V, A), "010", {1: (7,)}, {2: (7,)}, arch)
    with pytest.raises(PlanError, match="while"):
        check_plan(without(plan, CoreKind.AIC, (GroupSync, FullSync)), target(arch))


@pytest.mark.parametrize(("arch", "types"), list(product(ARCHES, product((A, V, M), repeat=2))))
def test_a_notification_waits_for_all_cores_where_no_order_inside_needs_a_barrier(
    arch: str, types: tuple[KernelType, ...]
) -> None:
    plan = planned(kernels_of(*types), "01", {0: (7,)}, {}, arch)
    queues = queues_of(plan)
    speaker = next(kind for kind, steps in queues.items() if any(isinstance(step, Notify) for step in steps))
    place = next(number for number, step in enumerate(queues[speaker]) if isinstance(step, Notify))
    queues[speaker] = [
        step for number, step in enumerate(queues[speaker]) if number > place or not isinstance(step, GroupSync)
    ]
    with pytest.raises(PlanError):
        check_plan(with_queues(plan, queues), target(arch))


@pytest.mark.parametrize(("arch", "types"), list(product(ARCHES, product((A, V, M), repeat=2))))
def test_early_signals_are_taken_in_several_streams_too(arch: str, types: tuple[KernelType, ...]) -> None:
    kernels = [make_kernel(kernel_type, 2, f"k{op}", sets=True) for op, kernel_type in enumerate(types)]
    plan = planned(kernels, "01", {0: (7,)}, {}, arch)
    taken = [kind for kind, program in plan.programs if any(isinstance(step, EarlyWait) for step in program)]
    assert taken
    with pytest.raises(PlanError):
        check_plan(without(plan, taken[0], EarlyWait), target(arch))


@pytest.mark.parametrize("arch", ARCHES)
def test_operators_of_one_name_and_different_code_are_not_taken_for_each_other(arch: str) -> None:
    first, second = make_kernel(V, 1, "same"), make_kernel(A, 1, "same")
    plan = planned([first, second], "01", {}, {}, arch)
    called = {kind: str(program) for kind, program in plan.programs}
    assert "same_aic" in called[CoreKind.AIC]
    assert "same_aiv" in called[CoreKind.AIV]
    assert "same_aiv" not in called[CoreKind.AIC]
