# Licensed under the Apache License, Version 2.0.
"""How few synchronisations plans have: against the true optimum, and against the rules of the public JIT peer.

The optimum is over all placements in the same queues (``benchmarks/optimum.py``); that search is itself compared with
trying every placement, where that is short enough. Counted are moves: a barrier of a kind, or a signal to the other
kind; a full synchronisation is three of them.

Against the peer (``benchmarks/peer_rules.py``) cross-core steps are counted, as in the conformance records. Programs of
both are judged by executing them (``tests/plan/cores.py``); the peer's are sometimes wrong, and then counted apart.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count

from benchmarks.peer_rules import KINDS, MIX, Case, Listed, RefusedError, case_of, peer_programs
from skcore.errors import PlanError
from skcore.graph.kernel import CoreKind, KernelType, PerKind, SubKernel
from skcore.graph.task import KernelTask
from skcore.options import Options
from skcore.plan.group import FusionGroup, Operator
from skcore.plan.layout import Role
from skcore.plan.plan import Plan
from skcore.plan.planner import plan_group
from skcore.plan.steps import Await, Call, FullSync, GroupSync, Notify, Signal, Step, WaitEvent
from skcore.plan.synchronise import Move, Node, synchronise_freely
from skcore.plugin import load_plugins
from skcore.target import Target
from tests.plan.cores import AIC, AIV, Graph, Programs, Word, cross_core_steps, fault, flag_operations
from tests.plan.optimum import MOVES, fewest, programs_of, some_placement

KIND = {AIC: CoreKind.AIC, AIV: CoreKind.AIV}
TEXT = {Move.MEET_AIC: MOVES[0], Move.MEET_AIV: MOVES[1], Move.TELL_AIV: MOVES[2], Move.TELL_AIC: MOVES[3]}
TYPES = {AIC: KernelType.AIC_ONLY, AIV: KernelType.AIV_ONLY, MIX: KernelType.MIX_AIC_1_2}
NAMES = {AIC: "AIC", AIV: "AIV", MIX: "MIX"}
TRIABLE = 4
"""The most moves up to which every placement with one move less is tried."""


# Against the optimum --------------------------------------------------------------------------------------------------


def random_graph(chance: random.Random, most: int) -> Graph:
    """A graph whose order of operators is any that its pairs allow."""
    size = chance.randint(2, most)
    density = chance.choice((0.1, 0.2, 0.35, 0.6, 1.0))
    kinds = tuple(chance.choice(tuple(KINDS.values())) for _ in range(size))
    pairs = ((first, second) for second in range(size) for first in range(second))
    return Graph(kinds, tuple(pair for pair in pairs if chance.random() < density))


def nodes_of(graph: Graph) -> list[Node]:
    """The operators of a graph as the planner's synchroniser sees them."""
    before: dict[int, list[int]] = {op: [] for op in range(len(graph.kinds))}
    for first, second in graph.orders:
        before[second].append(first)
    return [Node(tuple(KIND[kind] for kind in kinds), tuple(before[op])) for op, kinds in enumerate(graph.kinds)]


def planned_run(graph: Graph) -> tuple[str | int, ...]:
    """The planner's moves between the operators, in the planner's interleaving of the two queues."""
    line, _, moves = synchronise_freely(nodes_of(graph), [KIND[kind] for kind in graph.launched])
    return tuple(chain.from_iterable((*(TEXT[move] for move in at), op) for op, at in zip(line, moves, strict=True)))


def moves_in(run: Sequence[str | int]) -> int:
    return sum(isinstance(each, str) for each in run)


def reordered(graph: Graph, line: Sequence[int]) -> Graph:
    """The same graph with its operators listed in another order."""
    place = {op: number for number, op in enumerate(line)}
    orders = sorted((place[first], place[second]) for first, second in graph.orders)
    return Graph(tuple(graph.kinds[op] for op in line), tuple(orders))


def smaller(graph: Graph, still: Callable[[Graph], bool]) -> Graph:
    """A graph from which no operator and no order can be taken without losing what ``still`` asks for."""
    candidates: list[Graph] = []
    for gone in range(len(graph.kinds)):
        line = [op for op in range(len(graph.kinds)) if op != gone]
        kept = tuple(pair for pair in graph.orders if gone not in pair)
        candidates.append(reordered(replace(graph, orders=kept), line))
    candidates += [
        replace(graph, orders=(*graph.orders[:at], *graph.orders[at + 1 :])) for at in range(len(graph.orders))
    ]
    found = next((each for each in candidates if each.kinds and still(each)), None)
    return graph if found is None else smaller(found, still)


