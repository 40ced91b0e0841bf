# Licensed under the Apache License, Version 2.0.
"""The schema of a sub-kernel's metadata JSON (spec jit §2); fields of other readers are let through."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from skcore.frontends.validation import Symbol
from skcore.graph.kernel import KernelType


def _kernel_type(text: str) -> str:
    KernelType.from_name(text)
    return text


def _tiling_key(text: str) -> str:
    if not (text.isascii() and text.isdigit()):
        raise ValueError("a tiling key is a decimal number")
    return text


TypeName = Annotated[str, AfterValidator(_kernel_type)]
TilingKey = Annotated[str, AfterValidator(_tiling_key)]


class KernelMetadata(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="allow", strict=True)

    kernelName: Symbol
    sub_operator_kernel_name: dict[str, Any]
    sub_operator_kernel_type: TypeName
    blockDim: int = Field(ge=1)
    sub_operator_params: list[str]
    sub_operator_early_start_set_flag: bool
    sub_operator_early_start_wait_flag: bool
    split_mode: int | None = Field(default=None, ge=1, le=64)
    debugOptions: str = ""
    debugBufSize: int = Field(default=0, ge=0)
    sub_op_with_sync_all: bool = False
    sub_operator_op_type: str = ""
    sub_operator_call_dcci_before_kernel_start: bool = False
    sub_operator_call_dcci_after_kernel_end: bool = False
    sub_operator_call_dcci_disable_on_kernel: bool = False
    supportSuperKernel: int = 1


class CoreEntry(BaseModel):
    """Where the code of one core kind is: ``obj_files_split<i>`` name its copies."""

    model_config = ConfigDict(extra="allow", strict=True)

    func_name: Symbol
    obj_files: str = ""

    def files(self) -> list[str]:
        """Names of the objects, the base first."""
        copies = sorted(
            (int(key.removeprefix("obj_files_split")), str(value))
            for key, value in (self.model_extra or {}).items()
            if key.startswith("obj_files_split") and key.removeprefix("obj_files_split").isdecimal()
        )
        return [PurePosixPath(name).name for name in (self.obj_files, *(value for _, value in copies)) if name]


class TilingEntry(BaseModel):
    """What runs for one tiling key: a kernel type, and a symbol for each of its core kinds."""

    model_config = ConfigDict(extra="allow", strict=True)
    __pydantic_extra__: dict[str, Symbol] = Field(init=False)

    kernel_type: TypeName


class TilingTable(BaseModel):
    """All tiling keys of a kernel whose tiling is decided on the device."""

    model_config = ConfigDict(extra="allow", strict=True)

    dynamic_func_names: dict[TilingKey, TilingEntry] = Field(min_length=1)
