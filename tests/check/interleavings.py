# Licensed under the Apache License, Version 2.0.
"""A judge of plans that looks at the interleavings of all real cores; it shares nothing with planner and checker.

:func:`search` walks through all states, breadth first. Reduced, it branches only where delay can matter: at ends of
calls, at words, at cleared lines, at flags that could pass the limit. All other actions only enable more, and what is
asked of them (that something is over by then) is hardest to meet as early as possible, so they happen at once.
:func:`causes` needs one run: an action may come before another one unless that one is in its past. The tests hold the
three against each other.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from skcore.plan.plan import Plan
from skcore.target import Target
from tests.check.threads import Net, Past


@dataclass(frozen=True, slots=True)
class Fault:
    """What can go wrong, and the interleaving that shows it (empty where any will do)."""

    text: str
    interleaving: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n  ".join((self.text, *self.interleaving))


State = tuple[int, ...]


class TooLarge(Exception):
    """There are more states than may be looked at."""


def search(plan: Plan, target: Target, *, reduced: bool = True, most: int = 200_000) -> Fault | None:
    """The fault that the fewest (reduced: the fewest delayed) actions reach, or None; raises TooLarge."""
    net = Net(plan, target)
    if net.faults:
        return Fault(net.faults[0])
    start, fault = _settle(net, (0,) * len(net.threads), reduced)
    came: dict[State, tuple[State, int] | None] = {start: None}
    if fault is not None:
        return _told(net, came, start, fault, reduced)
    queue = deque([start])
    while queue:
        state = queue.popleft()
        able = [thread for thread in range(len(state)) if _able(net, state, thread)]
        if not able and any(done < len(thread) for done, thread in zip(state, net.threads, strict=True)):
            return _told(net, came, state, None, reduced)
        for thread in able:
            if _wrong(net, state, thread):
                return _told(net, came, state, thread, reduced)
            after, fault = _settle(net, _moved(state, thread), reduced)
            if after not in came:
                came[after] = (state, thread)
                queue.append(after)
            if fault is not None:
                return _told(net, came, after, fault, reduced)
        if len(came) > most:
            raise TooLarge(f"more than {most} states")
    return Fault(net.residue[0]) if net.residue else None


def _moved(state: State, thread: int) -> State:
    return (*state[:thread], state[thread] + 1, *state[thread + 1 :])


def _able(net: Net, state: State, thread: int) -> bool:
    if state[thread] >= len(net.threads[thread]):
        return False
    action = net.threads[thread][state[thread]]
    return not action.never and all(state[other] >= point for other, point in action.needs)


def _wrong(net: Net, state: State, thread: int) -> str:
    """Why the next action of a thread must not happen now, or nothing."""
    action = net.threads[thread][state[thread]]
    what = f"{net.names[thread]} {action.text}"
    for other, point in action.wants:
        if state[other] < point:
            return f"{what} before {_named(net, other, point)}"
    if action.takers and all(state[other] >= point for other, point in action.filled):
        for other, point in action.takers:
            if state[other] < point:
                return f"{what}: a counter of {net.names[other]} passes {net.limit}"
    for (opener, opened), (closer, closed) in action.windows:
        if state[opener] >= opened and state[closer] < closed:
            return f"{what} before {_named(net, closer, closed)}"
    return ""


def _named(net: Net, thread: int, point: int) -> str:
    actions = net.threads[thread]
    return f"{net.names[thread]} {actions[point - 1].text if point <= len(actions) else 'has caught up'}"


def _settle(net: Net, state: State, reduced: bool, taken: list[int] | None = None) -> tuple[State, int | None]:
    """All that need not be delayed happens; returns the thread where something is wrong, and tells what was taken."""
    if not reduced:
        return state, None
    now = list(state)
    moved = True
    while moved:
        moved = False
        for number, thread in enumerate(net.threads):
            while now[number] < len(thread):
                action = thread[now[number]]
                if action.delayed or action.never or any(now[other] < point for other, point in action.needs):
                    break
                if action.wants and any(now[other] < point for other, point in action.wants):
                    return tuple(now), number
                now[number] += 1
                moved = True
                if taken is not None:
                    taken.append(number)
    return tuple(now), None


def _told(
    net: Net, came: dict[State, tuple[State, int] | None], state: State, thread: int | None, reduced: bool
) -> Fault:
    """The fault at a state, with the actions that it takes and no others."""
    decisions: list[int] = []
    while (step := came[state]) is not None:
        decisions.append(step[1])
        state = step[0]
    way: list[int] = []
    state, _ = _settle(net, (0,) * len(net.threads), reduced, way)
    for decision in reversed(decisions):
        way.append(decision)
        state, _ = _settle(net, _moved(state, decision), reduced, way)
    if thread is None:
        waiting = [
            f"{net.names[number]} at {actions[state[number]].text}"
            for number, actions in enumerate(net.threads)
            if state[number] < len(actions)
        ]
        return Fault(f"nothing can go on: {', '.join(waiting)}", _replayed(net, way, None)[1])
    for place in reversed(range(len(way))):
        shorter = [*way[:place], *way[place + 1 :]]
        if _replayed(net, shorter, thread)[0]:
            way = shorter
    return Fault(*_replayed(net, way, thread))


def _replayed(net: Net, way: list[int], thread: int | None) -> tuple[str, tuple[str, ...]]:
    """What is wrong at the next action of a thread after a way (nothing where the way cannot be gone), and the way."""
    state = (0,) * len(net.threads)
    told = []
    for step in way:
        if not _able(net, state, step) or (thread is not None and _wrong(net, state, step)):
            return "", ()
        told.append(f"{net.names[step]} {net.threads[step][state[step]].text}")
        state = _moved(state, step)
    wrong = _wrong(net, state, thread) if thread is not None and _able(net, state, thread) else ""
    return wrong, tuple(told)


# One run -------------------------------------------------------------------------------------------------------------


def causes(plan: Plan, target: Target) -> Fault | None:
    """A fault of some interleaving, or None, from one run: what is not in the past of an action may come after it."""
    net = Net(plan, target)
    if net.faults:
        return Fault(net.faults[0])
    pasts: list[list[list[int]]] = [[] for _ in net.threads]
    joined: dict[Past, list[int]] = {}
    done = [0] * len(net.threads)
    moved = True
    while moved:
        moved = False
        for number in range(len(net.threads)):
            while _able(net, tuple(done), number):
                past = _past(net, number, done[number], pasts, joined)
                for other, point in net.threads[number][done[number]].wants:
                    if past[other] < point:
                        text = net.threads[number][done[number]].text
                        return Fault(f"{net.names[number]} {text} before {_named(net, other, point)}")
                pasts[number].append([*past[:number], done[number] + 1, *past[number + 1 :]])
                done[number] += 1
                moved = True
    if any(count < len(thread) for count, thread in zip(done, net.threads, strict=True)):
        return Fault("nothing can go on")
    return _meeting(net, pasts) or (Fault(net.residue[0]) if net.residue else None)


def _past(net: Net, number: int, place: int, pasts: list[list[list[int]]], joined: dict[Past, list[int]]) -> list[int]:
    """How far each thread is in any case before an action."""
    before = pasts[number][place - 1] if place else [0] * len(net.threads)
    needs = net.threads[number][place].needs
    if not needs:
        return before
    if needs not in joined:
        joined[needs] = [
            max(column) for column in zip(*(pasts[other][point - 1] for other, point in needs), strict=True)
        ]
    return [max(pair) for pair in zip(before, joined[needs], strict=True)]


def _meeting(net: Net, pasts: list[list[list[int]]]) -> Fault | None:
    """Faults that need several things at once: a counter that fills, a line cleared while it is in use."""
    for number, thread in enumerate(net.threads):
        for place, action in enumerate(thread):
            what = f"{net.names[number]} {action.text}"
            if action.takers and all(point <= len(pasts[other]) for other, point in action.filled):
                together = [pasts[number][place], *(pasts[other][point - 1] for other, point in action.filled)]
                for other, point in action.takers:
                    if all(past[other] < point for past in together):
                        return Fault(f"{what}: a counter of {net.names[other]} passes {net.limit}")
            for (opener, opened), (closer, closed) in action.windows:
                own, open_past = pasts[number][place], pasts[opener][opened - 1]
                if open_past[number] <= place and own[closer] < closed:
                    return Fault(f"{what} before {_named(net, closer, closed)}")
    return None
