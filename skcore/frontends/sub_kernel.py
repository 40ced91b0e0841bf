# Licensed under the Apache License, Version 2.0.
"""Reads a compiled sub-kernel: its metadata JSON and its object or archive (spec jit §2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from skcore.build.archive import read_archive
from skcore.build.elf import read_object
from skcore.errors import InputError, ObjectError, Problem, ProblemList
from skcore.frontends.kernel_metadata import CoreEntry, KernelMetadata, TilingTable
from skcore.frontends.validation import problems_of, read_json
from skcore.graph.kernel import (
    CacheCleaning,
    CodeCopy,
    CoreKind,
    EarlyStartCalls,
    KernelType,
    OperatorClass,
    PerKind,
    SubKernel,
    TilingVariant,
)
from skcore.target import Target

_DEBUG_MARKS = ("timestamp", "printf", "assert")


def read_sub_kernel(metadata: Path, binary: Path, target: Target, *, dynamic: bool = False) -> SubKernel:
    """Read a compiled sub-kernel.

    Raises:
        InputError: everything that is wrong with the two files.
    """
    facts = _read_metadata(metadata)
    kernel_type = KernelType.from_name(facts.sub_operator_kernel_type)
    if dynamic:
        return _with_tiling(_common(facts, kernel_type), facts, metadata, binary, target)
    entries = _entries(facts, kernel_type, metadata, target)
    return replace(
        _common(facts, kernel_type),
        symbols=PerKind.of(lambda kind: entries[kind].func_name if kind in entries else None),
        code=_code(entries, facts, kernel_type, binary),
    )


def _common(facts: KernelMetadata, kernel_type: KernelType) -> SubKernel:
    """What the metadata says of any kernel."""
    debug = facts.debugOptions if any(mark in facts.debugOptions for mark in _DEBUG_MARKS) else ""
    return SubKernel(
        name=facts.kernelName,
        kernel_type=kernel_type,
        blocks=facts.blockDim,
        symbols=PerKind(None, None),
        parameters=tuple(facts.sub_operator_params),
        early_start=EarlyStartCalls(facts.sub_operator_early_start_set_flag, facts.sub_operator_early_start_wait_flag),
        cleaning=CacheCleaning(
            facts.sub_operator_call_dcci_before_kernel_start,
            facts.sub_operator_call_dcci_after_kernel_end,
            facts.sub_operator_call_dcci_disable_on_kernel,
        ),
        full_sync=facts.sub_op_with_sync_all,
        op_type=facts.sub_operator_op_type,
        split_mode=facts.split_mode,
        supports_fusion=facts.supportSuperKernel != 0,
        debug_options=tuple(part for part in debug.split(",") if part),
        debug_bytes=facts.debugBufSize if debug else 0,
    )


def _with_tiling(kernel: SubKernel, facts: KernelMetadata, metadata: Path, binary: Path, target: Target) -> SubKernel:
    """A kernel whose tiling is decided on the device: it may use every core, and its one object holds all variants."""
    kernel = replace(kernel, tiling=_tiling(facts, metadata, target))
    data = _read_binary(binary)
    parsed = read_object(data, binary.name)
    for kind in CoreKind:
        for symbol in kernel.variant_symbols(kind):
            parsed.export(symbol)

    def code(kind: CoreKind) -> tuple[CodeCopy, ...]:
        symbols = kernel.variant_symbols(kind)
        return (CodeCopy(symbols[0], binary.name, data, parsed.text_bytes),) if symbols else ()

    wide = kernel.operator_class is OperatorClass.AIV
    return replace(
        kernel,
        blocks=target.soc.aiv if wide else target.soc.aic,
        recorded_blocks=kernel.blocks,
        code=PerKind.of(code),
    )


def _read_metadata(path: Path) -> KernelMetadata:
    try:
        return KernelMetadata.model_validate(read_json(path, "check json_path"))
    except ValidationError as error:
        raise InputError(problems_of(error, lambda _: str(path))) from error


def _code_key(kernel_type: KernelType, kind: CoreKind, target: Target) -> str:
    """The key under which the code of one core kind stands."""
    single = kernel_type in (KernelType.AIV_ONLY, KernelType.AIC_ONLY)
    return "AiCore" if single else target.core(kind).symbol_key


def _entries(facts: KernelMetadata, kernel_type: KernelType, path: Path, target: Target) -> dict[CoreKind, CoreEntry]:
    """The code entry of each core kind that the kernel runs on."""
    problems = ProblemList()
    entries = {}
    for kind in kernel_type.kinds:
        key = _code_key(kernel_type, kind, target)
        where = f"{path}: sub_operator_kernel_name.{key}"
        if key not in facts.sub_operator_kernel_name:
            known = ", ".join(facts.sub_operator_kernel_name)
            problems.add(where, f"is missing for a {kernel_type.name} kernel on {target.npu_arch}", f"has: {known}")
            continue
        try:
            entries[kind] = _entry(facts.sub_operator_kernel_name[key], where)
        except InputError as error:
            problems.extend(error.problems)
    problems.raise_if_any()
    return entries


def _entry(data: object, where: str) -> CoreEntry:
    try:
        return CoreEntry.model_validate(data)
    except ValidationError as error:
        raise InputError(problems_of(error, lambda _: where)) from error


def _code(
    entries: Mapping[CoreKind, CoreEntry], facts: KernelMetadata, kernel_type: KernelType, binary: Path
) -> PerKind[tuple[CodeCopy, ...]]:
    if not entries:
        return PerKind((), ())
    data = _read_binary(binary)
    if facts.split_mode is None and len(kernel_type.kinds) == 1:
        return PerKind.of(lambda kind: (_copy(entries[kind].func_name, binary.name, data),) if kind in entries else ())
    members = read_archive(data, str(binary))
    return PerKind.of(lambda kind: _copies(entries[kind], facts, members, binary) if kind in entries else ())


def _read_binary(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(Problem(str(path), f"cannot be read: {error.strerror}", "check bin_path")) from error


def _copies(
    entry: CoreEntry, facts: KernelMetadata, members: Mapping[str, bytes], binary: Path
) -> tuple[CodeCopy, ...]:
    files = entry.files()[: facts.split_mode or 1]
    if not files:
        raise ObjectError(Problem(str(binary), f"no obj_files tells which member defines {entry.func_name!r}"))
    if files[0] not in members:
        raise ObjectError(Problem(str(binary), f"the archive has no member {files[0]!r}", f"has: {', '.join(members)}"))
    copies = []
    for number, name in enumerate(files):
        # Fewer copies than announced are enough to run, only the spread is smaller.
        if name not in members:
            break
        symbol = entry.func_name if number == 0 else f"{entry.func_name}_split{number}"
        copies.append(_copy(symbol, name, members[name]))
    return tuple(copies)


def _copy(symbol: str, label: str, data: bytes) -> CodeCopy:
    parsed = read_object(data, label)
    parsed.export(symbol)
    return CodeCopy(symbol, label, data, parsed.text_bytes)


def _tiling(facts: KernelMetadata, path: Path, target: Target) -> tuple[TilingVariant, ...]:
    where = f"{path}: sub_operator_kernel_name"
    try:
        table = TilingTable.model_validate(facts.sub_operator_kernel_name).dynamic_func_names
    except ValidationError as error:
        found = problems_of(error, lambda _: str(path))
        raise InputError([replace(item, what=f"sub_operator_kernel_name.{item.what}") for item in found]) from error
    whole = KernelType.from_name(facts.sub_operator_kernel_type)
    problems: list[Problem] = []
    variants = []
    for key, entry in sorted(table.items(), key=lambda item: int(item[0])):
        kernel_type = KernelType.from_name(entry.kernel_type)
        if any(count > whole.cores_per_block[kind] for kind, count in kernel_type.cores_per_block):
            what = f"is of type {kernel_type.name}: a {whole.name} operator has too few cores in a block for it"
            problems.append(Problem(f"{where}.dynamic_func_names.{key}", what))
        symbols: dict[CoreKind, str] = {}
        for kind in kernel_type.kinds:
            name = _code_key(kernel_type, kind, target)
            symbol = (entry.model_extra or {}).get(name)
            if symbol is None:
                problems.append(Problem(f"{where}.dynamic_func_names.{key}", f"has no symbol {name!r}"))
            else:
                symbols[kind] = symbol
        variants.append(TilingVariant(int(key), kernel_type, PerKind.of(symbols.get)))
    if problems:
        raise InputError(problems)
    return tuple(variants)
