# Licensed under the Apache License, Version 2.0.
"""Advanced API and what only dav-3510 has: spec ascendc_adv_host.md 1 to 5, 8, 12, ascendc_vector.md 3 and 7."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.plugins.twin.vector_machine import KernelLibrary, compile_kernels, compiler_message

Array = NDArray[Any]

FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "Sin": np.sin,
    "Cos": np.cos,
    "Tanh": np.tanh,
    "Tan": np.tan,
    "Asinh": np.arcsinh,
    "Atan": np.arctan,
    "Ceil": np.ceil,
    "Floor": np.floor,
    "Round": np.rint,
    "Trunc": np.trunc,
    "Sign": np.sign,
    "Frac": lambda x: x - np.trunc(x),
}
TYPES: dict[str, Any] = {"half": np.float16, "float": np.float32}


def _kernels() -> dict[str, str]:
    kernels: dict[str, str] = {}
    for t in TYPES:
        for name in FUNCTIONS:
            kernels[f"{name}_{t}"] = (
                f"auto x = ub.Load<{t}>(a, n), z = ub.New<{t}>(n); auto w = ub.New<uint8_t>(256);"
                f"{name}(z, x, w, uint32_t(n)); ub.Store<{t}>(c, z, n);"
            )
        kernels[f"gates_{t}"] = f"""
            auto x = ub.Load<{t}>(a, n), y = ub.Load<{t}>(b, n); auto z = ub.New<{t}>(n);
            Sigmoid(z, x, uint32_t(n)); ub.Store<{t}>(c, z, n); Silu(z, x, uint32_t(n)); ub.Store<{t}>(d, z, n);
            SwiGLU(z, x, y, 1.0f, uint32_t(n)); ub.Store<{t}>(e, z, n); Gelu(z, x, uint32_t(n));
        ub.Store<{t}>(f, z, n);"""
        kernels[f"softmax_{t}"] = f"""
            auto x = ub.Load<{t}>(a, 4 * 32); auto z = ub.New<{t}>(4 * 32);
        auto s = ub.New<float>(64), m1 = ub.New<float>(64);
            SoftMaxTiling tiling; SoftMax<{t}>(z, s, m1, x, tiling, SoftMaxShapeInfo{{4, 32, 4, 20}});
            ub.Store<{t}>(c, z, 128); ub.Store<float>(d, s, 32); ub.Store<float>(e, m1, 32);"""
    kernels["power"] = """
        auto x = ub.Load<float>(a, n), y = ub.Load<float>(b, n), z = ub.New<float>(n); Power(z, x, y, uint32_t(n));
        ub.Store<float>(c, z, n); auto i = ub.New<int32_t>(8); Duplicate(i, int32_t(-3), 8);
        Power(i, i, int32_t(3), uint32_t(8));
        ub.Store<int32_t>(d, i, 1);"""
    kernels["rms"] = """
        auto x = ub.Load<float>(a, 4 * 64), g = ub.Load<float>(b, 64), z = ub.New<float>(256); RmsNormTiling t;
        t.bLength = 2; t.sLength = 2; t.hLength = 64; t.originalHLength = 64; RmsNorm(z, x, g, 1e-5f, t);
        ub.Store<float>(c, z, 256);"""
    kernels["layer_norm"] = """
        auto x = ub.Load<float>(a, 4 * 64), g = ub.Load<float>(b, 64), z = ub.New<float>(256);
        auto m1 = ub.New<float>(8), v = ub.New<float>(8);
        LayerNormTiling t; t.bLength = 2; t.sLength = 2; t.hLength = 64; t.originalHLength = 64;
        LayerNorm(z, m1, v, x, g, g, 1e-5f, t); ub.Store<float>(c, z, 256); ub.Store<float>(d, m1, 4);
        ub.Store<float>(e, v, 4);"""
    kernels["flash"] = """
        auto x = ub.Load<float>(a, 2 * 2 * 64), z = ub.New<float>(128), s = ub.New<float>(64), m1 = ub.New<float>(64),
             q = ub.New<float>(64); SoftMaxTiling t; SoftMaxShapeInfo shape{2, 64, 2, 64};
        SoftmaxFlashV2<float, false>(z, s, m1, x, q, s, m1, t, shape);
        SoftmaxFlashV2<float, true>(z, s, m1, x[128], q, s, m1, t, shape); ub.Store<float>(c, s, 16);
        ub.Store<float>(d, m1, 16);
        ub.Store<float>(e, q, 16);"""
    kernels["sums"] = """
        auto x = ub.Load<float>(a, 3 * 104); auto z = ub.New<float>(8); Sum(z, x, SumParams{3, 104, 100});
        ub.Store<float>(c, z, 3);"""
    kernels["broadcast"] = """
        auto x = ub.Load<float>(a, 8); auto z = ub.New<float>(64);
        uint32_t to[2] = {8, 8}, from[2] = {8, 1}, row[2] = {1, 8};
        Broadcast<float, 2, 1>(z, x, to, from); ub.Store<float>(c, z, 64);
        Broadcast<float, 2, 0>(z, x, to, row); ub.Store<float>(d, z, 64);"""
    kernels["matrix"] = """
        auto x = ub.Load<float>(a, 4 * 16); auto w = ub.New<uint8_t>(256); auto z = ub.New<float>(16);
        uint32_t shape[2] = {4, 10};
        ReduceSum<float, Pattern::Reduce::AR>(z, x, w, shape, true); ub.Store<float>(c, z, 4);
        ReduceMax<float, Pattern::Reduce::RA>(z, x, shape, true); ub.Store<float>(d, z, 10);
        ReduceAny<float, Pattern::Reduce::AR>(z, x, shape, true); ub.Store<float>(e, z, 4);"""
    kernels["tiling"] = """
        struct Shape { uint32_t rows; float scale; uint64_t size; }; REGISTER_TILING_DEFAULT(Shape);
        GET_TILING_DATA(whole, a); GET_TILING_DATA_MEMBER(Shape, scale, part, a);
        GET_TILING_DATA_WITH_STRUCT(Shape, again, a);
        auto g = Global<float>(c); g.SetValue(0, float(whole.rows)); g.SetValue(1, part);
        g.SetValue(2, float(again.size));"""
    return kernels


LATER = {
    "bf16": """auto x = ub.Load<bfloat16_t>(a, n), y = ub.Load<bfloat16_t>(b, n); Add(x, x, y, int32_t(n));
        ub.Store<bfloat16_t>(c, x, n);""",
    "bytes": """auto x = ub.Load<uint8_t>(a, n), y = ub.Load<uint8_t>(b, n); Add(x, x, y, int32_t(n));
        ub.Store<uint8_t>(c, x, n);""",
    "long": """auto x = ub.Load<int64_t>(a, n), y = ub.Load<int64_t>(b, n); Max(x, x, y, int32_t(n));
        ub.Store<int64_t>(c, x, n);""",
    "scatter": """auto x = ub.Load<float>(a, 64), z = ub.New<float>(64); auto o = ub.Load<uint32_t>(b, 64);
        Scatter(z, x, o, uint32_t(0), uint32_t(64)); ub.Store<float>(c, z, 64);""",
    "interleave": """auto x = ub.Load<half>(a, n), y = ub.Load<half>(b, n);
        auto p = ub.New<half>(n), q = ub.New<half>(n);
        Interleave(p, q, x, y, int32_t(n)); ub.Store<half>(c, p, n); ub.Store<half>(d, q, n);
        DeInterleave(x, y, p, q, int32_t(n)); ub.Store<half>(e, x, n);""",
    "compare": """auto x = ub.Load<float>(a, 64); auto s = ub.New<uint8_t>(32);
        Compares(s, x, 0.0f, CMPMODE::NE, 40, 1, {1, 1, 8, 8});
        ub.Store<uint8_t>(c, s, 8);""",
    "compact": """auto x = ub.Load<half>(c, 32); DataCopyPad<half, PaddingMode::Compact>(x, Global<half>(a),
        DataCopyExtParams(3, 10, 2, 0, 0), DataCopyPadExtParams<half>(true, 0, 0, half(-1.0f)));
        ub.Store<half>(c, x, 32);""",
    "fma": """auto x = ub.Load<float>(a, n), y = ub.Load<float>(b, n), z = ub.Load<float>(c, n);
        MulAddDst(z, x, y, int32_t(n)); ub.Store<float>(c, z, n);""",
    "atomic_add": """auto g = Global<uint32_t>(c);
        g.SetValue(0, AtomicAdd(reinterpret_cast<__gm__ uint32_t*>(a), 5u));""",
}


@pytest.fixture(scope="module")
def vector() -> KernelLibrary:
    return compile_kernels(_kernels())


@pytest.fixture(scope="module")
def later() -> KernelLibrary:
    return compile_kernels(LATER, arch=3510)


def _random(dtype: Any, count: int, seed: int = 1) -> Array:
    return np.random.default_rng(seed).normal(scale=3, size=count).astype(dtype)


@pytest.mark.parametrize("kind", list(TYPES))
@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_a_function_is_rounded_once_from_the_exact_value(vector: KernelLibrary, name: str, kind: str) -> None:
    x = _random(TYPES[kind], 150)
    out = np.zeros_like(x)
    vector.run(f"{name}_{kind}", x, 0, out, 0, 0, 0, 150, 0)
    expected = FUNCTIONS[name](x.astype(np.float64)).astype(TYPES[kind])
    np.testing.assert_allclose(out, expected, rtol=np.finfo(TYPES[kind]).eps)


@pytest.mark.parametrize(("kind", "tolerance"), [("half", 4e-3), ("float", 1e-6)])
def test_gates_follow_their_formulas(vector: KernelLibrary, kind: str, tolerance: float) -> None:
    x, y = _random(TYPES[kind], 100, 1), _random(TYPES[kind], 100, 2)
    out = [np.zeros_like(x) for _ in range(4)]
    vector.run(f"gates_{kind}", x, y, *out, 100, 0)
    wide, gate = x.astype(np.float64), y.astype(np.float64)
    sigmoid = 1 / (1 + np.exp(-wide))
    gelu = wide / (1 + np.exp(-1.595769122 * (wide + 0.044715 * wide**3)))
    expected = [sigmoid, wide * sigmoid, wide * gate / (1 + np.exp(-gate)), gelu]
    for found, value in zip(out, expected, strict=True):
        np.testing.assert_allclose(found.astype(np.float64), value, rtol=tolerance, atol=tolerance / 100)


@pytest.mark.parametrize(("kind", "tolerance"), [("half", 1e-3), ("float", 1e-6)])
def test_softmax_reduces_over_the_real_columns_and_fills_statistics_blocks(
    vector: KernelLibrary, kind: str, tolerance: float
) -> None:
    x = _random(TYPES[kind], 128).reshape(4, 32)
    out = np.zeros_like(x)
    total, largest = np.zeros((4, 8), np.float32), np.zeros((4, 8), np.float32)
    vector.run(f"softmax_{kind}", x, 0, out, total, largest)
    real = x[:, :20].astype(np.float64)
    power = np.exp(real - real.max(1, keepdims=True))
    np.testing.assert_allclose(out[:, :20], power / power.sum(1, keepdims=True), rtol=tolerance, atol=1e-7)
    np.testing.assert_allclose(total, np.repeat(power.sum(1, keepdims=True), 8, 1), rtol=1e-6)
    np.testing.assert_array_equal(largest, np.repeat(real.max(1, keepdims=True), 8, 1))


def test_flash_softmax_carries_its_statistics_from_block_to_block(vector: KernelLibrary) -> None:
    x = _random(np.float32, 256)
    total, largest, factor = (np.zeros((2, 8), np.float32) for _ in range(3))
    vector.run("flash", x, 0, total, largest, factor)
    first, second = x[:128].reshape(2, 64).astype(np.float64), x[128:].reshape(2, 64).astype(np.float64)
    both = np.concatenate([first, second], 1)
    top = both.max(1, keepdims=True)
    np.testing.assert_array_equal(largest[:, :1], top)
    np.testing.assert_allclose(total[:, :1], np.exp(both - top).sum(1, keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(factor[:, :1], np.exp(first.max(1, keepdims=True) - top), rtol=1e-6)


def test_power_follows_the_rules_of_pow(vector: KernelLibrary) -> None:
    base = np.array([2, -2, -2, 0, np.inf, 1, 4], np.float32)
    exponent = np.array([10, 3, 0.5, 0, -1, np.inf, 0.5], np.float32)
    out, cube = np.zeros_like(base), np.zeros(1, np.int32)
    vector.run("power", base, exponent, out, cube, 0, 0, base.size, 0)
    np.testing.assert_array_equal(out, np.array([1024, -8, np.nan, 1, 0, 1, 2], np.float32))
    assert cube[0] == -27


def test_norms_scale_each_row(vector: KernelLibrary) -> None:
    x, gamma = _random(np.float32, 256, 1).reshape(4, 64), _random(np.float32, 64, 2)
    rms, normal = np.zeros_like(x), np.zeros_like(x)
    mean, variance = np.zeros(4, np.float32), np.zeros(4, np.float32)
    vector.run("rms", x, gamma, rms)
    vector.run("layer_norm", x, gamma, normal, mean, variance)
    np.testing.assert_allclose(rms, gamma * x / np.sqrt((x**2).mean(1, keepdims=True) + 1e-5), rtol=1e-5)
    centred = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(normal, gamma * centred + gamma, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(variance, x.var(1), rtol=1e-5)
    np.testing.assert_allclose(mean, x.mean(1), rtol=1e-4, atol=1e-6)


def test_sums_skip_the_padding_of_rows(vector: KernelLibrary) -> None:
    x = _random(np.float32, 312).reshape(3, 104)
    out = np.zeros(3, np.float32)
    vector.run("sums", x, 0, out)
    np.testing.assert_allclose(out, x[:, :100].sum(1), rtol=1e-5)


def test_broadcast_repeats_columns_or_rows(vector: KernelLibrary) -> None:
    x = np.arange(8, dtype=np.float32)
    columns, rows = np.zeros((8, 8), np.float32), np.zeros((8, 8), np.float32)
    vector.run("broadcast", x, 0, columns, rows)
    np.testing.assert_array_equal(columns, np.repeat(x[:, None], 8, 1))
    np.testing.assert_array_equal(rows, np.repeat(x[None, :], 8, 0))


def test_matrices_reduce_along_either_axis(vector: KernelLibrary) -> None:
    x = np.zeros((4, 16), np.float32)
    x[:3, :10] = _random(np.float32, 30).reshape(3, 10)
    x[:, 10:] = 1000
    rows, columns, some = np.zeros(4, np.float32), np.zeros(10, np.float32), np.zeros(4, np.float32)
    vector.run("matrix", x, 0, rows, columns, some)
    np.testing.assert_allclose(rows, x[:, :10].sum(1), rtol=1e-5)
    np.testing.assert_array_equal(columns, x[:, :10].max(0))
    assert some.tolist() == [1, 1, 1, 0]


def test_tiling_macros_copy_the_structure_and_its_members(vector: KernelLibrary) -> None:
    data = np.zeros(1, np.dtype([("rows", np.uint32), ("scale", np.float32), ("size", np.uint64)]))
    data[0] = (3, 0.5, 9)
    out = np.zeros(3, np.float32)
    vector.run("tiling", data, 0, out)
    assert out.tolist() == [3, 0.5, 9]


def test_bfloat16_arithmetic_widens_and_rounds_once_on_the_3510(later: KernelLibrary) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x, y = (_random(np.float32, 100, seed).astype(ml_dtypes.bfloat16) for seed in (1, 2))
    out = np.zeros(100, ml_dtypes.bfloat16)
    later.run("bf16", x, y, out, 0, 0, 0, 100, 0)
    np.testing.assert_array_equal(out, (x.astype(np.float32) + y.astype(np.float32)).astype(ml_dtypes.bfloat16))


def test_bytes_and_long_integers_have_count_forms_on_the_3510(later: KernelLibrary) -> None:
    x, y = np.arange(200, dtype=np.uint8), np.full(200, 100, np.uint8)
    out = np.zeros(200, np.uint8)
    later.run("bytes", x, y, out, 0, 0, 0, 200, 0)
    np.testing.assert_array_equal(out, x + y)
    p, q = np.array([2**40, -3, 0], np.int64), np.array([5, -(2**50), 1], np.int64)
    wide = np.zeros(3, np.int64)
    later.run("long", p, q, wide, 0, 0, 0, 3, 0)
    np.testing.assert_array_equal(wide, np.maximum(p, q))


def test_scatter_and_interleave_move_elements_on_the_3510(later: KernelLibrary) -> None:
    order = np.random.default_rng(1).permutation(64)
    x, out = _random(np.float32, 64), np.zeros(64, np.float32)
    later.run("scatter", x, (order * 4).astype(np.uint32), out)
    np.testing.assert_array_equal(out[order], x)
    p, q = np.arange(1, 513).astype(np.float16), np.arange(513, 1025).astype(np.float16)
    low, high, again = np.zeros_like(p), np.zeros_like(p), np.zeros_like(p)
    later.run("interleave", p, q, low, high, again, 0, 512, 0)
    assert low[:4].tolist() == [1, 513, 2, 514]
    assert high[:4].tolist() == [257, 769, 258, 770]
    np.testing.assert_array_equal(again, p)


def test_compare_honours_its_mask_and_nan_is_unequal_on_the_3510(later: KernelLibrary) -> None:
    x, bits = np.full(64, np.nan, np.float32), np.zeros(8, np.uint8)
    later.run("compare", x, 0, bits)
    assert bits.tolist() == [255] * 5 + [0] * 3


def test_compact_padding_packs_rows_on_the_3510(later: KernelLibrary) -> None:
    x, out = np.arange(18, dtype=np.float16), np.full(32, 9, np.float16)
    later.run("compact", x, 0, out)
    assert out.tolist() == [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, -1, *[9] * 16]


def test_multiply_and_add_round_once_on_the_3510(later: KernelLibrary) -> None:
    x, y, start = np.array([1 + 2**-12], np.float32), np.array([1 - 2**-12], np.float32), np.array([-1], np.float32)
    later.run("fma", x, y, start, 0, 0, 0, 1, 0)
    assert start[0] == -(2.0**-24)


def test_scalar_atomics_return_the_old_value_on_the_3510(later: KernelLibrary) -> None:
    word, out = np.array([7], np.uint32), np.zeros(1, np.uint32)
    later.run("atomic_add", word, 0, out)
    assert (word[0], out[0]) == (12, 7)


def test_what_the_2201_lacks_is_refused_by_name() -> None:
    assert "Scatter: dav-2201" in compiler_message(
        "LocalTensor<float> x; LocalTensor<uint32_t> o; Scatter(x, x, o, uint32_t(0), uint32_t(8));", 2201
    )
    assert "no compact padding mode" in compiler_message(
        "LocalTensor<half> x; DataCopyPad<half, PaddingMode::Compact>(x, Global<half>(a), DataCopyExtParams(), "
        "DataCopyPadExtParams<half>());",
        2201,
    )
