# Licensed under the Apache License, Version 2.0.
"""Graphs of several streams in one SuperKernel, and each thing that keeps them right broken once."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from types import UnionType

import pytest

from skcore.check import check_plan
from skcore.errors import PlanError, RunError
from skcore.fuse import FusedGraph
from skcore.graph.kernel import CoreKind, PerKind
from skcore.graph.task import BufferArgument
from skcore.plan.layout import Role
from skcore.plan.plan import Plan, Segment
from skcore.plan.steps import Await, Call, ClearSlot, FullSync, GroupSync, Notify, Signal, Step, WaitEvent
from skcore.run import Watch
from skcore.run.program import Program
from skcore.session import Session
from tests.e2e.chains import ARCHS, session_for, with_plan
from tests.e2e.random_graphs import PIECE_BYTES, GraphSpec, Op, check_spec, faults, fuse_spec, unfused_results

SEEDS = range(4)

# Two streams of a mixture-of-experts layer (scenarios.md 3.4): the shared expert runs beside the routed ones.
EXPERTS = GraphSpec(
    ops=(
        Op("v40_early", 0),  # norm
        Op("w7", 0),  # gate
        Op("v6", 0),  # topk
        Op("c9", 1),  # up
        Op("v48_sync", 0),  # dispatch
        Op("w11_hand", 0),  # gmm1
        Op("v17", 1),  # act
        Op("v48", 0),  # swiglu-quant
        Op("c24", 1),  # down
        Op("w7", 0),  # gmm2
        Op("v48_sync", 0),  # combine
        Op("v17", 0),  # add
    ),
    events=((2, (3,)), (8, (11,))),
)

SCENES = {
    "experts": EXPERTS,
    "experts that call early": replace(
        EXPERTS, ops=tuple(replace(op, variant={"w7": "w16_early"}.get(op.variant, op.variant)) for op in EXPERTS.ops)
    ),
    "experts with feeding": replace(
        EXPERTS,
        ops=tuple(replace(op, variant={"v48_sync": "v8_sync"}.get(op.variant, op.variant)) for op in EXPERTS.ops),
        options="feed-sync-all=1",
    ),
    "two mixed operators side by side": GraphSpec((Op("w11_hand", 0), Op("m20_hand", 1))),
    "two mixed streams that cross": GraphSpec(
        (Op("w7", 0), Op("m5", 1), Op("w11_hand", 0), Op("m20_hand", 1)), ((0, (3,)), (1, (2,)))
    ),
    "cube and vector side by side": GraphSpec((Op("c9", 0), Op("v48", 1), Op("c24", 0), Op("v17", 1))),
    "an event against the order of the list": GraphSpec((Op("v48", 0), Op("w7", 1)), ((1, (0,)),)),
    "one event for two streams": GraphSpec((Op("c24", 0), Op("v48", 1), Op("w7", 2)), ((0, (1, 2)),)),
    "a wait at the head of a queue": GraphSpec((Op("c9", 0), Op("v17", 1)), outer_receives=(1,)),
    "a wait of the first operator": GraphSpec((Op("c9", 0), Op("v17", 1)), outer_receives=(0,)),
    "mixed operators with waits": GraphSpec(
        (Op("w7", 0), Op("v17", 1), Op("w11_hand", 0), Op("c9", 1)), outer_receives=(0, 2)
    ),
    "mixed operators with notifications": GraphSpec(
        (Op("w7", 0), Op("v17", 1), Op("w11_hand", 0), Op("c9", 1)), outer_sends=(0, 2)
    ),
    "a mixed operator that waits behind a vector operator": GraphSpec(
        (Op("v17", 0), Op("w7", 0), Op("c9", 1)), outer_receives=(1,), outer_sends=(1,)
    ),
    "a mixed operator that waits behind a cube operator": GraphSpec(
        (Op("c9", 0), Op("w7", 0), Op("v17", 1)), outer_receives=(1,), outer_sends=(1,)
    ),
    "a mixed operator that calls early and notifies": GraphSpec((Op("w16_early", 0),), outer_sends=(0,)),
    "a mixed operator that calls early before an event against the list": GraphSpec(
        (Op("v1", 0), Op("w24_set", 1)), ((1, (0,)),)
    ),
    "a vector operator that waits early for a cube operator, one to one": GraphSpec((Op("c24"), Op("v8_wait"))),
    "a cube operator that waits early for a vector operator, one to one": GraphSpec((Op("v1"), Op("c24_early"))),
    "six streams": GraphSpec(
        tuple(Op(variant, stream) for stream, variant in enumerate(("v1", "c3", "m5", "w7", "v48", "c24"))),
        ((0, (1, 2)), (1, (3,)), (2, (4,)), (4, (5,))),
    ),
}


@pytest.fixture(params=ARCHS)
def session(request: pytest.FixtureRequest) -> Session:
    return session_for(request.param)


@pytest.mark.parametrize("scene", SCENES)
def test_a_scene_gives_the_bytes_of_its_operators_run_alone(session: Session, scene: str) -> None:
    spec = SCENES[scene]
    assert spec.fitting(session.target) == spec
    check_spec(session, spec, SEEDS)


# Words of outer events -----------------------------------------------------------------------------------------------


def word_names(fused: FusedGraph, role: Role) -> list[str]:
    """Buffers that hold the words of events."""
    return [
        f"{plan.name}.{plan.group.operators[slot.op].name}.{slot.name}"
        for plan in fused.plans
        for slot in plan.layout.slots
        if slot.role is role
    ]


def outcomes(session: Session, program: Program, seeds: Sequence[int]) -> set[str]:
    """The checks that stop the program with some seed; empty for a run that ends."""
    found = set()
    for seed in seeds:
        try:
            session.run(program.with_seed(seed))
        except RunError as error:
            found.add(str(error.details["check"]))
        else:
            found.add("")
    return found


def unwatched(program: Program) -> Program:
    """The program without anything that is watched, and nobody outside."""
    return replace(program, launches=tuple(replace(each, watch=Watch()) for each in program.launches))


@pytest.mark.parametrize("receiver", ["v17", "c9", "w7", "w11_hand", "v40_early", "v48_sync"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_word_that_nobody_sets_stops_the_run_with_a_report_that_names_it(
    session: Session, receiver: str, place: int
) -> None:
    ops = [Op("c9", 0), Op("v48", 1), Op("v17", 0), Op("c24", 1)]
    ops[place] = replace(ops[place], variant=receiver)
    fused = fuse_spec(session, GraphSpec(tuple(ops), outer_receives=(place,)).fitting(session.target))
    check_plan(fused.plans[0], session.target)
    (name,) = word_names(fused, Role.WAIT)
    with pytest.raises(RunError) as caught:
        session.run(unwatched(session.fused_program(fused)))
    assert caught.value.details["check"] == "hang"
    assert f"buffer '{name}'" in str(caught.value)
    assert any(f"buffer '{name}'" in core["waits_for"] for core in caught.value.details["cores"])
    index = next(index for index, slot in enumerate(fused.plans[0].layout.slots) if slot.role is Role.WAIT)
    assert f"wait for argument {index} before {fused.graph.kernels[place].name}" in str(caught.value)


def inside_output(fused: FusedGraph, program: Program, buffer: str, offset: int) -> Program:
    """The program with the notification's word in the middle of an output, where a late core would overwrite it."""
    index = next(index for index, slot in enumerate(fused.plans[0].layout.slots) if slot.role is Role.NOTIFY)
    (launch,) = program.launches
    words = (*launch.words[:index], BufferArgument(buffer, offset), *launch.words[index + 1 :])
    return replace(program, launches=(replace(launch, words=words),))


