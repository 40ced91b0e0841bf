# Licensed under the Apache License, Version 2.0.
"""The checker against a judge that looks at all interleavings: unsafe damaged plans are refused (design §7)."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice

import pytest

from skcore.graph.kernel import CoreKind, KernelType, SubKernel
from skcore.options import Options
from skcore.plan.group import FusionGroup
from skcore.plan.plan import Plan
from skcore.plan.planner import plan_group
from skcore.plan.steps import (
    Await,
    Call,
    Channel,
    EarlySet,
    EarlyWait,
    FeedClear,
    FullSync,
    GroupSync,
    Signal,
    Step,
    WaitEvent,
)
from tests.builders import make_group, make_kernel, make_plan, target
from tests.check.damage import (
    ARCHES,
    DAMAGES,
    JUDGED,
    Damaged,
    queues_of,
    random_damaged,
    random_plan,
    refusal,
    shown,
    with_queues,
)
from tests.check.interleavings import TooLarge, causes, search
from tests.simulator import Unsafe, simulate

AIC, AIV = CoreKind
ONLY_AIC, ONLY_AIV, MIX = KernelType.AIC_ONLY, KernelType.AIV_ONLY, KernelType.MIX_AIC_1_2
FLAG_STEPS = (Await, EarlySet, EarlyWait, FullSync, GroupSync, Signal)


def with_events(kernels: Sequence[SubKernel], sends: dict[int, list[int]], receives: dict[int, list[int]]) -> Plan:
    """The plan of operators on one stream with these events."""
    group = make_group(kernels)
    operators = tuple(
        replace(operator, sends=tuple(sends.get(op, ())), receives=tuple(receives.get(op, ())))
        for op, operator in enumerate(group.operators)
    )
    return plan_group(FusionGroup("sk", operators, Options(), "sk"), target())


def without(plan: Plan, kind_of_step: type, kind: CoreKind) -> Plan:
    queues = queues_of(plan)
    queues[kind] = [step for step in queues[kind] if not isinstance(step, kind_of_step)]
    return with_queues(plan, queues)


def damaged_plans(
    seed: int, count: int, most_operators: int = 4, most_blocks: int = 2
) -> Iterator[tuple[str, Damaged]]:
    targets = {arch: target(arch) for arch in ARCHES}
    return islice(random_damaged(random.Random(seed), targets, most_operators, most_blocks), count)


# What the judge finds


def test_a_barrier_left_out_is_told_with_the_shortest_interleaving() -> None:
    plan = make_plan([make_kernel(ONLY_AIV, 2, "a"), make_kernel(ONLY_AIV, 2, "b")])
    fault = search(without(plan, GroupSync, AIV), target())
    assert fault is not None
    assert fault.text == "AIV 0 begins b_1 before AIV 1 ends a_0"
    assert fault.interleaving == ("AIV 0 begins a_0", "AIV 0 ends a_0")


def test_a_signal_left_out_hangs_its_taker() -> None:
    plan = make_plan([make_kernel(ONLY_AIC, 1, "a"), make_kernel(ONLY_AIV, 1, "b")])
    fault = search(without(plan, Signal, AIC), target())
    assert fault is not None
    assert fault.text == "nothing can go on: AIV 0 at WAIT 13"


def test_a_wait_left_out_leaves_a_flag_behind() -> None:
    plan = make_plan([make_kernel(MIX, 1, "a"), make_kernel(MIX, 1, "b")])
    queues = queues_of(plan)
    queues[AIC].append(Signal(Channel.AIC_TO_AIV))
    fault = search(with_queues(plan, queues), target())
    assert fault is not None
    assert "left over" in fault.text


@pytest.mark.parametrize("kind_of_step", [WaitEvent, GroupSync])
def test_an_operator_that_does_not_wait_for_its_event_is_told(kind_of_step: type) -> None:
    plan = with_events([make_kernel(ONLY_AIV, 2, "a")], {}, {0: [7]})
    assert search(plan, target()) is None
    fault = search(without(plan, kind_of_step, AIV), target())
    assert fault is not None
    assert "begins a_0 before outside sets event 7" in fault.text


def test_a_notification_before_the_end_of_its_operator_is_told() -> None:
    plan = with_events([make_kernel(ONLY_AIV, 2, "a")], {0: [7]}, {})
    assert search(plan, target()) is None
    fault = search(without(plan, GroupSync, AIV), target())
    assert fault is not None
    assert fault.text == "AIV 0 NOTIFY of event 7 before AIV 1 ends a_0"


@pytest.mark.parametrize("judge", [search, causes])
@pytest.mark.parametrize(("signals", "safe"), [(15, True), (16, False)])
def test_a_counter_holds_fifteen(judge: type, signals: int, safe: bool) -> None:
    plan = make_plan([make_kernel(ONLY_AIC, 1, "a"), make_kernel(ONLY_AIV, 1, "b")])
    queues = queues_of(plan)
    queues[AIV] += [Signal(Channel.AIV_TO_AIC)] * signals
    queues[AIC] += [Await(Channel.AIV_TO_AIC)] * signals
    long = with_queues(plan, queues)
    fault = judge(long, target())
    assert (fault is None) is safe
    assert fault is None or "passes 15" in str(fault)
    assert bool(refusal(long, target())) is not safe


def test_a_barrier_counts_only_its_own_kind() -> None:
    plan = make_plan([make_kernel(ONLY_AIC, 2, "a"), make_kernel(ONLY_AIV, 2, "b")])
    queues = queues_of(plan)
    queues[AIV].append(GroupSync(AIC))
    fault = search(with_queues(plan, queues), target())
    assert fault is not None
    assert fault.text == "a core acts for the other kind"


def test_lines_that_are_cleared_while_idle_cores_read_them_are_told() -> None:
    kernels = [make_kernel(ONLY_AIV, 1, "a", full_sync=True), make_kernel(ONLY_AIV, 2, "b")]
    plan = make_plan(kernels, Options(feed_sync_all=True))
    queues = queues_of(plan)
    call = next(number for number, step in enumerate(queues[AIV]) if isinstance(step, Call))
    queues[AIV].insert(call + 1, FeedClear(4))
    for judge in (search, causes):
        fault = judge(with_queues(plan, queues), target())
        assert fault is not None
        assert "clears its lines before" in fault.text


# The three ways of judging


def test_the_search_and_the_single_run_agree() -> None:
    unsafe = 0
    for arch, made in damaged_plans(11, 700):
        fault = causes(made.plan, target(arch))
        try:
            found = search(made.plan, target(arch), most=3000)
        except TooLarge:
            continue
        assert (fault is None) == (found is None), f"{made.text}\n{found}\n{fault}\n{shown(made.plan)}"
        unsafe += fault is not None
    assert 300 < unsafe < 650


def test_branching_at_every_action_finds_the_same_as_branching_where_delay_matters() -> None:
    judged = 0
    for arch, made in damaged_plans(12, 500, most_operators=3):
        try:
            full = search(made.plan, target(arch), reduced=False, most=1500)
        except TooLarge:
            continue
        judged += 1
        reduced = search(made.plan, target(arch))
        assert (full is None) == (reduced is None), f"{made.text}\n{full}\n{reduced}\n{shown(made.plan)}"
    assert judged > 250


def test_the_judge_and_the_reference_machine_agree_on_one_stream() -> None:
    rng = random.Random(13)
    unsafe = 0
    for _ in range(250):
        types = list(KernelType)
        kernels = [
            make_kernel(
                rng.choice(types), rng.randint(1, 3), f"k{op}", sets=rng.random() < 0.3, waits=rng.random() < 0.3
            )
            for op in range(rng.randint(1, 4))
        ]
        queues = queues_of(plan := make_plan(kernels))
        kind = rng.choice([kind for kind in CoreKind if queues[kind]])
        steps: list[Step] = queues[kind]
        places = [number for number, step in enumerate(steps) if isinstance(step, FLAG_STEPS)]
        if not places:
            continue
        step = steps.pop(rng.choice(places))
        if rng.random() < 0.6:
            steps.insert(rng.randint(0, len(steps)), step)
        made = with_queues(plan, queues)
        fault = causes(made, target())
        try:
            simulate(made)
        except Unsafe as error:
            assert fault is not None, f"{error}\n{shown(made)}"
            unsafe += 1
        else:
            assert fault is None, f"{fault}\n{shown(made)}"
    assert unsafe > 100


# The checker


@pytest.mark.parametrize("arch", ARCHES)
def test_plans_of_the_planner_are_safe_and_accepted(arch: str) -> None:
    rng = random.Random(14)
    for _ in range(400):
        plan = random_plan(rng, target(arch), 6, 3)
        assert causes(plan, target(arch)) is None, f"{causes(plan, target(arch))}\n{shown(plan)}"
        assert refusal(plan, target(arch)) == "", shown(plan)


@cache
def judged() -> tuple[tuple[str, Damaged, str, str], ...]:
    """Damaged plans with what the judge says and what the checker says."""
    found = []
    for arch, made in damaged_plans(15, 4000, 5, 3):
        found.append((arch, made, str(causes(made.plan, target(arch)) or ""), refusal(made.plan, target(arch))))
    return tuple(found)


@pytest.mark.parametrize("how", [*DAMAGES, "two damages"])
def test_what_the_judge_finds_unsafe_is_refused(how: str) -> None:
    unsafe = [each for each in judged() if each[1].how == how and each[2]]
    assert unsafe
    missed = [(made, arch, fault) for arch, made, fault, refused in unsafe if not refused]
    if missed:
        made, arch, fault = min(missed, key=lambda each: len(shown(each[0].plan)))
        found = search(made.plan, target(arch))
        pytest.fail(
            f"{len(missed)} of {len(unsafe)} accepted; {arch}: {made.text}\n{found or fault}\n{shown(made.plan)}"
        )


USUAL = re.compile(r"WaitEvent of argument \d+ is missing|is no word of|workspace is cleared|is called 2 times")


def explained(refused: str) -> bool:
    """Refusals of safe plans that are meant: words or lines handled in another than the one usual way."""
    return bool(USUAL.search(refused))


def test_few_safe_plans_are_refused() -> None:
    safe = [(arch, made, refused) for arch, made, fault, refused in judged() if not fault]
    wrong = [(arch, made, refused) for arch, made, refused in safe if refused and not explained(refused)]
    assert len(safe) > 500
    example = min(wrong, key=lambda each: len(shown(each[1].plan)), default=None)
    text = f"{example[0]}: {example[1].text}\n{example[2]}\n{shown(example[1].plan)}" if example else ""
    assert len(wrong) < 0.01 * len(safe), f"{len(wrong)} of {len(safe)}; {text}"


def test_every_kind_of_damage_changes_some_step_of_every_type_that_it_is_for() -> None:
    touched = {(each[1].how, name) for each in judged() for name in re.findall(r"^.*? (\w+)\(", each[1].text)}
    for how, (_, kinds) in DAMAGES.items():
        named = {name for each, name in touched if each == how}
        rare = {"FeedClear", "EarlyConfigure", "ClearSlot", "Notify", "WaitEvent", "FullSync"}
        assert {kind.__name__ for kind in kinds} - named <= rare, how
    assert {kind.__name__ for kind in JUDGED} == {name for _, name in touched}
