# Licensed under the Apache License, Version 2.0.
"""Properties have no deadline: on a busy machine an example may take any time. Import it before properties."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
