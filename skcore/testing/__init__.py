# Licensed under the Apache License, Version 2.0.
"""For plug-in authors: fixtures, builders and contract tests."""
