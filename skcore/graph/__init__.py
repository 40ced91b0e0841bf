# Licensed under the Apache License, Version 2.0.
"""Task graphs: tasks, kernels, buffers and scopes as frozen values."""
