# Licensed under the Apache License, Version 2.0.
"""What a run of a plan has to keep: the orders that the checker proves, and the lock words of events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from skcore.check.calls import cores_of
from skcore.check.events import used_words
from skcore.check.needs import required_orders
from skcore.graph.kernel import PerKind
from skcore.plan.layout import Role
from skcore.plan.plan import Plan
from skcore.run.launch import CallOrder, OutsideWord, ToldWord, Watch, WatchedCall


def watch_of(plan: Plan) -> Watch:
    """What is watched in a run of the plan; an operator without words of its own has nothing to be known by."""
    arguments = plan.layout.parameters
    shared = {argument for argument, count in Counter(arguments).items() if count > 1}
    known = {op: argument for op, argument in enumerate(arguments) if argument not in shared}
    orders = dict.fromkeys(required_orders(plan))
    return Watch(
        calls=tuple(_call(plan, op, argument) for op, argument in known.items()),
        orders=tuple(CallOrder(known[a], known[b]) for a, b in orders if a in known and b in known),
        told=tuple(ToldWord(word, known[op]) for word, op, _ in used_words(plan, Role.NOTIFY) if op in known),
        outside=tuple(_outside(plan, known)),
    )


def _call(plan: Plan, op: int, argument: int) -> WatchedCall:
    operator = plan.group.operators[op]
    kernel = operator.kernel
    runs = kernel.operator_class.kinds
    cores = None if kernel.tiling else PerKind.of(lambda kind: cores_of(plan, op, kind) if kind in runs else 0)
    return WatchedCall(argument, operator.name, cores, kernel.early_start.waits)


def _outside(plan: Plan, known: dict[int, int]) -> Iterator[OutsideWord]:
    """Words that are waited for; an event that an operator inside sends goes by way of the outside.

    That operator's order is kept by other means, so it is no fault to begin before the word is back.
    """
    sent = {event: word for word, _, event in used_words(plan, Role.NOTIFY)}
    for word, op, event in used_words(plan, Role.WAIT):
        if op in known and event in sent:
            yield OutsideWord(word, None, (sent[event],))
        elif op in known:
            first = [told for told, received in plan.group.relays if received == event]
            yield OutsideWord(word, known[op], tuple(sent[told] for told in first))
