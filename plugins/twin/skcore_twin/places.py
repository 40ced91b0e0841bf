# Licensed under the Apache License, Version 2.0.
"""The source line of a place in a kernel's code, from the debug data that the toolchain leaves in its binaries."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_LINE = re.compile(r"^(?P<file>.+):(?P<line>\d+)(?: \(discriminator \d+\))?$")
_API = ("ascendc/", "sktwin/")


def with_lines(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The report of a fault with the line of its place, if it has one and the tool ``addr2line`` finds it."""
    place = answer.get("place")
    found = _line_of(str(place["module"]), int(place["offset"])) if place else None
    if found is None:
        return dict(answer)
    file, line = found
    cores = [{**core, "file": file, "line": line} for core in answer["cores"]]
    return {**answer, "message": f"{answer['message']}\nthe kernel is at {file}:{line}", "cores": cores}


def _line_of(module: str, offset: int) -> tuple[str, int] | None:
    """The innermost line that is a kernel's and not of the API's headers."""
    try:
        done = subprocess.run(
            ["addr2line", "-i", "-e", module, hex(offset)], capture_output=True, text=True, check=False
        )
    except OSError:
        return None
    places = [(found["file"], int(found["line"])) for found in map(_LINE.match, done.stdout.splitlines()) if found]
    inner = next((place for place in places if not _is_api(place[0])), places[0] if places else None)
    # Debug data hold no folders; the one that the tool adds is that of the build.
    return inner and (Path(inner[0]).name, inner[1])


def _is_api(file: str) -> bool:
    return file.startswith(_API) or any(f"/{folder}" in file for folder in _API)
