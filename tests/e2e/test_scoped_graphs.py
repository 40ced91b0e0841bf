# Licensed under the Apache License, Version 2.0.
"""Random graphs of which a part is inside of scopes, on several streams: fused and unfused give the same bytes."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from skcore.check import check_plans
from skcore.errors import RunError
from skcore.graph.task import Scope, Task
from skcore.graph.taskgraph import ScopeSettings, TaskGraph
from tests.e2e.chains import ARCHS, session_for
from tests.e2e.random_graphs import NAME, Op, make_spec, random_spec, task_graph

GRAPHS = 12
"""For each chip."""


def scoped(graph: TaskGraph, drawn: random.Random, options: str) -> TaskGraph:
    """The tasks of each operator in one scope, in another one, or outside."""
    chosen: dict[str, tuple[Scope, ...]] = {}
    tasks: list[Task] = []
    for task in graph.tasks:
        name = drawn.choice((NAME, NAME, NAME, "other", ""))
        scopes = chosen.setdefault(task.where, (Scope(name),) if name else ())
        tasks.append(replace(task, scopes=scopes))
    settings = tuple(ScopeSettings(name, options, "options") for name in (NAME, "other"))
    return replace(graph, tasks=tuple(tasks), scopes=settings, whole=False)


@pytest.mark.parametrize("arch", ARCHS)
def test_graphs_with_scopes_on_several_streams_give_the_bytes_of_their_operators_run_alone(arch: str) -> None:
    session = session_for(arch)
    drawn = random.Random(f"scopes {arch} 1")
    compared = fused_streams = 0
    while compared < GRAPHS:
        spec = replace(random_spec(drawn, session.target, most_operators=8), outer_receives=(), outer_sends=())
        options = f"stream-fusion={drawn.randint(0, 1)}:feed-sync-all=1"
        fused = session.fuse(scoped(task_graph(spec), drawn, options))
        check_plans(fused.graph.tasks, fused.plans, session.target)
        if fused.beside:
            continue
        expected = session.run(session.unfused_program(fused)).buffers
        found = session.run(session.fused_program(fused, drawn.randrange(1 << 16))).buffers
        names = [buffer.name for buffer in fused.graph.buffers]
        assert [name for name in names if found[name] != expected[name]] == [], f"{spec} {options}"
        compared += 1
        fused_streams += any(len({op.task.stream for op in plan.group.operators}) > 1 for plan in fused.plans)
    assert fused_streams > 1


def test_what_has_to_run_beside_a_super_kernel_is_not_run_here_and_the_events_are_named() -> None:
    session = session_for("dav-2201")
    ops = (Op("v1"), Op("v1", 1), Op("v1"))
    spec = make_spec(ops, [(0, 1), (1, 2)], False, (), (), {}, session.target)
    graph = task_graph(spec)
    tasks = tuple(replace(task, scopes=() if task.stream else task.scopes) for task in graph.tasks)
    fused = session.fuse(replace(graph, tasks=tasks, whole=False))
    (plan,) = fused.plans
    assert len(plan.group.operators) == 2
    with pytest.raises(RunError, match="waits for event 1, which is recorded only once sk_sk_random runs"):
        session.fused_program(fused)


def test_super_kernels_that_have_to_run_side_by_side_are_not_run_one_after_the_other() -> None:
    """Each waits inside for an event of another stream of the other one: neither can come first."""
    session = session_for("dav-2201")
    ops = (Op("v1"), Op("v1", 2), Op("v1", 1), Op("v1", 3), Op("v1"), Op("v1", 2))
    spec = make_spec(ops, [(2, 5), (3, 4)], False, (), (), {}, session.target)
    graph = task_graph(spec)
    tasks = tuple(replace(task, scopes=(Scope("ab"[task.stream > 1]),)) for task in graph.tasks)
    settings = tuple(ScopeSettings(name, "stream-fusion=1", "options") for name in "ab")
    fused = session.fuse(replace(graph, tasks=tasks, scopes=settings, whole=False))
    assert [len(plan.group.operators) for plan in fused.plans] == [3, 3]
    assert not any(plan.group.relays for plan in fused.plans)
    with pytest.raises(RunError, match="sk_. waits for event ., which is recorded only once sk_. runs"):
        session.fused_program(fused)
