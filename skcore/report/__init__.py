# Licensed under the Apache License, Version 2.0.
"""Reports: why something fused or did not, for people and for programs."""
