# Licensed under the Apache License, Version 2.0.
"""All text that a kernel source is made of: the file and the headers of its own that it includes."""

from __future__ import annotations

import re
from pathlib import Path

from skcore.graph.kernel import KernelSource

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)


def source_closure(source: KernelSource) -> tuple[tuple[str, str], ...]:
    """Names as included and texts of the source and of every header that is found beside it or in its directories.

    Headers that are found nowhere belong to the toolchain.
    """
    found: dict[str, str] = {source.path.name: source.text}
    pending = [(source.path.parent, source.text)]
    while pending:
        folder, text = pending.pop()
        for name in _INCLUDE.findall(text):
            path = _locate(name, (folder, *source.include_directories))
            if path is not None and name not in found:
                found[name] = path.read_text(encoding="utf-8", errors="replace")
                pending.append((path.parent, found[name]))
    return tuple(sorted(found.items()))


def _locate(name: str, folders: tuple[Path, ...]) -> Path | None:
    return next((folder / name for folder in folders if (folder / name).is_file()), None)
