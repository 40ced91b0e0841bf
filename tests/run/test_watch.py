# Licensed under the Apache License, Version 2.0.
"""What a run of a plan has to keep: taken from the plan and from what the checker requires, not from planning."""

from __future__ import annotations

from dataclasses import replace

import pytest

from skcore.check.needs import required_orders
from skcore.graph.kernel import KernelType, PerKind, SubKernel, TilingVariant
from skcore.options import Options
from skcore.plan.group import FusionGroup
from skcore.plan.plan import Plan
from skcore.plan.planner import plan_group
from skcore.run.launch import CallOrder, OutsideWord, ToldWord
from skcore.run.watch import watch_of
from tests.builders import make_group, make_kernel, make_plan, target

A, V, M = KernelType.AIC_ONLY, KernelType.AIV_ONLY, KernelType.MIX_AIC_1_2
Events = dict[int, tuple[int, ...]]


def planned(kernels: list[SubKernel], streams: str, sends: Events, receives: Events) -> Plan:
    """The plan of these kernels on these streams (one digit each) with these events."""
    group = make_group(kernels)
    operators = tuple(
        replace(
            operator,
            task=replace(operator.task, stream=int(streams[op])),
            sends=sends.get(op, ()),
            receives=receives.get(op, ()),
        )
        for op, operator in enumerate(group.operators)
    )
    return plan_group(FusionGroup("sk", operators, Options(stream_fusion=True), "sk"), target())


def vectors(count: int) -> list[SubKernel]:
    return [make_kernel(V, 4, f"k{op}") for op in range(count)]


def test_calls_are_known_by_their_first_argument_word_and_have_the_names_of_their_tasks() -> None:
    plan = make_plan(vectors(3))
    assert [(call.argument, call.name) for call in watch_of(plan).calls] == [
        (plan.layout.parameters[op], f"k{op}_{op}") for op in range(3)
    ]


@pytest.mark.parametrize(
    ("kernel_type", "blocks", "beside", "cores"),
    [
        (V, 5, M, PerKind(0, 5)),
        (A, 5, M, PerKind(5, 0)),
        (M, 5, M, PerKind(5, 10)),
        (KernelType.MIX_AIC_1_1, 5, M, PerKind(5, 10)),
        (KernelType.MIX_AIC_1_1, 5, KernelType.MIX_AIC_1_1, PerKind(5, 5)),
        (KernelType.MIX_AIV_1_0, 7, V, PerKind(0, 7)),
    ],
)
def test_the_cores_of_a_call_are_those_that_its_gate_lets_through(
    kernel_type: KernelType, blocks: int, beside: KernelType, cores: PerKind[int]
) -> None:
    plan = make_plan([make_kernel(kernel_type, blocks, "first"), make_kernel(beside, 8, "second")])
    assert watch_of(plan).calls[0].cores == cores


def test_the_cores_of_an_operator_with_its_tiling_on_the_device_are_not_known() -> None:
    plan = make_plan(vectors(2))
    first, second = plan.group.operators
    tiled = replace(first.kernel, tiling=(TilingVariant(1, V, PerKind(None, "k0_key1")),))
    group = replace(plan.group, operators=(replace(first, kernel=tiled), second))
    assert [call.cores for call in watch_of(replace(plan, group=group)).calls] == [None, PerKind(0, 4)]


def test_a_sub_kernel_that_waits_itself_begins_late() -> None:
    plan = make_plan([make_kernel(V, 4, "k0"), make_kernel(V, 4, "k1", waits=True)])
    assert [call.waits for call in watch_of(plan).calls] == [False, True]


def test_orders_are_those_that_the_checker_requires_once_each() -> None:
    plan = planned(vectors(4), "0101", {0: (1,)}, {2: (1,), 3: (1,)})
    first = plan.layout.parameters
    expected = {CallOrder(first[a], first[b]) for a, b in required_orders(plan)}
    found = watch_of(plan).orders
    assert set(found) == expected
    assert len(found) == len(expected) == 3


def test_words_of_events_with_one_end_inside_are_told_or_set_from_outside() -> None:
    plan = planned(vectors(2), "01", {0: (5,), 1: (6,)}, {0: (7,), 1: (8, 9)})
    words = {slot.name: index for index, slot in enumerate(plan.layout.slots)}
    first, second = plan.layout.parameters
    watch = watch_of(plan)
    assert watch.told == (ToldWord(words["notify_5"], first), ToldWord(words["notify_6"], second))
    assert watch.outside == (
        OutsideWord(words["wait_7"], first),
        OutsideWord(words["wait_8"], second),
        OutsideWord(words["wait_9"], second),
    )


def test_an_event_to_a_later_operator_has_no_words_to_watch() -> None:
    watch = watch_of(planned(vectors(2), "01", {0: (5,)}, {1: (5,)}))
    assert (watch.told, watch.outside) == ((), ())


def test_an_event_against_the_list_goes_by_way_of_the_outside() -> None:
    plan = planned(vectors(2), "01", {1: (5,)}, {0: (5,)})
    words = {slot.name: index for index, slot in enumerate(plan.layout.slots)}
    watch = watch_of(plan)
    assert watch.told == (ToldWord(words["notify_5"], plan.layout.parameters[1]),)
    assert watch.outside == (OutsideWord(words["wait_5"], None, (words["notify_5"],)),)


def test_an_operator_without_words_of_its_own_is_not_watched_nor_the_one_that_shares_its_place() -> None:
    kernels = [make_kernel(V, 4, "k0"), make_kernel(V, 4, "k1", parameters=()), make_kernel(V, 4, "k2")]
    plan = make_plan(kernels)
    watch = watch_of(plan)
    assert [call.name for call in watch.calls] == ["k0_0"]
    assert watch.orders == ()
