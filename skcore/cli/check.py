# Licensed under the Apache License, Version 2.0.
"""``skcore check``: proves every plan, or refuses it with what goes wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from skcore.check import graph_problems, plan_problems
from skcore.check.fault import Fault
from skcore.check.needs import required_orders
from skcore.cli.common import Input, Json, NpuArch, Overrides, Soc, Strict, make_session, tell_warnings
from skcore.cli.console import out, plain, print_json
from skcore.errors import PlanError, Problem, ProblemList
from skcore.plan.plan import Plan
from skcore.plan.steps import Await, EarlyWait, FullSync, GroupSync, WaitEvent
from skcore.run.replay import replay

_MOST_REPLAYS = 3
_WAITS = (GroupSync, FullSync, Await, EarlyWait, WaitEvent)


def check(
    source: Input,
    npu_arch: NpuArch,
    soc: Soc = None,
    option: Overrides = None,
    strict: Strict = False,
    replayed: Annotated[
        bool, typer.Option("--replay", help="run what is refused as the shortest interleaving says, on the twin")
    ] = False,
    as_json: Json = False,
) -> None:
    """Prove that the SuperKernels of INPUT keep every order, end, and leave no flag behind."""
    session = make_session(npu_arch, soc)
    fused = session.fuse(session.read(source), overrides=option or (), strict=strict, compiled=replayed)
    tell_warnings(fused)
    found = [(plan, list(plan_problems(plan, session.target))) for plan in fused.plans]
    results = [_result(plan, problems) for plan, problems in found]
    if replayed:
        for (plan, problems), result in zip(found, results, strict=True):
            for problem, data in zip(problems[:_MOST_REPLAYS], result["problems"], strict=False):
                data["replay"] = replay(session, fused, plan, problem)
    if as_json:
        print_json(results)
    else:
        for result in results:
            _print(result)
    refused = ProblemList(PlanError)
    for _, problems in found:
        refused.extend(problems)
    refused.extend(graph_problems(fused.graph.tasks, fused.plans, session.target))
    refused.raise_if_any()


def _result(plan: Plan, problems: Sequence[Problem]) -> dict[str, Any]:
    waits = {
        kind.value: dict(Counter(type(step).__name__ for step in program if isinstance(step, _WAITS)))
        for kind, program in plan.programs
    }
    return {
        "name": plan.name,
        "safe": not problems,
        "orders": len(list(required_orders(plan))),
        "waits": waits,
        "barriers": [decision.text for decision in plan.decisions if decision.key == "barrier"],
        "spared": [decision.text for decision in plan.decisions if decision.key == "no-barrier"],
        "problems": [_as_data(problem) for problem in problems],
    }


def _as_data(problem: Problem) -> dict[str, Any]:
    """A problem with the whole interleaving that shows it, where there is one."""
    actions = problem.actions if isinstance(problem, Fault) else ()
    return {
        "where": problem.where,
        "what": problem.what,
        "remedy": problem.remedy,
        "interleaving": [str(action) for action in actions],
        "replay": None,
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
    for problem in result["problems"]:
        if problem["replay"] is not None:
            console.print(plain(f"  replay of: {problem['where']}: {problem['what']}"))
            console.print(plain(f"    {problem['replay'] or 'the run came to its end and shows no fault'}"))
