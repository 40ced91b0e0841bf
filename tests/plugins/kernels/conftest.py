# Licensed under the Apache License, Version 2.0.
"""Fixtures of the kernel library's tests: those of the twin."""

from __future__ import annotations

from tests.plugins.twin.conftest import run_kernel, sktwin

__all__ = ["run_kernel", "sktwin"]
