# Licensed under the Apache License, Version 2.0.
"""Wrong uses of AscendCL give the documented codes."""

from __future__ import annotations

import pytest

from tests.plugins.twin.programs.building import program, run

OK = 0
PARAM_INVALID, INVALID_DEVICE, CONTEXT_NULL, TIMESTAMP_INVALID, INVALID_HANDLE = 107000, 107001, 107002, 107006, 107017

CODES = {
    "malloc without a device": CONTEXT_NULL,
    "stream without a device": CONTEXT_NULL,
    "reset without a device": CONTEXT_NULL,
    "init": OK,
    "init again": 100002,
    "unknown device": INVALID_DEVICE,
    "device": OK,
    "malloc of nothing": PARAM_INVALID,
    "malloc to nowhere": PARAM_INVALID,
    "malloc": OK,
    "copy of more than fits": PARAM_INVALID,
    "copy past the end": PARAM_INVALID,
    "copy from null": PARAM_INVALID,
    "copy of an unknown kind": PARAM_INVALID,
    "memset of more than fits": PARAM_INVALID,
    "memset": OK,
    "copy": OK,
    "value": 5,
    "free of a host pointer": PARAM_INVALID,
    "free": OK,
    "free again": PARAM_INVALID,
    "copy from freed memory": PARAM_INVALID,
    "last error": PARAM_INVALID,
    "last error again": OK,
    "stream": OK,
    "destroy": OK,
    "destroy again": INVALID_HANDLE,
    "synchronise a dead stream": INVALID_HANDLE,
    "wait for no event": PARAM_INVALID,
    "event": OK,
    "time of an unrecorded event": TIMESTAMP_INVALID,
    "reset": OK,
    "stream after the reset": CONTEXT_NULL,
    "finalize": OK,
    "finalize again": 100037,
}


@pytest.fixture(scope="module")
def lines() -> dict[str, str]:
    """What the program did, and what came of it."""
    done = run(program("codes.asc"))
    assert done.returncode == 0, done.stderr
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


@pytest.mark.parametrize(("what", "code"), CODES.items())
def test_the_code_is_the_documented_one(lines: dict[str, str], what: str, code: int) -> None:
    assert lines[what] == str(code)


def test_halves_round_to_nearest_and_overflow_to_infinity(lines: dict[str, str]) -> None:
    assert lines["half"] == f"0.333252 {2.0**-24:.6g} {0x7C00}"


def test_the_text_of_the_last_error_names_the_call(lines: dict[str, str]) -> None:
    assert lines["text"] == "aclFinalize: it has been called already"
