# Licensed under the Apache License, Version 2.0.
"""Thousands of random graphs: ``python -m tests.e2e.fuzz --runs 1000 --seed 7 --npu-arch dav-2201``.

Prints the seed and, on a failure, the smallest graph that fails as the Python expression that makes it.
"""

from __future__ import annotations

import argparse
import random
import secrets
import sys
import time
from collections import Counter
from collections.abc import Callable

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

from skcore.errors import SkcoreError
from skcore.session import Session
from tests.e2e.chains import session_for
from tests.e2e.random_graphs import GraphSpec, check_spec, graph_specs, random_spec

Check = Callable[[Session, GraphSpec, list[int]], None]
FAILURES = (AssertionError, SkcoreError)


def smallest_failure(session: Session, runs: int, seed: int, schedules: int, check: Check = check_spec) -> str:
    """Draw graphs with hypothesis until one fails, and shrink it; the empty text means that none failed."""
    last: list[tuple[GraphSpec, int, Exception]] = []

    @seeded(seed)
    @settings(
        max_examples=runs,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        report_multiple_bugs=False,
    )
    @given(graph_specs(session.target), st.integers(0, 1 << 16))
    def search(spec: GraphSpec, first: int) -> None:
        try:
            check(session, spec, list(range(first, first + schedules)))
        except FAILURES as error:
            last[:] = [(spec, first, error)]
            raise

    try:
        search()
    except (*FAILURES, HypothesisException):
        spec, first, failure = last[0]
        # What hypothesis leaves when its effort ends may still hold operators that the failure does not need.
        return report(shrunk(session, spec, list(range(first, first + schedules)), check), first, failure)
    return ""


def shrunk(session: Session, spec: GraphSpec, seeds: list[int], check: Check = check_spec) -> GraphSpec:
    """A failing graph without the operators, events, outer events and options that the failure does not need."""

    def fails(smaller: GraphSpec) -> bool:
        try:
            check(session, smaller, seeds)
        except FAILURES:
            return True
        return False

    while True:
        smaller = next((each for each in spec.smaller(session.target) if fails(each)), None)
        if smaller is None:
            return spec
        spec = smaller


def report(spec: GraphSpec, first: int, error: Exception) -> str:
    return f"{type(error).__name__}: {error}\n\nscheduler seeds from {first}, smallest graph:\n{spec!r}\n"


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def run(arguments: argparse.Namespace) -> int:
    session = session_for(arguments.npu_arch)
    say(f"seed {arguments.seed}, {arguments.runs} graphs on {arguments.npu_arch}")
    drawn = random.Random(arguments.seed)
    begin = time.monotonic()
    failures: Counter[str] = Counter()
    for number in range(arguments.runs):
        spec = random_spec(drawn, session.target, arguments.operators)
        seeds = [drawn.randrange(1 << 16) for _ in range(arguments.schedules)]
        try:
            check_spec(session, spec, seeds)
        except FAILURES as error:
            failures[type(error).__name__] += 1
            say(f"graph {number} fails: {error}\n{spec!r}")
            smallest = shrunk(session, spec, seeds)
            say(f"smallest: check_spec(session, {smallest!r}, {seeds})")
            if not arguments.keep_going:
                return 1
        if (number + 1) % 100 == 0:
            say(f"{number + 1} graphs, {time.monotonic() - begin:.0f} s")
    if not failures and arguments.drawn:
        text = smallest_failure(session, arguments.drawn, arguments.seed, arguments.schedules)
        if text:
            say(text)
            return 1
    say(f"{arguments.runs} graphs, {sum(failures.values())} failures, {time.monotonic() - begin:.0f} s")
    return int(bool(failures))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000, help="graphs of the plain generator")
    parser.add_argument("--drawn", type=int, default=0, help="graphs that hypothesis draws and shrinks after them")
    parser.add_argument("--seed", type=int, default=None, help="default: a new one each time; it is printed")
    parser.add_argument("--npu-arch", default="dav-2201")
    parser.add_argument("--schedules", type=int, default=3, help="seeds of the scheduler for each graph")
    parser.add_argument("--operators", type=int, default=12, help="the most operators of a graph")
    parser.add_argument("--keep-going", action="store_true", help="go on after a failure")
    arguments = parser.parse_args()
    if arguments.seed is None:
        arguments.seed = secrets.randbelow(1 << 32)
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
