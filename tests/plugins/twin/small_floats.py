# Licensed under the Apache License, Version 2.0.
"""NumPy reference of the 8- and 4-bit floats of dav-3510, written from ascendc_adv_host.md 11."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# Exponent bits, mantissa bits, bias.
FIELDS = {"fp8_e4m3fn_t": (4, 3, 7), "fp8_e5m2_t": (5, 2, 15), "fp4x2_e2m1_t": (2, 1, 1), "fp4x2_e1m2_t": (1, 2, 1)}
MODES = {"CAST_RINT": 1, "CAST_FLOOR": 2, "CAST_CEIL": 3, "CAST_ROUND": 4, "CAST_TRUNC": 5}


def _hifloat8(code: int) -> float:
    sign, body = (-1.0 if code & 0x80 else 1.0), f"{code & 0x7F:07b}"
    if code == 0x80:
        return float("nan")
    if body == "1101111":
        return sign * float("inf")
    if body.startswith("0000"):
        m = int(body[4:], 2)
        return sign * float(2.0 ** (m - 23)) if m else 0.0
    if body.startswith("0001"):
        return sign * (1 + int(body[4:], 2) / 8)
    prefix, exponent_bits = next(p for p in (("001", 1), ("01", 2), ("10", 3), ("11", 4)) if body.startswith(p[0]))
    rest = body[len(prefix) :]
    exponent, mantissa = rest[:exponent_bits], rest[exponent_bits:]
    magnitude = int("1" + exponent[1:], 2)
    power = -magnitude if exponent[0] == "1" else magnitude
    return float(sign * 2.0**power * (1 + int(mantissa, 2) / 2 ** len(mantissa)))


def _ieee(kind: str, code: int) -> float:
    e, m, bias = FIELDS[kind]
    sign = -1.0 if code >> (e + m) & 1 else 1.0
    exponent, mantissa = code >> m & (2**e - 1), code & (2**m - 1)
    if kind == "fp8_e4m3fn_t" and code & 0x7F == 0x7F:
        return float("nan")
    if kind == "fp8_e5m2_t" and exponent == 31:
        return float("nan") if mantissa else sign * float("inf")
    if exponent == 0:
        return float(sign * mantissa * 2.0 ** (1 - bias - m))
    return float(sign * (1 + mantissa / 2**m) * 2.0 ** (exponent - bias))


def values(kind: str) -> Array:
    """The value of every code: 256 of them, 16 of a 4-bit type."""
    if kind == "hifloat8_t":
        return np.array([_hifloat8(code) for code in range(256)])
    if kind == "fp8_e8m0_t":
        return np.array([2.0 ** (code - 127) for code in range(255)] + [np.nan])
    return np.array([_ieee(kind, code) for code in range(16 if kind.startswith("fp4") else 256)])


def encode(kind: str, x: Array, mode: str = "CAST_RINT", *, saturate: bool = False) -> Array:
    """The code that each number becomes."""
    table = values(kind)
    half = len(table) // 2
    positive = table[:half].copy()
    positive[~np.isfinite(positive)] = np.nan
    order = np.argsort(positive)
    order = order[: np.isfinite(positive).sum()]
    sorted_values = positive[order]
    x = x.astype(np.float64)
    magnitude, negative = np.where(np.isnan(x), 0, np.abs(x)), np.signbit(x)
    steps = np.append(sorted_values, 2 * sorted_values[-1] - sorted_values[-2])
    if kind == "hifloat8_t":
        steps[-1] = 49152.0
    low = np.clip(np.searchsorted(sorted_values, magnitude, side="right") - 1, 0, len(sorted_values) - 1)
    below, above = steps[low], steps[low + 1]
    down, up = magnitude - below, above - magnitude
    odd = order[low] % 2 == 1
    rounds = {
        "CAST_RINT": (down > up) | ((down == up) & odd),
        "CAST_ROUND": down >= up,
        "CAST_TRUNC": up < 0,
        "CAST_FLOOR": negative & (down > 0),
        "CAST_CEIL": ~negative & (down > 0),
    }[mode] | (up <= 0)
    index = low + rounds
    over = index >= len(sorted_values)
    code = order[np.minimum(index, len(sorted_values) - 1)]
    if not saturate and not kind.startswith("fp4"):
        code = np.where(over, {"fp8_e4m3fn_t": 0x7F, "fp8_e5m2_t": 0x7C, "hifloat8_t": 0x6F}[kind], code)
    signed = code | np.where(negative, half, 0)
    if kind == "hifloat8_t":
        signed = np.where(code == 0, 0, signed)
    not_a_number = 0 if saturate or kind.startswith("fp4") else {"hifloat8_t": 0x80}.get(kind, 0x7F)
    return np.where(np.isnan(x), not_a_number, signed).astype(np.uint8)


def pack(codes: Array) -> Array:
    """Two 4-bit codes a byte, the even index in the low nibble."""
    pairs = codes.reshape(-1, 2).astype(np.uint8)
    return (pairs[:, 0] | pairs[:, 1] << 4).astype(np.uint8)


def to_bfloat16(x: Array) -> Array:
    """Bit patterns of values that bfloat16 holds exactly, or rounded toward zero."""
    return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def from_bfloat16(bits: Array) -> Array:
    """The numbers that bit patterns mean."""
    return (bits.astype(np.uint32) << 16).view(np.float32)
