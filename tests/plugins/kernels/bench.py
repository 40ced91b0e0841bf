# Licensed under the Apache License, Version 2.0.
"""Runs kernels of the library on the twin: many uses of one family share one compilation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from math import prod
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

import skcore_dav2201
import skcore_dav3510
from skcore.graph.kernel import KernelType, SubKernel
from skcore.graph.task import KernelTask, Operand
from skcore.target import Target
from skcore_kernels.library import ASCENDC, find
from tests.plugins.twin.running import FORMS as TWIN_FORMS
from tests.plugins.twin.running import TARGETS, KernelRunner, Launch

Array = npt.NDArray[Any]

ARCHES = (2201, 3510)
FORMS = {
    KernelType.AIV_ONLY: "aiv",
    KernelType.MIX_AIV_1_0: "aiv",
    KernelType.AIC_ONLY: "aic",
    KernelType.MIX_AIC_1_0: "aic",
    KernelType.MIX_AIC_1_1: "mix11",
    KernelType.MIX_AIC_1_2: "mix12",
}
TOLERANCE = {"float32": 2e-6, "float16": 1e-3, "bfloat16": 8e-3, "int8": 0.0, "int32": 0.0}


@cache
def target(arch: int) -> Target:
    """The target of one chip."""
    plugin = skcore_dav2201 if arch == 2201 else skcore_dav3510
    found: Target | None = plugin.describe_target(f"dav-{arch}")
    assert found is not None
    return found


@dataclass(frozen=True, slots=True)
class Case:
    """One use of an operator: inputs as float64 or integers, dtypes and shapes of all operands."""

    op_type: str
    inputs: Mapping[str, Array]
    dtypes: Mapping[str, str]
    outputs: Mapping[str, tuple[int, ...]]
    attributes: Mapping[str, str] = field(default_factory=dict)

    def stored(self) -> dict[str, Array]:
        """The inputs in their dtypes."""
        return {name: values.astype(numpy_dtype(self.dtypes[name])) for name, values in self.inputs.items()}

    def bytes_of(self, output: str) -> int:
        return np.dtype(numpy_dtype(self.dtypes[output])).itemsize * prod(self.outputs[output])

    def task(self, blocks: int = 1) -> KernelTask:
        shapes = {**{name: values.shape for name, values in self.inputs.items()}, **self.outputs}
        attributes = {**self.attributes, "blocks": str(blocks)}
        return KernelTask(
            id=0,
            where="case",
            name=self.op_type,
            kernel=None,
            op_type=self.op_type,
            operands=tuple(Operand(name, shape, self.dtypes[name]) for name, shape in shapes.items()),
            attributes=tuple(sorted(attributes.items())),
        )

    def kernel(self, arch: int, blocks: int = 1) -> SubKernel:
        found = find(self.task(blocks), target(arch))
        assert found is not None
        return found

    def expected(self) -> dict[str, Array]:
        """What the reference gives, rounded to the dtypes of the outputs, as float64."""
        reference = getattr(import_module("skcore_kernels.reference"), self.op_type)
        inputs = {
            name: values.astype(np.float32) if values.dtype == ml_dtypes.bfloat16 else values
            for name, values in self.stored().items()
        }
        results = reference(inputs, self.attributes)
        assert set(results) == set(self.outputs)
        with np.errstate(over="ignore"):
            return {
                name: values.astype(numpy_dtype(self.dtypes[name])).astype(np.float64).reshape(self.outputs[name])
                for name, values in results.items()
            }


def numpy_dtype(name: str) -> npt.DTypeLike:
    return ml_dtypes.bfloat16 if name == "bfloat16" else np.dtype(name)


def program(cases: Sequence[Case], arch: int) -> str:
    """One text with an entry for each case: the source of a kernel once per case, in a namespace of its own."""
    heads = [str(path) for path in sorted(ASCENDC.glob("*.h"))]
    parts = [f'#include "{head}"' for head in (*heads, "lib/matmul_intf.h", "sktwin/entry.h")]
    for number, case in enumerate(cases):
        kernel = case.kernel(arch)
        source = kernel.source
        assert source is not None
        macros = {**dict(source.definitions), source.function: f"{source.function}_{number}"}
        parts += [f"#define {name} {value}" for name, value in macros.items()]
        parts += [f"namespace case_{number} {{", f'#include "{source.path}"', "}"]
        parts += [f'SKTWIN_ENTRY(entry_{number}, case_{number}::{source.function}, "{kernel.name}")']
        parts += [f"#undef {name}" for name in macros]
    return "\n".join([*parts, ""])


@dataclass(frozen=True, slots=True)
class Form:
    """How a kernel is run inside of a launch that is larger or of another form, as in a SuperKernel."""

    name: str
    blocks: int


@dataclass(frozen=True, slots=True)
class Family:
    """Cases that are compiled together."""

    runner: KernelRunner
    cases: tuple[Case, ...]
    macros: tuple[str, ...] = ()

    def run(
        self, number: int, arch: int, *blocks: int, form: Form | None = None, seed: int = 1
    ) -> list[dict[str, Array]]:
        """Run one case once for each number of blocks; give the outputs of each run as they lie in memory.

        With ``form`` the kernel runs on the first blocks of that launch, compiled for a SuperKernel.
        """
        case = self.cases[number]
        entries = [f"entry_{index}" for index in range(len(self.cases))]
        source, macros, entry = program(self.cases, arch), self.macros, entries[number]
        if form is not None:
            (count,) = blocks
            source += _gate(entry, count)
            entries.append(entry := "gated")
            macros = (*macros, "__ASCENDC_ENABLE_SUPER_KERNEL__", f"__SUPER_KERNEL_STATIC_BLOCK_NUM__={count}")
        buffers = {name: values.tobytes() for name, values in case.stored().items()}
        launches = []
        for run, count in enumerate(blocks):
            kernel = case.kernel(arch, count)
            own = {name: case.bytes_of(name) for name in case.outputs}
            if kernel.workspace_bytes:
                own["workspace"] = kernel.workspace_bytes
            buffers |= {f"{name}.{run}": b"\xa5" * size for name, size in own.items()}
            launches.append(
                Launch(
                    form.name if form else FORMS[kernel.kernel_type],
                    form.blocks if form else count,
                    [f"{name}.{run}" if name in own else name for name in kernel.parameters],
                    entry=entry,
                    label=f"{case.op_type}_on_{count}",
                    sync=form is not None or kernel.kernel_type.has_sync_engine,
                    super_kernel=form is not None,
                )
            )
        library = self.runner.compile(source, arch, macros, entries)
        got = self._job(library, launches, buffers, arch, seed)
        return [
            {
                name: np.frombuffer(got[f"{name}.{run}"], numpy_dtype(case.dtypes[name])).reshape(shape)
                for name, shape in case.outputs.items()
            }
            for run in range(len(blocks))
        ]

    def _job(
        self, library: Path, launches: Sequence[Launch], buffers: Mapping[str, bytes], arch: int, seed: int
    ) -> dict[str, bytes]:
        files = {name: self.runner.folder / f"{name}.bin" for name in buffers}
        for name, data in buffers.items():
            files[name].write_bytes(data)
        lines = [f"buffer {name} {len(data)} {files[name]}" for name, data in buffers.items()]
        head = ["sktwin 1", _small_target(arch, launches), f"seed {seed}", f"module m {library}"]
        result = self.runner.job("\n".join([*head, *lines, *(launch.text() for launch in launches)]))
        assert result.status == "ok", result.message
        return {name: path.read_bytes() for name, path in files.items()}

    def check(self, number: int, arch: int, *blocks: int) -> None:
        """Run one case and compare with the reference at the tolerance of each output's dtype."""
        case = self.cases[number]
        expected = case.expected()
        for outputs in self.run(number, arch, *blocks):
            for name, got in outputs.items():
                close(got, expected[name], TOLERANCE[case.dtypes[name]])


