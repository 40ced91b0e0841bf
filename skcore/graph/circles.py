# Licensed under the Apache License, Version 2.0.
"""Who waits for each other in a circle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set


def find_circles(stuck: Set[int], before: Mapping[int, Set[int]]) -> Iterator[list[int]]:
    """Circles without a common member among those that never become ready, each against the direction of time.

    ``before`` gives what each waits for; every one of ``stuck`` waits for another one of them.
    """
    left = set(stuck)
    while left:
        # Everybody here waits for somebody here: whoever follows that comes to a place twice.
        path = [min(left)]
        while (earlier := min(before[path[-1]] & left)) not in path:
            path.append(earlier)
        circle = path[path.index(earlier) :]
        yield circle
        left -= set(circle)
        while free := {each for each in left if not before[each] & left}:
            left -= free
