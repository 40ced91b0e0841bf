# Licensed under the Apache License, Version 2.0.
"""Sub-kernels that break a rule, built as any other: the run of their SuperKernel says what, where and what to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skcore.errors import RunError
from skcore.run import RunResult
from tests.e2e.chains import ARCHS, Link, session_for, write_chain


def run(arch: str, folder: Path, mode: int, seed: int) -> RunResult:
    """A SuperKernel of three operators of which the second one breaks the rule."""
    links = [Link("careless", "mix_aiv_1_0", 8, definitions=(("MODE", mode * (op == 1)),)) for op in range(3)]
    path = write_chain(folder, links)
    graph = json.loads(path.read_text())
    for kernel in graph["kernels"].values():
        kernel["early_start"] = {"set": True, "wait": True}
    path.write_text(json.dumps(graph))
    session = session_for(arch)
    fused = session.fuse(session.read(path))
    assert [len(plan.group.operators) for plan in fused.plans] == [3]
    return session.run(session.fused_program(fused).with_seed(seed))


@pytest.mark.parametrize("arch", ARCHS)
def test_a_sub_kernel_that_keeps_the_rules_runs(arch: str, tmp_path: Path) -> None:
    for seed in range(4):
        result = run(arch, tmp_path, 0, seed)
        assert result.buffers["b3"] == result.buffers["b0"]


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize(
    ("mode", "check", "text"),
    [
        (1, "reserved-flag", "flag 14 is kept for"),
        (2, "local-memory-size", "bytes of UB"),
        (3, "raw-block-intrinsic", "use AscendC::GetBlockIdx()"),
        (4, "flag-residue", "flag 9"),
        (5, "state-left", "call SetAtomicNone()"),
        (6, "early-start-calls", "without a call of SetNextTaskStart"),
        (7, "early-start-calls", "SetNextTaskStart is called a second time"),
    ],
)
def test_a_sub_kernel_that_breaks_a_rule_is_named_with_its_line(
    arch: str, mode: int, check: str, text: str, tmp_path: Path
) -> None:
    for seed in range(3):
        with pytest.raises(RunError) as caught:
            run(arch, tmp_path, mode, seed)
        report = str(caught.value)
        assert caught.value.details["check"] == check, report
        assert "careless1" in report
        assert text in report
        assert "careless.cpp:" in report or mode == 6
