# Licensed under the Apache License, Version 2.0.
"""``skcore check``."""

from __future__ import annotations

import json
from pathlib import Path

import importlib_metadata
import pytest
from typer.testing import CliRunner

from skcore.cli.app import build_app
from skcore.errors import PlanError
from skcore.plugin import load_plugins
from skcore.plugin.manager import installed_entry_points
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


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a plug-in that plans without barriers."""
    entry = importlib_metadata.EntryPoint("forgetful", "tests.cli.forgetful", "skcore")
    plugins = load_plugins((*installed_entry_points(), entry))
    monkeypatch.setattr("skcore.cli.common.load_plugins", lambda: plugins)


@pytest.mark.usefixtures("forgetful")
@pytest.mark.parametrize("arch", ["dav-2201", "dav-3510"])
def test_a_refusal_is_replayed_on_the_twin_and_stops_at_the_same_fault(arch: str, tmp_path: Path) -> None:
    graph = write_chain(tmp_path, [rotate("aiv_only", 4, 1), rotate("aiv_only", 4, 2)])
    result = CliRunner().invoke(build_app(), ["check", str(graph), "--npu-arch", arch, "--replay", "--json"])
    assert isinstance(result.exception, PlanError)
    ((problem,),) = (found["problems"] for found in json.loads(result.stdout))
    assert "rotate1_1 may go on at AIV block 0 while rotate0_0 still runs" in problem["what"]
    assert [line.rpartition(" (")[0] for line in problem["interleaving"]] == [
        "AIV block 0 begins rotate0_0",
        "AIV block 0 goes on with rotate1_1",
    ]
    assert problem["replay"].startswith("operator-order in sk_chain: rotate1_1 begins on AIV block")
    assert "before rotate0_0 has ended" in problem["replay"]


@pytest.mark.usefixtures("forgetful")
def test_without_replay_nothing_is_compiled_and_the_interleaving_is_shown(tmp_path: Path) -> None:
    graph = write_chain(tmp_path, [rotate("aiv_only", 4, 1), rotate("aiv_only", 4, 2)])
    result = CliRunner().invoke(build_app(), ["check", str(graph), "--npu-arch", "dav-2201"])
    assert "replay" not in result.stdout
    assert "the shortest way there:\n    AIV block 0 begins rotate0_0" in str(result.exception)
