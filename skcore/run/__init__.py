# Licensed under the Apache License, Version 2.0.
"""Running: launches, their arguments, the contents of buffers, and comparing results."""

from skcore.run.launch import Launch, RunInputs, RunResult

__all__ = ["Launch", "RunInputs", "RunResult"]
