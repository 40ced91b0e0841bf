# Licensed under the Apache License, Version 2.0.
"""skcore plans, builds, runs and explains SuperKernels. This module is the public API: re-exports only."""

__version__ = "0.1.0"
