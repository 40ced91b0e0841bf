# Licensed under the Apache License, Version 2.0.
"""Sorting behind what is waited for, and circles."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from skcore.graph.sorting import find_circles, sort_after

WAITS = st.dictionaries(st.integers(0, 7), st.sets(st.integers(0, 7), max_size=3), max_size=8)


def test_the_smallest_comes_first_where_nothing_is_said() -> None:
    assert sort_after([3, 1, 2], {}) == [1, 2, 3]
    assert sort_after([1, 2, 3], {1: [3]}) == [2, 3, 1]


def test_who_waits_in_a_circle_is_left_out_with_all_behind_it() -> None:
    assert sort_after(range(5), {1: [2], 2: [1], 3: [2], 4: [0]}) == [0, 4]


@given(WAITS)
def test_a_sequence_keeps_every_order_and_what_is_left_holds_circles(before: dict[int, set[int]]) -> None:
    found = sort_after(range(8), before)
    place = {number: index for index, number in enumerate(found)}
    for number in found:
        assert all(place[each] < place[number] for each in before.get(number, ()))
    stuck = set(range(8)) - set(found)
    circles = list(find_circles(stuck, {number: before.get(number, set()) for number in stuck}))
    assert bool(circles) == bool(stuck)
    members = [number for circle in circles for number in circle]
    assert len(members) == len(set(members))
    for circle in circles:
        for later, earlier in zip(circle, (*circle[1:], circle[0]), strict=True):
            assert earlier in before[later]
