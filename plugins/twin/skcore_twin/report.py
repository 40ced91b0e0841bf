# Licensed under the Apache License, Version 2.0.
"""The runtime's fault report as text, with the plan's steps for places in a generated source."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from skcore.run import Launch

_BUFFER = re.compile(r"(?<=buffer ')b\d+(?=')")
_LABEL = re.compile(r"^\s*// (ai[cv] \d+: .*)$")


def with_buffer_names(answer: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The report with the names of buffers that the run knows in place of those of the job file."""

    def named(text: str) -> str:
        return _BUFFER.sub(lambda found: names.get(found[0], found[0]), text)

    told = ("waits_for", "missing")
    cores = [{**core, **{key: named(core[key]) for key in told}} for core in answer["cores"]]
    return {**answer, "message": named(answer["message"]), "cores": cores}


def describe_fault(answer: Mapping[str, Any], launches: Sequence[Launch]) -> str:
    """What stopped, where each core is, and which steps of the plan those places are."""
    lines = [f"{answer['check']} in {answer['launch'] or 'the run'}: {answer['message']}"]
    launch = next((launch for launch in launches if launch.label == answer["launch"]), None)
    places = {(str(core.get("file", "")), int(core.get("line", 0))) for core in answer.get("cores", ())}
    for file, line in sorted(places):
        step = _step(launch, file, line)
        if step:
            lines.append(f"{file}:{line} is the step {step}")
    return "\n".join(lines)


def _step(launch: Launch | None, file: str, line: int) -> str:
    """The comment of the plan's step that a line of a generated source belongs to."""
    source = dict(launch.artifact.files).get("source") if launch is not None else None
    if launch is None or source is None or not file.endswith(f"{launch.label}_kernel.cpp"):
        return ""
    for text in reversed(source.read_text(encoding="utf-8").splitlines()[:line]):
        found = _LABEL.match(text)
        if found:
            return found[1]
    return ""
