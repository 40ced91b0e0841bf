# Licensed under the Apache License, Version 2.0.
"""``skcore plan``: what fuses, into which SuperKernels, with which steps."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from skcore.check import check_plans
from skcore.cli.common import Input, Json, NpuArch, Overrides, Soc, Strict, make_session, tell_warnings
from skcore.cli.console import out, plain, print_json
from skcore.cli.fusion_text import launches_line, print_fusion
from skcore.emit.source import emit_source
from skcore.report.summary import summarise, summarise_steps


def plan(
    source: Input,
    npu_arch: NpuArch,
    soc: Soc = None,
    option: Overrides = None,
    strict: Strict = False,
    steps: Annotated[bool, typer.Option("--steps", help="print the steps of each core kind")] = False,
    emit: Annotated[bool, typer.Option("--source", help="print the generated source")] = False,
    as_json: Json = False,
) -> None:
    """Plan the SuperKernels of INPUT; compiles nothing."""
    session = make_session(npu_arch, soc)
    fused = session.fuse(session.read(source), overrides=option or (), strict=strict, compiled=False)
    tell_warnings(fused)
    summary = summarise(fused)
    for entry, made in zip(summary["super_kernels"], fused.plans, strict=True):
        if steps or as_json:
            entry.update(summarise_steps(made))
        if emit:
            entry["source"] = emit_source(made, session.target)
    if as_json:
        print_json(summary)
    else:
        _print(summary, steps=steps)
    check_plans(fused.graph.tasks, fused.plans, session.target)


def _print(summary: dict[str, Any], *, steps: bool) -> None:
    console = out()
    print_fusion(console, summary)
    console.print(plain(launches_line(summary)))
    for kernel in summary["super_kernels"]:
        for kind, program in kernel.get("programs", {}).items() if steps else ():
            console.print(plain(f"\n{kernel['name']} on {kind.upper()} cores:", "bold"))
            for number, step in enumerate(program):
                console.print(plain(f"  {number:3} {step['text']}"))
        if "source" in kernel:
            console.print(plain(f"\n{kernel['source']}"))
