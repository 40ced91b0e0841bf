# Licensed under the Apache License, Version 2.0.
"""The compiler driver, and projects of CMake that are built with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from skcore.cli.app import build_app
from skcore_twin import asc
from skcore_twin.programs.cmake import cmake_folder
from tests.plugins.twin.programs.building import FOLDER

NO_CMAKE = "cmake is not installed"
PROJECT = """\
cmake_minimum_required(VERSION 3.16)
set(CMAKE_ASC_RUN_MODE "npu" CACHE STRING "run mode")
set(CMAKE_ASC_ARCHITECTURES "dav-2201" CACHE STRING "architecture")
find_package(ASC REQUIRED)
project(kernel_samples LANGUAGES ASC CXX)
"""
DEMO = """\
add_executable(demo add.asc)
target_link_libraries(demo PRIVATE tiling_api register platform m dl)
target_compile_options(demo PRIVATE $<$<COMPILE_LANGUAGE:ASC>:--npu-arch=${CMAKE_ASC_ARCHITECTURES}>)
"""
# A host program in C++ that calls into a library of Ascend C.
LIBRARY = """\
add_library(kernels SHARED kernels.asc)
add_executable(demo main.cpp)
target_link_libraries(demo PRIVATE kernels ascendcl)
add_executable(both add.asc main.cpp)
target_compile_definitions(both PRIVATE main=$<IF:$<COMPILE_LANGUAGE:ASC>,main_of_add,main>)
target_link_libraries(both PRIVATE kernels)
"""
KERNELS = """\
#include "acl/acl.h"
#include "kernel_operator.h"
__global__ __vector__ void seven(GM_ADDR x) {
    AscendC::GlobalTensor<int32_t> number;
    number.SetGlobalBuffer((__gm__ int32_t*)x, 8);
    number.SetValue(0, kValue);
}
void LaunchSeven(void* x, aclrtStream stream) { seven<<<1, 0, stream>>>((uint8_t*)x); }
"""
MAIN = """\
#include "acl/acl.h"
void LaunchSeven(void* x, aclrtStream stream);
int main() {
    aclrtSetDevice(0);
    void* x = nullptr;
    int number = 0;
    aclrtMalloc(&x, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    LaunchSeven(x, nullptr);
    aclrtSynchronizeDevice();
    aclrtMemcpy(&number, 4, x, 4, ACL_MEMCPY_DEVICE_TO_HOST);
    return number;
}
"""


def tool(arguments: Sequence[str | Path], cwd: Path) -> str:
    done = subprocess.run(
        [str(argument) for argument in arguments], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty folder; the test is skipped where there is no cmake."""
    if shutil.which("cmake") is None or (shutil.which("make") is None and shutil.which("ninja") is None):
        pytest.skip(NO_CMAKE)
    return tmp_path


def configure_and_build(project: Path, *options: str) -> str:
    generator = ["-G", "Ninja"] if shutil.which("make") is None else []
    tool(["cmake", "-S", ".", "-B", "build", *generator, f"-DCMAKE_PREFIX_PATH={cmake_folder()}", *options], project)
    return tool(["cmake", "--build", "build"], project)


def test_a_cmake_project_configures_builds_and_runs_unedited(project: Path) -> None:
    (project / "CMakeLists.txt").write_text(PROJECT + DEMO)
    shutil.copy(FOLDER / "add.asc", project)
    configure_and_build(project)
    assert tool([project / "build" / "demo"], project).endswith("test pass!\n")
    assert "Building" not in tool(["cmake", "--build", "build"], project)


def test_a_cmake_library_of_kernels_is_linked_with_a_program_in_cpp_and_follows_its_headers(project: Path) -> None:
    (project / "CMakeLists.txt").write_text(PROJECT + LIBRARY)
    (project / "kernels.asc").write_text(f'#include "value.h"\n{KERNELS}')
    (project / "value.h").write_text("constexpr int kValue = 7;\n")
    (project / "main.cpp").write_text(MAIN)
    shutil.copy(FOLDER / "add.asc", project)
    configure_and_build(project, "-DCMAKE_BUILD_TYPE=Debug")
    for demo in ("demo", "both"):
        assert subprocess.run([project / "build" / demo], check=False).returncode == 7
    (project / "value.h").write_text("constexpr int kValue = 8;\n")
    os.utime(project / "value.h", (2_000_000_000, 2_000_000_000))
    tool(["cmake", "--build", "build"], project)
    assert subprocess.run([project / "build" / "demo"], check=False).returncode == 8


def test_the_driver_compiles_and_links_in_one_call(tmp_path: Path) -> None:
    (tmp_path / "kernels.asc").write_text(f"constexpr int kValue = 5;\n{KERNELS}")
    (tmp_path / "main.cpp").write_text(MAIN)
    options = ["--npu-arch=dav-3510", "--npu-arch=dav-3510", "--cce-auto-sync=off", "-O1", "-g", "-ltiling_api", "-lm"]
    files = [str(tmp_path / name) for name in ("kernels.asc", "main.cpp")]
    assert asc.run([*options, *files, "-o", str(tmp_path / "demo")]) == 0
    assert subprocess.run([tmp_path / "demo"], check=False).returncode == 5


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "no input file"),
        (["--what", "x.asc"], 2, "unknown option --what"),
        (["-c", "missing.asc"], 1, "the chip is not known (give --npu-arch, one of "),
        (["-c", "missing.asc", "--npu-arch=dav-2201"], 1, "missing.asc: No such file"),
        (["-c", "a.asc", "b.asc", "-o", "x.o", "--npu-arch=dav-2201"], 1, "takes one source, not 2"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(
    arguments: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert asc.run(arguments) == code
    assert message in capsys.readouterr().err


def test_the_command_runs_a_program_with_its_arguments_and_gives_its_exit_code() -> None:
    command = [sys.executable, "-m", "skcore", "twin", "run", str(FOLDER / "add.asc"), "--npu-arch", "dav-2201"]
    done = subprocess.run([*command, "--", "fail"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (7, "test failed!")


def test_the_command_prints_the_folder_of_the_cmake_package() -> None:
    result = CliRunner().invoke(build_app(), ["twin", "cmake-dir"])
    assert (Path(result.output.strip()) / "ASCConfig.cmake").is_file()
