# Licensed under the Apache License, Version 2.0.
"""Discovery of plug-ins: a broken one is listed and does not stop the others (design §5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from skcore.errors import InputError, PluginError
from skcore.plugin import Plugins, hookimpl, load_plugins
from skcore.target import Target
from tests.builders import target


@dataclass
class Entry:
    """An entry point as discovery sees it."""

    name: str
    make: Callable[[], object]
    distribution: str = "some-plugin"
    value: str = "some_plugin"
    dist: Any = field(init=False)

    def __post_init__(self) -> None:
        self.dist = SimpleNamespace(name=self.distribution, version="1.2")

    def load(self) -> object:
        return self.make()


class GoodTarget:
    """A target plug-in."""

    SKCORE_API_VERSION = 1

    def __init__(self, name: str = "my-chip") -> None:
        self.chip = name

    @hookimpl
    def list_targets(self) -> Sequence[str]:
        return [self.chip]

    @hookimpl
    def describe_target(self, npu_arch: str) -> Target | None:
        return target() if npu_arch == self.chip else None


class Misspelt(GoodTarget):
    """Implements a hook that does not exist."""

    @hookimpl
    def describe_targt(self, npu_arch: str) -> None:
        """Never called."""


class WrongArguments(GoodTarget):
    """Asks for an argument that the hook does not have."""

    @hookimpl
    def find_kernel(self, op: object, colour: str) -> None:
        """Cannot be called."""


class OldVersion(GoodTarget):
    """Made for another version of the hooks."""

    SKCORE_API_VERSION = 0


class NoVersion:
    """Says nothing about the version."""


def fail(error: BaseException) -> Callable[[], object]:
    def make() -> object:
        raise error

    return make


BROKEN = {
    "import error": (fail(ImportError("No module named 'torch'")), "ImportError: No module named 'torch'"),
    "syntax error": (fail(SyntaxError("invalid syntax")), "SyntaxError"),
    "name error": (fail(NameError("name 'x' is not defined")), "NameError"),
    "old version": (OldVersion, "made for API version 0, skcore has 1"),
    "no version": (NoVersion, "made for API version None"),
    "misspelt hook": (Misspelt, "unknown hooks describe_targt (did you mean 'describe_target'?)"),
    "wrong arguments": (WrongArguments, "colour"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_plug_in_is_listed_with_its_error_and_the_others_work(name: str) -> None:
    make, message = BROKEN[name]
    loaded = load_plugins(
        [Entry("a-first", lambda: GoodTarget("first")), Entry("broken", make), Entry("z-last", GoodTarget)]
    )
    records = {record.name: record for record in loaded.records}
    assert message in records["broken"].error
    assert records["broken"].hooks == ()
    assert [records[good].error for good in ("a-first", "z-last")] == ["", ""]
    assert loaded.target_names() == ("first", "my-chip")
    assert loaded.target("my-chip") is target()


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_plug_in_is_never_called(name: str) -> None:
    make, _ = BROKEN[name]
    loaded = load_plugins([Entry("broken", make)])
    assert loaded.target_names() == ()


def test_a_plug_in_is_listed_with_its_distribution_and_its_hooks() -> None:
    (record,) = [record for record in load_plugins([Entry("good", GoodTarget)]).records if record.name == "good"]
    assert record.distribution == "some-plugin 1.2"
    assert record.hooks == ("describe_target", "list_targets")


def test_an_entry_point_without_a_distribution_is_listed_too() -> None:
    entry = Entry("good", GoodTarget)
    entry.dist = None
    assert load_plugins([entry]).records[-1].distribution == "unknown distribution"


def test_two_plug_ins_with_one_name_are_an_error_that_names_both_distributions() -> None:
    first = Entry("same", GoodTarget, "one-plugin", "one")
    second = Entry("same", GoodTarget, "other-plugin", "other")
    with pytest.raises(PluginError) as raised:
        load_plugins([first, second])
    text = str(raised.value)
    assert "'same'" in text
    assert "one-plugin 1.2 (one)" in text
    assert "other-plugin 1.2 (other)" in text


def test_a_plug_in_cannot_take_the_name_of_a_built_in_front_end() -> None:
    with pytest.raises(PluginError, match=r"skcore \(built in\).*some-plugin 1.2"):
        load_plugins([Entry("op-list", GoodTarget)])


def test_all_clashes_are_reported_together() -> None:
    entries = [Entry(name, GoodTarget) for name in ("x", "x", "y", "y")]
    with pytest.raises(PluginError) as raised:
        load_plugins(entries)
    assert "'x'" in str(raised.value)
    assert "'y'" in str(raised.value)


def message_of(plugins: Plugins, name: str) -> str:
    with pytest.raises(PluginError) as raised:
        plugins.target(name)
    return str(raised.value)


def test_an_unknown_target_lists_the_installed_ones_and_the_nearest() -> None:
    loaded = load_plugins([Entry("one", lambda: GoodTarget("chip-one")), Entry("two", lambda: GoodTarget("chip-two"))])
    text = message_of(loaded, "chip-tow")
    assert "no target 'chip-tow'" in text
    assert "installed: chip-one, chip-two" in text
    assert "did you mean 'chip-two'?" in text


def test_without_any_target_the_message_says_what_to_install() -> None:
    assert "pip install 'skcore[targets]'" in message_of(load_plugins([]), "dav-2201")


def test_an_unknown_product_of_a_target_names_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'Ascend910B1'"):
        load_plugins([Entry("good", GoodTarget)]).target("my-chip", "Ascend910b1")


def test_the_built_in_front_ends_are_always_there() -> None:
    assert [record.name for record in load_plugins([]).records] == ["op-list", "graph-file"]


def test_two_sets_of_plug_ins_do_not_know_of_each_other() -> None:
    first = load_plugins([Entry("good", GoodTarget)])
    assert load_plugins([]).target_names() == ()
    assert first.target_names() == ("my-chip",)


def test_the_installed_plug_ins_load() -> None:
    assert [record.name for record in load_plugins().records if record.error] == []
