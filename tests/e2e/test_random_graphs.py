# Licensed under the Apache License, Version 2.0.
"""Random graphs of several streams: every plan is accepted, and gives the bytes of its operators run one by one."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skcore.graph.kernel import KernelType
from tests.e2e.chains import ARCHS, session_for
from tests.e2e.random_graphs import (
    VARIANTS,
    GraphSpec,
    Op,
    check_spec,
    fuse_spec,
    graph_specs,
    kernel_of,
    random_spec,
    task_graph,
    unfused_results,
)

GRAPHS = 120
"""For each chip."""

BATCHES = 12
SEED = 20261130


@pytest.mark.parametrize("batch", range(BATCHES))
@pytest.mark.parametrize("arch", ARCHS)
def test_random_graphs_give_the_bytes_of_their_operators_run_alone(arch: str, batch: int) -> None:
    session = session_for(arch)
    drawn = random.Random(f"{SEED} {arch} {batch}")
    for _ in range(GRAPHS // BATCHES):
        spec = random_spec(drawn, session.target, most_operators=8)
        check_spec(session, spec, [drawn.randrange(1 << 16) for _ in range(3)])


def test_the_catalogue_has_all_kernel_types() -> None:
    assert {kernel_of(name).kernel_type for name in VARIANTS} == set(KernelType)


@pytest.mark.parametrize("arch", ARCHS)
def test_the_result_depends_on_the_order_of_every_pair_of_variants(arch: str) -> None:
    """An operator that starts before its predecessor reads other bytes."""
    session = session_for(arch)
    for name in VARIANTS:
        spec = GraphSpec((Op("v17"), Op(name))).fitting(session.target)
        fused = fuse_spec(session, spec)
        right = unfused_results(session, spec, fused)
        swapped = GraphSpec((Op("v17"), Op(name, 1)), ((1, (0,)),)).fitting(session.target)
        wrong = unfused_results(session, swapped, fused)
        assert right["y1"] != wrong["y1"], name


@given(st.data())
@pytest.mark.parametrize("arch", ARCHS)
def test_drawn_graphs_have_an_order_and_no_buffer_that_unordered_operators_share(
    arch: str, data: st.DataObject
) -> None:
    target = session_for(arch).target
    spec = data.draw(graph_specs(target))
    sequence = spec.sequence()
    assert sequence is not None
    assert sorted(sequence) == list(range(len(spec.ops)))
    before: list[set[int]] = [set() for _ in spec.ops]
    predecessors = spec.predecessors()
    for op in sequence:
        for first in predecessors[op]:
            before[op] |= {first} | before[first]
    arguments = [dict(task.arguments) for task in task_graph(spec).kernels]
    for first, given_first in enumerate(arguments):
        for second, given_second in enumerate(arguments):
            shares = given_first["y"] in given_second.values() and first != second
            assert not shares or first in before[second] or second in before[first]
