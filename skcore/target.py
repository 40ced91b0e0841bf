# Licensed under the Apache License, Version 2.0.
"""What a target tells the core: cores, caches, flags, templates and flags of tools, all loaded from data (design §8).

The core never asks which chip it plans for; it reads a :class:`Target`. A target plug-in holds a ``target.yaml`` of the
schema of :class:`Target` and the templates that lower plan steps to source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from skcore.errors import InputError, Problem, nearest
from skcore.graph.kernel import CoreKind, KernelType, PerKind

_STRICT = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True, config=_STRICT)
class Soc:
    """One product of the chip: cores of each kind, clock in MHz, memory and second-level cache in bytes."""

    aic: int
    aiv: int
    clock_mhz: int
    memory_bytes: int = 0
    l2_bytes: int = 0

    @property
    def cores(self) -> PerKind[int]:
        return PerKind(self.aic, self.aiv)


@dataclass(frozen=True, slots=True, config=_STRICT)
class CoreData:
    """One core kind: key of its symbols in metadata, compiler name, macro; caches and memories in bytes.

    ``reserved`` are the last bytes of a memory that kernels may not use.
    """

    symbol_key: str
    compiler_arch: str
    macro: str
    physical_cores: int
    icache_bytes: int
    dcache_bytes: int
    memories: dict[str, int]
    reserved: dict[str, int] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True, config=_STRICT)
class FlagData:
    """Cross-core flags: how many a core has, the highest count, and the ids that plans use."""

    per_core: int
    counter_limit: int
    user_ids: int
    group_aic: int
    aiv_to_aic: int
    aic_to_aiv: int
    group_aiv: int
    intra_block: bool

    def are_tight(self, kernel_type: KernelType) -> bool:
        """Whether code of this type hands over inside a group by channels of its own (spec device §11.3)."""
        return self.intra_block and kernel_type is not KernelType.MIX_AIC_1_1


@dataclass(frozen=True, slots=True, config=_STRICT)
class PreloadData:
    """Instruction-cache preload: bytes of a unit, most bytes of one sub-kernel, units at the head of a SuperKernel."""

    unit_bytes: int
    cap_bytes: int
    ahead_units: int


@dataclass(frozen=True, slots=True, config=_STRICT)
class FeedSyncData:
    """Feed-sync-all: bytes of a workspace line, smallest bytes a core, and whether idle cores of a 1:1 SuperKernel can
    join the full synchronisation of a mixed operator.
    """

    line_bytes: int
    base_bytes: int
    mixed_one_to_one: bool


@dataclass(frozen=True, slots=True, config=_STRICT)
class ProfilingData:
    """Profiling buffer: the area of the first cube core, and how many core areas there are."""

    aic_slot: int
    slots: int


@dataclass(frozen=True, slots=True, config=_STRICT)
class Timing:
    """A modelled duration and where it is known from."""

    value: float
    unit: str
    provenance: str


@dataclass(frozen=True, slots=True, config=_STRICT)
class VendorData:
    """Flags of the vendor's compiler beyond the common ones (spec jit §11, device §9).

    For everything, for SuperKernels, and for SuperKernels with copied sub-kernels; and the cores of a debug dump.
    """

    compile_flags: tuple[str, ...]
    superkernel_flags: tuple[str, ...]
    split_flags: tuple[str, ...]
    dump_cores: int


@dataclass(frozen=True, slots=True, config=_STRICT)
class Target:
    """A chip as data; ``templates`` maps template names to Jinja2 text and comes from files of their own."""

    npu_arch: str
    arch_number: int
    title: str
    socs: dict[str, Soc]
    default_soc: str
    aic: CoreData
    aiv: CoreData
    argument_head: tuple[str, ...]
    flags: FlagData
    preload: PreloadData
    feed_sync: FeedSyncData
    profiling: ProfilingData
    vendor: VendorData
    type_macros: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    timings: dict[str, Timing] = Field(default_factory=dict)
    templates: dict[str, str] = Field(default_factory=dict)
    soc_name: str = ""

    @property
    def soc(self) -> Soc:
        """The product that is planned for."""
        return self.socs[self.soc_name or self.default_soc]

    def core(self, kind: CoreKind) -> CoreData:
        return self.aic if kind is CoreKind.AIC else self.aiv

    def macros_of(self, kernel_type: KernelType) -> tuple[str, ...]:
        """Macros that a SuperKernel of this type needs on this chip."""
        return self.type_macros.get(kernel_type.json_name, ())

    def with_soc(self, name: str | None) -> Target:
        """The same target for another product; raises InputError with the nearest name."""
        if name is None:
            return self
        if name not in self.socs:
            raise InputError(Problem("--soc", f"{self.npu_arch} has no product {name!r}", nearest(name, self.socs)))
        return replace(self, soc_name=name)


_ADAPTER = TypeAdapter(Target)


def target_schema() -> dict[str, Any]:
    """The JSON schema of ``target.yaml``."""
    return _ADAPTER.json_schema()


def load_target(package: str) -> Target:
    """Read ``target.yaml`` and ``templates/*.j2`` of a target plug-in's package.

    Raises:
        InputError: every field that is missing, unknown or of the wrong type.
    """
    folder = Path(str(files(package)))
    data: Mapping[str, Any] = yaml.safe_load((folder / "target.yaml").read_text(encoding="utf-8"))
    templates = {item.name: item.read_text(encoding="utf-8") for item in sorted((folder / "templates").glob("*.j2"))}
    return make_target({**data, "templates": templates}, where=str(data.get("npu_arch", "target.yaml")))


def make_target(data: Mapping[str, Any], where: str) -> Target:
    """Validate the contents of a ``target.yaml``."""
    try:
        target = _ADAPTER.validate_python(data)
    except ValidationError as error:
        problems = [
            Problem(f"{where}: {'.'.join(str(part) for part in item['loc'])}", item["msg"]) for item in error.errors()
        ]
        raise InputError(problems) from error
    if target.default_soc not in target.socs:
        raise InputError(
            Problem(
                f"{where}: default_soc", f"no product {target.default_soc!r}", nearest(target.default_soc, target.socs)
            )
        )
    return target
