# Licensed under the Apache License, Version 2.0.
"""Objects, cache, tools, and the units that toolchains compile."""
