# Licensed under the Apache License, Version 2.0.
"""Checks of finished plans: what no plan may do, whoever made it (design §7)."""

from skcore.check.check import check_plan, check_plans, graph_problems, plan_problems

__all__ = ["check_plan", "check_plans", "graph_problems", "plan_problems"]
