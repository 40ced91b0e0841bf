# Licensed under the Apache License, Version 2.0.
"""Loads into L0A and L0B against the formulas of ascendc_data_cube.md 7, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.plugins.twin.cube_oracle import FROM_GLOBAL, Array, ceil_div, round_up, to_nz, to_zz
from tests.plugins.twin.running import KernelRunner, Launch

KINDS: dict[str, Any] = {"int8_t": np.uint8, "half": np.uint16, "float": np.uint32}
L1_BYTES = 64 * 1024
L0_BYTES = 32 * 1024

# Words: source, result, which load, whether into L0B, then the fields of its parameters in order.
SOURCE = (
    FROM_GLOBAL
    + """
#ifdef __DAV_CUBE__
inline uint64_t Field(int index) { return Word(4 + index); }
inline void LoadPlain(const LocalTensor<ELEMENT>& l0, const LocalTensor<ELEMENT>& l1) {
    LoadData(l0, l1, LoadData2DParams(Field(0), Field(1), Field(2), 0, Field(3), Field(4) != 0, 0));
}
inline void LoadTurned(const LocalTensor<ELEMENT>& l0, const LocalTensor<ELEMENT>& l1) {
    LoadDataWithTranspose(l0, l1, LoadData2dTransposeParams(Field(0), Field(1), Field(2), Field(3), Field(4)));
}
inline void LoadImage(const LocalTensor<ELEMENT>& l0, const LocalTensor<ELEMENT>& l1) {
    LoadData3DParamsV2<ELEMENT> params;
    for (int i = 0; i < 4; ++i) {
        params.padList[i] = Field(i);
    }
    params.l1H = Field(4);
    params.l1W = Field(5);
    params.channelSize = Field(6);
    params.kExtension = Field(7);
    params.mExtension = Field(8);
    params.kStartPt = Field(9);
    params.mStartPt = Field(10);
    params.strideW = Field(11);
    params.strideH = Field(12);
    params.filterW = Field(13);
    params.filterH = Field(14);
    params.dilationFilterW = Field(15);
    params.dilationFilterH = Field(16);
    params.enTranspose = Field(17) != 0;
    params.padValue = static_cast<ELEMENT>(3);
    LoadData(l0, l1, params);
}
inline void LoadPart([[maybe_unused]] const LocalTensor<ELEMENT>& l0, [[maybe_unused]] const LocalTensor<ELEMENT>& l1) {
#if __NPU_ARCH__ == 3510
    LoadData(l0, l1, LoadData2DParamsV2(Field(0), Field(1), Field(2), Field(3), Field(4), Field(5), Field(6) != 0, 0));
#endif
}
#endif
KERNEL(kernel) {
#ifdef __DAV_CUBE__
    LocalTensor<ELEMENT> l1(TPosition::A1, 0, 65536 / sizeof(ELEMENT));
    LocalTensor<ELEMENT> l0(Word(3) == 0 ? TPosition::A2 : TPosition::B2, 0, 32768 / sizeof(ELEMENT));
    Put(l1, 0, 65536);
    std::memset(l0.GetPhyAddr(), 0xee, 32768);
    using Load = void (*)(const LocalTensor<ELEMENT>&, const LocalTensor<ELEMENT>&);
    const Load loads[] = {LoadPlain, LoadTurned, LoadImage, LoadPart};
    loads[Word(2)](l0, l1);
    Get(1, l0, 32768);
#endif
}
"""
)
LOADS = ("plain", "turned", "image", "window")


def load(run_kernel: KernelRunner, entry: str, kind: str, source: Array, words: list[int], arch: int = 2201) -> Array:
    """L0 after the load, as elements; bytes that the load left alone are 0xee."""
    raw = source.tobytes().ljust(L1_BYTES, b"\0")
    launch = Launch("aic", 1, ["src", "dst", LOADS.index(entry), *words])
    buffers: dict[str, bytes | int] = {"src": raw, "dst": L0_BYTES}
    result = run_kernel.run(SOURCE, launch, arch=arch, macros=[f"ELEMENT={kind}"], buffers=buffers)
    assert result.status == "ok", result.message
    return np.asarray(np.frombuffer(result.buffers["dst"], KINDS[kind]))


def untouched(kind: str) -> int:
    """The pattern of bytes that nothing wrote."""
    return int(np.frombuffer(b"\xee" * 4, KINDS[kind])[0])


def numbers(count: int, kind: str) -> Array:
    """Random patterns."""
    return np.random.default_rng(count).integers(0, 251, count).astype(KINDS[kind])


@pytest.mark.parametrize(
    ("start", "repeats", "stride", "gap"), [(0, 4, 1, 0), (3, 5, 2, 3), (2, 3, 0, 1), (1, 0, 1, 0)]
)
@pytest.mark.parametrize("arch", [2201, 3510])
def test_fractals_are_taken_head_to_head_and_placed_tail_to_head(
    run_kernel: KernelRunner, arch: int, start: int, repeats: int, stride: int, gap: int
) -> None:
    source = numbers(L1_BYTES // 2, "half")
    got = load(run_kernel, "plain", "half", source, [0, start, repeats, stride, gap, 0], arch).reshape(-1, 256)
    expected = np.full_like(got, untouched("half"))
    step = 1 if arch == 3510 else gap + 1
    for repeat in range(repeats):
        expected[repeat * step] = source.reshape(-1, 256)[start + repeat * stride]
    assert np.array_equal(got, expected)


def test_the_recipe_for_a_turns_nz_of_l1_into_zz_of_l0a(run_kernel: KernelRunner) -> None:
    matrix = numbers(48 * 64, "half").reshape(48, 64)
    blocks = []
    for row_block in range(3):
        got = load(run_kernel, "plain", "half", to_nz(matrix, 16), [0, row_block, 4, 3, 0, 0])
        blocks.append(got[: 4 * 256])
    assert np.array_equal(np.concatenate(blocks), to_zz(matrix, 16))


def test_the_recipe_for_b_turns_nz_of_k_n_into_zn_of_l0b(run_kernel: KernelRunner) -> None:
    matrix = numbers(32 * 48, "half").reshape(32, 48)
    blocks = []
    for k_block in range(2):
        got = load(run_kernel, "plain", "half", to_nz(matrix, 16), [1, k_block, 3, 2, 0, 1])
        blocks.append(got[: 3 * 256])
    assert np.array_equal(np.concatenate(blocks), to_nz(matrix.T, 16))


def squares(kind: str, flat: Array, index: int) -> Array:
    """Square `index` of the source as a matrix."""
    side = {"int8_t": 32, "half": 16, "float": 16}[kind]
    part = flat[index * side * side : (index + 1) * side * side]
    return part.reshape(2, 16, 8).transpose(1, 0, 2).reshape(16, 16) if kind == "float" else part.reshape(side, side)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("start", "repeats", "stride", "gap", "fractal_gap"), [(0, 2, 1, 1, 0), (1, 3, 2, 4, 1)])
def test_squares_are_transposed_into_fractals_that_the_gaps_place(
    run_kernel: KernelRunner, kind: str, start: int, repeats: int, stride: int, gap: int, fractal_gap: int
) -> None:
    flat = numbers(L1_BYTES // KINDS[kind]().itemsize, kind)
    k0 = 32 // KINDS[kind]().itemsize
    got = load(run_kernel, "turned", kind, flat, [1, start, repeats, stride, gap, fractal_gap]).reshape(-1, 16 * k0)
    expected = np.full_like(got, untouched(kind))
    for repeat in range(repeats):
        turned = squares(kind, flat, start + repeat * stride).T
        parts = [turned[:, :8], turned[:, 8:]] if kind == "float" else np.split(turned, max(1, turned.shape[0] // 16))
        for part, fractal in enumerate(parts):
            expected[repeat * (gap + 1) + part * (fractal_gap + 1)] = fractal.ravel()
    assert np.array_equal(got, expected)


def img2col(image: Array, pads: list[int], stride: int, filters: tuple[int, int], dilation: int, padding: int) -> Array:
    """The virtual matrix of a [C1, H, W, C0] image."""
    left, right, top, bottom = pads
    blocks, height, width, c0 = image.shape
    filter_w, filter_h = filters
    out_h = (height + top + bottom - dilation * (filter_h - 1) - 1) // stride + 1
    out_w = (width + left + right - dilation * (filter_w - 1) - 1) // stride + 1
    matrix = np.full((out_h * out_w, blocks * filter_h * filter_w * c0), padding, image.dtype)
    for row in range(out_h * out_w):
        for c1, fh, fw in np.ndindex(blocks, filter_h, filter_w):
            y = row // out_w * stride + fh * dilation - top
            x = row % out_w * stride + fw * dilation - left
            if 0 <= y < height and 0 <= x < width:
                column = ((c1 * filter_h + fh) * filter_w + fw) * c0
                matrix[row, column : column + c0] = image[c1, y, x]
    return matrix


IMAGES = [
    ([1, 1, 1, 1], 1, (3, 3), 1, 2, (4, 4)),
    ([0, 1, 2, 0], 2, (2, 3), 1, 1, (7, 6)),
    ([2, 2, 2, 2], 1, (3, 2), 2, 1, (5, 5)),
]


@pytest.mark.parametrize("arch", [2201, 3510])
@pytest.mark.parametrize("kind", ["half", "float"])
@pytest.mark.parametrize(("pads", "stride", "filters", "dilation", "blocks", "size"), IMAGES)
@pytest.mark.parametrize("form", ["a", "a turned", "b"])
def test_img2col_loads_a_window_of_the_virtual_matrix(
    run_kernel: KernelRunner,
    arch: int,
    kind: str,
    pads: list[int],
    stride: int,
    filters: tuple[int, int],
    dilation: int,
    blocks: int,
    size: tuple[int, int],
    form: str,
) -> None:
    c0 = 32 // KINDS[kind]().itemsize
    image = numbers(blocks * size[0] * size[1] * c0, kind).reshape(blocks, *size, c0)
    matrix = img2col(image, pads, stride, filters, dilation, 0x4200 if kind == "half" else 0x40400000)
    k_extent = min(4 * c0, matrix.shape[1] - c0)
    words = [
        *pads,
        *size,
        blocks * c0,
        k_extent,
        16,
        c0,
        0,
        stride,
        stride,
        *filters,
        dilation,
        dilation,
        int(form == "a turned"),
    ]
    got = load(run_kernel, "image", kind, image.ravel(), [int(form == "b"), *words], arch)
    part = np.zeros((16, k_extent), matrix.dtype)
    rows = matrix[:16, c0 : c0 + k_extent]
    part[: rows.shape[0]] = rows
    lay_out = to_nz if form == "b" or arch == 3510 else to_zz
    expected = lay_out(part if form == "a" else part.T, c0)
    written = lay_out(np.ones_like(part if form == "a" else part.T), c0) == 1
    assert np.array_equal(got[: expected.size][written], expected[written])
    assert np.all(got[expected.size :] == untouched(kind))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("m_start", "k_start", "m_step", "k_step", "stride", "target"), [(0, 0, 4, 4, 4, 8), (2, 1, 4, 2, 8, 7)]
)
@pytest.mark.parametrize("turned", [False, True])
def test_a_window_of_nz_is_moved_or_transposed_on_3510(
    run_kernel: KernelRunner,
    kind: str,
    m_start: int,
    k_start: int,
    m_step: int,
    k_step: int,
    stride: int,
    target: int,
    turned: bool,
) -> None:
    k0 = 32 // KINDS[kind]().itemsize
    matrix = numbers(stride * 16 * 5 * k0, kind).reshape(stride * 16, 5 * k0)
    words = [1, m_start, k_start, m_step, k_step, stride, target, int(turned)]
    got = load(run_kernel, "window", kind, to_nz(matrix, k0), words, 3510)
    part = matrix[m_start * 16 : (m_start + m_step) * 16, k_start * k0 : (k_start + k_step) * k0]
    part = part.T if turned else part
    columns = ceil_div(part.shape[1], k0)
    rows = round_up(part.shape[0], 16)
    flat = to_nz(part, k0).reshape(columns, rows * k0)
    for column in range(columns):
        first = column * target * 16 * k0
        assert np.array_equal(got[first : first + rows * k0], flat[column])


LAYOUTS = """
#include "ascendc/cube_layout.h"
using sktwin::cube::AccumulatorOffset;
using sktwin::cube::Fractals;
static_assert(Fractals{32, 48, 16}.Zz(17, 33) == 1297 && Fractals{32, 48, 16}.Zz(17, 17) == 1041, "A of 2201");
static_assert(Fractals{32, 48, 16}.Nz(17, 33) == 1297 && Fractals{32, 48, 16}.Nz(17, 17) == 785, "A of 3510");
static_assert(Fractals{48, 32, 16}.Nz(33, 17) == 1297, "B: n 33, k 17");
static_assert(AccumulatorOffset(17, 35, 2) == 1299, "C of 20 x 40");
extern "C" void kernel(uint64_t) {}
"""


def test_the_worked_examples_of_the_layouts(run_kernel: KernelRunner) -> None:
    run_kernel.compile(LAYOUTS, 2201, (), ("kernel",))
