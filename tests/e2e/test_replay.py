# Licensed under the Apache License, Version 2.0.
"""A plan that the checker refuses is run with a core held back, and stops; an accepted one passes with every hold."""

from __future__ import annotations

from dataclasses import replace
from types import UnionType

import pytest

from skcore.check import check_plan
from skcore.errors import PlanError, RunError
from skcore.fuse import FusedGraph
from skcore.graph.kernel import CoreKind
from skcore.plan.layout import Role
from skcore.plan.plan import Plan
from skcore.plan.steps import Await, Call, GroupSync, Signal, Step, WaitEvent
from skcore.run import Hold
from skcore.run.program import Program
from skcore.session import Session
from tests.e2e.chains import ARCHS, session_for, with_plan
from tests.e2e.random_graphs import GraphSpec, Op, faults, fuse_spec, unfused_results
from tests.e2e.test_streams import EXPERTS, SCENES, steps_of, without

SEEDS = range(5)


@pytest.fixture(params=ARCHS)
def session(request: pytest.FixtureRequest) -> Session:
    return session_for(request.param)


def held(program: Program, *holds: Hold) -> Program:
    """The program with cores held back."""
    return replace(program, inputs=replace(program.inputs, holds=holds))


def argument(plan: Plan, op: int) -> int:
    return plan.layout.parameters[op]


def last_core(plan: Plan, op: int, kind: CoreKind) -> tuple[int, int]:
    """Block and place inside the group of the last core that runs a vector or cube operator."""
    ratio = plan.shape.kernel_type.cores_per_block[kind]
    return divmod(plan.group.operators[op].kernel.blocks - 1, ratio)


def stops(session: Session, fused: FusedGraph, plan: Plan, *holds: Hold) -> list[RunError]:
    """How the runs of the refused plan with different seeds stop; all of them have to."""
    with pytest.raises(PlanError):
        check_plan(plan, session.target)
    program = held(session.fused_program(with_plan(fused, plan)), *holds)
    found = []
    for seed in SEEDS:
        with pytest.raises(RunError) as caught:
            session.run(program.with_seed(seed))
        found.append(caught.value)
    return found


def checks(errors: list[RunError]) -> set[str]:
    return {str(error.details["check"]) for error in errors}


def is_incomplete(error: RunError, hold: Hold) -> bool:
    """Whether the held core is one of those that have not ended what has to come first."""
    place = (hold.kind.name, hold.block, hold.sub_block)
    return any(
        (core["kind"], core["block"], core["sub_block"]) == place and "not " in core["missing"]
        for core in error.details["cores"]
    )


def drop(plan: Plan, wanted: type[Step] | UnionType, which: int = 0) -> Plan:
    kind, number, _ = list(steps_of(plan, wanted))[which]
    return without(plan, kind, number)


# Refused plans -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "kind"), [("v48", CoreKind.AIV), ("v17", CoreKind.AIV), ("c24", CoreKind.AIC)])
def test_without_its_barrier_an_operator_begins_while_a_held_core_is_in_the_one_before(
    session: Session, variant: str, kind: CoreKind
) -> None:
    fused = fuse_spec(session, GraphSpec((Op(variant), Op(variant)), options="early-start=0"))
    plan = fused.plans[0]
    hold = Hold(kind, *last_core(plan, 0, kind), argument(plan, 0))
    errors = stops(session, fused, drop(plan, GroupSync), hold)
    assert checks(errors) == {"operator-order"}
    for error in errors:
        assert f"{variant}_1 begins on {kind.name} block " in str(error)
        assert f"before {variant}_0 has ended" in str(error)
        assert is_incomplete(error, hold)


def test_a_lost_signal_and_its_wait_let_the_other_kind_begin(session: Session) -> None:
    fused = fuse_spec(session, GraphSpec((Op("c24"), Op("v48")), options="early-start=0"))
    plan = fused.plans[0]
    for kind, number, _ in sorted(steps_of(plan, Signal | Await), key=lambda each: -each[1]):
        plan = without(plan, kind, number)
    hold = Hold(CoreKind.AIC, 23, 0, argument(plan, 0))
    errors = stops(session, fused, plan, hold)
    assert checks(errors) == {"operator-order"}
    assert all(is_incomplete(error, hold) for error in errors)


