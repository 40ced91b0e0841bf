# Licensed under the Apache License, Version 2.0.
"""The defects of the peer across several streams (spec jit §16): one test each that shows the right behaviour."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import pytest

from skcore.check import check_plan
from skcore.emit.source import emit_source
from skcore.errors import PlanError
from skcore.graph.kernel import CoreKind, KernelType, SubKernel
from skcore.options import Options
from skcore.plan.group import FusionGroup
from skcore.plan.layout import Role
from skcore.plan.plan import Plan
from skcore.plan.planner import plan_group
from skcore.plan.steps import EarlyWait, FullSync, GroupSync, Notify, WaitEvent
from tests.builders import ARCHES, make_group, make_kernel, target
from tests.check.damage import queues_of, with_queues

A, V, M = KernelType.AIC_ONLY, KernelType.AIV_ONLY, KernelType.MIX_AIC_1_2
Events = dict[int, tuple[int, ...]]


def planned(
    kernels: list[SubKernel], streams: str, sends: Events, receives: Events, arch: str, options: Options | None = None
) -> Plan:
    """A checked plan of kernels on these streams (one digit each) with these events."""
    operators = tuple(
        replace(
            operator,
            task=replace(operator.task, stream=int(stream)),
            sends=sends.get(op, ()),
            receives=receives.get(op, ()),
        )
        for op, (operator, stream) in enumerate(zip(make_group(kernels).operators, streams, strict=True))
    )
    chosen = replace(options or Options(), stream_fusion=True)
    plan = plan_group(FusionGroup("sk", operators, chosen, "sk"), target(arch))
    check_plan(plan, target(arch))
    return plan


def kernels_of(*types: KernelType) -> list[SubKernel]:
    return [make_kernel(kernel_type, 2, f"k{op}") for op, kernel_type in enumerate(types)]


def without(plan: Plan, kind: CoreKind, step_type: type | tuple[type, ...]) -> Plan:
    queues = queues_of(plan)
    queues[kind] = [step for step in queues[kind] if not isinstance(step, step_type)]
    return with_queues(plan, queues)


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
