# Licensed under the Apache License, Version 2.0.
"""From a use of an operator to its kernel, and what the library refuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module

import pytest

import skcore_kernels
import skcore_kernels.library
from skcore.build.sources import source_closure
from skcore.errors import InputError
from skcore.graph.kernel import EarlyStartCalls, KernelType
from skcore.graph.task import KernelTask, Operand
from skcore_kernels.operators import OPERATORS
from tests.plugins.kernels.bench import target

TARGET = target(2201)
Shapes = Mapping[str, tuple[tuple[int, ...], str]]
MATRICES: Shapes = {
    "a": ((64, 32), "float16"),
    "b": ((32, 200), "float16"),
    "bias": ((200,), "float32"),
    "c": ((64, 200), "float16"),
}


def use(op_type: str, operands: Shapes, **attributes: str) -> KernelTask:
    return KernelTask(
        id=0,
        where="graph.yaml:7",
        name="here",
        kernel=None,
        op_type=op_type,
        operands=tuple(Operand(name, shape, dtype) for name, (shape, dtype) in operands.items()),
        attributes=tuple(attributes.items()),
    )


def refused(task: KernelTask) -> str:
    with pytest.raises(InputError) as caught:
        skcore_kernels.find_kernel(task, TARGET)
    return str(caught.value)


def pair(dtype: str = "float32", shape: tuple[int, ...] = (4, 100)) -> Shapes:
    return {"x": (shape, dtype), "y": (shape, dtype)}


def test_an_operator_of_another_library_is_left_to_it() -> None:
    assert skcore_kernels.find_kernel(use("conv3d", pair()), TARGET) is None


def test_the_kernel_says_all_that_a_plan_needs() -> None:
    kernel = skcore_kernels.find_kernel(use("matmul_bias_act", MATRICES, activation="relu", blocks="3"), TARGET)
    assert kernel is not None
    assert (kernel.kernel_type, kernel.blocks) == (KernelType.MIX_AIC_1_2, 3)
    assert kernel.parameters == ("a", "b", "bias", "c", "workspace")
    assert kernel.writes == ("c",)
    assert kernel.workspace_bytes == 3 * 2 * 64 * 64 * 4
    assert kernel.source is not None
    assert dict(kernel.source.definitions)["OP_ACTIVATION"] == "1"


def test_flags_of_full_synchronisation_and_early_start_are_set() -> None:
    total = skcore_kernels.find_kernel(use("global_sum", pair()), TARGET)
    early = skcore_kernels.find_kernel(use("add_early", dict.fromkeys(("x1", "x2", "y"), ((5,), "float32"))), TARGET)
    assert total is not None
    assert total.full_sync
    assert early is not None
    assert early.early_start == EarlyStartCalls(sets=True, waits=True)


def test_without_the_attribute_there_are_as_many_blocks_as_can_have_work() -> None:
    few = skcore_kernels.find_kernel(use("exp", pair(shape=(130,))), TARGET)
    many = skcore_kernels.find_kernel(use("exp", pair(shape=(1000, 1000))), TARGET)
    assert few is not None
    assert many is not None
    assert (few.blocks, many.blocks) == (3, TARGET.soc.aiv)


@pytest.mark.parametrize("op_type", OPERATORS)
def test_each_operator_has_source_and_reference(op_type: str) -> None:
    operator = OPERATORS[op_type]
    source = (skcore_kernels.library.ASCENDC / f"{op_type}.cpp").read_text()
    assert f"void {op_type}_kernel(" in source
    assert f"KERNEL_TASK_TYPE_DEFAULT({operator.kernel_type.json_name});" in source
    assert callable(getattr(import_module("skcore_kernels.reference"), op_type))


def test_the_parameters_of_the_source_are_those_of_the_table() -> None:
    for op_type, operator in OPERATORS.items():
        source = (skcore_kernels.library.ASCENDC / f"{op_type}.cpp").read_text()
        signature = source.split(f"void {op_type}_kernel(")[1].split(")")[0]
        names = tuple(part.split()[-1] for part in signature.split(","))
        assert names == operator.parameters


def test_the_headers_of_a_kernel_are_found_beside_it() -> None:
    kernel = skcore_kernels.find_kernel(use("matmul_bias_act", MATRICES), TARGET)
    assert kernel is not None
    assert kernel.source is not None
    names = {name for name, _ in source_closure(kernel.source)}
    assert names == {"matmul_bias_act.cpp", "mixed_matmul.h", "cube_tile.h", "common.h"}


def test_a_dtype_that_is_not_supported_is_refused_with_those_that_are() -> None:
    text = refused(use("exp", pair("int8")))
    assert text.startswith("graph.yaml:7: here: x has dtype int8")
    assert "exp takes x (float32 or float16 or bfloat16)" in text


def test_everything_that_is_wrong_is_told_at_once() -> None:
    task = use("rms_norm", {"x": ((4, 8), "int8"), "z": ((4, 8), "float16")}, epsilon="small", gain="2")
    with pytest.raises(InputError) as caught:
        skcore_kernels.find_kernel(task, TARGET)
    texts = [problem.what for problem in caught.value.problems]
    for part in ("'z'", "'gamma' is missing", "'y' is missing", "x has dtype int8", "epsilon='small'", "'gain'"):
        assert any(part in text for text in texts), part


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"b": ((33, 200), "float16")}, "the inner sizes must agree"),
        ({"c": ((64, 201), "float16")}, "c has shape [64, 201]; it must be [64, 200]"),
        ({"bias": ((64,), "float32")}, "bias has shape [64]; it must be [200]"),
        ({"b": ((32, 200), "bfloat16")}, "a and b must have one dtype"),
        ({"a": ((64, 32, 1), "float16")}, "it must have 2 axes"),
    ],
)
def test_shapes_that_contradict_each_other_are_refused(change: Shapes, part: str) -> None:
    assert part in refused(use("matmul_bias_act", {**MATRICES, **change}))


def test_an_odd_last_axis_cannot_be_halved() -> None:
    assert "odd length 7" in refused(use("swiglu", {"x": ((2, 7), "float32"), "y": ((2, 3), "float32")}))


def test_a_row_that_local_memory_does_not_hold_is_refused() -> None:
    assert "at most 4096" in refused(use("softmax", pair(shape=(2, 5000))))


@pytest.mark.parametrize("blocks", ["0", "49", "many", "-1", "1.5"])
def test_numbers_of_blocks_that_the_chip_does_not_have_are_refused(blocks: str) -> None:
    assert "give 1 to 48 on dav-2201" in refused(use("exp", pair(), blocks=blocks))


def test_a_mixed_kernel_has_at_most_as_many_blocks_as_groups() -> None:
    assert "give 1 to 24" in refused(use("matmul_bias_act", MATRICES, blocks="25"))


@pytest.mark.parametrize("given", [1, 2**20])
def test_a_workspace_of_the_graph_must_be_large_enough(given: int) -> None:
    task = use("global_sum", {**pair(), "workspace": ((given,), "uint8")})
    if given == 1:
        assert "workspace has 1 bytes" in refused(task)
    else:
        assert skcore_kernels.find_kernel(task, TARGET) is not None


def test_a_larger_chip_has_more_blocks() -> None:
    task = use("exp", pair(shape=(1000, 1000)))
    kernel = skcore_kernels.find_kernel(task, target(3510))
    assert kernel is not None
    assert kernel.blocks == target(3510).soc.aiv


def test_the_same_use_gives_the_same_kernel() -> None:
    task = use("matmul_bias_act", MATRICES)
    assert skcore_kernels.find_kernel(task, TARGET) == skcore_kernels.find_kernel(replace(task, id=5), TARGET)
