# Licensed under the Apache License, Version 2.0.
"""Options: spec jit §3 and the scenarios JIT-08 and JIT-09."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skcore.errors import OptionError
from skcore.options import OptionEntry, Options, option_table, parse_options
from tests.hostile import accepted_or_refused

TABLE = {entry.name: entry for entry in option_table()}
FREE_TEXT = {
    "compile-options": ("-g", "-g,-O2"),
    "dcci-before-kernel-start": ("Add", "Add,Mul"),
    "dcci-after-kernel-end": ("Add",),
    "dcci-disable-on-kernel": (".*",),
}
GOOD = [(name, text) for name, entry in TABLE.items() for text in (entry.domain.samples or FREE_TEXT[name])]
BAD = [
    *itertools.product(["early-start"], ["3", "-1", "on", "01", "1 2"]),
    *itertools.product(["func-align"], ["1", "3", "-1", "513", "0x200", "five"]),
    *itertools.product(["split-mode"], ["0", "65", "-4", "4.0", "four", "²"]),
    *itertools.product(["preload-code"], ["x", "per_func", "MAX"]),
    *itertools.product(
        ["stream-fusion", "debug-dcci-all", "debug-sync-all", "feed-sync-all", "profiling"], ["2", "true", "-0", "00"]
    ),
    *itertools.product(["debug-aic-num", "debug-aiv-num"], ["-1", "x", "1.5", "+2"]),
    *itertools.product(["strict-scope-check"], ["xxx", "Abort", "cut"]),
]


def text_of(options: Options) -> str:
    return ":".join(f"{name}={value}" for name, value in options.as_mapping().items() if value)


def value_of(entry: OptionEntry, options: Options) -> object:
    return getattr(options, entry.attribute)


def problems(source: object, **keywords: object) -> list[str]:
    with pytest.raises(OptionError) as raised:
        parse_options(source, **keywords)  # type: ignore[arg-type]
    return [str(problem) for problem in raised.value.problems]


def test_the_table_holds_the_options_of_the_specification_and_the_one_for_orders_by_data() -> None:
    assert set(TABLE) - {"auto-op-parallel"} == {
        "func-align", "preload-code", "early-start", "stream-fusion", "debug-dcci-all", "debug-sync-all",
        "feed-sync-all", "profiling", "compile-options", "strict-scope-check", "dcci-before-kernel-start",
        "dcci-after-kernel-end", "dcci-disable-on-kernel", "split-mode", "debug-aic-num", "debug-aiv-num",
    }  # fmt: skip


def test_the_defaults_are_those_of_the_specification() -> None:
    shown = Options().as_mapping()
    assert shown["func-align"] == "512"
    assert shown["preload-code"] == "per-func"
    assert shown["early-start"] == "1"
    assert shown["split-mode"] == "4"
    zero = [name for name, value in shown.items() if value == "0"]
    assert zero == [
        "stream-fusion", "auto-op-parallel", "debug-dcci-all", "debug-sync-all", "feed-sync-all", "profiling",
        "debug-aic-num", "debug-aiv-num",
    ]  # fmt: skip


@pytest.mark.parametrize("entry", TABLE.values(), ids=TABLE)
def test_every_option_says_what_it_does_and_what_it_takes(entry: OptionEntry) -> None:
    assert len(entry.text) > 20
    assert entry.domain.describe


@pytest.mark.parametrize(("name", "text"), GOOD)
def test_every_way_to_give_a_value_means_the_same(name: str, text: str) -> None:
    entry = TABLE[name]
    by_string = parse_options(f"{name}={text}")
    by_mapping = parse_options({name: text})
    by_override = parse_options(None, overrides=[f"{name}={text}"])
    assert by_string.options == by_mapping.options == by_override.options
    assert entry.domain.show(value_of(entry, by_string.options)) == text
    assert by_string.given == (entry.attribute,)


@pytest.mark.parametrize(("name", "text"), GOOD)
def test_an_option_changes_no_other_option(name: str, text: str) -> None:
    changed = parse_options(f"{name}={text}").options.as_mapping()
    assert {key: value for key, value in changed.items() if key != name} == {
        key: value for key, value in Options().as_mapping().items() if key != name
    }


@pytest.mark.parametrize(("name", "text"), BAD)
def test_a_value_outside_the_domain_is_refused_and_named(name: str, text: str) -> None:
    for source in (f"{name}={text}", {name: text}):
        (problem,) = problems(source)
        assert name in problem
        assert repr(text) in problem
    (problem,) = problems(None, overrides=[f"{name}={text}"])
    assert problem.startswith("--option")


@given(st.integers(-5, 200))
def test_split_mode_takes_one_to_sixty_four(count: int) -> None:
    if 1 <= count <= 64:
        assert parse_options({"split-mode": count}).options.split_mode == count
    else:
        assert problems({"split-mode": count})


@given(st.integers(0, 5000))
def test_alignment_takes_zero_and_powers_of_two_from_two_on(value: int) -> None:
    if value == 0 or (value > 1 and bin(value).count("1") == 1):
        assert parse_options(f"func-align={value}").options.func_align == value
    else:
        assert problems(f"func-align={value}")


@given(st.data())
def test_options_survive_the_way_through_text(data: st.DataObject) -> None:
    chosen = {
        name: data.draw(st.sampled_from(entry.domain.samples or FREE_TEXT[name]))
        for name, entry in TABLE.items()
        if data.draw(st.booleans())
    }
    options = parse_options(chosen).options
    assert parse_options(text_of(options)).options == options


@given(st.text(max_size=60))
def test_any_string_is_parsed_or_refused_with_an_option_error(text: str) -> None:
    with accepted_or_refused(OptionError):
        parse_options(text)


@given(
    st.dictionaries(
        st.text(max_size=12) | st.sampled_from(sorted(TABLE)),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.lists(st.text(max_size=4)),
        max_size=5,
    )
)
def test_any_mapping_is_parsed_or_refused_with_an_option_error(mapping: dict[str, object]) -> None:
    with accepted_or_refused(OptionError):
        parse_options(mapping)


def test_all_problems_are_reported_at_once_with_the_nearest_name() -> None:
    found = problems("early-strat=1:func-align=3:split-mode=65:profiling=1:profiling=0:compile-options=")
    assert len(found) == 5
    assert "did you mean 'early-start'?" in found[0]
    assert "power of two" in found[1]
    assert "1 to 64" in found[2]
    assert "'profiling' is set twice" in found[3]
    assert "empty value of 'compile-options'" in found[4]


def test_problems_of_the_string_and_of_the_overrides_come_together() -> None:
    assert len(problems("foo=1", overrides=["bar=1", "no-value"])) == 3


@pytest.mark.parametrize("source", [None, "", "   ", '""', " : ", ":::", {}])
def test_nothing_means_the_defaults(source: object) -> None:
    parsed = parse_options(source)  # type: ignore[arg-type]
    assert parsed.options == Options()
    assert parsed.given == ()
    assert parsed.warnings == ()


@pytest.mark.parametrize(
    "text", ['"split-mode=2:profiling=1"', "split-mode=2:profiling=1:", " split-mode = 2 :profiling=1"]
)
def test_quotes_blanks_and_a_trailing_colon_do_not_count(text: str) -> None:
    options = parse_options(text).options
    assert (options.split_mode, options.profiling) == (2, True)


def test_a_value_may_hold_an_equals_sign() -> None:
    assert parse_options("compile-options=-DX=1,-g").options.compile_options == ("-DX=1", "-g")


@pytest.mark.parametrize(
    ("text", "part"),
    [("a=1:a=2", "unknown option 'a'"), ("foo=1", "unknown option 'foo'"), ("early-start=", "empty value"),
     ("=1", "empty name"), ("split-mode=1:split-mode=1", "set twice")],
)  # fmt: skip
def test_malformed_parts_are_errors_as_scenario_jit_08_says(text: str, part: str) -> None:
    assert part in problems(text)[0]


def test_a_part_without_a_value_is_a_visible_warning_and_with_strict_an_error() -> None:
    parsed = parse_options("option_xxx2:split-mode=2")
    assert parsed.options.split_mode == 2
    (warning,) = parsed.warnings
    assert "'option_xxx2'" in str(warning)
    assert "ignored" in str(warning)
    (problem,) = problems("option_xxx2:split-mode=2", strict=True)
    assert "'option_xxx2'" in problem


def test_an_override_replaces_what_the_source_says() -> None:
    parsed = parse_options("split-mode=2:profiling=1", overrides=["split-mode=8"])
    assert (parsed.options.split_mode, parsed.options.profiling) == (8, True)


def test_the_same_override_given_twice_is_refused() -> None:
    assert "set twice" in problems(None, overrides=["split-mode=8", "split-mode=2"])[0]


def test_a_mapping_takes_the_types_of_yaml() -> None:
    options = parse_options(
        {"profiling": True, "split-mode": 2, "dcci-after-kernel-end": ["Add", "Mul"], "early-start": 0}
    ).options
    assert options.profiling
    assert options.split_mode == 2
    assert options.dcci_after_kernel_end == ("Add", "Mul")
    assert options.early_start.value == "0"


@pytest.mark.parametrize("name", ["link-mode", "preload-data", "early_start"])
def test_names_that_the_table_does_not_hold_are_unknown(name: str) -> None:
    assert f"unknown option {name!r}" in problems(f"{name}=1")[0]


@pytest.mark.parametrize("value", ["", None, [], " "])
def test_an_empty_value_in_a_mapping_is_an_error(value: object) -> None:
    assert "empty value" in problems({"compile-options": value})[0]


def test_a_list_of_separators_alone_is_as_empty_as_nothing() -> None:
    assert problems("dcci-after-kernel-end=,")
