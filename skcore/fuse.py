# Licensed under the Apache License, Version 2.0.
"""Fuse: a function from a task graph to a task graph with SuperKernels in it (design §3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from skcore.build.kernels import adapt_kernel
from skcore.check.progress import Resident, find_hangs
from skcore.errors import InputError, OptionError, PlanError, Problem, ProblemList
from skcore.graph.arguments import argument_problems
from skcore.graph.kernel import SubKernel
from skcore.graph.task import EventRecord, EventWait, KernelTask, Task, describe
from skcore.graph.taskgraph import TaskGraph
from skcore.options import Options, parse_options
from skcore.plan.arrange import arrange
from skcore.plan.eligibility import Finding
from skcore.plan.group import FusionGroup, Operator
from skcore.plan.grouping import Cut, Grouping, LeftOut, group_tasks, scope_of
from skcore.plan.plan import Plan
from skcore.plan.planner import plan_group
from skcore.plan.shape import need_of, override_shape
from skcore.plugin import Plugins
from skcore.target import Target

CompileKernels = Callable[[Sequence[tuple[SubKernel, Options]]], Mapping[SubKernel, SubKernel]]


@dataclass(frozen=True, slots=True)
class FusedGraph:
    """The result of fusing: what runs, in order, and why it is so.

    ``items`` holds the plans, and every task that is in no SuperKernel, each after what it waits for: one after the
    other they give what the graph means. Only what has to run at the same time as a SuperKernel stands behind it:
    ``beside`` names the SuperKernel, and its wait for that.
    """

    graph: TaskGraph
    items: tuple[Plan | Task, ...]
    left_out: tuple[LeftOut, ...]
    cuts: tuple[Cut, ...]
    options: Mapping[str, Options]
    warnings: tuple[Problem, ...] = ()
    beside: tuple[tuple[str, EventWait], ...] = ()

    @property
    def plans(self) -> tuple[Plan, ...]:
        return tuple(item for item in self.items if isinstance(item, Plan))


def find_kernels(graph: TaskGraph, target: Target, plugins: Plugins) -> TaskGraph:
    """Ask the kernel providers for every operator that has no kernel yet.

    Raises:
        InputError: what the providers refuse, all together.
    """
    problems = ProblemList()
    tasks: list[Task] = []
    for task in graph.tasks:
        if isinstance(task, KernelTask) and task.kernel is None:
            try:
                kernel = plugins.hook.find_kernel(op=task, target=target)
            except InputError as error:
                problems.extend(error.problems)
                continue
            missing = "" if kernel else f"no kernel library has {task.op_type!r}"
            task = replace(task, kernel=kernel, missing=missing)
            problems.extend(argument_problems(task))
        tasks.append(task)
    problems.raise_if_any()
    return replace(graph, tasks=tuple(tasks))


def fuse(
    graph: TaskGraph,
    target: Target,
    plugins: Plugins,
    *,
    overrides: Sequence[str] = (),
    strict: bool = False,
    compile_kernels: CompileKernels | None = None,
) -> FusedGraph:
    """Group, plan, and replace; with ``compile_kernels`` the source kernels are compiled first.

    Raises:
        OptionError: options of any scope that are wrong, all together.
        PlanError: a group that was ordered as a whole cannot be one SuperKernel.
    """
    options, warnings = _scope_options(graph, overrides, strict)
    default = parse_options(None, overrides=overrides).options
    graph = _adapted(graph, options, default)
    grouping = _whole(graph, options) if graph.whole else _grouped(graph, target, options)
    if compile_kernels is not None:
        graph, grouping = _compiled(graph, grouping, options, default, compile_kernels)
    plans = tuple(plan_group(group, target, plugins) for group in grouping.groups)
    items, beside = arrange(graph.tasks, plans)
    return FusedGraph(graph, items, grouping.left_out, grouping.cuts, options, warnings, beside)


def _grouped(graph: TaskGraph, target: Target, options: Mapping[str, Options]) -> Grouping:
    """Group, prove that all of it comes to its end together, and end groups before what may hang until it does."""
    ends: dict[int, Finding] = {}
    while True:
        grouping = group_tasks(graph, target, options, ends)
        residents = [
            Resident(group, override_shape(need_of(group.kernels), group.options, target)[0])
            for group in grouping.groups
        ]
        hangs = find_hangs(graph.tasks, residents, target)
        if not hangs:
            return grouping
        ends.update({hang.before.id: Finding(hang.key, hang.detail) for hang in hangs})


def _scope_options(
    graph: TaskGraph, overrides: Sequence[str], strict: bool
) -> tuple[dict[str, Options], tuple[Problem, ...]]:
    problems = ProblemList(OptionError)
    options: dict[str, Options] = {}
    warnings: list[Problem] = []
    for scope in graph.scopes:
        try:
            parsed = parse_options(scope.options, where=scope.where, overrides=overrides, strict=strict)
        except OptionError as error:
            problems.extend(error.problems)
            continue
        options[scope.name] = parsed.options
        warnings += parsed.warnings
    problems.raise_if_any()
    default = parse_options(None, overrides=overrides).options
    for task in graph.tasks:
        name, _ = scope_of(task)
        if name is not None:
            options.setdefault(name, default)
    return options, tuple(warnings)


def _options_of(task: Task, options: Mapping[str, Options], default: Options) -> Options:
    scope, _ = scope_of(task)
    return default if scope is None else options.get(scope, default)


def _adapted(graph: TaskGraph, options: Mapping[str, Options], default: Options) -> TaskGraph:
    def adapt(task: Task) -> Task:
        if not isinstance(task, KernelTask) or task.kernel is None:
            return task
        if task.kernel.source is None and not task.kernel.tiling:
            return task
        return replace(task, kernel=adapt_kernel(task.kernel, _options_of(task, options, default)))

    return replace(graph, tasks=tuple(adapt(task) for task in graph.tasks))


def _whole(graph: TaskGraph, options: Mapping[str, Options]) -> Grouping:
    """The graph as one group, or a refusal that names every task in the way.

    A wait belongs to the next operator of its stream, a record to the last one.
    """
    problems = ProblemList(PlanError)
    operators: list[Operator] = []
    waiting: dict[int, list[EventWait]] = {}
    last: dict[int, int] = {}
    for task in graph.tasks:
        if isinstance(task, EventWait):
            waiting.setdefault(task.stream, []).append(task)
        elif isinstance(task, EventRecord) and task.stream in last:
            number = last[task.stream]
            operators[number] = replace(operators[number], sends=(*operators[number].sends, task.event))
        elif isinstance(task, KernelTask) and task.kernel is not None:
            receives = tuple(wait.event for wait in waiting.pop(task.stream, ()))
            last[task.stream] = len(operators)
            operators.append(Operator(task, task.kernel, receives=receives))
        else:
            problems.add(task.where, f"{graph.name}: {describe(task)} cannot be part of a SuperKernel", "leave it out")
    for wait in [wait for waits in waiting.values() for wait in waits]:
        problems.add(wait.where, f"{graph.name}: no operator follows {describe(wait)} on stream {wait.stream}")
    problems.raise_if_any()
    scope = graph.scopes[0].name if graph.scopes else graph.name
    events = tuple(task.id for task in graph.tasks if isinstance(task, EventWait | EventRecord))
    group = FusionGroup(graph.name, tuple(operators), options.get(scope, Options()), scope, events)
    return Grouping((group,), ())


def _compiled(
    graph: TaskGraph,
    grouping: Grouping,
    options: Mapping[str, Options],
    default: Options,
    compile_kernels: CompileKernels,
) -> tuple[TaskGraph, Grouping]:
    wanted = {
        task.kernel: _options_of(task, options, default)
        for task in graph.kernels
        if task.kernel is not None and not task.kernel.is_compiled
    }
    if not wanted:
        return graph, grouping
    compiled = compile_kernels(list(wanted.items()))

    def take(task: KernelTask) -> KernelTask:
        return task if task.kernel is None else replace(task, kernel=compiled.get(task.kernel, task.kernel))

    tasks = tuple(take(task) if isinstance(task, KernelTask) else task for task in graph.tasks)
    groups = tuple(
        replace(
            group,
            operators=tuple(
                replace(
                    operator,
                    task=take(operator.task),
                    kernel=compiled.get(operator.kernel, operator.kernel),
                )
                for operator in group.operators
            ),
        )
        for group in grouping.groups
    )
    return replace(graph, tasks=tasks), replace(grouping, groups=groups)
