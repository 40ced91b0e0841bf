# Licensed under the Apache License, Version 2.0.
"""Tensors, queues, data movement and printing: spec ascendc_data_cube.md sections 1 to 6 and 13.5."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.plugins.twin.vector_machine import KernelLibrary, compile_kernels, compiler_message

Array = NDArray[Any]

QUEUE = "TPipe pipe; TQue<QuePosition::VECIN, 1> que; pipe.InitBuffer(que, uint8_t(2), 256);"

VECTOR = {
    "copy": """auto x = ub.New<float>(256); DataCopy(x, Global<float>(a), uint32_t(n));
        DataCopy(Global<float>(c), x, uint32_t(n));""",
    "strides": """auto x = ub.Load<int16_t>(c, 256); DataCopy(x, Global<int16_t>(a), DataCopyParams(3, 2, 1, 2));
        ub.Store<int16_t>(c, x, 256);""",
    "pad_in": """auto x = ub.Load<float>(c, 32);
        DataCopyPad(x, Global<float>(a), DataCopyExtParams(2, 20, 4, 1, 0),
            DataCopyPadExtParams<float>(true, 1, 0, -1.0f));
        ub.Store<float>(c, x, 32);""",
    "pad_filler": """auto x = ub.Load<half>(c, 32);
        DataCopyPad(x, Global<half>(a), DataCopyExtParams(2, 10, 0, 0, 0), DataCopyPadExtParams<half>());
        ub.Store<half>(c, x, 32);""",
    "pad_out": """auto x = ub.Load<half>(a, 48); DataCopyPad(Global<half>(c), x, DataCopyExtParams(3, 10, 0, 6, 0));""",
    "atomic": """auto x = ub.Load<float>(a, n); if (m == 0) SetAtomicAdd<float>(); if (m == 1) SetAtomicMax<float>();
        if (m == 2) SetAtomicMin<float>(); DataCopyPad(Global<float>(c), x, DataCopyExtParams(1, n * 4, 0, 0, 0));
        SetAtomicNone(); DataCopyPad(Global<float>(d), x, DataCopyExtParams(1, n * 4, 0, 0, 0));""",
    "slice": """auto x = ub.New<float>(256); uint32_t shape[1] = {24}; x.SetShapeInfo(ShapeInfo(1, shape));
        SliceInfo from[1] = {{8, 47, 8, 1, 64}}; SliceInfo to[1] = {{0, 23, 0, 1, 24}};
        DataCopy(x, Global<float>(a), to, from, 1); ub.Store<float>(c, x, 24);""",
    "scalar": """auto x = ub.Load<half>(a, 16); auto g = Global<half>(c); x.SetValue(3, 2.5f); half v = x.GetValue(3);
        g.SetValue(0, v); g(1) = x(4); half w = g(1); g(2) = half(w + 1.0f); x(5) = w; g.SetValue(3, x.GetValue(5));""",
    "copy_vector": """auto x = ub.Load<half>(a, 256), z = ub.Load<half>(c, 256); Copy(z, x, 20, 2, {1, 1, 8, 8});
        ub.Store<half>(c, z, 256);""",
    "nz2nd": """auto x = ub.Load<half>(a, n);
        DataCopy(Global<half>(c), x, Nz2NdParamsFull(1, 20, 32, 1, 32, 50, 1));""",
    "outside": """LocalTensor<float> x(TPosition::VECIN, 191 * 1024, 256); DataCopy(x, Global<float>(a), 512);""",
    "gm_outside": """auto x = ub.New<float>(256); DataCopy(x, Global<float>(a), 256);""",
    "queue": """TPipe pipe; TQue<QuePosition::VECIN, 1> in; TQue<QuePosition::VECOUT, 1> out;
        pipe.InitBuffer(in, uint8_t(2), 128); pipe.InitBuffer(out, uint8_t(2), 128);
        for (uint64_t i = 0; i < n; ++i) {
            auto x = in.AllocTensor<float>(); DataCopy(x, Global<float>(a)[i * 32], 32); x.SetUserTag(int32_t(i));
        in.EnQue(x);
            auto y = in.DeQue<float>(); auto z = out.AllocTensor<float>(); Adds(z, y, float(y.GetUserTag()), 32);
            in.FreeTensor(y); out.EnQue<float>(z); z = out.DeQue<float>(); DataCopy(Global<float>(c)[i * 32], z, 32);
            out.FreeTensor(z); }""",
    "buffers": """TPipe pipe; TBuf<TPosition::VECCALC> one, two; pipe.InitBuffer(one, 100); pipe.InitBuffer(two, 64);
        auto* g = reinterpret_cast<uint64_t*>(c); g[0] = one.Get<float>().GetSize();
        g[1] = two.Get<float>().GetByteOffset();
        g[2] = one.Get<half>(16).GetSize(); g[3] = one.GetWithOffset<half>(16, 32).GetByteOffset();
        LocalTensor<float> rest; PopStackBuffer<float, TPosition::LCM>(rest); g[4] = rest.GetByteOffset();
        g[5] = rest.GetSize();""",
    "ping_pong": QUEUE
    + """auto x = que.AllocTensor<float>(); auto y = que.AllocTensor<float>();
        auto* g = reinterpret_cast<uint64_t*>(c); g[0] = x.GetByteOffset(); g[1] = y.GetByteOffset();
        g[2] = que.HasIdleBuffer();
        que.EnQue(y); g[3] = que.GetTensorCountInQue(); g[4] = que.VacantInQue();""",
    "round_robin": QUEUE
    + """auto* g = reinterpret_cast<uint64_t*>(c);
        for (int i = 0; i < 3; ++i) { auto x = que.AllocTensor<float>(); g[i] = x.GetByteOffset(); que.FreeTensor(x);
        }""",
    "in_place": """TPipe pipe; TQue<QuePosition::VECIN, 0> que; pipe.InitBuffer(que, uint8_t(1), 256);
        LocalTensor<float> x;
        que.AllocTensor<float>(x); que.EnQue(x); que.DeQue(x); que.FreeTensor(x); que.AllocTensor<float>(x);""",
    "exhausted": QUEUE + "que.AllocTensor<float>(); que.AllocTensor<float>(); que.AllocTensor<float>();",
    "full": QUEUE + "auto x = que.AllocTensor<float>(), y = que.AllocTensor<float>(); que.EnQue(x); que.EnQue(y);",
    "empty": QUEUE + "que.DeQue<float>();",
    "free_twice": QUEUE + "auto x = que.AllocTensor<float>(); que.FreeTensor(x); que.FreeTensor(x);",
    "foreign": QUEUE + "LocalTensor<float> x(TPosition::VECIN, 0, 32); que.EnQue(x);",
    "no_init": "TQue<QuePosition::VECIN, 1> que; que.AllocTensor<float>();",
    "two_pipes": "TPipe one; TPipe two;",
    "pipe_again": "{ TPipe one; } { TPipe two; two.Destroy(); TPipe three; }",
    "too_much": "TPipe pipe; TQue<QuePosition::VECIN, 1> que; pipe.InitBuffer(que, uint8_t(2), 100 * 1024);",
    "events": """TPipe pipe; auto* g = reinterpret_cast<int8_t*>(c); g[0] = pipe.AllocEventID<HardEvent::MTE2_V>();
        g[1] = pipe.AllocEventID<HardEvent::MTE2_V>(); g[2] = pipe.AllocEventID<HardEvent::V_MTE3>();
        pipe.ReleaseEventID<HardEvent::MTE2_V>(g[0]); g[3] = pipe.FetchEventID(HardEvent::MTE2_V);""",
    "pool": """TPipe pipe; TBufPool<TPosition::VECCALC> one, two; pipe.InitBufPool(one, 1024);
        pipe.InitBufPool(two, 1024, one);
        TQue<QuePosition::VECIN, 1> in; TBuf<> buf; one.InitBuffer(in, uint8_t(2), 256); two.InitBuffer(buf, 1024);
        auto* g = reinterpret_cast<uint64_t*>(c); g[0] = in.AllocTensor<float>().GetByteOffset();
        g[1] = buf.Get<float>().GetByteOffset();""",
    "print": """printf("n=%d %s %.2f\\n", int(n), "text", half(1.5f)); printf("plain\\n");
        auto x = ub.Load<half>(a, 16);
        DumpTensor(x, 7, 3);""",
    "fails": """assert(n == 1, "n is %d", int(n));""",
    "fill": """auto g = Global<half>(c); Fill(g, n, half(3.0f));""",
    "two_accesses": """auto x = ub.New<float>(256); DataCopy(x, Global<float>(a), 256);
        DataCopy(Global<float>(c), x, 256);""",
    "pass_by": """auto* from = reinterpret_cast<__gm__ uint32_t*>(a); auto* to = reinterpret_cast<__gm__ uint32_t*>(c);
        WriteGmByPassDCache(to, ReadGmByPassDCache(from) + 1);""",
}

CUBE = {
    "nd2nz": """LocalTensor<half> x(TPosition::A1, 0, 4096);
        DataCopy(x, Global<half>(a), Nd2NzParams(1, 20, 40, 0, 40, 32, 1, 0));
        DataCopy(Global<half>(c), x, uint32_t(n));""",
    "shared_class": """TPipe pipe; TQue<QuePosition::VECIN, 1> que; TBuf<> buf;
        pipe.InitBuffer(que, uint8_t(2), 1 << 20);
        pipe.InitBuffer(buf, 1 << 20); auto x = que.AllocTensor<float>(); DataCopy(x, Global<float>(a), 64);
        que.EnQue(x);
        x = que.DeQue<float>(); x.SetValue(0, 1.0f); Add(x, x, x, 64); DataCopy(Global<float>(c), x, 64);
        que.FreeTensor(x);""",
    "queues": """TPipe pipe; TQue<QuePosition::A1, 1> a1; TQue<QuePosition::B2, 1> b2; TQue<QuePosition::CO1, 1> co1;
        TSCM<TPosition::GM> scm;
        pipe.InitBuffer(a1, uint8_t(2), 1024); pipe.InitBuffer(b2, uint8_t(2), 1024);
        pipe.InitBuffer(co1, uint8_t(1), 2048);
        pipe.InitBuffer(scm, uint8_t(1), 4096); auto* g = reinterpret_cast<int64_t*>(c);
        g[0] = a1.AllocTensor<half>().GetPosition(); g[1] = b2.AllocTensor<half>().GetPosition();
        g[2] = co1.AllocTensor<float>().GetPosition(); g[3] = scm.AllocTensor<half>().GetByteOffset();""",
    "pad_to_l1": """LocalTensor<half> x(TPosition::A1, 0, 64);
        DataCopyPad(x, Global<half>(a), DataCopyExtParams(1, 8, 0, 0, 0), DataCopyPadExtParams<half>());""",
    "from_l1": "LocalTensor<half> x(TPosition::A1, 0, 64); DataCopy(Global<half>(c), x, 64);",
    "bias": """LocalTensor<half> x(TPosition::C1, 0, 64); DataCopy(x, Global<half>(a), 64);
        LocalTensor<float> y(TPosition::C2, 0, 64);
        DataCopy(y, x, DataCopyParams(1, 2, 0, 0)); auto* g = reinterpret_cast<float*>(c);
        for (int i = 0; i < 64; ++i) g[i] = y.GetPhyAddr()[i];""",
}


@pytest.fixture(scope="module")
def vector() -> KernelLibrary:
    return compile_kernels(VECTOR)


@pytest.fixture(scope="module")
def cube() -> KernelLibrary:
    return compile_kernels(CUBE, kind="CUBE")


def _floats(count: int) -> Array:
    return np.random.default_rng(1).normal(size=count).astype(np.float32)


def test_the_count_form_drops_what_is_not_a_whole_block(vector: KernelLibrary) -> None:
    x, out = _floats(64), np.zeros(64, np.float32)
    vector.run("copy", x, 0, out, 0, 0, 0, 30, 0)
    np.testing.assert_array_equal(out[:24], x[:24])
    assert not out[24:].any()


def test_a_contiguous_copy_is_one_access_of_global_memory(vector: KernelLibrary) -> None:
    vector.run("two_accesses", _floats(256), 0, np.zeros(256, np.float32))
    assert vector.library.fake_accesses() == 2


def test_block_strides_are_gaps_of_32_bytes(vector: KernelLibrary) -> None:
    x, out = np.arange(200, dtype=np.int16), np.full(256, -1, np.int16)
    vector.run("strides", x, 0, out)
    expected = np.full(256, -1, np.int16)
    for run in range(3):
        expected[64 * run : 64 * run + 32] = x[48 * run : 48 * run + 32]
    np.testing.assert_array_equal(out, expected)


def test_padding_follows_the_worked_example(vector: KernelLibrary) -> None:
    x, out = np.arange(1, 12, dtype=np.float32), np.full(32, 9, np.float32)
    vector.run("pad_in", x, 0, out)
    assert out.tolist() == [-1, 1, 2, 3, 4, 5, -1, -1, *[9] * 8, -1, 7, 8, 9, 10, 11, -1, -1, *[9] * 8]


def test_the_filler_without_padding_repeats_the_first_element(vector: KernelLibrary) -> None:
    out = np.zeros(32, np.float16)
    vector.run("pad_filler", np.arange(1, 11, dtype=np.float16), 0, out)
    assert out.tolist() == [1, 2, 3, 4, 5, *[1] * 11, 6, 7, 8, 9, 10, *[6] * 11]


def test_rows_leave_without_their_filler(vector: KernelLibrary) -> None:
    out = np.full(24, -1, np.float16)
    vector.run("pad_out", np.arange(48, dtype=np.float16), 0, out)
    rows = [[16 * r + k for k in range(5)] + [-1] * 3 for r in range(3)]
    assert out.tolist() == [value for row in rows for value in row]


@pytest.mark.parametrize(("mode", "combine"), [(0, np.add), (1, np.maximum), (2, np.minimum)])
def test_atomics_combine_until_they_are_switched_off(vector: KernelLibrary, mode: int, combine: Any) -> None:
    x, start = _floats(50), np.linspace(-1, 1, 50, dtype=np.float32)
    out, plain = start.copy(), start.copy()
    vector.run("atomic", x, 0, out, plain, 0, 0, 50, mode)
    np.testing.assert_array_equal(out, combine(start, x))
    np.testing.assert_array_equal(plain, x)


def test_a_slice_takes_the_runs_of_the_worked_example(vector: KernelLibrary) -> None:
    x, out = np.arange(64, dtype=np.float32), np.zeros(24, np.float32)
    vector.run("slice", x, 0, out)
    assert out.tolist() == [*range(8, 16), *range(24, 32), *range(40, 48)]


def test_scalar_accesses_read_and_write_both_memories(vector: KernelLibrary) -> None:
    out = np.zeros(4, np.float16)
    vector.run("scalar", np.arange(16, dtype=np.float16), 0, out)
    assert out.tolist() == [2.5, 4, 5, 4]


def test_the_vector_copy_honours_its_mask(vector: KernelLibrary) -> None:
    x, out = np.arange(256, dtype=np.float16), np.zeros(256, np.float16)
    vector.run("copy_vector", x, 0, out)
    expected = np.zeros(256, np.float16)
    expected[:20], expected[128:148] = x[:20], x[128:148]
    np.testing.assert_array_equal(out, expected)


def test_fractal_rows_leave_as_rows(vector: KernelLibrary) -> None:
    x, out = np.arange(1024, dtype=np.float16), np.zeros(1000, np.float16)
    vector.run("nz2nd", x, 0, out, 0, 0, 0, 1024, 0)
    for n in range(20):
        for d in range(32):
            assert out[n * 50 + d] == x[d // 16 * 512 + n * 16 + d % 16]


@pytest.mark.parametrize(
    ("kernel", "check"),
    [
        ("outside", "local-memory-size"),
        ("gm_outside", "global-memory"),
        ("exhausted", "queue-exhausted"),
        ("full", "queue-full"),
        ("empty", "queue-empty"),
        ("free_twice", "queue-block-state"),
        ("foreign", "queue-block-state"),
        ("no_init", "queue-init"),
        ("two_pipes", "pipe-alive"),
        ("too_much", "local-memory-size"),
    ],
)
def test_misuse_is_a_fault_that_names_the_check_and_the_line(vector: KernelLibrary, kernel: str, check: str) -> None:
    with pytest.raises(RuntimeError, match=rf"^{check}: .*kernels\.cpp:\d+\)"):
        vector.run(kernel, np.zeros(8, np.float32))


def test_a_pipe_may_follow_one_that_was_destroyed(vector: KernelLibrary) -> None:
    vector.run("pipe_again")


def test_queues_carry_data_and_tags_through_their_blocks(vector: KernelLibrary) -> None:
    x, out = _floats(32 * 5), np.zeros(32 * 5, np.float32)
    vector.run("queue", x, 0, out, 0, 0, 0, 5, 0)
    np.testing.assert_array_equal(out.reshape(5, 32), x.reshape(5, 32) + np.arange(5, dtype=np.float32)[:, None])


def test_queues_of_depth_zero_work_in_place(vector: KernelLibrary) -> None:
    vector.run("in_place")


def test_buffers_are_rounded_to_blocks_and_follow_each_other(vector: KernelLibrary) -> None:
    out = np.zeros(6, np.uint64)
    vector.run("buffers", 0, 0, out)
    assert out.tolist() == [32, 128, 16, 32, 192, (192 * 1024 - 192) // 4]


def test_allocation_goes_round_the_blocks_and_counts_them(vector: KernelLibrary) -> None:
    out = np.zeros(5, np.uint64)
    vector.run("ping_pong", 0, 0, out)
    assert out.tolist() == [0, 256, 0, 1, 0]


def test_a_freed_block_is_used_again_only_after_the_others(vector: KernelLibrary) -> None:
    out = np.zeros(3, np.uint64)
    vector.run("round_robin", 0, 0, out)
    assert out.tolist() == [0, 256, 0]


def test_event_ids_are_the_smallest_free_ones_of_each_event(vector: KernelLibrary) -> None:
    out = np.zeros(4, np.int8)
    vector.run("events", 0, 0, out)
    assert out.tolist() == [0, 1, 0, 0]


def test_pools_share_memory(vector: KernelLibrary) -> None:
    out = np.full(2, 7, np.uint64)
    vector.run("pool", 0, 0, out)
    assert out.tolist() == [0, 0]


def test_printed_text_names_the_core(vector: KernelLibrary) -> None:
    printed = vector.run("print", np.arange(16, dtype=np.float16), 0, 0, 0, 0, 0, 4, 0)
    assert printed == (
        "[AIV Block 0/1] n=4 text 1.50\n[AIV Block 0/1] plain\n"
        "DumpTensor: desc=7, addr=0x0, data_type=float16, position=UB, dump_size=3\n"
        "[0.000000, 1.000000, 2.000000]\n"
    )


def test_a_failed_assertion_stops_the_run_with_its_text(vector: KernelLibrary) -> None:
    with pytest.raises(RuntimeError, match=r"kernel-assert: Assertion `n == 1' failed. n is 3"):
        vector.run("fails", 0, 0, 0, 0, 0, 0, 3, 0)
    vector.run("fails", 0, 0, 0, 0, 0, 0, 1, 0)


def test_global_memory_is_filled_and_reached_past_the_cache(vector: KernelLibrary) -> None:
    out = np.zeros(10, np.float16)
    vector.run("fill", 0, 0, out, 0, 0, 0, 7, 0)
    assert out.tolist() == [3.0] * 7 + [0.0] * 3
    word = np.zeros(1, np.uint32)
    vector.run("pass_by", np.array([41], np.uint32), 0, word)
    assert word[0] == 42


def test_rows_become_fractals_with_zero_tails_and_untouched_rows(cube: KernelLibrary) -> None:
    x = np.arange(800, dtype=np.float16)
    out = np.zeros(3 * 512, np.float16)
    cube.run("nd2nz", x, 0, out, 0, 0, 0, out.size, 0)
    columns = out.view(np.uint16).reshape(3, 32, 16)
    padded = np.zeros((20, 48), np.float16)
    padded[:, :40] = x.reshape(20, 40)
    for block in range(3):
        np.testing.assert_array_equal(columns[block, :20].view(np.float16), padded[:, 16 * block : 16 * block + 16])
        assert (columns[block, 20:] == 0xA5A5).all()


def test_shared_classes_with_vector_queues_do_nothing_on_a_cube_core(cube: KernelLibrary) -> None:
    out = np.full(64, 3, np.float32)
    cube.run("shared_class", np.zeros(64, np.float32), 0, out)
    assert out.tolist() == [3.0] * 64


def test_cube_queues_lie_in_their_memories(cube: KernelLibrary) -> None:
    out = np.zeros(4, np.int64)
    cube.run("queues", 0, 0, out)
    assert out.tolist() == [1, 4, 7, 512 * 1024 - 4096]


def test_paths_that_one_chip_lacks_are_faults(cube: KernelLibrary) -> None:
    x = np.zeros(64, np.float16)
    with pytest.raises(RuntimeError, match=r"data-copy-path: DataCopyPad has no path .* L1 on dav-2201"):
        cube.run("pad_to_l1", x)
    later = compile_kernels({name: CUBE[name] for name in ("pad_to_l1", "from_l1")}, arch=3510, kind="CUBE")
    later.run("pad_to_l1", x)
    with pytest.raises(RuntimeError, match=r"data-copy-path: DataCopy has no path .* L1 on dav-3510"):
        later.run("from_l1", x, 0, x)


def test_bias_is_widened_on_its_way(cube: KernelLibrary) -> None:
    x, out = np.linspace(-1, 1, 64).astype(np.float16), np.zeros(64, np.float32)
    cube.run("bias", x, 0, out)
    np.testing.assert_array_equal(out, x.astype(np.float32))


def test_fill_state_of_a_queue_of_depth_zero_is_refused() -> None:
    message = compiler_message("TQue<QuePosition::VECIN, 0> que; que.VacantInQue();", 2201)
    assert "depth 0" in message
