# Licensed under the Apache License, Version 2.0.
"""From task graphs to plans: one pass a file."""
