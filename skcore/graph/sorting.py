# Licensed under the Apache License, Version 2.0.
"""Numbers behind those that they wait for, and who waits for each other in a circle."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set


def sort_after(numbers: Iterable[int], before: Mapping[int, Iterable[int]]) -> list[int]:
    """The numbers behind those that ``before`` names for them, else the smallest first.

    Those that wait for each other in a circle are left out, and those that wait for them.
    """
    after: dict[int, list[int]] = defaultdict(list)
    waiting: dict[int, int] = {}
    for number in numbers:
        earlier = tuple(before.get(number, ()))
        waiting[number] = len(earlier)
        for each in earlier:
            after[each].append(number)
    ready = [number for number, count in waiting.items() if not count]
    heapq.heapify(ready)
    found = []
    while ready:
        number = heapq.heappop(ready)
        found.append(number)
        for later in after[number]:
            waiting[later] -= 1
            if not waiting[later]:
                heapq.heappush(ready, later)
    return found


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
