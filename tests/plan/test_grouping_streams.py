# Licensed under the Apache License, Version 2.0.
"""Groups over several streams, and events with the outside: scenarios AOT-07 to AOT-17, GE-05 and MOE2S."""

from __future__ import annotations

import random

import pytest

from skcore.check import check_plans
from skcore.errors import GraphError
from skcore.fuse import FusedGraph, fuse
from skcore.graph.kernel import KernelType
from skcore.graph.order import order_tasks
from skcore.graph.task import EventRecord, EventReset, EventWait, OtherTask, Scope, Task
from skcore.graph.taskgraph import ScopeSettings, TaskGraph
from skcore.plan.plan import Plan
from skcore.plugin import load_plugins
from skcore.target import Target
from tests.builders import make_kernel, make_task, small_target, target
from tests.check.test_progress import random_tasks

V, C, M = KernelType.AIV_ONLY, KernelType.AIC_ONLY, KernelType.MIX_AIC_1_2
PLUGINS = load_plugins()
EVENTS: dict[str, type[EventRecord] | type[EventWait] | type[EventReset]] = {
    "N": EventRecord,
    "W": EventWait,
    "R": EventReset,
}


def tasks_of(text: str, **kernels: tuple[KernelType, int]) -> list[Task]:
    """Tasks in words: ``name``, ``N1``, ``W1``, ``R1`` or ``DEF``, then ``.stream``, ``@scope``."""
    tasks: list[Task] = []
    for number, word in enumerate(text.split()):
        rest, _, scope = word.partition("@")
        name, _, stream = rest.partition(".")
        scopes = (Scope(scope),) if scope else ()
        if name[0] in EVENTS and name[1:].isdigit():
            made = EVENTS[name[0]]
            tasks.append(made(id=number, stream=int(stream or 0), scopes=scopes, where=word, event=int(name[1:])))
        elif name.startswith("DEF"):
            tasks.append(OtherTask(id=number, stream=int(stream or 0), scopes=scopes, where=word, name=name))
        else:
            kernel_type, blocks = kernels.get(name, (V, 1))
            kernel = make_kernel(kernel_type, blocks, name)
            tasks.append(make_task(number, kernel, scope, stream=int(stream or 0)))
    return tasks


def fused(tasks: list[Task], where: Target | None = None, options: str = "stream-fusion=1") -> FusedGraph:
    settings = tuple(ScopeSettings(name, options) for name in ("a", "b", "s"))
    chosen = where or target()
    found = fuse(TaskGraph("g", tuple(tasks), scopes=settings), chosen, PLUGINS)
    check_plans(found.graph.tasks, found.plans, chosen)
    return found


def groups(found: FusedGraph) -> list[list[str]]:
    return [[operator.kernel.name for operator in plan.group.operators] for plan in found.plans]


def keys(found: FusedGraph) -> list[str]:
    return [cut.finding.key for cut in found.cuts]


def items(found: FusedGraph) -> list[str]:
    return [item.name if isinstance(item, Plan) else item.where for item in found.items]


def test_one_scope_on_two_streams_is_one_super_kernel_with_its_events_inside() -> None:
    found = fused(tasks_of("k.0@s N1.0@s W1.1@s l.1@s N2.1@s W2.0@s m.0@s"))
    assert groups(found) == [["k", "l", "m"]]
    (plan,) = found.plans
    assert [(op.sends, op.receives) for op in plan.group.operators] == [((1,), ()), ((2,), (1,)), ((), (2,))]
    assert found.items == found.plans


def test_without_stream_fusion_each_stream_has_its_own_and_the_user_is_told() -> None:
    found = fused(tasks_of("k.0@s l.1@s m.0@s"), options="")
    assert groups(found) == [["k", "m"], ["l"]]
    (cut,) = found.cuts
    assert (cut.before.name, cut.finding.key, [cause.where for cause in cut.causes]) == (
        "K1",
        "other-stream",
        ["graph:0"],
    )
    assert "stream-fusion=1" in cut.finding.remedy


def test_aot_07_a_wait_in_front_of_a_super_kernel_stays_in_front_of_it() -> None:
    found = fused(tasks_of("o.1 N1.1 W1.0@s k.0@s l.0@s"))
    assert items(found) == ["graph:0", "N1.1", "W1.0@s", "sk_s"]
    assert groups(found) == [["k", "l"]]


@pytest.mark.parametrize(("blocks", "expected"), [(40, [["k", "l"]]), (41, [["k"], ["l"]])])
def test_aot_09_a_wait_inside_is_kept_where_what_it_waits_for_fits_beside(
    blocks: int, expected: list[list[str]]
) -> None:
    tasks = tasks_of("z.0 N1.0 k.0@a W2.0@a l.0@a W1.1 o.1 N2.1", k=(V, 8), l=(V, 8), o=(V, blocks))
    found = fused(tasks)
    assert groups(found) == expected
    assert keys(found) == ([] if blocks == 40 else ["cores-held"])


def test_aot_11_a_wait_for_what_nobody_records_ends_the_group() -> None:
    found = fused(tasks_of("k@s W1@s l@s"))
    assert groups(found) == [["k"], ["l"]]
    assert keys(found) == ["event-from-outside"]