def _small_target(arch: int, launches: Sequence[Launch]) -> str:
    """The chip with no more cores than the launches need: each has memory that is filled before a job."""
    groups = max(launch.blocks for launch in launches)
    kinds = {kind for launch in launches for kind in TWIN_FORMS[launch.form][0]}
    ratio = max(TWIN_FORMS[launch.form][1] for launch in launches)
    cores = f"target aic={groups if 'aic' in kinds else 0} aiv={groups * max(ratio, 1) if 'aiv' in kinds else 0}"
    _, rest = TARGETS[arch].split("intra_block", 1)
    return f"{cores} intra_block{rest}"


def close(got: Array, expected: Array, tolerance: float) -> None:
    """Compare relative to the larger of 1 and the expected value."""
    np.testing.assert_allclose(got.astype(np.float64), expected, rtol=tolerance, atol=tolerance)


def _gate(entry: str, blocks: int) -> str:
    return f'extern "C" void gated(uint64_t offset) {{ if (get_block_idx() < {blocks}) {{ {entry}(offset); }} }}\n'


def numbers(shape: Iterable[int], seed: int = 1, low: float = -1.0, high: float = 1.0) -> Array:
    """Uniform numbers in [low, high)."""
    return np.random.default_rng(seed).uniform(low, high, tuple(shape))
