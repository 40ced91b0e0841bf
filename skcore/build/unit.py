# Licensed under the Apache License, Version 2.0.
"""What toolchains compile, and what they give back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from skcore.graph.kernel import CodeCopy, KernelSource, PerKind, SubKernel
from skcore.plan.plan import Plan


@dataclass(frozen=True, slots=True)
class KernelUnit:
    """A kernel source to compile into sub-kernel objects, one for each core kind that ``symbols`` names."""

    kernel: SubKernel
    source: KernelSource
    symbols: PerKind[str | None]
    macros: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.kernel.name


@dataclass(frozen=True, slots=True)
class SuperKernelUnit:
    """A SuperKernel to compile and link: its source with the macros of each core kind, and its sub-kernels' objects.

    ``flags`` are the user's own compiler options. An object without data stands for a kernel that is not compiled yet.
    ``entries`` are the symbols that stay visible; ``local`` are the sub-kernel symbols that are made local.
    """

    plan: Plan
    source: str
    flags: tuple[str, ...]
    macros: PerKind[tuple[str, ...]]
    entries: PerKind[str | None]
    objects: PerKind[tuple[CodeCopy, ...]]
    local: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.plan.name


@dataclass(frozen=True, slots=True)
class ModuleUnit:
    """Compiled kernels to make launchable one by one, outside a SuperKernel."""

    name: str
    kernels: tuple[SubKernel, ...]


@dataclass(frozen=True, slots=True)
class BuildScript:
    """How a unit is built: files to write, commands to run in their folder, and the files that are its artifact."""

    files: tuple[tuple[str, bytes], ...]
    commands: tuple[tuple[str, ...], ...]
    outputs: tuple[tuple[str, str], ...]


CompileUnit = KernelUnit | SuperKernelUnit | ModuleUnit


@dataclass(frozen=True, slots=True)
class Artifact:
    """What a toolchain made of a unit: named files. For a kernel unit these are ``aic`` and ``aiv`` objects, for the
    others the ``binary``.
    """

    toolchain: str
    name: str
    files: tuple[tuple[str, Path], ...]

    def file(self, name: str) -> Path:
        """The file of this name; raises KeyError when the artifact has none."""
        return dict(self.files)[name]
