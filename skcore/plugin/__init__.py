# Licensed under the Apache License, Version 2.0.
"""Plug-ins of skcore.

A plug-in is a pip package with an entry point in the group ``skcore``::

    [project.entry-points.skcore]
    my-chip = "skcore_mychip"

whose module says for which API it is made and implements hooks of :class:`skcore.plugin.spec.Hooks`::

    from skcore.plugin import hookimpl

    SKCORE_API_VERSION = 1

    @hookimpl
    def list_targets():
        return ["my-chip"]
"""

from skcore.plugin.manager import NO_TARGET, PluginRecord, Plugins, load_plugins
from skcore.plugin.spec import API_VERSION, Hooks, hookimpl

__all__ = ["API_VERSION", "NO_TARGET", "Hooks", "PluginRecord", "Plugins", "hookimpl", "load_plugins"]
