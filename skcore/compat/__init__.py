# Licensed under the Apache License, Version 2.0.
"""Drop-in replacements for interfaces that other tools call."""
