# Licensed under the Apache License, Version 2.0.
"""A whole tile through the memories of the cube, core gating, fills, and loads from global memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.plugins.twin.cube_oracle import FROM_GLOBAL, Array, multiply, to_nz
from tests.plugins.twin.running import KernelRunner, Launch

# Words: A, B, C, bias.
QUEUES = (
    FROM_GLOBAL
    + """
constexpr uint16_t kM = 40, kN = 48, kK = 80, kRows = 48;
class Tile {
public:
    void Run() {
        pipe_.InitBuffer(a1_, 1, kRows * kK * sizeof(half));
        pipe_.InitBuffer(b1_, 1, kK * kN * sizeof(half));
        pipe_.InitBuffer(a2_, 1, kRows * kK * sizeof(half));
        pipe_.InitBuffer(b2_, 1, kK * kN * sizeof(half));
        pipe_.InitBuffer(c1_, 1, kN * sizeof(float));
        pipe_.InitBuffer(c2_, 1, kN * sizeof(float));
        pipe_.InitBuffer(co1_, 1, kRows * kN * sizeof(float));
        CopyIn();
        Split();
        Compute();
        CopyOut();
    }

private:
    void CopyIn() {
        auto a = a1_.AllocTensor<half>();
        DataCopy(a, Global<half>(0), Nd2NzParams(1, kM, kK, 0, kK, kRows, 1, 0));
        a1_.EnQue(a);
        auto b = b1_.AllocTensor<half>();
        DataCopy(b, Global<half>(1), Nd2NzParams(1, kK, kN, 0, kN, kK, 1, 0));
        b1_.EnQue(b);
        auto bias = c1_.AllocTensor<float>();
        DataCopy(bias, Global<float>(3), kN);
        c1_.EnQue(bias);
    }
    void Split() {
        auto from = a1_.DeQue<half>();
        auto a = a2_.AllocTensor<half>();
        auto fromB = b1_.DeQue<half>();
        auto b = b2_.AllocTensor<half>();
#if __NPU_ARCH__ == 2201
        for (uint16_t m = 0; m < kRows / 16; ++m) {
            LoadData(a[m * kK * 16], from, LoadData2DParams(m, kK / 16, kRows / 16, 0, 0, false, 0));
        }
        for (uint16_t k = 0; k < kK / 16; ++k) {
            LoadData(b[k * kN * 16], fromB, LoadData2DParams(k, kN / 16, kK / 16, 0, 0, true, 0));
        }
#else
        LoadData(a, from, LoadData2DParamsV2(0, 0, kRows / 16, kK / 16, kRows / 16, kRows / 16, false, 0));
        LoadData(b, fromB, LoadData2DParamsV2(0, 0, kK / 16, kN / 16, kK / 16, kN / 16, true, 0));
#endif
        a1_.FreeTensor(from);
        b1_.FreeTensor(fromB);
        a2_.EnQue(a);
        b2_.EnQue(b);
        auto fromBias = c1_.DeQue<float>();
        auto bias = c2_.AllocTensor<float>();
        DataCopy(bias, fromBias, kN);
        c1_.FreeTensor(fromBias);
        c2_.EnQue(bias);
    }
    void Compute() {
        auto a = a2_.DeQue<half>();
        auto b = b2_.DeQue<half>();
        auto bias = c2_.DeQue<float>();
        auto c = co1_.AllocTensor<float>();
        MmadParams params;
        params.m = kM;
        params.n = kN;
        params.k = kK;
        params.cmatrixInitVal = false;
        Mmad(c, a, b, bias, params);
        co1_.EnQue(c);
        a2_.FreeTensor(a);
        b2_.FreeTensor(b);
        c2_.FreeTensor(bias);
    }
    void CopyOut() {
        auto c = co1_.DeQue<float>();
#if __NPU_ARCH__ == 2201
        FixpipeParamsV220 params;
#else
        FixpipeParamsArch3510<CO2Layout::ROW_MAJOR> params;
#endif
        params.nSize = kN;
        params.mSize = kM;
        params.srcStride = kRows;
        params.dstStride = kN;
        Fixpipe<float, float, CFG_ROW_MAJOR>(Global<float>(2), c, params);
        co1_.FreeTensor(c);
    }

    TPipe pipe_;
    TQue<TPosition::A1, 1> a1_;
    TQue<TPosition::B1, 1> b1_;
    TQue<TPosition::C1, 1> c1_;
    TQue<TPosition::A2, 1> a2_;
    TQue<TPosition::B2, 1> b2_;
    TQue<TPosition::C2, 1> c2_;
    TQue<TPosition::CO1, 1> co1_;
};
KERNEL(kernel) {
    if ASCEND_IS_AIC {
        Tile().Run();
    }
}
"""
)


def operands() -> tuple[Array, Array, Array]:
    """A, B and the bias of the tile."""
    rng = np.random.default_rng(40)
    return (
        rng.standard_normal((40, 80)).astype(np.float16),
        rng.standard_normal((80, 48)).astype(np.float16),
        rng.standard_normal(48).astype(np.float32),
    )


@pytest.mark.parametrize("arch", [2201, 3510])
@pytest.mark.parametrize("form", ["aic", "mix12"])
def test_a_tile_through_all_queues_equals_the_sums_of_its_products(
    run_kernel: KernelRunner, arch: int, form: str
) -> None:
    a, b, bias = operands()
    buffers: dict[str, bytes | int] = {"a": a.tobytes(), "b": b.tobytes(), "c": 40 * 48 * 4, "bias": bias.tobytes()}
    result = run_kernel.run(QUEUES, Launch(form, 1, ["a", "b", "c", "bias"]), arch=arch, buffers=buffers)
    assert result.status == "ok", result.message
    assert np.array_equal(np.frombuffer(result.buffers["c"], np.float32).reshape(40, 48), multiply(a, b, bias))


CUBE_CALLS = (
    FROM_GLOBAL
    + """
