# Licensed under the Apache License, Version 2.0.
"""Running: launches, their arguments, the contents of buffers, and comparing results."""

from skcore.run.launch import Hold, Launch, RunInputs, RunResult, Watch

__all__ = ["Hold", "Launch", "RunInputs", "RunResult", "Watch"]
