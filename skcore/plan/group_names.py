# Licensed under the Apache License, Version 2.0.
"""Names of fusion groups: C identifiers that say which scope a group comes from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b

_NAME_LENGTH = 64


def group_names(scopes: Sequence[str]) -> list[str]:
    """One C identifier a group: the scope's name, numbered where a scope was cut."""
    groups_of = Counter(scopes)
    whole = {_base_name(scope) for scope, count in groups_of.items() if count == 1}
    taken = set(whole)
    next_number: Counter[str] = Counter()
    names = []
    for scope in scopes:
        base = _base_name(scope)
        name = base
        while groups_of[scope] > 1 and (name == base or name in taken):
            name = f"{base}_{next_number[scope]}"
            next_number[scope] += 1
        taken.add(name)
        names.append(name)
    return names


def _base_name(scope: str) -> str:
    """``sk_`` and the scope; a digest keeps scopes apart whose characters or length a name cannot have."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", scope)[:_NAME_LENGTH]
    if plain == scope:
        return f"sk_{plain}"
    return f"sk_{plain}_{blake2b(scope.encode(), digest_size=4).hexdigest()}"
