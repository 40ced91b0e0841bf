# Licensed under the Apache License, Version 2.0.
"""Examples of faults: interleavings that can happen, and that no action can be left out of."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence

import pytest

from skcore.check import plan_problems
from skcore.check.cores import representative_groups
from skcore.check.execution import Execution
from skcore.check.fault import Fault
from skcore.check.interleaving import Causes, Event
from skcore.check.protocol import Flag, FlagUse, Protocol, Verb, Word, WordUse
from skcore.graph.kernel import CoreKind, KernelType
from skcore.options import Options
from skcore.plan.plan import Plan
from skcore.plan.steps import Call, EarlySet, EarlyWait, GroupSync
from tests.builders import ARCHES, make_kernel, make_plan, target
from tests.check.damage import damaged, queues_of, random_plan, with_queues

AIC, AIV = KernelType.AIC_ONLY, KernelType.AIV_ONLY


def executed(plan: Plan, arch: str) -> Execution:
    return Execution(representative_groups(plan, 2), Protocol(plan, target(arch)), target(arch).flags.counter_limit)


def blocked(execution: Execution, line: Sequence[Event]) -> Event | None:
    """The first operation of a line that cannot happen, on counters of tokens made and taken."""
    made: Counter[tuple[int, Flag]] = Counter()
    taken: Counter[tuple[int, Flag]] = Counter()
    told: set[Word] = set()
    done: Counter[int] = Counter()
    for event in line:
        core, operation = execution.cores[event.core], execution.cores[event.core].operations[event.number]
        assert done[event.core] == event.number
        done[event.core] += 1
        if isinstance(operation, WordUse):
            if operation.tells:
                told.add(operation.word)
            elif operation.word not in told:
                return event
        elif isinstance(operation, FlagUse) and operation.verb in (Verb.ARRIVE, Verb.SEND):
            made[event.core, operation.flag] += 1
        elif isinstance(operation, FlagUse):
            flag = operation.flag
            for position, other in enumerate(execution.cores):
                reaches = other.place.kind is flag.maker and (flag.is_barrier or other.group == core.group)
                if reaches and made[position, flag] <= taken[event.core, flag]:
                    return event
            taken[event.core, flag] += 1
    return None


def without_last(line: Sequence[Event], core: int) -> list[Event]:
    last = max(event.number for event in line if event.core == core)
    return [event for event in line if event != Event(core, last)]


@pytest.mark.parametrize("arch", ARCHES)
def test_a_past_can_happen_and_leads_to_its_event_and_none_of_it_can_be_left_out(arch: str) -> None:
    rng = random.Random(21)
    looked_at = 0
    while looked_at < 300:
        plan = random_plan(rng, target(arch), 5, 3)
        made = damaged(rng, plan, 1)
        execution = executed(made.plan if made else plan, arch)
        causes = Causes(execution)
        events = [
            Event(position, number) for position, core in enumerate(execution.cores) for number in range(core.next)
        ]
        for event in rng.sample(events, min(3, len(events))):
            past = causes.past([event])
            line = causes.line_up(past)
            assert Counter(each.core for each in line) == Counter(
                {core: count for core, count in past.items() if count}
            )
            assert blocked(execution, [*line, event]) is None
            for core in {each.core for each in line} - {event.core}:
                assert blocked(execution, [*without_last(line, core), event]) is not None
            looked_at += 1


def faults(plan: Plan, arch: str = "dav-2201") -> list[Fault]:
    return [problem for problem in plan_problems(plan, target(arch)) if isinstance(problem, Fault)]


def without(plan: Plan, kind: CoreKind, step_type: type) -> Plan:
    queues = queues_of(plan)
    queues[kind] = [step for step in queues[kind] if not isinstance(step, step_type)]
    return with_queues(plan, queues)


def test_an_example_ends_with_the_early_start_and_names_a_core_that_is_late() -> None:
    plan = make_plan([make_kernel(AIV, 2, "a"), make_kernel(AIV, 2, "b")])
    (fault,) = faults(without(plan, CoreKind.AIV, GroupSync))
    assert [str(action) for action in fault.actions] == [
        "AIV block 0 begins a_0 (aiv 2)",
        "AIV block 0 goes on with b_1 (aiv 3)",
    ]
    assert fault.late is not None
    assert (fault.late.place.block, fault.late.op) == (1, 0)


def test_a_late_core_is_one_that_runs_the_operator() -> None:
    plan = make_plan([make_kernel(AIV, 1, "a"), make_kernel(AIV, 3, "b")])
    (fault,) = faults(without(plan, CoreKind.AIV, GroupSync))
    assert fault.late is not None
    assert fault.late.place.block == 0
    assert fault.actions[-1].place.block > 0


def test_what_one_core_does_in_sequence_needs_no_barrier() -> None:
    plan = make_plan([make_kernel(AIV, 1, "a"), make_kernel(AIV, 1, "b"), make_kernel(AIV, 3, "c")])
    queues = queues_of(plan)
    first = next(number for number, step in enumerate(queues[CoreKind.AIV]) if isinstance(step, GroupSync))
    del queues[CoreKind.AIV][first]
    assert not list(plan_problems(with_queues(plan, queues), target()))


def test_a_hang_tells_how_one_comes_to_it() -> None:
    plan = make_plan([make_kernel(AIC, 2, "a"), make_kernel(AIV, 2, "b"), make_kernel(AIC, 2, "c")])
    queues = queues_of(plan)
    signal = next(step for step in queues[CoreKind.AIV] if type(step).__name__ == "Signal")
    queues[CoreKind.AIV].remove(signal)
    first, *others = faults(with_queues(plan, queues))
    assert "waits for ever" in str(first)
    assert first.actions
    assert not any(other.actions for other in others)


def test_a_core_that_joins_waits_for_the_first_core_which_must_not_wait_for_it() -> None:
    """The first core waits for the early signal of an idle core that has joined already."""
    kernels = [make_kernel(AIV, 2, "a"), make_kernel(AIV, 1, "b", full_sync=True, waits=True)]
    plan = make_plan(kernels, Options(feed_sync_all=True))
    assert not list(plan_problems(plan, target()))
    queues = queues_of(plan)
    steps = queues[CoreKind.AIV]
    early = [step for step in steps if isinstance(step, EarlySet | EarlyWait)]
    kept = [step for step in steps if step not in early]
    call = max(number for number, step in enumerate(kept) if isinstance(step, Call))
    queues[CoreKind.AIV] = [*kept[: call + 1], *early, *kept[call + 1 :]]
    assert any("line of the AIV cores" in str(fault) for fault in faults(with_queues(plan, queues)))


def test_a_core_that_joins_stays_until_the_first_core_leaves_which_must_not_wait_for_it() -> None:
    """Idle vector cores take their hand-over only behind the operator that they feed; the first core waits in it."""
    kinds = KernelType.MIX_AIC_1_2
    kernels = [make_kernel(kinds, 3, "a", sets=True), make_kernel(kinds, 2, "b", full_sync=True, waits=True)]
    plan = make_plan(kernels, Options(feed_sync_all=True))
    assert not list(plan_problems(plan, target()))
    queues = queues_of(plan)
    steps = queues[CoreKind.AIV]
    early = next(number for number, step in enumerate(steps) if isinstance(step, EarlyWait))
    call = max(number for number, step in enumerate(steps) if isinstance(step, Call))
    steps.insert(call, steps.pop(early))
    assert any("end of the line of the" in str(fault) for fault in faults(with_queues(plan, queues)))


def test_long_examples_are_shown_by_their_end() -> None:
    plan = make_plan([make_kernel(AIV, 4, f"k{number}") for number in range(12)])
    queues = queues_of(plan)
    last = max(number for number, step in enumerate(queues[CoreKind.AIV]) if isinstance(step, GroupSync))
    del queues[CoreKind.AIV][last]
    (fault,) = faults(with_queues(plan, queues))
    assert len(fault.actions) > 20
    assert f"after {len(fault.actions) - 12} earlier actions:" in str(fault)


@pytest.mark.parametrize("arch", ARCHES)
def test_examples_are_the_same_in_every_run(arch: str) -> None:
    plan = make_plan([make_kernel(AIV, 4, "a"), make_kernel(KernelType.MIX_AIC_1_2, 2, "b")])
    broken = without(plan, CoreKind.AIV, GroupSync)
    texts: Mapping[int, list[str]] = {
        run: [str(problem) for problem in plan_problems(broken, target(arch))] for run in (1, 2)
    }
    assert texts[1] == texts[2]
    assert texts[1]
