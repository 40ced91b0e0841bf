# Licensed under the Apache License, Version 2.0.
"""First contents of buffers, and the element types of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from skcore.errors import InputError, Problem
from skcore.graph.taskgraph import Buffer

Array = npt.NDArray[Any]


def storage_dtype(dtype: str) -> np.dtype[Any]:
    """The NumPy type of the bytes; bfloat16, which NumPy lacks, is stored as uint16."""
    return np.dtype("uint16" if dtype == "bfloat16" else dtype)


def to_bytes(values: Array, dtype: str) -> bytes:
    """Values as stored bytes; bfloat16 rounds to nearest even."""
    if dtype != "bfloat16":
        return np.ascontiguousarray(values, dtype=storage_dtype(dtype)).tobytes()
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    is_nan = np.isnan(values.astype(np.float32))
    return np.where(is_nan, 0x7FC0, rounded).astype(np.uint16).tobytes()


def from_bytes(data: bytes, shape: tuple[int, ...], dtype: str) -> Array:
    """Stored bytes as values; bfloat16 becomes float32, which holds it exactly."""
    stored = np.frombuffer(data, dtype=storage_dtype(dtype)).reshape(shape)
    if dtype != "bfloat16":
        return stored
    widened: Array = (stored.astype(np.uint32) << 16).view(np.float32)
    return widened


def byte_size(buffer: Buffer) -> int:
    """Bytes of a buffer."""
    return int(np.prod(buffer.shape, dtype=np.int64)) * storage_dtype(buffer.dtype).itemsize


def initial_bytes(buffer: Buffer) -> bytes:
    """First contents of a buffer: the same in every run and process.

    Raises:
        InputError: a file that cannot be read or does not fit.
    """
    how: Mapping[str, Any] = buffer.initial
    if "random" in how:
        return to_bytes(_random(buffer, how["random"]), buffer.dtype)
    if "constant" in how:
        return to_bytes(np.full(buffer.shape, how["constant"]), buffer.dtype)
    if "file" in how:
        return to_bytes(_from_file(buffer, Path(how["file"])), buffer.dtype)
    return bytes(byte_size(buffer))


def _random(buffer: Buffer, how: Mapping[str, Any]) -> Array:
    # A generator of its own name and seed, so that a buffer's contents do not depend on the other buffers.
    seed = [int(how.get("seed", 0)), *buffer.name.encode()]
    generator = np.random.Generator(np.random.PCG64(seed))
    low, high = float(how.get("low", -1.0)), float(how.get("high", 1.0))
    values: Array = generator.uniform(low, high, buffer.shape)
    return (
        np.floor(values)
        if np.issubdtype(storage_dtype(buffer.dtype), np.integer) and buffer.dtype != "bfloat16"
        else values
    )


def _from_file(buffer: Buffer, path: Path) -> Array:
    try:
        values: Array = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise InputError(Problem(buffer.where, f"{buffer.name}: {path} cannot be read: {error}")) from error
    if values.shape != buffer.shape:
        raise InputError(
            Problem(buffer.where, f"{buffer.name}: {path} has the shape {values.shape}, the buffer {buffer.shape}")
        )
    return values
