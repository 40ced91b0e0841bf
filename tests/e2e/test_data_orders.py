# Licensed under the Apache License, Version 2.0.
"""With auto-op-parallel=1 operators wait for those with which they share buffers, and for no others."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from skcore.check import check_plan
from skcore.errors import PlanError
from skcore.fuse import FusedGraph
from skcore.graph.kernel import CoreKind, PerKind
from skcore.plan.plan import Program, Segment
from skcore.plan.steps import GroupSync
from skcore.run.verify import verify
from skcore.session import Session
from tests.e2e.chains import ARCHS, KERNELS, session_for, with_plan

TWO_CHAINS = [("x0", "x1"), ("y0", "y1"), ("x1", "x2"), ("y1", "y2"), ("x2", "x3"), ("y2", "y3")]


def write_graph(folder: Path, runs: list[tuple[str, str]], outputs: list[str]) -> Path:
    """Rotations from buffer to buffer, on different numbers of blocks."""
    buffers: dict[str, dict[str, object]] = {
        name: {"shape": [4096], "dtype": "float32"} for run in runs for name in run
    }
    for number, first in enumerate(("x0", "y0")):
        if first in buffers:
            buffers[first]["initial"] = {"random": {"seed": number}}
    kernels = {
        f"k{number}": {
            "source": str(KERNELS / "rotate.cpp"),
            "function": "rotate",
            "type": "aiv_only",
            "blocks": (8, 40)[number % 2],
            "parameters": ["x", "y"],
            "writes": ["y"],
            "definitions": {"SHIFT": (7, 13)[number % 2]},
        }
        for number in range(len(runs))
    }
    tasks = [
        {"kernel": f"k{number}", "scope": "s", "arguments": {"x": source, "y": result}}
        for number, (source, result) in enumerate(runs)
    ]
    path = folder / "graph.yaml"
    graph = {"version": 1, "name": "g", "buffers": buffers, "kernels": kernels, "tasks": tasks, "outputs": outputs}
    path.write_text(json.dumps(graph))
    return path


def barriers(fused: FusedGraph) -> int:
    return sum(isinstance(step, GroupSync) for step in fused.plans[0].programs[CoreKind.AIV])


@pytest.fixture(params=ARCHS)
def session(request: pytest.FixtureRequest) -> Session:
    return session_for(request.param)


def test_two_chains_side_by_side_need_fewer_barriers_and_give_the_same_bytes(session: Session, tmp_path: Path) -> None:
    graph = session.read(write_graph(tmp_path, TWO_CHAINS, ["x3", "y3"]))
    by_stream = session.fuse(graph)
    by_data = session.fuse(graph, overrides=["auto-op-parallel=1"])
    assert (barriers(by_stream), barriers(by_data)) == (5, 2)
    assert all(item.equal for item in verify(session, by_data, range(12)))


@pytest.mark.parametrize(
    "runs",
    [
        [("x0", "x1"), ("x1", "x2")],
        [("x0", "x1"), ("x0", "x2"), ("x2", "x0")],
        [("x0", "x1"), ("y0", "x1")],
    ],
    ids=["read after write", "write after read", "write after write"],
)
def test_each_kind_of_sharing_is_an_order_and_dropping_it_is_refused(
    session: Session, tmp_path: Path, runs: list[tuple[str, str]]
) -> None:
    graph = session.read(write_graph(tmp_path, runs, []))
    fused = session.fuse(graph, overrides=["auto-op-parallel=1"])
    assert all(item.equal for item in verify(session, fused, range(6)))
    plan = fused.plans[0]
    segments = tuple(
        Segment(each.op, tuple(step for step in each.steps if not isinstance(step, GroupSync)))
        for each in plan.programs.aiv.segments
    )
    broken = with_plan(fused, replace(plan, programs=PerKind(Program(), replace(plan.programs.aiv, segments=segments))))
    with pytest.raises(PlanError, match="still runs"):
        check_plan(broken.plans[0], session.target)


def test_where_a_buffer_is_not_known_the_stream_orders(session: Session, tmp_path: Path) -> None:
    path = write_graph(tmp_path, TWO_CHAINS, ["x3", "y3"])
    data = json.loads(path.read_text())
    data["kernels"]["k3"]["writes"] = []
    path.write_text(json.dumps(data))
    assert barriers(session.fuse(session.read(path), overrides=["auto-op-parallel=1"])) == 5
