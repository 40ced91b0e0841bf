# Licensed under the Apache License, Version 2.0.
"""Each thing that keeps a SuperKernel right is broken once, and the break is seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from skcore.check import check_plan
from skcore.errors import PlanError, RunError, ToolError
from skcore.fuse import FusedGraph
from skcore.graph.kernel import PerKind
from skcore.plan.plan import Plan, Program, Segment
from skcore.plan.steps import Await, Call, FullSync, GroupSync, Signal, Step
from skcore.session import Session
from tests.e2e.chains import ARCHS, rotate, session_for, total, with_plan, write_chain

SEEDS = range(12)
CHAIN = [
    rotate("aiv_only", 16, 7),
    rotate("aiv_only", 48, 13),
    rotate("mix_aic_1_1", 8, 5),
    rotate("mix_aic_1_1", 20, 11),
    rotate("aiv_only", 4, 3),
]


def edit(plan: Plan, change: Callable[[Step], Step | None]) -> Plan:
    """The plan with every step changed, or left out where the change gives None."""

    def steps(items: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(changed for changed in map(change, items) if changed is not None)

    def program(old: Program) -> Program:
        segments = tuple(Segment(segment.op, steps(segment.steps)) for segment in old.segments)
        return Program(steps(old.prologue), segments, steps(old.epilogue))

    return replace(plan, programs=PerKind(program(plan.programs.aic), program(plan.programs.aiv)))


def outcomes(session: Session, fused: FusedGraph) -> set[bytes | str]:
    """What the runs with different seeds end in: the output's bytes, or the name of the fault."""
    program = session.fused_program(fused)
    found: set[bytes | str] = set()
    for seed in SEEDS:
        try:
            result = session.run(program.with_seed(seed))
        except RunError as error:
            found.add(str(error.details["check"]))
        else:
            found.add(result.buffers[fused.graph.outputs[0]])
    return found


def expected(session: Session, fused: FusedGraph) -> bytes:
    return session.run(session.unfused_program(fused)).buffers[fused.graph.outputs[0]]


@pytest.fixture(params=ARCHS)
def chain(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Session, FusedGraph]:
    session = session_for(request.param)
    return session, session.fuse(session.read(write_chain(tmp_path, CHAIN)))


def test_the_unbroken_chain_gives_the_same_bytes_with_every_seed(chain: tuple[Session, FusedGraph]) -> None:
    session, fused = chain
    assert len(fused.plans) == 1
    assert outcomes(session, fused) == {expected(session, fused)}


@pytest.mark.parametrize("op", range(1, len(CHAIN)))
def test_a_dropped_barrier_is_seen_in_the_bytes(chain: tuple[Session, FusedGraph], op: int) -> None:
    session, fused = chain
    plan = fused.plans[0]

    def without_sync(program: Program) -> Program:
        syncs = GroupSync | FullSync | Signal | Await
        segments = tuple(
            Segment(
                segment.op, tuple(step for step in segment.steps if segment.op != op or not isinstance(step, syncs))
            )
            for segment in program.segments
        )
        return replace(program, segments=segments)

    programs = PerKind(without_sync(plan.programs.aic), without_sync(plan.programs.aiv))
    broken = with_plan(fused, replace(plan, programs=programs))
    assert outcomes(session, broken) != {expected(session, fused)}


@pytest.mark.parametrize("lost", [Signal, Await])
def test_a_lost_half_of_a_hand_over_is_refused_and_stops_the_run(
    chain: tuple[Session, FusedGraph], lost: type[Step]
) -> None:
    session, fused = chain
    plan = edit(fused.plans[0], lambda step: None if isinstance(step, lost) else step)
    with pytest.raises(PlanError, match="waits for ever|nobody takes"):
        check_plan(plan, session.target)
    assert outcomes(session, with_plan(fused, plan)) <= {"hang", "flag-residue", "flag-overflow", "operator-order"}


def test_a_wrong_argument_index_is_refused_and_seen(chain: tuple[Session, FusedGraph]) -> None:
    session, fused = chain

    def shifted(step: Step) -> Step:
        return replace(step, argument=step.argument + 1) if isinstance(step, Call) and step.op == 1 else step

    plan = edit(fused.plans[0], shifted)
    with pytest.raises(PlanError, match="are not the arguments of"):
        check_plan(plan, session.target)
    assert expected(session, fused) not in outcomes(session, with_plan(fused, plan))


def test_a_wrong_symbol_is_an_error_that_names_it(chain: tuple[Session, FusedGraph]) -> None:
    session, fused = chain
    unit_of = fused.plans[0]

    def renamed(step: Step) -> Step:
        return replace(step, symbols=("nobody_defines_this",)) if isinstance(step, Call) and step.op == 2 else step

    from skcore.build.superkernel import superkernel_unit

    unit = superkernel_unit(edit(unit_of, renamed), session.target)
    kept = PerKind(
        *(tuple(copy for copy in copies if copy.symbol != "nobody_defines_this") for _, copies in unit.objects)
    )
    with pytest.raises(ToolError, match="nobody_defines_this"):
        session.plugins.hook.compile_binary(
            unit=replace(unit, objects=kept), target=session.target, toolchain=session.toolchain
        )


@pytest.mark.parametrize("arch", ARCHS)
def test_a_core_that_skips_a_full_synchronisation_is_named(arch: str, tmp_path: Path) -> None:
    session = session_for(arch)
    graph = session.read(write_chain(tmp_path, [rotate("aiv_only", 8, 1), total(8, SKIPPING=5)]))
    program = session.fused_program(session.fuse(graph))
    with pytest.raises(RunError) as caught:
        session.run(program)
    assert caught.value.details["check"] == "sync-all-count"
    text = str(caught.value)
    assert "total1" in text
    assert "AIV block 5: left it after 0 calls" in text or "AIV block 5 shows at its end" in text


@pytest.mark.parametrize("arch", ARCHS)
def test_a_full_synchronisation_on_fewer_cores_is_cut_off_and_without_the_cut_it_is_stopped(
    arch: str, tmp_path: Path
) -> None:
    session = session_for(arch)
    links = [rotate("aiv_only", 16, 1), total(8), rotate("aiv_only", 16, 2)]
    graph = session.read(write_chain(tmp_path, links))
    fused = session.fuse(graph)
    assert [len(plan.group.operators) for plan in fused.plans] == [1, 1, 1]
    assert {cut.finding.key for cut in fused.cuts} == {"full-sync-cores"}
    fed = session.fuse(graph, overrides=["feed-sync-all=1"])
    assert [len(plan.group.operators) for plan in fed.plans] == [3]
    assert outcomes(session, fed) == {expected(session, fused)}
    hungry = edit(fed.plans[0], lambda step: replace(step, fed=False) if isinstance(step, Call) else step)
    # What the other cores meet is the synchronisation that the operator does not come to yet.
    assert outcomes(session, with_plan(fed, hungry)) <= {"sync-all-mixed", "operator-order"}
