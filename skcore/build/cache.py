# Licensed under the Apache License, Version 2.0.
"""A content-addressed directory of build results that several processes may use at once (spec jit.md D7, D19)."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skcore.errors import SkcoreError, ToolError

KeyPart = None | bool | int | str | bytes | Sequence["KeyPart"] | Mapping[str, "KeyPart"]

_MANIFEST = "manifest.json"


def default_root() -> Path:
    """``$SKCORE_CACHE_DIR``, or ``skcore`` in ``$XDG_CACHE_HOME``, or ``~/.cache/skcore``."""
    if own := os.environ.get("SKCORE_CACHE_DIR"):
        return Path(own)
    # The XDG rules say that a relative path is not valid and is to be ignored.
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (shared if shared.is_absolute() else Path.home() / ".cache") / "skcore"


def key(*parts: KeyPart) -> str:
    """The name of what is built from these inputs: 40 hex digits, equal only for equal inputs.

    Types and nesting count (``1``, ``True`` and ``"1"`` differ), the order of a mapping does not, and a list equals
    a tuple. Raises :class:`TypeError` for any other type.
    """
    return hashlib.blake2b(_encoded(parts), digest_size=20).hexdigest()


def write_atomically(path: Path, data: bytes | str) -> None:
    """Writes the file so that every reader sees either the old or the new content, whole; text is UTF-8."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        part.write_bytes(data.encode() if isinstance(data, str) else data)
        os.replace(part, path)
    except OSError as error:
        remedy = "check the path, the permissions and the free space"
        raise SkcoreError(f"cannot write {path}: {error.strerror or error}; {remedy}") from error
    finally:
        part.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Cache:
    """Entries are directories below ``root``; one is there as a whole or not at all, and never changes."""

    root: Path

    def get_or_make(self, key: str, names: Collection[str], make: Callable[[Path], None]) -> Path:
        """The directory with the named files, made by ``make(directory)`` when it is not there or is damaged.

        When two processes make one entry, the first to finish wins and the other's work is dropped. What ``make``
        raises is raised; a file that it leaves out is a :class:`ToolError`.
        """
        entry = self._entry(key)
        if _is_intact(entry, names):
            return entry
        with self._work_directory() as work:
            make(work)
            with self._usable_root():
                _write_manifest(work, names)
                with self._lock():
                    if not _is_intact(entry, names):
                        self._install(work, entry)
        return entry

    def damaged(self) -> list[Path]:
        """Entries whose bytes are not those that were stored; reads all files, which a hit does not."""
        entries = sorted(path.parent for path in self.root.glob(f"??/*/{_MANIFEST}"))
        return [entry for entry in entries if not _is_intact(entry, (), digests=True)]

    def _entry(self, key: str) -> Path:
        return self.root / key[:2] / key

    def _install(self, work: Path, entry: Path) -> None:
        if entry.exists():
            with self._work_directory() as aside:
                os.rename(entry, aside / "damaged")
        entry.parent.mkdir(exist_ok=True)
        os.rename(work, entry)

    @contextlib.contextmanager
    def _work_directory(self) -> Iterator[Path]:
        # On the file system of the entries, since only there a rename is atomic.
        work = self.root / "work" / secrets.token_hex(8)
        with self._usable_root():
            work.mkdir(parents=True)
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        """Keeps two processes that both saw a damaged entry from each replacing what the other has just repaired."""
        with open(self.root / "lock", "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    @contextlib.contextmanager
    def _usable_root(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            remedy = "set SKCORE_CACHE_DIR to a directory that can be written"
            raise SkcoreError(f"cannot use the cache {self.root}: {error.strerror or error}; {remedy}") from error


def _encoded(part: object) -> bytes:
    """Each value as a type letter, the length of its content, and its content; so no two values look alike."""
    if part is None:
        tag, content = b"n", b""
    elif isinstance(part, bool):
        tag, content = b"t", b"1" if part else b"0"
    elif isinstance(part, int):
        tag, content = b"i", b"%d" % part
    elif isinstance(part, str):
        tag, content = b"s", part.encode("utf-8", "surrogatepass")
    elif isinstance(part, bytes):
        tag, content = b"b", part
    elif isinstance(part, Mapping):
        tag, content = b"m", b"".join(sorted(_encoded(item) for item in part.items()))
    elif isinstance(part, (tuple, list)):
        tag, content = b"l", b"".join(_encoded(item) for item in part)
    else:
        raise TypeError(f"a cache key cannot hold a {type(part).__name__}: {part!r}")
    return tag + b"%d:" % len(content) + content


def _write_manifest(work: Path, names: Collection[str]) -> None:
    files = {}
    for name in sorted(names):
        if not (work / name).is_file():
            raise ToolError(f"the build step left no file {name!r}, though it reported success; check its command")
        content = (work / name).read_bytes()
        files[name] = {"size": len(content), "blake2b": _digest(content)}
    (work / _MANIFEST).write_text(json.dumps({"files": files}, indent=1))


def _is_intact(entry: Path, names: Collection[str], digests: bool = False) -> bool:
    """Whether the entry holds all files of its manifest, with these names among them."""
    try:
        files = json.loads((entry / _MANIFEST).read_bytes())["files"]
        return set(names) <= files.keys() and all(
            (entry / name).stat().st_size == facts["size"]
            and (not digests or _digest((entry / name).read_bytes()) == facts["blake2b"])
            for name, facts in files.items()
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=20).hexdigest()
