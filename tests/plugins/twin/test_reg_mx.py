# Licensed under the Apache License, Version 2.0.
"""The cube's 8- and 4-bit floats on dav-3510, with and without scales: ascendc_data_cube.md 7.4, 8.3, 8.5."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest

from tests.plugins.twin.cube_oracle import FROM_GLOBAL, Array, from_accumulators, to_nz
from tests.plugins.twin.running import KernelRunner, Launch, Result
from tests.plugins.twin.small_floats import pack, values
from tests.plugins.twin.vector_machine import compiler_message, flags

# Words: A, B, scales of A, scales of B, bias, L0C; m, n, k, bytes of an operand's row of fractals.
SOURCE = (
    FROM_GLOBAL
    + """
#ifdef __DAV_CUBE__
template <typename T> void Load(const LocalTensor<T>& to, const LocalTensor<T>& from, uint32_t rows, uint32_t k,
                                const LocalTensor<fp8_e8m0_t>& scales) {
    const auto blocks = uint16_t((rows + 15) / 16);
    const auto steps = uint16_t(k / sktwin::cube::kC0<T>);
    const LoadData2DParamsV2 window(0, 0, blocks, steps, blocks, blocks, false, 0);
#ifdef SCALED
    LoadData(to, from, scales, window, LoadData2DMxParams(0, 0, uint8_t(blocks), uint8_t(k / 64), k / 64, k / 64));
#else
    (void)scales;
    LoadData(to, from, window);
#endif
}
#endif
KERNEL(kernel) {
#ifdef __DAV_CUBE__
    LocalTensor<LEFT> a1(TPosition::A1, 0, 32768), a(TPosition::A2, 512, 32768);
    LocalTensor<RIGHT> b1(TPosition::B1, 65536, 32768), b(TPosition::B2, 1024, 32768);
    LocalTensor<fp8_e8m0_t> sa(TPosition::A1, 131072, 2048), sb(TPosition::B1, 135168, 2048);
    LocalTensor<float> c(TPosition::CO1, 0, 8192), bias(TPosition::C2, 64, 128);
    Put(a1, 0, 16384); Put(b1, 1, 16384); Put(sa, 2, 2048); Put(sb, 3, 2048); Put(bias, 4, 512);
    Load(a, a1, Word(6), Word(8), sa); Load(b, b1, Word(7), Word(8), sb);
    MmadParams params; params.m = Word(6); params.n = Word(7); params.k = Word(8);
#ifdef SCALED
    MmadMx(c, a, b, bias, params);
#else
    Mmad(c, a, b, params);
#endif
    Get(5, c, 32768);
#endif
}
"""
)
TYPES = [
    ("fp8_e4m3fn_t", "fp8_e4m3fn_t", True),
    ("fp8_e4m3fn_t", "fp8_e5m2_t", True),
    ("fp4x2_e2m1_t", "fp4x2_e2m1_t", True),
    ("fp4x2_e1m2_t", "fp4x2_e2m1_t", True),
    ("fp8_e5m2_t", "fp8_e4m3fn_t", False),
    ("hifloat8_t", "hifloat8_t", False),
]


def _codes(kind: str, shape: tuple[int, int], seed: int) -> Array:
    """Codes of values so small that float sums of their products are exact."""
    table = values(kind)
    small = np.flatnonzero(np.isin(np.abs(table), [0, 0.5, 1, 1.5, 2, 3]))
    return np.random.default_rng(seed).choice(small, shape).astype(np.uint8)


def _stored(kind: str, codes: Array) -> bytes:
    wide = 64 if kind.startswith("fp4") else 32
    elements = to_nz(codes, wide)
    data = pack(elements) if kind.startswith("fp4") else elements
    return bytes(data.tobytes().ljust(16384, b"\0"))


def _scales(exponents: Array) -> bytes:
    """Fractals of 16 rows and 2 scales, along K first."""
    rows = -(-exponents.shape[0] // 16) * 16
    padded = np.full((rows, exponents.shape[1]), 127, np.uint8)
    padded[: exponents.shape[0]] = exponents
    fractals = padded.reshape(rows // 16, 16, -1, 2).transpose(0, 2, 1, 3)
    return bytes(np.ascontiguousarray(fractals).tobytes().ljust(2048, b"\x7f"))


def _run(run_kernel: KernelRunner, left: str, right: str, *, scaled: bool, k: int, buffers: dict[str, bytes]) -> Result:
    macros = [f"LEFT={left}", f"RIGHT={right}", *(["SCALED"] if scaled else [])]
    launch = Launch("aic", 1, ("a", "b", "sa", "sb", "bias", "c", 33, 20, k))
    return run_kernel.run(SOURCE, launch, arch=3510, buffers=buffers, macros=macros)


def _case(left: str, right: str, k: int) -> tuple[dict[str, bytes], Array, Array, Array, Array, Array]:
    a, b = _codes(left, (33, k), 1), _codes(right, (20, k), 2)
    random = np.random.default_rng(3)
    sa, sb = (random.integers(125, 130, (rows, k // 32)).astype(np.uint8) for rows in (33, 20))
    bias = np.arange(128, dtype=np.float32)
    buffers = {
        "a": _stored(left, a),
        "b": _stored(right, b),
        "sa": _scales(sa),
        "sb": _scales(sb),
        "bias": bias.tobytes(),
        "c": bytes(32768),
    }
    return buffers, values(left)[a], values(right)[b], sa, sb, bias


@pytest.mark.parametrize(("left", "right", "scaled"), TYPES)
def test_products_of_small_floats_take_their_scales(
    run_kernel: KernelRunner, left: str, right: str, *, scaled: bool
) -> None:
    k = 192
    buffers, a, b, sa, sb, bias = _case(left, right, k)
    result = _run(run_kernel, left, right, scaled=scaled, k=k, buffers=buffers)
    assert result.status == "ok", result.message
    if scaled:
        a = a * np.repeat(values("fp8_e8m0_t")[sa], 32, axis=1)
        b = b * np.repeat(values("fp8_e8m0_t")[sb], 32, axis=1)
    expected = a @ b.T + (bias[:20] if scaled else 0)
    found = from_accumulators(np.frombuffer(result.buffers["c"], np.float32)[: 48 * 32], 33, 20)
    np.testing.assert_array_equal(found, expected.astype(np.float32))


def test_scaled_products_need_whole_blocks_of_64(run_kernel: KernelRunner) -> None:
    buffers, *_ = _case("fp8_e4m3fn_t", "fp8_e4m3fn_t", 192)
    result = _run(run_kernel, "fp8_e4m3fn_t", "fp8_e4m3fn_t", scaled=True, k=96, buffers=buffers)
    assert result.check == "cube-parameter"
    assert "MmadMx: k is 96, but must be a multiple of 64" in result.message


def test_scaled_products_of_other_types_are_one_error() -> None:
    body = "LocalTensor<float> x; LocalTensor<hifloat8_t> y; MmadMx(x, y, y, MmadParams());"
    message = compiler_message(body, 3510, "CUBE")
    assert "MmadMx: dav-3510 has dst, fm, filter = (float, fp8_*, fp8_*), (float, fp4x2_*, fp4x2_*)" in message
    assert message.count("error:") == 1


@pytest.mark.parametrize(
    "body",
    [
        "MatmulTypeWithScale<TPosition::GM, TPosition::GM, CubeFormat::ND, half> left; (void)left;",
        "using M = MatmulType<TPosition::GM, CubeFormat::ND, half>; Matmul<M, M, M> mm; mm.SetTensorScaleA(0);",
    ],
)
def test_the_class_leaves_out_scaled_matrices_and_says_so_once(body: str) -> None:
    source = (
        f'#include "kernel_operator.h"\n#include "lib/matmul_intf.h"\nusing namespace AscendC;void f() {{ {body} }}'
    )
    command = [*flags(3510, "CUBE"), "-fsyntax-only", "-x", "c++", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    words = "Matmul: the twin leaves out MX matrices (MatmulTypeWithScale, SetTensorScaleA, SetTensorScaleB)"
    assert words in done.stderr
    assert done.stderr.count("error:") == 1