@dataclass
class Gaps:
    """Differences by their size, and the graphs with the smallest and with the largest."""

    sizes: Counter[int] = field(default_factory=Counter)
    first: tuple[int, Graph] | None = None
    worst: tuple[int, Graph] | None = None

    def add(self, size: int, graph: Graph) -> None:
        self.sizes[size] += 1
        if size and (self.first is None or (size, len(graph.kinds)) < (self.first[0], len(self.first[1].kinds))):
            self.first = (size, graph)
        if size and (self.worst is None or size > self.worst[0]):
            self.worst = (size, graph)

    def __str__(self) -> str:
        return ", ".join(f"{size}: {number}" for size, number in sorted(self.sizes.items()))


def _right(graph: Graph, run: Sequence[str | int]) -> None:
    wrong = fault(graph, programs_of(graph, run))
    if wrong:
        raise AssertionError(f"{graph}: {run}: {wrong}")


def against_optimum(chance: random.Random, graphs: int, most: int, tried: int) -> None:
    """Print how far plans are from the optimum, and why."""
    total: Counter[str] = Counter()
    whole, in_line, by_line, apart = Gaps(), Gaps(), Gaps(), Gaps()
    checked = 0
    for _ in range(graphs):
        graph = random_graph(chance, most)
        planned, best, best_in_line = planned_run(graph), fewest(graph), fewest(graph, in_line=True)
        for run in (planned, best.run, best_in_line.run):
            _right(graph, run)
        other = planned_run(reordered(graph, best.line))
        whole.add(moves_in(planned) - best.moves, graph)
        in_line.add(moves_in(planned) - best_in_line.moves, graph)
        by_line.add(moves_in(other) - best.moves, graph)
        apart.add(best.moves - fewest(graph, apart=True).moves, graph)
        total.update(planned=moves_in(planned), optimum=best.moves)
        if checked < tried and 0 < best.moves <= TRIABLE and len(graph.kinds) <= 5:
            checked += 1
            better = some_placement(graph, best.moves - 1)
            if better is not None:
                raise AssertionError(f"{graph}: {best.moves} moves, and yet {better}")
    print(f"graphs of 2 to {most} operators: {graphs}; optimum reached: {whole.sizes[0]}")
    print(f"moves: {total['planned']} planned, {total['optimum']} at the optimum")
    print(f"planned - optimum                                 {whole}")
    print(f"planned - optimum in the operators' given order   {in_line}")
    print(f"planned in the optimum's interleaving - optimum   {by_line}")
    print(f"optimum - bound if halves of MIX never waited     {apart}")
    print(f"optima confirmed by trying every placement with one move less: {checked}")
    for name, found in (("smallest", whole.first), ("largest", whole.worst)):
        if found is not None:
            _print_gap(name, *found)


def _print_gap(name: str, gap: int, graph: Graph) -> None:
    small = smaller(graph, lambda each: moves_in(planned_run(each)) - fewest(each).moves >= gap)
    planned, best = planned_run(small), fewest(small).run
    print(f"{name} gap, {gap}, reduced as far as it stays: {small}")
    for who, run in (("planned", planned), ("optimum", best)):
        print(f"  {who} {moves_in(run)}: {', '.join(map(str, run))}")


# Against the peer -----------------------------------------------------------------------------------------------------


def random_list(chance: random.Random, most: int) -> tuple[Listed, ...]:
    """Operators on two to four streams with inner events, some of them backward, and some outer ones."""
    size = chance.randint(3, most)
    streams = chance.choice((2, 2, 3, 4))
    types = tuple(KINDS)
    made = [Listed(chance.choice(types), chance.randrange(streams)) for _ in range(size)]
    numbers = count(100)
    for _ in range(chance.randint(1, size)):
        first, second = sorted(chance.sample(range(size), 2))
        backward = chance.random() < 0.1 and first > 0 and second < size - 1
        if made[first].stream != made[second].stream:
            _tie(made, *((second, first) if backward else (first, second)), next(numbers))
    outer = chance.choice((0, 0, 1, 2))
    for _ in range(outer):
        op = chance.randrange(size)
        if op < size - 1 and chance.random() < 0.5:
            made[op] = replace(made[op], sends=(*made[op].sends, next(numbers)))
        elif op > 0:
            made[op] = replace(made[op], receives=(*made[op].receives, next(numbers)))
    return tuple(made)


