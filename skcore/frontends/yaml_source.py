# Licensed under the Apache License, Version 2.0.
"""YAML with places: the data of a file, and the line of every key and value in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from skcore.errors import InputError, Problem


@dataclass(frozen=True, slots=True)
class YamlSource:
    """The data of a YAML file and the lines (from 1) of its nodes by path."""

    path: Path
    data: Any
    lines: dict[tuple[str | int, ...], int]

    def place(self, path: Sequence[str | int]) -> str:
        """``file:line`` of the node at ``path``, or of the closest node around it."""
        wanted = tuple(path)
        while wanted and wanted not in self.lines:
            wanted = wanted[:-1]
        return f"{self.path}:{self.lines.get(wanted, 1)}"


def read_yaml(path: Path) -> YamlSource:
    """Read a YAML file.

    Raises:
        InputError: the file cannot be read or parsed, or a mapping has a key twice.
    """
    try:
        text = path.read_text(encoding="utf-8")
        loader = yaml.SafeLoader(text)
        try:
            node = loader.get_single_node()
            data = loader.construct_document(node) if node is not None else None
        finally:
            loader.dispose()
    except OSError as error:
        raise InputError(Problem(str(path), f"cannot be read: {error.strerror}")) from error
    except UnicodeDecodeError as error:
        raise InputError(Problem(str(path), f"is no UTF-8 text: {error.reason}")) from error
    except (RecursionError, ValueError, AttributeError, TypeError, KeyError) as error:
        # The YAML library lets these escape from values whose tags it cannot convert.
        raise InputError(Problem(str(path), f"has a value that cannot be read: {error}")) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark is not None else str(path)
        raise InputError(Problem(where, f"is no YAML: {getattr(error, 'problem', None) or error}")) from error
    problems: list[Problem] = []
    try:
        lines = dict(_lines(node, (), path, problems)) if node is not None else {}
    except RecursionError as error:
        raise InputError(Problem(str(path), "refers to itself, or is nested too deeply to be read")) from error
    if problems:
        raise InputError(problems)
    return YamlSource(path, data, lines)


def _lines(
    node: yaml.Node, path: tuple[str | int, ...], file: Path, problems: list[Problem]
) -> Iterator[tuple[tuple[str | int, ...], int]]:
    yield path, node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in seen:
                problems.append(Problem(f"{file}:{key.start_mark.line + 1}", f"the key {name!r} stands twice"))
            seen.add(name)
            yield from _lines(value, (*path, name), file, problems)
            yield (*path, name), key.start_mark.line + 1
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            yield from _lines(value, (*path, number), file, problems)
