# Licensed under the Apache License, Version 2.0.
"""Finds the test data that is kept beside the repository; tests that need it skip with a named reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def shared_folder(name: str) -> Path:
    """The folder of this name in ``$SKCORE_TEST_DATA``, or in ``shared`` beside the repository."""
    base = Path(os.environ.get("SKCORE_TEST_DATA", ROOT.parent / "shared"))
    if not (base / name).is_dir():
        pytest.skip(f"shared test data absent: {name}", allow_module_level=True)
    return base / name
