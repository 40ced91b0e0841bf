# Licensed under the Apache License, Version 2.0.
"""Compiles a source of a whole program into one host object, and links objects with the twin's runtime.

The object holds the host's code, which is all that other objects see, and beside it the code of each core kind that
the source's kernels run on. Each is a compilation of its own, since headers and macros differ between them.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skcore.build.cache import Cache, default_root, key
from skcore.build.process import run_parallel, run_tool
from skcore.graph.kernel import CoreKind, KernelType
from skcore.target import Target
from skcore_twin.compiler import INCLUDE, REMEDY, RUNTIME, Compiler, find_compiler, sources_digest
from skcore_twin.machine import target_statements
from skcore_twin.programs.translate import Translation, translate

FAULT_EXIT_CODE = 86
"""Exit code of a program that a fault of its device ends; ``runtime/program/world.h`` has the same."""

# Libraries that programs name and that the twin's runtime or its headers stand for.
LIBRARIES = (
    "tiling_api", "register", "platform", "graph_base", "unified_dlog", "ascendalog", "ascendcl", "acl_rt", "acl_rtc",
    "runtime", "ascendc_runtime", "profapi", "mmpa", "ascend_dump", "c_sec", "error_manager", "nnopbase", "msprofiler",
)  # fmt: skip
_RUNTIME_NAME = "libsktwin_program.a"
_RUNTIME_FLAGS = ("-std=c++17", "-O2", "-g1", "-fPIC", f"-I{INCLUDE}", f"-I{RUNTIME}")
_PASS_FLAGS = ("-fPIC", "-fno-gnu-unique", "-Wno-attributes")
_CORE_FLAGS = ("-w", "-fno-builtin-printf", "-U_FORTIFY_SOURCE")
_ENTRIES = {CoreKind.AIC: "_ZN6sktwin7program3aic5Entry*", CoreKind.AIV: "_ZN6sktwin7program3aiv5Entry*"}
_HOSTS_SECTIONS = (".init_array", ".fini_array")


@dataclass(frozen=True, slots=True)
class Source:
    """A source with the flags of its author; ``definitions`` are those for the preprocessor (-D, -U, -I, ...)."""

    path: Path
    definitions: tuple[str, ...] = ()
    flags: tuple[str, ...] = ("-O2",)
    standard: str = "c++17"


@dataclass(frozen=True, slots=True)
class CompiledSource:
    """The object of a source, and the files that it is made of."""

    path: Path
    kernels: Mapping[str, KernelType]
    dependencies: tuple[Path, ...]


def compile_source(source: Source, target: Target) -> CompiledSource:
    """Compile a source, or take what an earlier call made of the same content.

    Raises:
        InputError: a kernel or a launch cannot be read.
        ToolError: the compiler refuses the source; the message is the compiler's.
    """
    compiler = find_compiler()
    with tempfile.TemporaryDirectory(prefix="skcore-") as name:
        folder = Path(name)
        host_text, dependencies = _preprocess(compiler, source, target, None, folder)
        host = translate(host_text, host=True)
        kinds = tuple(kind for kind in CoreKind if any(kind in each.kinds for each in host.types.values()))
        passes = [_pass(compiler, source, target, host, kind, folder) for kind in kinds]
        texts = dict(zip(kinds, run_parallel(passes, os.cpu_count() or 1), strict=True))
    host_text = f"{host.text}\n{_target_definition(target)}"
    content = key(
        "program", compiler.version, compiler.command, _PASS_FLAGS, _CORE_FLAGS, source.flags, source.standard,
        host_text, {kind.value: text for kind, text in texts.items()},
    )  # fmt: skip

    def make(folder: Path) -> None:
        jobs = [_host_job(compiler, source, host_text, folder)]
        jobs += [_core_job(compiler, source, kind, text, folder) for kind, text in texts.items()]
        objects = run_parallel(jobs, os.cpu_count() or 1)
        what, output = f"joining the objects of {source.path.name}", folder / "program.o"
        run_tool(["ld", "-r", "-o", output, *objects], what=what, remedy=REMEDY)
        local = [f"--localize-symbol={pattern}" for pattern in _ENTRIES.values()]
        run_tool(["objcopy", "--wildcard", *local, output], what=what, remedy=REMEDY)
        for path in folder.iterdir():
            if path.name != "program.o":
                path.unlink()

    made = Cache(default_root() / "twin").get_or_make(content, ["program.o"], make)
    return CompiledSource(made / "program.o", host.types, dependencies)


def runtime_library() -> Path:
    """The folder with the runtime that programs are linked with, built at its first use."""
    compiler = find_compiler()
    content = key(
        "program runtime", compiler.version, compiler.command, sources_digest(RUNTIME), sources_digest(INCLUDE)
    )

    def make(folder: Path) -> None:
        sources = [path for path in sorted(RUNTIME.rglob("*.cpp")) if path.name != "main.cpp"]
        objects = compiler.compile_runtime(sources, folder, _RUNTIME_FLAGS)
        run_tool(["ar", "rcs", folder / _RUNTIME_NAME, *objects], what="building the twin's runtime", remedy=REMEDY)
        for path in objects:
            path.unlink()

    return Cache(default_root() / "twin").get_or_make(content, [_RUNTIME_NAME], make)


def link_flags(*, shared: bool = False) -> list[str]:
    """What follows the objects and libraries on the linker's command line.

    A shared library holds the whole runtime: what else a program needs of it is found there.
    """
    runtime = str(runtime_library() / _RUNTIME_NAME)
    whole = ["-Wl,--whole-archive", runtime, "-Wl,--no-whole-archive"]
    return [*(whole if shared else [runtime]), "-ldl", "-lpthread"]


def empty_libraries(folder: Path) -> list[Path]:
    """Writes libraries of the names that programs give to the linker; the runtime holds what there is of them."""
    paths = [folder / f"lib{library}.a" for library in LIBRARIES]
    for path in paths:
        path.write_bytes(b"!<arch>\n")
    return paths


def link_program(objects: Sequence[Path], name: str) -> Path:
    """The executable of these objects, or what an earlier call made of the same ones."""
    compiler = find_compiler()
    content = key("program link", compiler.version, str(runtime_library()), [str(path) for path in objects])

    def make(folder: Path) -> None:
        compiler.link(objects, folder / "program", link_flags(), f"linking {name}")

    return Cache(default_root() / "twin").get_or_make(content, ["program"], make) / "program"


def include_flags() -> list[str]:
    """How sources find the twin's headers; as those of the system, so that a translation leaves them alone."""
    return ["-isystem", str(INCLUDE), "-DSKTWIN_PLATFORM_OF_RUNTIME"]


