# Licensed under the Apache License, Version 2.0.
"""A short text for each step."""

from __future__ import annotations

from typing import get_args

from hypothesis import given

from skcore.graph.kernel import CoreKind, OperatorClass
from skcore.plan import steps
from skcore.plan.labels import label_step
from skcore.plan.plan import Plan
from tests.builders import make_kernel, make_plan, plans

GATE = steps.Gate(steps.Index.BLOCK, 4)
MIX = OperatorClass.MIX
EXAMPLES: tuple[steps.Step, ...] = (
    steps.Call(0, ("s",), 1, GATE),
    steps.AwaitTiling(0, 3),
    steps.Select(0, 1, 5, 1),
    steps.CallSelected(0, 1),
    steps.GroupSync(CoreKind.AIC),
    steps.FullSync(),
    steps.Signal(steps.Channel.AIC_TO_AIV),
    steps.Await(steps.Channel.AIV_TO_AIC),
    steps.EarlySet(0, GATE),
    steps.EarlyConfigure(MIX, MIX),
    steps.EarlyWait(0, MIX, MIX, None),
    steps.PipeBarrier(),
    steps.Notify(0, 3),
    steps.WaitEvent(0, 3),
    steps.ClearSlot(0, 3),
    steps.Preload(0, ("s",), 2, GATE),
    steps.PreloadAhead(8),
    steps.CleanCache(),
    steps.FeedClear(4),
    steps.FeedSync(0, True, 0, 1),
    steps.Profile(steps.Mark.OPERATOR, 1, True),
)


def test_every_kind_of_step_has_a_label_of_its_own() -> None:
    assert {type(step) for step in EXAMPLES} == set(get_args(steps.Step))
    plan = make_plan([make_kernel(name="gelu")])
    labels = [label_step(step, plan) for step in EXAMPLES]
    assert len(set(labels)) == len(labels)
    assert all(label and "\n" not in label for label in labels)


def test_steps_of_an_operator_name_it() -> None:
    plan = make_plan([make_kernel(name="gelu")])
    concerned = [step for step in EXAMPLES if hasattr(step, "op")]
    assert len(concerned) == 11
    named = [step for step in concerned if "gelu_0" in label_step(step, plan)]
    assert named == concerned


@given(plans())
def test_every_step_of_a_plan_is_one_line(plan: Plan) -> None:
    for _, program in plan.programs:
        for step in program:
            assert len(label_step(step, plan).splitlines()) == 1
