# Licensed under the Apache License, Version 2.0.
"""The runtime's fault report as text: which core waits where, for what, and for whom."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from skcore.run import Launch

_LABEL = re.compile(r"^\s*// (?:aic|aiv) \d+: (.*)$")


def describe_fault(answer: Mapping[str, Any], launches: Sequence[Launch]) -> str:
    """The report, with the plan's step for places inside a generated source."""
    lines = [f"{answer['check']} in {answer['launch'] or 'the run'}: {answer['message']}"]
    launch = next((launch for launch in launches if launch.label == answer["launch"]), None)
    for core in answer.get("cores", ()):
        step = _step(launch, core)
        lines.append("  " + _core_line(core, step))
    return "\n".join(lines)


def _core_line(core: Mapping[str, Any], step: str) -> str:
    place = f"{core['file']}:{core['line']}" if core.get("file") else "unknown place"
    text = f"{core['kind']} block {core['block']}"
    if core["kind"] == "AIV":
        text += f".{core['sub_block']}"
    text += f" (core {core['core_id']}) in {core['kernel']} at {place}: {core['state']}"
    if step:
        text += f" [{step}]"
    if core.get("waits_for"):
        text += f", waits for {core['waits_for']}"
    if core.get("missing"):
        text += f"; missing: {core['missing']}"
    return text


def _step(launch: Launch | None, core: Mapping[str, Any]) -> str:
    """The comment of the plan's step that the line belongs to, in a generated source."""
    if launch is None or not str(core.get("file", "")).endswith(f"{launch.label}_kernel.cpp"):
        return ""
    source = dict(launch.artifact.files).get("source")
    if source is None:
        return ""
    for line in reversed(source.read_text(encoding="utf-8").splitlines()[: int(core["line"])]):
        found = _LABEL.match(line)
        if found:
            return found[1]
    return ""
