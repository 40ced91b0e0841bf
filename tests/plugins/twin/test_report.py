# Licensed under the Apache License, Version 2.0.
"""The runtime's report in the words of the run."""

from __future__ import annotations

from typing import Any

from skcore_twin.report import with_buffer_names

CORE = {"kind": "AIV", "waits_for": "polling global memory: byte 0 of buffer 'b1' (8 bytes)", "missing": ""}


def report(message: str) -> dict[str, Any]:
    """A report of the runtime."""
    return {"status": "fault", "message": message, "cores": [CORE], "output": "buffer 'b1'"}


def test_buffers_of_a_report_have_the_names_of_the_run() -> None:
    found = with_buffer_names(report("byte 0 of buffer 'b1' (8 bytes)"), {"b1": "sk.op 1.wait_3"})
    assert found["message"] == "byte 0 of buffer 'sk.op 1.wait_3' (8 bytes)"
    assert found["cores"][0]["waits_for"] == "polling global memory: byte 0 of buffer 'sk.op 1.wait_3' (8 bytes)"


def test_no_other_name_and_no_longer_name_is_touched() -> None:
    names = {"b1": "one", "b10": "b1", "b11": r"\g<0>"}
    text = "b1, kernel b1, buffer 'b10', buffer 'b11', buffer 'b12', buffer 'b1' and buffer 'bb1'"
    expected = r"b1, kernel b1, buffer 'b1', buffer '\g<0>', buffer 'b12', buffer 'one' and buffer 'bb1'"
    assert with_buffer_names(report(text), names)["message"] == expected


def test_what_kernels_print_stays_as_it_is() -> None:
    assert with_buffer_names(report(""), {"b1": "one"})["output"] == "buffer 'b1'"