@pytest.mark.parametrize("sender", ["v17", "c9", "w7", "w11_hand", "m20_hand", "v48_sync", "v8_wait", "w16_early"])
def test_a_notification_comes_after_the_whole_output(session: Session, sender: str) -> None:
    spec = GraphSpec((Op("v17", 0), Op(sender, 1), Op("c9", 0)), outer_sends=(1,)).fitting(session.target)
    fused = fuse_spec(session, spec)
    expected = unfused_results(session, spec, fused)["y1"]
    program = session.fused_program(fused)
    for seed, piece in zip(range(8), (0, 1, 2, 3, 24, 45, 46, 47), strict=True):
        offset = piece * PIECE_BYTES
        found = session.run(inside_output(fused, program, "y1", offset).with_seed(seed)).buffers["y1"]
        assert found == expected[:offset] + struct.pack("<Q", 1) + expected[offset + 8 :]


@pytest.mark.parametrize("sender", ["v17", "c9", "w7", "w11_hand"])
def test_a_notification_that_comes_too_early_is_seen(session: Session, sender: str) -> None:
    """The other half of the test before: without what holds the notification back, an output hides it."""
    fused = fuse_spec(session, GraphSpec((Op(sender, 0),), outer_sends=(0,)))
    plan = fused.plans[0]
    calls = {kind: number for kind, number, _ in steps_of(plan, Call)}
    guards = [(kind, number) for kind, number, _ in steps_of(plan, GroupSync | Await | Signal) if number > calls[kind]]
    for kind, number in sorted(guards, key=lambda each: -each[1]):
        plan = without(plan, kind, number)
    program = session.fused_program(with_plan(fused, plan))
    assert "told-early" in outcomes(session, program, range(8))
    program = unwatched(program)
    words = set()
    for seed in range(8):
        for piece in (1, 24, 47):
            offset = piece * PIECE_BYTES
            found = session.run(inside_output(fused, program, "y0", offset).with_seed(seed)).buffers["y0"]
            words.add(found[offset : offset + 8] == struct.pack("<Q", 1))
    assert False in words


