# Licensed under the Apache License, Version 2.0.
"""Pairwise covering: few rows in which every pair of values of two columns occurs together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

Row = dict[str, str]
Pair = tuple[str, str, str, str]


def pairwise_rows(columns: Mapping[str, Sequence[str]]) -> list[Row]:
    """Rows that cover all pairs, built greedily; the same input gives the same rows."""
    names = sorted(columns, key=lambda name: (-len(columns[name]), name))
    missing = {
        (first, one, second, two)
        for first, second in combinations(names, 2)
        for one in columns[first]
        for two in columns[second]
    }
    rows = []
    while missing:
        first, one, second, two = min(missing)
        row: Row = {first: one, second: two}
        for name in names:
            if name not in row:
                row[name] = max(columns[name], key=lambda value: _gain(row, name, value, names, missing))
        missing -= set(_pairs(row, names))
        rows.append(row)
    return rows


def _gain(row: Row, name: str, value: str, names: Sequence[str], missing: set[Pair]) -> int:
    tried = {**row, name: value}
    return sum(pair in missing for pair in _pairs(tried, names) if name in (pair[0], pair[2]))


def _pairs(row: Row, names: Sequence[str]) -> list[Pair]:
    present = [name for name in names if name in row]
    return [(first, row[first], second, row[second]) for first, second in combinations(present, 2)]
