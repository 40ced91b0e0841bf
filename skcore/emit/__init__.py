# Licensed under the Apache License, Version 2.0.
"""Emitters: a plan as Ascend C source, and as a metadata record."""
