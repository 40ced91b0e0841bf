# Licensed under the Apache License, Version 2.0.
"""The example: bit-equal fused and unfused on both chips, whatever the scheduler and the options do."""

from __future__ import annotations

import json
from itertools import combinations

import pytest
from typer.testing import CliRunner

from skcore.cli.app import build_app
from skcore.errors import PlanError
from skcore.options import option_table
from skcore.run.verify import verify
from skcore.session import Session
from tests.e2e.chains import ARCHS, session_for
from tests.pairwise import pairwise_rows
from tests.shared_data import ROOT

EXAMPLE = ROOT / "examples" / "moe_block" / "graph.yaml"
SEEDS = range(20)

# Values beyond those that an option's domain lists by itself.
VALUES = {
    "compile-options": ["-g", "-g,-Wall"],
    "dcci-before-kernel-start": ["rms_norm", "rms_norm,swiglu"],
    "dcci-after-kernel-end": ["rms_norm", "swiglu,matmul"],
    "dcci-disable-on-kernel": ["swiglu", "softmax"],
    "debug-aic-num": ["0", "24"],
    "debug-aiv-num": ["0", "48"],
    # A scope with an operator that cannot fuse is refused by `abort`; a test of its own shows it.
    "strict-scope-check": ["bypass"],
}


def columns() -> dict[str, list[str]]:
    """Values of every option; the empty text leaves it at its default."""
    found = {option.name: VALUES.get(option.name, list(option.domain.samples)) for option in option_table()}
    return {name: [*values, ""] if name in VALUES and "0" not in values else values for name, values in found.items()}


@pytest.fixture(scope="module", params=ARCHS)
def session(request: pytest.FixtureRequest) -> Session:
    return session_for(request.param)


def test_the_rows_hold_every_value_of_every_option_pairwise() -> None:
    table = columns()
    assert set(table) == {option.name for option in option_table()}
    rows = pairwise_rows(table)
    for first, second in combinations(table, 2):
        assert {(row[first], row[second]) for row in rows} == {
            (one, two) for one in table[first] for two in table[second]
        }


def test_twenty_scheduler_seeds_give_the_bytes_of_the_unfused_form(session: Session) -> None:
    fused = session.fuse(session.read(EXAMPLE))
    assert len(fused.plans) >= 2
    comparisons = verify(session, fused, SEEDS)
    assert comparisons
    assert [item.buffer for item in comparisons if not item.equal] == []
    dtypes = {buffer.name: buffer.dtype for buffer in fused.graph.buffers}
    for item in comparisons:
        assert item.from_reference is not None
        assert item.relative_from_reference is not None
        # A quantised value may fall on the other side of a rounding boundary, by one step.
        steps = dtypes[item.buffer] == "int8"
        assert item.from_reference <= 1 if steps else item.relative_from_reference < 0.02


def test_every_pair_of_option_values_gives_the_bytes_of_the_unfused_form(session: Session) -> None:
    graph = session.read(EXAMPLE)
    different = []
    for number, row in enumerate(pairwise_rows(columns())):
        overrides = [f"{name}={value}" for name, value in row.items() if value]
        comparisons = verify(session, session.fuse(graph, overrides=overrides), [number])
        if not all(item.equal for item in comparisons):
            different.append(overrides)
    assert different == []


def test_a_scope_that_must_fuse_as_a_whole_is_refused_with_the_operator_in_the_way(session: Session) -> None:
    graph = session.read(EXAMPLE)
    fused = session.fuse(graph, compiled=False)
    in_the_way = [item for item in fused.left_out if item.scope]
    with pytest.raises(PlanError) as caught:
        session.fuse(graph, overrides=["strict-scope-check=abort"], compiled=False)
    assert len(caught.value.problems) == len(in_the_way)


@pytest.mark.parametrize("arch", ARCHS)
def test_run_prints_what_fused_the_launches_and_each_output(arch: str) -> None:
    result = CliRunner().invoke(build_app(), ["run", str(EXAMPLE), "--npu-arch", arch, "--json"])
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    assert summary["launches_after"] < summary["launches_before"]
    assert {item["key"] for item in summary["left_out"]} == {"never-fuse", "kept-out"}
    assert summary["outputs"]
    assert all(item["equal"] for item in summary["outputs"])
