# Licensed under the Apache License, Version 2.0.
"""Front end ``op-list``: the JIT input, a list of compiled operators (spec jit §1)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from skcore.errors import InputError, Problem, ProblemList
from skcore.frontends.request import Request
from skcore.frontends.sub_kernel import read_sub_kernel
from skcore.frontends.validation import Symbol, problems_of, read_json
from skcore.graph.task import EventRecord, EventWait, KernelTask, Scope, Task
from skcore.graph.taskgraph import ScopeSettings, TaskGraph
from skcore.plugin.spec import hookimpl
from skcore.target import Target

DEFAULT_NAME = "ascendc_super_kernel_plus"


class Operator(BaseModel):
    """An entry of ``op_list``."""

    model_config = ConfigDict(extra="forbid", strict=True)

    json_path: str
    bin_path: str
    stream_id: int = -1
    task_type: Literal["normal", "dynamic"] = "normal"
    send_event_list: list[int] = Field(default_factory=list)
    recv_event_list: list[int] = Field(default_factory=list)
    kernel_name: str = ""


class OperatorList(BaseModel):
    """The whole input; ``kernel_name`` is the name of the SuperKernel."""

    model_config = ConfigDict(extra="forbid", strict=True)

    op_list: list[Operator]
    super_kernel_options: str | None = ""
    kernel_name: Symbol = DEFAULT_NAME


@hookimpl
def collect_ops(source: object, request: Request) -> TaskGraph | None:
    """Knows a mapping with the key ``op_list`` and a ``.json`` file that holds one."""
    if isinstance(source, Mapping):
        return read_op_list(source, request.target, "op_list input") if "op_list" in source else None
    if not isinstance(source, Path) or source.suffix != ".json":
        return None
    data = read_json(source)
    if not (isinstance(data, dict) and "op_list" in data):
        return None
    return read_op_list(data, request.target, str(source), source.parent)


def read_op_list(data: Mapping[str, Any], target: Target, where: str, base: Path | None = None) -> TaskGraph:
    """Read the input; relative paths count from ``base``.

    Raises:
        InputError: all problems of the list and of the files that it names.
    """
    try:
        parsed = OperatorList.model_validate(dict(data))
    except ValidationError as error:
        raise InputError(problems_of(error, lambda _: where)) from error
    problems = ProblemList()
    tasks: list[Task] = []
    scope = (Scope(parsed.kernel_name),)
    for number, operator in enumerate(parsed.op_list):
        place = f"{where}: op_list[{number}]"
        try:
            kernel = read_sub_kernel(
                _path(operator.json_path, base),
                _path(operator.bin_path, base),
                target,
                dynamic=operator.task_type == "dynamic",
            )
        except InputError as error:
            problems.extend(Problem(f"{place}: {item.where}", item.what, item.remedy) for item in error.problems)
            continue
        stream = operator.stream_id
        for event in operator.recv_event_list:
            tasks.append(EventWait(id=len(tasks), stream=stream, scopes=scope, where=place, event=event))
        name = f"{kernel.name}_{number}"
        tasks.append(KernelTask(id=len(tasks), stream=stream, scopes=scope, where=place, name=name, kernel=kernel))
        for event in operator.send_event_list:
            tasks.append(EventRecord(id=len(tasks), stream=stream, scopes=scope, where=place, event=event))
    if not parsed.op_list:
        problems.add(f"{where}: op_list", "is empty", "give it at least one operator")
    problems.raise_if_any()
    settings = ScopeSettings(parsed.kernel_name, parsed.super_kernel_options, f"{where}: super_kernel_options")
    return TaskGraph(name=parsed.kernel_name, tasks=tuple(tasks), scopes=(settings,), whole=True)


def _path(text: str, base: Path | None) -> Path:
    return (base / text) if base is not None else Path(text)
