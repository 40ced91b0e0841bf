# Licensed under the Apache License, Version 2.0.
"""With profiling=1 every core records when the SuperKernel and each operator begin and end."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest

from skcore.plan.steps import Mark
from skcore.run.profile import profile_buffer_name, read_profile
from tests.e2e.chains import ARCHS, rotate, session_for, write_chain

CHAIN = [rotate("aiv_only", 4, 1), rotate("mix_aic_1_1", 3, 2)]


@pytest.mark.parametrize("arch", ARCHS)
def test_each_core_records_begin_and_end_of_the_whole_and_of_each_operator(arch: str, tmp_path: Path) -> None:
    session = session_for(arch)
    fused = session.fuse(session.read(write_chain(tmp_path, CHAIN, "profiling=1")))
    plan = fused.plans[0]
    result = session.run(session.fused_program(fused))
    records = list(read_profile(result.buffers[profile_buffer_name(plan)]))
    cores = plan.shape.cores
    first_aic = session.target.profiling.aic_slot
    assert {record.slot for record in records} == {*range(cores.aiv), *range(first_aic, first_aic + cores.aic)}
    for _, of_core in groupby(records, key=lambda record: record.slot):
        marks = list(of_core)
        assert [(mark.mark, mark.index, mark.end) for mark in marks] == [
            (Mark.WHOLE, 0, False),
            (Mark.OPERATOR, 1, False),
            (Mark.OPERATOR, 1, True),
            (Mark.OPERATOR, 2, False),
            (Mark.OPERATOR, 2, True),
            (Mark.WHOLE, 0, True),
        ]
        assert [mark.ticks for mark in marks] == sorted(mark.ticks for mark in marks)
