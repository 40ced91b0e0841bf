# Licensed under the Apache License, Version 2.0.
"""``skcore check``: proves every plan, or refuses it with what goes wrong."""

from __future__ import annotations

from collections import Counter
from typing import Any

from skcore.check import check_plan
from skcore.check.order import required_orders
from skcore.cli.common import Input, Json, NpuArch, Overrides, Soc, Strict, make_session, tell_warnings
from skcore.cli.console import out, plain, print_json
from skcore.errors import PlanError, ProblemList
from skcore.fuse import FusedGraph
from skcore.plan.plan import Plan
from skcore.plan.steps import Await, EarlyWait, FullSync, GroupSync, WaitEvent
from skcore.target import Target

_WAITS = (GroupSync, FullSync, Await, EarlyWait, WaitEvent)


def check(
    source: Input,
    npu_arch: NpuArch,
    soc: Soc = None,
    option: Overrides = None,
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Prove that the SuperKernels of INPUT keep every order, end, and leave no flag behind."""
    session = make_session(npu_arch, soc)
    fused = session.fuse(session.read(source), overrides=option or (), strict=strict, compiled=False)
    tell_warnings(fused)
    results = [_result(plan, session.target) for plan in fused.plans]
    if as_json:
        print_json([{key: value for key, value in result.items() if key != "error"} for result in results])
    else:
        for result in results:
            _print(result)
    refuse(error for result in results if (error := result["error"]) is not None)


def check_all(fused: FusedGraph, target: Target) -> None:
    """Refuse a graph with a plan that is not safe, with all faults of all plans."""
    refuse(error for plan in fused.plans if (error := _error_of(plan, target)) is not None)


def refuse(errors: Any) -> None:
    """One error of many."""
    problems = ProblemList(PlanError)
    for error in errors:
        problems.extend(error.problems)
    problems.raise_if_any()


def _error_of(plan: Plan, target: Target) -> PlanError | None:
    try:
        check_plan(plan, target)
    except PlanError as error:
        return error
    return None


def _result(plan: Plan, target: Target) -> dict[str, Any]:
    error = _error_of(plan, target)
    waits = {
        kind.value: dict(Counter(type(step).__name__ for step in program if isinstance(step, _WAITS)))
        for kind, program in plan.programs
    }
    return {
        "name": plan.name,
        "safe": error is None,
        "orders": len(list(required_orders(plan))),
        "waits": waits,
        "barriers": [decision.text for decision in plan.decisions if decision.key == "barrier"],
        "spared": [decision.text for decision in plan.decisions if decision.key == "no-barrier"],
        "problems": [] if error is None else [str(problem) for problem in error.problems],
        "error": error,
    }


def _print(result: dict[str, Any]) -> None:
    console = out()
    verdict = "safe in every interleaving" if result["safe"] else "REFUSED"
    console.print(plain(f"{result['name']}: {verdict}; {result['orders']} orders", "bold"))
    for kind, counts in result["waits"].items():
        if counts:
            text = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
            console.print(plain(f"  {kind.upper()} cores wait at: {text}"))
    for text in (*result["barriers"], *result["spared"]):
        console.print(plain(f"  {text}"))
