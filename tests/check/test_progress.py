# Licensed under the Apache License, Version 2.0.
"""Whether SuperKernels and what runs outside come to their ends, against all orders in which they can start."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from skcore.check.progress import Hang, Resident, find_hangs
from skcore.graph.kernel import KernelType, SubKernel
from skcore.graph.task import EventRecord, EventWait, KernelTask, Scope, Task
from skcore.graph.taskgraph import TaskGraph
from skcore.options import Options
from skcore.plan.grouping import Grouping, group_tasks
from skcore.plan.shape import need_of, override_shape
from skcore.target import Target
from tests.builders import make_kernel, small_target
from tests.check.launches import TooLarge, World

V, C, M = KernelType.AIV_ONLY, KernelType.AIC_ONLY, KernelType.MIX_AIC_1_2
FUSED = Options(stream_fusion=True)


class Script:
    """A graph written down task by task."""

    def __init__(self) -> None:
        self.tasks: list[Task] = []

    def kernel(self, stream: int, kernel: SubKernel, scope: str = "") -> None:
        number = len(self.tasks)
        task = KernelTask(
            id=number, stream=stream, scopes=_scopes(scope), where=f"here:{number}", name=f"K{number}", kernel=kernel
        )
        self.tasks.append(task)

    def record(self, stream: int, event: int, scope: str = "") -> None:
        self.tasks.append(EventRecord(id=len(self.tasks), stream=stream, scopes=_scopes(scope), event=event))

    def wait(self, stream: int, event: int, scope: str = "") -> None:
        self.tasks.append(EventWait(id=len(self.tasks), stream=stream, scopes=_scopes(scope), event=event))


def _scopes(name: str) -> tuple[Scope, ...]:
    return (Scope(name),) if name else ()


def grouped(tasks: list[Task], target: Target, options: Options = FUSED) -> Grouping:
    """The groups as they are before anything outside is looked at."""
    chosen = dict.fromkeys(("a", "b"), options)
    return group_tasks(TaskGraph("g", tuple(tasks)), target, chosen)


def residents(grouping: Grouping, target: Target) -> list[Resident]:
    return [
        Resident(group, override_shape(need_of(group.kernels), group.options, target)[0]) for group in grouping.groups
    ]


def hangs(script: Script, target: Target) -> list[Hang]:
    return find_hangs(script.tasks, residents(grouped(script.tasks, target), target), target)


def waiting_group(script: Script, stream: int, event: int, scope: str, blocks: int) -> None:
    """Two vector operators with a wait between them."""
    script.kernel(stream, make_kernel(V, blocks), scope)
    script.wait(stream, event, scope)
    script.kernel(stream, make_kernel(V, blocks), scope)


@pytest.mark.parametrize(("blocks", "safe"), [(4, True), (5, False)])
def test_what_a_super_kernel_waits_for_fits_beside_it_or_it_hangs(blocks: int, safe: bool) -> None:
    script = Script()
    waiting_group(script, 0, 1, "a", 4)
    script.kernel(1, make_kernel(V, blocks))
    script.record(1, 1)
    found = hangs(script, small_target(4, 8))
    assert (not found) is safe
    if found:
        assert (found[0].key, found[0].before) == ("cores-held", script.tasks[1])
        assert found[0].detail == "K3 needs 5 AIV cores, sk_a may hold 4 meanwhile, and the product has 8"


def test_two_super_kernels_that_wait_for_one_task_hang_together_though_each_alone_would_not() -> None:
    script = Script()
    waiting_group(script, 0, 1, "a", 3)
    waiting_group(script, 1, 1, "b", 3)
    script.kernel(2, make_kernel(V, 3))
    script.record(2, 1)
    assert "sk_a, sk_b may hold 6" in hangs(script, small_target(4, 8))[0].detail
    assert not hangs(script, small_target(4, 9))


def test_a_super_kernel_that_has_ended_holds_nothing() -> None:
    script = Script()
    waiting_group(script, 0, 1, "a", 5)
    waiting_group(script, 0, 2, "b", 5)
    for stream, event in ((1, 1), (2, 2)):
        script.kernel(stream, make_kernel(V, 3))
        script.record(stream, event)
    assert not hangs(script, small_target(4, 8))


def test_what_is_over_before_a_super_kernel_starts_may_be_of_any_size() -> None:
    script = Script()
    script.kernel(1, make_kernel(V, 8))
    script.record(1, 1)
    script.record(1, 2)
    script.wait(0, 1)
    waiting_group(script, 0, 2, "a", 8)
    assert not hangs(script, small_target(4, 8))


def test_a_wait_for_what_follows_the_super_kernel_itself_is_a_circle() -> None:
    script = Script()
    script.kernel(0, make_kernel(V, 1), "a")
    script.record(0, 1)
    script.wait(1, 1)
    script.kernel(1, make_kernel(V, 1))
    script.record(1, 2)
    script.kernel(2, make_kernel(V, 1), "a")
    script.wait(2, 2, "a")
    script.kernel(2, make_kernel(V, 1), "a")
    (found,) = hangs(script, small_target(4, 8))
    assert (found.key, found.before) == ("ends-first", script.tasks[6])


def random_tasks(rng: random.Random) -> list[Task]:
    """Up to nine kernels on up to four streams in scopes, with events forward in the list."""
    script = Script()
    streams = rng.randint(1, 4)
    recorded: list[int] = []
    for number in range(rng.randint(2, 9)):
        stream, scope = rng.randrange(streams), rng.choice(("a", "a", "b", ""))
        for event in rng.sample(recorded, min(len(recorded), rng.choice((0, 0, 1, 1, 2)))):
            script.wait(stream, event, scope)
        kernel = make_kernel(rng.choice((V, V, C, M)), rng.randint(1, 3), full_sync=rng.random() < 0.3)
        script.kernel(stream, kernel, scope)
        if rng.random() < 0.6:
            recorded.append(number)
            script.record(stream, number, rng.choice((scope, scope, "")))
    return script.tasks


def test_graphs_without_hangs_end_in_every_order_of_starts() -> None:
    rng = random.Random(5)
    seen: Counter[tuple[bool, bool]] = Counter()
    while seen.total() < 1500:
        target = small_target(rng.randint(3, 6), rng.randint(6, 9))
        tasks = random_tasks(rng)
        options = replace(FUSED, feed_sync_all=True)
        found = residents(grouped(tasks, target, options), target)
        try:
            stuck = World(tasks, found, target).stuck()
        except TooLarge:
            continue
        safe = not find_hangs(tasks, found, target)
        assert not (safe and stuck), f"{tasks} {stuck}"
        seen[safe, stuck is not None] += 1
    assert seen[True, False] > 300
    assert seen[False, True] > 100
    # Refusals that no order of starts needs: a kernel outside may get on with fewer cores than it has blocks.
    assert seen[False, False] < 0.1 * seen[True, False]
