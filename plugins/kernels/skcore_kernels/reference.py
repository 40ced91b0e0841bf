# Licensed under the Apache License, Version 2.0.
"""The operators of this library with NumPy.

Each function takes arrays by parameter name and the attributes of the task, and gives the arrays that the kernel
writes. Arrays of bfloat16 come in and go out as float32. Results are float32 where the kernel rounds to a float type:
the caller rounds to the type of the buffer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Arrays = Mapping[str, Array]
Attributes = Mapping[str, str]


def _wide(values: Array) -> Array:
    return values.astype(np.float32) if values.dtype.kind == "f" else values


def add(inputs: Arrays, attributes: Attributes) -> dict[str, Array]:
    """Gives y = x1 + x2; integers wrap."""
    return {"y": _wide(inputs["x1"]) + _wide(inputs["x2"])}


def add_early(inputs: Arrays, attributes: Attributes) -> dict[str, Array]:
    """Like :func:`add`."""
    return add(inputs, attributes)


def mul(inputs: Arrays, attributes: Attributes) -> dict[str, Array]:
    """Gives y = x1 * x2; integers wrap."""
    return {"y": _wide(inputs["x1"]) * _wide(inputs["x2"])}


def exp(inputs: Arrays, attributes: Attributes) -> dict[str, Array]:
    """Gives y = e to the power of x."""
    with np.errstate(over="ignore"):
        return {"y": np.exp(_wide(inputs["x"]))}


def cast(inputs: Arrays, attributes: Attributes) -> dict[str, Array]:
    """Gives y = x in the type of y."""
    return {"y": _wide(inputs["x"])}


def softmax(inputs: Arrays, attributes: Attributes) -> dict[str, Array]:
    """Softmax over the last axis."""
    x = _wide(inputs["x"])
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return {"y": powers / powers.sum(axis=-1, keepdims=True)}


def rms_norm(inputs: Arrays, attributes: Attributes) -> dict[str, Array]:
    """Gives y = x / sqrt(mean(x * x) + epsilon) * gamma over the last axis."""
    x = inputs["x"].astype(np.float64)
    epsilon = float(attributes.get("epsilon", "1e-6"))
    y = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + epsilon) * inputs["gamma"].astype(np.float64)
    return {"y": y.astype(np.float32)}


def silu(values: Array) -> Array:
    """Gives values / (1 + exp(-values)) in float32."""
    with np.errstate(over="ignore"):
        result: Array = values / (np.float32(1.0) + np.exp(-values))
    return result


def swiglu(inputs: Arrays, attributes: Attributes) -> dict[str, Array]:
    """Gives y = silu(first half of the last axis) * second half."""
    gate, value = np.split(_wide(inputs["x"]), 2, axis=-1)
    return {"y": silu(gate) * value}


def dynamic_quant(inputs: Arrays, attributes: Attributes) -> dict[str, Array]:
    """Per row: scale = max(|x|) / 127 and y = x / scale rounded to even; rows of zeros give zeros."""
    x = _wide(inputs["x"])
    most = np.abs(x).max(axis=-1, keepdims=True)
    factor = np.divide(np.float32(127.0), most, out=np.zeros_like(most), where=most != 0)
    y = np.clip(np.rint(x * factor), -128, 127).astype(np.int8)
    return {"y": y, "scale": (most * np.float32(1.0 / 127.0))[..., 0]}


def global_sum(inputs: Arrays, attributes: Attributes) -> dict[str, Array]:
    """Gives y = x * (factor * sum(x)) over all elements."""
    x = _wide(inputs["x"])
    total = x.astype(np.float64).sum() * float(attributes.get("factor", "1.0"))
    return {"y": x * np.float32(total)}


def matmul(inputs: Arrays, attributes: Attributes) -> dict[str, Array]:
    """Gives c = a @ b."""
    return {"c": _wide(inputs["a"]) @ _wide(inputs["b"])}


def matmul_api(inputs: Arrays, attributes: Attributes) -> dict[str, Array]:
    """Like :func:`matmul`."""
    return matmul(inputs, attributes)


def matmul_bias_act(inputs: Arrays, attributes: Attributes) -> dict[str, Array]:
    """Gives c = activation(a @ b + bias)."""
    c = _wide(inputs["a"]) @ _wide(inputs["b"]) + _wide(inputs["bias"])
    activation = attributes.get("activation", "none")
    if activation == "relu":
        c = np.maximum(c, np.float32(0.0))
    elif activation == "silu":
        c = silu(c)
    return {"c": c}


def matmul_scale(inputs: Arrays, attributes: Attributes) -> dict[str, Array]:
    """Gives c = (a @ b) * scale, one value a column."""
    return {"c": _wide(inputs["a"]) @ _wide(inputs["b"]) * _wide(inputs["scale"])}


def quant_matmul(inputs: Arrays, attributes: Attributes) -> dict[str, Array]:
    """Gives c = (a @ b) * scale * token_scale of int8 matrices, one scale a column and one a row."""
    sums = (inputs["a"].astype(np.int32) @ inputs["b"].astype(np.int32)).astype(np.float32)
    return {"c": sums * inputs["scale"] * inputs["token_scale"][:, np.newaxis]}


def grouped_matmul(inputs: Arrays, attributes: Attributes) -> dict[str, Array]:
    """Gives y: rows of x in groups, each times the weight of its group; rows after the last group stay as they were."""
    x, weight = _wide(inputs["x"]), _wide(inputs["weight"])
    before = inputs.get("y")
    y = np.zeros((x.shape[0], weight.shape[2]), np.float32) if before is None else before.astype(np.float32)
    begin = 0
    for group, number in enumerate(inputs["group_list"]):
        counts = attributes.get("group_list_type", "0") == "1"
        end = min(int(number) + (begin if counts else 0), x.shape[0])
        if end > begin:
            y[begin:end] = x[begin:end] @ weight[group]
            begin = end
    return {"y": y}
