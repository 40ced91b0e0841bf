# Licensed under the Apache License, Version 2.0.
"""Plans as threads of actions on all real cores, for the judge; nothing is shared with planner and checker.

Each core becomes a thread (spec device §3.1-§3.2, §5.1), and so does whatever sets a lock word outside. A wait consumes
counts that only its own core consumes, so the number of counts that it needs says which actions of which threads have
to be over: a state is how far each thread is. Calls have a begin and an end.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from skcore.graph.kernel import CoreKind, KernelType, OperatorClass
from skcore.plan.layout import Role
from skcore.plan.plan import Plan
from skcore.plan.steps import (
    Await,
    Call,
    CallSelected,
    Channel,
    ClearSlot,
    EarlyConfigure,
    EarlySet,
    EarlyWait,
    FeedClear,
    FeedSync,
    FullSync,
    Gate,
    GroupSync,
    Index,
    Notify,
    Select,
    Signal,
    Step,
    WaitEvent,
)
from skcore.target import Target

AIC, AIV = CoreKind
A, V, M = OperatorClass

# Spec device §5.1, wait V2: what AIC and what AIV does for each pair; "s" sets and "w" waits.
EARLY = {
    (A, A): ("w11", ""),
    (A, V): ("w11 s13", "w13"),
    (A, M): ("w11 s13", "w13"),
    (V, A): ("w12", "w14 s12"),
    (V, V): ("", "w14"),
    (V, M): ("w12", "w14 s12"),
    (M, A): ("w11 w12", "w14 s12"),
    (M, V): ("w11 s13", "w14 w13"),
    (M, M): ("w11 s13 w12", "w14 s12 w13"),
}
FULL = {A: ("s11 w11", ""), V: ("", "s14 w14"), M: ("w12 s11 w11 s13", "s12 w13")}
OWN = {AIC: "11", AIV: "14"}

Point = tuple[int, int]  # a thread, and how many of its actions are over
Past = tuple[Point, ...]


class What(Enum):
    """What an action is."""

    SET = auto()
    WAIT = auto()
    BEGIN = auto()
    END = auto()
    NOTIFY = auto()
    WAIT_EVENT = auto()
    CLEAR = auto()
    OUTSIDE = auto()
    FEED_CLEAR = auto()
    OPEN = auto()
    HEAR = auto()
    CLOSE = auto()


DELAYED = {What.END, What.NOTIFY, What.WAIT_EVENT, What.OUTSIDE, What.FEED_CLEAR}


@dataclass(slots=True)
class Action:
    """One action; ``key`` is its flag, operator or word. It can happen once ``needs`` is over, or never.

    It is wrong to happen before ``wants`` is over, or while one of ``closed_by`` is open, or when it fills a counter:
    all of ``filled`` is over and one of ``takers`` is not.
    """

    what: What
    key: Any
    text: str
    needs: Past = ()
    never: bool = False
    wants: Past = ()
    windows: list[tuple[Point, Point]] = field(default_factory=list)
    filled: Past = ()
    takers: Past = ()
    delayed: bool = False


@dataclass(frozen=True, slots=True)
class Core:
    kind: CoreKind
    block: int
    sub: int
    ratio: int

    @property
    def first(self) -> bool:
        return self.block == 0 and self.sub == 0

    @property
    def name(self) -> str:
        return f"{self.kind.name} {self.block}" + (f".{self.sub}" if self.ratio > 1 else "")

    def inside(self, gate: Gate) -> bool:
        number = self.block * self.ratio + self.sub if gate.index is Index.CORE else self.block
        return number < gate.blocks


def receives_from_outside(plan: Plan, event: int) -> bool:
    return all(event not in operator.sends for operator in plan.group.operators)


def has_words(plan: Plan, event: int) -> bool:
    """Whether lock words of an event are in use: not when its sender stands before its receiver (spec jit §5.1)."""
    senders = [op for op, operator in enumerate(plan.group.operators) if event in operator.sends]
    receivers = [op for op, operator in enumerate(plan.group.operators) if event in operator.receives]
    return not (senders and receivers and senders[0] < receivers[0])


def orders(plan: Plan) -> Iterator[tuple[int, int]]:
    """Which operator has to end everywhere before which one begins."""
    operators = list(enumerate(plan.group.operators))
    for op, operator in operators:
        earlier = [number for number, other in operators[:op] if other.task.stream == operator.task.stream]
        yield from ((number, op) for number in earlier[-1:])
        for number, other in operators:
            if set(other.sends) & set(operator.receives):
                yield number, op


def workers(plan: Plan, op: int) -> set[tuple[CoreKind, int, int]]:
    """The cores that have to run an operator: the launch it was built for, at the lowest indices (spec device §1.5)."""
    kernel = plan.group.operators[op].kernel
    ratio = max(1, plan.shape.kernel_type.cores_per_block.aiv)
    found: set[tuple[CoreKind, int, int]] = set()
    if kernel.operator_class is not V:
        found |= {(AIC, block, 0) for block in range(kernel.blocks)}
    if kernel.operator_class is V:
        found |= {(AIV, number // ratio, number % ratio) for number in range(kernel.blocks)}
    if kernel.operator_class is M:
        found |= {(AIV, block, sub) for block in range(kernel.blocks) for sub in range(ratio)}
    return found


class Net:
    """The threads of a plan, with what each action needs and wants; ``faults`` are those of every interleaving.

    ``residue`` is what is left over at the end, if there is one.
    """

    def __init__(self, plan: Plan, target: Target) -> None:
        self.plan = plan
        self.limit = target.flags.counter_limit
        self.tight = target.flags.intra_block and plan.shape.kernel_type is KernelType.MIX_AIC_1_2
        self.faults: list[str] = []
        self.residue: list[str] = []
        per_block = plan.shape.kernel_type.cores_per_block
        self.cores = [
            Core(kind, block, sub, max(1, per_block[kind]))
            for kind, _ in plan.shape.cores
            for block in range(plan.shape.blocks)
            for sub in range(per_block[kind])
        ]
        self.threads = [list(self._core(core)) for core in self.cores]
        self.names = [core.name for core in self.cores]
        events = {event for operator in plan.group.operators for event in operator.receives}
        for event in sorted(events):
            if receives_from_outside(plan, event):
                self.names.append("outside")
                self.threads.append([Action(What.OUTSIDE, event, f"sets event {event}")])
        self.at: dict[tuple[What, Any], list[Point]] = defaultdict(list)
        for number, thread in enumerate(self.threads):
            for position, action in enumerate(thread):
                self.at[action.what, action.key].append((number, position + 1))
        self._link_flags()
        self._link_words()
        self._link_operators()
        self._link_lines()
        for thread in self.threads:
            for action in thread:
                action.delayed |= action.what in DELAYED
        self._static_faults()

    # Threads

    def _core(self, core: Core) -> Iterator[Action]:
        pair: tuple[OperatorClass, OperatorClass] | None = None
        line: FeedSync | None = None
        for step in self.plan.programs[core.kind]:
            if isinstance(step, Select | CallSelected):
                raise TypeError("operators whose code is chosen on the device are not judged")
            if isinstance(step, EarlyConfigure):
                pair = (step.previous, step.current)
            elif isinstance(step, FeedSync):
                line = step
            elif isinstance(step, Call):
                yield from self._call(step, core, pair, line)
            else:
                yield from self._step(step, core)

    def _step(self, step: Step, core: Core) -> Iterator[Action]:
        if isinstance(step, GroupSync):
            self._expect(step.kind is core.kind, "a core acts for the other kind")
            yield from self._flags(f"s{OWN[core.kind]} w{OWN[core.kind]}", core)
        elif isinstance(step, FullSync):
            yield from self._both(FULL[M], core)
        elif isinstance(step, Signal | Await):
            sends = isinstance(step, Signal)
            actor = step.channel.sender if sends else step.channel.receiver
            self._expect(actor is core.kind, "a core acts for the other kind")
            flag = "13" if step.channel is Channel.AIC_TO_AIV else "12"
            yield from self._flags(("s" if sends else "w") + flag, core)
        elif isinstance(step, EarlySet):
            if step.outside is None or not core.inside(step.outside):
                yield from self._flags("s" + OWN[core.kind], core)
        elif isinstance(step, EarlyWait):
            if step.outside is None or not core.inside(step.outside):
                yield from self._both(EARLY[step.previous, step.current], core)
        elif isinstance(step, FeedClear):
            yield Action(What.FEED_CLEAR, core.kind, "clears its lines")
        elif isinstance(step, Notify | WaitEvent | ClearSlot) and core.first:
            yield from self._word(step)

    def _word(self, step: Notify | WaitEvent | ClearSlot) -> Iterator[Action]:
        what, role = {
            Notify: (What.NOTIFY, Role.NOTIFY),
            WaitEvent: (What.WAIT_EVENT, Role.WAIT),
            ClearSlot: (What.CLEAR, Role.WAIT),
        }[type(step)]
        slot = self.plan.layout.slots[step.slot] if step.slot < len(self.plan.layout.slots) else None
        if slot is None or slot.role is not role:
            self.faults.append(f"argument {step.slot} is no {role.value} word")
            return
        operator = self.plan.group.operators[slot.op]
        event = (operator.sends if what is What.NOTIFY else operator.receives)[slot.position]
        told = has_words(self.plan, event) or (what is What.NOTIFY and event in self.plan.group.outward)
        self._expect(told, f"nothing but order tells of event {event}")
        yield Action(what, event, f"{what.name} of event {event}")

    def _call(
        self, step: Call, core: Core, pair: tuple[OperatorClass, OperatorClass] | None, line: FeedSync | None
    ) -> Iterator[Action]:
        operator = self.plan.group.operators[step.op]
        kernel = operator.kernel
        inside = core.inside(step.gate)
        self._expect(step.argument == self.plan.layout.parameters[step.op], f"{operator.name} gets other arguments")
        own = {copy.symbol for copy in kernel.code[core.kind]}
        base = kernel.symbols[core.kind]
        own |= {str(base)} | {f"{base}_split{number}" for number in range(1, 64)}
        self._expect(bool(step.symbols) and set(step.symbols) <= own, f"{operator.name} is called by another name")
        if inside and kernel.early_start.waits:
            self._expect(pair is not None, f"{operator.name} waits for no pair")
            yield from self._both(EARLY[pair or (M, M)], core)
        if inside:
            yield Action(What.BEGIN, step.op, f"begins {operator.name}")
        key = (core.kind, step.op)
        fed = kernel.full_sync and step.fed
        if fed:
            lines = (step.op, len(self.plan.group.operators) + step.op)
            own_line = line is not None and line.enabled and (line.aic_line, line.aiv_line) == lines
            self._expect(own_line, f"{operator.name} has no line")
        if fed and not inside:
            yield Action(What.OPEN, (*key, False), f"looks at the line of {operator.name}")
            yield Action(What.HEAR, (*key, False), f"joins {operator.name}")
        elif fed and core.first:
            yield Action(What.OPEN, (*key, True), f"lets idle cores join {operator.name}")
        if kernel.full_sync and (inside or step.fed):
            yield from self._both(FULL[kernel.operator_class], core)
        if inside:
            yield Action(What.END, step.op, f"ends {operator.name}")
            if kernel.early_start.sets:
                yield from self._flags("s" + OWN[core.kind], core)
        if fed and (not inside or core.first):
            yield Action(What.CLOSE, (*key, inside), f"leaves {operator.name}")

    def _both(self, words: tuple[str, str], core: Core) -> Iterator[Action]:
        """A synchronisation that tightly coupled cores do by channels of their own (spec device §11.1)."""
        text = words[0] if core.kind is AIC else words[1]
        if self.tight:
            up = f"t12.{core.sub}" if core.kind is AIV else "12"
            text = text.replace("s13", "st13").replace("w13", "wt13")
            text = text.replace("w12", "wt12.0 wt12.1").replace("s12", "s" + up)
        yield from self._flags(text, core)

    def _flags(self, text: str, core: Core) -> Iterator[Action]:
        for word in text.split():
            what = What.SET if word[0] == "s" else What.WAIT
            scope = core.kind if word[1:] in ("11", "14") else core.block
            yield Action(what, (word[1:], scope), f"{what.name} {word[1:]}")

    def _expect(self, holds: bool, text: str) -> None:
        if not holds:
            self.faults.append(text)

    # Links

    def _link_flags(self) -> None:
        """The n-th wait of a core needs n sets of each maker; a set may not come limit + 1 before the wait for it."""
        flags = {key for what, key in self.at if what in (What.SET, What.WAIT)}
        for key in flags:
            flag, scope = key
            made = _by_thread(self.at[What.SET, key])
            taken = _by_thread(self.at[What.WAIT, key])
            makers = [number for number, core in enumerate(self.cores) if _makes(core, flag, scope)]
            takers = [number for number, core in enumerate(self.cores) if _takes(core, flag, scope)]
            rounds = min((len(made[maker]) for maker in makers), default=0)
            ready = [tuple((maker, made[maker][turn]) for maker in makers) for turn in range(rounds)]
            for taker, points in taken.items():
                for turn, point in enumerate(points):
                    action = self.threads[taker][point - 1]
                    action.never = turn >= rounds or taker not in takers
                    action.needs = () if action.never else ready[turn]
            if not set(made) <= set(makers) or (made and not takers):
                self.residue.append(f"flag {flag} reaches nobody")
            if len({len(made[maker]) for maker in makers} | {len(taken[taker]) for taker in takers}) > 1:
                self.residue.append(f"flag {flag} is left over at {scope}")
            for maker in makers:
                for turn in range(self.limit, len(made[maker])):
                    self._limit_set(self.threads[maker][made[maker][turn] - 1], turn, maker, made, taken, takers)

    def _limit_set(
        self,
        action: Action,
        turn: int,
        maker: int,
        made: dict[int, list[int]],
        taken: dict[int, list[int]],
        takers: list[int],
    ) -> None:
        earlier = turn - self.limit
        action.delayed = True
        action.wants = tuple((other, _point(points, earlier)) for other, points in made.items() if other != maker)
        action.filled = tuple((other, _point(points, turn)) for other, points in made.items() if other != maker)
        action.takers = tuple((taker, _point(taken[taker], earlier)) for taker in takers)
        for taker in takers:
            for point in taken[taker]:
                self.threads[taker][point - 1].delayed = True

    def _link_words(self) -> None:
        for (what, event), points in list(self.at.items()):
            senders = self.at.get((What.OUTSIDE, event), []) or self.at.get((What.NOTIFY, event), [])
            for thread, point in points:
                action = self.threads[thread][point - 1]
                if what is What.OUTSIDE:
                    first = [sent for sent, received in self.plan.group.relays if received == event]
                    action.needs = tuple(point for sent in first for point in self.at.get((What.NOTIFY, sent), ()))
                    action.never = any((What.NOTIFY, sent) not in self.at for sent in first)
                elif what is What.WAIT_EVENT:
                    action.needs = tuple(senders)
                    action.never = not senders
                elif what is What.CLEAR:
                    action.wants = (*senders, *self.at.get((What.WAIT_EVENT, event), ()))
                    self._expect(bool(senders), f"the word of event {event} is cleared and never set")

    def _link_operators(self) -> None:
        before: dict[int, list[int]] = defaultdict(list)
        for first, second in orders(self.plan):
            before[second].append(first)
        for op, operator in enumerate(self.plan.group.operators):
            ends = tuple(self.at.get((What.END, op), ()))
            words = [point for event in operator.receives for point in self.at.get((What.OUTSIDE, event), ())]
            earlier = [point for first in before[op] for point in self.at.get((What.END, first), ())]
            for thread, point in self.at.get((What.BEGIN, op), ()):
                self.threads[thread][point - 1].wants = (*words, *earlier)
            for event in operator.sends:
                for thread, point in self.at.get((What.NOTIFY, event), ()):
                    self.threads[thread][point - 1].wants = ends

    def _link_lines(self) -> None:
        """Idle cores hear of a full synchronisation and of the end by a line of memory (spec device §3.8)."""
        clears = {kind: self.at.get((What.FEED_CLEAR, kind), []) for kind in CoreKind}
        clearing = clears[AIV] or clears[AIC]
        firsts = tuple({thread: (thread, point) for thread, point in reversed(clearing)}.values())
        plain = all(len(_by_thread(points)) == len(points) for points in clears.values()) and not all(clears.values())
        windows: list[tuple[Point, Point]] = []
        for (what, key), points in list(self.at.items()):
            if what not in (What.OPEN, What.HEAR, What.CLOSE):
                continue
            kind, op, speaks = key
            told = self.at.get((What.CLOSE if what is What.CLOSE else What.OPEN, (kind, op, True)), [])
            for thread, point in points:
                action = self.threads[thread][point - 1]
                action.delayed = not plain
                if what is What.OPEN:
                    action.wants = firsts
                    self._expect(bool(firsts), "nobody clears the lines")
                elif not speaks:
                    action.needs, action.never = tuple(told[:1]), not told
            if what is What.OPEN and speaks:
                closes = [point for each in (True, False) for point in self.at.get((What.CLOSE, (kind, op, each)), ())]
                windows += [(opened, closed) for opened in points for closed in closes]
        for points in clears.values():
            for thread, point in points:
                self.threads[thread][point - 1].windows = windows

    def _static_faults(self) -> None:
        for op, operator in enumerate(self.plan.group.operators):
            places = [self.cores[thread] for thread, _ in self.at.get((What.BEGIN, op), ())]
            ran = Counter((core.kind, core.block, core.sub) for core in places)
            self._expect(ran == Counter(workers(self.plan, op)), f"{operator.name} runs on other cores")
            for event in operator.sends:
                count = len(self.at.get((What.NOTIFY, event), ()))
                told = has_words(self.plan, event) or event in self.plan.group.outward
                self._expect(count == told, f"event {event} is notified {count} times")
            for event in operator.receives:
                count = len(self.at.get((What.CLEAR, event), ()))
                self._expect(count == has_words(self.plan, event), f"event {event} is cleared {count} times")


def _by_thread(points: list[Point]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for thread, point in points:
        found[thread].append(point)
    return found


def _point(points: list[int], turn: int) -> int:
    return points[turn] if turn < len(points) else 1 << 30


def _makes(core: Core, flag: str, scope: object) -> bool:
    if flag in ("11", "14"):
        return core.kind is scope and OWN[core.kind] == flag
    sub = int(flag[-1]) if flag.startswith("t12") else core.sub
    return core.block == scope and core.kind is (AIC if flag.endswith("13") else AIV) and core.sub == sub


def _takes(core: Core, flag: str, scope: object) -> bool:
    if flag in ("11", "14"):
        return _makes(core, flag, scope)
    return core.block == scope and core.kind is (AIV if flag.endswith("13") else AIC)
