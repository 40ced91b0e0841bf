# Licensed under the Apache License, Version 2.0.
"""Benchmarks: each prints what it measured and against what."""
