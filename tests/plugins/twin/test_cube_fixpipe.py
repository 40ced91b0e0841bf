# Licensed under the Apache License, Version 2.0.
"""The way out of L0C: layouts, conversions, parameters of quantisation, atomics, registers of DataCopy from CO1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.plugins.twin.cube_oracle import (
    FROM_GLOBAL,
    Array,
    from_bfloat16,
    quant_word,
    round_up,
    to_bfloat16,
    to_nz,
    truncated_scale,
)
from tests.plugins.twin.running import KernelRunner, Launch, Result, Word

C_BYTES = 65536
OUT_BYTES = 65536

# Words: L0C, output, parameters of the columns, n, m, source stride, target stride, mode, scalar parameter, relu,
# matrices, source matrix, target matrix, use the vector, ctrl.
SOURCE = (
    FROM_GLOBAL
    + """
#ifdef __DAV_CUBE__
#if __NPU_ARCH__ == 2201
inline FixpipeParamsV220 Params() {
    FixpipeParamsV220 params;
    params.ndNum = Word(10);
    params.srcNdStride = Word(11);
    params.dstNdStride = Word(12);
#else
inline void SetMatrices(Nz2NdParams& params) {
    params = {uint16_t(Word(10)), uint16_t(Word(11)), uint32_t(Word(12))};
}
inline void SetMatrices(Nz2DnParams& params) {
    params = {uint16_t(Word(10)), uint16_t(Word(11)), uint32_t(Word(12)), 1};
}
inline void SetMatrices(uint8_t&) {}
inline FixpipeParamsArch3510<LAYOUT.format> Params() {
    FixpipeParamsArch3510<LAYOUT.format> params;
    SetMatrices(params.params);
#endif
    params.nSize = Word(3);
    params.mSize = Word(4);
    params.srcStride = Word(5);
    params.dstStride = Word(6);
    params.quantPre = static_cast<QuantMode_t>(Word(7));
    params.deqScalar = Word(8);
    params.reluEn = (Word(9) & 1) != 0;
    params.isChannelSplit = (Word(9) & 2) != 0;
    return params;
}
#endif
KERNEL(kernel) {
#ifdef __DAV_CUBE__
    LocalTensor<FROM> c(TPosition::CO1, 0, 65536 / sizeof(FROM));
    LocalTensor<uint64_t> vector(TPosition::A1, 0, 512);
    Put(c, 0, 65536);
    Put(vector, 2, 4096);
    sktwin::Self().registers.ctrl = Word(14);
    const auto params = Params();
    if (Word(13) != 0) {
        Fixpipe<TO, FROM, LAYOUT>(Global<TO>(1), c, vector, params);
    } else {
        Fixpipe<TO, FROM, LAYOUT>(Global<TO>(1), c, params);
    }
    sktwin::Self().registers.ctrl = 0;
#endif
}
"""
)
MODES = [
    "NoQuant",
    "F322F16",
    "F322BF16",
    "DEQF16",
    "VDEQF16",
    "QF322B8_PRE",
    "VQF322B8_PRE",
    "REQ8",
    "VREQ8",
    "QF322F16_PRE",
    "VQF322F16_PRE",
    "QF322BF16_PRE",
    "VQF322BF16_PRE",
    "QS322BF16_PRE",
    "VQS322BF16_PRE",
    "QF322F32_PRE",
    "VQF322F32_PRE",
]
NUMPY: dict[str, Any] = {
    "float": np.float32,
    "half": np.float16,
    "bfloat16_t": np.uint16,
    "int32_t": np.int32,
    "int8_t": np.int8,
    "uint8_t": np.uint8,
}
KEEP_INFINITY = 1 << 48


def fixpipe(
    run_kernel: KernelRunner,
    values: Array,
    to: str,
    mode: str = "NoQuant",
    *,
    arch: int = 2201,
    layout: str = "ROW_MAJOR",
    m: int,
    n: int,
    source: int,
    pitch: int,
    image: int = 0,
    images: list[int] | None = None,
    flags: int = 0,
    matrices: tuple[int, int, int] = (1, 0, 0),
    ctrl: int = 0,
    before: bytes = b"",
) -> Array:
    """Global memory after one Fixpipe of the flat accumulators `values`; bytes not written are 0xee."""
    kind = "int32_t" if values.dtype == np.int32 else "float"
    vector = np.array(images or [], np.uint64).tobytes().ljust(4096, b"\0")
    buffers: dict[str, bytes | int] = {
        "c": values.tobytes().ljust(C_BYTES, b"\0"),
        "out": before.ljust(OUT_BYTES, b"\xee"),
        "vector": vector,
    }
    words: list[Word] = [
        "c",
        "out",
        "vector",
        n,
        m,
        source,
        pitch,
        MODES.index(mode),
        image,
        flags,
        *matrices,
        int(images is not None),
        ctrl,
    ]
    macros = [f"FROM={kind}", f"TO={to}", f"LAYOUT=CFG_{layout}"]
    result: Result = run_kernel.run(SOURCE, Launch("aic", 1, words), arch=arch, macros=macros, buffers=buffers)
    assert result.status == "ok", result.message
    return np.asarray(np.frombuffer(result.buffers["out"], NUMPY[to]))


def expected_rows(matrix: Array, pitch: int, to: str) -> Array:
    """A buffer that holds the matrix row by row, everything else untouched."""
    flat: Array = np.frombuffer(b"\xee" * OUT_BYTES, NUMPY[to]).copy()
    for row, line in enumerate(matrix):
        flat[row * pitch : row * pitch + matrix.shape[1]] = line
    return flat


def floats(m: int, n: int, scale: float = 1.0) -> Array:
    """Random accumulators."""
    return (np.random.default_rng(m * n).standard_normal((m, n)) * scale).astype(np.float32)


@pytest.mark.parametrize("arch", [2201, 3510])
@pytest.mark.parametrize(("m", "n", "pitch"), [(20, 40, 100), (16, 16, 16), (33, 7, 9)])
def test_rows_are_written_with_the_pitch_of_the_target(
    run_kernel: KernelRunner, arch: int, m: int, n: int, pitch: int
) -> None:
    matrix = floats(m, n)
    source = round_up(m, 16)
    got = fixpipe(run_kernel, to_nz(matrix, 16), "float", arch=arch, m=m, n=n, source=source, pitch=pitch)
    assert np.array_equal(got.view(np.uint32), expected_rows(matrix, pitch, "float").view(np.uint32))


@pytest.mark.parametrize(("arch", "unit"), [(2201, 256), (3510, 16)])
def test_several_matrices_have_their_strides_on_both_sides(run_kernel: KernelRunner, arch: int, unit: int) -> None:
    matrices = [floats(16, 32) + index for index in range(3)]
    flat = np.concatenate([to_nz(matrix, 16) for matrix in matrices])
    got = fixpipe(run_kernel, flat, "float", arch=arch, m=16, n=32, source=16, pitch=40, matrices=(3, 512 // unit, 700))
    for index, matrix in enumerate(matrices):
        part = np.lib.stride_tricks.as_strided(got[index * 700 :], (16, 32), (160, 4))
        assert np.array_equal(part, matrix)


@pytest.mark.parametrize("arch", [2201, 3510])
@pytest.mark.parametrize(("to", "mode"), [("float", "NoQuant"), ("half", "F322F16"), ("bfloat16_t", "F322BF16")])
def test_nz_output_keeps_blocks_of_16_columns(run_kernel: KernelRunner, arch: int, to: str, mode: str) -> None:
    matrix = floats(20, 48)
    rows = 24
    pitch = rows * 16
    stride = pitch * NUMPY[to]().itemsize // 32 if arch == 2201 else pitch
    got = fixpipe(run_kernel, to_nz(matrix, 16), to, mode, arch=arch, layout="NZ", m=20, n=48, source=32, pitch=stride)
    number = to_bfloat16(matrix).reshape(matrix.shape) if to == "bfloat16_t" else matrix.astype(NUMPY[to])
    blocks = got[: 3 * pitch].reshape(3, rows, 16)[:, :20]
    assert np.array_equal(blocks.transpose(1, 0, 2).reshape(20, 48), number)


def test_bytes_in_nz_merge_two_blocks_of_columns(run_kernel: KernelRunner) -> None:
    matrix = np.random.default_rng(1).integers(-100, 100, (16, 48)).astype(np.int32)
    got = fixpipe(
        run_kernel,
        to_nz(matrix, 16),
        "int8_t",
        "REQ8",
        layout="NZ",
        m=16,
        n=48,
        source=16,
        pitch=16,
        image=quant_word(1.0),
    )
    assert np.array_equal(got[:512].reshape(16, 32), matrix[:, :32])
    assert np.array_equal(got[512:1024].reshape(16, 32)[:, :16], matrix[:, 32:])


def test_channel_split_gives_blocks_of_8_columns(run_kernel: KernelRunner) -> None:
    matrix = floats(16, 32)
    got = fixpipe(run_kernel, to_nz(matrix, 16), "float", layout="NZ", m=16, n=32, source=16, pitch=16, flags=2)
    assert np.array_equal(got[:512].reshape(4, 16, 8).transpose(1, 0, 2).reshape(16, 32), matrix)


def test_columns_are_written_first_on_3510(run_kernel: KernelRunner) -> None:
    matrix = floats(20, 24)
    got = fixpipe(
        run_kernel, to_nz(matrix, 16), "float", arch=3510, layout="COLUMN_MAJOR", m=20, n=24, source=32, pitch=50
    )
    assert np.array_equal(got[: 24 * 50].reshape(24, 50)[:, :20], matrix.T)


@pytest.mark.parametrize(("ctrl", "kept"), [(0, False), (KEEP_INFINITY, True)])
def test_a_half_beyond_its_range_saturates_unless_ctrl_keeps_infinities(
    run_kernel: KernelRunner, ctrl: int, kept: bool
) -> None:
    matrix = np.tile(np.array([[1e6, -1e6, np.nan, 65519.0]], np.float32), (1, 4))
    got = fixpipe(run_kernel, to_nz(matrix, 16), "half", "F322F16", m=1, n=16, source=16, pitch=16, ctrl=ctrl)[:4]
    if kept:
        assert np.isposinf(got[0])
        assert np.isneginf(got[1])
        assert np.isnan(got[2])
    else:
        assert list(got[:3]) == [65504, -65504, 0]
    assert got[3] == 65504


def test_relu_clears_negative_results(run_kernel: KernelRunner) -> None:
    matrix = floats(16, 16)
    got = fixpipe(run_kernel, to_nz(matrix, 16), "half", "F322F16", m=16, n=16, source=16, pitch=16, flags=1)
    assert np.array_equal(got[:256].reshape(16, 16), np.maximum(matrix, 0).astype(np.float16))


@pytest.mark.parametrize("arch", [2201, 3510])
def test_integers_are_dequantised_to_half_with_the_truncated_scale(run_kernel: KernelRunner, arch: int) -> None:
    matrix = np.random.default_rng(2).integers(-50000, 50000, (16, 32)).astype(np.int32)
    scale = 0.0123456
    got = fixpipe(
        run_kernel,
        to_nz(matrix, 16),
        "half",
        "DEQF16",
        arch=arch,
        m=16,
        n=32,
        source=16,
        pitch=32,
        image=quant_word(scale),
    )
    assert np.array_equal(
        got[:512].reshape(16, 32), (matrix.astype(np.float32) * truncated_scale(scale)).astype(np.float16)
    )


def test_dequantised_halves_saturate_always(run_kernel: KernelRunner) -> None:
    matrix = np.full((1, 16), 2**30, np.int32)
    got = fixpipe(
        run_kernel,
        to_nz(matrix, 16),
        "half",
        "DEQF16",
        m=1,
        n=16,
        source=16,
        pitch=16,
        image=quant_word(1.0),
        ctrl=KEEP_INFINITY,
    )
    assert got[0] == 65504


@pytest.mark.parametrize(("signed", "to"), [(True, "int8_t"), (False, "uint8_t")])
def test_each_column_has_its_own_parameter_in_vector_modes(run_kernel: KernelRunner, signed: bool, to: str) -> None:
    matrix = np.random.default_rng(3).integers(-2000, 2000, (16, 32)).astype(np.int32)
    scales = np.linspace(0.01, 0.5, 32).astype(np.float32)
    offsets = np.arange(32) - 16
    images = [quant_word(float(scale), int(offset), signed) for scale, offset in zip(scales, offsets, strict=True)]
    got = fixpipe(run_kernel, to_nz(matrix, 16), to, "VREQ8", m=16, n=32, source=16, pitch=32, images=images)
    rounded = np.clip(np.rint(matrix.astype(np.float32) * truncated_scale(scales)), -256, 255).astype(np.int32)
    low, high = (-128, 127) if signed else (0, 255)
    assert np.array_equal(got[:512].reshape(16, 32), np.clip(rounded + offsets, low, high).astype(NUMPY[to]))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    value=st.integers(-(2**31), 2**31 - 1),
    scale=st.floats(2.0**-20, 4.0, width=32),
    offset=st.integers(-256, 255),
    signed=st.booleans(),
    relu=st.booleans(),
)
def test_requantisation_rounds_before_it_adds_the_offset(
    run_kernel: KernelRunner, value: int, scale: float, offset: int, signed: bool, relu: bool
) -> None:
    matrix = np.full((1, 16), value, np.int32)
    got = fixpipe(
        run_kernel,
        to_nz(matrix, 16),
        "int8_t" if signed else "uint8_t",
        "REQ8",
        m=1,
        n=16,
        source=16,
        pitch=16,
        image=quant_word(scale, offset, signed),
        flags=int(relu),
    )
    scaled = np.float32(value) * truncated_scale(scale) if value >= 0 or not relu else np.float32(0)
    rounded = int(np.clip(np.rint(scaled), -256, 255))
    low, high = (-128, 127) if signed else (0, 255)
    assert int(got[0]) == min(max(rounded + offset, low), high)


def test_the_worked_examples_of_requantisation(run_kernel: KernelRunner) -> None:
    matrix = np.array([[-7, 5] * 8], np.int32)
    got = fixpipe(
        run_kernel, to_nz(matrix, 16), "int8_t", "REQ8", m=1, n=16, source=16, pitch=16, image=quant_word(0.5, 3)
    )
    assert list(got[:2]) == [-1, 5]


@pytest.mark.parametrize(
    ("to", "mode"), [("half", "QF322F16_PRE"), ("bfloat16_t", "QF322BF16_PRE"), ("float", "QF322F32_PRE")]
)
def test_floats_are_scaled_on_3510(run_kernel: KernelRunner, to: str, mode: str) -> None:
    matrix = floats(16, 16)
    got = fixpipe(
        run_kernel, to_nz(matrix, 16), to, mode, arch=3510, m=16, n=16, source=16, pitch=16, image=quant_word(0.75)
    )
    number = from_bfloat16(got[:256]) if to == "bfloat16_t" else got[:256]
    scaled = matrix.ravel() * np.float32(0.75)
    wanted = from_bfloat16(to_bfloat16(scaled)) if to == "bfloat16_t" else scaled.astype(NUMPY[to])
    assert np.array_equal(number, wanted)


def test_a_mode_that_does_not_fit_the_types_is_reported(run_kernel: KernelRunner) -> None:
    words: list[Word] = ["c", "out", "vector", 16, 16, 16, 16, MODES.index("REQ8"), 0, 0, 1, 0, 0, 0, 0]
    macros = ["FROM=float", "TO=half", "LAYOUT=CFG_ROW_MAJOR"]
    buffers: dict[str, bytes | int] = {"c": C_BYTES, "out": OUT_BYTES, "vector": 4096}
    result = run_kernel.run(SOURCE, Launch("aic", 1, words), macros=macros, buffers=buffers)
    assert result.check == "fixpipe-quant-mode"


def test_a_source_beyond_l0c_is_reported(run_kernel: KernelRunner) -> None:
    words: list[Word] = ["c", "out", "vector", 32, 16, 4096, 32, MODES.index("F322F16"), 0, 0, 1, 0, 0, 0, 0]
    macros = ["FROM=float", "TO=half", "LAYOUT=CFG_ROW_MAJOR"]
    buffers: dict[str, bytes | int] = {"c": C_BYTES, "out": OUT_BYTES, "vector": 4096}
    result = run_kernel.run(SOURCE, Launch("aic", 1, words), macros=macros, buffers=buffers)
    assert result.check == "local-memory-size"
    assert "L0C" in result.message
