# Licensed under the Apache License, Version 2.0.
"""The synchronisations of a line: safe, none too many, as few as an exact search finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skcore.graph.kernel import CoreKind, OperatorClass
from skcore.plan.synchronise import FULL, Move, Node, synchronise, synchronise_freely
from tests.plan.cores import Graph, fault
from tests.plan.optimum import fewest, programs_of, some_placement

AIC, AIV = CoreKind.AIC, CoreKind.AIV
BOTH = (AIC, AIV)
A, V, M = OperatorClass.AIC, OperatorClass.AIV, OperatorClass.MIX
CORES = [(kind, group, number) for group in (0, 1) for kind, count in ((AIC, 1), (AIV, 2)) for number in range(count)]
"""Two groups of one AIC and two AIVs."""
Moves = Sequence[Sequence[Move]]


class Cores:
    """All cores, and the parts of nodes (node, core) that each of them knows to have ended: exact happens-before.

    The moves of a line are executed in its order by the cores that they concern. Cores of other kinds do not stop for
    them, and learn nothing.
    """

    def __init__(self) -> None:
        self.known: dict[tuple[CoreKind, int, int], set[tuple[int, object]]] = {core: set() for core in CORES}

    def move(self, move: Move) -> None:
        if move in (Move.MEET_AIC, Move.MEET_AIV):
            meeting = [core for core in CORES if core[0] is (AIC if move is Move.MEET_AIC else AIV)]
            everything = set().union(*(self.known[core] for core in meeting))
            for core in meeting:
                self.known[core] = set(everything)
            return
        teller = AIC if move is Move.TELL_AIV else AIV
        said = {core: set(known) for core, known in self.known.items()}
        for hearer, told in product(CORES, CORES):
            if hearer[0] is not teller and told[0] is teller and hearer[1] == told[1]:
                self.known[hearer] |= said[told]

    def run(self, number: int, nodes: Sequence[Node]) -> bool:
        """Whether the node may start on all of its cores; it ends on all of them."""
        wanted = {(place, core) for place in nodes[number].after for core in CORES if core[0] in nodes[place].kinds}
        concerned = [core for core in CORES if core[0] in nodes[number].kinds]
        safe = all(wanted <= self.known[core] for core in concerned)
        for core in concerned:
            self.known[core].add((number, core))
        return safe


def early_nodes(nodes: Sequence[Node], moves: Moves) -> list[int]:
    """The nodes that some core may start before something that they wait for has ended."""
    cores = Cores()
    found = []
    for number, (node, before) in enumerate(zip(nodes, moves, strict=True)):
        for move in (*node.given, *before, *node.handed):
            cores.move(move)
        if not cores.run(number, nodes):
            found.append(number)
    return found


def launched_by(nodes: Iterable[Node]) -> set[CoreKind]:
    return {kind for node in nodes for kind in node.kinds}


def planned(nodes: Sequence[Node]) -> list[tuple[Move, ...]]:
    return synchronise(nodes, launched_by(nodes))


def size(moves: Moves) -> int:
    return sum(map(len, moves))


def chain(classes: Sequence[OperatorClass]) -> list[Node]:
    """Nodes of which each waits for the one before."""
    return [Node(each.kinds, (number - 1,) if number else ()) for number, each in enumerate(classes)]


@st.composite
def lines(
    draw: st.DrawFn, most: int = 12, kinds: Sequence[tuple[CoreKind, ...]] = ((AIC,), (AIV,), BOTH)
) -> list[Node]:
    """Nodes that wait for any of those before them."""
    nodes: list[Node] = []
    for number in range(draw(st.integers(1, most))):
        after = draw(st.lists(st.integers(0, number - 1), max_size=3, unique=True)) if number else []
        nodes.append(Node(draw(st.sampled_from(kinds)), tuple(after)))
    return nodes


@st.composite
def lines_with_given(draw: st.DrawFn) -> list[Node]:
    """Lines with moves that stand before some nodes in any case."""
    nodes = draw(lines())
    if launched_by(nodes) != set(BOTH):
        return nodes
    return [
        replace(
            node,
            given=tuple(draw(st.lists(st.sampled_from(Move), max_size=3))),
            handed=tuple(draw(st.lists(st.sampled_from(Move), max_size=3))),
            given_place=number,
        )
        if draw(st.booleans())
        else node
        for number, node in enumerate(nodes)
    ]


# Safe, and none too many


@given(lines())
def test_every_node_is_safe(nodes: list[Node]) -> None:
    assert early_nodes(nodes, planned(nodes)) == []


@given(lines())
def test_without_any_one_of_the_moves_some_node_is_early(nodes: list[Node]) -> None:
    moves = planned(nodes)
    for place, before in enumerate(moves):
        for number in range(len(before)):
            fewer = [*moves]
            fewer[place] = before[:number] + before[number + 1 :]
            assert early_nodes(nodes, fewer)


@given(lines())
def test_there_are_moves_only_where_a_node_would_be_early_without_those_at_its_place(nodes: list[Node]) -> None:
    moves = planned(nodes)
    for place, before in enumerate(moves):
        if before:
            assert place in early_nodes(nodes, [*moves[:place], *[()] * (len(nodes) - place)])


@given(lines(most=7))
def test_there_are_as_few_moves_as_an_exact_search_finds_for_this_line(nodes: list[Node]) -> None:
    graph = graph_of(nodes)
    assert size(planned(nodes)) == fewest(graph, in_line=True).moves


@given(lines())
def test_the_same_line_gets_the_same_moves(nodes: list[Node]) -> None:
    assert planned(nodes) == synchronise(list(nodes), sorted(launched_by(nodes), key=repr, reverse=True))


@given(lines())
def test_an_order_that_others_imply_costs_nothing(nodes: list[Node]) -> None:
    reach: list[set[int]] = []
    for node in nodes:
        reach.append(set(node.after).union(*(reach[place] for place in node.after)))
    closed = [replace(node, after=tuple(sorted(all_before))) for node, all_before in zip(nodes, reach, strict=True)]
    assert size(planned(closed)) == size(planned(nodes))


@given(lines(), st.data())
def test_one_order_less_never_needs_more_moves(nodes: list[Node], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(nodes) - 1))
    fewer = [*nodes]
    fewer[place] = replace(nodes[place], after=nodes[place].after[1:])
    assert size(planned(fewer)) <= size(planned(nodes))


def test_nodes_that_wait_for_nothing_need_no_moves() -> None:
    assert planned([Node(BOTH), Node((AIC,)), Node((AIV,))]) == [(), (), ()]


def test_no_nodes_need_no_moves() -> None:
    assert synchronise([], BOTH) == []


def test_one_pair_of_moves_serves_two_orders_that_it_covers() -> None:
    nodes = [Node((AIC,)), Node((AIC,)), Node((AIV,), (0,)), Node((AIV,), (1,))]
    assert size(planned(nodes)) == 2


def test_the_moves_of_an_earlier_order_are_used_again() -> None:
    nodes = [Node((AIV,)), Node((AIC,), (0,)), Node((AIV,), (0,)), Node((AIC,), (0,))]
    moves = planned(nodes)
    assert moves[1] == (Move.MEET_AIV, Move.TELL_AIC)
    assert moves[2:] == [(), ()]


def test_a_way_that_is_not_the_first_shortest_one_pays_when_a_later_node_can_use_it() -> None:
    nodes = [Node((AIC,)), Node((AIV,)), Node(BOTH, (1,)), Node((AIV,), (0,))]
    moves = planned(nodes)
    assert early_nodes(nodes, moves) == []
    assert size(moves) == 3


# Chains


PAIRS: dict[tuple[OperatorClass, OperatorClass], set[tuple[Move, ...]]] = {
    (A, A): {(Move.MEET_AIC,)},
    (V, V): {(Move.MEET_AIV,)},
    (A, V): {(Move.MEET_AIC, Move.TELL_AIV), (Move.TELL_AIV, Move.MEET_AIV)},
    (V, A): {(Move.MEET_AIV, Move.TELL_AIC), (Move.TELL_AIC, Move.MEET_AIC)},
    (A, M): {(Move.MEET_AIC, Move.TELL_AIV)},
    (V, M): {(Move.MEET_AIV, Move.TELL_AIC)},
    (M, A): {(Move.TELL_AIC, Move.MEET_AIC)},
    (M, V): {(Move.TELL_AIV, Move.MEET_AIV)},
    (M, M): {FULL, (Move.TELL_AIV, Move.MEET_AIV, Move.TELL_AIC)},
}
"""All shortest ways between two operators, by class (spec scenarios §2.3: the union of the used sides, not more)."""


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0].name}-{pair[1].name}")
def test_two_operators_in_a_chain_are_kept_apart_by_the_moves_of_their_pair(
    pair: tuple[OperatorClass, OperatorClass],
) -> None:
    assert planned(chain(pair))[1] in PAIRS[pair]


@given(st.lists(st.sampled_from(OperatorClass), min_size=2, max_size=30))
def test_a_chain_has_the_moves_of_its_pairs(classes: list[OperatorClass]) -> None:
    moves = planned(chain(classes))
    assert not moves[0]
    for place in range(1, len(classes)):
        assert moves[place] in PAIRS[classes[place - 1], classes[place]]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0].name}-{pair[1].name}")
def test_the_pair_table_holds_exactly_the_shortest_ways(pair: tuple[OperatorClass, OperatorClass]) -> None:
    nodes = chain(pair)
    both = launched_by(nodes) == set(BOTH)
    possible = list(Move) if both else [Move.MEET_AIC if pair[0] is A else Move.MEET_AIV]
    for length in range(4):
        safe = {moves for moves in product(possible, repeat=length) if not early_nodes(nodes, [(), moves])}
        if safe:
            assert safe == PAIRS[pair]
            return
    raise AssertionError("no way was found")


# Kinds that are not launched


@pytest.mark.parametrize(("kind", "meet"), [(AIC, Move.MEET_AIC), (AIV, Move.MEET_AIV)])
@given(data=st.data())
def test_a_kind_that_is_not_launched_gets_no_moves(kind: CoreKind, meet: Move, data: st.DataObject) -> None:
    nodes = data.draw(lines(kinds=((kind,),)))
    moves = synchronise(nodes, [kind])
    assert {move for before in moves for move in before} <= {meet}
    assert early_nodes(nodes, moves) == []


# Moves that stand there anyway


@given(lines_with_given())
def test_nodes_are_safe_with_moves_that_stand_there_anyway(nodes: list[Node]) -> None:
    assert early_nodes(nodes, planned(nodes)) == []


@given(lines_with_given())
def test_moves_that_stand_there_anyway_never_cost_more(nodes: list[Node]) -> None:
    without = [replace(node, given=(), handed=(), given_place=0) for node in nodes]
    assert size(planned(nodes)) <= size(planned(without))


@given(lines())
def test_where_the_right_moves_stand_already_none_is_added(nodes: list[Node]) -> None:
    moves = planned(nodes)
    given_all = [
        replace(node, given=before, given_place=place)
        for place, (node, before) in enumerate(zip(nodes, moves, strict=True))
    ]
    assert size(planned(given_all)) == 0


def test_moves_that_stand_there_anyway_cover_only_what_lies_before_their_place() -> None:
    nodes = [Node((AIV,)), Node((AIV,)), Node((AIV,), (1,), given=(Move.MEET_AIV,), given_place=1)]
    assert planned(nodes)[2] == (Move.MEET_AIV,)
    nodes[2] = replace(nodes[2], given_place=2)
    assert planned(nodes)[2] == ()


# Free interleaving of the two queues


@given(lines())
def test_a_free_line_is_safe_and_never_costs_more(nodes: list[Node]) -> None:
    _, line, moves = synchronise_freely(nodes, launched_by(nodes))
    assert early_nodes(line, moves) == []
    assert size(moves) <= size(planned(nodes))


@given(lines())
def test_a_free_line_keeps_the_order_of_each_kind_and_of_what_waits(nodes: list[Node]) -> None:
    line, laid, _ = synchronise_freely(nodes, launched_by(nodes))
    assert sorted(line) == list(range(len(nodes)))
    for kind in BOTH:
        queue = [place for place in line if kind in nodes[place].kinds]
        assert queue == sorted(queue)
    for number, node in enumerate(nodes):
        place = line.index(number)
        assert laid[place].kinds == node.kinds
        assert laid[place].after == tuple(line.index(before) for before in node.after)
        assert all(before < place for before in laid[place].after)


def test_two_pairs_of_different_kinds_share_their_synchronisation() -> None:
    nodes = [Node((AIC,)), Node((AIV,), (0,)), Node((AIC,)), Node(BOTH, (2,))]
    line, _, moves = synchronise_freely(nodes, BOTH)
    assert line == [0, 2, 1, 3]
    assert size(moves) == 2
    assert size(planned(nodes)) == 4


# The exact search itself


def graph_of(nodes: Sequence[Node]) -> Graph:
    kinds = tuple(tuple(BOTH.index(kind) for kind in node.kinds) for node in nodes)
    return Graph(kinds, tuple((before, number) for number, node in enumerate(nodes) for before in node.after))


@given(lines(most=8))
def test_the_exact_search_finds_programs_that_are_right(nodes: list[Node]) -> None:
    graph = graph_of(nodes)
    found = fewest(graph)
    assert fault(graph, programs_of(graph, found.run)) == ""
    assert found.moves <= fewest(graph, in_line=True).moves


@given(lines(most=4))
def test_no_placement_with_one_move_less_than_the_exact_search_is_right(nodes: list[Node]) -> None:
    graph = graph_of(nodes)
    moves = fewest(graph).moves
    if 0 < moves <= 3:
        assert some_placement(graph, moves - 1) is None
        assert some_placement(graph, moves) is not None