def test_aot_12_a_super_kernel_does_not_hold_cores_that_another_one_needs_to_go_on() -> None:
    tasks = tasks_of("k.0@a N1.0@a l.0@a m.1@b W1.1@b n.1@b", k=(V, 48), l=(V, 48), m=(V, 8), n=(V, 8))
    found = fused(tasks)
    assert groups(found) == [["k", "l"], ["m"], ["n"]]
    assert keys(found) == ["cores-held"]


def test_aot_16_a_task_of_another_stream_that_is_no_kernel_divides_nothing() -> None:
    found = fused(tasks_of("k.0@s DEF1.0@s DEF2.1@s l.1@s m.0@s"))
    assert groups(found) == [["k", "l"], ["m"]]
    assert items(found) == ["DEF2.1@s", "sk_s_0", "DEF1.0@s", "sk_s_1"]


def test_aot_08_events_that_wait_for_each_other_are_an_error_of_the_input() -> None:
    with pytest.raises(GraphError, match="in a circle"):
        fused(tasks_of("k.0@s W1.0@s l.0@s N2.0@s W2.1 N1.1"))


def test_ge_05_what_runs_between_two_operators_on_another_stream_leaves_one_super_kernel() -> None:
    found = fused(tasks_of("k@s l@s N1@s W1.1 ring.1 N2.1 W2@s m@s", ring=(V, 8)))
    assert groups(found) == [["k", "l", "m"]]
    (plan,) = found.plans
    assert plan.group.relays == ((1, 2),)
    assert items(found) == ["sk_s", "W1.1", "graph:4", "N2.1"]


def test_what_stands_on_the_own_stream_between_two_operators_divides_them() -> None:
    assert groups(fused(tasks_of("k@s o l@s"))) == [["k"], ["l"]]


def test_an_event_that_the_end_of_the_super_kernel_comes_before_divides_it() -> None:
    """The record is outside of the scope: it comes when the whole SuperKernel has ended."""
    found = fused(tasks_of("k.0@s N1.0 W1.1@s l.1@s"))
    assert groups(found) == [["k"], ["l"]]
    assert keys(found) == ["ends-first"]


MOE = "norm@s gate@s topk@s N1@s {w1} up{t} act{t} down{t} {n2} dispatch@s gmm1@s swiglu@s gmm2@s combine@s W2@s add@s"


def moe(blocks: dict[str, tuple[KernelType, int]], inside: bool) -> list[Task]:
    tag = ".1@s" if inside else ".1"
    return tasks_of(MOE.format(w1=f"W1{tag}", n2=f"N2{tag}", t=tag), **blocks)


def sizes(main: int, side: int) -> dict[str, tuple[KernelType, int]]:
    """Blocks of the operators where the main stream has so many AIC cores, and the other one so many."""
    vector, mixed = (V, 2 * main), (M, main)
    names = {"norm": vector, "gate": mixed, "topk": (V, 8), "dispatch": vector, "gmm1": mixed, "swiglu": vector}
    return {
        **names,
        "gmm2": mixed,
        "combine": vector,
        "add": vector,
        "up": (C, side),
        "act": (V, 2 * side),
        "down": (C, side),
    }


MAIN = ["norm", "gate", "topk", "dispatch", "gmm1", "swiglu", "gmm2", "combine", "add"]


def test_moe2s_with_core_limits_the_shared_expert_runs_beside_one_super_kernel() -> None:
    found = fused(moe(sizes(16, 8), inside=False))
    assert groups(found) == [MAIN]
    assert found.plans[0].group.relays == ((1, 2),)


def test_moe2s_without_core_limits_the_super_kernel_ends_before_it_waits_for_the_shared_expert() -> None:
    found = fused(moe(sizes(24, 24), inside=False))
    assert groups(found) == [MAIN[:-1], ["add"]]
    (cut,) = found.cuts
    assert (cut.before.name, cut.finding.key) == ("K15", "cores-held")


def test_moe2s_both_streams_in_the_scope_are_one_super_kernel_without_cut() -> None:
    found = fused(moe(sizes(24, 24), inside=True))
    (plan,) = found.plans
    assert len(plan.group.operators) == 12
    assert plan.group.relays == ()
    assert not found.cuts


@pytest.mark.parametrize("fusion", ["stream-fusion=1", ""])
def test_random_graphs_are_safe_together_and_their_items_stand_behind_what_they_wait_for(fusion: str) -> None:
    rng = random.Random(8)
    relayed = 0
    for _ in range(300):
        where = small_target(rng.randint(4, 12), rng.randint(8, 24))
        found = fused(random_tasks(rng), where, f"{fusion}:feed-sync-all=1".strip(":"))
        tasks = found.graph.tasks
        order = order_tasks(tasks)
        place: dict[int, int] = {}
        for number, item in enumerate(found.items):
            members = (
                [*(op.task.id for op in item.group.operators), *item.group.events]
                if isinstance(item, Plan)
                else [item.id]
            )
            place.update(dict.fromkeys(members, number))
        assert sorted(place) == [task.id for task in tasks]
        relayed += any(plan.group.relays for plan in found.plans)
        beside = {wait.event for _, wait in found.beside}
        assert beside >= {event for plan in found.plans for _, event in plan.group.relays}
        for task in tasks:
            if not (isinstance(task, EventWait) and task.event in beside):
                assert all(place[before] <= place[task.id] for before in order.predecessors[task.id])
    assert relayed > 5