def _tie(made: list[Listed], first: int, second: int, event: int) -> None:
    made[first] = replace(made[first], sends=(*made[first].sends, event))
    made[second] = replace(made[second], receives=(*made[second].receives, event))


def group_of(listed: Sequence[Listed]) -> FusionGroup:
    """The list as a fusion group."""
    operators = []
    for op, each in enumerate(listed):
        kernel_type = TYPES[each.type]
        named = {kind: f"k{op}_{kind.value}" for kind in kernel_type.kinds}
        symbols = PerKind.of(named.get)
        kernel = SubKernel(f"k{op}", kernel_type, 1, symbols, ("x",))
        task = KernelTask(id=op, stream=each.stream, where=f"list:{op}", name=f"k{op}", kernel=kernel)
        operators.append(Operator(task, kernel, each.sends, each.receives))
    return FusionGroup("sk", tuple(operators), Options(stream_fusion=True))


def planned_programs(case: Case, target: Target) -> Programs:
    """Our programs; raises PlanError."""
    plan = plan_group(group_of(case.listed), target)
    made = [tuple(word for step in plan.programs[KIND[kind]] for word in _words(case, plan, step)) for kind in KIND]
    return made[AIC], made[AIV]


def _words(case: Case, plan: Plan, step: Step) -> Iterator[Word]:
    simple = {GroupSync: "meet", FullSync: "full", Signal: "tell", Await: "hear"}.get(type(step))
    if simple is not None:
        yield Word(simple)
    elif isinstance(step, Call):
        yield Word("call", step.op)
    elif isinstance(step, WaitEvent | Notify):
        slot = plan.layout.slots[step.slot]
        waits = slot.role is Role.WAIT
        operator = case.listed[slot.op]
        event = (operator.receives if waits else operator.sends)[slot.position]
        yield Word("call", (case.waits if waits else case.notifies)[slot.op, event])


@dataclass(frozen=True, slots=True)
class Pair:
    """Our programs and the peer's for one list, and what is wrong with the peer's."""

    case: Case
    ours: Programs
    theirs: Programs
    wrong: str

    def counts(self, way: str) -> tuple[tuple[int, int], tuple[int, int]]:
        """Ours and the peer's in each queue."""
        count_in = COUNTS[way]
        aic, aiv = ((count_in(self.ours[kind], kind), count_in(self.theirs[kind], kind)) for kind in (AIC, AIV))
        return aic, aiv

    def has_more(self, way: str, *, in_queue: bool) -> bool:
        """Whether the peer is right with fewer: in all, or in one of the queues."""
        aic, aiv = self.counts(way)
        more = (aic[0] > aic[1] or aiv[0] > aiv[1]) if in_queue else aic[0] + aiv[0] > aic[1] + aiv[1]
        return more and not self.wrong


COUNTS: dict[str, Callable[[Sequence[Word], int], int]] = {
    "steps": lambda program, _: cross_core_steps(program),
    "flag operations": flag_operations,
}
"""Cross-core steps as the records count them (a full synchronisation is one), and what they are made of."""


def show_pairs(name: str, pairs: Sequence[Pair]) -> None:
    """Print how often ours are fewer, equal or more."""
    right = [pair for pair in pairs if not pair.wrong]
    wrong = Counter(pair.wrong.split(":")[0] for pair in pairs if pair.wrong)
    print(f"{name}: {len(pairs)} lists")
    for way in COUNTS:
        counts = [pair.counts(way) for pair in right]
        whole = Counter(_relation(aic[0] + aiv[0], aic[1] + aiv[1]) for aic, aiv in counts)
        queues = Counter(_relation(*queue) for each in counts for queue in each)
        ours, theirs = (sum(aic[who] + aiv[who] for aic, aiv in counts) for who in (0, 1))
        print(f"  {way}: ours {ours}, the peer's {theirs}; ours by list {_text(whole)}; by queue {_text(queues)}")
    print(
        f"  the peer's programs are right for {len(right)}; wrong: {_text(wrong) or '-'}; those are not counted above"
    )


def _relation(ours: int, theirs: int) -> str:
    return "fewer" if ours < theirs else "more" if ours > theirs else "equal"


def _text(counter: Counter[str]) -> str:
    return ", ".join(f"{key} {number}" for key, number in sorted(counter.items()))


