# Licensed under the Apache License, Version 2.0.
"""Runs outside programs and jobs in parallel, so that no failure goes unseen (spec jit.md D13)."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TypeVar

from skcore.errors import SkcoreError, ToolError

T = TypeVar("T")

_SHOWN_LINES = 20


def run_tool(
    command: Sequence[str | Path],
    *,
    what: str,
    remedy: str = "",
    cwd: Path | None = None,
    timeout: float | None = None,
    env: Mapping[str, str] | None = None,
) -> str:
    """Runs a program to its end and returns its standard output.

    ``what`` says in a message what was being done ("compiling add.cpp"), ``remedy`` what to do when the program is
    missing. ``timeout`` is in seconds and ends the program with all that it started; ``env`` is the whole
    environment, by default this process's. Raises :class:`ToolError` with the command line and the last lines that
    the program wrote, for any other end than success.
    """
    arguments = [str(argument) for argument in command]
    if cwd is not None and not cwd.is_dir():
        raise _error(what, f"the working directory {cwd} does not exist", arguments)
    try:
        process = subprocess.Popen(
            arguments, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, encoding="utf-8", errors="replace", start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        reason = f"cannot start {arguments[0]!r}: {error.strerror or error}"
        raise _error(what, reason, arguments, remedy=remedy or "install it, or put it on PATH") from error
    with process:
        try:
            output, errors = process.communicate(timeout=timeout)
        except BaseException as error:
            _kill_group(process)
            if isinstance(error, subprocess.TimeoutExpired):
                raise _error(what, f"not done after {error.timeout:g} seconds", arguments) from error
            raise
    if process.returncode:
        raise _error(what, _reason(process.returncode), arguments, errors.strip() or output.strip())
    return output


def run_parallel(
    jobs: Sequence[Callable[[], T]], workers: int, on_done: Callable[[int, T], None] | None = None
) -> list[T]:
    """Runs the jobs on that many threads and returns their results in the order of the jobs.

    ``on_done(index, result)`` is called on the caller's thread after each success. All jobs run, then errors are
    raised: a defect as it is, a single :class:`SkcoreError` as it is, several as one :class:`ToolError` with the
    text of all.
    """
    results: dict[int, T] = {}
    errors: dict[int, Exception] = {}
    with ThreadPoolExecutor(max_workers=workers) as pool:
        indices = {pool.submit(job): index for index, job in enumerate(jobs)}
        try:
            for future in as_completed(indices):
                index = indices[future]
                error = future.exception()
                if isinstance(error, Exception):
                    errors[index] = error
                    continue
                results[index] = future.result()
                if on_done is not None:
                    on_done(index, results[index])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    _raise_together([errors[index] for index in sorted(errors)], len(jobs))
    return [results[index] for index in range(len(jobs))]


def _raise_together(errors: Sequence[Exception], jobs: int) -> None:
    for error in errors:
        if len(errors) == 1 or not isinstance(error, SkcoreError):
            raise error
    texts = dict.fromkeys(str(error) for error in errors)
    if len(texts) == 1:
        raise errors[0]
    if errors:
        raise ToolError("\n".join([f"{len(errors)} of {jobs} jobs failed:", *texts]))


def _kill_group(process: subprocess.Popen[str]) -> None:
    """Ends the program and its children, which share its process group and may outlive it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _reason(code: int) -> str:
    if code > 0:
        return f"exit code {code}"
    try:
        return f"stopped by {signal.Signals(-code).name}"
    except ValueError:
        return f"stopped by signal {-code}"


def _error(what: str, reason: str, command: Sequence[str], output: str = "", remedy: str = "") -> ToolError:
    lines = output.splitlines()
    shown = [f"  | {line}" for line in lines[-_SHOWN_LINES:]]
    if len(lines) > len(shown):
        shown.insert(0, f"  | ... {len(lines) - len(shown)} lines before")
    remedy = remedy or "run the command by hand to see all of its output"
    head = [f"{what} failed: {reason}", f"  command: {shlex.join(command)}"]
    return ToolError("\n".join([*head, *shown, f"  {remedy}"]))
