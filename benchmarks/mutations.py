# Licensed under the Apache License, Version 2.0.
"""How well the checker tells safe plans from unsafe ones: damaged plans, judged by all interleavings of their cores.

What the judge of ``tests/check/interleavings.py`` finds unsafe among the plans of :mod:`tests.check.damage` the checker
has to refuse; what it refuses though it is safe is counted. The smallest plans of both sorts are shown.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import islice

from skcore.plan.plan import Plan
from skcore.plugin import load_plugins
from tests.check.damage import ARCHES, Damaged, random_damaged, refusal, shown
from tests.check.interleavings import TooLarge, causes, search


def size(plan: Plan) -> int:
    return sum(len(list(program)) for _, program in plan.programs) + plan.shape.blocks


@dataclass(slots=True)
class Row:
    """Counts of one kind of damage, the seconds of checker and judge, and the smallest examples."""

    tried: int = 0
    unsafe: int = 0
    missed: int = 0
    safe: int = 0
    refused: int = 0
    checking: float = 0.0
    judging: float = 0.0
    examples: dict[str, dict[str, tuple[int, int, str]]] = field(default_factory=lambda: {"missed": {}, "refused": {}})

    def show(self, table: str, made: Damaged, arch: str, reason: str, group: str) -> None:
        """Keep the smallest example of each group."""
        count, least, text = self.examples[table].get(group, (0, 1 << 30, ""))
        if size(made.plan) < least:
            least, text = size(made.plan), f"{arch}: {made.text}\n    {reason}\n{shown(made.plan)}"
        self.examples[table][group] = (count + 1, least, text)


def measure(count: int, seed: int, searched: int, large: bool = False) -> tuple[dict[str, Row], list[str]]:
    """The rows by kind of damage; one damaged plan in ``searched`` is judged by the search too, which has to agree."""
    targets = {arch: load_plugins().target(arch) for arch in ARCHES}
    rows: dict[str, Row] = defaultdict(Row)
    disagreements = []
    drawn = random_damaged(random.Random(seed), targets, *((12, 6) if large else (5, 3)))
    for number, (arch, made) in enumerate(islice(drawn, count)):
        row = rows[made.how]
        target = targets[arch]
        start = time.perf_counter()
        refused = refusal(made.plan, target)
        checked = time.perf_counter()
        fault = causes(made.plan, target)
        row.judging += time.perf_counter() - checked
        row.checking += checked - start
        row.tried += 1
        row.unsafe += fault is not None
        row.safe += fault is None
        if fault is not None and not refused:
            row.missed += 1
            row.show("missed", made, arch, str(fault), _kind_of(str(fault)))
        elif fault is None and refused:
            row.refused += 1
            alone = ", one core of a kind" * any(cores == 1 for _, cores in made.plan.shape.cores)
            row.show("refused", made, arch, refused, _kind_of(refused) + alone)
        if searched and number % searched == 0:
            try:
                found = search(made.plan, target, most=20_000)
            except TooLarge:
                continue
            if (found is None) != (fault is None):
                disagreements.append(f"{arch}: {made.text}\n  search: {found}\n  causes: {fault}\n{shown(made.plan)}")
    return rows, disagreements


def _kind_of(text: str) -> str:
    """What a reason is about, without its names and numbers."""
    first = text.splitlines()[0].split(": ")[-1]
    return " ".join(
        "".join(letter for letter in word if letter.isalpha())
        for word in first.split()
        if not any(map(str.isdigit, word))
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutations", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--searched", type=int, default=20, help="judge one in so many by the search too (0: none)")
    parser.add_argument("--large", action="store_true", help="plans of up to 12 operators and 6 blocks")
    arguments = parser.parse_args()
    start = time.perf_counter()
    rows, disagreements = measure(arguments.count, arguments.seed, arguments.searched, arguments.large)
    columns = ("tried", "unsafe", "missed", "safe", "refused")
    print(f"{'damage':18}{''.join(f'{name:>10}' for name in columns)}{'check ms':>10}{'judge ms':>10}")
    for how, row in sorted(rows.items()):
        counts = "".join(f"{getattr(row, name):10}" for name in columns)
        print(f"{how:18}{counts}{1000 * row.checking / row.tried:10.2f}{1000 * row.judging / row.tried:10.2f}")
    totals = {name: sum(getattr(row, name) for row in rows.values()) for name in columns}
    print(f"{'all':18}{''.join(f'{totals[name]:10}' for name in columns)}   {time.perf_counter() - start:.0f} s")
    for table, title in (("missed", "unsafe and accepted"), ("refused", "safe and refused")):
        for how, row in sorted(rows.items()):
            for count, _, text in sorted(row.examples[table].values(), reverse=True):
                print(f"\n{title}, {how}, {count} like this: {text}")
    for text in disagreements:
        print(f"\njudges disagree: {text}")
    return 1 if totals["missed"] or disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
