# Licensed under the Apache License, Version 2.0.
"""A refused plan is run as its example says: the core that is late there is held back."""

from __future__ import annotations

from dataclasses import replace

from skcore.check.fault import Fault, Late
from skcore.errors import Problem, RunError
from skcore.fuse import FusedGraph
from skcore.plan.plan import Plan
from skcore.run.launch import Hold
from skcore.session import Session


def replay(session: Session, fused: FusedGraph, plan: Plan, problem: Problem) -> str:
    """How the SuperKernel of a refused plan stops in a run in which the late core of the example is held back.

    The empty text means that the run came to its end: the runner does not show this fault.

    Raises:
        InputError: an operator has no buffers that it could run on.
    """
    program = session.fused_program(replace(fused, items=(plan,), beside=()))
    late = problem.late if isinstance(problem, Fault) else None
    holds = () if late is None else (_hold(plan, late),)
    try:
        session.run(replace(program, inputs=replace(program.inputs, holds=holds)))
    except RunError as error:
        return str(error)
    return ""


def _hold(plan: Plan, late: Late) -> Hold:
    argument = plan.layout.parameters[late.op] if late.op >= 0 else None
    return Hold(late.place.kind, late.place.block, late.place.sub_block, argument, plan.name)
