# Licensed under the Apache License, Version 2.0.
"""The collector of circles, where many values are made that hold none."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Plans are frozen values without circles: a search for some, again and again as a plan grows, finds nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
