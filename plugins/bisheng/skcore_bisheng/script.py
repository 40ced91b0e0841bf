# Licensed under the Apache License, Version 2.0.
"""The vendor's command lines (spec jit §11.3-§11.4, device §9.1-§9.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from skcore.build.sources import source_closure
from skcore.build.unit import BuildScript, CompileUnit, KernelUnit, SuperKernelUnit
from skcore.errors import ToolError
from skcore.graph.kernel import CodeCopy, CoreKind
from skcore.target import Target
from skcore_bisheng.install import Installation

SHELL_INSTALLATION = Installation("${ASCEND_HOME_PATH}", "$(uname -m)")
_SYMBOLS_A_CALL = 256
_STACK_FLAGS = (
    "-mllvm",
    "-cce-aicore-stack-size=0x8000",
    "-mllvm",
    "-cce-aicore-function-stack-size=0x8000",
    "-mllvm",
    "-cce-aicore-record-overflow=false",
    "-mllvm",
    "-cce-aicore-addr-transform",
    "-mllvm",
    "-cce-aicore-dcci-insert-for-scalar=false",
)

Command = tuple[str, ...]


def build_script(unit: CompileUnit, target: Target, installation: Installation) -> BuildScript:
    """Files and commands that build a unit for the device."""
    if isinstance(unit, KernelUnit):
        return _kernel_script(unit, target, installation)
    if isinstance(unit, SuperKernelUnit):
        return _super_kernel_script(unit, target, installation)
    raise ToolError(f"toolchain bisheng does not link kernels alone ({unit.name}): they need a runtime to launch them")


def _compile(
    source: str,
    output: str,
    kind: CoreKind,
    target: Target,
    installation: Installation,
    options: Sequence[str],
    late_flags: Sequence[str],
) -> Command:
    includes = [f"-I{folder}" for folder in installation.include_folders]
    arch = target.core(kind).compiler_arch
    return (
        *("bisheng", "-c", "-O3", "-x", "cce", *includes, *options, source),
        *(f"--cce-aicore-arch={arch}", "--cce-aicore-only", "-o", output),
        *_STACK_FLAGS,
        *target.vendor.compile_flags,
        *late_flags,
        "--cce-disable-kernel-global-attr-check",
        "-std=c++17",
    )


def _kernel_script(unit: KernelUnit, target: Target, installation: Installation) -> BuildScript:
    """The sub-kernel function reads its parameters from the argument array (spec jit §2.5)."""
    folder_of = unit.source.path.name
    files: dict[str, bytes] = {name: text.encode() for name, text in source_closure(unit.source)}
    commands, outputs = [], []
    macros = (*target.macros_of(unit.kernel.kernel_type), *unit.macros)
    definitions = [f"{name}={value}" for name, value in unit.source.definitions]
    for kind, symbol in unit.symbols:
        if symbol is None:
            continue
        wrapper = f"{symbol}.cpp"
        files[wrapper] = _wrapper(unit, symbol, folder_of).encode()
        options = [f"-D{macro}" for macro in (*macros, *definitions, "TILING_KEY_VAR=0UL")]
        commands.append(_compile(wrapper, f"{symbol}.o", kind, target, installation, options, ()))
        outputs.append((kind.value, f"{symbol}.o"))
    return BuildScript(tuple(files.items()), tuple(commands), tuple(outputs))


def _wrapper(unit: KernelUnit, symbol: str, source: str) -> str:
    words = ", ".join(f"words[{number}]" for number in range(len(unit.kernel.parameters)))
    return (
        f'#include "{source}"\n\n'
        f'extern "C" __aicore__ void {symbol}(uint64_t args_offset)\n'
        "{\n"
        "    GM_ADDR *words = (GM_ADDR *)get_para_base() + args_offset;\n"
        f"    {unit.source.function}({words});\n"
        "}\n"
    )


def _super_kernel_script(unit: SuperKernelUnit, target: Target, installation: Installation) -> BuildScript:
    source = f"{unit.name}_kernel.cpp"
    files: dict[str, bytes] = {source: unit.source.encode()}
    commands: list[Command] = []
    linked: list[str] = []
    late = (*target.vendor.superkernel_flags, *(target.vendor.split_flags if _is_split(unit) else ()))
    for kind, entry in unit.entries:
        if entry is None:
            continue
        options = (*(f"-D{macro}" for macro in unit.macros[kind]), *unit.flags)
        commands.append(_compile(source, f"{entry}.o", kind, target, installation, options, late))
        linked += [f"{entry}.o", *(f"{copy.symbol}.o" for copy in unit.objects[kind])]
        files.update((f"{copy.symbol}.o", copy.data) for copy in unit.objects[kind] if copy.data)
        commands += _copies(unit.objects[kind])
    binary, merged = f"{unit.name}.o", f"{unit.name}_merged.o"
    link = ("ld.lld", "-m", "aicorelinux")
    commands.append((*link, "-r", "-Ttext=0", "-q", *dict.fromkeys(linked), "-static", "-o", merged))
    commands.append((*link, "-Ttext=0", merged, "-static", "-o", binary, "-q"))
    commands += _localise(unit.local, binary)
    return BuildScript(tuple(files.items()), tuple(commands), (("binary", binary), ("source", source)))


def _is_split(unit: SuperKernelUnit) -> bool:
    return unit.plan.group.options.split_mode > 1


def _copies(copies: Sequence[CodeCopy]) -> Iterator[Command]:
    """Renamed copies of kernels that are compiled by an earlier command; the others come as files."""
    base = ""
    for copy in copies:
        if copy.data:
            continue
        if base and copy.symbol.startswith(f"{base}_split"):
            yield ("llvm-objcopy", f"--redefine-sym={base}={copy.symbol}", f"{base}.o", f"{copy.symbol}.o")
        else:
            base = copy.symbol


def _localise(symbols: Sequence[str], binary: str) -> Iterator[Command]:
    rest = iter(dict.fromkeys(symbols))
    while chunk := tuple(islice(rest, _SYMBOLS_A_CALL)):
        yield ("llvm-objcopy", *(f"--localize-symbol={symbol}" for symbol in chunk), binary)
