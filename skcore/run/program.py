# Licensed under the Apache License, Version 2.0.
"""From a fused graph to launches: argument words, and the buffers that nobody wrote down."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from skcore.build.unit import Artifact
from skcore.emit.source import entry_symbol
from skcore.errors import InputError, Problem, ProblemList, RunError
from skcore.fuse import FusedGraph
from skcore.graph.arguments import WORKSPACE
from skcore.graph.kernel import PerKind
from skcore.graph.order import order_tasks
from skcore.graph.task import Argument, BufferArgument, EventRecord, EventWait, KernelTask, Task, WordArgument, describe
from skcore.graph.taskgraph import TaskGraph
from skcore.plan.layout import Role, Slot
from skcore.plan.plan import Plan
from skcore.run.contents import initial_bytes
from skcore.run.launch import Launch, Pointer, RunInputs
from skcore.run.profile import empty_profile, profile_buffer_name
from skcore.run.watch import watch_of
from skcore.target import Target

# Where a target has a word for the synchronisation base, kernels only hand it to the hardware: any address will do.
_SYNC_BASE = WordArgument(1 << 12)


def _tiling_attribute(task: KernelTask, role: Role) -> str:
    """The task's attribute of the role's name.

    Raises:
        RunError: the task has none.
    """
    value = dict(task.attributes).get(role.value)
    if value is None:
        raise RunError(
            f"{task.where}: {task.name} decides its tiling on the device: give it the attribute {role.value}"
        )
    return value


@dataclass(frozen=True, slots=True)
class Program:
    """Launches in order, with the bytes of every buffer before the first of them."""

    launches: tuple[Launch, ...]
    inputs: RunInputs

    def with_seed(self, seed: int) -> Program:
        """The same program for another order of the scheduler."""
        return replace(self, inputs=replace(self.inputs, seed=seed))


def unfused_program(graph: TaskGraph, module: Artifact, target: Target, seed: int) -> Program:
    """Every kernel launched alone, in an order that streams and events allow."""
    return _Builder(graph, target, seed).program(order_tasks(graph.tasks).sequence, {}, module)


def fused_program(
    fused: FusedGraph, artifacts: Mapping[str, Artifact], module: Artifact | None, target: Target, seed: int
) -> Program:
    """SuperKernels and what stayed outside of them, in order; ``artifacts`` holds the SuperKernels by name.

    Raises:
        RunError: something has to run at the same time as a SuperKernel.
    """
    for name, wait in fused.beside:
        raise RunError(
            f"{wait.where}: {name} waits for event {wait.event}, which is recorded only once {name} runs: launches run "
            "one after the other here"
        )
    return _Builder(fused.graph, target, seed).program(fused.items, artifacts, module)


@dataclass(slots=True)
class _Builder:
    graph: TaskGraph
    target: Target
    seed: int
    buffers: dict[str, bytes] = field(default_factory=dict)
    pointers: list[Pointer] = field(default_factory=list)
    problems: ProblemList = field(default_factory=ProblemList)

    def program(
        self, items: tuple[Plan | Task, ...], artifacts: Mapping[str, Artifact], module: Artifact | None
    ) -> Program:
        self.buffers = {buffer.name: initial_bytes(buffer) for buffer in self.graph.buffers}
        launches = []
        for item in items:
            if isinstance(item, Plan):
                launches.append(self._super_kernel(item, artifacts[item.name]))
            elif isinstance(item, KernelTask) and module is not None:
                launches.append(self._alone(item, module))
            elif not isinstance(item, KernelTask | EventRecord | EventWait):
                raise RunError(f"{item.where}: {describe(item)} is no kernel: it cannot be run here")
        self.problems.raise_if_any()
        return Program(tuple(launches), RunInputs(self.buffers, tuple(self.pointers), self.seed))

    def _alone(self, task: KernelTask, module: Artifact) -> Launch:
        kernel = task.kernel
        if kernel is None:
            raise InputError(Problem(task.where, f"{task.name} has no kernel: {task.missing}"))
        words = tuple(self._words(task))
        symbols, kernel_type, blocks = kernel.symbols, kernel.kernel_type, kernel.blocks
        if kernel.tiling:
            key = int(_tiling_attribute(task, Role.TILING_KEY))
            variant = next((each for each in kernel.tiling if each.key == key), None)
            if variant is None:
                raise RunError(f"{task.where}: {task.name} has no variant for the tiling key {key}")
            symbols, kernel_type = variant.symbols, variant.kernel_type
            blocks = int(_tiling_attribute(task, Role.BLOCK_NUM))
        return Launch(task.name, module, symbols, kernel_type, blocks, words, super_kernel=False)

    def _super_kernel(self, plan: Plan, artifact: Artifact) -> Launch:
        of_operator = [dict(enumerate(self._words(operator.task))) for operator in plan.group.operators]
        watch = watch_of(plan)
        late = {each.word for each in watch.outside}
        words = tuple(
            self._slot_word(plan, slot, of_operator, late=index in late) for index, slot in enumerate(plan.layout.slots)
        )
        symbols = PerKind.of(lambda kind: entry_symbol(plan, kind) if plan.shape.cores[kind] else None)
        shape = plan.shape
        return Launch(
            plan.name, artifact, symbols, shape.kernel_type, shape.blocks, words, super_kernel=True, watch=watch
        )

    def _slot_word(
        self, plan: Plan, slot: Slot, of_operator: Sequence[Mapping[int, Argument]], *, late: bool
    ) -> Argument:
        """One argument word of a SuperKernel; what the work outside writes is there already, if it is not ``late``."""
        match slot.role:
            case Role.HEAD:
                return _SYNC_BASE
            case Role.PARAMETER:
                return of_operator[slot.op].get(slot.position, WordArgument(0))
            case Role.TILING_KEY | Role.BLOCK_NUM:
                task = plan.group.operators[slot.op].task
                return self._shared_word(plan, slot, int(_tiling_attribute(task, slot.role)))
            case Role.TILING_LOCK | Role.WAIT:
                return self._shared_word(plan, slot, int(not late))
            case Role.NOTIFY:
                return self._shared_word(plan, slot, 0)
            case Role.WORKSPACE:
                return self._hidden(f"{plan.name}.workspace", plan.workspace_bytes)
            case Role.PROFILING:
                return self._profiling(plan)
            case _:
                return WordArgument(0)

    def _words(self, task: KernelTask) -> Iterator[Argument]:
        """The argument words of one operator in the order of its kernel's parameters."""
        kernel = task.kernel
        if kernel is None:
            return
        given = dict(task.arguments)
        for name in kernel.parameters:
            if name in given:
                yield given[name]
            elif name == WORKSPACE:
                yield self._hidden(f"{task.name}.workspace", kernel.workspace_bytes)
            else:
                self.problems.add(
                    task.where,
                    f"{task.name}: the parameter {name!r} has no buffer",
                    "a graph file names them",
                )
                yield WordArgument(0)

    def _shared_word(self, plan: Plan, slot: Slot, value: int) -> Argument:
        """A word in memory that a SuperKernel shares with the work outside."""
        name = f"{plan.name}.{plan.group.operators[slot.op].name}.{slot.name}"
        self.buffers[name] = struct.pack("<Q", value)
        return BufferArgument(name)

    def _profiling(self, plan: Plan) -> Argument:
        """The profiling buffer of a SuperKernel, ready to be written."""
        name = profile_buffer_name(plan)
        records = 2 * len(plan.group.operators) + 3
        self.buffers[name], pointers = empty_profile(name, self.target.profiling.slots, records)
        self.pointers += pointers
        return BufferArgument(name)

    def _hidden(self, name: str, size: int) -> Argument:
        """A buffer that only the kernels use."""
        if not size:
            return WordArgument(0)
        self.buffers[name] = bytes(size)
        return BufferArgument(name)
