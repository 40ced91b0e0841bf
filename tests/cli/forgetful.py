# Licensed under the Apache License, Version 2.0.
"""A plug-in that plans as the core does, and forgets every barrier."""

from __future__ import annotations

from skcore.graph.kernel import PerKind
from skcore.options import Options
from skcore.plan.group import FusionGroup
from skcore.plan.plan import Program
from skcore.plan.planner import plan_group
from skcore.plan.steps import GroupSync
from skcore.plugin import hookimpl
from skcore.target import Target

SKCORE_API_VERSION = 1


@hookimpl
def plan_sync(group: FusionGroup, target: Target, options: Options) -> PerKind[Program]:
    plan = plan_group(group, target)

    def without_barriers(program: Program) -> Program:
        return Program(tuple(step for step in program if not isinstance(step, GroupSync)))

    return plan.programs.map(lambda _, program: without_barriers(program))
