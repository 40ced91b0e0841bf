# Licensed under the Apache License, Version 2.0.
"""Each synchronisation names the orders that need it, and each order that needs none says since when it is known."""

from __future__ import annotations

from hypothesis import given

from skcore.check.needs import required_orders
from skcore.graph.kernel import KernelType
from skcore.plan.plan import Plan
from skcore.plan.steps import Await, FullSync, GroupSync
from tests.builders import make_kernel, make_plan, plans

A, V = KernelType.AIC_ONLY, KernelType.AIV_ONLY


def texts(plan: Plan, key: str) -> list[str]:
    return [decision.text for decision in plan.decisions if decision.key == key]


def test_a_barrier_names_the_order_that_needs_it() -> None:
    plan = make_plan([make_kernel(V, 2, "a"), make_kernel(A, 2, "b")])
    (text,) = texts(plan, "barrier")
    assert text.startswith("before b_1: ")
    assert "needed by a_0 before b_1 (stream 0)" in text


def test_an_order_that_an_early_start_hand_over_keeps_says_so() -> None:
    plan = make_plan([make_kernel(V, 2, "a", sets=True), make_kernel(V, 2, "b", waits=True)])
    assert texts(plan, "barrier") == []
    (text,) = texts(plan, "no-barrier")
    assert text == (
        "a_0 before b_1 (stream 0) needs no synchronisation of its own: it is known since the hand-over before b_1"
    )


@given(plans())
def test_every_order_is_explained_once(plan: Plan) -> None:
    explained = "\n".join((*texts(plan, "barrier"), *texts(plan, "no-barrier")))
    for before, after in required_orders(plan):
        names = plan.group.operators
        assert explained.count(f"{names[before].name} before {names[after].name} (") == 1


@given(plans())
def test_a_plan_without_explained_barriers_has_no_plain_ones(plan: Plan) -> None:
    fed = any(kernel.full_sync for kernel in plan.group.kernels) and plan.group.options.feed_sync_all
    if texts(plan, "barrier") or fed or plan.group.options.debug_sync_all:
        return
    for _, program in plan.programs:
        assert not any(isinstance(step, GroupSync | FullSync | Await) for step in program)
