# Licensed under the Apache License, Version 2.0.
"""``skcore-asc``: the compiler of Ascend C programs for the twin, with the command line of a compiler driver.

It compiles ``.asc`` sources into host objects (``-c``), and links objects with the twin's runtime. What is meant for
the compiler of the device alone is accepted and does nothing.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from skcore.build.process import run_tool
from skcore.errors import InputError, Problem, SkcoreError
from skcore.plugin import load_plugins
from skcore.target import Target
from skcore_twin.compiler import REMEDY, find_compiler
from skcore_twin.programs.build import (
    CompiledSource,
    Source,
    compile_source,
    empty_libraries,
    include_flags,
    link_flags,
)

_SOURCES = {".asc"}
_HOST_SOURCES = {".cpp", ".cc", ".cxx", ".c", ".C"}
_PREPROCESSOR = ("-I", "-D", "-U", "-isystem", "-iquote", "-include", "-idirafter", "-imacros")
_TAKE_VALUE = {*_PREPROCESSOR, "-L", "-l", "-Xlinker", "-T", "-u", "-z"}
_LINKER = (
    "-L",
    "-l",
    "-Wl,",
    "-rdynamic",
    "-static",
    "-pie",
    "-no-pie",
    "-pthread",
    "-shared",
    "-Xlinker",
    "-T",
    "-u",
    "-z",
)
# For the device's compiler, or what this one does anyway.
_IGNORED = {
    "-dc", "-lib", "--asc-aicore-lang", "--aicore-only", "--enable-simt", "--sanitizer",
    "-Xaicore-start", "-Xaicore-end", "-Xhost-start", "-Xhost-end", "-MMD", "-MD", "-MP",
}  # fmt: skip
_IGNORED_BEGINNINGS = ("--cce-", "--run-mode", "--gcc-toolchain", "--npu-soc-")
_USAGE = "skcore-asc --npu-arch=dav-2201 [-c] [-o FILE] [-I... -D... -O... -g -std=...] FILE..."


@dataclass
class _Call:
    """A command line, read."""

    compile_only: bool = False
    output: Path | None = None
    language: str = ""
    arch: str = ""
    soc: str = ""
    standard: str = "c++17"
    depends: Path | None = None
    depends_target: str = ""
    definitions: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)  # files and what is the linker's, in their order
    problems: list[Problem] = field(default_factory=list)

    def is_source(self, name: str) -> bool:
        return not name.startswith("-") and (Path(name).suffix in _SOURCES or self.language == "asc")

    def is_host_source(self, name: str) -> bool:
        return not name.startswith("-") and not self.is_source(name) and Path(name).suffix in _HOST_SOURCES


def main() -> None:
    """Run the driver; exit codes: 0 done, 1 the sources are wrong or a tool failed, 2 wrong usage."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """The exit code of a command line; problems go to the standard error output."""
    if "--version" in arguments:
        sys.stdout.write("skcore-asc, Ascend C on the twin\n")
        return 0
    call = _read(arguments)
    if call.problems or not call.inputs:
        text = "\n".join(map(str, call.problems)) or f"no input file; usage: {_USAGE}"
        sys.stderr.write(f"skcore-asc: {text}\n")
        return 2
    try:
        _compile_only(call) if call.compile_only else _link(call)
    except SkcoreError as error:
        sys.stderr.write(f"skcore-asc: {error}\n")
        return 1
    return 0


def _read(arguments: Sequence[str]) -> _Call:
    call, rest = _Call(), iter(arguments)
    for argument in rest:
        _read_one(call, argument, rest)
    return call


def _read_one(call: _Call, argument: str, rest: Iterator[str]) -> None:
    name, equals, value = argument.partition("=")
    if argument == "-c":
        call.compile_only = True
    elif argument in ("-o", "-x", "-MF", "-MT", "-MQ") or argument in ("--npu-arch", "--npu-soc"):
        _set(call, argument, next(rest, ""))
    elif equals and name in ("--npu-arch", "--npu-soc"):
        _set(call, name, value)
    elif equals and name == "-std":
        call.standard = value
    elif argument in _IGNORED or argument.startswith(_IGNORED_BEGINNINGS):
        pass
    elif argument in _TAKE_VALUE:
        taken = [argument, next(rest, "")]
        (call.definitions if argument in _PREPROCESSOR else call.inputs).extend(taken)
    elif argument.startswith(_LINKER):
        call.inputs.append(argument)
    elif argument.startswith(_PREPROCESSOR):
        call.definitions.append(argument)
    elif argument.startswith("--"):
        call.problems.append(Problem("", f"unknown option {argument}", f"usage: {_USAGE}"))
    elif argument.startswith("-"):
        call.flags.append(argument)
    else:
        call.inputs.append(argument)


def _set(call: _Call, name: str, value: str) -> None:
    if name == "-o":
        call.output = Path(value)
    elif name == "-x":
        call.language = value
    elif name == "-MF":
        call.depends = Path(value)
    elif name in ("-MT", "-MQ"):
        call.depends_target = value
    elif name == "--npu-arch":
        call.arch = value
    else:
        call.soc = value


def _target(call: _Call) -> Target:
    plugins = load_plugins()
    if call.arch:
        soc = call.soc if call.soc in plugins.target(call.arch).socs else None
        return plugins.target(call.arch, soc)
    for name in plugins.target_names() if call.soc else ():
        if call.soc in plugins.target(name).socs:
            return plugins.target(name, call.soc)
    known = ", ".join(plugins.target_names())
    raise InputError(Problem("", "the chip is not known", f"give --npu-arch, one of {known}"))


def _compile_only(call: _Call) -> None:
    sources = [name for name in call.inputs if call.is_source(name) or call.is_host_source(name)]
    if len(sources) != 1 and call.output is not None:
        raise InputError(Problem("", f"-c with -o takes one source, not {len(sources)}", _USAGE))
    for name in sources:
        output = call.output or Path(Path(name).stem + ".o")
        compiled = _compiled(call, name, output)
        if call.depends is not None and compiled is not None:
            call.depends.write_text(_rule(call.depends_target or str(output), compiled.dependencies))


def _compiled(call: _Call, name: str, output: Path) -> CompiledSource | None:
    """Compile one source into ``output``; None for one that is plain C++."""
    definitions, flags = tuple(call.definitions), tuple(call.flags)
    if call.is_source(name):
        source = Source(Path(name), definitions, flags, call.standard)
        compiled = compile_source(source, _target(call))
        shutil.copyfile(compiled.path, output)
        return compiled
    command = [*find_compiler().command, "-c", f"-std={call.standard}", *flags, "-fPIC", *definitions, *include_flags()]
    run_tool([*command, name, "-o", output], what=f"compiling {name}", remedy=REMEDY)
    return None


def _rule(target: str, dependencies: Sequence[Path]) -> str:
    names = [str(path).replace(" ", "\\ ") for path in dependencies]
    return f"{target}: " + " \\\n  ".join(names) + "\n"


def _link(call: _Call) -> None:
    with tempfile.TemporaryDirectory(prefix="skcore-") as folder:
        inputs = []
        for number, name in enumerate(call.inputs):
            if call.is_source(name) or call.is_host_source(name):
                output = Path(folder) / f"{number}.o"
                _compiled(call, name, output)
                inputs.append(str(output))
            else:
                inputs.append(name)
        output = call.output or Path("a.out")
        command: list[str | Path] = [*find_compiler().command, *call.flags, "-o", output, *inputs, f"-L{folder}"]
        empty_libraries(Path(folder))
        command += link_flags(shared="-shared" in call.inputs)
        run_tool(command, what=f"linking {output.name}", remedy=REMEDY)


if __name__ == "__main__":
    main()
