# Licensed under the Apache License, Version 2.0.
"""Mmad against sequential sums in NumPy, bit for bit: types, starts, GEMV, blocking of k, HF32, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.plugins.twin.cube_oracle import (
    FROM_GLOBAL,
    Array,
    from_accumulators,
    from_bfloat16,
    multiply,
    round_up,
    to_bfloat16,
    to_nz,
    to_zz,
)
from tests.plugins.twin.running import KernelRunner, Launch, Result

# Words: A, B, L0C before, bias, L0C after, m, n, k, initial value, source, bias form (0 none, 1 overload), HF32.
SOURCE = (
    FROM_GLOBAL
    + """
KERNEL(kernel) {
#ifdef __DAV_CUBE__
    LocalTensor<ELEMENT> a(TPosition::A2, 0, 65536 / sizeof(ELEMENT));
    LocalTensor<ELEMENT> b(TPosition::B2, 0, 65536 / sizeof(ELEMENT));
    LocalTensor<ACCUMULATOR> c(TPosition::CO1, 0, 32768 / sizeof(ACCUMULATOR));
    LocalTensor<ACCUMULATOR> bias(TPosition::C2, 64, 128);
    Put(a, 0, 65536);
    Put(b, 1, 65536);
    Put(c, 2, 32768);
    Put(bias, 3, 512);
    std::memcpy(sktwin::Self().local[int(sktwin::Memory::kBias)], bias.GetPhyAddr(), 64);
    MmadParams params;
    params.m = Word(5);
    params.n = Word(6);
    params.k = Word(7);
    params.cmatrixInitVal = Word(8) != 0;
    params.cmatrixSource = Word(9) != 0;
#if __NPU_ARCH__ == 2201
    params.kDirectionAlign = Word(12) != 0;
#endif
    if (Word(11) != 0) {
        SetHF32Mode(HF32Mode::ENABLE);
        SetHF32TransMode(Word(11) == 1 ? HF32TransMode::NEAREST_ZERO : HF32TransMode::NEAREST_EVEN);
    }
    if (Word(10) != 0) {
        Mmad(c, a, b, bias, params);
    } else {
        Mmad(c, a, b, params);
    }
    SetHF32Mode(false);
    Get(4, c, 32768);
#endif
}
"""
)
SUMS = {"half": "float", "bfloat16_t": "float", "float": "float", "int8_t": "int32_t"}
SHAPES = [(16, 16, 16), (33, 17, 40), (2, 50, 7), (48, 64, 96)]


def operands(kind: str, m: int, n: int, k: int) -> tuple[Array, Array, Array, Array]:
    """A and B as stored, and as the numbers that they mean."""
    rng = np.random.default_rng(m * n * k)
    if kind == "int8_t":
        a, b = rng.integers(-128, 128, (m, k), np.int8), rng.integers(-128, 128, (k, n), np.int8)
        return a, b, a, b
    a, b = rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal((k, n)).astype(np.float32)
    if kind == "half":
        return a.astype(np.float16), b.astype(np.float16), a.astype(np.float16), b.astype(np.float16)
    if kind == "bfloat16_t":
        stored = to_bfloat16(a).reshape(m, k), to_bfloat16(b).reshape(k, n)
        return (*stored, from_bfloat16(stored[0]), from_bfloat16(stored[1]))
    return a, b, a, b


def mmad(
    run_kernel: KernelRunner,
    kind: str,
    a: Array,
    b: Array,
    *,
    arch: int = 2201,
    start: Array | None = None,
    bias: Array | None = None,
    initial: bool = True,
    source: bool = False,
    overload: bool = False,
    hf32: int = 0,
    even_k: bool = False,
) -> Array:
    """The [m, n] result of one Mmad on operands laid out as L0A and L0B hold them."""
    (m, k), n = a.shape, b.shape[1]
    k0 = 32 // a.dtype.itemsize
    number: Any = np.int32 if kind == "int8_t" else np.float32
    if even_k:
        depth = round_up(k, 2 * k0)
        a, b = np.pad(a, ((0, 0), (0, depth - k))), np.pad(b, ((0, depth - k), (0, 0)))
    left = a.ravel() if m == 1 else to_nz(a, k0) if arch == 3510 else to_zz(a, k0)
    before = np.zeros(8192, number) if start is None else to_nz(start, 16)
    row = np.zeros(128, number) if bias is None else bias
    buffers: dict[str, bytes | int] = {
        "a": left.tobytes().ljust(65536, b"\0"),
        "b": to_nz(np.ascontiguousarray(b.T), k0).tobytes().ljust(65536, b"\0"),
        "before": before.tobytes().ljust(32768, b"\0"),
        "bias": row.tobytes().ljust(512, b"\0"),
        "after": 32768,
    }
    words = ["a", "b", "before", "bias", "after", m, n, k, int(initial), int(source), int(overload), hf32, int(even_k)]
    macros = [f"ELEMENT={kind}", f"ACCUMULATOR={SUMS[kind]}"]
    result: Result = run_kernel.run(SOURCE, Launch("aic", 1, words), arch=arch, macros=macros, buffers=buffers)
    assert result.status == "ok", result.message
    after = np.frombuffer(result.buffers["after"], number)
    return from_accumulators(after[: round_up(m, 16) * round_up(n, 16)], m, n)


@pytest.mark.parametrize("arch", [2201, 3510])
@pytest.mark.parametrize("kind", SUMS)
@pytest.mark.parametrize("shape", SHAPES)
def test_products_are_summed_in_increasing_k(
    run_kernel: KernelRunner, arch: int, kind: str, shape: tuple[int, int, int]
) -> None:
    a, b, left, right = operands(kind, *shape)
    assert np.array_equal(mmad(run_kernel, kind, a, b, arch=arch), multiply(left, right))


@pytest.mark.parametrize("arch", [2201, 3510])
def test_a_single_row_of_a_is_read_as_plain_elements(run_kernel: KernelRunner, arch: int) -> None:
    a, b, left, right = operands("half", 1, 40, 50)
    assert np.array_equal(mmad(run_kernel, "half", a, b, arch=arch), multiply(left, right))


def test_two_halves_of_k_give_the_bits_of_the_whole(run_kernel: KernelRunner) -> None:
    a, b, _, _ = operands("half", 20, 30, 64)
    whole = mmad(run_kernel, "half", a, b)
    first = mmad(run_kernel, "half", a[:, :32], b[:32])
    second = mmad(run_kernel, "half", a[:, 32:], b[32:], start=first, initial=False)
    assert np.array_equal(second, whole)


def test_old_accumulators_are_ignored_when_the_initial_value_is_zero(run_kernel: KernelRunner) -> None:
    a, b, left, right = operands("half", 16, 16, 16)
    start = np.full((16, 16), 5, np.float32)
    assert np.array_equal(mmad(run_kernel, "half", a, b, start=start), multiply(left, right))


@pytest.mark.parametrize(("arch", "initial", "added"), [(2201, False, True), (2201, True, False), (3510, True, True)])
@pytest.mark.parametrize("kind", ["half", "int8_t"])
def test_the_bias_overload_starts_from_the_bias_row(
    run_kernel: KernelRunner, kind: str, arch: int, initial: bool, added: bool
) -> None:
    a, b, left, right = operands(kind, 18, 20, 32)
    bias = np.arange(20).astype(np.int32 if kind == "int8_t" else np.float32)
    got = mmad(run_kernel, kind, a, b, arch=arch, bias=bias, initial=initial, overload=True)
    assert np.array_equal(got, multiply(left, right, bias if added else 0))


def test_integer_sums_wrap_modulo_two_to_the_32(run_kernel: KernelRunner) -> None:
    a, b = np.full((16, 16), 127, np.int8), np.full((16, 16), 127, np.int8)
    start = np.full((16, 16), 2**31 - 1, np.int32)
    expected = (2**31 - 1 + 16 * 127 * 127) - 2**32
    assert np.all(mmad(run_kernel, "int8_t", a, b, start=start, initial=False) == expected)


@pytest.mark.parametrize(("arch", "dropped"), [(2201, 12), (3510, 13)])
@pytest.mark.parametrize(("mode", "even"), [(1, False), (2, True)])
def test_hf32_rounds_the_operands_first(
    run_kernel: KernelRunner, arch: int, dropped: int, mode: int, even: bool
) -> None:
    tie = np.float32(1.0) + np.float32(2.0 ** (dropped - 24))
    a, b = np.full((16, 8), tie, np.float32), np.ones((8, 16), np.float32)
    rounded = np.float32(1.0) if even else np.float32(1.0) + np.float32(2.0 ** (dropped - 23))
    assert np.all(mmad(run_kernel, "float", a, b, arch=arch, hf32=mode) == rounded * 8)


def test_floats_may_have_an_even_number_of_column_blocks_on_2201(run_kernel: KernelRunner) -> None:
    a, b, left, right = operands("float", 40, 24, 40)
    assert np.array_equal(mmad(run_kernel, "float", a, b, even_k=True), multiply(left, right))


def test_lanes_outside_m_and_n_are_left_alone(run_kernel: KernelRunner) -> None:
    a, b, left, right = operands("half", 3, 5, 16)
    start = np.full((16, 16), 9, np.float32)
    (m, k), n = a.shape, b.shape[1]
    buffers: dict[str, bytes | int] = {
        "a": to_zz(a, 16).tobytes().ljust(65536, b"\0"),
        "b": to_nz(np.ascontiguousarray(b.T), 16).tobytes().ljust(65536, b"\0"),
        "before": to_nz(start, 16).tobytes().ljust(32768, b"\0"),
        "bias": 512,
        "after": 32768,
    }
    launch = Launch("aic", 1, ["a", "b", "before", "bias", "after", m, n, k, 1, 0, 0, 0, 0])
    result = run_kernel.run(SOURCE, launch, macros=["ELEMENT=half", "ACCUMULATOR=float"], buffers=buffers)
    expected = start.copy()
    expected[:3, :5] = multiply(left, right)
    after = np.frombuffer(result.buffers["after"], np.float32)
    assert np.array_equal(from_accumulators(after[:256], 16, 16), expected)


INT4 = (
    FROM_GLOBAL
    + """
