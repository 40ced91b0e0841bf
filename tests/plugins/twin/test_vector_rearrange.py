# Licensed under the Apache License, Version 2.0.
"""Compare, Select, Cast, reductions, gather, sort and transpose: spec ascendc_vector.md sections 5 to 10 and 15."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.plugins.twin.vector_machine import KernelLibrary, compile_kernels, compiler_message

Array = NDArray[Any]

MODES = {
    "LT": np.less,
    "GT": np.greater,
    "EQ": np.equal,
    "LE": np.less_equal,
    "GE": np.greater_equal,
    "NE": np.not_equal,
}
ROUNDING: dict[str, Callable[[Array], Array]] = {
    "RINT": np.rint,
    "FLOOR": np.floor,
    "CEIL": np.ceil,
    "TRUNC": np.trunc,
    "ROUND": lambda x: np.sign(x) * np.floor(np.abs(x) + 0.5),
}
TYPES: dict[str, Any] = {
    "half": np.float16,
    "float": np.float32,
    "int8_t": np.int8,
    "uint8_t": np.uint8,
    "int16_t": np.int16,
    "int32_t": np.int32,
    "int64_t": np.int64,
}
TO_INTEGER = [
    ("half", "int8_t"),
    ("half", "uint8_t"),
    ("half", "int16_t"),
    ("half", "int32_t"),
    ("float", "int16_t"),
    ("float", "int32_t"),
    ("float", "int64_t"),
]
EXACT = [
    ("int8_t", "half"),
    ("uint8_t", "half"),
    ("int16_t", "float"),
    ("half", "float"),
    ("int32_t", "int64_t"),
    ("int32_t", "int16_t"),
    ("int64_t", "int32_t"),
    ("float", "half"),
    ("int16_t", "half"),
    ("int32_t", "float"),
]


def _cast(source: str, target: str, mode: str) -> str:
    return (
        f"auto x = ub.Load<{source}>(a, n); auto z = ub.New<{target}>(n);"
        f"Cast(z, x, RoundMode::CAST_{mode}, uint32_t(n)); ub.Store<{target}>(c, z, n);"
    )


def _kernels() -> dict[str, str]:
    kernels: dict[str, str] = {}
    for t in ("half", "float"):
        for mode in MODES:
            kernels[f"cmp_{mode}_{t}"] = f"""
                auto x = ub.Load<{t}>(a, n), y = ub.Load<{t}>(b, n); auto z = ub.Load<uint8_t>(c, m);
                Compare(z, x, y, CMPMODE::{mode}, uint32_t(n)); ub.Store<uint8_t>(c, z, m);"""
        kernels[f"select_{t}"] = f"""
            auto x = ub.Load<{t}>(a, n), y = ub.Load<{t}>(b, n), z = ub.Load<{t}>(c, n);
        auto s = ub.Load<uint8_t>(d, 64);
            if (m == 0) Select(z, s, x, y, SELMODE::VSEL_CMPMASK_SPR, uint32_t(n));
            if (m == 1) Select(z, s, x, {t}(9.0f), SELMODE::VSEL_TENSOR_SCALAR_MODE, uint32_t(n));
            if (m == 2) Select(z, s, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, uint32_t(n));
            ub.Store<{t}>(c, z, n);"""
        kernels[f"reduce_{t}"] = f"""
            auto x = ub.Load<{t}>(a, n); auto z = ub.New<{t}>(64), w = ub.New<{t}>(1024); Duplicate(z, {t}(0.0f), 64);
            ReduceSum(z, x, w, int32_t(n)); ub.Store<{t}>(c, z, 1);
            ReduceMax(z, x, w, int32_t(n), true); ub.Store<{t}>(d, z, 2);
            ReduceMin(z, x, w, int32_t(n), true); ub.Store<{t}>(e, z, 2);"""
        kernels[f"tree_{t}"] = f"""
            auto x = ub.Load<{t}>(a, n); auto z = ub.New<{t}>(64), w = ub.New<{t}>(1024);
            ReduceSum(z, x, w, sktwin::kLanes<{t}>, int32_t(n / sktwin::kLanes<{t}>), 8); ub.Store<{t}>(c, z, 1);"""
    kernels["select_masked"] = """
        auto x = ub.Load<half>(a, 128), z = ub.Load<half>(c, 128); auto s = ub.Load<uint8_t>(d, 64);
        Select(z, s, x, half(9.0f), SELMODE::VSEL_TENSOR_SCALAR_MODE, 64, 1, {1, 1, 1, 8, 8, 8});
        ub.Store<half>(c, z, 128);"""
    for source, target in TO_INTEGER:
        for mode in ROUNDING:
            kernels[f"cast_{source}_{target}_{mode}"] = _cast(source, target, mode)
    for source, target in EXACT:
        kernels[f"cast_{source}_{target}_NONE"] = _cast(source, target, "NONE")
    for mode in (*ROUNDING, "ODD"):
        kernels[f"cast_float_half_{mode}"] = _cast("float", "half", mode)
    for mode in ROUNDING:
        kernels[f"cast_float_bfloat16_t_{mode}"] = _cast("float", "bfloat16_t", mode)
        kernels[f"cast_float_float_{mode}"] = _cast("float", "float", mode)
        kernels[f"cast_int64_t_float_{mode}"] = _cast("int64_t", "float", mode)
    kernels["cast_int4"] = """
        auto x = ub.Load<half>(a, n); auto q = ub.New<int8_t>(n).ReinterpretCast<int4b_t>(); auto z = ub.New<half>(n);
        Cast(q, x, RoundMode::CAST_RINT, uint32_t(n)); Cast(z, q, RoundMode::CAST_NONE, uint32_t(n));
        ub.Store<int8_t>(b, q.ReinterpretCast<int8_t>(), n / 2); ub.Store<half>(c, z, n);"""
    kernels["cast_repeat"] = """
        auto x = ub.Load<half>(a, 128); auto z = ub.New<float>(128);
        Cast(z, x, RoundMode::CAST_NONE, 64, 2, {1, 1, 8, 4}); ub.Store<float>(c, z, 128);"""
    kernels["bad_mode"] = """
        auto x = ub.Load<half>(a, 128); auto z = ub.New<float>(128); Cast(z, x, RoundMode::CAST_FLOOR, 128);"""
    kernels["cast_deq"] = """
        auto x = ub.Load<int16_t>(a, 16); auto z = ub.Load<int8_t>(c, 32); SetDeqScale(1.0f, 0, true);
        CastDequant<int8_t, int16_t, false, true>(z, x, 16); ub.Store<int8_t>(c, z, 32);"""
    kernels["whole_max"] = """
        auto x = ub.Load<half>(a, 512); auto z = ub.New<half>(64);
        WholeReduceMax(z, x, 128, 4, 1, 1, 8); ub.Store<half>(b, z, 8);
        WholeReduceMax(z, x, 128, 4, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE); ub.Store<half>(c, z, 4);
        WholeReduceMax(z, x, 128, 4, 1, 1, 8, ReduceOrder::ORDER_ONLY_INDEX); ub.Store<half>(d, z, 8);
        half value, index; GetReduceMaxMinCount(value, index);
        auto* g = reinterpret_cast<half*>(e); g[0] = value; g[1] = index;"""
    kernels["block_sum"] = """
        auto x = ub.Load<float>(a, 64); auto z = ub.New<float>(64);
        BlockReduceSum(z, x, 1, 64, 1, 1, 8); ub.Store<float>(c, z, 8);
        WholeReduceSum(z, x, 64, 1, 1, 1, 8); ub.Store<float>(d, z, 1);"""
    kernels["block_empty"] = """
        auto x = ub.Load<float>(a, 64); auto z = ub.Load<float>(c, 8);
        BlockReduceMax(z, x, 1, 32, 1, 1, 8); ub.Store<float>(c, z, 8);"""
    kernels["pair_sum"] = """
        auto x = ub.Load<half>(a, 128); auto z = ub.New<half>(64);
        PairReduceSum(z, x, 1, 128, 1, 1, 8); ub.Store<half>(c, z, 64);"""
    kernels["gather"] = """
        auto x = ub.Load<half>(a, 128); auto o = ub.Load<uint32_t>(b, 128); auto z = ub.New<half>(128);
        Gather(z, x, o, uint32_t(0), uint32_t(128)); ub.Store<half>(c, z, 128);"""
    kernels["gather_mask"] = """
        auto x = ub.Load<uint32_t>(a, 256), p = ub.Load<uint32_t>(b, 64), z = ub.New<uint32_t>(256); uint64_t kept = 0;
        auto* g = reinterpret_cast<uint64_t*>(d);
        if (m == 0) GatherMask(z, x, uint8_t(2), false, 0, {1, 4, 8, 0}, kept);
        if (m == 1) GatherMask(z, x, uint8_t(2), true, 70, {1, 2, 8, 0}, kept);
        if (m == 2) GatherMask(z, x, p, false, 0, {1, 4, 8, 0}, kept);
        *g = kept; ub.Store<uint32_t>(c, z, kept);"""
    kernels["sort32"] = """
        auto x = ub.Load<float>(a, 64); auto i = ub.Load<uint32_t>(b, 64);
        auto z = ub.New<float>(128), w = ub.New<float>(128);
        Sort32(z, x, i, 2);
        MrgSort(w, MrgSortSrcList<float>(z, z[64], z, z), MrgSort4Info((const uint16_t[]){32, 32, 0, 0}, m != 0, 3, 1));
        ub.Store<float>(c, w, 128); auto* g = reinterpret_cast<uint16_t*>(d);
        GetMrgSortResult(g[0], g[1], g[2], g[3]);"""
    kernels["sort_full"] = """
        auto x = ub.Load<half>(a, n); auto i = ub.Load<uint32_t>(b, n);
        auto z = ub.New<half>(n * 4), w = ub.New<half>(n * 4);
        auto v = ub.New<half>(n); auto j = ub.New<uint32_t>(n); LocalTensor<half> together;
        Concat(together, x, w, int32_t(n / 16)); Sort<half, true>(z, together, i, w, int32_t(n / 32));
        Extract(v, j, z, int32_t(n / 32)); ub.Store<half>(c, v, n); ub.Store<uint32_t>(d, j, n);"""
    kernels["transpose"] = """
        auto x = ub.Load<half>(a, 256); Transpose(x, x); ub.Store<half>(c, x, 256);"""
    kernels["transdata"] = """
        auto x = ub.Load<float>(a, 128); auto z = ub.New<float>(128); LocalTensor<float> s[16], d16[16];
        for (int i = 0; i < 16; ++i) { s[i] = x[i * 8]; d16[i] = z[i * 8]; }
        TransDataTo5HD<float>(d16, s, TransDataTo5HDParams(false, false, 1, 0, 0)); ub.Store<float>(c, z, 128);"""
    kernels["cmp_register"] = """
        auto x = ub.Load<float>(a, 64), y = ub.Load<float>(b, 64), z = ub.New<float>(64); auto s = ub.New<uint8_t>(32);
        Compare(x, y, CMPMODE::LT, 64, {1, 1, 1, 8, 8, 8}); GetCmpMask(s); SetCmpMask(s);
        Select<float, SELMODE::VSEL_CMPMASK_SPR>(z, x, y, 1, {1, 1, 1, 8, 8, 8});
        ub.Store<uint8_t>(c, s, 8); ub.Store<float>(d, z, 64);"""
    return kernels


@pytest.fixture(scope="module")
def vector() -> KernelLibrary:
    return compile_kernels(_kernels())


def _random(dtype: Any, count: int, seed: int = 1) -> Array:
    return np.random.default_rng(seed).normal(scale=100, size=count).astype(dtype)


@pytest.mark.parametrize("kind", ["half", "float"])
@pytest.mark.parametrize("mode", list(MODES))
def test_compare_packs_bits_and_is_false_for_nan(vector: KernelLibrary, mode: str, kind: str) -> None:
    x, y = _random(TYPES[kind], 256, 1), _random(TYPES[kind], 256, 2)
    y[::3] = x[::3]
    x[5], y[6] = np.nan, np.nan
    out = np.full(40, 0x55, np.uint8)
    vector.run(f"cmp_{mode}_{kind}", x, y, out, 0, 0, 0, 256, 40)
    expected = MODES[mode](x, y) & ~np.isnan(x) & ~np.isnan(y)
    np.testing.assert_array_equal(np.unpackbits(out[:32], bitorder="little").astype(bool), expected)
    assert out[32:].tolist() == [0x55] * 8


def test_compare_drops_the_part_after_the_last_whole_repeat(vector: KernelLibrary) -> None:
    out = np.full(40, 0x55, np.uint8)
    vector.run("cmp_EQ_float", np.zeros(100, np.float32), np.zeros(100, np.float32), out, 0, 0, 0, 100, 40)
    assert out[:9].tolist() == [255] * 8 + [0x55]


@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("kind", ["half", "float"])
def test_select_takes_src0_where_the_bit_is_set(vector: KernelLibrary, kind: str, mode: int) -> None:
    x, y = _random(TYPES[kind], 200, 1), _random(TYPES[kind], 200, 2)
    bits = np.random.default_rng(3).integers(0, 256, 64, dtype=np.uint8)
    out = np.zeros_like(x)
    vector.run(f"select_{kind}", x, y, out, bits, 0, 0, 200, mode)
    lanes = 256 // x.itemsize
    index = np.arange(200) % lanes if mode == 0 else np.arange(200)
    chosen = np.unpackbits(bits, bitorder="little")[index].astype(bool)
    np.testing.assert_array_equal(out, np.where(chosen, x, TYPES[kind](9) if mode == 1 else y))


def test_lanes_outside_the_mask_of_select_keep_their_value(vector: KernelLibrary) -> None:
    out = np.full(128, 4, np.float16)
    vector.run("select_masked", np.ones(128, np.float16), 0, out, np.full(64, 0xAA, np.uint8))
    assert out.tolist() == [9.0, 1.0] * 32 + [4.0] * 64


def test_compare_into_the_register_feeds_select(vector: KernelLibrary) -> None:
    x, y = _random(np.float32, 64, 1), _random(np.float32, 64, 2)
    bits, out = np.zeros(8, np.uint8), np.zeros(64, np.float32)
    vector.run("cmp_register", x, y, bits, out)
    np.testing.assert_array_equal(np.unpackbits(bits, bitorder="little").astype(bool), x < y)
    np.testing.assert_array_equal(out, np.minimum(x, y))


@pytest.mark.parametrize("mode", list(ROUNDING))
@pytest.mark.parametrize(("source", "target"), TO_INTEGER)
def test_casts_to_integers_round_by_the_mode_and_saturate(
    vector: KernelLibrary, source: str, target: str, mode: str
) -> None:
    fixed = np.array(
        [1.4, 1.5, 1.6, 2.4, 2.5, 2.6, -1.5, -0.5, 0.5, 127.5, 300, -300, 65504, np.inf, -np.inf, np.nan, -0.0]
    )
    x = np.concatenate([fixed.astype(TYPES[source]), _random(TYPES[source], 100)])
    out = np.zeros(x.size, TYPES[target])
    vector.run(f"cast_{source}_{target}_{mode}", x, 0, out, 0, 0, 0, x.size, 0)
    limits = np.iinfo(TYPES[target])
    exact = np.nan_to_num(ROUNDING[mode](x.astype(np.float64)), nan=0.0, posinf=1e30, neginf=-1e30)
    expected = [max(limits.min, min(limits.max, int(value))) for value in exact]
    assert out.tolist() == expected


@pytest.mark.parametrize(("source", "target"), EXACT)
def test_casts_without_a_mode_are_exact_or_to_nearest_even_and_saturate(
    vector: KernelLibrary, source: str, target: str
) -> None:
    dtype = TYPES[source]
    if np.issubdtype(dtype, np.integer):
        limits = np.iinfo(dtype)
        x = np.random.default_rng(1).integers(limits.min, limits.max, 300, dtype=dtype, endpoint=True)
        x[:3] = [limits.min, limits.max, 0]
    else:
        x = _random(dtype, 300)
        x[:3] = [np.inf, -np.inf, 1e5] if dtype == np.float32 else [np.inf, -np.inf, -0.0]
    out = np.zeros(x.size, TYPES[target])
    vector.run(f"cast_{source}_{target}_NONE", x, 0, out, 0, 0, 0, x.size, 0)
    with np.errstate(over="ignore"):
        if np.issubdtype(TYPES[target], np.integer):
            limits = np.iinfo(TYPES[target])
            expected = np.clip(x, limits.min, limits.max).astype(TYPES[target])
        else:
            expected = x.astype(np.float64).astype(TYPES[target])
    np.testing.assert_array_equal(out, expected)


def _neighbours(x: Array, bits: type[Any], narrow: Callable[[Array], Array]) -> tuple[Array, Array, Array]:
    """Magnitudes below and above, as values, with the exactness of each."""
    magnitude = np.abs(x.astype(np.float64))
    near = narrow(magnitude).view(bits)
    low = np.where(near.view(narrow(magnitude).dtype).astype(np.float64) > magnitude, near - 1, near).astype(bits)
    return magnitude, low, (low + 1).astype(bits)


@pytest.mark.parametrize("mode", [*ROUNDING, "ODD"])
def test_float_to_half_rounds_by_the_mode(vector: KernelLibrary, mode: str) -> None:
    x = np.concatenate(
        [
            np.array([0.5 + 2**-12, -(0.5 + 2**-12), 0.5 + 3 * 2**-12, 3e-8, -3e-8, 1.0], np.float32),
            _random(np.float32, 300),
            _random(np.float32, 100) * np.float32(1e-7),
        ]
    )
    out = np.zeros(x.size, np.float16)
    vector.run(f"cast_float_half_{mode}", x, 0, out, 0, 0, 0, x.size, 0)
    magnitude, low, high = _neighbours(x, np.uint16, lambda v: v.astype(np.float16))
    below, above = low.view(np.float16).astype(np.float64), high.view(np.float16).astype(np.float64)
    exact = below == magnitude
    up = {
        "RINT": (magnitude - below > above - magnitude) | ((magnitude - below == above - magnitude) & (low % 2 == 1)),
        "ROUND": magnitude - below >= above - magnitude,
        "TRUNC": np.zeros(x.size, bool),
        "FLOOR": x < 0,
        "CEIL": x > 0,
        "ODD": low % 2 == 0,
    }[mode] & ~exact
    expected = np.where(up, high, low).astype(np.uint16) | (np.signbit(x).astype(np.uint16) << np.uint16(15))
    np.testing.assert_array_equal(out.view(np.uint16), expected)


def test_float_to_bfloat16_keeps_the_worked_examples(vector: KernelLibrary) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.concatenate(
        [np.array([0.5 + 2**-9 + 2**-11, np.finfo(np.float32).max, 1.0, -2.5], np.float32), _random(np.float32, 200)]
    )
    out = np.zeros(x.size, np.uint16)
    vector.run("cast_float_bfloat16_t_RINT", x, 0, out, 0, 0, 0, x.size, 0)
    np.testing.assert_array_equal(out, x.astype(ml_dtypes.bfloat16).view(np.uint16))
    assert out[1] == 0x7F80
    vector.run("cast_float_bfloat16_t_FLOOR", x, 0, out, 0, 0, 0, x.size, 0)
    assert out[0] == 0x3F00


@pytest.mark.parametrize("mode", list(ROUNDING))
def test_float_to_float_makes_integral_values_without_negative_zero(vector: KernelLibrary, mode: str) -> None:
    x = np.concatenate([np.array([0.5, -0.5, -0.0, np.inf, np.nan, 1e30, -0.2], np.float32), _random(np.float32, 100)])
    out = np.zeros_like(x)
    vector.run(f"cast_float_float_{mode}", x, 0, out, 0, 0, 0, x.size, 0)
    np.testing.assert_array_equal(out, ROUNDING[mode](x.astype(np.float64)).astype(np.float32))
    assert not np.signbit(out[out == 0]).any()


def test_int64_to_float_rounds_once(vector: KernelLibrary) -> None:
    x = np.array([2**35 + 2**12 + 2**11, 2**62 + 2**38 + 1, -(2**62 + 2**38 + 1), 3], np.int64)
    out = np.zeros(4, np.float32)
    vector.run("cast_int64_t_float_RINT", x, 0, out, 0, 0, 0, 4, 0)
    assert out.tolist() == [float(2**35 + 2**13), float(2**62 + 2**39), -float(2**62 + 2**39), 3.0]
    vector.run("cast_int64_t_float_FLOOR", x, 0, out, 0, 0, 0, 4, 0)
    assert out[0] == float(2**35 + 2**12)


def test_four_bit_integers_pack_the_even_element_low(vector: KernelLibrary) -> None:
    x = np.array([6, 7, -8, 100, -100, 2.5, 3.5, -1], np.float16)
    packed, out = np.zeros(4, np.uint8), np.zeros(8, np.float16)
    vector.run("cast_int4", x, packed, out, 0, 0, 0, 8, 0)
    assert packed[0] == 0x76
    assert out.tolist() == [6, 7, -8, 7, -8, 2, 4, -1]


def test_a_widening_cast_takes_half_the_blocks_of_its_source(vector: KernelLibrary) -> None:
    x = _random(np.float16, 128)
    out = np.zeros(128, np.float32)
    vector.run("cast_repeat", x, 0, out)
    np.testing.assert_array_equal(out, x.astype(np.float32))


def test_a_rounding_mode_that_the_pair_lacks_is_a_fault(vector: KernelLibrary) -> None:
    with pytest.raises(RuntimeError, match="cast-round-mode"):
        vector.run("bad_mode", np.zeros(128, np.float16))


def test_a_pair_that_the_chip_cannot_cast_is_refused() -> None:
    body = "LocalTensor<half> x; LocalTensor<bfloat16_t> y; Cast(y, x, RoundMode::CAST_RINT, 16);"
    assert "no conversion between these element types" in compiler_message(body, 2201)
    assert compiler_message(body, 3510) == ""


def test_dequantised_bytes_go_to_the_chosen_half_of_the_block(vector: KernelLibrary) -> None:
    x = np.array([20, 53, -300, 300, *range(12)], np.int16)
    out = np.zeros(32, np.int8)
    vector.run("cast_deq", x, 0, out)
    assert out.tolist() == [0] * 16 + [20, 53, -128, 127, *range(12)]


def _tree(x: Array) -> Any:
    while x.size > 1:
        x = x[::2] + x[1::2]
    return x[0]


@pytest.mark.parametrize("count", [1, 64, 288, 700])
@pytest.mark.parametrize("kind", ["half", "float"])
def test_whole_tensor_reductions_follow_tree_and_first_index(vector: KernelLibrary, kind: str, count: int) -> None:
    dtype = TYPES[kind]
    x = np.round(_random(dtype, count)).astype(dtype)
    lanes = 256 // x.itemsize
    total, largest, smallest = np.zeros(1, dtype), np.zeros(2, dtype), np.zeros(2, dtype)
    vector.run(f"reduce_{kind}", x, 0, total, largest, smallest, 0, count, 0)
    padded = np.zeros(-(-count // lanes) * lanes, dtype)
    padded[:count] = x
    expected = dtype(0)
    for row in padded.reshape(-1, lanes):
        expected = dtype(expected + _tree(row))
    assert total[0] == expected
    index = np.uint16 if kind == "half" else np.uint32
    assert (largest[0], largest.view(index)[1]) == (x.max(), x.argmax())
    assert (smallest[0], smallest.view(index)[1]) == (x.min(), x.argmin())


def test_the_repeat_form_of_a_sum_is_a_tree_of_trees(vector: KernelLibrary) -> None:
    x = _random(np.float32, 640)
    out = np.zeros(1, np.float32)
    vector.run("tree_float", x, 0, out, 0, 0, 0, 640, 0)
    partial = np.zeros(64, np.float32)
    partial[:10] = [_tree(row) for row in x.reshape(10, 64)]
    assert out[0] == _tree(partial)


def test_whole_reduce_max_gives_value_index_pairs(vector: KernelLibrary) -> None:
    x = _random(np.float16, 512)
    x[52] = 500
    pairs, values, indices = np.zeros(8, np.float16), np.zeros(4, np.float16), np.zeros(8, np.float16)
    register = np.zeros(2, np.float16)
    vector.run("whole_max", x, pairs, values, indices, register)
    rows = x.reshape(4, 128)
    assert pairs[::2].tolist() == rows.max(1).tolist()
    assert pairs.view(np.uint16)[1::2].tolist() == rows.argmax(1).tolist()
    assert pairs.view(np.uint16)[1] == 0x34
    assert values.tolist() == rows.max(1).tolist()
    assert indices.view(np.uint32).tolist() == rows.argmax(1).tolist()
    assert register[0] == x.max()


def test_block_reduce_follows_the_worked_example(vector: KernelLibrary) -> None:
    out, total = np.zeros(8, np.float32), np.zeros(1, np.float32)
    vector.run("block_sum", np.arange(64, dtype=np.float32), 0, out, total)
    assert out.tolist() == [28.0, 92.0, 156.0, 220.0, 284.0, 348.0, 412.0, 476.0]
    assert total[0] == 2016


def test_blocks_without_lanes_are_left_on_the_2201_and_filled_on_the_3510(vector: KernelLibrary) -> None:
    later = compile_kernels({"block_empty": _kernels()["block_empty"]}, arch=3510)
    for library, rest in ((vector, 5.0), (later, -np.inf)):
        out = np.full(8, 5, np.float32)
        library.run("block_empty", np.arange(64, dtype=np.float32), 0, out)
        assert out.tolist() == [7.0, 15.0, 23.0, 31.0, *[rest] * 4]


def test_pair_reduce_adds_neighbours(vector: KernelLibrary) -> None:
    x = np.zeros(128, np.float16)
    x[:8] = [1, 1, 1, -1, 2, 2, -1, 2]
    out = np.zeros(64, np.float16)
    vector.run("pair_sum", x, 0, out)
    assert out[:5].tolist() == [2, 0, 4, 1, 0]


def test_gather_offsets_are_bytes(vector: KernelLibrary) -> None:
    out = np.zeros(128, np.float16)
    vector.run("gather", np.arange(128, dtype=np.float16), np.arange(254, -1, -2, dtype=np.uint32), out)
    assert out.tolist() == list(range(127, -1, -1))


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (0, list(range(2, 257, 2))),
        (1, [*range(2, 71, 2), *range(66, 135, 2)]),
        (2, [64 * r + k + 1 for r in range(4) for k in range(4)]),
    ],
)
def test_gather_mask_compacts_over_all_repeats(vector: KernelLibrary, mode: int, expected: list[int]) -> None:
    pattern = np.zeros(64, np.uint32)
    pattern[0] = 0xF
    out, kept = np.zeros(256, np.uint32), np.zeros(1, np.uint64)
    vector.run("gather_mask", np.arange(1, 257, dtype=np.uint32), pattern, out, kept, 0, 0, 256, mode)
    assert kept[0] == len(expected)
    assert out[: len(expected)].tolist() == expected


def test_sorting_is_descending_and_stable_and_merging_counts(vector: KernelLibrary) -> None:
    x = np.random.default_rng(1).integers(0, 9, 64).astype(np.float32)
    index = np.arange(64, dtype=np.uint32)
    out, counts = np.zeros(128, np.float32), np.zeros(4, np.uint16)
    vector.run("sort32", x, index, out, counts, 0, 0, 0, 0)
    order = np.argsort(-x, kind="stable")
    np.testing.assert_array_equal(out[::2], x[order])
    np.testing.assert_array_equal(out.view(np.uint32)[1::2], order)
    assert counts.tolist() == [32, 32, 0, 0]


def test_a_suspended_merge_stops_when_a_list_ends(vector: KernelLibrary) -> None:
    x = np.concatenate([np.arange(100, 132), np.arange(32)]).astype(np.float32)
    out, counts = np.zeros(128, np.float32), np.zeros(4, np.uint16)
    vector.run("sort32", x, np.arange(64, dtype=np.uint32), out, counts, 0, 0, 0, 1)
    assert counts.tolist() == [32, 0, 0, 0]


def test_the_full_sort_orders_every_record(vector: KernelLibrary) -> None:
    x = np.random.default_rng(2).integers(0, 50, 160).astype(np.float16)
    index = np.arange(160, dtype=np.uint32)
    values, indices = np.zeros(160, np.float16), np.zeros(160, np.uint32)
    vector.run("sort_full", x, index, values, indices, 0, 0, 160, 0)
    order = np.argsort(-x, kind="stable")
    np.testing.assert_array_equal(values, x[order])
    np.testing.assert_array_equal(indices, order)


def test_a_block_is_transposed_in_place(vector: KernelLibrary) -> None:
    x = np.arange(256, dtype=np.float16)
    out = np.zeros(256, np.float16)
    vector.run("transpose", x, 0, out)
    np.testing.assert_array_equal(out.reshape(16, 16), x.reshape(16, 16).T)


def test_transdata_of_32_bit_elements_gives_rows_of_sixteen(vector: KernelLibrary) -> None:
    x = np.arange(128, dtype=np.float32)
    out = np.zeros(128, np.float32)
    vector.run("transdata", x, 0, out)
    np.testing.assert_array_equal(out.reshape(8, 16), x.reshape(16, 8).T)
