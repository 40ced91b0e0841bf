# Licensed under the Apache License, Version 2.0.
"""The core without any plug-in; run by the tox environment ``minimal``, which installs nothing else."""

import subprocess
import sys
from importlib.metadata import entry_points

import pytest

pytestmark = pytest.mark.skipif(
    bool(entry_points(group="skcore")), reason="plug-ins are installed: the tox environment minimal runs this"
)


def skcore(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "skcore", *arguments], capture_output=True, text=True, check=False)


def test_no_target_is_listed_and_one_line_says_what_to_install() -> None:
    done = skcore("targets")
    assert done.returncode == 0
    assert done.stdout == ""
    assert done.stderr == "no target is installed: pip install 'skcore[targets]'\n"


def test_naming_a_target_fails_with_one_line_that_says_what_to_install(tmp_path: object) -> None:
    done = skcore("plan", "graph.yaml", "--npu-arch", "dav-2201")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "pip install 'skcore[targets]'" in done.stderr


def test_the_options_are_listed_without_a_target() -> None:
    done = skcore("options")
    assert done.returncode == 0
    assert "early-start" in done.stdout
