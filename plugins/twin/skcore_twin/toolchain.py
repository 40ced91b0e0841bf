# Licensed under the Apache License, Version 2.0.
"""The toolchain ``twin``: compiles for the host, and links the binary way (design §10)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from skcore.build.cache import Cache, KeyPart, default_root, key
from skcore.build.elf import read_object
from skcore.build.process import run_tool
from skcore.build.rewrite import localise_symbols
from skcore.build.sources import source_closure
from skcore.build.unit import Artifact, CompileUnit, KernelUnit, ModuleUnit, SuperKernelUnit
from skcore.errors import ToolError
from skcore.graph.kernel import CodeCopy, CoreKind
from skcore.target import Target
from skcore_twin.compiler import INCLUDE, REMEDY, find_compiler, sources_digest

NAME = "twin"
# In debug data of version 5 the names of files get mixed up when objects are linked into one object.
_FLAGS = ("-std=c++17", "-O2", "-g1", "-gdwarf-4", "-fPIC", "-fno-gnu-unique", "-Wno-attributes", "-w")


def compile_unit(unit: CompileUnit, target: Target) -> Artifact:
    """Compile or link a unit, or take what an earlier call made of the same content."""
    if isinstance(unit, KernelUnit):
        return _compile_kernel(unit, target)
    if isinstance(unit, SuperKernelUnit):
        return _build_super_kernel(unit, target)
    return _link_module(unit)


def _cached(name: str, parts: Sequence[KeyPart], files: Sequence[str], make: Callable[[Path], None]) -> Artifact:
    compiler = find_compiler()
    content = key(NAME, compiler.version, compiler.command, _FLAGS, sources_digest(INCLUDE), *parts)
    folder = Cache(default_root() / NAME).get_or_make(content, files, make)
    return Artifact(NAME, name, tuple((Path(file).stem, folder / file) for file in files))


def _flags(target: Target, kind: CoreKind, macros: Iterable[str]) -> list[str]:
    own = [f"__NPU_ARCH__={target.arch_number}", target.core(kind).macro]
    return [*_FLAGS, f"-I{INCLUDE}", *(f"-D{macro}" for macro in (*own, *macros))]


def _compile_kernel(unit: KernelUnit, target: Target) -> Artifact:
    kinds = [kind for kind, symbol in unit.symbols if symbol is not None]
    source = unit.source
    definitions = [f"{name}={value}" for name, value in source.definitions]

    def make(folder: Path) -> None:
        compiler = find_compiler()
        for kind in kinds:
            wrapper = folder / f"{unit.symbols[kind]}.cpp"
            entry = f'SKTWIN_ENTRY({unit.symbols[kind]}, {source.function}, "{unit.name}")'
            wrapper.write_text(f'#include "{source.path.resolve()}"\n#include "sktwin/entry.h"\n{entry}\n')
            output = folder / f"{kind.value}.o"
            flags = [
                *_flags(target, kind, (*target.macros_of(unit.kernel.kernel_type), *unit.macros, *definitions)),
                *(f"-I{directory}" for directory in source.include_directories),
                f"-ffile-prefix-map={source.path.resolve().parent}/=",
            ]
            compiler.compile(wrapper, output, flags, f"compiling {source.path.name} for {kind.name} cores")
            _keep_only(output, [str(unit.symbols[kind])])
            wrapper.unlink()

    parts = (
        "kernel",
        target.arch_number,
        source_closure(source),
        source.function,
        source.definitions,
        unit.macros,
        target.macros_of(unit.kernel.kernel_type),
        unit.name,
        tuple(str(symbol) for _, symbol in unit.symbols),
    )
    return _cached(unit.name, parts, [f"{kind.value}.o" for kind in kinds], make)


def _keep_only(path: Path, visible: Sequence[str]) -> None:
    """Make everything else local: two objects may hold different code under one name, such as a template's."""
    data = path.read_bytes()
    hidden = [name for name in read_object(data, path.name).exports if name not in visible]
    path.write_bytes(localise_symbols(data, hidden, path.name) if hidden else data)


def _build_super_kernel(unit: SuperKernelUnit, target: Target) -> Artifact:
    source_name = f"{unit.name}_kernel.cpp"

    def make(folder: Path) -> None:
        compiler = find_compiler()
        source = folder / source_name
        source.write_text(unit.source)
        objects = []
        for kind, entry in unit.entries:
            if entry is None:
                continue
            output = folder / f"{entry}.o"
            compiler.compile(
                source, output, [*_flags(target, kind, unit.macros[kind]), *unit.flags], f"compiling {source_name}"
            )
            _keep_only(output, [entry])
            objects += [output, *_written(unit.objects[kind], folder)]
        source.rename(folder / "source.cpp")
        relocatable = folder / "relocatable.o"
        run_tool(["ld", "-r", "-o", relocatable, *objects], what=f"linking {unit.name}", remedy=REMEDY)
        relocatable.write_bytes(_localised(unit, relocatable.read_bytes()))
        compiler.link([relocatable], folder / "binary.so", ["-shared"], f"linking {unit.name}")
        for path in objects:
            path.unlink()

    objects = tuple((copy.symbol, copy.data) for _, copies in unit.objects for copy in copies)
    parts = (
        "superkernel",
        target.arch_number,
        unit.source,
        unit.flags,
        unit.macros.aic,
        unit.macros.aiv,
        objects,
        unit.local,
    )
    return _cached(unit.name, parts, ["binary.so", "relocatable.o", "source.cpp"], make)


def _localised(unit: SuperKernelUnit, data: bytes) -> bytes:
    linked = read_object(data, f"{unit.name}.o")
    missing = [name for name in unit.local if name not in linked.exports]
    undefined = [name for name in linked.imports if name in _called(unit)]
    if missing or undefined:
        names = ", ".join(sorted({*missing, *undefined}))
        raise ToolError(f"linking {unit.name}: no object defines {names} (check the symbols in the kernels' metadata)")
    return localise_symbols(data, unit.local, f"{unit.name}.o")


def _called(unit: SuperKernelUnit) -> set[str]:
    """The sub-kernel symbols that the source declares."""
    prefix, suffix = 'extern "C" __aicore__ void ', "(uint64_t args_offset);"
    lines = (line for line in unit.source.splitlines() if line.startswith(prefix) and line.endswith(suffix))
    return {line.removeprefix(prefix).removesuffix(suffix) for line in lines}


def _written(copies: Sequence[CodeCopy], folder: Path) -> list[Path]:
    paths = []
    for copy in copies:
        path = folder / f"{copy.symbol}.sub.o"
        path.write_bytes(copy.data)
        paths.append(path)
    return paths


def _link_module(unit: ModuleUnit) -> Artifact:
    copies = {copies[0].symbol: copies[0] for kernel in unit.kernels for _, copies in kernel.code if copies}

    def make(folder: Path) -> None:
        objects = _written(list(copies.values()), folder)
        find_compiler().link(objects, folder / "binary.so", ["-shared"], f"linking the kernels of {unit.name}")
        for path in objects:
            path.unlink()

    content = tuple(sorted((symbol, copy.data) for symbol, copy in copies.items()))
    return _cached(unit.name, ("module", content), ["binary.so"], make)
