# Licensed under the Apache License, Version 2.0.
"""``skcore explain``: every decision with its reason and what would change it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from skcore.cli.common import Input, Json, NpuArch, Overrides, Soc, Strict, make_session, tell_warnings
from skcore.cli.console import out, plain, print_json
from skcore.cli.fusion_text import launches_line, print_fusion
from skcore.errors import InputError, Problem, nearest
from skcore.report.summary import summarise


def explain(
    source: Input,
    npu_arch: NpuArch,
    soc: Soc = None,
    option: Overrides = None,
    strict: Strict = False,
    operator: Annotated[str | None, typer.Option("--operator", help="explain this operator alone")] = None,
    as_json: Json = False,
) -> None:
    """Explain what fuses in INPUT, what does not and why, and what to change."""
    session = make_session(npu_arch, soc)
    fused = session.fuse(session.read(source), overrides=option or (), strict=strict, compiled=False)
    tell_warnings(fused)
    summary = summarise(fused)
    if operator is not None:
        summary = _only(summary, operator)
    if as_json:
        print_json(summary)
        return
    console = out()
    print_fusion(console, summary)
    for kernel in summary["super_kernels"]:
        console.print(plain(f"why {kernel['name']} is as it is:", "bold"))
        for decision in kernel["decisions"]:
            concerned = ", ".join(decision["operators"])
            console.print(plain(f"  {decision['key']}: {decision['text']} [{concerned}]"))
            if decision["remedy"]:
                console.print(plain(f"    to change it: {decision['remedy']}", "dim"))
    console.print(plain(launches_line(summary)))


def _only(summary: dict[str, Any], name: str) -> dict[str, Any]:
    """The parts of a summary that concern one operator."""
    kernels, left_out, cuts = summary["super_kernels"], summary["left_out"], summary["cuts"]
    names = [op["name"] for kernel in kernels for op in kernel["operators"]] + [item["task"] for item in left_out]
    if name not in names:
        raise InputError(Problem("--operator", f"the graph has no operator {name!r}", nearest(name, names)))
    concerned = [kernel for kernel in kernels if name in [op["name"] for op in kernel["operators"]]]
    for kernel in concerned:
        kernel["decisions"] = [decision for decision in kernel["decisions"] if name in decision["operators"]]
    return {
        **summary,
        "super_kernels": concerned,
        "left_out": [item for item in left_out if item["task"] == name],
        "cuts": [cut for cut in cuts if name in (cut["before"], *cut["causes"])],
    }
