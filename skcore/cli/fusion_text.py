# Licensed under the Apache License, Version 2.0.
"""What fused and what did not, as text for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from skcore.cli.console import plain, table


def print_fusion(console: Console, summary: Mapping[str, Any]) -> None:
    """The SuperKernels with their operators, then the rest with its reasons."""
    for kernel in summary["super_kernels"]:
        cores = f"{kernel['aic_cores']} AIC and {kernel['aiv_cores']} AIV cores"
        count = len(kernel["operators"])
        console.print(
            plain(
                f"{kernel['name']}: {count} operators, {kernel['kernel_type']}, {kernel['blocks']} blocks ({cores})",
                "bold",
            )
        )
        rows = table("", "operator", "kernel type", "blocks#", "source")
        for operator in kernel["operators"]:
            mark = " full-sync" if operator["full_sync"] else ""
            rows.add_row(
                " ",
                plain(operator["name"]),
                operator["kernel_type"] + mark,
                str(operator["blocks"]),
                plain(operator["where"], "dim"),
            )
        console.print(rows)
    if summary["left_out"]:
        console.print(plain("not fused:", "bold"))
    for item in summary["left_out"]:
        console.print(plain(f"  {item['task']} ({item['key']}): {item['reason']}"))
        console.print(plain(f"    {item['remedy']}; {item['where']}", "dim"))
    if summary["cuts"]:
        console.print(plain("cuts inside scopes:", "bold"))
    for cut in summary["cuts"]:
        causes = ", ".join(cut["causes"])
        console.print(plain(f"  before {cut['before']} ({cut['key']}): {cut['reason']}; caused by {causes}"))
        console.print(plain(f"    {cut['remedy']}; {cut['where']}", "dim"))


def launches_line(summary: Mapping[str, Any]) -> str:
    """The number of launches before and after."""
    return f"launches: {summary['launches_before']} before, {summary['launches_after']} after"
