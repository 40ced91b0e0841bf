# Licensed under the Apache License, Version 2.0.
"""Whole Ascend C programs on the twin: host code and kernels of one source, compiled for the host and run there."""