@pytest.mark.parametrize(("variant", "kind"), [("v17", CoreKind.AIV), ("c9", CoreKind.AIC)])
def test_without_its_barrier_a_notification_is_told_while_a_held_core_still_runs(
    session: Session, variant: str, kind: CoreKind
) -> None:
    fused = fuse_spec(session, GraphSpec((Op(variant),), outer_sends=(0,)))
    plan = fused.plans[0]
    (call,) = [number for each, number, _ in steps_of(plan, Call) if each is kind]
    (barrier,) = [number for each, number, _ in steps_of(plan, GroupSync) if each is kind and number > call]
    hold = Hold(kind, *last_core(plan, 0, kind), argument(plan, 0))
    errors = stops(session, fused, without(plan, kind, barrier), hold)
    assert checks(errors) == {"told-early"}
    for error in errors:
        assert f"tells that {variant}_0 has ended" in str(error)
        assert is_incomplete(error, hold)
        assert ".notify_" in str(error)
        assert "is the step" in str(error)


@pytest.mark.parametrize("variant", ["v17", "c9", "w7"])
@pytest.mark.parametrize("place", [0, 1])
def test_without_its_wait_an_operator_begins_before_the_outside_has_set_its_word(
    session: Session, variant: str, place: int
) -> None:
    ops = [Op("v48", 0), Op("c24", 1)]
    ops[place] = Op(variant, place)
    fused = fuse_spec(session, GraphSpec(tuple(ops), outer_receives=(place,)))
    plan = fused.plans[0]
    name = plan.group.operators[place].name
    word = next(slot.name for slot in plan.layout.slots if slot.role is Role.WAIT)
    errors = stops(session, fused, drop(plan, WaitEvent), Hold(plan.shape.kernel_type.kinds[0], 23))
    assert checks(errors) == {"operator-order"}
    for error in errors:
        assert f"{name} begins on " in str(error)
        assert f"before its lock word is set from outside: byte 0 of buffer '{plan.name}.{name}.{word}'" in str(error)


# Accepted plans ------------------------------------------------------------------------------------------------------

HELD = {
    "experts": EXPERTS,
    **{
        name: SCENES[name]
        for name in (
            "experts that call early",
            "an event against the order of the list",
            "mixed operators with waits",
            "mixed operators with notifications",
            "a mixed operator that calls early and notifies",
        )
    },
}


@pytest.mark.parametrize("scene", HELD)
def test_an_accepted_plan_gives_the_right_bytes_with_cores_held_in_every_operator(session: Session, scene: str) -> None:
    fused = fuse_spec(session, HELD[scene])
    plan = fused.plans[0]
    expected = unfused_results(session, HELD[scene], fused)
    program = session.fused_program(fused)
    block = plan.shape.blocks - 1
    for op in (*range(len(plan.group.operators)), None):
        place = None if op is None else argument(plan, op)
        kinds = plan.shape.kernel_type.kinds
        holds = [Hold(kind, number, 0, place) for kind in kinds for number in (0, block)]
        for some in (holds[:1], holds[1:2], holds[2:3], holds):
            found = dict(session.run(held(program, *some)).buffers)
            assert faults(fused, expected, found) == [], (op, some)


@pytest.mark.parametrize("seed", range(3))
def test_feeding_cores_that_are_held_join_all_the_same(session: Session, seed: int) -> None:
    spec = SCENES["experts with feeding"]
    fused = fuse_spec(session, spec)
    expected = unfused_results(session, spec, fused)
    program = held(session.fused_program(fused), Hold(CoreKind.AIV, 23, 1), Hold(CoreKind.AIV, 1, 0))
    assert faults(fused, expected, dict(session.run(program.with_seed(seed)).buffers)) == []


@pytest.mark.parametrize(
    "hold",
    [
        Hold(CoreKind.AIV, 48),
        Hold(CoreKind.AIV, 0, 2),
        Hold(CoreKind.AIC, 0),
        Hold(CoreKind.AIV, 0, 0, 3),
        Hold(CoreKind.AIV, 0, launch="another"),
    ],
    ids=str,
)
def test_a_hold_of_a_core_or_a_call_that_is_not_there_is_an_error(session: Session, hold: Hold) -> None:
    fused = fuse_spec(session, GraphSpec((Op("v17"), Op("v48"))))
    with pytest.raises(RunError, match="no SuperKernel of this run has the core and the call"):
        session.run(held(session.fused_program(fused), hold))
