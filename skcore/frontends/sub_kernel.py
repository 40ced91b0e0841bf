# Licensed under the Apache License, Version 2.0.
"""Reads a compiled sub-kernel: its metadata JSON and its object or archive (spec jit §2)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from skcore.build.archive import read_archive
from skcore.build.elf import read_object
from skcore.errors import InputError, ObjectError, Problem
from skcore.frontends.validation import problems_of
from skcore.graph.kernel import (
    CacheCleaning,
    CodeCopy,
    CoreKind,
    EarlyStartCalls,
    KernelType,
    PerKind,
    SubKernel,
    TilingVariant,
)
from skcore.target import Target

_DEBUG_MARKS = ("timestamp", "printf", "assert")


class KernelMetadata(BaseModel):
    """The fields of a sub-kernel's JSON that matter here; the file holds others, which belong to other readers."""

    model_config = ConfigDict(extra="allow", strict=True)

    kernelName: str
    sub_operator_kernel_name: dict[str, Any]
    sub_operator_kernel_type: str
    blockDim: int
    sub_operator_params: list[str]
    sub_operator_early_start_set_flag: bool
    sub_operator_early_start_wait_flag: bool
    split_mode: int | None = None
    debugOptions: str = ""
    debugBufSize: int = 0
    sub_op_with_sync_all: bool = False
    sub_operator_op_type: str = ""
    sub_operator_call_dcci_before_kernel_start: bool = False
    sub_operator_call_dcci_after_kernel_end: bool = False
    sub_operator_call_dcci_disable_on_kernel: bool = False
    supportSuperKernel: int = 1


class _CoreEntry(BaseModel):
    """Where the code of one core kind is: ``obj_files_split<i>`` name the copies."""

    model_config = ConfigDict(extra="allow")

    func_name: str
    obj_files: str = ""

    def files(self) -> list[str]:
        copies = sorted(
            (int(key.removeprefix("obj_files_split")), str(value))
            for key, value in (self.model_extra or {}).items()
            if key.removeprefix("obj_files_split").isdigit() and key.startswith("obj_files_split")
        )
        return [PurePosixPath(name).name for name in (self.obj_files, *(value for _, value in copies)) if name]


def read_sub_kernel(metadata: Path, binary: Path, target: Target, *, dynamic: bool = False) -> SubKernel:
    """Read a compiled sub-kernel.

    Raises:
        InputError: everything that is wrong with the two files.
    """
    facts = _read_metadata(metadata)
    try:
        kernel_type = KernelType.from_name(facts.sub_operator_kernel_type)
    except ValueError as error:
        raise InputError(Problem(f"{metadata}: sub_operator_kernel_type", str(error))) from error
    tiling = _tiling(facts, metadata, target) if dynamic else ()
    entries = {} if dynamic else _entries(facts, kernel_type, metadata, target)
    code = _code(entries, facts, kernel_type, binary)
    debug = facts.debugOptions if any(mark in facts.debugOptions for mark in _DEBUG_MARKS) else ""
    return SubKernel(
        name=facts.kernelName,
        kernel_type=kernel_type,
        blocks=facts.blockDim,
        symbols=PerKind.of(lambda kind: entries[kind].func_name if kind in entries else None),
        parameters=tuple(facts.sub_operator_params),
        code=code,
        early_start=EarlyStartCalls(facts.sub_operator_early_start_set_flag, facts.sub_operator_early_start_wait_flag),
        cleaning=CacheCleaning(
            facts.sub_operator_call_dcci_before_kernel_start,
            facts.sub_operator_call_dcci_after_kernel_end,
            facts.sub_operator_call_dcci_disable_on_kernel,
        ),
        full_sync=facts.sub_op_with_sync_all,
        op_type=facts.sub_operator_op_type,
        split_mode=facts.split_mode,
        tiling=tiling,
        supports_fusion=facts.supportSuperKernel != 0,
        debug_options=tuple(part for part in debug.split(",") if part),
        debug_bytes=facts.debugBufSize if debug else 0,
    )


