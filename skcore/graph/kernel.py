# Licensed under the Apache License, Version 2.0.
"""Kernels: the six kernel types, core kinds, and compiled or still uncompiled sub-kernels (spec jit §2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Generic, TypeVar

from skcore.errors import nearest

T = TypeVar("T")
S = TypeVar("S")


class CoreKind(Enum):
    """The two kinds of cores; a group is one AIC with its AIVs."""

    AIC = "aic"
    AIV = "aiv"


@dataclass(frozen=True, slots=True)
class PerKind(Generic[T]):
    """One value for each core kind."""

    aic: T
    aiv: T

    def __getitem__(self, kind: CoreKind) -> T:
        return self.aic if kind is CoreKind.AIC else self.aiv

    def __iter__(self) -> Iterator[tuple[CoreKind, T]]:
        yield CoreKind.AIC, self.aic
        yield CoreKind.AIV, self.aiv

    def map(self, function: Callable[[CoreKind, T], S]) -> PerKind[S]:
        return PerKind(function(CoreKind.AIC, self.aic), function(CoreKind.AIV, self.aiv))

    @staticmethod
    def of(function: Callable[[CoreKind], S]) -> PerKind[S]:
        return PerKind(function(CoreKind.AIC), function(CoreKind.AIV))


class OperatorClass(Enum):
    """Which cores an operator occupies, with its code in early-start pairs (spec jit §6.1)."""

    AIC = (0, (CoreKind.AIC,))
    AIV = (1, (CoreKind.AIV,))
    MIX = (2, (CoreKind.AIC, CoreKind.AIV))

    def __init__(self, code: int, kinds: tuple[CoreKind, ...]) -> None:
        self.code = code
        self.kinds = kinds


class KernelType(Enum):
    """The kernel type table: JSON name, number (spec jit §0), cores of each kind a block."""

    AIV_ONLY = ("KERNEL_TYPE_AIV_ONLY", 0, 0, 1)
    AIC_ONLY = ("KERNEL_TYPE_AIC_ONLY", 1, 1, 0)
    MIX_AIV_1_0 = ("KERNEL_TYPE_MIX_AIV_1_0", 4, 0, 1)
    MIX_AIC_1_0 = ("KERNEL_TYPE_MIX_AIC_1_0", 5, 1, 0)
    MIX_AIC_1_1 = ("KERNEL_TYPE_MIX_AIC_1_1", 6, 1, 1)
    MIX_AIC_1_2 = ("KERNEL_TYPE_MIX_AIC_1_2", 7, 1, 2)

    def __init__(self, json_name: str, number: int, aic: int, aiv: int) -> None:
        self.json_name = json_name
        self.number = number
        self.cores_per_block = PerKind(aic, aiv)
        self.kinds = tuple(kind for kind, count in self.cores_per_block if count)
        self.operator_class = next(group for group in OperatorClass if group.kinds == self.kinds)

    @property
    def has_sync_engine(self) -> bool:
        """Whether the scheduler arms cross-core flags for a launch of this type (spec device §1.3)."""
        return self not in (KernelType.AIV_ONLY, KernelType.AIC_ONLY)

    @property
    def ratio(self) -> str:
        """The ``taskRation`` text of the metadata record."""
        return f"{self.cores_per_block.aic}:{self.cores_per_block.aiv}"

    def cores(self, blocks: int) -> PerKind[int]:
        """Cores of each kind that a launch of ``blocks`` blocks occupies."""
        each = self.cores_per_block
        return PerKind(each.aic * blocks, each.aiv * blocks)

    @staticmethod
    def from_name(text: str) -> KernelType:
        """Parse ``KERNEL_TYPE_MIX_AIC_1_2`` or ``mix_aic_1_2``; raises ValueError with the nearest name."""
        wanted = text.strip().upper().removeprefix("KERNEL_TYPE_")
        if wanted not in KernelType.__members__:
            names = [member.json_name for member in KernelType]
            raise ValueError(f"unknown kernel type {text!r}; {nearest('KERNEL_TYPE_' + wanted, names)}")
        return KernelType[wanted]


@dataclass(frozen=True, slots=True)
class CodeCopy:
    """One copy of a sub-kernel's code: the symbol to call and the relocatable object that defines it."""

    symbol: str
    label: str
    data: bytes
    text_bytes: int


@dataclass(frozen=True, slots=True)
class KernelSource:
    """Ascend C source from which a sub-kernel is compiled: ``extern "C" __global__ __aicore__ void function(...)``."""

    path: Path
    text: str
    function: str
    definitions: tuple[tuple[str, str], ...] = ()
    include_directories: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class EarlyStartCalls:
    """Which of the early-start calls a sub-kernel issues itself (spec jit §6)."""

    sets: bool = False
    waits: bool = False


@dataclass(frozen=True, slots=True)
class CacheCleaning:
    """Whole-cache cleaning around a sub-kernel; ``disabled`` beats the others (spec jit §6.5)."""

    before: bool = False
    after: bool = False
    disabled: bool = False


@dataclass(frozen=True, slots=True)
class TilingVariant:
    """What a tiling-sink kernel runs for one tiling key (spec jit §2.2)."""

    key: int
    kernel_type: KernelType
    symbols: PerKind[str | None]


@dataclass(frozen=True, slots=True)
class SubKernel:
    """A kernel that a SuperKernel can call as a function.

    ``code`` holds for each core kind the copies of the code (first the base symbol); it is empty for a kind that the
    kernel does not run on, and for a kernel that still has to be compiled from ``source``. A kernel with ``tiling``
    decides on the device what runs, on up to ``blocks`` blocks; its one object defines the symbols of all variants, and
    ``recorded_blocks`` is what its metadata says instead. ``writes`` names the
    parameters that it writes, where that is known; ``workspace_bytes`` is what its parameter ``workspace`` needs;
    ``reference`` is ``module:function`` or ``file.py:function`` that computes the same with NumPy.
    """

    name: str
    kernel_type: KernelType
    blocks: int
    symbols: PerKind[str | None]
    parameters: tuple[str, ...]
    code: PerKind[tuple[CodeCopy, ...]] = PerKind((), ())
    source: KernelSource | None = None
    early_start: EarlyStartCalls = EarlyStartCalls()
    cleaning: CacheCleaning = CacheCleaning()
    full_sync: bool = False
    op_type: str = ""
    split_mode: int | None = None
    tiling: tuple[TilingVariant, ...] = ()
    supports_fusion: bool = True
    debug_options: tuple[str, ...] = ()
    debug_bytes: int = 0
    recorded_blocks: int | None = None
    writes: tuple[str, ...] = ()
    workspace_bytes: int = 0
    reference: str | None = None

    @property
    def operator_class(self) -> OperatorClass:
        return self.kernel_type.operator_class

    def variant_symbols(self, kind: CoreKind) -> tuple[str, ...]:
        """The symbols that a tiling key may choose on one core kind, once each."""
        found = (variant.symbols[kind] for variant in self.tiling)
        return tuple(dict.fromkeys(symbol for symbol in found if symbol is not None))

    @property
    def is_compiled(self) -> bool:
        return bool(self.code.aic or self.code.aiv)

    @property
    def cores(self) -> PerKind[int]:
        """Cores of each kind that the kernel occupies when it is launched alone."""
        return self.kernel_type.cores(self.blocks)

    def text_bytes(self, kind: CoreKind) -> int | None:
        """Size of the code on one core kind; None while it is not compiled."""
        copies = self.code[kind]
        return copies[0].text_bytes if copies else None
