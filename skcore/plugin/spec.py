# Licensed under the Apache License, Version 2.0.
"""The hooks (design §5). A hook's docstring is its documentation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    import typer

    from skcore.build.unit import Artifact, BuildScript, CompileUnit
    from skcore.frontends.request import Request
    from skcore.graph.kernel import PerKind, SubKernel
    from skcore.graph.task import KernelTask
    from skcore.graph.taskgraph import TaskGraph
    from skcore.options import Options
    from skcore.plan.group import FusionGroup
    from skcore.plan.plan import Plan, Program
    from skcore.run import Launch, RunInputs, RunResult
    from skcore.target import Target

PROJECT = "skcore"
API_VERSION = 1

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


class Hooks:
    """Everything that a plug-in can add to skcore."""

    @hookspec(firstresult=True)
    def collect_ops(self, source: object, request: Request) -> TaskGraph | None:
        """Turn an input into a task graph.

        Called once when an input arrives. ``source`` is a path or a Python object; a front end that does not know it
        returns None, and the next one is asked. Problems of an input that it does know are raised together as
        :class:`skcore.errors.InputError`.

        Example::

            @hookimpl
            def collect_ops(source, request):
                if not (isinstance(source, Path) and source.suffix == ".mygraph"):
                    return None
                return read_my_graph(source)
        """

    @hookspec(firstresult=True)
    def describe_target(self, npu_arch: str) -> Target | None:
        """Give the target named ``npu_arch``, or None when it is another plug-in's.

        Called when ``--npu-arch`` is resolved.

        Example::

            @hookimpl
            def describe_target(npu_arch):
                return load_target(__name__) if npu_arch == "my-chip" else None
        """

    @hookspec
    def list_targets(self) -> Sequence[str]:
        """Names that ``describe_target`` of this plug-in knows.

        Called by ``skcore targets`` and for the message about an unknown name.

        Example::

            @hookimpl
            def list_targets():
                return ["my-chip"]
        """
        return ()

    @hookspec(firstresult=True)
    def find_kernel(self, op: KernelTask, target: Target) -> SubKernel | None:
        """Give a kernel for an operator that has no compiled kernel yet, or None.

        Called for each task with ``kernel`` None, before grouping. The kernel may still be source.

        Example::

            @hookimpl
            def find_kernel(op, target):
                return my_library.get(op.op_type)
        """

    @hookspec(firstresult=True)
    def plan_sync(self, group: FusionGroup, target: Target, options: Options) -> PerKind[Program] | None:
        """Give one program per core kind, with its synchronisation, or None to leave it to the core.

        Called after grouping. A target overrides it when its cores synchronise in a way that the steps of
        :mod:`skcore.plan.steps` cannot express through the target's templates.

        Example::

            @hookimpl
            def plan_sync(group, target, options):
                return None if target.npu_arch != "my-chip" else my_programs(group)
        """

    @hookspec(firstresult=True)
    def emit_preload(self, plan: Plan, target: Target, options: Options) -> PerKind[Program] | None:
        """Give the programs of the plan with preload steps added, or None to leave it to the core.

        Called after ``plan_sync``, once a plan.

        Example::

            @hookimpl
            def emit_preload(plan, target, options):
                return plan.programs if target.npu_arch == "chip-without-preload" else None
        """

    @hookspec(firstresult=True)
    def compile_binary(self, unit: CompileUnit, target: Target, toolchain: str) -> Artifact | None:
        """Compile a kernel source or a SuperKernel into an artifact, or None when the toolchain is another plug-in's.

        Called after emission and check, from several threads at once.

        Example::

            @hookimpl
            def compile_binary(unit, target, toolchain):
                return compile_with_my_tools(unit, target) if toolchain == "mine" else None
        """

    @hookspec(firstresult=True)
    def describe_build(self, unit: CompileUnit, target: Target, toolchain: str) -> BuildScript | None:
        """Say how a unit would be built, or None when the toolchain is another plug-in's or has no such script.

        Called by ``build --dry-run``. The script must not depend on the machine: what is installed where stays a shell
        variable in it.

        Example::

            @hookimpl
            def describe_build(unit, target, toolchain):
                return my_script(unit, target) if toolchain == "mine" else None
        """

    @hookspec(firstresult=True)
    def run_artifact(self, artifact: Sequence[Launch], arguments: RunInputs, target: Target) -> RunResult | None:
        """Run launches in order on a device or an emulation of it, or None when the artifacts are another runner's.

        Called by ``run``, ``verify`` and ``profile``.

        Example::

            @hookimpl
            def run_artifact(artifact, arguments, target):
                return my_runner(artifact, arguments) if artifact[0].artifact.toolchain == "mine" else None
        """

    @hookspec
    def add_commands(self, app: typer.Typer) -> None:
        """Add sub-commands to the command line.

        Called when the command line starts.

        Example::

            @hookimpl
            def add_commands(app):
                app.command("hello")(lambda: typer.echo("hello"))
        """

    @hookspec
    def check_installation(self) -> Sequence[tuple[str, bool, str]]:
        """Say what this plug-in needs from the machine: (what, is it there, found version or remedy).

        Called by ``skcore doctor``.

        Example::

            @hookimpl
            def check_installation():
                return [("C++ compiler", shutil.which("g++") is not None, "install g++")]
        """
        return ()