def _read_metadata(path: Path) -> KernelMetadata:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(Problem(str(path), f"cannot be read: {error.strerror}", "check json_path")) from error
    except ValueError as error:
        raise InputError(Problem(str(path), f"is no JSON: {error}")) from error
    try:
        facts = KernelMetadata.model_validate(data)
    except ValidationError as error:
        raise InputError(problems_of(error, lambda _: str(path))) from error
    if facts.blockDim < 1:
        raise InputError(Problem(f"{path}: blockDim", f"{facts.blockDim} blocks cannot run", "1 or more is expected"))
    return facts


def _entries(facts: KernelMetadata, kernel_type: KernelType, path: Path, target: Target) -> dict[CoreKind, _CoreEntry]:
    """The code entry of each core kind that the kernel runs on."""
    single = kernel_type in (KernelType.AIV_ONLY, KernelType.AIC_ONLY)
    problems: list[Problem] = []
    entries = {}
    for kind in kernel_type.kinds:
        key = "AiCore" if single else target.core(kind).symbol_key
        where = f"{path}: sub_operator_kernel_name.{key}"
        if key not in facts.sub_operator_kernel_name:
            known = ", ".join(facts.sub_operator_kernel_name)
            problems.append(
                Problem(where, f"is missing for a {kernel_type.name} kernel on {target.npu_arch}", f"has: {known}")
            )
            continue
        try:
            entries[kind] = _CoreEntry.model_validate(facts.sub_operator_kernel_name[key])
        except ValidationError as error:
            problems += problems_of(error, lambda _, where=where: where)  # type: ignore[misc]
    if problems:
        raise InputError(problems)
    return entries


def _code(
    entries: dict[CoreKind, _CoreEntry], facts: KernelMetadata, kernel_type: KernelType, binary: Path
) -> PerKind[tuple[CodeCopy, ...]]:
    if not entries:
        return PerKind((), ())
    try:
        data = binary.read_bytes()
    except OSError as error:
        raise InputError(Problem(str(binary), f"cannot be read: {error.strerror}", "check bin_path")) from error
    if facts.split_mode is None and len(kernel_type.kinds) == 1:
        return PerKind.of(lambda kind: (_copy(entries[kind].func_name, binary.name, data),) if kind in entries else ())
    members = read_archive(data, str(binary))
    return PerKind.of(lambda kind: _copies(entries[kind], facts, members, binary) if kind in entries else ())


def _copies(
    entry: _CoreEntry, facts: KernelMetadata, members: Mapping[str, bytes], binary: Path
) -> tuple[CodeCopy, ...]:
    copies = []
    for number, name in enumerate(entry.files()[: facts.split_mode or 1]):
        if name not in members:
            if number == 0:
                raise ObjectError(
                    Problem(str(binary), f"the archive has no member {name!r}", f"has: {', '.join(members)}")
                )
            # Fewer copies than announced: those that exist are enough to run, only the spread is smaller.
            break
        symbol = entry.func_name if number == 0 else f"{entry.func_name}_split{number}"
        copies.append(_copy(symbol, name, members[name]))
    return tuple(copies)


def _copy(symbol: str, label: str, data: bytes) -> CodeCopy:
    parsed = read_object(data, label)
    parsed.export(symbol)
    return CodeCopy(symbol, label, data, parsed.text_bytes)


def _tiling(facts: KernelMetadata, path: Path, target: Target) -> tuple[TilingVariant, ...]:
    table = facts.sub_operator_kernel_name.get("dynamic_func_names")
    where = f"{path}: sub_operator_kernel_name.dynamic_func_names"
    if not isinstance(table, dict):
        raise InputError(Problem(where, "is missing for a dynamic operator"))
    variants = []
    for key, entry in sorted(table.items(), key=lambda item: int(item[0])):
        kernel_type = KernelType.from_name(entry["kernel_type"])
        single = kernel_type in (KernelType.AIV_ONLY, KernelType.AIC_ONLY)
        symbols = PerKind.of(
            lambda kind, entry=entry, kernel_type=kernel_type, single=single: (  # type: ignore[misc]
                entry["AiCore" if single else target.core(kind).symbol_key] if kind in kernel_type.kinds else None
            )
        )
        variants.append(TilingVariant(int(key), kernel_type, symbols))
    return tuple(variants)
