# Licensed under the Apache License, Version 2.0.
"""From scopes to fusion groups: who fuses with whom, and why the others do not."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from skcore.errors import PlanError, Problem
from skcore.graph.kernel import SubKernel
from skcore.graph.order import TaskOrder, order_tasks
from skcore.graph.task import EventRecord, EventWait, KernelTask, Task, describe
from skcore.graph.taskgraph import TaskGraph
from skcore.options import Options, ScopeCheck
from skcore.plan.eligibility import Finding, inside_finding, kernel_findings, residency_finding, shape_findings
from skcore.plan.group import FusionGroup, Operator
from skcore.plan.group_names import group_names
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
    """A place where a scope was divided: the operator that opens the next group, and the tasks that forced it."""

    before: KernelTask
    finding: Finding
    causes: tuple[Task, ...]


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


def group_tasks(
    graph: TaskGraph,
    target: Target,
    options: Mapping[str, Options],
    ends: Mapping[int, Finding] | None = None,
) -> Grouping:
    """Divide a graph into fusion groups; ``options`` holds the options of each scope by name.

    Operators of one scope form a group, on one stream or with ``stream-fusion=1`` on any, as long as nothing that stays
    outside has to run between them. Events between them and with the outside become part of the group, except waits
    that stand in front of it. ``ends`` are tasks before which a group has to end, and why; an operator that would make
    its group unsafe ends it too.

    Raises:
        GraphError: the tasks cannot be ordered.
        PlanError: a scope with ``strict-scope-check=abort`` holds an operator that cannot fuse.
    """
    builder = _Builder(order_tasks(graph.tasks), target, options, ends or {})
    for task in builder.order.sequence:
        builder.take(task)
    return builder.finish()


@dataclass(slots=True)
class _Open:
    """A group that may still grow.

    ``owners`` gives each task of it the operator that it belongs to, ``events`` each of its events the task that
    records it. ``after`` holds tasks outside that come after one of its tasks, ``waits`` those of its waits for which
    somebody outside records the event.
    """

    scope: str
    options: Options
    operators: list[Operator]
    need: CoreNeed
    shape: Shape
    owners: dict[int, int]
    events: dict[int, int] = field(default_factory=dict)
    after: set[int] = field(default_factory=set)
    waits: list[EventWait] = field(default_factory=list)


@dataclass(slots=True)
class _Builder:
    order: TaskOrder
    target: Target
    options: Mapping[str, Options]
    ends: Mapping[int, Finding]
    open: dict[tuple[str, int | None], _Open] = field(default_factory=dict)
    closed: list[_Open] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    waiting: dict[int, list[EventWait]] = field(default_factory=dict)
    """By stream: waits of which the next kernel of the stream decides whether they are inside."""
    by_id: dict[int, Task] = field(init=False)
    waits: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    """By record: the waits for it."""
    remaining: Counter[str | None] = field(init=False)
    """By scope: how many of its tasks are still to come."""

    def __post_init__(self) -> None:
        self.by_id = {task.id: task for task in self.order.sequence}
        for wait, record in self.order.records.items():
            self.waits[record].append(wait)
        self.remaining = Counter(scope_of(task)[0] for task in self.order.sequence)

    def take(self, task: Task) -> None:
        scope, key = scope_of(task)
        self._place(task, scope, key)
        self.remaining[scope] -= 1
        if scope is not None and not self.remaining[scope]:
            self.closed += [self.open.pop(each) for each in list(self.open) if each[0] == scope]

    def _place(self, task: Task, scope: str | None, key: str) -> None:
        if isinstance(task, EventWait) and scope is not None:
            self.waiting.setdefault(task.stream, []).append(task)
        elif isinstance(task, EventWait | EventRecord):
            if not (isinstance(task, EventRecord) and scope is not None and self._send(task, scope)):
                self._stay_outside(task)
        elif scope is None:
            self._leave_out(task, Finding(key), "")
        else:
            self._take_in_scope(task, scope)

    def _take_in_scope(self, task: Task, scope: str) -> None:
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
        shape, _ = override_shape(alone, options, self.target)
        findings = [
            *kernel_findings(task.kernel, options),
            *(finding for finding, _ in shape_findings((task.kernel,), alone, self.target, options)),
            residency_finding(shape, self.target),
        ]
        finding = next(filter(None, findings), None)
        if finding is not None:
            self._leave_out(task, finding, scope)
            return
        self._join(_Open(scope, options, [Operator(task, task.kernel)], alone, shape, {task.id: 0}))

    def _join(self, alone: _Open) -> None:
        """Let an operator, which is a group by itself, join the one of its scope, or open the next one."""
        (operator,) = alone.operators
        task, scope, options = operator.task, alone.scope, alone.options
        key = (scope, None if options.stream_fusion else task.stream)
        group = self.open.get(key)
        waits = self.waiting.pop(task.stream, [])
        if group is not None and not self._fits(group, operator, waits):
            self.closed.append(self.open.pop(key))
            group = None
        if group is None:
            self._tell_of_other_streams(task, scope, options)
            for wait in waits:
                self._stay_outside(wait)
            self.open[key] = alone
        else:
            group.owners[task.id] = len(group.operators)
            received = [wait for wait in waits if self._is_inside(group, wait)]
            group.operators.append(replace(operator, receives=tuple(wait.event for wait in received)))
            group.need = group.need.join(operator.kernel)
            group.shape = override_shape(group.need, options, self.target)[0]
        self._follow(task)

    def _fits(self, group: _Open, operator: Operator, waits: Sequence[EventWait]) -> bool:
        """Whether an operator can join, with the waits in front of it; tells why not where the user can change it."""
        tasks: tuple[Task, ...] = (*waits, operator.task)
        for task in tasks:
            finding = self.ends.get(task.id)
            if finding is None and isinstance(task, EventWait):
                finding = self._wait_finding(group, task)
            if finding is not None:
                self.cuts.append(Cut(operator.task, finding, (task,)))
                return False
        # What is recorded elsewhere is waited for inside; all else has to be over when the group starts.
        record = self.order.records.get(tasks[0].id)
        if any(before in group.after and before != record for before in self.order.predecessors[tasks[0].id]):
            return False
        conflict = self._conflict(group, operator.kernel, group.need.join(operator.kernel))
        if conflict is None:
            return True
        finding, position = conflict
        self.cuts.append(Cut(operator.task, finding, ((operator, *group.operators)[position].task,)))
        return False

    def _wait_finding(self, group: _Open, wait: EventWait) -> Finding | None:
        """Why a wait cannot be inside, if it would have to be."""
        record = self.order.records.get(wait.id)
        if record is None:
            return Finding("event-from-outside", describe(wait)) if self._comes_after(group, wait) else None
        return Finding("event-reused", describe(wait)) if group.events.get(wait.event, record) != record else None

    def _is_inside(self, group: _Open, wait: EventWait) -> bool:
        """Take a wait into a group, or leave it in front: it is inside where something of the group comes before it."""
        record = self.order.records.get(wait.id)
        if record not in group.owners and not self._comes_after(group, wait):
            self._stay_outside(wait)
            return False
        group.owners[wait.id] = len(group.operators)
        group.events[wait.event] = self.order.records[wait.id]
        if record not in group.owners:
            group.waits.append(wait)
        return True

    def _comes_after(self, group: _Open, task: Task) -> bool:
        return any(before in group.owners or before in group.after for before in self.order.predecessors[task.id])

    def _send(self, record: EventRecord, scope: str) -> bool:
        """Let the operator in front of a record send its event, where its group is still open."""
        if self.waiting.get(record.stream):
            return False
        for group in self.open.values():
            owner = next(
                (group.owners[each] for each in self.order.predecessors[record.id] if each in group.owners), None
            )
            if owner is not None and group.scope == scope and record.event not in group.events:
                operator = group.operators[owner]
                group.events[record.event] = record.id
                group.operators[owner] = replace(operator, sends=(*operator.sends, record.event))
                group.owners[record.id] = owner
                self._follow(record)
                return True
        return False

    def _tell_of_other_streams(self, task: KernelTask, scope: str, options: Options) -> None:
        """Without stream fusion a scope has a SuperKernel on each of its streams."""
        others = [
            group for (name, stream), group in self.open.items() if name == scope and stream not in (None, task.stream)
        ]
        if others and not options.stream_fusion:
            self.cuts.append(Cut(task, Finding("other-stream"), (others[-1].operators[-1].task,)))

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
        self._stay_outside(task)
        self.left_out.append(LeftOut(task, finding, scope))

    def _stay_outside(self, task: Task) -> None:
        for wait in self.waiting.pop(task.stream, ()):
            self._follow(wait)
        self._follow(task)

    def _follow(self, task: Task) -> None:
        """Note what comes after open groups."""
        for group in self.open.values():
            if task.id not in group.owners and self._comes_after(group, task):
                group.after.add(task.id)

    def finish(self) -> Grouping:
        self.closed += self.open.values()
        self._check_strict()
        position = {task.id: number for number, task in enumerate(self.order.sequence)}
        self.closed.sort(key=lambda group: position[group.operators[0].task.id])
        self.left_out.sort(key=lambda item: position[item.task.id])
        names = group_names([group.scope for group in self.closed])
        groups = tuple(self._finished(name, group) for name, group in zip(names, self.closed, strict=True))
        return Grouping(groups, tuple(self.left_out), tuple(self.cuts))

    def _finished(self, name: str, group: _Open) -> FusionGroup:
        kernels = {operator.task.id for operator in group.operators}
        events = tuple(task for task in group.owners if task not in kernels)
        relays = tuple((sent, wait.event) for wait in group.waits for sent in self._sent_before(group, wait))
        outward = tuple(self._sent_outside(group))
        return FusionGroup(name, tuple(group.operators), group.options, group.scope, events, outward, relays)

    def _sent_outside(self, group: _Open) -> Iterator[int]:
        """Events of a group for which something outside waits."""
        for event, record in group.events.items():
            if record in group.owners and any(wait not in group.owners for wait in self.waits[record]):
                yield event

    def _sent_before(self, group: _Open, wait: EventWait) -> list[int]:
        """The events of a group that are sent, by way of the outside, before an event that it waits for."""
        seen: set[int] = set()
        sent: list[int] = []
        todo = [self.order.records[wait.id]]
        while todo:
            task = self.by_id[todo.pop()]
            if task.id in group.owners:
                sent += [task.event] if isinstance(task, EventRecord) else []
            elif task.id in group.after and task.id not in seen:
                seen.add(task.id)
                todo += self.order.predecessors[task.id]
        return sorted(dict.fromkeys(sent))

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
