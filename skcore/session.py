# Licensed under the Apache License, Version 2.0.
"""One way through: from an input to plans, binaries and results (design §3)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from skcore.build.kernels import kernel_unit, with_code
from skcore.build.process import run_parallel
from skcore.build.superkernel import superkernel_unit
from skcore.build.unit import Artifact, BuildScript, CompileUnit, ModuleUnit
from skcore.emit.lowering import Templates
from skcore.errors import InputError, PluginError, Problem
from skcore.frontends.request import Request
from skcore.fuse import FusedGraph, find_kernels, fuse
from skcore.graph.kernel import SubKernel
from skcore.graph.task import KernelTask
from skcore.graph.taskgraph import TaskGraph
from skcore.options import Options
from skcore.plugin import Plugins
from skcore.run import RunResult
from skcore.run.program import Program, fused_program, unfused_program
from skcore.target import Target

Progress = Callable[[str, int, int], None]


def _quiet(what: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True, slots=True)
class Session:
    """Everything that a command needs: plug-ins, target, toolchain, and how many jobs run at once."""

    plugins: Plugins
    target: Target
    toolchain: str = "twin"
    jobs: int = field(default_factory=lambda: os.cpu_count() or 1)
    progress: Progress = _quiet

    def read(self, source: Path | Mapping[str, object]) -> TaskGraph:
        """The task graph of an input, with kernels found for its operators.

        Raises:
            InputError: no front end knows the input, or everything that is wrong with it.
        """
        if isinstance(source, Path) and not source.exists():
            raise InputError(Problem(str(source), "there is no such file", "check the path"))
        graph: TaskGraph | None = self.plugins.hook.collect_ops(source=source, request=Request(self.target))
        if graph is None:
            where = str(source) if isinstance(source, Path) else "input"
            raise InputError(
                Problem(where, "no front end knows this input", "give a graph file (.yaml) or an op_list (.json)")
            )
        return find_kernels(graph, self.target, self.plugins)

    def fuse(
        self, graph: TaskGraph, *, overrides: Sequence[str] = (), strict: bool = False, compiled: bool = True
    ) -> FusedGraph:
        """Plan the SuperKernels of a graph; ``compiled`` compiles source kernels first."""
        compile_kernels = self.compile_kernels if compiled else None
        return fuse(
            graph, self.target, self.plugins, overrides=overrides, strict=strict, compile_kernels=compile_kernels
        )

    def compile_kernels(self, kernels: Sequence[tuple[SubKernel, Options]]) -> dict[SubKernel, SubKernel]:
        """Compile source kernels; gives each with its code."""
        units = [kernel_unit(kernel, options) for kernel, options in kernels]
        artifacts = self._compile("kernels", units)
        return {kernel: with_code(kernel, artifact) for (kernel, _), artifact in zip(kernels, artifacts, strict=True)}

    def build(self, fused: FusedGraph) -> dict[str, Artifact]:
        """Build the SuperKernels of a fused graph, by name."""
        templates = Templates(self.target)
        units = [superkernel_unit(plan, self.target, templates) for plan in fused.plans]
        return dict(zip((unit.name for unit in units), self._compile("SuperKernels", units), strict=True))

    def build_scripts(self, fused: FusedGraph) -> dict[str, BuildScript]:
        """How the toolchain would build the SuperKernels and the kernels that they still need compiled, by name.

        Raises:
            PluginError: the toolchain has no scripts.
        """
        units: dict[str, CompileUnit] = {}
        for plan in fused.plans:
            for kernel in plan.group.kernels:
                if not kernel.is_compiled and kernel.source is not None:
                    name = next(symbol for _, symbol in kernel.symbols if symbol is not None)
                    units[name] = kernel_unit(kernel, plan.group.options)
        units.update((plan.name, superkernel_unit(plan, self.target)) for plan in fused.plans)
        scripts = {}
        for name, unit in units.items():
            script: BuildScript | None = self.plugins.hook.describe_build(
                unit=unit, target=self.target, toolchain=self.toolchain
            )
            if script is None:
                raise PluginError(f"toolchain {self.toolchain!r} has no dry run, or is not installed (try bisheng)")
            scripts[name] = script
        return scripts

    def build_module(self, graph: TaskGraph, tasks: Sequence[KernelTask]) -> Artifact | None:
        """Make kernels launchable alone."""
        kernels = tuple(dict.fromkeys(task.kernel for task in tasks if task.kernel is not None))
        return self._compile("kernels alone", [ModuleUnit(graph.name, kernels)])[0] if kernels else None

    def fused_program(self, fused: FusedGraph, seed: int = 0) -> Program:
        """Build what the fused form needs, and its launches."""
        artifacts = self.build(fused)
        outside = [item for item in fused.items if isinstance(item, KernelTask)]
        return fused_program(fused, artifacts, self.build_module(fused.graph, outside), self.target, seed)

    def unfused_program(self, fused: FusedGraph, seed: int = 0) -> Program:
        """Build what the unfused form needs, and its launches: the same compiled kernels, one by one."""
        module = self.build_module(fused.graph, fused.graph.kernels)
        if module is None:
            raise InputError(Problem(fused.graph.name, "there is no kernel to run"))
        return unfused_program(fused.graph, module, self.target, seed)

    def run(self, program: Program) -> RunResult:
        """Run launches.

        Raises:
            RunError: the run stopped.
            PluginError: no runner for artifacts of this toolchain is installed.
        """
        result: RunResult | None = self.plugins.hook.run_artifact(
            artifact=program.launches, arguments=program.inputs, target=self.target
        )
        if result is None:
            raise PluginError(
                f"no runner for artifacts of toolchain {self.toolchain!r} (pip install skcore-{self.toolchain})"
            )
        return result

    def _compile(self, what: str, units: Sequence[CompileUnit]) -> list[Artifact]:
        done = 0

        def report(_index: int, _artifact: Artifact) -> None:
            nonlocal done
            done += 1
            self.progress(what, done, len(units))

        self.progress(what, 0, len(units))
        jobs = [lambda unit=unit: self._compile_one(unit) for unit in units]
        return run_parallel(jobs, self.jobs, report)

    def _compile_one(self, unit: CompileUnit) -> Artifact:
        artifact: Artifact | None = self.plugins.hook.compile_binary(
            unit=unit, target=self.target, toolchain=self.toolchain
        )
        if artifact is None:
            raise PluginError(f"no toolchain {self.toolchain!r} is installed (pip install skcore-{self.toolchain})")
        return artifact