def _preprocess(
    compiler: Compiler, source: Source, target: Target, kind: CoreKind | None, folder: Path
) -> tuple[str, tuple[Path, ...]]:
    """The preprocessed text for the host (``kind`` None) or for a core kind, and the program's own files in it."""
    name = "host" if kind is None else kind.value
    macro = target.core(kind or CoreKind.AIV).macro
    macros = ["SKTWIN_PROGRAM", f"__NPU_ARCH__={target.arch_number}", macro, *(["SKTWIN_HOST"] if kind is None else [])]
    output, depends = folder / f"{name}.ii", folder / f"{name}.d"
    command: list[str | Path] = [
        *compiler.command, "-E", "-x", "c++", f"-std={source.standard}", *source.flags,
        *(["-U_FORTIFY_SOURCE"] if kind is not None else []), *(f"-D{each}" for each in macros), *source.definitions,
        *include_flags(), "-include", "sktwin/program.h", "-MMD", "-MF", depends, "-MT", "object",
        source.path, "-o", output,
    ]  # fmt: skip
    run_tool(command, what=f"preprocessing {source.path.name}", remedy=REMEDY)
    text = output.read_text(encoding="utf-8", errors="surrogateescape")
    return text, _dependencies(depends.read_text(encoding="utf-8", errors="surrogateescape"))


def _dependencies(text: str) -> tuple[Path, ...]:
    escaped = text.partition(":")[2].replace("\\\n", " ").replace("\\ ", "\0")
    return tuple(Path(name.replace("\0", " ")) for name in escaped.split())


def _pass(
    compiler: Compiler, source: Source, target: Target, host: Translation, kind: CoreKind, folder: Path
) -> Callable[[], str]:
    def run() -> str:
        text, _ = _preprocess(compiler, source, target, kind, folder)
        return translate(text, host.types).text

    return run


def _host_job(compiler: Compiler, source: Source, text: str, folder: Path) -> Callable[[], Path]:
    def run() -> Path:
        return _compile(compiler, source, "host", text, folder, ())

    return run


def _core_job(compiler: Compiler, source: Source, kind: CoreKind, text: str, folder: Path) -> Callable[[], Path]:
    def run() -> Path:
        raw = _compile(compiler, source, kind.value, text, folder, _CORE_FLAGS)
        merged, output = folder / f"{kind.value}.merged.o", folder / f"{kind.value}.only.o"
        what = f"making the {kind.name} object of {source.path.name}"
        run_tool(["ld", "-r", "--force-group-allocation", "-o", merged, raw], what=what, remedy=REMEDY)
        # Entries, also those of kernels with internal linkage, are what launches refer to; all else is of this kind.
        run_tool(["objcopy", "--wildcard", f"--globalize-symbol={_ENTRIES[kind]}", merged], what=what, remedy=REMEDY)
        # The host's variables are initialised by the host's own object.
        only = [
            f"--keep-global-symbol={_ENTRIES[kind]}",
            "--remove-section=.init_array",
            "--remove-section=.fini_array",
        ]
        printf = "--redefine-sym=printf=sktwin_core_printf"
        run_tool(["objcopy", "--wildcard", *only, printf, merged, output], what=what, remedy=REMEDY)
        return output

    return run


def _compile(compiler: Compiler, source: Source, name: str, text: str, folder: Path, flags: Sequence[str]) -> Path:
    translated, output = folder / f"{name}.ii", folder / f"{name}.o"
    translated.write_text(text, encoding="utf-8", errors="surrogateescape")
    language = ["-x", "c++-cpp-output", f"-std={source.standard}", "-g1"]
    command: list[str | Path] = [*compiler.command, "-c", *language, *source.flags, *_PASS_FLAGS, *flags]
    command += [translated, "-o", output]
    run_tool(command, what=f"compiling {source.path.name} for {'the host' if name == 'host' else name}", remedy=REMEDY)
    return output


def _target_definition(target: Target) -> str:
    """The definition of the chip in C++; every object of a program brings the same one."""
    soc = target.soc
    statements = "\\n".join(target_statements(target))
    return (
        '# 1 "skcore target"\n'
        'extern "C" __attribute__((weak)) const sktwin::program::TargetInfo sktwin_program_target = '
        f'{{"{statements}\\n", "{target.soc_name or target.default_soc}", {target.arch_number}u, '
        f"{soc.memory_bytes}u, {soc.l2_bytes}u}};\n"
    )
