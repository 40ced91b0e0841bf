# Licensed under the Apache License, Version 2.0.
"""``skcore run``: builds the fused and the unfused form, runs both, and compares their bytes."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from skcore.cli.common import (
    Input,
    Jobs,
    Json,
    NpuArch,
    Overrides,
    Soc,
    Strict,
    Toolchain,
    make_session,
    tell_warnings,
)
from skcore.cli.console import ProgressLine, out, plain, print_json, table
from skcore.cli.fusion_text import launches_line, print_fusion
from skcore.errors import RunError
from skcore.report.summary import summarise
from skcore.run.verify import Comparison, verify


def run(
    source: Input,
    npu_arch: NpuArch,
    soc: Soc = None,
    option: Overrides = None,
    strict: Strict = False,
    toolchain: Toolchain = "twin",
    jobs: Jobs = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="first seed of the scheduler")] = 0,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="how many seeds to run the fused form with")] = 1,
    as_json: Json = False,
) -> None:
    """Run INPUT fused and unfused and compare every output, byte for byte and with NumPy."""
    with ProgressLine() as progress:
        session = make_session(npu_arch, soc, toolchain=toolchain, jobs=jobs, progress=progress)
        fused = session.fuse(session.read(source), overrides=option or (), strict=strict)
        comparisons = verify(session, fused, range(seed, seed + seeds))
    tell_warnings(fused)
    summary = {**summarise(fused), "outputs": [_as_data(item) for item in comparisons]}
    if as_json:
        print_json(summary)
    else:
        _print(summary)
    different = [item.buffer for item in comparisons if not item.equal]
    if different:
        raise RunError(f"fused and unfused differ in {', '.join(different)}")


def _as_data(item: Comparison) -> dict[str, Any]:
    return {
        "buffer": item.buffer,
        "bytes": item.size,
        "equal": item.equal,
        "differing_seeds": list(item.differing_seeds),
        "first_difference": item.first_difference,
        "seeds": item.seeds,
        "largest_difference_from_numpy": item.from_reference,
        "largest_relative_difference_from_numpy": item.relative_from_reference,
    }


def _print(summary: dict[str, Any]) -> None:
    console = out()
    print_fusion(console, summary)
    console.print(plain(launches_line(summary)))
    rows = table("output", "bytes#", "fused = unfused", "from NumPy#", "relative#")
    for item in summary["outputs"]:
        equal = f"equal ({item['seeds']} seeds)" if item["seeds"] > 1 else "equal"
        verdict = equal if item["equal"] else f"DIFFERENT (first at byte {item['first_difference']})"
        rows.add_row(
            plain(item["buffer"]),
            str(item["bytes"]),
            plain(verdict, "green" if item["equal"] else "bold red"),
            _figure(item["largest_difference_from_numpy"]),
            _figure(item["largest_relative_difference_from_numpy"]),
        )
    console.print(rows)


def _figure(value: float | None) -> str:
    return "no reference" if value is None else f"{value:.3g}"
