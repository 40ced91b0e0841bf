# Licensed under the Apache License, Version 2.0.
"""NumPy oracles of the cube's layouts and arithmetic, written from the formulas of ascendc_data_cube.md."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

FROM_GLOBAL = """\
#include <cstring>
#include "ascendc/system.h"
#include "ascendc/data_copy.h"
#include "ascendc/queue.h"
#include "ascendc/cube.h"
#include "lib/matmul_intf.h"
using namespace AscendC;
#define KERNEL(name) extern "C" __global__ __aicore__ void name([[maybe_unused]] uint64_t offset)
inline uint64_t Word(int index) { return get_para_base()[index]; }
// The tests place data in local memories themselves, so that each call is checked alone.
template <typename T>
inline void Put(const LocalTensor<T>& to, int word, uint64_t bytes) {
    std::memcpy(to.GetPhyAddr(), sktwin::GlobalAccess(reinterpret_cast<void*>(Word(word)), bytes, false), bytes);
}
template <typename T>
inline void Get(int word, const LocalTensor<T>& from, uint64_t bytes) {
    std::memcpy(sktwin::GlobalAccess(reinterpret_cast<void*>(Word(word)), bytes, true), from.GetPhyAddr(), bytes);
}
template <typename T>
inline GlobalTensor<T> Global(int word) {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<T*>(Word(word)));
    return tensor;
}
"""


def ceil_div(value: int, unit: int) -> int:
    """Smallest integer not below value / unit."""
    return -(-value // unit)


def round_up(value: int, unit: int) -> int:
    """Smallest multiple of unit not below value."""
    return ceil_div(value, unit) * unit


def to_nz(matrix: Array, c0: int, rows: int | None = None) -> Array:
    """Column blocks of c0 with `rows` rows each (16-aligned by default), zero padded: Nz, and Zn of the transposed."""
    height = rows or round_up(matrix.shape[0], 16)
    padded = np.zeros((height, round_up(matrix.shape[1], c0)), matrix.dtype)
    padded[: matrix.shape[0], : matrix.shape[1]] = matrix
    return np.ascontiguousarray(padded.reshape(height, -1, c0).transpose(1, 0, 2)).reshape(-1)


def to_zz(matrix: Array, k0: int) -> Array:
    """Row blocks of 16, in them fractals of 16 x k0: A in L0A of dav-2201."""
    padded = np.zeros((round_up(matrix.shape[0], 16), round_up(matrix.shape[1], k0)), matrix.dtype)
    padded[: matrix.shape[0], : matrix.shape[1]] = matrix
    height, width = padded.shape
    return np.ascontiguousarray(padded.reshape(height // 16, 16, width // k0, k0).transpose(0, 2, 1, 3)).reshape(-1)


def from_accumulators(flat: Array, rows: int, columns: int) -> Array:
    """The [rows, columns] matrix of L0C: blocks of 16 columns with 16-aligned rows."""
    height = round_up(rows, 16)
    blocks = flat.reshape(-1, height, 16).transpose(1, 0, 2).reshape(height, -1)
    return np.ascontiguousarray(blocks[:rows, :columns])


def to_bfloat16(values: Array) -> Array:
    """float32 to bfloat16 bits, nearest even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bfloat16(bits: Array) -> Array:
    """bfloat16 bits to float32."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def multiply(a: Array, b: Array, start: Array | float | int = 0) -> Array:
    """a @ b from `start` on, one product at a time in increasing k, in float32 or int32."""
    kind = np.float32 if a.dtype.kind == "f" else np.int32
    left, right = a.astype(kind), b.astype(kind)
    total = np.zeros((a.shape[0], b.shape[1]), kind) + np.asarray(start, kind)
    for k in range(a.shape[1]):
        total = (total + left[:, k : k + 1] * right[k : k + 1]).astype(kind)
    return total


def quant_word(scale: float, offset: int = 0, signed: bool = True) -> int:
    """The 64-bit parameter of Fixpipe: float bits of the scale, 9-bit offset at 37, sign at 46."""
    bits = int(np.float32(scale).view(np.uint32))
    return bits | (offset & 0x1FF) << 37 | int(signed) << 46


def truncated_scale(scale: float | Array) -> Array:
    """The scale or scales as the unit sees them: their low 13 bits are cut."""
    return np.asarray(np.asarray(scale, np.float32).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
