# Licensed under the Apache License, Version 2.0.
"""The published schema of the graph file."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from skcore.frontends.validation import Symbol

Dtype = Literal[
    "float32", "float16", "bfloat16", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"
]
Positive = Annotated[int, Field(ge=1)]
ScopeName = Annotated[str, Field(min_length=1)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class RandomContents(_Model):
    """Uniform random contents in [low, high), from a seed: the same in every run."""

    seed: int = 0
    low: float = -1.0
    high: float = 1.0


class InitialContents(_Model):
    """First contents of a buffer: exactly one of the keys; without any it is zero."""

    constant: float | None = None
    random: RandomContents | None = None
    file: str | None = Field(default=None, description="a .npy file, relative to the graph file")

    @model_validator(mode="after")
    def _only_one(self) -> InitialContents:
        if sum(value is not None for value in (self.constant, self.random, self.file)) > 1:
            raise ValueError("give one of constant, random and file")
        return self


class BufferModel(_Model):
    """A region of global memory."""

    shape: list[Positive]
    dtype: Dtype
    initial: InitialContents = InitialContents()


_SOURCE_FIELDS = {
    "function",
    "type",
    "parameters",
    "definitions",
    "full_sync",
    "early_start",
    "workspace_bytes",
    "op_type",
}


class EarlyStartModel(_Model):
    """Which early-start calls the source of a kernel makes."""

    set: bool = False
    wait: bool = False


class KernelModel(_Model):
    """A kernel: an operator of an installed library, Ascend C source, or a compiled object with its metadata."""

    library: str | None = Field(
        default=None, description="operator type, found through the kernel libraries that are installed"
    )
    source: str | None = Field(default=None, description="Ascend C file, relative to the graph file")
    metadata: str | None = Field(default=None, description="JSON beside a compiled object, relative to the graph file")
    object: str | None = Field(default=None, description="compiled object or archive, relative to the graph file")

    function: Symbol | None = Field(
        default=None, description="kernel function of the source; default: the kernel's name here"
    )
    type: str | None = Field(default=None, description="kernel type of the source, such as mix_aic_1_2")
    blocks: Positive | None = None
    parameters: list[Symbol] = Field(default_factory=list, description="parameters of the source, in order")
    writes: list[str] = Field(default_factory=list, description="parameters that it writes")
    definitions: dict[Symbol, str | int | float] = Field(default_factory=dict, description="macros of the source")
    attributes: dict[str, str | int | float] = Field(
        default_factory=dict, description="attributes of a library operator"
    )
    full_sync: bool = Field(False, description="it synchronises all its cores")
    early_start: EarlyStartModel = Field(default_factory=EarlyStartModel)
    workspace_bytes: int = Field(0, ge=0)
    op_type: str = ""
    fusible: bool = Field(True, description="false: it may not enter a SuperKernel")
    reference: str | None = Field(default=None, description="file.py:function that computes the same with NumPy")

    @model_validator(mode="after")
    def _one_origin(self) -> KernelModel:
        origins = [self.library, self.source, self.object]
        if sum(value is not None for value in origins) != 1:
            raise ValueError("give exactly one of library, source and object")
        if (self.object is None) != (self.metadata is None):
            raise ValueError("object and metadata go together")
        misplaced = sorted(self.model_fields_set & _SOURCE_FIELDS) if self.source is None else []
        if misplaced:
            raise ValueError(
                f"{', '.join(misplaced)}: only a source has these; a library or a compiled object knows them"
            )
        if len(set(self.parameters)) != len(self.parameters):
            raise ValueError("parameters: a name stands twice")
        if self.reference is not None and not re.fullmatch(r".+\.py:\w+", self.reference):
            raise ValueError("reference: file.py:function is expected")
        if self.library is None and self.attributes:
            raise ValueError("attributes: only a library operator has them; a source takes definitions")
        if self.source is not None and (self.type is None or self.blocks is None or not self.parameters):
            raise ValueError("a source needs type, blocks and parameters")
        return self


class ScopeModel(_Model):
    """Options of a scope: an option string, or a mapping of option names."""

    options: str | dict[str, Any] | None = None


class BufferArgumentModel(_Model):
    """A buffer at a byte offset."""

    buffer: str
    offset: int = Field(0, ge=0)


class WordArgumentModel(_Model):
    """A fixed argument word."""

    word: int = Field(ge=0, lt=1 << 64)


ArgumentModel = str | BufferArgumentModel | WordArgumentModel


class TaskModel(_Model):
    """A task: a kernel with its arguments, an event, a value, or something else; exactly one of the keys."""

    kernel: str | None = None
    record: int | None = Field(default=None, description="record this event")
    wait: int | None = Field(default=None, description="wait for this event")
    reset: int | None = Field(default=None, description="reset this event")
    other: str | None = Field(default=None, description="a task that is no kernel of the AI cores")

    name: str | None = None
    arguments: dict[str, ArgumentModel] = Field(default_factory=dict)
    stream: int = 0
    scope: str | list[str | None] | None = Field(
        default=None, description="scope name, null for 'never fuse', or a list from the outermost to the innermost"
    )

    @model_validator(mode="after")
    def _one_kind(self) -> TaskModel:
        kinds = [self.kernel, self.record, self.wait, self.reset, self.other]
        if sum(value is not None for value in kinds) != 1:
            raise ValueError("give exactly one of kernel, record, wait, reset and other")
        if self.kernel is None and self.arguments:
            raise ValueError("arguments: only a kernel has them")
        return self

    @property
    def scope_names(self) -> list[str | None]:
        """Scope tags from the outermost to the innermost."""
        if "scope" not in self.model_fields_set:
            return []
        return self.scope if isinstance(self.scope, list) else [self.scope]


class GraphModel(_Model):
    """A graph file."""

    version: Literal[1]
    name: Symbol
    buffers: dict[str, BufferModel] = Field(default_factory=dict)
    kernels: dict[Symbol, KernelModel]
    scopes: dict[ScopeName, ScopeModel] = Field(default_factory=dict)
    tasks: list[TaskModel]
    outputs: list[str] = Field(default_factory=list)


def graph_schema() -> dict[str, Any]:
    """The JSON schema of the graph file."""
    return GraphModel.model_json_schema()