def compare(listed: Sequence[Listed], target: Target) -> Pair:
    """Both programs, ours proved; raises RefusedError and PlanError."""
    case = case_of(listed)
    theirs, judged_by = peer_programs(case)
    ours = planned_programs(case, target)
    wrong = fault(case.graph, ours)
    if wrong:
        raise AssertionError(f"{listed}: ours: {wrong}")
    return Pair(case, ours, theirs, fault(judged_by, theirs))


def still_more(way: str, target: Target, *, in_queue: bool) -> Callable[[Sequence[Listed]], bool]:
    """A question for :func:`smaller_list`."""

    def still(listed: Sequence[Listed]) -> bool:
        try:
            return compare(listed, target).has_more(way, in_queue=in_queue)
        except (RefusedError, PlanError):
            return False

    return still


def smaller_list(listed: tuple[Listed, ...], still: Callable[[Sequence[Listed]], bool]) -> tuple[Listed, ...]:
    """A list from which no operator and no event can be taken without losing what ``still`` asks for."""
    candidates = [(*listed[:op], *listed[op + 1 :]) for op in range(len(listed))]
    events = sorted({event for each in listed for event in (*each.sends, *each.receives)})
    candidates += [tuple(_without(each, event) for each in listed) for event in events]
    found = next((each for each in candidates if each and still(each)), None)
    return listed if found is None else smaller_list(found, still)


def _without(each: Listed, event: int) -> Listed:
    sends = tuple(number for number in each.sends if number != event)
    return replace(each, sends=sends, receives=tuple(number for number in each.receives if number != event))


def against_peer(chance: random.Random, lists: int, most: int) -> None:
    """Print how our steps compare with the peer's."""
    target = load_plugins().target("dav-2201")
    sorts: dict[str, list[Pair]] = {"inner events, forward": [], "backward or outer events too": []}
    circles: Counter[str] = Counter()
    while sum(map(len, sorts.values())) < lists:
        listed = random_list(chance, most)
        try:
            pair = compare(listed, target)
        except RefusedError:
            continue
        except PlanError:
            programs, judged_by = peer_programs(case_of(listed))
            circles[fault(judged_by, programs).split(":")[0] or "right"] += 1
            continue
        plain = not pair.case.waits and not pair.case.notifies
        sorts["inner events, forward" if plain else "backward or outer events too"].append(pair)
    for name, pairs in sorts.items():
        show_pairs(name, pairs)
        for way in COUNTS:
            for in_queue in (False, True):
                _show_more(way, [pair for pair in pairs if pair.has_more(way, in_queue=in_queue)], target, in_queue)
    print(f"refused by us, for events go round in a circle; the peer's programs for those: {_text(circles) or '-'}")


def _show_more(way: str, pairs: Sequence[Pair], target: Target, in_queue: bool) -> None:
    """Print a few minimal lists on which ours have more."""
    still = still_more(way, target, in_queue=in_queue)
    small = {smaller_list(pair.case.listed, still) for pair in pairs[:20]}
    for listed in sorted(small, key=lambda each: (len(each), repr(each)))[:1]:
        pair = compare(listed, target)
        operators = ", ".join(_operator_text(each) for each in listed)
        print(f"  ours have more {way} {'in a queue' if in_queue else 'in all'} of, at the least: {operators}")
        for who, programs in (("ours", pair.ours), ("peer", pair.theirs)):
            for kind in (AIC, AIV):
                words = " ".join(f"{word.op}" if word.what == "call" else word.what for word in programs[kind])
                print(f"    {who} {NAMES[kind]}: {words}")


def _operator_text(each: Listed) -> str:
    events = [*(f"sends {event}" for event in each.sends), *(f"receives {event}" for event in each.receives)]
    return " ".join((NAMES[each.type], f"stream {each.stream}", *events))


def main() -> None:
    """Both comparisons."""
    parser = argparse.ArgumentParser(description="how few synchronisations plans have")
    parser.add_argument("--graphs", type=int, default=1000, help="random graphs against the optimum")
    parser.add_argument("--operators", type=int, default=9, help="the most operators of such a graph")
    parser.add_argument("--tried", type=int, default=200, help="optima confirmed by trying every placement")
    parser.add_argument("--lists", type=int, default=1000, help="random lists against the peer's rules")
    parser.add_argument("--seed", type=int, default=20261130)
    arguments = parser.parse_args()
    started = time.perf_counter()
    print(f"seed {arguments.seed}")
    against_optimum(random.Random(arguments.seed), arguments.graphs, arguments.operators, arguments.tried)
    print()
    against_peer(random.Random(arguments.seed), arguments.lists, 12)
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
