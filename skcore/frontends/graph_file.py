# Licensed under the Apache License, Version 2.0.
"""Front end ``graph-file``: a YAML that people write by hand (schema: :mod:`skcore.frontends.graph_model`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import ValidationError

from skcore.errors import InputError, ProblemList, nearest
from skcore.frontends.graph_model import BufferArgumentModel, GraphModel, KernelModel, TaskModel, WordArgumentModel
from skcore.frontends.request import Request
from skcore.frontends.sub_kernel import read_sub_kernel
from skcore.frontends.validation import problems_of
from skcore.frontends.yaml_source import YamlSource, read_yaml
from skcore.graph.arguments import argument_problems
from skcore.graph.kernel import EarlyStartCalls, KernelSource, KernelType, PerKind, SubKernel
from skcore.graph.task import (
    Argument,
    BufferArgument,
    EventRecord,
    EventReset,
    EventWait,
    KernelTask,
    Operand,
    OtherTask,
    Scope,
    Task,
    WordArgument,
)
from skcore.graph.taskgraph import Buffer, ScopeSettings, TaskGraph
from skcore.plugin.spec import hookimpl
from skcore.target import Target


@hookimpl
def collect_ops(source: object, request: Request) -> TaskGraph | None:
    """Knows paths that end in ``.yaml`` or ``.yml``."""
    if not isinstance(source, Path) or source.suffix not in (".yaml", ".yml"):
        return None
    return read_graph_file(source, request.target)


def read_graph_file(path: Path, target: Target) -> TaskGraph:
    """Read a graph file.

    Raises:
        InputError: everything that is wrong with it, each with its line.
    """
    source = read_yaml(path)
    try:
        model = GraphModel.model_validate(source.data)
    except ValidationError as error:
        raise InputError(problems_of(error, source.place)) from error
    return _Reader(source, model, target).graph()


@dataclass(slots=True)
class _Reader:
    source: YamlSource
    model: GraphModel
    target: Target
    problems: ProblemList = field(default_factory=ProblemList)

    def graph(self) -> TaskGraph:
        kernels = {name: self._kernel(name, kernel) for name, kernel in self.model.kernels.items()}
        tasks = tuple(self._task(number, task, kernels) for number, task in enumerate(self.model.tasks))
        for task in tasks:
            if isinstance(task, KernelTask):
                self.problems.extend(argument_problems(task))
        self._check_names(tasks)
        self._check_events(tasks)
        for number, name in enumerate(self.model.outputs):
            self._check_buffer(name, ("outputs", number))
        self.problems.raise_if_any()
        return TaskGraph(
            name=self.model.name,
            tasks=tasks,
            buffers=tuple(self._buffers()),
            scopes=tuple(self._scopes()),
            outputs=tuple(self.model.outputs),
        )

    def _check_names(self, tasks: tuple[Task, ...]) -> None:
        """Reports speak of operators by name."""
        owners: dict[str, str] = {}
        for task in tasks:
            if isinstance(task, KernelTask):
                first = owners.setdefault(task.name, task.where)
                if first != task.where:
                    self.problems.add(
                        task.where, f"the name {task.name!r} is already that of {first}", "choose another"
                    )

    def _check_events(self, tasks: tuple[Task, ...]) -> None:
        """A graph file is a whole program: nobody else records its events."""
        recorded = {task.event for task in tasks if isinstance(task, EventRecord)}
        for task in tasks:
            if isinstance(task, EventWait) and task.event not in recorded:
                what = f"nothing records event {task.event}"
                self.problems.add(task.where, what, nearest(str(task.event), map(str, sorted(recorded))))

    def _buffers(self) -> Iterator[Buffer]:
        for name, buffer in self.model.buffers.items():
            initial = buffer.initial.model_dump(exclude_none=True)
            if "file" in initial:
                initial["file"] = str(self.source.path.parent / initial["file"])
            place = self.source.place(("buffers", name))
            yield Buffer(name, tuple(buffer.shape), buffer.dtype, initial, place)

    def _scopes(self) -> Iterator[ScopeSettings]:
        used = {name for task in self.model.tasks for name in task.scope_names if name is not None}
        for name in dict.fromkeys((*self.model.scopes, *sorted(used))):
            options = self.model.scopes[name].options if name in self.model.scopes else None
            yield ScopeSettings(name, options, self.source.place(("scopes", name, "options")))

    def _kernel(self, name: str, model: KernelModel) -> SubKernel | None:
        """The kernel, or None for one that a kernel library has to give."""
        place = self.source.place(("kernels", name))
        if model.object is not None and model.metadata is not None:
            try:
                folder = self.source.path.parent
                kernel = read_sub_kernel(folder / model.metadata, folder / model.object, self.target)
            except InputError as error:
                self.problems.extend(replace(item, where=f"{place}: {item.where}") for item in error.problems)
                return None
            return replace(kernel, writes=tuple(model.writes), reference=self._reference(model))
        if model.source is None:
            return None
        path = self.source.path.parent / model.source
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            self.problems.add(place, f"source {model.source!r} cannot be read: {error}", "check the path")
            return None
        return self._from_source(name, model, KernelSource(path, text, model.function or name), place)

    def _from_source(self, name: str, model: KernelModel, source: KernelSource, place: str) -> SubKernel | None:
        try:
            kernel_type = KernelType.from_name(model.type or "")
        except ValueError as error:
            self.problems.add(self.source.place(("kernels", name, "type")), str(error))
            return None
        for parameter in model.writes:
            if parameter not in model.parameters:
                self.problems.add(
                    place, f"writes: {name} has no parameter {parameter!r}", nearest(parameter, model.parameters)
                )
        definitions = tuple(sorted((key, str(value)) for key, value in model.definitions.items()))
        return SubKernel(
            name=name,
            kernel_type=kernel_type,
            blocks=model.blocks or 1,
            symbols=PerKind(None, None),
            parameters=tuple(model.parameters),
            source=replace(source, definitions=definitions),
            early_start=EarlyStartCalls(model.early_start.set, model.early_start.wait),
            full_sync=model.full_sync,
            op_type=model.op_type or name,
            writes=tuple(model.writes),
            workspace_bytes=model.workspace_bytes,
            reference=self._reference(model),
        )

    def _reference(self, model: KernelModel) -> str | None:
        if model.reference is None:
            return None
        return f"{self.source.path.parent / model.reference.partition(':')[0]}:{model.reference.partition(':')[2]}"

    def _task(self, number: int, model: TaskModel, kernels: dict[str, SubKernel | None]) -> Task:
        scopes = tuple(Scope(name) for name in model.scope_names)
        place = self.source.place(("tasks", number))
        if model.kernel is not None:
            return self._kernel_task(number, model, kernels, scopes, place)
        if model.record is not None:
            return EventRecord(id=number, stream=model.stream, scopes=scopes, where=place, event=model.record)
        if model.wait is not None:
            return EventWait(id=number, stream=model.stream, scopes=scopes, where=place, event=model.wait)
        if model.reset is not None:
            return EventReset(id=number, stream=model.stream, scopes=scopes, where=place, event=model.reset)
        return OtherTask(id=number, stream=model.stream, scopes=scopes, where=place, name=model.other or "other")

    def _kernel_task(
        self, number: int, model: TaskModel, kernels: dict[str, SubKernel | None], scopes: tuple[Scope, ...], place: str
    ) -> KernelTask:
        name = model.kernel or ""
        declared = self.model.kernels.get(name)
        if declared is None:
            self.problems.add(place, f"there is no kernel {name!r}", nearest(name, self.model.kernels))
        kernel = kernels.get(name)
        arguments = []
        for parameter, value in model.arguments.items():
            argument = self._argument(value, ("tasks", number, "arguments", parameter))
            if argument is not None:
                arguments.append((parameter, argument))
        attributes = {} if declared is None else dict(declared.attributes)
        if declared is not None and declared.blocks is not None:
            attributes.setdefault("blocks", declared.blocks)
        return KernelTask(
            id=number,
            stream=model.stream,
            scopes=scopes,
            where=place,
            name=model.name or f"{name}_{number}",
            kernel=kernel,
            op_type=(declared.library or declared.op_type or name) if declared is not None else name,
            arguments=tuple(arguments),
            operands=tuple(self._operands(arguments)),
            attributes=tuple(sorted((key, str(value)) for key, value in attributes.items())),
            fusible=declared is None or declared.fusible,
        )

    def _operands(self, arguments: list[tuple[str, Argument]]) -> Iterator[Operand]:
        for parameter, argument in arguments:
            if isinstance(argument, BufferArgument):
                buffer = self.model.buffers[argument.buffer]
                yield Operand(parameter, tuple(buffer.shape), buffer.dtype)

    def _argument(
        self, value: str | BufferArgumentModel | WordArgumentModel, path: tuple[str | int, ...]
    ) -> Argument | None:
        if isinstance(value, WordArgumentModel):
            return WordArgument(value.word)
        name, offset = (value, 0) if isinstance(value, str) else (value.buffer, value.offset)
        return BufferArgument(name, offset) if self._check_buffer(name, path) else None

    def _check_buffer(self, name: str, path: tuple[str | int, ...]) -> bool:
        if name in self.model.buffers:
            return True
        self.problems.add(self.source.place(path), f"there is no buffer {name!r}", nearest(name, self.model.buffers))
        return False
