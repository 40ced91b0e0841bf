# Licensed under the Apache License, Version 2.0.
"""Speed of the twin: compilation from nothing and from the cache, one run of many sub-kernels, and switches of cores.

The example is compiled into an empty cache first, then run again. A chain of sub-kernels on all cores tells how long a
run takes once everything is compiled; its process and its files are part of it. Ratios of one run may be compared.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.e2e.chains import Link, rotate, session_for, total, write_chain

EXAMPLE = Path(__file__).parent.parent / "examples" / "moe_block" / "graph.yaml"
SUB_KERNELS = 100
ROUNDS = 5


def seconds_of_example(cache: Path, arch: str) -> float:
    """Wall time of the command that runs the example, in a process of its own."""
    command = [sys.executable, "-m", "skcore", "run", str(EXAMPLE), "--npu-arch", arch]
    started = time.perf_counter()
    subprocess.run(command, env={**os.environ, "SKCORE_CACHE_DIR": str(cache)}, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def links(count: int) -> list[Link]:
    """Vector operators on 48 cores, mixed and cube ones on 24 groups, and some that synchronise all their cores."""
    kinds = [rotate("aiv_only", 48, 1), rotate("mix_aic_1_2", 24, 2), rotate("aic_only", 24, 3), total(48)]
    return [kinds[number % len(kinds)] for number in range(count)]


def run_of_many(arch: str, count: int) -> tuple[float, float]:
    """Median seconds of a run of so many sub-kernels as one SuperKernel, and switches of cores in it."""
    session = session_for(arch)
    with tempfile.TemporaryDirectory() as name:
        graph = session.read(write_chain(Path(name), links(count)))
        fused = session.fuse(graph)
        program = session.fused_program(fused)
        session.run(program)
        times, switches = [], []
        for seed in range(ROUNDS):
            started = time.perf_counter()
            result = session.run(program.with_seed(seed))
            times.append(time.perf_counter() - started)
            switches.append((result.figures or {})["switches"] / times[-1])
    return statistics.median(times), max(switches)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--npu-arch", default="dav-2201")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        first = seconds_of_example(Path(name), arguments.npu_arch)
        warm = min(seconds_of_example(Path(name), arguments.npu_arch) for _ in range(ROUNDS))
    seconds, switches = run_of_many(arguments.npu_arch, SUB_KERNELS)
    print(f"example, {arguments.npu_arch}: from an empty cache {first:.2f} s, from a full one {warm:.2f} s")
    print(f"{SUB_KERNELS} sub-kernels on 24 AIC and 48 AIV cores: {seconds:.2f} s a run")
    print(f"switches of cores: at the most {switches / 1e6:.2f} million a second of such a run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
