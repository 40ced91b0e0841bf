# Licensed under the Apache License, Version 2.0.
"""The built-in front ends, registered as plug-ins like any other."""
