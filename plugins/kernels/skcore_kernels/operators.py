# Licensed under the Apache License, Version 2.0.
"""The operators of the library: types, shapes and macros of each."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from skcore.graph.kernel import EarlyStartCalls, KernelType
from skcore_kernels.operation import FLOATS, SHORT_FLOATS, Attribute, Definitions, Operator, Use

_CHUNK = 64  # elements of the smallest part of a block, ascendc/elementwise.h
_TILE_M = _TILE_N = 64  # ascendc/cube_tile.h
_SLOTS = 2  # ascendc/mixed_matmul.h
_MOST_ELEMENTS = 2**31 - 1
_MOST_COLUMNS = 4096  # a column needs at most 32 bytes of the local memory, which has 192 KiB on dav-2201
_MOST_EDGE = 65535  # strides of a matrix are 16-bit numbers on dav-2201

ACTIVATIONS = ("none", "relu", "silu")


def _elementwise(use: Use) -> Definitions:
    first, *others = use.operator.operands
    for name in others:
        use.require_shape(name, use.shape(first), f"like {first}")
    use.require_most(f"the number of elements of {first}", use.elements(first), _MOST_ELEMENTS)
    return {"OP_X_TYPE": use.cpp_type(first), "OP_ELEMENTS": str(use.elements(first))}


def _arithmetic(use: Use) -> Definitions:
    definitions = _elementwise(use)
    if len({use.operand(name).dtype for name in use.operator.operands}) > 1:
        use.refuse("x1, x2 and y must have one dtype")
    return definitions


def _same_dtype(use: Use) -> Definitions:
    definitions = _elementwise(use)
    if use.operand("x").dtype != use.operand("y").dtype:
        use.refuse("x and y must have one dtype")
    return definitions


def _cast(use: Use) -> Definitions:
    if use.operand("x").dtype == use.operand("y").dtype:
        use.refuse("x and y have one dtype: there is nothing to cast")
    return {**_elementwise(use), "OP_Y_TYPE": use.cpp_type("y")}


def _global_sum(use: Use) -> Definitions:
    return {**_same_dtype(use), "OP_FACTOR": _float(use.attribute("factor"))}


def _rows(use: Use, columns: int) -> Definitions:
    use.require_most("the length of the last axis", columns, _MOST_COLUMNS)
    rows = use.elements("x") // use.shape("x")[-1]
    return {"OP_X_TYPE": use.cpp_type("x"), "OP_ROWS": str(rows), "OP_COLUMNS": str(columns)}


def _softmax(use: Use) -> Definitions:
    _same_dtype(use)
    return _rows(use, use.shape("x")[-1])


def _rms_norm(use: Use) -> Definitions:
    use.require_shape("y", use.shape("x"), "like x")
    use.require_shape("gamma", use.shape("x")[-1:], "the last axis of x")
    if use.operand("x").dtype != use.operand("y").dtype:
        use.refuse("x and y must have one dtype")
    rows = _rows(use, use.shape("x")[-1])
    return {**rows, "OP_GAMMA_TYPE": use.cpp_type("gamma"), "OP_EPSILON": _float(use.attribute("epsilon"))}


def _swiglu(use: Use) -> Definitions:
    *outer, last = use.shape("x")
    if last % 2:
        use.refuse(f"the last axis of x has the odd length {last}")
    if use.operand("x").dtype != use.operand("y").dtype:
        use.refuse("x and y must have one dtype")
    use.require_shape("y", (*outer, last // 2), "half of the last axis of x")
    return _rows(use, last // 2)


def _dynamic_quant(use: Use) -> Definitions:
    use.require_shape("y", use.shape("x"), "like x")
    use.require_shape("scale", use.shape("x")[:-1] or (1,), "one value a row of x")
    return _rows(use, use.shape("x")[-1])


def _matmul(use: Use) -> Definitions:
    if not use.require_rank(("a", "b", "c"), 2):
        return {}
    (m, k), (depth, n) = use.shape("a"), use.shape("b")
    if k != depth:
        use.refuse(f"a is {m} x {k} and b {depth} x {n}: the inner sizes must agree")
    use.require_shape("c", (m, n), "rows of a by columns of b")
    if use.operand("a").dtype != use.operand("b").dtype:
        use.refuse("a and b must have one dtype")
    use.require_most("an edge of a or b", max(m, k, n), _MOST_EDGE)
    sizes = {"OP_SIZE_M": str(m), "OP_SIZE_K": str(k), "OP_SIZE_N": str(n)}
    return {"OP_A_TYPE": use.cpp_type("a"), "OP_C_TYPE": use.cpp_type("c"), **sizes}


def _matmul_bias_act(use: Use) -> Definitions:
    definitions = _matmul(use)
    if definitions:
        use.require_shape("bias", use.shape("b")[1:], "one value a column of b")
    activation = str(ACTIVATIONS.index(use.attribute("activation")))
    return {**definitions, "OP_BIAS_TYPE": use.cpp_type("bias"), "OP_ACTIVATION": activation}


def _matmul_scale(use: Use) -> Definitions:
    definitions = _matmul(use)
    if definitions:
        use.require_shape("scale", use.shape("b")[1:], "one value a column of b")
    return {**definitions, "OP_SCALE_TYPE": use.cpp_type("scale")}


def _quant_matmul(use: Use) -> Definitions:
    definitions = dict(_matmul(use))
    if definitions:
        del definitions["OP_A_TYPE"]
        use.require_shape("scale", use.shape("b")[1:], "one value a column of b")
        use.require_shape("token_scale", use.shape("a")[:1], "one value a row of a")
    return definitions


def _grouped_matmul(use: Use) -> Definitions:
    if not (use.require_rank(("x", "y"), 2) and use.require_rank(("weight",), 3)):
        return {}
    (m, k), (groups, depth, n) = use.shape("x"), use.shape("weight")
    if k != depth:
        use.refuse(f"x is {m} x {k} and a weight {depth} x {n}: the inner sizes must agree")
    use.require_shape("y", (m, n), "rows of x by columns of a weight")
    use.require_shape("group_list", (groups,), "one number a weight")
    if use.operand("x").dtype != use.operand("weight").dtype:
        use.refuse("x and weight must have one dtype")
    use.require_most("an edge of x or weight", max(m, k, n), _MOST_EDGE)
    sizes = {"OP_SIZE_M": str(m), "OP_SIZE_K": str(k), "OP_SIZE_N": str(n), "OP_GROUPS": str(groups)}
    counts = str(int(use.attribute("group_list_type")))
    return {"OP_A_TYPE": use.cpp_type("x"), "OP_C_TYPE": use.cpp_type("y"), "OP_COUNTS": counts, **sizes}


def _grouped_tiles(use: Use) -> int:
    groups, _, n = use.shape("weight")
    return (ceil(use.shape("x")[0] / _TILE_M) + groups) * ceil(n / _TILE_N)


def _float(text: str) -> str:
    return f"{float(text)!r}f"


def _chunks(use: Use) -> int:
    return ceil(use.elements(next(iter(use.operands))) / _CHUNK)


def _row_count(use: Use) -> int:
    return use.elements("x") // use.shape("x")[-1]


def _tiles(use: Use) -> int:
    m, n = use.shape("c")
    return ceil(m / _TILE_M) * ceil(n / _TILE_N)


def _tile_workspace(blocks: int) -> int:
    return blocks * _SLOTS * _TILE_M * _TILE_N * 4


def _binary(name: str, kernel_type: KernelType) -> Operator:
    numbers = (*FLOATS, "int32")
    return Operator(name, kernel_type, {"x1": numbers, "x2": numbers}, {"y": numbers}, _arithmetic, _chunks)


_VECTOR = KernelType.AIV_ONLY
_VECTOR_SYNC = KernelType.MIX_AIV_1_0
_MATRIX = {"a": SHORT_FLOATS, "b": SHORT_FLOATS}

_LIST = (
    _binary("add", _VECTOR),
    _binary("mul", _VECTOR),
    replace(_binary("add_early", _VECTOR_SYNC), early_start=EarlyStartCalls(sets=True, waits=True)),
    Operator("exp", _VECTOR, {"x": FLOATS}, {"y": FLOATS}, _same_dtype, _chunks),
    Operator("cast", _VECTOR, {"x": FLOATS}, {"y": FLOATS}, _cast, _chunks),
    Operator("softmax", _VECTOR, {"x": FLOATS}, {"y": FLOATS}, _softmax, _row_count),
    Operator(
        "rms_norm",
        _VECTOR,
        {"x": FLOATS, "gamma": FLOATS},
        {"y": FLOATS},
        _rms_norm,
        _row_count,
        attributes={"epsilon": Attribute("1e-6")},
    ),
    Operator("swiglu", _VECTOR, {"x": FLOATS}, {"y": FLOATS}, _swiglu, _row_count),
    Operator(
        "dynamic_quant", _VECTOR, {"x": FLOATS}, {"y": ("int8",), "scale": ("float32",)}, _dynamic_quant, _row_count
    ),
    Operator(
        "global_sum",
        _VECTOR_SYNC,
        {"x": FLOATS},
        {"y": FLOATS},
        _global_sum,
        _chunks,
        workspace=lambda blocks: blocks * 32,
        attributes={"factor": Attribute("1.0")},
        full_sync=True,
    ),
    Operator("matmul", KernelType.AIC_ONLY, _MATRIX, {"c": FLOATS}, _matmul, _tiles),
    Operator("matmul_api", KernelType.MIX_AIC_1_0, {"a": FLOATS, "b": FLOATS}, {"c": FLOATS}, _matmul, _tiles),
    Operator(
        "matmul_bias_act",
        KernelType.MIX_AIC_1_2,
        {**_MATRIX, "bias": FLOATS},
        {"c": FLOATS},
        _matmul_bias_act,
        _tiles,
        workspace=_tile_workspace,
        attributes={"activation": Attribute("none", ACTIVATIONS)},
    ),
    Operator(
        "matmul_scale",
        KernelType.MIX_AIC_1_1,
        {**_MATRIX, "scale": FLOATS},
        {"c": FLOATS},
        _matmul_scale,
        _tiles,
        workspace=_tile_workspace,
    ),
    Operator(
        "quant_matmul",
        KernelType.MIX_AIC_1_2,
        {"a": ("int8",), "b": ("int8",), "scale": ("float32",), "token_scale": ("float32",)},
        {"c": FLOATS},
        _quant_matmul,
        _tiles,
        workspace=_tile_workspace,
    ),
    Operator(
        "grouped_matmul",
        KernelType.MIX_AIC_1_0,
        {"x": SHORT_FLOATS, "weight": SHORT_FLOATS, "group_list": ("int64",)},
        {"y": FLOATS},
        _grouped_matmul,
        _grouped_tiles,
        attributes={"group_list_type": Attribute("0", ("0", "1"))},
        early_start=EarlyStartCalls(sets=True, waits=True),
    ),
)
OPERATORS = {operator.name: operator for operator in _LIST}
