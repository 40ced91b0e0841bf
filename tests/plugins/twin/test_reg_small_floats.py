# Licensed under the Apache License, Version 2.0.
"""The 8- and 4-bit floats of dav-3510 in memory-based casts: ascendc_adv_host.md 11, ascendc_vector.md 6.3."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.plugins.twin.small_floats import (
    MODES,
    Array,
    encode,
    from_bfloat16,
    pack,
    to_bfloat16,
    values,
)
from tests.plugins.twin.vector_machine import KernelFaultError, KernelLibrary, compile_kernels, compiler_message

DECODES = [
    ("hifloat8_t", "half"),
    ("hifloat8_t", "float"),
    ("fp8_e4m3fn_t", "float"),
    ("fp8_e5m2_t", "float"),
]
ENCODES = [
    ("half", "hifloat8_t", "CAST_ROUND"),
    ("float", "hifloat8_t", "CAST_ROUND"),
    ("float", "hifloat8_t", "CAST_HYBRID"),
    ("float", "fp8_e4m3fn_t", "CAST_RINT"),
    ("float", "fp8_e5m2_t", "CAST_RINT"),
]
PAIRS = ("fp4x2_e2m1_t", "fp4x2_e1m2_t")
NUMBERS = {"half": np.float16, "float": np.float32}


def _kernels() -> dict[str, str]:
    kernels: dict[str, str] = {}
    for small, wide in DECODES:
        kernels[f"{small}_{wide}"] = (
            f"auto x = ub.Load<{small}>(a, n); auto z = ub.New<{wide}>(n);"
            f"Cast(z, x, RoundMode::CAST_NONE, n); ub.Store<{wide}>(b, z, n);"
        )
    for wide, small in {(wide, small) for wide, small, _ in ENCODES}:
        kernels[f"{wide}_{small}"] = (
            f"auto x = ub.Load<{wide}>(a, n); auto z = ub.New<{small}>(n); SetSaturationFlag<SaturationMode::FLOAT>(c);"
            f"Cast(z, x, RoundMode(m), n); ub.Store<{small}>(b, z, n);"
        )
    for pair in PAIRS:
        kernels[f"to_{pair}"] = f"""
            auto x = ub.Load<bfloat16_t>(a, n); auto z = ub.New<int8_t>(n);
            Cast(z.ReinterpretCast<{pair}>(), x, RoundMode(m), n); ub.Store<int8_t>(b, z, n / 2);"""
        kernels[f"from_{pair}"] = f"""
            auto x = ub.Load<int8_t>(a, n / 2); auto z = ub.New<bfloat16_t>(n);
            Cast(z, x.ReinterpretCast<{pair}>(), RoundMode::CAST_NONE, n); ub.Store<bfloat16_t>(b, z, n);"""
    kernels["scalars"] = """
        auto* to = reinterpret_cast<float*>(a);
        to[0] = float(fp8_e8m0_t::FromBits(130)); to[1] = float(fp8_e8m0_t(0.5f)); to[2] = float(hifloat8_t(14.0f));
        to[3] = fp8_e8m0_t(3e38f).bits; to[4] = fp8_e8m0_t(__builtin_nanf("")).bits;
        to[5] = float(NumericLimits<fp8_e4m3fn_t>::Max()); to[6] = float(NumericLimits<hifloat8_t>::Lowest());"""
    return kernels


@pytest.fixture(scope="module")
def casts() -> KernelLibrary:
    return compile_kernels(_kernels(), arch=3510)


def _inputs(dtype: Any) -> Array:
    """Every half, or as many floats around the limits of the small types."""
    if dtype is np.float16:
        every: Array = np.arange(65536, dtype=np.uint16).view(np.float16)[::5].copy()
        return every
    random = np.random.default_rng(3)
    scales = np.concatenate([random.normal(size=4000) * 2.0 ** random.integers(-26, 18, 4000) for _ in range(3)])
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 448, 464, 465, -480, 57344, 61440, 61439, 40960, 40959, -(2.0**-23)]
    return np.concatenate([scales, np.array(special)]).astype(dtype)


@pytest.mark.parametrize(("small", "wide"), DECODES)
def test_every_code_becomes_its_value(casts: KernelLibrary, small: str, wide: str) -> None:
    codes = np.arange(256, dtype=np.uint8)
    out = np.zeros(256, NUMBERS[wide])
    casts.run(f"{small}_{wide}", codes, out, 0, 0, 0, 0, 256, 0)
    np.testing.assert_array_equal(out, values(small).astype(NUMBERS[wide]))


@pytest.mark.parametrize("saturate", [False, True])
@pytest.mark.parametrize(("wide", "small", "mode"), ENCODES)
def test_a_number_becomes_the_code_that_its_mode_chooses(
    casts: KernelLibrary, wide: str, small: str, mode: str, *, saturate: bool
) -> None:
    x = _inputs(NUMBERS[wide])
    out = np.zeros(len(x), np.uint8)
    number = 7 if mode == "CAST_HYBRID" else MODES[mode]
    casts.run(f"{wide}_{small}", x, out, int(saturate), 0, 0, 0, len(x), number)
    expected = encode(small, x, "CAST_ROUND" if mode == "CAST_HYBRID" else mode, saturate=saturate)
    numbers = ~np.isnan(values(small)[expected])
    np.testing.assert_array_equal(out[numbers], expected[numbers])
    assert np.isnan(values(small)[out[~numbers]]).all()


@pytest.mark.parametrize("mode", list(MODES))
@pytest.mark.parametrize("pair", PAIRS)
def test_four_bits_clamp_in_every_mode_and_lie_two_a_byte(casts: KernelLibrary, pair: str, mode: str) -> None:
    x = to_bfloat16(_inputs(np.float32)[:2000] * 4)
    out = np.zeros(len(x) // 2, np.uint8)
    casts.run(f"to_{pair}", x, out, 0, 0, 0, 0, len(x), MODES[mode])
    np.testing.assert_array_equal(out, pack(encode(pair, from_bfloat16(x), mode)))


@pytest.mark.parametrize("pair", PAIRS)
def test_four_bits_become_exact_bfloat16(casts: KernelLibrary, pair: str) -> None:
    codes = np.arange(256, dtype=np.uint8)
    out = np.zeros(512, np.uint16)
    casts.run(f"from_{pair}", codes, out, 0, 0, 0, 0, 512, 0)
    expected = values(pair)[np.stack([codes & 15, codes >> 4], 1).reshape(-1)]
    np.testing.assert_array_equal(out, to_bfloat16(expected))


def test_scalars_convert_only_when_told_to(casts: KernelLibrary) -> None:
    out = np.zeros(7, np.float32)
    casts.run("scalars", out)
    assert out.tolist() == [8.0, 0.5, 14.0, 254.0, 255.0, 448.0, -32768.0]
    assert "cannot convert" in compiler_message("float x = fp8_e5m2_t(1.0f); (void)x;", 3510)


def test_a_mode_that_a_pair_lacks_is_a_fault_that_names_the_modes(casts: KernelLibrary) -> None:
    x = np.zeros(64, np.float32)
    with pytest.raises(KernelFaultError, match="cast-round-mode: Cast: RoundMode 1 is not available"):
        casts.run("float_hifloat8_t", x, np.zeros(64, np.uint8), 0, 0, 0, 0, 64, 1)


@pytest.mark.parametrize("kind", ["fp8_e4m3fn_t", "hifloat8_t", "fp4x2_e2m1_t"])
def test_the_2201_has_none_of_these_types(kind: str) -> None:
    body = f"LocalTensor<{kind}> x(TPosition::VECIN, 0, 32), y(TPosition::VECIN, 32, 32); DataCopy(x, y, 32);"
    message = compiler_message(body, 2201)
    assert "the element types fp8_*, fp4x2_*, hifloat8_t and int4x2_t exist on dav-3510 only" in message
    assert message.count("error:") == 1
    assert compiler_message(body, 3510) == ""
