# Licensed under the Apache License, Version 2.0.
"""What a front end is told beside its input."""

from __future__ import annotations

from dataclasses import dataclass

from skcore.target import Target


@dataclass(frozen=True, slots=True)
class Request:
    """The target that is planned for."""

    target: Target
