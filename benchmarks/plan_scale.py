# Licensed under the Apache License, Version 2.0.
"""Planning plus source time and peak memory by number of sub-kernels.

Each size is measured in a process of its own, from metadata and objects on disk as the JIT entry gets them: reading,
planning with all checks, and the source text. Growth is the exponent between neighbouring sizes (1 is linear). Figures
of the public JIT peer come from ``peer_figures.md`` in the test data, where that is present; they are of the same kind
of machine, but not of the same run.
"""

from __future__ import annotations

import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from skcore.check import check_plan
from skcore.emit.source import emit_source
from skcore.plugin import load_plugins
from skcore.session import Session
from skcore.testing.objects import make_archive, make_object

SIZES = (10, 100, 300, 1000, 3000)
SIZES_OF_STREAMS = (100, 1000, 3000, 10_000)
STREAMS = (1, 2, 8, 64)
TIED = 3
"""Of several streams, every so many operators one waits for the operator before it in the list, by an event."""
TYPES = ("AIV_ONLY", "AIC_ONLY", "MIX_AIC_1_1", "MIX_AIC_1_2")
ROUNDS = 5


def write_operators(folder: Path, count: int, streams: int) -> dict[str, object]:
    """``count`` operators of changing kernel type on streams in turn, each with metadata and an archive of its own."""
    operators = []
    for number in range(count):
        kind = TYPES[number % len(TYPES)]
        sides = {"AIV_ONLY": ("AiCore",), "AIC_ONLY": ("AiCore",)}.get(kind, ("dav-c220-cube", "dav-c220-vec"))
        entries, members = {}, {}
        for side in sides:
            symbol = f"op{number}_{side.replace('-', '_')}"
            entries[side] = {"func_name": symbol, "obj_files": f"{symbol}.o"}
            members[f"{symbol}.o"] = make_object([symbol], 4096)
            for copy in (1, 2, 3):
                entries[side][f"obj_files_split{copy}"] = f"{symbol}_split{copy}.o"
                members[f"{symbol}_split{copy}.o"] = make_object([f"{symbol}_split{copy}"], 4096)
        facts = {
            "kernelName": f"op{number}",
            "sub_operator_kernel_name": entries,
            "sub_operator_kernel_type": f"KERNEL_TYPE_{kind}",
            "blockDim": 8 + number % 16,
            "sub_operator_params": ["x", "y", "workspace"],
            "sub_operator_early_start_set_flag": False,
            "sub_operator_early_start_wait_flag": False,
            "split_mode": 4,
        }
        (folder / f"{number}.json").write_text(json.dumps(facts))
        (folder / f"{number}.o").write_bytes(make_archive(members))
        tied = [event for event in (number, number + 1) if streams > 1 and event % TIED == 0 and 0 < event < count]
        operators.append(
            {
                "json_path": str(folder / f"{number}.json"),
                "bin_path": str(folder / f"{number}.o"),
                "stream_id": number % streams,
                "recv_event_list": [event for event in tied if event == number],
                "send_event_list": [number + 1]
                if streams > 1 and (number + 1) % TIED == 0 and number + 1 < count
                else [],
            }
        )
    return {"op_list": operators, "super_kernel_options": "stream-fusion=1", "kernel_name": "sk_scale"}


def measure(count: int, streams: int) -> dict[str, float]:
    """Median seconds of reading, planning with checks, and source text; peak memory in MiB; lines of source."""
    plugins = load_plugins()
    session = Session(plugins, plugins.target("dav-2201"))
    with tempfile.TemporaryDirectory() as name:
        data = write_operators(Path(name), count, streams)
        times: dict[str, list[float]] = {"read": [], "plan": [], "source": []}
        lines = 0
        for _ in range(ROUNDS):
            started = time.perf_counter()
            graph = session.read(data)
            read = time.perf_counter()
            plan = session.fuse(graph).plans[0]
            check_plan(plan, session.target)
            planned = time.perf_counter()
            lines = emit_source(plan, session.target).count("\n")
            times["read"].append(read - started)
            times["plan"].append(planned - read)
            times["source"].append(time.perf_counter() - planned)
    figures = {key: statistics.median(values) for key, values in times.items()}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {**figures, "peak": peak, "lines": lines}


def peer_seconds(streams: int) -> dict[int, float]:
    """Seconds of the peer by number of sub-kernels, on so many streams."""
    root = Path(os.environ.get("SKCORE_TEST_DATA", Path(__file__).resolve().parents[2] / "shared"))
    path = root / "peer_figures.md"
    found: dict[int, float] = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        cells = [cell.strip().replace(",", "") for cell in line.strip("|").split("|")]
        if len(cells) == 4 and cells[0].isdigit() and cells[1] == str(streams):
            found[int(cells[0])] = float(cells[2])
    return found


def show(streams: int, sizes: tuple[int, ...]) -> None:
    """Measure and print the sizes on so many streams."""
    peer = peer_seconds(streams)
    print(f"streams: {streams}")
    print("sub-kernels  read s   plan s   source s  plan+source s  growth  peak MiB   lines  peer s   peer / ours")
    last: tuple[int, float] | None = None
    for count in sizes:
        command = [sys.executable, "-m", "benchmarks.plan_scale", str(count), str(streams)]
        figures = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        total = figures["plan"] + figures["source"]
        growth = math.log(total / last[1]) / math.log(count / last[0]) if last else math.nan
        last = (count, total)
        known = peer.get(count)
        everything = total + figures["read"]
        print(
            f"{count:11}  {figures['read']:6.3f}  {figures['plan']:7.3f}  {figures['source']:9.3f}  {total:13.3f}"
            f"  {growth:6.2f}  {figures['peak']:8.0f}  {figures['lines']:6.0f}"
            + (f"  {known:6.2f}  {known / everything:12.0f}" if known else "       -             -")
        )


def main() -> None:
    for streams in STREAMS:
        show(streams, SIZES if streams == 1 else SIZES_OF_STREAMS)
    print("peer / ours: the peer's figure against our reading, planning, checks and source together")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(int(sys.argv[1]), int(sys.argv[2]))))
    else:
        main()
