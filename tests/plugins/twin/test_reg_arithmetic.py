# Licensed under the Apache License, Version 2.0.
"""Register arithmetic, comparison and reduction against NumPy: spec ascendc_vector.md 12.6 and 12.7."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.plugins.twin.small_floats import Array, from_bfloat16, to_bfloat16
from tests.plugins.twin.vector_machine import KernelLibrary, compile_kernels, compiler_message

INTEGERS: dict[str, Any] = {
    "int8_t": np.int8,
    "uint8_t": np.uint8,
    "int16_t": np.int16,
    "uint16_t": np.uint16,
    "int32_t": np.int32,
    "uint32_t": np.uint32,
    "int64_t": np.int64,
    "uint64_t": np.uint64,
}
FLOATS: dict[str, Any] = {"half": np.float16, "float": np.float32}
TYPES = INTEGERS | FLOATS
COMPARES: dict[str, Callable[[Array, Array], Array]] = {
    "LT": np.less,
    "GT": np.greater,
    "EQ": np.equal,
    "LE": np.less_equal,
    "GE": np.greater_equal,
    "NE": np.not_equal,
}


def _divide(x: Array, y: Array) -> Array:
    if x.dtype.kind == "f":
        return x / y
    return np.array([int(int(a) / int(b)) if int(b) else 0 for a, b in zip(x, y, strict=True)]).astype(x.dtype)


def _binary(kind: str) -> dict[str, Callable[[Array, Array], Array]]:
    ops: dict[str, Callable[[Array, Array], Array]] = {"Add": np.add, "Sub": np.subtract}
    ops |= {"Max": np.maximum, "Min": np.minimum}
    if kind not in ("int8_t", "uint8_t"):
        ops["Mul"] = np.multiply
    if kind in ("int16_t", "uint16_t", "int32_t", "half", "float"):
        ops["Div"] = _divide
    if kind in INTEGERS:
        ops |= {"And": np.bitwise_and, "Or": np.bitwise_or, "Xor": np.bitwise_xor}
    else:
        ops["AbsSub"] = lambda x, y: np.abs(x - y)
        ops["Prelu"] = lambda x, y: np.where(x > 0, x, x * y)
    return ops


def _unary(kind: str) -> dict[str, Callable[[Array], Array]]:
    ops: dict[str, Callable[[Array], Array]] = {}
    if kind in FLOATS:
        ops = {"Exp": np.exp, "Ln": np.log, "Log": np.log, "Log2": np.log2, "Log10": np.log10, "Sqrt": np.sqrt}
    if kind in ("half", "int32_t", "float", "int64_t"):
        ops["Relu"] = lambda x: np.maximum(x, 0).astype(x.dtype)
    if not kind.startswith("u"):
        ops |= {"Abs": np.abs, "Neg": np.negative}
    ops["Not"] = lambda x: np.invert(x.view(f"u{x.dtype.itemsize}")).view(x.dtype)
    return ops


def _scalar(kind: str) -> dict[str, Callable[[Array], Array]]:
    three = TYPES[kind](3)
    ops: dict[str, Callable[[Array], Array]] = {
        "Adds": lambda x: x + three,
        "Maxs": lambda x: np.maximum(x, three),
        "Mins": lambda x: np.minimum(x, three),
    }
    if kind not in ("int8_t", "uint8_t"):
        ops["Muls"] = lambda x: x * three
    if kind in INTEGERS:
        sign = np.iinfo(TYPES[kind]).min if kind.startswith("i") else 0
        ops["ShiftLefts"] = lambda x: ((x << three) & ~x.dtype.type(sign)) | (x & x.dtype.type(sign))
        ops["ShiftRights"] = lambda x: x >> three
    else:
        ops["LeakyRelu"] = lambda x: np.where(x > 0, x, x * three)
    return ops


def _lanes(kind: str) -> int:
    return int(max(64, 256 // np.dtype(TYPES[kind]).itemsize))


def _head(kind: str) -> str:
    trait = ", Reg::RegTraitNumTwo" if kind.endswith("64_t") else ""
    pattern = f"<{kind}, Reg::MaskPattern::ALL{trait}>"
    return f"""
        using T = {kind}; using R = Reg::RegTensor<T{trait}>;
        const uint32_t bytes = sizeof(R), lanes = bytes / sizeof(T); auto count = uint32_t(n); (void)lanes;
        auto xt = ub.Load<uint8_t>(a, bytes), yt = ub.Load<uint8_t>(b, bytes), zt = ub.New<uint8_t>(8192);
        auto* x0 = reinterpret_cast<T*>(xt.GetPhyAddr()); auto* y0 = reinterpret_cast<T*>(yt.GetPhyAddr());
        auto* z0 = reinterpret_cast<T*>(zt.GetPhyAddr()); R x, y, r; Reg::MaskReg chosen; (void)y; (void)y0;
        Reg::MaskReg all = Reg::CreateMask{pattern}(), mask = Reg::UpdateMask<T{trait}>(count);
        Reg::LoadAlign(x, x0); Reg::LoadAlign(y, y0);"""


def _kernels() -> dict[str, str]:
    kernels: dict[str, str] = {}
    save = "Reg::StoreAlign<T, Reg::PostLiteral::POST_MODE_UPDATE>(z0, r, int32_t(lanes), all);"
    for kind in TYPES:
        body = [f"Reg::{op}(r, x, y, mask); {save}" for op in _binary(kind)]
        body += [f"Reg::{op}(r, x, mask); {save}" for op in _unary(kind)]
        amount = "int16_t(3)" if kind in INTEGERS else "T(3)"
        body += [f"Reg::{op}(r, x, {amount if 'Shift' in op else 'T(3)'}, mask); {save}" for op in _scalar(kind)]
        kernels[f"lanes_{kind}"] = f"{_head(kind)} {' '.join(body)} ub.Store<uint8_t>(c, zt, 8192);"
        modes = "".join(
            f"""Reg::Compare<T, CMPMODE::{mode}>(chosen, x, y, mask); Reg::Select(r, x, y, chosen); {save}
            Reg::Compares<T, CMPMODE::{mode}>(chosen, x, T(3), mask); Reg::Select(r, x, y, chosen); {save}"""
            for mode in COMPARES
        )
        kernels[f"compare_{kind}"] = f"{_head(kind)} {modes} ub.Store<uint8_t>(c, zt, 8192);"
        if kind not in ("int8_t", "uint8_t"):
            wide = {"int16_t": "int32_t", "uint16_t": "uint32_t"}.get(kind, kind)
            trait = ", Reg::RegTraitNumTwo" if kind.endswith("64_t") else ""
            keep = "Reg::StoreAlign(reinterpret_cast<{0}*>(z0), {1}, all); z0 += lanes;"
            kernels[f"reduce_{kind}"] = f"""{_head(kind)} Reg::RegTensor<{wide}{trait}> s;
                Reg::Reduce<ReduceType::SUM>(s, x, mask); {keep.format(wide, "s")}
                Reg::Reduce<ReduceType::MAX>(r, x, mask); {keep.format(kind, "r")}
                Reg::ReduceMin(r, x, mask); {keep.format(kind, "r")}
                Reg::ReduceDataBlock<Reg::ReduceType::SUM>(s, x, mask); {keep.format(wide, "s")}
                Reg::ReduceDataBlock<Reg::ReduceType::MAX>(r, x, mask); {keep.format(kind, "r")}
                ub.Store<uint8_t>(c, zt, 8192);"""
    kernels["merging"] = f"""{_head("float")} Reg::Move(r, y);
        Reg::Add<float, Reg::MaskMergeMode::MERGING>(r, x, x, mask); {save} Reg::Move(r, y);
        Reg::Max<float, Reg::MaskMergeMode::MERGING>(r, x, x, mask); {save} Reg::Move(r, y); Reg::Move(r, x, mask);
        {save} ub.Store<uint8_t>(c, zt, 8192);"""
    kernels["fused"] = f"""{_head("float")}
        Reg::Move(r, y); Reg::Axpy(r, x, 0.1f, mask); {save} Reg::Move(r, y); Reg::MulAddDst(r, x, x, mask); {save}
        Reg::Move(r, y); Reg::FusedMulDstAdd(r, x, x, mask); {save}
        Reg::ExpSub<float, float>(r, x, y, mask); {save} ub.Store<uint8_t>(c, zt, 8192);"""
    kernels["layouts"] = f"""{_head("half")} Reg::RegTensor<float> w; auto* f0 = reinterpret_cast<float*>(z0);
        Reg::ExpSub<float, half, Reg::RegLayout::ZERO>(w, x, y, all); Reg::StoreAlign(f0, w, all);
        Reg::FusedExpSub<float, half, Reg::RegLayout::ONE>(w, x, y, all); Reg::StoreAlign(f0 + 64, w, all);
        Reg::MulsCast<half, float, float, Reg::RegLayout::ONE>(r, w, 2.0f, all); Reg::StoreAlign(z0 + 256, r, all);
        Reg::PairReduceElem(r, x, mask); Reg::StoreAlign(z0 + 384, r, all); ub.Store<uint8_t>(c, zt, 8192);"""
    kernels["carry"] = f"""{_head("uint32_t")} R high; Reg::MaskReg carry;
        Reg::Add(carry, r, x, y, mask); {save} Reg::AddC(carry, r, x, y, carry, mask); {save}
        Reg::Sub(carry, r, x, y, mask); {save} Reg::SubC(carry, r, x, y, carry, mask); {save}
        Reg::Mull(r, high, x, y, mask); {save} Reg::Move(r, high); {save}
        Reg::StoreAlign(z0, carry); ub.Store<uint8_t>(c, zt, 8192);"""
    for kind, part in (("complex32", "half"), ("complex64", "float")):
        kernels[kind] = f"""using T = {kind}; using R = Reg::RegTensor<T, Reg::RegTraitNumTwo>;
            constexpr uint32_t lanes = 512 / sizeof(T); auto count = uint32_t(n);
            auto xt = ub.Load<uint8_t>(a, 512), yt = ub.Load<uint8_t>(b, 512), zt = ub.New<uint8_t>(8192);
            auto* z0 = reinterpret_cast<T*>(zt.GetPhyAddr()); R x, y, r; Reg::RegTensor<{part}> modulus;
            auto all = Reg::CreateMask<T, Reg::MaskPattern::ALL, Reg::RegTraitNumTwo>();
            auto mask = Reg::UpdateMask<T, Reg::RegTraitNumTwo>(count);
            Reg::LoadAlign(x, reinterpret_cast<T*>(xt.GetPhyAddr()));
            Reg::LoadAlign(y, reinterpret_cast<T*>(yt.GetPhyAddr()));
            Reg::Add(r, x, y, mask); {save} Reg::Sub(r, x, y, mask); {save} Reg::Mul(r, x, y, mask); {save}
            Reg::Div(r, x, y, mask); {save} Reg::Adds(r, x, T{{1.0f, 2.0f}}, mask); {save}
            Reg::Abs(modulus, x, mask); Reg::StoreAlign(reinterpret_cast<{part}*>(z0), modulus, all);
            ub.Store<uint8_t>(c, zt, 8192);"""
    kernels["bfloat16"] = f"""{_head("bfloat16_t")} Reg::Add(r, x, y, mask); {save} Reg::Mul(r, x, y, mask); {save}
        Reg::Max(r, x, y, mask); {save} Reg::Move(r, y); Reg::MulAddDst(r, x, x, mask); {save}
        ub.Store<uint8_t>(c, zt, 8192);"""
    kernels["shift"] = f"""{_head("int16_t")} Reg::ShiftLeft(r, x, y, mask); {save} Reg::ShiftRight(r, x, y, mask);
        {save} ub.Store<uint8_t>(c, zt, 8192);"""
    kernels["modes"] = f"""{_head("float")} static constexpr Reg::DivSpecificMode mode = {{
            Reg::MaskMergeMode::ZEROING, false, Reg::DivAlgo::PRECISION_0ULP_FTZ_TRUE}};
        Reg::Div<float, &mode>(r, x, y, mask); {save}
        Reg::Adds<float, float, Reg::MaskMergeMode::ZEROING>(r, x, 1.0f, mask); {save}
        Reg::Truncate<float, RoundMode::CAST_FLOOR>(r, x, mask); {save} ub.Store<uint8_t>(c, zt, 8192);"""
    return kernels


@pytest.fixture(scope="module")
def reg() -> KernelLibrary:
    return compile_kernels(_kernels(), arch=3510)


def _values(kind: str, seed: int) -> Array:
    random = np.random.default_rng(seed)
    dtype = TYPES[kind]
    if kind in INTEGERS:
        limits = np.iinfo(dtype)
        small = random.integers(max(limits.min, -9), 9, _lanes(kind)).astype(dtype)
        large = random.integers(limits.min, limits.max, _lanes(kind), dtype=dtype, endpoint=True)
        return np.where(random.random(_lanes(kind)) < 0.3, small, large).astype(dtype)
    return (random.normal(size=_lanes(kind)) * 3).astype(dtype)


def _run(reg: KernelLibrary, name: str, x: Array, y: Array, count: int) -> Array:
    out = np.zeros(8192, np.uint8)
    reg.run(name, x, y, out, 0, 0, 0, count, 0)
    return out.view(x.dtype).reshape(-1, len(x))


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("kind", list(TYPES))
def test_active_lanes_hold_results_and_others_zero(reg: KernelLibrary, kind: str, share: float) -> None:
    x, y = _values(kind, 1), _values(kind, 2)
    count = int(share * len(x))
    found = _run(reg, f"lanes_{kind}", x, y, count)
    with np.errstate(all="ignore"):
        expected = [op(x, y) for op in _binary(kind).values()]
        expected += [op(x) for op in _unary(kind).values()]
        expected += [op(x) for op in _scalar(kind).values()]
    names = [*_binary(kind), *_unary(kind), *_scalar(kind)]
    for name, line, value in zip(names, found, expected, strict=False):
        assert not line[count:].view(np.uint8).any(), name
        value = value.astype(x.dtype)[:count]
        if name == "Not":
            line, value = line.view(np.uint8), np.append(value, np.zeros(len(x) - count, x.dtype)).view(np.uint8)
            np.testing.assert_array_equal(line, value)
        elif name in ("Exp", "Ln", "Log", "Log2", "Log10"):
            np.testing.assert_allclose(line[:count], value, rtol=2e-3 if kind == "half" else 1e-6)
        else:
            np.testing.assert_array_equal(line[:count], value, err_msg=name)


@pytest.mark.parametrize("count", [0, 9, 64])
@pytest.mark.parametrize("kind", list(TYPES))
def test_a_comparison_is_false_on_inactive_lanes_and_select_takes_both_sides(
    reg: KernelLibrary, kind: str, count: int
) -> None:
    x, y = _values(kind, 3), _values(kind, 4)
    y[::5] = x[::5]
    if kind in FLOATS:
        x[3], y[7] = np.nan, np.nan
    active = np.arange(len(x)) < count
    found = _run(reg, f"compare_{kind}", x, y, count)
    for index, compare in enumerate(COMPARES.values()):
        np.testing.assert_array_equal(found[2 * index], np.where(active & compare(x, y), x, y))
        np.testing.assert_array_equal(found[2 * index + 1], np.where(active & compare(x, x.dtype.type(3)), x, y))


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("kind", [kind for kind in TYPES if kind not in ("int8_t", "uint8_t")])
def test_reductions_take_active_lanes_and_tell_the_first_index(reg: KernelLibrary, kind: str, share: float) -> None:
    x = _values(kind, 5)
    x = (x // 64).astype(x.dtype) if kind in INTEGERS else np.round(x).astype(x.dtype)
    count = int(share * len(x))
    found = _run(reg, f"reduce_{kind}", x, x, count)
    wide: Any = {"int16_t": np.int32, "uint16_t": np.uint32}.get(kind, TYPES[kind])
    kept = np.where(np.arange(len(x)) < count, x, 0).astype(wide)
    assert found[0].view(wide)[0] == kept.sum(dtype=wide)
    assert not found[0].view(wide)[1:].any()
    limits = np.iinfo(TYPES[kind]) if kind in INTEGERS else None
    low, high = (limits.min, limits.max) if limits else (-np.inf, np.inf)
    bits = f"u{x.dtype.itemsize}"
    for line, value, index in (
        (found[1], x[:count].max(initial=low), x[:count].argmax() if count else 0),
        (found[2], x[:count].min(initial=high), x[:count].argmin() if count else 0),
    ):
        assert line[0] == value
        assert line.view(bits)[1] == index
        assert not line.view(np.uint8)[2 * x.dtype.itemsize :].any()
    blocks = kept.reshape(8, -1).sum(axis=1, dtype=wide)
    if not kind.endswith("64_t"):
        np.testing.assert_array_equal(found[3].view(wide)[:8], blocks)
        masked = np.where(np.arange(len(x)) < count, x, low).reshape(8, -1)
        np.testing.assert_array_equal(found[4][:8], masked.max(axis=1))


def test_nan_wins_a_maximum_with_its_index(reg: KernelLibrary) -> None:
    x = np.zeros(64, np.float32)
    x[9], x[20], x[30] = 5, np.nan, np.nan
    found = _run(reg, "reduce_float", x, x, 64)
    assert np.isnan(found[1][0])
    assert found[1].view(np.uint32)[1] == 20
    x = np.full(64, -0.0, np.float32)
    x[5] = 0.0
    found = _run(reg, "reduce_float", x, x, 64)
    assert not np.signbit(found[1][0])
    assert found[1].view(np.uint32)[1] == 5
    assert np.signbit(found[2][0])


def test_merging_keeps_the_old_lanes_of_add_max_and_move(reg: KernelLibrary) -> None:
    x, y = _values("float", 6), _values("float", 7)
    found = _run(reg, "merging", x, y, 10)
    active = np.arange(64) < 10
    for line, value in zip(found, (x + x, x, x), strict=False):
        np.testing.assert_array_equal(line, np.where(active, value, y))


def test_fused_operations_round_once(reg: KernelLibrary) -> None:
    x, y = _values("float", 8), _values("float", 9)
    found = _run(reg, "fused", x, y, 64)
    a, b = x.astype(np.float64), y.astype(np.float64)
    np.testing.assert_array_equal(found[0], (np.float64(np.float32(0.1)) * a + b).astype(np.float32))
    np.testing.assert_array_equal(found[1], (a * a + b).astype(np.float32))
    np.testing.assert_array_equal(found[2], (b * a + a).astype(np.float32))
    np.testing.assert_allclose(found[3], np.exp(x - y), rtol=1e-6)


def test_layouts_choose_even_or_odd_halves(reg: KernelLibrary) -> None:
    x, y = _values("half", 10), _values("half", 11)
    found = _run(reg, "layouts", x, y, 100)
    exact = np.exp(x.astype(np.float32) - y.astype(np.float32))
    np.testing.assert_allclose(found[0:1].view(np.float32)[0], exact[0:128:2], rtol=1e-6)
    np.testing.assert_allclose(found[1:2].view(np.float32)[0], exact[1:128:2], rtol=1e-6)
    assert not found[2][::2].any()
    np.testing.assert_allclose(found[2][1::2], (2 * exact[1::2]).astype(np.float16), rtol=2e-3)
    kept = np.where(np.arange(128) < 100, x, np.float16(0))
    np.testing.assert_array_equal(found[3][:64], kept[::2] + kept[1::2])
    assert not found[3][64:].any()


def test_carries_continue_sums_and_borrows(reg: KernelLibrary) -> None:
    x, y = _values("uint32_t", 12), _values("uint32_t", 13)
    found = _run(reg, "carry", x, y, 64)
    a, b = x.astype(object), y.astype(object)
    carry = (a + b) >> 32
    borrow_free = (a >= b).astype(object)
    word = 0xFFFFFFFF
    assert found[0].tolist() == ((a + b) & word).tolist()
    assert found[1].tolist() == ((a + b + carry) & word).tolist()
    assert found[2].tolist() == ((a - b) & word).tolist()
    assert found[3].tolist() == ((a - b - 1 + borrow_free) & word).tolist()
    assert found[4].tolist() == (a * b & word).tolist()
    assert found[5].tolist() == (a * b >> 32).tolist()
    last = ((a + (b ^ word) + borrow_free) >> 32).astype(int)
    bits = np.unpackbits(found[6:7].view(np.uint8)[0][:32], bitorder="little")
    assert bits[::4].tolist() == last.tolist()


def test_bfloat16_widens_and_rounds_once(reg: KernelLibrary) -> None:
    random = np.random.default_rng(14)
    x, y = to_bfloat16(random.normal(size=128)), to_bfloat16(random.normal(size=128))
    found = _run(reg, "bfloat16", x, y, 128)
    a, b = from_bfloat16(x).astype(np.float64), from_bfloat16(y).astype(np.float64)

    def rounded(value: Array) -> Array:
        bits = value.astype(np.float32).view(np.uint32)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)

    for line, value in zip(found, (a + b, a * b, np.maximum(a, b), a * a + b), strict=False):
        np.testing.assert_array_equal(line, rounded(value))


@pytest.mark.parametrize(("kind", "part"), [("complex32", np.float16), ("complex64", np.float32)])
def test_complex_elements_lie_in_two_registers(reg: KernelLibrary, kind: str, part: Any) -> None:
    random = np.random.default_rng(17)
    lanes = 256 // np.dtype(part).itemsize
    x, y = (random.normal(size=(lanes, 2)).astype(part) for _ in range(2))
    out = np.zeros(8192, np.uint8)
    reg.run(kind, x, y, out, 0, 0, 0, lanes - 9, 0)
    found = out.view(part).reshape(16, lanes, 2).astype(np.float64)
    a, b = (v.astype(np.float64) @ np.array([1, 1j]) for v in (x, y))
    for line, value in zip(found, (a + b, a - b, a * b, a / b, a + (1 + 2j)), strict=False):
        expected = np.where(np.arange(lanes) < lanes - 9, value, 0)
        tolerance = 4e-3 if part is np.float16 else 1e-5
        np.testing.assert_allclose(line @ np.array([1, 1j]), expected, rtol=tolerance, atol=tolerance)
    modulus = found[5].reshape(-1)[:lanes]
    np.testing.assert_allclose(modulus[:-9], np.abs(a)[:-9], rtol=2e-3)
    assert not modulus[-9:].any()


def test_shifts_beyond_the_width_leave_the_sign(reg: KernelLibrary) -> None:
    x, y = np.full(128, -0x5556, np.int16), np.zeros(128, np.int16)
    y[:5] = [0, 1, 3, 16, 40]
    found = _run(reg, "shift", x, y, 128)
    assert found[0][:5].view(np.uint16).tolist() == [0xAAAA, 0xD554, 0xD550, 0x8000, 0x8000]
    assert found[1][:5].tolist() == [-0x5556, -0x2AAB, -0xAAB, -1, -1]


def test_division_takes_an_algorithm_and_scalars_a_named_type(reg: KernelLibrary) -> None:
    x, y = _values("float", 15), _values("float", 16)
    found = _run(reg, "modes", x, y, 64)
    for line, value in zip(found, (x / y, x + 1, np.floor(x)), strict=False):
        np.testing.assert_array_equal(line, value)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("Reg::RegTensor<int8_t> x; Reg::Mul(x, x, x, k);", "Reg::Mul: takes the element types (int16_t"),
        ("Reg::RegTensor<int16_t> x; Reg::Exp(x, x, k);", "Reg::Exp: takes the element types (half, float) only"),
        (
            "Reg::RegTensor<float> x; Reg::Mul<float, Reg::MaskMergeMode::MERGING>(x, x, x, k);",
            "MaskMergeMode::MERGING exists for Add, Max, Min and Move only",
        ),
        ("Reg::RegTensor<float> x; Reg::Add<half>(x, x, x, k);", "the element type that is named differs"),
        ("Reg::RegTensor<float, Reg::RegTraitNumTwo> x; (void)x;", "RegTraitNumTwo takes 64-bit elements only"),
        ("Reg::RegTensor<bfloat16_t> x; Reg::Muls(x, x, 1.0f, k);", "Reg::Muls: takes the element types"),
        ("Reg::RegTensor<int16_t> x; Reg::Reduce<ReduceType::SUM>(x, x, k);", "sums of int16_t and uint16_t have 32"),
    ],
)
def test_what_the_unit_lacks_is_one_error_that_names_it(body: str, words: str) -> None:
    message = compiler_message(f"Reg::MaskReg k; (void)k; {body}", 3510)
    assert words in message
    assert message.count("error:") == 1


@pytest.mark.parametrize(
    "body",
    [
        "MicroAPI::RegTensor<float> x; auto k = MicroAPI::CreateMask<float>(); MicroAPI::Add(x, x, x, k);",
        "__VEC_SCOPE__ { Reg::MaskReg k; (void)k; }",
        "uint32_t left = 9; Reg::UpdateMask<half>(left);",
    ],
)
def test_the_2201_has_no_registers_and_says_so_once(body: str) -> None:
    message = compiler_message(body, 2201)
    assert "the register vector API (AscendC::Reg, AscendC::MicroAPI) exists on dav-3510 only" in message
    assert message.count("error:") == 1
    assert compiler_message(body, 3510) == ""
