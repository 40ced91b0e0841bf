# Licensed under the Apache License, Version 2.0.
"""Smaller parts of the device interface: lists of tensors, own pools, layouts; loops, ND-DMA, mutexes of dav-3510."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.plugins.twin.vector_machine import KernelFaultError, compile_kernels

Array = NDArray[Any]

POOL = """
struct MyPool {
    MyPool() { Init(); }
    template <class Q> bool InitBuffer(Q& queue, uint8_t num, uint32_t len) {
        const uint8_t used = GetCurBufSize();
        const uint32_t start = GetCurAddr();
        queue.InitStartBufHandle(GetBufHandle(used), num, len);
        for (uint8_t i = 0; i < num; ++i) {
            queue.InitBufHandle(this, i, GetBufHandle(used + i), start + i * len, len);
        }
        SetCurAddr(start + num * len);
        SetCurBufSize(used + num);
        return true;
    }
    template <TPosition position> bool InitBuffer(TBuf<position>& buffer, uint32_t len) {
        buffer.InitStartBufHandle(GetBufHandle(GetCurBufSize()), 1, len);
        buffer.InitBufHandle(this, 0, GetBufHandle(GetCurBufSize()), GetCurAddr(), len);
        SetCurAddr(GetCurAddr() + len);
        SetCurBufSize(GetCurBufSize() + 1);
        return true;
    }
    EXTERN_IMPL_BUFPOOL(MyPool, TPosition::VECCALC, 4);
};
"""
BOTH = compile_kernels(
    {
        "list": """
    ListTensorDesc list(a);
    uint64_t axes[8] = {};
    TensorDesc<int32_t> desc; desc.SetShapeAddr(axes);
    list.GetDesc(desc, static_cast<uint32_t>(n));
    auto* out = reinterpret_cast<uint64_t*>(b);
    out[0] = list.GetSize(); out[1] = desc.GetDim(); out[2] = desc.GetIndex();
    for (uint32_t i = 0; i < desc.GetDim(); ++i) { out[3 + i] = desc.GetShape(i); }
    out[7] = static_cast<uint64_t>(desc.GetDataObj().GetValue(1));
    out[6] = list.GetDataPtr<int32_t>(static_cast<uint32_t>(n)) == desc.GetDataPtr();""",
        "pool": """
    TPipe pipe; MyPool pool; TQue<TPosition::VECIN, 1> queue; TBuf<TPosition::VECCALC> buffer, taken;
    pipe.InitBuffer(taken, 64);
    pipe.InitBufPool(pool, 1024);
    pool.InitBuffer(queue, 2, 256); pool.InitBuffer(buffer, n);
    auto first = queue.AllocTensor<float>(); auto second = queue.AllocTensor<float>();
    Duplicate(first, 1.0f, 64); Duplicate(second, 2.0f, 64); Duplicate(buffer.Get<float>(), 3.0f, 64);
    Add(first, first, second, 64); Add(first, first, buffer.Get<float>(), 64);
    queue.EnQue(first); auto back = queue.DeQue<float>();
    ub.Store(a, back, 64); queue.FreeTensor(back); queue.FreeTensor(second);
    auto* out = reinterpret_cast<uint64_t*>(b);
    out[0] = pool.GetCurAddr(); out[1] = pool.GetCurBufSize();
    pool.Reset(); out[2] = pool.GetCurAddr();""",
        "layout": """
    constexpr auto layout = MakeLayout(MakeShape(2, 3L), MakeStride(uint16_t(30), 10));
    static_assert(Std::get<1>(layout.GetShape()) == 3 && Std::get<0>(layout.stride) == 30);
    static_assert(Std::tuple_size<decltype(MakeShape(1, 2, 3))>::value == 3);""",
    },
    head=POOL,
)
MODERN = compile_kernels(
    {
        "loop_in": """
    auto x = ub.New<int16_t>(1024);
    DataCopy(x, Global<int16_t>(b), 1024);
    SetLoopModePara({2, 3, 24, 96, 64, 256}, DataCopyMVType::OUT_TO_UB);
    DataCopyPad(x, Global<int16_t>(a), DataCopyExtParams(1, 10, 0, 0, 0), DataCopyPadExtParams<int16_t>(true, 0, 0, 7));
    ResetLoopModePara(DataCopyMVType::OUT_TO_UB);
    ub.Store(b, x, 1024);""",
        "loop_out": """
    auto x = ub.Load<int16_t>(a, 1024);
    SetLoopModePara({2, 2, 32, 50, 256, 400}, DataCopyMVType::UB_TO_OUT);
    DataCopyPad(Global<int16_t>(b), x, DataCopyExtParams(1, 6, 0, 0, 0));
    ResetLoopModePara(DataCopyMVType::UB_TO_OUT);
    DataCopy(Global<int16_t>(b)[512], x, 16);""",
        "loop_count": """
    auto x = ub.New<float>(64);
    SetLoopModePara({4, 1, 64, 32, 0, 0}, DataCopyMVType::OUT_TO_UB);
    DataCopy(x, Global<float>(a), 8);
    InitSocState();
    DataCopy(x[32], Global<float>(a), 8);
    ub.Store(b, x, 40);""",
        "loop_wrong": "SetLoopModePara({2, 1, 24, 40, 0, 0}, DataCopyMVType::OUT_TO_UB);",
        "nd": """
    auto x = ub.New<float>(512); Duplicate(x, -1.0f, 512);
    NdDmaParams<float, 3> params;
    params.loopInfo = {{1, 8, 40}, {1, 10, 60}, {5, 3, 2}, {2, 1, 0}, {1, 0, 1}}; params.constantValue = 9.0f;
    if (n == 0) { DataCopy(x, Global<float>(a), params); }
    static constexpr NdDmaConfig nearest = {true, NdDmaConfig::unsetPad, NdDmaConfig::unsetPad, false};
    static constexpr NdDmaConfig ones = {false, 1, 1, false};
    if (n == 1) { DataCopy<float, 3, nearest>(x, Global<float>(a), params); }
    if (n == 2) { DataCopy<float, 3, ones>(x, Global<float>(a), params); }
    NdDmaDci(); ub.Store(b, x, 512);""",
        "mutex": """
    const MutexID id = AllocMutexID(); const MutexID next = AllocMutexID();
    Mutex::Lock<PIPE_MTE2>(id); Mutex::Lock<PIPE_V>(id); Mutex::Unlock<PIPE_MTE2>(id);
    if (n == 0) { Mutex::Unlock<PIPE_V>(id); } else { Mutex::Unlock<PIPE_MTE3>(id); }
    ReleaseMutexID(id);
    *a = next; *b = AllocMutexID();""",
        "flexible": """
    auto x = ub.Load<float>(a, 64); auto s = ub.Load<float>(b, 64); auto y = ub.New<float>(64);
    static constexpr BinaryConfig first = {0}, second = {1};
    Subs<BinaryDefaultType, true, first>(y, s[3], x, 64); ub.Store(c, y, 64);
    Subs<BinaryDefaultType, true, second>(y, x, s[3], 64); ub.Store(d, y, 64);
    Divs(y, 2.0f, x, 64); ub.Store(e, y, 64);
    Adds(y, x, 1.5f, 64); ub.Store(f, y, 64);""",
    },
    3510,
)


def tensor_list(*tensors: tuple[list[int], Array]) -> Array:
    """The words of a list: shape and data of each tensor."""
    words = [word for at, (shape, _) in enumerate(tensors) for word in (len(shape) | at << 32, *shape)]
    return np.array([8 * (len(words) + 1), *words, *(data.ctypes.data for _, data in tensors)], np.uint64)


def test_a_list_of_tensors_gives_the_axes_and_the_data_of_each() -> None:
    first, second = np.arange(6, dtype=np.int32), np.arange(100, 112, dtype=np.int32)
    words = tensor_list(([1, 2, 3], first), ([3, 4], second))
    for index, (shape, value) in enumerate((([1, 2, 3], 1), ([3, 4, 0], 101))):
        out = np.zeros(8, np.uint64)
        BOTH.run("list", words, out, first, second, first, first, index)
        assert out.tolist() == [2, 3 - index, index, *shape, 1, value]


def test_a_tensor_that_a_list_does_not_have_is_a_fault() -> None:
    data = np.zeros(4, np.int32)
    with pytest.raises(KernelFaultError, match="there is no tensor 2; the list has 1"):
        BOTH.run("list", tensor_list(([4], data)), np.zeros(8, np.uint64), data, data, data, data, 2)


def test_a_pool_of_a_kernels_own_serves_queues_and_buffers() -> None:
    result, state = np.zeros(64, np.float32), np.zeros(3, np.uint64)
    BOTH.run("pool", result, state, result, result, result, result, 256)
    assert set(result.tolist()) == {6.0}
    assert state.tolist() == [64 + 768, 3, 64]


def test_a_pool_of_a_kernels_own_gives_out_no_more_than_it_has() -> None:
    out = np.zeros(64, np.float32)
    with pytest.raises(KernelFaultError, match=r"SetCurAddr\(1152\) of a pool of bytes \[64, 1088\)"):
        BOTH.run("pool", out, out, out, out, out, out, 576)


def test_layouts_are_values_of_the_compiler() -> None:
    assert BOTH.run("layout") == ""


def test_loops_repeat_copies_into_ub_and_their_padding() -> None:
    source, target = np.arange(512, dtype=np.int16), np.full(1024, -1, np.int16)
    MODERN.run("loop_in", source, target, source, source, source, source)
    expected = np.full(1024, -1, np.int16)
    for outer, inner in product(range(3), range(2)):
        at, start = (outer * 256 + inner * 96) // 2, (outer * 64 + inner * 24) // 2
        expected[at : at + 16] = 7
        expected[at : at + 5] = source[start : start + 5]
    np.testing.assert_array_equal(target, expected)


def test_loops_repeat_copies_out_of_ub_until_they_are_reset() -> None:
    source, target = np.arange(1024, dtype=np.int16), np.full(1024, -1, np.int16)
    MODERN.run("loop_out", source, target, source, source, source, source)
    expected = np.full(1024, -1, np.int16)
    for outer, inner in product(range(2), range(2)):
        at, start = (outer * 400 + inner * 50) // 2, (outer * 256 + inner * 32) // 2
        expected[at : at + 3] = source[start : start + 3]
    expected[512:528] = source[:16]
    np.testing.assert_array_equal(target, expected)


def test_loops_hold_for_plain_copies_and_end_where_the_state_of_the_core_is_reset() -> None:
    source, target = np.arange(64, dtype=np.float32), np.zeros(40, np.float32)
    MODERN.run("loop_count", source, target, source, source, source, source)
    expected = [*source[:8], *source[16:24], *source[32:40], *source[48:56], *source[:8]]
    assert target.tolist() == [float(value) for value in expected]


def test_strides_of_loops_are_whole_blocks_in_ub() -> None:
    with pytest.raises(KernelFaultError, match="must be multiples of 32"):
        MODERN.run("loop_wrong")


@pytest.mark.parametrize("mode", [0, 1, 2], ids=["constant", "nearest", "pads-of-config"])
def test_nd_dma_pads_and_places_every_axis(mode: int) -> None:
    source, target = np.arange(128, dtype=np.float32), np.zeros(512, np.float32)
    MODERN.run("nd", source, target, source, source, source, source, mode)
    sizes, strides, places = (5, 3, 2), (1, 8, 40), (1, 10, 60)
    left, right = ((1, 1, 1), (1, 1, 1)) if mode == 2 else ((2, 1, 0), (1, 0, 1))
    expected = np.full(512, -1, np.float32)
    for where in product(
        *(range(before + size + after) for before, size, after in zip(left, sizes, right, strict=True))
    ):
        inner = [place - before for place, before in zip(where, left, strict=True)]
        nearest = [min(max(place, 0), size - 1) for place, size in zip(inner, sizes, strict=True)]
        value = source[int(np.dot(nearest, strides))] if mode == 1 or nearest == inner else 9
        expected[int(np.dot(where, places))] = value
    np.testing.assert_array_equal(target, expected)


def test_pipes_unlock_only_mutexes_that_they_hold() -> None:
    first, second = np.zeros(1, np.uint8), np.zeros(1, np.uint8)
    MODERN.run("mutex", first, second, first, first, first, first, 0)
    assert (first[0], second[0]) == (1, 0)
    with pytest.raises(KernelFaultError, match="mutex-unlock: Unlock of mutex 0 by a pipe that has not locked it"):
        MODERN.run("mutex", first, second, first, first, first, first, 1)


def test_the_flexible_scalar_is_either_source() -> None:
    rng = np.random.default_rng(3)
    x, s = rng.standard_normal((2, 64)).astype(np.float32)
    c, d, e, f = np.zeros((4, 64), np.float32)
    MODERN.run("flexible", x, s, c, d, e, f)
    np.testing.assert_array_equal(c, s[3] - x)
    np.testing.assert_array_equal(d, x - s[3])
    np.testing.assert_array_equal(e, np.float32(2) / x)
    np.testing.assert_array_equal(f, x + np.float32(1.5))
