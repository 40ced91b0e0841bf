# Licensed under the Apache License, Version 2.0.
"""Order, progress and residue of a plan, proved for every interleaving or refuted by one (design §7.1-§7.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from skcore.check.cores import representative_groups
from skcore.check.execution import CoreState, Execution, Overflow, Start
from skcore.check.fault import Action, Fault, Late, core_name
from skcore.check.interleaving import Causes, Event, Progress
from skcore.check.needs import Need, needs_of
from skcore.check.protocol import Begin, CorePlace, FlagUse, Operation, Protocol
from skcore.errors import Problem
from skcore.plan.labels import label_step
from skcore.plan.plan import Plan
from skcore.target import Target

_MOST_EXAMPLES = 10


def order_problems(plan: Plan, target: Target) -> Iterator[Problem]:
    """Every order that some interleaving breaks, every wait that never ends, every flag that is left over."""
    # One core of each class is enough to accept nearly all safe plans, fast. For the rest the pasts of two of each
    # class are looked at: one may be ahead while the other, which behaves alike, is late.
    if any(_Proof(plan, target, of_each_class=1).problems()):
        yield from _Proof(plan, target, of_each_class=2).problems(exact=True)


class _Proof:
    """A pass over some cores of each class, and what is wrong with it."""

    def __init__(self, plan: Plan, target: Target, of_each_class: int) -> None:
        self._plan = plan
        self._steps = {kind: list(program) for kind, program in plan.programs}
        groups = representative_groups(plan, of_each_class)
        self._execution = Execution(groups, Protocol(plan, target), target.flags.counter_limit)
        self._cores = self._execution.cores

    @cached_property
    def _causes(self) -> Causes:
        return Causes(self._execution)

    def problems(self, *, exact: bool = False) -> Iterator[Problem]:
        """What is wrong; ``exact`` looks at pasts too, and leaves out what only seems to be."""
        stuck = self._execution.stuck
        yield from self._stuck_problems(stuck)
        for place, flag, count in () if stuck else dict.fromkeys(self._execution.left_over()):
            yield Problem(self._plan.name, f"{core_name(place)} ends with {count} of {flag} that nobody takes")
        yield from map(self._overflow_problem, self._execution.overflows)
        broken = self._broken_needs()
        yield from self._proved(broken) if exact else (self._order_problem(need, starts[0]) for need, starts in broken)

    def _broken_needs(self) -> list[tuple[Need, list[Start]]]:
        """What is not over as far as cores know, with the starts that need it."""
        needs = needs_of(self._plan)
        broken: dict[tuple[Need, int, type], list[Start]] = {}
        for start in self._execution.starts:
            step_type = type(self._steps[start.place.kind][start.step])
            for need in needs.get((start.op, step_type), ()):
                if start.knowledge.everywhere(need.kind) <= need.step:
                    broken.setdefault((need, start.op, step_type), []).append(start)
        return [(need, starts) for (need, *_), starts in broken.items()]

    def _proved(self, broken: Sequence[tuple[Need, list[Start]]]) -> Iterator[Problem]:
        """The broken needs for which there is an example: a start in whose past some core is late."""
        shown = 0
        for need, starts in broken:
            if shown == _MOST_EXAMPLES:
                yield self._order_problem(need, starts[0])
                continue
            examples = [(self._causes.past([self._event(start)]), start) for start in starts]
            late = [
                (past, start, core)
                for past, start in examples
                if (core := self._late_core(need, start, past)) is not None
            ]
            if late:
                past, start, core = min(late, key=lambda example: sum(example[0].values()))
                shown += 1
                yield self._order_problem(need, start, past, Late(core, need.op))

    def _order_problem(
        self, need: Need, start: Start, past: Progress | None = None, late: Late | None = None
    ) -> Problem:
        name = self._plan.group.operators[start.op].name
        last = Action(start.place, start.step, f"goes on with {name}")
        return Fault(
            self._plan.place(start.place.kind, start.step),
            f"{name} may go on at {core_name(start.place)} while {need.what} on {need.kind.name} cores: "
            f"nothing makes it wait for step {need.kind.value} {need.step}",
            actions=() if past is None else (*self._actions(past), last),
            late=late,
        )

    def _late_core(self, need: Need, start: Start, past: Progress) -> CorePlace | None:
        """A core that has not come to the end of what is needed in the past of a start."""
        for position, core in enumerate(self._cores):
            done = past.get(position, 0)
            complete = _complete(core.operations[done - 1]) if done else 0
            if core.place == start.place:
                complete = start.step
            takes_part = core.place.kind is need.kind and (need.gate is None or core.place.inside(need.gate))
            if takes_part and complete <= need.step:
                return core.place
        return None

    def _event(self, start: Start) -> Event:
        position = next(number for number, core in enumerate(self._cores) if core.place == start.place)
        begin = Begin(start.step, start.op)
        return Event(position, self._cores[position].operations.index(begin))

    def _overflow_problem(self, overflow: Overflow) -> Problem:
        return Fault(
            self._plan.place(overflow.place.kind, overflow.step),
            f"{overflow.flag} may reach {overflow.count}, the counter ends at its limit",
            actions=self._actions(self._causes.past([Event(overflow.core, overflow.number)])),
            late=next(self._takers(overflow), None),
        )

    def _takers(self, overflow: Overflow) -> Iterator[Late]:
        """Who is to take what one core makes too much of."""
        flag, maker = overflow.flag, self._cores[overflow.core]
        for core in self._cores:
            reached = core.place.kind is flag.taker and (flag.is_barrier or core.group == maker.group)
            if reached and core is not maker:
                yield Late(core.place, -1)

    def _stuck_problems(self, stuck: Sequence[CoreState]) -> Iterator[Problem]:
        """Every interleaving ends here; the first problem tells how one comes there."""
        events = [Event(position, core.next) for position, core in enumerate(self._cores) if core.waiting is not None]
        for number, core in enumerate(stuck):
            operation = core.operations[core.next]
            kind = core.place.kind
            label = label_step(self._steps[kind][operation.step], self._plan)
            what = operation.flag if isinstance(operation, FlagUse) else operation
            yield Fault(
                self._plan.place(kind, operation.step),
                f"{core_name(core.place)} waits for ever at {label!r} for the {what}",
                actions=() if number else self._actions(self._causes.past(events)),
            )

    def _actions(self, past: Progress) -> tuple[Action, ...]:
        line = [(self._cores[event.core], event.number) for event in self._causes.line_up(past)]
        return tuple(
            Action(core.place, core.operations[number].step, self._told(core.operations[number]))
            for core, number in line
        )

    def _told(self, operation: Operation) -> str:
        if isinstance(operation, Begin):
            return f"begins {self._plan.group.operators[operation.op].name}"
        if isinstance(operation, FlagUse):
            return f"{operation.verb.value} the {operation.flag}"
        return f"{'sets' if operation.tells else 'sees'} the {operation}"


def _complete(last: Operation) -> int:
    """How many steps are complete on a core after its last operation."""
    return last.done if isinstance(last, FlagUse) else last.step
