# Licensed under the Apache License, Version 2.0.
"""``python -m skcore``."""

from skcore.cli import main

main()