# Broken on purpose ---------------------------------------------------------------------------------------------------

GUARDS = Signal | Await | GroupSync | FullSync | WaitEvent | Notify | ClearSlot


@dataclass(frozen=True, slots=True)
class Break:
    """A plan without one of its steps."""

    kind: CoreKind
    number: int
    step: Step
    plan: Plan


def label(broken: Break) -> str:
    return f"{broken.kind.value} {broken.number}: {broken.step}"


def is_refused(session: Session, broken: Break) -> bool:
    try:
        check_plan(broken.plan, session.target)
    except PlanError:
        return True
    return False


def steps_of(plan: Plan, wanted: type | UnionType) -> Iterator[tuple[CoreKind, int, Step]]:
    for kind, program in plan.programs:
        for number, step in enumerate(program):
            if isinstance(step, wanted):
                yield kind, number, step


def without(plan: Plan, kind: CoreKind, number: int) -> Plan:
    """The plan without the step with this number on this kind."""
    program = plan.programs[kind]
    first = len(program.prologue)

    def cut(steps: tuple[Step, ...], begin: int) -> tuple[Step, ...]:
        place = number - begin
        return steps[:place] + steps[place + 1 :] if 0 <= place < len(steps) else steps

    segments = []
    begin = first
    for segment in program.segments:
        segments.append(Segment(segment.op, cut(segment.steps, begin)))
        begin += len(segment.steps)
    broken = replace(
        program,
        prologue=cut(program.prologue, 0),
        segments=tuple(segments),
        epilogue=cut(program.epilogue, begin),
    )
    programs = PerKind.of(lambda each: broken if each is kind else plan.programs[each])
    return replace(plan, programs=programs)


def breaks(plan: Plan) -> list[Break]:
    return [Break(kind, number, step, without(plan, kind, number)) for kind, number, step in steps_of(plan, GUARDS)]


BROKEN = GraphSpec(
    (Op("v17", 0), Op("w7", 1), Op("c24", 0), Op("v48", 1), Op("w11_hand", 0), Op("v40_early", 1)),
    ((1, (2,)), (0, (3,))),
    outer_receives=(0, 1),
    outer_sends=(2, 4),
)


def is_seen(session: Session, fused: FusedGraph, expected: dict[str, bytes], broken: Break) -> bool:
    """Whether some seed shows the break: other bytes, a wrong word, or a stopped run."""
    program = session.fused_program(with_plan(fused, broken.plan))
    for seed in range(5):
        try:
            found = dict(session.run(program.with_seed(seed)).buffers)
        except RunError:
            return True
        if faults(fused, expected, found):
            return True
    return False


def test_each_step_that_guards_an_order_is_missed_by_the_checker_and_by_the_twin(session: Session) -> None:
    fused = fuse_spec(session, BROKEN)
    plan = fused.plans[0]
    check_plan(plan, session.target)
    expected = unfused_results(session, BROKEN, fused)
    accepted, unseen, all_breaks = [], [], breaks(plan)
    for broken in all_breaks:
        if not is_refused(session, broken):
            accepted.append(label(broken))
        if not is_seen(session, fused, expected, broken):
            unseen.append(label(broken))
    assert accepted == []
    assert len({type(broken.step) for broken in all_breaks}) >= 6
    assert unseen == []


@pytest.mark.parametrize("scene", SCENES)
def test_no_step_of_a_scene_can_be_left_out(session: Session, scene: str) -> None:
    plan = fuse_spec(session, SCENES[scene]).plans[0]
    # The barrier after the feed-sync workspace is cleared stands there also where a later one would do.
    prologues = plan.programs.map(lambda _, program: len(program.prologue))
    for broken in breaks(plan):
        if broken.number < prologues[broken.kind]:
            continue
        assert is_refused(session, broken), label(broken)
