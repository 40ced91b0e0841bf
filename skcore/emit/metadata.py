# Licensed under the Apache License, Version 2.0.
"""The metadata record of a SuperKernel: what the launcher reads beside the binary (spec jit §11.5)."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from skcore.plan.group import Operator
from skcore.plan.layout import Role
from skcore.plan.plan import Plan


def emit_record(plan: Plan, binary_digest: str | None) -> dict[str, Any]:
    """The record as a JSON object; ``binary_digest`` is the SHA-256 of the finished binary (None: not built)."""
    record: dict[str, Any] = {
        "binFileName": plan.name,
        "binFileSuffix": ".o",
        "blockDim": plan.shape.blocks,
        "coreType": "MIX",
        "intercoreSync": 1,
        "kernelName": plan.name,
        "magic": "RT_DEV_BINARY_MAGIC_ELF",
        "memoryStamping": [],
        "opParaSize": 8,
        "optionalInputMode": "gen_placeholder",
        "optionalOutputMode": "gen_placeholder",
        "parameters": [],
        "supportSuperKernel": 1,
        "taskRation": plan.shape.kernel_type.ratio,
        "SuperkernelInfo": {"kernelList": {"aicore": [_kernel(plan, op) for op in range(len(plan.group.operators))]}},
    }
    if binary_digest is not None:
        record["sha256"] = binary_digest
    printing = [kernel for kernel in plan.group.kernels if kernel.debug_options]
    if printing:
        options = dict.fromkeys(option for kernel in printing for option in kernel.debug_options)
        record["debugOptions"] = ",".join(options)
        record["debugBufSize"] = max(kernel.debug_bytes for kernel in printing)
    if plan.workspace_bytes:
        record["workspace"] = {"num": 1, "size": [plan.workspace_bytes], "type": [0]}
    return record


def record_text(plan: Plan, binary: bytes | None) -> str:
    """The record as it stands beside the binary (None: not built)."""
    digest = None if binary is None else hashlib.sha256(binary).hexdigest()
    return json.dumps(emit_record(plan, digest), indent=2) + "\n"


def _kernel(plan: Plan, op: int) -> dict[str, Any]:
    operator: Operator = plan.group.operators[op]
    kernel = operator.kernel
    debug = {"debug_option": ",".join(kernel.debug_options), "debug_size": kernel.debug_bytes}
    return {
        **(debug if kernel.debug_options else {}),
        "func_name": kernel.name,
        "split_mode": kernel.split_mode,
        "blockDim": kernel.blocks if kernel.recorded_blocks is None else kernel.recorded_blocks,
        "sub_operator_kernel_type": kernel.kernel_type.json_name,
        "sub_operator_early_start_set_flag": kernel.early_start.sets,
        "sub_operator_early_start_wait_flag": kernel.early_start.waits,
        "sub_operator_call_dcci_before_kernel_start": kernel.cleaning.before,
        "sub_operator_call_dcci_after_kernel_end": kernel.cleaning.after,
        "streamid": operator.task.stream,
        "send_event_list": list(operator.sends),
        "recv_event_list": list(operator.receives),
        "arg_list": {
            "param_offset": plan.layout.parameters[op],
            "notify_param_offset": plan.layout.first_event_word(Role.NOTIFY, op),
            "wait_param_offset": plan.layout.first_event_word(Role.WAIT, op),
        },
    }
