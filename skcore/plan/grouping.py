# Licensed under the Apache License, Version 2.0.
"""From scopes to fusion groups: who fuses with whom, and why the others do not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from skcore.errors import PlanError, Problem
from skcore.graph.kernel import SubKernel
from skcore.graph.task import KernelTask, Task, describe
from skcore.graph.taskgraph import TaskGraph
from skcore.options import Options, ScopeCheck
from skcore.plan.eligibility import Finding, inside_finding, kernel_findings, residency_finding, shape_findings
from skcore.plan.group import FusionGroup, Operator
from skcore.plan.plan import Shape
from skcore.plan.shape import CoreNeed, override_shape
from skcore.target import Target


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A task that is in no SuperKernel, and why; ``scope`` is the scope that it would belong to."""

    task: Task
    finding: Finding
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """A place where a scope was divided: the operator that opens the next group, and the ones that forced it."""

    before: KernelTask
    finding: Finding
    causes: tuple[KernelTask, ...]


@dataclass(frozen=True, slots=True)
class Grouping:
    """The fusion groups in order, the tasks in none of them, and the cuts inside scopes."""

    groups: tuple[FusionGroup, ...]
    left_out: tuple[LeftOut, ...]
    cuts: tuple[Cut, ...] = ()


def scope_of(task: Task) -> tuple[str | None, str]:
    """The scope that a task belongs to, or None with the key of the reason: ``None`` wins at any nesting."""
    if any(scope.name is None for scope in task.scopes):
        return None, "never-fuse"
    if not task.scopes:
        return None, "not-in-scope"
    return task.scopes[-1].name, ""


def group_tasks(graph: TaskGraph, target: Target, options: Mapping[str, Options]) -> Grouping:
    """Divide a graph into fusion groups; ``options`` holds the options of each scope by name.

    Operators of one scope that follow each other on one stream form a group. An operator that cannot fuse ends it, and
    so does one that would make the group unsafe; the next group starts after it, or with it.

    Raises:
        PlanError: a scope with ``strict-scope-check=abort`` holds an operator that cannot fuse.
    """
    builder = _Builder(graph, target, options)
    for task in graph.tasks:
        builder.take(task)
    return builder.finish()


@dataclass(slots=True)
class _Open:
    """A group that may still grow."""

    scope: str
    options: Options
    operators: list[Operator]
    need: CoreNeed
    shape: Shape


