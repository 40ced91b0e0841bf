# Licensed under the Apache License, Version 2.0.
"""Compiles kernel text as the twin's toolchain does, and runs jobs on the built runtime."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TWIN = Path(__file__).resolve().parents[3] / "plugins" / "twin" / "skcore_twin"

KIND_MACRO = {"aic": "__DAV_CUBE__", "aiv": "__DAV_VEC__"}
# Launch form -> (core kinds that run, AIVs a group).
FORMS: dict[str, tuple[tuple[str, ...], int]] = {
    "aic": (("aic",), 0),
    "aiv": (("aiv",), 0),
    "mix11": (("aic", "aiv"), 1),
    "mix12": (("aic", "aiv"), 2),
}
TARGETS = {
    2201: """\
target aic=24 aiv=48 aic_ids=25 aiv_ids=50 intra_block=0 wait=core
memory aic l1=524288 l0a=65536 l0b=65536 l0c=131072 bias=1024 fixpipe=7168
memory aiv ub=196608
""",
    3510: """\
target aic=36 aiv=72 intra_block=1 wait=pipe
memory aic l1=524288 l0a=65536 l0b=65536 l0c=262144 bias=4096 fixpipe=6144
memory aiv ub=253952
""",
}

Word = int | str | tuple[str, int]


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch of a job.

    `form` is a key of `FORMS`; a word is a number, a buffer's name, or a name and a byte offset into it; `watch` are
    further statements.
    """

    form: str
    blocks: int
    words: Sequence[Word] = ()
    entry: str = "kernel"
    label: str = "launch"
    sync: bool = True
    super_kernel: bool = False
    watch: Sequence[str] = ()

    def text(self) -> str:
        """The statements of the job file."""
        kinds, ratio = FORMS[self.form]
        symbols = {kind: f"{self.entry}_{kind}" if kind in kinds else "-" for kind in KIND_MACRO}
        first = (
            f"launch {self.label} module=m aic={symbols['aic']} aiv={symbols['aiv']} ratio={ratio} "
            f"blocks={self.blocks} super={int(self.super_kernel)} sync={int(self.sync)}"
        )
        lines = [first]
        for word in self.words:
            if isinstance(word, int):
                lines.append(f"word value {word}")
            else:
                name, offset = (word, 0) if isinstance(word, str) else word
                lines.append(f"word buffer {name} {offset}")
        return "\n".join([*lines, *self.watch, "end", ""])


@dataclass(frozen=True, slots=True)
class Result:
    """What a job gave: the runtime's JSON object, and the bytes of every buffer afterwards."""

    exit_code: int
    report: dict[str, Any]
    buffers: dict[str, bytes] = field(default_factory=dict)

    @property
    def status(self) -> str:
        """`ok`, `fault` or `error`."""
        return str(self.report["status"])

    @property
    def check(self) -> str:
        """Stable name of the check that failed, empty when none did."""
        return str(self.report.get("check", ""))

    @property
    def message(self) -> str:
        """Text of the fault, empty when there is none."""
        return str(self.report.get("message", ""))

    @property
    def cores(self) -> list[dict[str, Any]]:
        """Cores that the fault names."""
        return list(self.report.get("cores", []))

    def words(self, name: str, size: int = 8) -> list[int]:
        """Buffer `name` as little-endian unsigned numbers of `size` bytes."""
        data = self.buffers[name]
        return [int.from_bytes(data[at : at + size], "little") for at in range(0, len(data), size)]


# What most test kernels begin with.
HEAD = """\
#include "ascendc/super_kernel.h"
using namespace AscendC;
#define KERNEL(name) extern "C" __global__ __aicore__ void name([[maybe_unused]] uint64_t offset)
[[maybe_unused]] static uint64_t* Out() { return reinterpret_cast<uint64_t*>(get_para_base()[0]); }
[[maybe_unused]] static void Put(uint64_t index, uint64_t value) {
    *reinterpret_cast<uint64_t*>(sktwin::GlobalAccess(Out() + index, 8, true)) = value;
}
[[maybe_unused]] static uint64_t Get(uint64_t index) {
    return *reinterpret_cast<uint64_t*>(sktwin::GlobalAccess(Out() + index, 8, false));
}
// A number that no two cores of a launch share: AICs from 0, AIVs from 100.
[[maybe_unused]] static uint64_t Me() { return (g_coreType == AIV ? 100 : 0) + GetBlockIdx(); }
"""


def command(*arguments: str | Path) -> None:
    """Runs a tool of the toolchain; its error text is the failure's text."""
    done = subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@dataclass(frozen=True, slots=True)
class KernelRunner:
    """Compiles kernel text once per core kind, as the twin's toolchain does, and runs jobs on it."""

    executable: Path
    folder: Path

    def compile(self, source: str, arch: int, macros: Sequence[str], entries: Sequence[str]) -> Path:
        """The shared object with `<entry>_aic` and `<entry>_aiv` for each entry; compiled once for equal input."""
        key = hashlib.sha256(repr((source, arch, macros, entries)).encode()).hexdigest()[:16]
        library = self.folder / f"{key}.so"
        if library.exists():
            return library
        text = self.folder / f"{key}.cpp"
        text.write_text(source)
        objects = [self._object(text, kind, arch, macros, entries) for kind in KIND_MACRO]
        command("g++", "-shared", *objects, "-o", library)
        return library

    def _object(self, text: Path, kind: str, arch: int, macros: Sequence[str], entries: Sequence[str]) -> Path:
        made, merged = text.with_suffix(f".{kind}.raw.o"), text.with_suffix(f".{kind}.o")
        flags = ["-std=c++17", "-O1", "-fPIC", "-fno-gnu-unique", "-Wall", "-Wextra", f"-I{TWIN / 'include'}"]
        defines = [f"-D{macro}" for macro in (f"__NPU_ARCH__={arch}", KIND_MACRO[kind], *macros)]
        command("g++", *flags, *defines, "-c", text, "-o", made)
        # The two kinds instantiate the same templates differently, so everything but the entries becomes local.
        command("ld", "-r", "--force-group-allocation", made, "-o", merged)
        command("objcopy", *[f"--keep-global-symbol={entry}" for entry in entries], merged)
        command("objcopy", *[f"--redefine-sym={entry}={entry}_{kind}" for entry in entries], merged)
        return merged

    def job(self, text: str) -> Result:
        """Runs a job given as text, without its buffers."""
        path = self.folder / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.job"
        path.write_text(text)
        done = subprocess.run([self.executable, path], capture_output=True, text=True, check=False, timeout=120)
        assert done.stdout, f"exit code {done.returncode}: {done.stderr}"
        return Result(done.returncode, json.loads(done.stdout))

    def run(
        self,
        source: str,
        *launches: Launch,
        arch: int = 2201,
        buffers: Mapping[str, bytes | int] | None = None,
        seed: int = 1,
        macros: Sequence[str] = (),
        target: str | None = None,
    ) -> Result:
        """Compiles and runs. A buffer is its first content, or a number of zero bytes."""
        entries = sorted({launch.entry for launch in launches})
        library = self.compile(source, arch, tuple(macros), entries)
        lines = ["sktwin 1", target or TARGETS[arch], f"seed {seed}", f"module m {library}"]
        files = {}
        for name, content in (buffers or {}).items():
            data = bytes(content)
            files[name] = self.folder / f"{name}.bin"
            files[name].write_bytes(data)
            lines.append(f"buffer {name} {len(data)} {files[name]}")
        result = self.job("\n".join([*lines, *[launch.text() for launch in launches]]))
        return Result(result.exit_code, result.report, {name: path.read_bytes() for name, path in files.items()})
