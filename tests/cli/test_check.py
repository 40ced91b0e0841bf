# Licensed under the Apache License, Version 2.0.
"""``skcore check``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from skcore.cli.app import build_app
from skcore.errors import PlanError
from tests.builders import op_entry, write_kernel
from tests.e2e.chains import rotate, write_chain


def test_a_safe_graph_is_told_with_its_orders_and_barriers(tmp_path: Path) -> None:
    graph = write_chain(tmp_path, [rotate("aiv_only", 4, 1), rotate("mix_aic_1_1", 3, 2)])
    result = CliRunner().invoke(build_app(), ["check", str(graph), "--npu-arch", "dav-2201", "--json"])
    assert result.exit_code == 0, result.output
    (found,) = json.loads(result.stdout)
    assert (found["name"], found["safe"], found["orders"], found["problems"]) == ("sk_chain", True, 1, [])
    assert len(found["barriers"]) == 1


def test_text_form_names_the_barrier_and_its_order(tmp_path: Path) -> None:
    graph = write_chain(tmp_path, [rotate("aiv_only", 4, 1), rotate("aiv_only", 3, 2)])
    result = CliRunner().invoke(build_app(), ["check", str(graph), "--npu-arch", "dav-3510"])
    assert "sk_chain: safe in every interleaving; 1 orders" in result.stdout
    assert "before rotate1_1: all AIV cores meet; needed by rotate0_0 before rotate1_1 (stream 0)" in result.stdout


@pytest.mark.parametrize("command", ["check", "plan"])
def test_a_plan_that_is_not_safe_is_refused_after_it_was_shown(command: str, tmp_path: Path) -> None:
    for name, blocks in (("wide", 400), ("wider", 500)):
        write_kernel(tmp_path, name, blockDim=blocks)
    source = tmp_path / "list.json"
    source.write_text(json.dumps({"op_list": [op_entry(tmp_path, "wide"), op_entry(tmp_path, "wider")]}))
    result = CliRunner().invoke(build_app(), [command, str(source), "--npu-arch", "dav-2201"])
    assert isinstance(result.exception, PlanError)
    assert result.exception.exit_code == 1
    assert "500 AIV cores" in str(result.exception)
    assert "ascendc_super_kernel_plus" in result.stdout
    assert ("REFUSED" in result.stdout) == (command == "check")