@dataclass(slots=True)
class _Builder:
    graph: TaskGraph
    target: Target
    options: Mapping[str, Options]
    open: dict[int, _Open] = field(default_factory=dict)
    closed: list[_Open] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)

    def take(self, task: Task) -> None:
        scope, key = scope_of(task)
        if scope is None:
            self._leave_out(task, Finding(key), "")
            return
        options = self.options.get(scope, Options())
        if not isinstance(task, KernelTask):
            self._leave_out(task, Finding("not-a-kernel", describe(task)), scope)
            return
        if not task.fusible:
            self._leave_out(task, Finding("kept-out"), scope)
            return
        if task.kernel is None:
            self._leave_out(task, Finding("no-kernel", task.missing), scope)
            return
        alone = CoreNeed().join(task.kernel)
        findings = [
            *kernel_findings(task.kernel, options),
            *(finding for finding, _ in shape_findings((task.kernel,), alone, self.target, options)),
            residency_finding(override_shape(alone, options, self.target)[0], self.target),
        ]
        finding = next(filter(None, findings), None)
        if finding is not None:
            self._leave_out(task, finding, scope)
            return
        self._join(Operator(task, task.kernel), scope, options, alone)

    def _join(self, operator: Operator, scope: str, options: Options, alone: CoreNeed) -> None:
        stream = operator.task.stream
        group = self.open.get(stream)
        if group is not None and group.scope != scope:
            self._close(stream)
            group = None
        if group is not None:
            need = group.need.join(operator.kernel)
            conflict = self._conflict(group, operator.kernel, need)
            if conflict is None:
                group.operators.append(operator)
                group.need = need
                group.shape = override_shape(need, options, self.target)[0]
                return
            finding, position = conflict
            cause = (operator, *group.operators)[position]
            self.cuts.append(Cut(operator.task, finding, (cause.task,)))
            self._close(stream)
        shape = override_shape(alone, options, self.target)[0]
        self.open[stream] = _Open(scope, options, [operator], alone, shape)

    def _conflict(self, group: _Open, kernel: SubKernel, need: CoreNeed) -> tuple[Finding, int] | None:
        """Why the kernel cannot join, with the position of the cause (0: the kernel, then the group's operators)."""
        shape, _ = override_shape(need, group.options, self.target)
        if shape == group.shape:
            finding = inside_finding(kernel, shape, self.target, group.options)
            return None if finding is None else (finding, 0)
        crowded = residency_finding(shape, self.target)
        if crowded is not None:
            return crowded, 0
        kernels = (kernel, *(operator.kernel for operator in group.operators))
        return next(shape_findings(kernels, need, self.target, group.options), None)

    def _leave_out(self, task: Task, finding: Finding, scope: str) -> None:
        self._close(task.stream)
        self.left_out.append(LeftOut(task, finding, scope))

    def _close(self, stream: int) -> None:
        group = self.open.pop(stream, None)
        if group is not None:
            self.closed.append(group)

    def finish(self) -> Grouping:
        for stream in sorted(self.open):
            self._close(stream)
        self._check_strict()
        position = {task.id: number for number, task in enumerate(self.graph.tasks)}
        self.closed.sort(key=lambda group: position[group.operators[0].task.id])
        self.left_out.sort(key=lambda item: position[item.task.id])
        names = _group_names([group.scope for group in self.closed])
        groups = tuple(
            FusionGroup(name, tuple(group.operators), group.options, group.scope)
            for name, group in zip(names, self.closed, strict=True)
        )
        return Grouping(groups, tuple(self.left_out), tuple(self.cuts))

    def _check_strict(self) -> None:
        refused = [item for item in self.left_out if item.scope]
        checks = {item.scope: self.options.get(item.scope, Options()).strict_scope_check for item in refused}
        aborted = [item for item in refused if checks[item.scope] is ScopeCheck.ABORT]
        if aborted:
            raise PlanError(
                [
                    Problem(
                        item.task.where,
                        f"scope {item.scope!r}: {describe(item.task)} cannot fuse: {item.finding.text}",
                        item.finding.remedy,
                    )
                    for item in aborted
                ]
            )
        bypassed = {scope for scope, check in checks.items() if check is ScopeCheck.BYPASS}
        for group in [group for group in self.closed if group.scope in bypassed]:
            self.closed.remove(group)
            self.left_out += [LeftOut(op.task, Finding("scope-bypassed"), group.scope) for op in group.operators]


_NAME_LENGTH = 64


def _group_names(scopes: Sequence[str]) -> list[str]:
    """One C identifier a group: the scope's name, numbered where a scope was cut."""
    groups_of = Counter(scopes)
    whole = {_base_name(scope) for scope, count in groups_of.items() if count == 1}
    taken = set(whole)
    next_number: Counter[str] = Counter()
    names = []
    for scope in scopes:
        base = _base_name(scope)
        name = base
        while groups_of[scope] > 1 and (name == base or name in taken):
            name = f"{base}_{next_number[scope]}"
            next_number[scope] += 1
        taken.add(name)
        names.append(name)
    return names


def _base_name(scope: str) -> str:
    """``sk_`` and the scope; a digest keeps scopes apart whose characters or length a name cannot have."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", scope)[:_NAME_LENGTH]
    if plain == scope:
        return f"sk_{plain}"
    return f"sk_{plain}_{blake2b(scope.encode(), digest_size=4).hexdigest()}"