KERNEL(kernel) {
#ifdef __DAV_CUBE__
    LocalTensor<int4b_t> a(TPosition::A2, 0, 1024);
    LocalTensor<int4b_t> b(TPosition::B2, 0, 1024);
    LocalTensor<int32_t> c(TPosition::CO1, 0, 256);
    Put(a, 0, 512);
    Put(b, 1, 512);
    Mmad(c, a, b, MmadParams(16, 16, 64, 0, false, true));
    Get(2, c, 1024);
#endif
}
"""
)


def test_4_bit_integers_are_signed_and_the_even_one_is_low(run_kernel: KernelRunner) -> None:
    rng = np.random.default_rng(4)
    a, b = rng.integers(-8, 8, (16, 64)).astype(np.int8), rng.integers(-8, 8, (64, 16)).astype(np.int8)

    def packed(matrix: Array) -> bytes:
        nibbles = (matrix.reshape(-1, 2) & 0xF).astype(np.uint8)
        return bytes((nibbles[:, 0] | nibbles[:, 1] << 4).tobytes())

    buffers: dict[str, bytes | int] = {"a": packed(a), "b": packed(np.ascontiguousarray(b.T)), "c": 1024}
    result = run_kernel.run(INT4, Launch("aic", 1, ["a", "b", "c"]), buffers=buffers)
    assert np.array_equal(np.frombuffer(result.buffers["c"], np.int32).reshape(16, 16), multiply(a, b))


REFUSED = (
    FROM_GLOBAL
    + """
