# Licensed under the Apache License, Version 2.0.
"""Target dav-3510: the Ascend950 and Ascend350 families (Atlas 350)."""

from __future__ import annotations

from collections.abc import Sequence

from skcore.plugin import hookimpl
from skcore.target import Target, load_target

SKCORE_API_VERSION = 1
NPU_ARCH = "dav-3510"


@hookimpl
def list_targets() -> Sequence[str]:
    return [NPU_ARCH]


@hookimpl
def describe_target(npu_arch: str) -> Target | None:
    return load_target(__name__) if npu_arch == NPU_ARCH else None
