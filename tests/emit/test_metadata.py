# Licensed under the Apache License, Version 2.0.
"""The metadata record: spec jit §11.5."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from skcore.emit.metadata import emit_record
from skcore.graph.kernel import CacheCleaning, KernelType
from skcore.options import Options
from skcore.plan.plan import Plan
from tests.builders import TYPES, make_kernel, make_plan, plans


def entries(plan: Plan) -> list[dict[str, Any]]:
    record = emit_record(plan, "d")
    return list(record["SuperkernelInfo"]["kernelList"]["aicore"])


@given(plans())
def test_the_record_is_json_and_agrees_with_the_plan(plan: Plan) -> None:
    record = emit_record(plan, "digest")
    assert json.loads(json.dumps(record)) == record
    assert record["sha256"] == "digest"
    assert record["kernelName"] == record["binFileName"] == plan.name
    assert record["blockDim"] == plan.shape.blocks
    assert record["taskRation"] == plan.shape.kernel_type.ratio
    offsets = [entry["arg_list"]["param_offset"] for entry in entries(plan)]
    assert offsets == list(plan.layout.parameters)


@pytest.mark.parametrize(
    ("kernel_type", "ratio"),
    [
        (KernelType.AIV_ONLY, "0:1"), (KernelType.AIC_ONLY, "1:0"), (KernelType.MIX_AIV_1_0, "0:1"),
        (KernelType.MIX_AIC_1_0, "1:0"), (KernelType.MIX_AIC_1_1, "1:1"), (KernelType.MIX_AIC_1_2, "1:2"),
    ],
)  # fmt: skip
def test_the_ratio_is_that_of_the_launch(kernel_type: KernelType, ratio: str) -> None:
    assert emit_record(make_plan([make_kernel(kernel_type)]), "")["taskRation"] == ratio


def test_a_workspace_is_declared_exactly_when_there_is_one() -> None:
    assert "workspace" not in emit_record(make_plan([make_kernel()]), "")
    fed = make_plan([make_kernel(blocks=32), make_kernel(blocks=1)], Options(feed_sync_all=True))
    assert emit_record(fed, "")["workspace"] == {"num": 1, "size": [16384], "type": [0]}


@pytest.mark.parametrize("kernel_type", TYPES, ids=lambda kernel_type: kernel_type.name)
def test_each_sub_kernel_is_listed_with_its_facts(kernel_type: KernelType) -> None:
    cleaning = CacheCleaning(before=True)
    kernel = make_kernel(kernel_type, 3, "k", sets=True, split_mode=4, copies=4, cleaning=cleaning)
    (entry,) = entries(make_plan([kernel]))
    assert entry["func_name"] == "k"
    assert entry["split_mode"] == 4
    assert entry["blockDim"] == 3
    assert entry["sub_operator_kernel_type"] == kernel_type.json_name
    assert (entry["sub_operator_early_start_set_flag"], entry["sub_operator_early_start_wait_flag"]) == (True, False)
    assert entry["sub_operator_call_dcci_before_kernel_start"] is True
    assert entry["sub_operator_call_dcci_after_kernel_end"] is False
