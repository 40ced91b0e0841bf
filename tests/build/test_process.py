# Licensed under the Apache License, Version 2.0.
"""Outside programs and parallel jobs: no failure goes unseen."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skcore.build.process import run_parallel, run_tool
from skcore.errors import ObjectError, Problem, ToolError


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def test_the_output_of_a_program_is_returned() -> None:
    assert run_tool(python("print('out'); import sys; sys.stderr.write('noise')"), what="printing") == "out\n"


def test_a_failure_says_what_was_run_and_why_it_failed() -> None:
    program = "import sys; sys.stderr.write('\\n'.join(f'line {i}' for i in range(50))); sys.exit(3)"
    with pytest.raises(ToolError) as caught:
        run_tool(python(program), what="compiling add.cpp")
    text = str(caught.value)
    assert text.startswith("compiling add.cpp failed: exit code 3")
    assert f"command: {sys.executable} -c" in text
    assert "... 30 lines before" in text
    assert "| line 29\n" not in text
    assert "| line 30\n" in text
    assert "| line 49\n" in text


def test_standard_output_is_shown_when_there_are_no_errors() -> None:
    with pytest.raises(ToolError, match="told on stdout"):
        run_tool(python("print('told on stdout'); raise SystemExit(1)"), what="linking")


def test_a_signal_is_named() -> None:
    with pytest.raises(ToolError, match="stopped by SIGABRT"):
        run_tool(python("import os; os.abort()"), what="linking")


def test_a_missing_program_gives_the_remedy_of_the_caller() -> None:
    with pytest.raises(ToolError, match=r"(?s)cannot start 'no-such-bisheng': No such file.*install the toolkit"):
        run_tool(["no-such-bisheng", "-c"], what="compiling", remedy="install the toolkit")


def test_a_missing_working_directory_is_not_taken_for_a_missing_program(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"working directory .*gone does not exist"):
        run_tool(python(""), what="compiling", cwd=tmp_path / "gone")


def test_a_timeout_ends_the_program_and_its_children(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="not done after 1 seconds"):
        run_tool(["sh", "-c", "sleep 600 & echo $! > child.pid; wait"], what="linking", timeout=1, cwd=tmp_path)
    child = (tmp_path / "child.pid").read_text().strip()
    for _ in range(100):
        if not _is_running(child):
            break
        time.sleep(0.1)
    assert not _is_running(child)


def _is_running(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def test_directory_and_environment_are_those_given(tmp_path: Path) -> None:
    program = "import os; print(os.getcwd(), os.environ.get('FLAG'), os.environ.get('HOME'))"
    output = run_tool(python(program), what="looking", cwd=tmp_path, env={"FLAG": "1"})
    assert output == f"{os.path.realpath(tmp_path)} 1 None\n"


def test_output_that_is_no_text_does_not_stop_the_caller() -> None:
    assert "�" in run_tool(python(r"import sys; sys.stdout.buffer.write(b'\xff')"), what="printing")


@given(st.lists(st.integers(), max_size=20), st.integers(1, 4))
def test_results_are_in_the_order_of_the_jobs(values: list[int], workers: int) -> None:
    done: dict[int, int] = {}
    jobs = [lambda value=value: value for value in values]
    assert run_parallel(jobs, workers, done.__setitem__) == values
    assert done == dict(enumerate(values))


def test_jobs_run_at_the_same_time() -> None:
    together = threading.Barrier(2, timeout=30)
    assert sorted(run_parallel([together.wait, together.wait], 2)) == [0, 1]


def test_all_jobs_run_and_all_errors_are_raised_together() -> None:
    def fail(name: str) -> str:
        raise ToolError(f"compiling {name} failed")

    done: list[int] = []
    jobs = [lambda: fail("a"), lambda: "fine", lambda: fail("b"), lambda: fail("a")]
    with pytest.raises(ToolError) as caught:
        run_parallel(jobs, 1, lambda index, _: done.append(index))
    assert str(caught.value).splitlines() == ["3 of 4 jobs failed:", "compiling a failed", "compiling b failed"]
    assert done == [1]


def test_a_single_error_keeps_its_type() -> None:
    def fail() -> None:
        raise ObjectError(Problem("a.o", "is damaged"))

    with pytest.raises(ObjectError, match=r"a\.o: is damaged"):
        run_parallel([fail, lambda: None], 2)


def test_a_defect_is_raised_as_it_is() -> None:
    def fail() -> int:
        raise ToolError("failed")

    def divide() -> int:
        return 1 // 0

    with pytest.raises(ZeroDivisionError):
        run_parallel([fail, divide], 1)


def test_an_error_of_the_listener_stops_what_has_not_started() -> None:
    started: list[int] = []

    def job() -> None:
        started.append(1)
        time.sleep(0.01)

    def stop(index: int, _: None) -> None:
        raise KeyboardInterrupt(index)

    with pytest.raises(KeyboardInterrupt):
        run_parallel([job] * 1000, 1, stop)
    assert len(started) < 1000
