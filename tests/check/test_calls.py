# Licensed under the Apache License, Version 2.0.
"""What a call has to be: a plan with another one is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from skcore.check.calls import call_problems
from skcore.check.check import check_plan
from skcore.errors import PlanError
from skcore.graph.kernel import CoreKind, KernelType
from skcore.plan.plan import Plan
from skcore.plan.steps import Call, Gate, Index
from tests.builders import make_kernel, make_plan, target
from tests.check.damage import queues_of, with_queues


def plan_of_two() -> Plan:
    kernels = [make_kernel(KernelType.AIC_ONLY, 2, "first"), make_kernel(KernelType.AIC_ONLY, 2, "second")]
    return make_plan(kernels)


def with_second_call(plan: Plan, **changes: Any) -> Plan:
    queues = queues_of(plan)
    steps = queues[CoreKind.AIC]
    place, call = next((number, step) for number, step in enumerate(steps) if isinstance(step, Call) and step.op == 1)
    steps[place] = replace(call, **changes)
    return with_queues(plan, queues)


def test_calls_as_planned_are_accepted() -> None:
    assert list(call_problems(plan_of_two())) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"symbols": ("first_aic",)}, "the code first_aic is not that of second_1"),
        ({"symbols": ()}, "is not that of second_1"),
        ({"gate": Gate(Index.BLOCK, 1)}, "second_1 runs on 1 AIC cores, not on the 2 that it was built for"),
        ({"gate": Gate(Index.BLOCK, 0)}, "second_1 runs on 0 AIC cores, not on the 2 that it was built for"),
        ({"op": 0}, "second_1 is called 0 times on AIC cores, not 1"),
        ({"fed": True}, "idle cores that join second_1 do not listen to its lines"),
    ],
)
def test_another_call_is_refused(changes: dict[str, Any], expected: str) -> None:
    with pytest.raises(PlanError) as raised:
        check_plan(with_second_call(plan_of_two(), **changes), target())
    assert expected in str(raised.value)
