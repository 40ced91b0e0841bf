# Licensed under the Apache License, Version 2.0.
"""Whole programs, as their authors write them, compiled and run."""

from __future__ import annotations

from pathlib import Path

import pytest

from skcore.errors import InputError, ToolError
from skcore.plugin import load_plugins
from skcore_twin.programs.build import FAULT_EXIT_CODE, Source, compile_source
from tests.plugins.twin.programs.building import CHIPS, program, run


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("name", ["add.asc", "scaled.asc", "matmul.asc", "matmul_object.asc", "mix.asc"])
def test_a_program_passes_its_own_check(name: str, chip: str) -> None:
    done = run(program(name, chip))
    assert (done.returncode, done.stderr) == (0, "")


def test_threads_of_the_host_launch_kernels_of_a_header_and_all_variables_keep_apart() -> None:
    done = run(program("threads.asc"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "constructed\n0 0 0\n", "")


def test_the_exit_code_of_a_failed_self_check_is_the_programs() -> None:
    done = run(program("add.asc"), ["fail"])
    assert (done.returncode, done.stdout.splitlines()[-1]) == (7, "test failed!")


def test_printf_of_a_kernel_says_which_core_and_that_of_the_host_does_not() -> None:
    assert run(program("add.asc")).stdout == "[AIV Block 2/8] block of 8\ntest pass!\n"


def test_what_cores_print_comes_in_their_order() -> None:
    lines = run(program("mix.asc"), seed=5).stdout.splitlines()
    assert lines[:3] == [f"[AIC Block {block}/3] cube {block}" for block in range(3)]


@pytest.mark.parametrize(
    ("chip", "text"),
    [
        ("dav-2201", "24 cubes, 48 vectors, UB 196608, workspace 16777216, Ascend910_9391"),
        ("dav-3510", ""),
    ],
)
def test_the_host_learns_the_figures_of_the_chip(chip: str, text: str) -> None:
    soc = load_plugins().target(chip).soc
    line = run(program("mix.asc", chip)).stdout.splitlines()[-2]
    assert line.startswith(f"{soc.aic} cubes, {soc.aiv} vectors")
    assert text in line


def test_an_event_orders_two_streams_whatever_the_seed() -> None:
    assert {run(program("streams.asc"), seed=seed).stdout for seed in range(8)} == {"80\n"}


def test_two_streams_without_an_event_show_more_than_one_order() -> None:
    assert len({run(program("streams.asc"), ["without"], seed).stdout for seed in range(12)}) > 1


@pytest.mark.parametrize(
    ("how", "check", "texts"),
    [
        ("outside", "global-memory-bounds", ["in outside, launched at ", "faults.asc:17: load of 1024 bytes"]),
        ("hang", "hang", ["AIC block 1 in kernel hangs at ", "faults.asc:23: waits for flag 3 (mode 2"]),
        ("sync", "sync-all-count", ["AIV block 1: left it after 0 calls"]),
        ("residue", "event-residue", ["MTE2_V id 0: set and never waited for"]),
        ("assert", "kernel-assert", ["Assertion `x == nullptr' failed"]),
        ("blocks", "launch", ["asks for 0 blocks; 1 to 65535 are possible"]),
        ("freed", "global-memory-bounds", ["buffer 'allocation 1', which has been freed"]),
        ("host pointer", "global-memory-bounds", ["store of 4 bytes does not lie inside one buffer"]),
        ("dead stream", "launch", ["names a stream that does not exist"]),
        ("host access", "host-access", ["byte 3 of buffer 'allocation 1'"]),
    ],
)  # fmt: skip
def test_a_fault_ends_the_program_with_a_report(how: str, check: str, texts: list[str]) -> None:
    done = run(program("faults.asc"), [how])
    assert done.returncode == FAULT_EXIT_CODE
    assert done.stderr.startswith(f"skcore twin: {check}")
    assert [text for text in texts if text not in done.stderr] == []


def test_a_crash_of_the_hosts_own_code_stays_what_it_is() -> None:
    done = run(program("faults.asc"), ["own crash"])
    assert (done.returncode, done.stderr) == (-11, "")


def test_launches_that_nobody_waits_for_are_told() -> None:
    done = run(program("faults.asc"), ["never waits"])
    assert done.returncode == 0
    assert "1 launches have not run" in done.stderr


def test_nothing_is_compiled_again_when_nothing_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    first = program("add.asc")
    program.cache_clear()
    monkeypatch.setattr("skcore_twin.programs.build._compile", None)
    assert program("add.asc") == first


def test_an_error_of_the_compiler_names_the_line_of_the_source(tmp_path: Path) -> None:
    source = tmp_path / "wrong.asc"
    source.write_text('#include "kernel_operator.h"\n__global__ __vector__ void k(GM_ADDR x) {\n    nonsense;\n}\n')
    with pytest.raises(ToolError, match=r"wrong\.asc:3:5: error: .nonsense"):
        compile_source(Source(source), load_plugins().target("dav-2201"))


def test_a_launch_of_threads_is_told_to_be_none_of_the_twin(tmp_path: Path) -> None:
    source = tmp_path / "wrong.asc"
    source.write_text("__global__ __vector__ void k(int x) {}\nint main() {\n    k<<<1, 2, 0, nullptr>>>(3);\n}\n")
    with pytest.raises(ToolError, match="the twin has no launches of threads"):
        compile_source(Source(source), load_plugins().target("dav-2201"))


def test_a_launch_of_what_is_no_kernel_names_its_line(tmp_path: Path) -> None:
    source = tmp_path / "wrong.asc"
    source.write_text("void k(int x);\nint main() {\n    k<<<1, 0, nullptr>>>(3);\n}\n")
    with pytest.raises(InputError, match=r"wrong\.asc:3: 'k' is launched, but no kernel of that name"):
        compile_source(Source(source), load_plugins().target("dav-2201"))
