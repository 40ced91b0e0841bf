# Licensed under the Apache License, Version 2.0.
"""Discovery of plug-ins: a broken one is listed with its error and does not stop the others (design §5)."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Protocol

import importlib_metadata
import pluggy

from skcore.errors import PluginError, nearest
from skcore.plugin.spec import API_VERSION, PROJECT, Hooks
from skcore.target import Target

NO_TARGET = "no target is installed: pip install 'skcore[targets]'"
"""The extra names the distributions of all targets: which there are is no matter of the core."""


@dataclass(frozen=True, slots=True)
class PluginRecord:
    """A plug-in that was found: name, distribution with version, and the error when it could not be loaded."""

    name: str
    distribution: str
    hooks: tuple[str, ...] = ()
    error: str = ""


class EntryPoint(Protocol):
    """The part of an entry point that discovery needs."""

    @property
    def name(self) -> str: ...
    @property
    def value(self) -> str: ...
    @property
    def dist(self) -> Any: ...
    def load(self) -> Any: ...


class Plugins:
    """All plug-ins of one process: the built-in front ends and what is installed in the entry-point group."""

    def __init__(self, manager: pluggy.PluginManager, records: Sequence[PluginRecord]) -> None:
        self._manager = manager
        self.records = tuple(records)

    @property
    def hook(self) -> Any:
        """Calls hooks: ``plugins.hook.collect_ops(source=..., request=...)``."""
        return self._manager.hook

    def target_names(self) -> tuple[str, ...]:
        return tuple(sorted(name for names in self.hook.list_targets() for name in names))

    def target(self, npu_arch: str, soc: str | None = None) -> Target:
        """Resolve ``--npu-arch``; an unknown name lists what is installed."""
        target: Target | None = self.hook.describe_target(npu_arch=npu_arch)
        if target is None:
            names = self.target_names()
            remedy = f"installed: {', '.join(names)}; {nearest(npu_arch, names)}" if names else NO_TARGET
            raise PluginError(f"--npu-arch: no target {npu_arch!r} ({remedy})")
        return target.with_soc(soc)


def installed_entry_points() -> tuple[EntryPoint, ...]:
    """The installed entry points of the group, in a fixed order."""
    found = importlib_metadata.entry_points(group=PROJECT)
    return tuple(sorted(found, key=lambda entry: (entry.name, entry.value)))


def load_plugins(
    entry_points: Iterable[EntryPoint] | None = None, builtin: Iterable[tuple[str, object]] | None = None
) -> Plugins:
    """Load the built-in plug-ins and the installed ones.

    Raises:
        PluginError: two plug-ins with one name; the message names both distributions.
    """
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(Hooks)
    records = []
    for name, module in _builtin() if builtin is None else builtin:
        manager.register(module, name)
        records.append(PluginRecord(name, "skcore (built in)", _hooks_of(module)))
    entries = installed_entry_points() if entry_points is None else tuple(entry_points)
    _refuse_clashes(entries, {record.name for record in records})
    records += [_load(manager, entry) for entry in entries]
    return Plugins(manager, records)


def _builtin() -> Iterable[tuple[str, ModuleType]]:
    from skcore.frontends import graph_file, op_list

    return (("op-list", op_list), ("graph-file", graph_file))


def _distribution(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "unknown distribution"


def _refuse_clashes(entries: Sequence[EntryPoint], taken: set[str]) -> None:
    owners = dict.fromkeys(taken, "skcore (built in)")
    clashes = []
    for entry in entries:
        mine = f"{_distribution(entry)} ({entry.value})"
        if entry.name in owners:
            clashes.append(f"plug-in name {entry.name!r} is claimed by {owners[entry.name]} and by {mine}")
        owners.setdefault(entry.name, mine)
    if clashes:
        raise PluginError("; ".join(clashes) + " (uninstall one of them)")


def _load(manager: pluggy.PluginManager, entry: EntryPoint) -> PluginRecord:
    distribution = _distribution(entry)
    try:
        module = entry.load()
        _check_version(entry.name, distribution, module)
        manager.register(module, entry.name)
        _check_hooks(manager, entry.name, module)
    except Exception as error:  # noqa: BLE001 - whatever a plug-in does wrong, the others go on
        if manager.has_plugin(entry.name):
            manager.unregister(name=entry.name)
        return PluginRecord(entry.name, distribution, error=f"{type(error).__name__}: {error}")
    return PluginRecord(entry.name, distribution, _hooks_of(module))


def _check_version(name: str, distribution: str, module: object) -> None:
    version = getattr(module, "SKCORE_API_VERSION", None)
    if version != API_VERSION:
        raise PluginError(
            f"plug-in {name!r} of {distribution} is made for API version {version}, "
            f"skcore has {API_VERSION}: update the one that is older"
        )


def _check_hooks(manager: pluggy.PluginManager, name: str, module: object) -> None:
    """A misspelt hook fails at once instead of never being called."""
    known = [hook for hook in vars(Hooks) if not hook.startswith("_")]
    callers = manager.get_hookcallers(module) or []
    unknown = [caller.name for caller in callers if not caller.has_spec()]
    if unknown:
        raise PluginError(
            f"plug-in {name!r} implements unknown hooks {', '.join(unknown)} ({nearest(unknown[0], known)})"
        )
    manager.check_pending()


def _hooks_of(module: object) -> tuple[str, ...]:
    marker = f"{PROJECT}_impl"
    members = inspect.getmembers(module, lambda member: hasattr(member, marker))
    return tuple(name for name, _ in members)
