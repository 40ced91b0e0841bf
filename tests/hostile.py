# Licensed under the Apache License, Version 2.0.
"""Damages documents: values replaced, keys added and removed, anywhere."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hypothesis import strategies as st

from skcore.errors import InputError

VALUES = (
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(max_size=5)
    | st.lists(st.integers() | st.text(max_size=3), max_size=3)
    | st.dictionaries(st.text(max_size=4), st.integers() | st.text(max_size=3), max_size=2)
)  # fmt: skip


def places_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of everything inside a document."""
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found += places_in(inner, (*path, key))
    return found


def mutated(data: st.DataObject, document: Any) -> Any:
    """A copy of the document with one to three changes."""
    changed = copy.deepcopy(document)
    for _ in range(data.draw(st.integers(1, 3))):
        candidates = places_in(changed)
        if not candidates:
            break
        path = data.draw(st.sampled_from(candidates))
        holder = changed
        for key in path[:-1]:
            holder = holder[key]
        if data.draw(st.booleans()):
            holder[path[-1]] = data.draw(VALUES)
        elif isinstance(holder, dict) and data.draw(st.booleans()):
            holder[data.draw(st.text(max_size=6))] = data.draw(VALUES)
        else:
            del holder[path[-1]]
    return changed


@contextmanager
def accepted_or_refused(kind: type[InputError] = InputError) -> Iterator[None]:
    """What is done inside may succeed or be refused with problems; any other exception goes on."""
    try:
        yield
    except kind as error:
        if not error.problems:
            raise AssertionError("a refusal without a problem") from error
