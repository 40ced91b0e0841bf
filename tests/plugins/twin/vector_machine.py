# Licensed under the Apache License, Version 2.0.
"""Compiles small kernels against the twin's headers and calls them in this process, on the fake machine."""

from __future__ import annotations

import atexit
import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent
INCLUDE = HERE.parents[2] / "plugins" / "twin" / "skcore_twin" / "include"

PRELUDE = """
#include "kernel_operator.h"
using namespace AscendC;
template <typename T> using In = GlobalTensor<T>;
template <typename T> GlobalTensor<T> Global(GM_ADDR address) {
    GlobalTensor<T> tensor; tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address)); return tensor; }
struct Ub {
    LocalMemAllocator<Hardware::UB> allocator;
    template <typename T> LocalTensor<T> New(uint32_t n) {
        return allocator.Alloc<T>((n + 255) / 256 * 256); }
    template <typename T> LocalTensor<T> Load(GM_ADDR address, uint32_t n) {
        auto local = New<T>(n);
        DataCopyPad(local, Global<T>(address), DataCopyExtParams(1, n * sizeof(T), 0, 0, 0), DataCopyPadExtParams<T>());
        return local; }
    template <typename T> void Store(GM_ADDR address, const LocalTensor<T>& local, uint32_t n) {
        DataCopyPad(Global<T>(address), local, DataCopyExtParams(1, n * sizeof(T), 0, 0, 0)); }
};
"""


class KernelFaultError(RuntimeError):
    """The kernel stopped with a fault; the text is the report."""


@dataclass(frozen=True, slots=True)
class KernelLibrary:
    """The kernels of one test module, compiled for one chip and core kind."""

    library: ctypes.CDLL
    cube: bool

    def run(self, name: str, *arguments: NDArray[np.generic] | int) -> str:
        """Call kernel `name`; arrays are global buffers, written in place. Returns what the kernel printed."""
        self.library.fake_reset(int(self.cube))
        words = (ctypes.c_uint64 * 8)()
        for index, argument in enumerate(arguments):
            if isinstance(argument, np.ndarray):
                words[index] = argument.ctypes.data
                self.library.fake_buffer(ctypes.c_uint64(argument.ctypes.data), ctypes.c_uint64(argument.nbytes))
            else:
                words[index] = argument & (2**64 - 1)
        report = ctypes.create_string_buffer(2048)
        entry = ctypes.cast(getattr(self.library, f"kernel_{name}"), ctypes.c_void_p)
        if self.library.fake_run(entry, words, report, ctypes.c_uint64(len(report))) != 0:
            raise KernelFaultError(report.value.decode())
        self.library.fake_printed.restype = ctypes.c_char_p
        printed = self.library.fake_printed()
        return bytes(printed).decode()


def flags(arch: int, kind: str) -> list[str]:
    """The compiler call for one chip (2201, 3510) and kind (VEC, CUBE), without files."""
    return [
        "g++",
        "-std=c++17",
        "-O2",
        "-fPIC",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-misleading-indentation",
        f"-I{INCLUDE}",
        f"-D__NPU_ARCH__={arch}",
        f"-D__DAV_{kind}__",
    ]


def _folder() -> Path:
    """A folder for one compile; it outlives the test, since its library stays loaded, and goes with the process."""
    folder = Path(tempfile.mkdtemp(prefix="sktwin-test-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def _machine_object() -> Path:
    target = _folder() / "fake_machine.o"
    subprocess.run([*flags(2201, "VEC"), "-c", str(HERE / "fake_machine.cpp"), "-o", str(target)], check=True)
    return target


def source_of(kernels: Mapping[str, str], head: str = "") -> str:
    """One translation unit: each kernel takes up to six addresses `a`..`f` and two numbers `n`, `m`.

    `head` holds declarations that the kernels share.
    """
    heads = "GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR d, GM_ADDR e, GM_ADDR f, uint64_t n, uint64_t m"
    unused = "(void)a; (void)b; (void)c; (void)d; (void)e; (void)f; (void)n; (void)m; Ub ub; (void)ub;"
    return (
        PRELUDE
        + head
        + "".join(
            f'extern "C" __global__ __aicore__ void kernel_{name}({heads}) {{ {unused}\n{body}\n}}\n'
            for name, body in kernels.items()
        )
    )


def compile_kernels(kernels: Mapping[str, str], arch: int = 2201, kind: str = "VEC", head: str = "") -> KernelLibrary:
    """Compile kernel bodies by name, after the declarations of `head`.

    The compiler's messages are in the error when it refuses.
    """
    folder = _folder()
    source = folder / "kernels.cpp"
    source.write_text(source_of(kernels, head))
    target = folder / "kernels.so"
    command = [*flags(arch, kind), "-shared", "-Wl,-Bsymbolic", str(source), str(_machine_object()), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return KernelLibrary(ctypes.CDLL(str(target)), kind == "CUBE")


def compiler_message(body: str, arch: int, kind: str = "VEC") -> str:
    """What the compiler says about a kernel that must not compile; empty when it compiles."""
    done = subprocess.run(
        [*flags(arch, kind), "-fsyntax-only", "-x", "c++", "-"],
        input=source_of({"kernel": body}),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr if done.returncode != 0 else ""
