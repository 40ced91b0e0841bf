# Licensed under the Apache License, Version 2.0.
"""The conformance records of the JIT form, compared as their README says.

The records list steps for both core kinds also where the launch starts one of them only (``taskRation`` 1:0): what the
other kind's list holds is then code that no core runs. Ours plans nothing for a kind that is not launched, so only
launched kinds are compared.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from skcore.check import check_plan
from skcore.emit.metadata import emit_record
from skcore.graph.kernel import CoreKind
from skcore.plan.plan import Plan
from skcore.plugin import load_plugins
from skcore.session import Session
from skcore.target import Soc
from tests.conformance.record import (
    CROSS_CORE,
    EXACT,
    flag_operations,
    of_families,
    recorded_steps,
    steps_in_words,
    write_input,
)
from tests.shared_data import shared_folder

RECORDS = sorted(shared_folder("conformance/jit").glob("*.json"))


@pytest.fixture(params=RECORDS, ids=lambda path: path.stem)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[dict[str, Any], Plan]:
    record = json.loads(request.param.read_text())
    plugins = load_plugins()
    session = Session(plugins, plugins.target("dav-2201", record["soc"]))
    fused = session.fuse(session.read(write_input(record, tmp_path)))
    return record, fused.plans[0]


def test_the_metadata_record_agrees_field_by_field(case: tuple[dict[str, Any], Plan]) -> None:
    record, plan = case
    ours = emit_record(plan, "0" * 64)
    expected = record["expect"]["super_kernel"]
    assert {key: ours.get(key) for key in expected} == expected
    assert ("workspace" in ours) == ("workspace" in expected)
    kernels = [
        {key: value for key, value in kernel.items() if key in expected_kernel}
        for kernel, expected_kernel in zip(
            ours["SuperkernelInfo"]["kernelList"]["aicore"], record["expect"]["kernel_list"], strict=True
        )
    ]
    assert kernels == record["expect"]["kernel_list"]


def launched(plan: Plan) -> list[CoreKind]:
    return [kind for kind, cores in plan.shape.cores if cores]


def test_calls_marks_and_cleaning_are_the_same_in_the_same_order(case: tuple[dict[str, Any], Plan]) -> None:
    record, plan = case
    for kind in launched(plan):
        expected = recorded_steps(record, kind)
        assert of_families(steps_in_words(plan, kind), EXACT) == of_families(expected, EXACT)


def test_every_preload_of_the_record_comes_before_its_call(case: tuple[dict[str, Any], Plan]) -> None:
    record, plan = case
    for kind in launched(plan):
        ours = steps_in_words(plan, kind)
        preloads = ("preload", "preload-ahead")
        expected = of_families(recorded_steps(record, kind), preloads)
        assert of_families(ours, preloads) == expected
        for word in of_families(ours, ("preload",)):
            symbol = word.split()[1]
            call = next(number for number, other in enumerate(ours) if other.startswith(f"call {symbol} "))
            assert ours.index(word) < call


def test_there_are_no_more_cross_core_steps_than_in_the_record(case: tuple[dict[str, Any], Plan]) -> None:
    record, plan = case
    for kind in launched(plan):
        ours = flag_operations(steps_in_words(plan, kind), kind)
        assert ours <= flag_operations(recorded_steps(record, kind), kind)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_the_plan_is_proved_safe_on_a_product_that_has_the_cores(path: Path, tmp_path: Path) -> None:
    """Some records use more cores than the product that they name has: it could not run them (scenario JIT-06)."""
    record = json.loads(path.read_text())
    plugins = load_plugins()
    target = plugins.target("dav-2201", record["soc"])
    wide = replace(target, socs={**target.socs, record["soc"]: Soc(aic=32, aiv=64, clock_mhz=1)})
    session = Session(plugins, wide)
    check_plan(session.fuse(session.read(write_input(record, tmp_path))).plans[0], wide)


def test_the_pipes_drain_or_a_barrier_stands_between_calls_of_a_queue(case: tuple[dict[str, Any], Plan]) -> None:
    _, plan = case
    for kind in launched(plan):
        words = of_families(steps_in_words(plan, kind), ("call", "pipe-barrier", *CROSS_CORE))
        families = [word.split()[0] for word in words]
        assert all(first != "call" or second != "call" for first, second in pairwise(families))