KERNEL(kernel) {
    LocalTensor<TO> c;
    LocalTensor<FROM> a;
    Mmad(c, a, a, MmadParams());
}
"""
)


@pytest.mark.parametrize(("arch", "to", "source"), [(2201, "half", "half"), (3510, "int32_t", "int4b_t")])
def test_a_product_that_the_chip_lacks_is_one_compile_error(
    run_kernel: KernelRunner, arch: int, to: str, source: str
) -> None:
    macros = (f"TO={to}", f"FROM={source}")
    with pytest.raises(AssertionError) as error:
        run_kernel.compile(REFUSED, arch, macros, ("kernel",))
    text = str(error.value)
    assert text.count(" error: ") == 1
    assert f"Mmad: dav-{arch} has dst, fm, filter" in text
    assert f"T = {'int' if to == 'int32_t' else to}" in text


def test_operands_in_the_wrong_memory_are_reported(run_kernel: KernelRunner) -> None:
    source = SOURCE.replace("b(TPosition::B2,", "b(TPosition::A2,")
    buffers: dict[str, bytes | int] = {"a": 65536, "b": 65536, "before": 32768, "bias": 512, "after": 32768}
    launch = Launch("aic", 1, ["a", "b", "before", "bias", "after", 16, 16, 16, 1, 0, 0, 0, 0])
    result = run_kernel.run(source, launch, macros=["ELEMENT=half", "ACCUMULATOR=float"], buffers=buffers)
    assert result.check == "cube-position"
    assert "L0B" in result.message
