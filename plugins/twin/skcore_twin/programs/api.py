# Licensed under the Apache License, Version 2.0.
"""The names that the twin's headers declare for a chip: what a program may use."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path

from skcore.build.process import run_tool
from skcore.graph.kernel import CoreKind
from skcore.target import Target
from skcore_twin.compiler import INCLUDE, REMEDY, find_compiler
from skcore_twin.programs.tokens import Token, tokens_of

_HEADERS = ("kernel_operator.h", "lib/matmul_intf.h", "kernel_tiling/kernel_tiling.h", "acl/acl.h",
            "tiling/platform/platform_ascendc.h", "tiling/tiling_api.h")  # fmt: skip
_INTERNAL = {"sktwin", "detail", "internal", "std", "fe"}
_CLASSES = {"class", "struct", "union", "enum"}
_OPENING = {"(": ")", "[": "]", "{": "}"}


def names_of(target: Target) -> tuple[str, ...]:
    """Qualified names of functions, types, their public members and constants, sorted."""
    found: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="skcore-") as folder:
        source = Path(folder) / "names.cpp"
        source.write_text("".join(f'#include "{header}"\n' for header in _HEADERS))
        for kind in CoreKind:
            macros = [f"-D__NPU_ARCH__={target.arch_number}", f"-D{target.core(kind).macro}"]
            command: list[str | Path] = [*find_compiler().command, "-E", "-std=c++17", *macros, f"-I{INCLUDE}", source]
            found.update(declared_names(run_tool(command, what="reading the twin's headers", remedy=REMEDY)))
    return tuple(sorted(found))


def declared_names(text: str) -> Iterator[str]:
    """Qualified names that preprocessed text declares, but for those that are internal to the twin."""
    yield from _in_scope(tokens_of(text), "")


def _in_scope(tokens: Sequence[Token], scope: str) -> Iterator[str]:
    at = 0
    while at < len(tokens):
        end, body = _declaration_end(tokens, at)
        head = _without_attributes(_without_template(tokens[at : body[0] if body else end - 1]))
        inside = tokens[body[0] + 1 : body[1] - 1] if body else []
        words = [token.text for token in head]
        if words[:1] in (["namespace"], ["inline"]) and "namespace" in words[:2]:
            names = [word for word in words if word not in ("namespace", "inline", "::")]
            if not _INTERNAL & set(names):
                yield from _in_scope(inside, _joined(scope, *names))
        elif words[:1] == ["extern"] and body and all(token.kind == "string" for token in head[1:]):
            yield from _in_scope(inside, scope)
        else:
            yield from _of_declaration(head, inside if body else None, scope)
        at = end


def _of_declaration(head: Sequence[Token], inside: Sequence[Token] | None, scope: str) -> Iterator[str]:
    words = [token.text for token in head if token.text not in ("typedef", "constexpr", "inline")]
    if not words or words[0] in ("friend", "static_assert") or "operator" in words:
        return
    if words[0] in _CLASSES and "(" not in takewhile(lambda word: word not in (":", "<"), words):
        name = _class_name(words)
        if name and inside is not None:
            yield _joined(scope, name)
            if words[0] != "enum":
                yield from _in_scope(_public(inside, words[0] == "class"), _joined(scope, name))
        return
    name = _function_or_variable(head)
    if name and not _is_internal(name) and name != scope.rpartition("::")[2]:
        yield _joined(scope, name)


def _is_internal(name: str) -> bool:
    """Whether the headers use the name among themselves alone: constants kLikeThis, places of calls, reserved names."""
    return name == "Site" or name.startswith(("_", "sktwin")) or (name[0] == "k" and name[1:2].isupper())


def _class_name(words: Sequence[str]) -> str:
    name = ""
    for word in words[1:]:
        if word in (":", "<"):
            break
        name = word if word.isidentifier() and word not in ("class", "final") else name
    return name


def _function_or_variable(head: Sequence[Token]) -> str:
    words = [token.text for token in head]
    if words[:1] == ["using"]:
        return words[1] if "=" in words[2:3] else ""
    depth = 0
    for at, word in enumerate(words):
        if word == "<" and at and head[at - 1].kind == "name":
            depth += 1
        elif set(word) == {">"}:
            depth = max(0, depth - len(word))
        elif depth == 0 and word in ("(", "=", "[") and at:
            return words[at - 1] if head[at - 1].kind == "name" and at > 1 else ""
    return words[-1] if len(words) > 1 and head[-1].kind == "name" else ""


def _declaration_end(tokens: Sequence[Token], at: int) -> tuple[int, tuple[int, int] | None]:
    """The token after the declaration at ``at``, and where its first group in braces lies."""
    body = None
    while at < len(tokens):
        text = tokens[at].text
        if text == ";":
            return at + 1, body
        if text in _OPENING:
            end = _after_group(tokens, at)
            if text == "{":
                body = body or (at, end)
                follows = tokens[end] if end < len(tokens) else None
                named = follows is not None and follows.kind == "name" and _is_typedef(tokens, body[0])
                if not named and (follows is None or follows.text not in (";", ",", "=")):
                    return end, body
            at = end
            continue
        at += 1
    return at, body


def _is_typedef(tokens: Sequence[Token], brace: int) -> bool:
    """Whether the group at ``brace`` belongs to ``typedef struct {...} name``."""
    return any(token.text == "typedef" for token in tokens[max(0, brace - 3) : brace])


def _public(tokens: Sequence[Token], private: bool) -> list[Token]:
    """The public part of a class's body, without the access labels."""
    kept: list[Token] = []
    at = 0
    while at < len(tokens):
        text = tokens[at].text
        if text in ("public", "private", "protected") and at + 1 < len(tokens) and tokens[at + 1].text == ":":
            private, at = text != "public", at + 2
            continue
        end = _after_group(tokens, at) if text in _OPENING else at + 1
        kept += [] if private else tokens[at:end]
        at = end
    return kept


def _without_template(tokens: Sequence[Token]) -> Sequence[Token]:
    while len(tokens) > 1 and tokens[0].text == "template" and tokens[1].text == "<":
        depth, at = 0, 1
        while at < len(tokens):
            text = tokens[at].text
            if text in _OPENING:
                at = _after_group(tokens, at)
                continue
            depth += (text == "<") - (len(text) if set(text) == {">"} else 0)
            at += 1
            if depth <= 0:
                break
        tokens = tokens[at:]
    return tokens


def _without_attributes(tokens: Sequence[Token]) -> list[Token]:
    kept: list[Token] = []
    at = 0
    while at < len(tokens):
        following = tokens[at + 1].text if at + 1 < len(tokens) else ""
        if tokens[at].text in ("__attribute__", "alignas") and following == "(":
            at = _after_group(tokens, at + 1)
        elif tokens[at].text == "[" and following == "[":
            at = _after_group(tokens, at)
        else:
            kept.append(tokens[at])
            at += 1
    return kept


def _after_group(tokens: Sequence[Token], at: int) -> int:
    depth = 0
    for index in range(at, len(tokens)):
        text = tokens[index].text
        depth += (text in _OPENING) - (text in _OPENING.values())
        if depth == 0:
            return index + 1
    return len(tokens)


def _joined(*parts: str) -> str:
    return "::".join(part for part in parts if part)
