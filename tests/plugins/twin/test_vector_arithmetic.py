# Licensed under the Apache License, Version 2.0.
"""Element-wise vector instructions against NumPy: spec ascendc_vector.md sections 1 to 4 and 15."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.plugins.twin.vector_machine import KernelLibrary, compile_kernels, compiler_message

Array = NDArray[Any]

DTYPES: dict[str, Any] = {
    "half": np.float16,
    "float": np.float32,
    "int16_t": np.int16,
    "int32_t": np.int32,
    "uint16_t": np.uint16,
}
BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
    "Max": np.maximum,
    "Min": np.minimum,
}
UNARY: dict[str, Callable[[Array], Array]] = {
    "Abs": np.abs,
    "Exp": np.exp,
    "Ln": np.log,
    "Sqrt": np.sqrt,
    "Reciprocal": np.reciprocal,
    "Rsqrt": lambda x: 1 / np.sqrt(x),
}

PAIRS = [
    (op, kind)
    for op in BINARY
    for kind in ("half", "float", "int16_t", "int32_t")
    if op != "Div" or kind in ("half", "float")
]


def _kernels() -> dict[str, str]:
    kernels: dict[str, str] = {}
    for t in ("half", "float", "int16_t", "int32_t"):
        for op in BINARY:
            if op != "Div" or t in ("half", "float"):
                kernels[f"{op}_{t}"] = (
                    f"auto x = ub.Load<{t}>(a, n), y = ub.Load<{t}>(b, n), z = ub.Load<{t}>(c, m);"
                    f"{op}(z, x, y, int32_t(n)); ub.Store<{t}>(c, z, m);"
                )
    for t in ("half", "float"):
        for op in UNARY:
            kernels[f"{op}_{t}"] = (
                f"auto x = ub.Load<{t}>(a, n); auto z = ub.New<{t}>(n);{op}(z, x, int32_t(n)); ub.Store<{t}>(c, z, n);"
            )
        kernels[f"Relu_{t}"] = f"auto x = ub.Load<{t}>(a, n); Relu(x, x, int32_t(n)); ub.Store<{t}>(c, x, n);"
        kernels[f"LeakyRelu_{t}"] = (
            f"auto x = ub.Load<{t}>(a, n); auto s = Global<{t}>(b).GetValue(0);"
            f"LeakyRelu(x, x, s, int32_t(n));"
            f"ub.Store<{t}>(c, x, n);"
        )
    kernels["high_dim"] = """
        auto x = ub.Load<half>(a, n), y = ub.Load<half>(b, n), z = ub.Load<half>(c, n);
        Add(z, x, y, 128, 2, {1, 2, 1, 8, 16, 8}); ub.Store<half>(c, z, n);"""
    kernels["mask_bits"] = """
        auto x = ub.Load<half>(a, n); auto z = ub.Load<half>(c, n);
        uint64_t mask[2] = {8, 2}; Adds(z, x, half(1.0f), mask, 2, {1, 1, 8, 8}); ub.Store<half>(c, z, n);
        auto* g = reinterpret_cast<uint64_t*>(d); g[0] = sktwin::Self().registers.mask[0];
        g[1] = sktwin::Self().registers.mask[1];"""
    kernels["counter_strides"] = """
        auto x = ub.Load<half>(a, n); auto z = ub.Load<half>(c, n);
        SetMaskCount(); SetVectorMask<half, MaskMode::COUNTER>(130);
        Adds<half, false>(z, x, half(1.0f), MASK_PLACEHOLDER, 1, {2, 2, 16, 16}); SetMaskNorm();
        ub.Store<half>(c, z, n);"""
    kernels["accumulate"] = """
        auto x = ub.Load<float>(a, n); auto z = ub.Load<float>(c, 64);
        Add(z, x, z, 64, uint8_t(n / 64), {1, 1, 1, 0, 8, 0}); ub.Store<float>(c, z, 64);"""
    kernels["mask_after_count"] = """
        auto x = ub.Load<half>(a, n); SetMaskCount(); SetVectorMask<half, MaskMode::COUNTER>(5);
        Adds(x, x, half(1.0f), int32_t(n)); Adds<half, false>(x, x, half(1.0f), MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
        ub.Store<half>(c, x, n);"""
    kernels["zero_work"] = """
        auto x = ub.Load<half>(a, n); auto z = ub.Load<half>(c, n); Add(z, x, x, 0);
        Add(z, x, x, 128, 0, {1, 1, 1, 8, 8, 8});
        uint64_t none[2] = {0, 0}; Add(z, x, x, none, 2, {1, 1, 1, 8, 8, 8}); ub.Store<half>(c, z, n);"""
    kernels["operators"] = """
        auto x = ub.Load<float>(a, n), y = ub.Load<float>(b, n); auto z = ub.New<float>(n); z.SetSize(n);
        x.SetSize(n); y.SetSize(n); z = x + y; z = z * y; z = z - x; ub.Store<float>(c, z, n);"""
    kernels["shift"] = """
        auto x = ub.Load<int16_t>(a, n); auto z = ub.New<int16_t>(n);
        ShiftLeft(z, x, int16_t(m), int32_t(n)); ub.Store<int16_t>(b, z, n);
        ShiftRight(z, x, int16_t(m), int32_t(n)); ub.Store<int16_t>(c, z, n);"""
    kernels["axpy_mixed"] = """
        auto x = ub.Load<half>(a, n); auto z = ub.Load<float>(c, n);
        Axpy(z, x, half(0.1f), int32_t(n)); ub.Store<float>(c, z, n);"""
    kernels["mul_add"] = """
        auto x = ub.Load<half>(a, n), y = ub.Load<half>(b, n), z = ub.Load<half>(c, n), w = ub.Load<half>(c, n);
        MulAddDst(z, x, y, int32_t(n)); ub.Store<half>(c, z, n); FusedMulAdd(w, x, y, int32_t(n));
        ub.Store<half>(d, w, n);"""
    kernels["add_deq_relu"] = """
        auto x = ub.Load<int32_t>(a, n), y = ub.Load<int32_t>(b, n); auto z = ub.New<half>(n);
        SetDeqScale(half(0.1f)); AddDeqRelu(z, x, y, int32_t(n)); ub.Store<half>(c, z, n);"""
    kernels["beyond"] = """
        LocalTensor<float> x(TPosition::VECIN, 191 * 1024, 256); Adds(x, x, 1.0f, 257);"""
    kernels["misaligned"] = """
        LocalTensor<float> x(TPosition::VECIN, 0, 256); Adds(x[1], x, 1.0f, 8);"""
    kernels["fill"] = """
        auto z = ub.Load<half>(c, n); Duplicate(z, half(2.0f), 128, 2, 2, 16); ub.Store<half>(c, z, n);"""
    kernels["brcb"] = """
        auto x = ub.Load<half>(a, 16); auto z = ub.New<half>(256); Brcb(z, x, 2, {1, 8}); ub.Store<half>(c, z, 256);"""
    kernels["index"] = """
        auto z = ub.New<int32_t>(n); CreateVecIndex(z, int32_t(5), uint32_t(n)); ub.Store<int32_t>(c, z, n);"""
    return kernels


@pytest.fixture(scope="module")
def vector() -> KernelLibrary:
    return compile_kernels(_kernels())


def _values(dtype: Any, count: int, seed: int = 1) -> Array:
    random = np.random.default_rng(seed)
    if np.issubdtype(dtype, np.integer):
        limits = np.iinfo(dtype)
        return random.integers(limits.min, limits.max, count, dtype=dtype, endpoint=True)
    return random.normal(scale=50, size=count).astype(dtype)


def _same(found: Array, expected: Array) -> None:
    np.testing.assert_array_equal(found.view(np.uint8), expected.astype(found.dtype).view(np.uint8))


@pytest.mark.parametrize("count", [1, 31, 64, 300])
@pytest.mark.parametrize(("op", "kind"), PAIRS)
def test_two_tensors_combine_like_numpy_and_leave_what_follows_alone(
    vector: KernelLibrary, op: str, kind: str, count: int
) -> None:
    x, y = _values(DTYPES[kind], count, 1), _values(DTYPES[kind], count, 2)
    out = _values(DTYPES[kind], count + 8, 3)
    expected = out.copy()
    with np.errstate(all="ignore"):
        expected[:count] = BINARY[op](x, y)
    vector.run(f"{op}_{kind}", x, y, out, 0, 0, 0, count, count + 8)
    _same(out, expected)


@pytest.mark.parametrize("op", ["Add", "Sub", "Mul", "Div", "Max", "Min"])
def test_special_halves_follow_ieee(vector: KernelLibrary, op: str) -> None:
    specials = np.array([0x0000, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0x0001, 0x83FF, 0x3C00, 0x7BFF, 0xFBFF], np.uint16)
    x = np.repeat(specials, len(specials)).view(np.float16)
    y = np.tile(specials, len(specials)).view(np.float16)
    out = np.zeros_like(x)
    vector.run(f"{op}_half", x, y, out, 0, 0, 0, x.size, x.size)
    with np.errstate(all="ignore"):
        expected = BINARY[op](x, y)
    if op in ("Max", "Min"):
        zeros = (x == 0) & (y == 0)
        both = np.signbit(x) & np.signbit(y) if op == "Max" else np.signbit(x) | np.signbit(y)
        expected = np.where(zeros, np.where(both, np.float16(-0.0), np.float16(0.0)), expected)
    nan = np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(out), nan)
    _same(out[~nan], expected[~nan])


@pytest.mark.parametrize("kind", ["half", "float"])
@pytest.mark.parametrize("op", list(UNARY))
def test_functions_are_rounded_once_from_the_exact_value(vector: KernelLibrary, op: str, kind: str) -> None:
    x = np.abs(_values(DTYPES[kind], 500)) / 8 + DTYPES[kind](0.01)
    out = np.zeros_like(x)
    vector.run(f"{op}_{kind}", x, 0, out, 0, 0, 0, x.size, 0)
    with np.errstate(over="ignore"):
        expected = UNARY[op](x.astype(np.float64)).astype(DTYPES[kind])
    _same(out, expected)


def test_every_half_value_survives_the_way_through_float(vector: KernelLibrary) -> None:
    x = np.arange(65536, dtype=np.uint32).astype(np.uint16).view(np.float16)
    x = x[np.isfinite(x)]
    one = np.ones(8192, np.float16)
    for start in range(0, x.size, 8192):
        part = x[start : start + 8192].copy()
        out = np.zeros_like(part)
        vector.run("Mul_half", part, one, out, 0, 0, 0, part.size, part.size)
        _same(out, part)


def test_relu_keeps_nan_and_makes_negative_zero_positive(vector: KernelLibrary) -> None:
    x = np.array([-0.0, np.nan, -np.inf, -1, 2, np.inf], np.float32)
    out = np.zeros_like(x)
    vector.run("Relu_float", x, 0, out, 0, 0, 0, x.size, 0)
    np.testing.assert_array_equal(out, np.array([0, np.nan, 0, 0, 2, np.inf], np.float32))
    assert not np.signbit(out[0])


def test_leaky_relu_multiplies_negative_zero(vector: KernelLibrary) -> None:
    x = np.array([-0.0, 0.0, -2.0, 3.0], np.float32)
    out = np.zeros_like(x)
    vector.run("LeakyRelu_float", x, np.array([-0.5], np.float32), out, 0, 0, 0, x.size, 0)
    np.testing.assert_array_equal(out, np.array([0.0, 0.0, 1.0, 3.0], np.float32))
    assert not np.signbit(out[0])


def test_block_and_repeat_strides_follow_the_worked_example(vector: KernelLibrary) -> None:
    x, y = _values(np.float16, 1024, 1), _values(np.float16, 1024, 2)
    out = np.zeros(1024, np.float16)
    vector.run("high_dim", x, y, out, 0, 0, 0, 1024, 0)
    expected = np.zeros(1024, np.float16)
    for repeat in range(2):
        for block in range(8):
            target = 128 * repeat + 16 * block
            source = 256 * repeat + 32 * block
            expected[target : target + 16] = x[source : source + 16] + y[target : target + 16]
    _same(out, expected)


def test_mask_bits_enable_single_lanes_and_stay_in_the_register(vector: KernelLibrary) -> None:
    x = _values(np.float16, 256)
    out = np.zeros(256, np.float16)
    mask = np.zeros(2, np.uint64)
    vector.run("mask_bits", x, 0, out, mask, 0, 0, 256, 0)
    lanes = [3, 65, 128 + 3, 128 + 65]
    expected = np.zeros(256, np.float16)
    expected[lanes] = x[lanes] + np.float16(1)
    _same(out, expected)
    assert mask.tolist() == [8, 2]


def test_counter_mode_with_strides_follows_the_worked_example(vector: KernelLibrary) -> None:
    x = _values(np.float16, 1024)
    out = np.zeros(1024, np.float16)
    vector.run("counter_strides", x, 0, out, 0, 0, 0, 1024, 0)
    expected = np.zeros(1024, np.float16)
    for block in range(8):
        expected[32 * block : 32 * block + 16] = x[32 * block : 32 * block + 16] + np.float16(1)
    expected[256:258] = x[256:258] + np.float16(1)
    _same(out, expected)


def test_a_destination_that_is_a_source_accumulates_over_the_repeats(vector: KernelLibrary) -> None:
    x = _values(np.float32, 640)
    out = np.zeros(64, np.float32)
    vector.run("accumulate", x, 0, out, 0, 0, 0, 640, 0)
    expected = np.zeros(64, np.float32)
    for row in x.reshape(10, 64):
        expected = row + expected
    _same(out, expected)


def test_a_count_form_leaves_normal_mode_with_all_lanes(vector: KernelLibrary) -> None:
    out = np.zeros(256, np.float16)
    vector.run("mask_after_count", np.zeros(256, np.float16), 0, out, 0, 0, 0, 256, 0)
    assert out.tolist() == [2.0] * 128 + [1.0] * 128


def test_no_elements_and_no_repeats_and_no_lanes_do_nothing(vector: KernelLibrary) -> None:
    out = np.full(256, 7, np.float16)
    vector.run("zero_work", np.ones(256, np.float16), 0, out, 0, 0, 0, 256, 0)
    assert out.tolist() == [7.0] * 256


def test_operators_work_over_the_size_of_the_destination(vector: KernelLibrary) -> None:
    x, y = _values(np.float32, 100, 1), _values(np.float32, 100, 2)
    out = np.zeros(100, np.float32)
    vector.run("operators", x, y, out, 0, 0, 0, 100, 0)
    _same(out, (x + y) * y - x)


@pytest.mark.parametrize(("shift", "expected"), [(1, 0xD554), (3, 0xD550)])
def test_a_signed_left_shift_keeps_the_sign_bit(vector: KernelLibrary, shift: int, expected: int) -> None:
    x = np.array([0xAAAA], np.uint16).view(np.int16)
    left, right = np.zeros_like(x), np.zeros_like(x)
    vector.run("shift", x, left, right, 0, 0, 0, 1, shift)
    assert int(left.view(np.uint16)[0]) == expected
    assert int(right[0]) == int(x[0]) >> shift


def test_a_half_source_accumulates_in_float(vector: KernelLibrary) -> None:
    x, start = _values(np.float16, 100, 1), _values(np.float32, 100, 2)
    out = start.copy()
    vector.run("axpy_mixed", x, 0, out, 0, 0, 0, 100, 0)
    _same(out, np.float32(np.float16(0.1)) * x.astype(np.float32) + start)


def test_multiply_and_add_round_twice_on_the_2201(vector: KernelLibrary) -> None:
    x, y, start = (_values(np.float16, 100, seed) for seed in (1, 2, 3))
    out, fused = start.copy(), np.zeros_like(start)
    vector.run("mul_add", x, y, out, fused, 0, 0, 100, 0)
    _same(out, x * y + start)
    _same(fused, x * start + y)


def test_add_deq_relu_follows_the_worked_example(vector: KernelLibrary) -> None:
    out = np.zeros(2, np.float16)
    vector.run("add_deq_relu", np.array([70, -90], np.int32), np.array([19, 1], np.int32), out, 0, 0, 0, 2, 0)
    assert out.tolist() == [float(np.float16(8.9)), 0.0]


@pytest.mark.parametrize(
    ("kernel", "check"), [("beyond", "local-memory-size"), ("misaligned", "local-memory-alignment")]
)
def test_an_operand_outside_the_rules_is_a_fault_with_a_stable_name(
    vector: KernelLibrary, kernel: str, check: str
) -> None:
    with pytest.raises(RuntimeError, match=check):
        vector.run(kernel)


def test_duplicate_skips_blocks_by_its_stride(vector: KernelLibrary) -> None:
    out = np.zeros(512, np.float16)
    vector.run("fill", 0, 0, out, 0, 0, 0, 512, 0)
    expected = np.zeros((32, 16), np.float16)
    expected[::2] = 2
    _same(out, expected.reshape(-1))


def test_brcb_fills_a_block_with_each_element(vector: KernelLibrary) -> None:
    x = np.arange(1, 17, dtype=np.float16)
    out = np.zeros(256, np.float16)
    vector.run("brcb", x, 0, out)
    _same(out, np.repeat(x, 16))


def test_create_vec_index_counts_from_the_first_value(vector: KernelLibrary) -> None:
    out = np.zeros(300, np.int32)
    vector.run("index", 0, 0, out, 0, 0, 0, 300, 0)
    assert out.tolist() == list(range(5, 305))


@pytest.mark.parametrize(
    ("body", "arch", "words"),
    [
        ("LocalTensor<bfloat16_t> x; Add(x, x, x, 16);", 2201, ("Add: dav-2201 takes the element types", "half")),
        ("LocalTensor<uint8_t> x; Abs(x, x, 16);", 3510, ("Abs: dav-3510",)),
        ("LocalTensor<half> x; Neg(x, x, 16);", 2201, ("Neg: dav-2201",)),
    ],
)
def test_a_type_that_the_chip_lacks_is_refused_by_name(body: str, arch: int, words: tuple[str, ...]) -> None:
    message = compiler_message(body, arch)
    assert all(word in message for word in words)


def test_a_vector_call_on_a_cube_core_does_nothing() -> None:
    cube = compile_kernels(
        {"add": "LocalTensor<float> x(TPosition::VECIN, 0, 64); Add(x, x, x, 64); Exp(x, x, 64);"}, kind="CUBE"
    )
    assert cube.run("add") == ""