KERNEL(kernel) {
    LocalTensor<half> a(TPosition::A2, 0, 256);
    LocalTensor<half> l1(TPosition::A1, 0, 256);
    LocalTensor<float> c(TPosition::CO1, 0, 256);
    LoadData(a, l1, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
    Fill(l1, InitConstValueParams<half>(1, 1, 0, half(1)));
    Mmad(c, a, a, MmadParams());
    DataCopy(Global<half>(0), c, DataCopyCO12DstParams(16, 16, 16, 16, F322F16, 0, false, true));
    SetHF32Mode(true);
    SetFixpipeNz2ndFlag(1, 1, 1);
}
"""
)


def test_calls_of_the_cube_do_nothing_on_a_vector_core(run_kernel: KernelRunner) -> None:
    result = run_kernel.run(CUBE_CALLS, Launch("aiv", 2, ["c"]), buffers={"c": 1024})
    assert result.status == "ok", result.message
    assert not any(result.buffers["c"])


FILL = (
    FROM_GLOBAL
    + """
KERNEL(kernel) {
#ifdef __DAV_CUBE__
    LocalTensor<TYPE> to(Word(1) == 0 ? TPosition::A1 : TPosition::B2, 0, 8192 / sizeof(TYPE));
    std::memset(to.GetPhyAddr(), 0, 8192);
    Fill(to, InitConstValueParams<TYPE>(Word(2), Word(3), Word(4), static_cast<TYPE>(Word(5))));
    Get(0, to, 8192);
#endif
}
"""
)


@pytest.mark.parametrize(("memory", "unit"), [(0, 32), (1, 512)])
@pytest.mark.parametrize(("kind", "number"), [("half", np.float16), ("int32_t", np.int32)])
def test_fills_repeat_blocks_of_the_unit_of_their_memory(
    run_kernel: KernelRunner, memory: int, unit: int, kind: str, number: Any
) -> None:
    launch = Launch("aic", 1, ["out", memory, 3, 2, 1, 7])
    result = run_kernel.run(FILL, launch, macros=[f"TYPE={kind}"], buffers={"out": 8192})
    got = np.frombuffer(result.buffers["out"], number)
    per_unit = unit // number().itemsize
    written = np.zeros(got.size // per_unit, bool)
    written[[0, 1, 3, 4, 6, 7]] = True
    assert np.array_equal(got, np.repeat(np.where(written, 7, 0), per_unit).astype(number))


GLOBAL_LOAD = (
    FROM_GLOBAL
    + """
KERNEL(kernel) {
#ifdef __DAV_CUBE__
    LocalTensor<half> to(Word(2) == 0 ? TPosition::A1 : TPosition::B2, 0, 4096);
    LoadData(to, Global<half>(0), LoadData2DParams(Word(3), 3, 2, 0, 1, false, Word(4)));
    Get(1, to, 8192);
#endif
}
"""
)


@pytest.mark.parametrize(("memory", "start", "down"), [(0, 1, 0), (0, 6, 1), (1, 1, 0)])
def test_fractals_of_global_memory_are_loaded_up_or_down(
    run_kernel: KernelRunner, memory: int, start: int, down: int
) -> None:
    source = np.random.default_rng(5).integers(0, 60000, (8, 256)).astype(np.uint16)
    launch = Launch("aic", 1, ["src", "out", memory, start, down])
    result = run_kernel.run(GLOBAL_LOAD, launch, buffers={"src": source.tobytes(), "out": 8192})
    assert result.status == "ok", result.message
    got = np.frombuffer(result.buffers["out"], np.uint16).reshape(-1, 256)
    step = -2 if down else 2
    assert np.array_equal(got[[0, 2, 4]], source[[start, start + step, start + 2 * step]])


REPEATED = (
    FROM_GLOBAL
    + """
KERNEL(kernel) {
#ifdef __DAV_CUBE__
    LocalTensor<half> l1(TPosition::A1, 0, 2048);
    LocalTensor<half> l0(TPosition::A2, 0, 2048);
    Put(l1, 0, 4096);
    const uint8_t pads[4] = {0, 0, 0, 0};
    LoadData3DParamsV2Pro params;
    params.channelSize = 32;
    params.extConfig = uint64_t{16} << 16 | 32;
    SetFmatrix(1, 64, pads, FmatrixMode::FMATRIX_LEFT);
    SetLoadDataRepeat(LoadDataRepeatParam(1, 4, 0));
    LoadData(l0, l1, params);
    SetLoadDataRepeat(LoadDataRepeatParam(1, 1, 0));
    Get(1, l0, 4096);
#endif
}
"""
)


def test_the_repeat_register_loads_a_whole_matrix_row_block_by_row_block(run_kernel: KernelRunner) -> None:
    matrix = np.random.default_rng(8).integers(0, 60000, (64, 32)).astype(np.uint16)
    buffers: dict[str, bytes | int] = {"src": to_nz(matrix, 16).tobytes(), "out": 4096}
    result = run_kernel.run(REPEATED, Launch("aic", 1, ["src", "out"]), buffers=buffers)
    assert result.status == "ok", result.message
    blocks = np.frombuffer(result.buffers["out"], np.uint16).reshape(4, 2, 16, 16)
    assert np.array_equal(blocks.transpose(0, 2, 1, 3).reshape(64, 32), matrix)
