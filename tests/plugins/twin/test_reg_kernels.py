# Licensed under the Apache License, Version 2.0.
"""Whole kernels in the documented style of the register API, on the twin: spec ascendc_vector.md 12.1."""

from __future__ import annotations

import numpy as np
import pytest

from tests.plugins.twin.running import KernelRunner, Launch, Result
from tests.plugins.twin.small_floats import encode

# Words: the sources, the result, numbers. Every kernel runs on two cores, each with its part.
SOURCE = """\
#include "kernel_operator.h"
using namespace AscendC;
template <typename T> __aicore__ inline GlobalTensor<T> Part(int word, uint64_t offset) {
    GlobalTensor<T> tensor; tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(get_para_base()[word]) + offset);
    return tensor; }
template <typename T> __aicore__ inline void Fetch(const LocalTensor<T>& to, const GlobalTensor<T>& from, uint32_t n) {
    DataCopyPad(to, from, DataCopyExtParams(1, n * sizeof(T), 0, 0, 0), DataCopyPadExtParams<T>()); }
template <typename T> __aicore__ inline void Give(const GlobalTensor<T>& to, const LocalTensor<T>& from, uint32_t n) {
    DataCopyPad(to, from, DataCopyExtParams(1, n * sizeof(T), 0, 0, 0)); }
#define KERNEL(name) extern "C" __global__ __aicore__ void name([[maybe_unused]] uint64_t words)

template <typename T>
__simd_vf__ inline void AddVf(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint32_t count, uint16_t times) {
    Reg::RegTensor<T> x, y, z;
    Reg::MaskReg mask;
    constexpr uint32_t lanes = GetVecLen() / sizeof(T);
    for (uint16_t i = 0; i < times; ++i) {
        Reg::AddrReg at = Reg::CreateAddrReg<T>(i, lanes);
        mask = Reg::UpdateMask<T>(count);
        Reg::LoadAlign(x, src0, at);
        Reg::LoadAlign(y, src1, at);
        Reg::Add(z, x, y, mask);
        Reg::StoreAlign(dst, z, at, mask);
    }
}
KERNEL(add) {
    const auto n = uint32_t(get_para_base()[3]);
    LocalMemAllocator<Hardware::UB> ub;
    auto x = ub.Alloc<half>(1024), y = ub.Alloc<half>(1024), z = ub.Alloc<half>(1024);
    Fetch(x, Part<half>(0, GetBlockIdx() * n), n);
    Fetch(y, Part<half>(1, GetBlockIdx() * n), n);
    asc_vf_call<AddVf<half>>((__ubuf__ half*)z.GetPhyAddr(), (__ubuf__ half*)x.GetPhyAddr(),
                             (__ubuf__ half*)y.GetPhyAddr(), n, uint16_t((n + 127) / 128));
    Give(Part<half>(2, GetBlockIdx() * n), z, n);
}

// One row of up to 64 * times values: the largest, the exponentials and their sum, the quotients.
__simd_vf__ inline void SoftmaxVf(__ubuf__ float* dst, __ubuf__ float* src, uint32_t count, uint16_t times) {
    using namespace MicroAPI;
    RegTensor<float> x, most, sum, part;
    MaskReg all = CreateMask<float, MaskPattern::ALL>();
    Duplicate(most, -__builtin_inff());
    Duplicate(sum, 0.0f);
    uint32_t left = count;
    for (uint16_t i = 0; i < times; ++i) {
        MaskReg mask = UpdateMask<float>(left);
        DataCopy(x, src + i * 64);
        Max<float, MaskMergeMode::MERGING>(most, most, x, mask);
    }
    MicroAPI::ReduceMax(most, most, all);
    Duplicate(most, most, all);
    left = count;
    for (uint16_t i = 0; i < times; ++i) {
        MaskReg mask = UpdateMask<float>(left);
        DataCopy(x, src + i * 64);
        FusedExpSub<float, float>(part, x, most, mask);
        DataCopy(dst + i * 64, part, mask);
        MicroAPI::Add(sum, sum, part, all);
    }
    MicroAPI::ReduceSum(sum, sum, all);
    Duplicate(sum, sum, all);
    LocalMemBar<MemType::VEC_STORE, MemType::VEC_LOAD>();
    left = count;
    for (uint16_t i = 0; i < times; ++i) {
        MaskReg mask = UpdateMask<float>(left);
        DataCopy(x, dst + i * 64);
        MicroAPI::Div(x, x, sum, mask);
        DataCopy(dst + i * 64, x, mask);
    }
}
KERNEL(softmax) {
    const auto n = uint32_t(get_para_base()[3]);
    LocalMemAllocator<Hardware::UB> ub;
    auto x = ub.Alloc<float>(1024), z = ub.Alloc<float>(1024);
    Fetch(x, Part<float>(0, GetBlockIdx() * n), n);
    VF_CALL<SoftmaxVf>((__ubuf__ float*)z.GetPhyAddr(), (__ubuf__ float*)x.GetPhyAddr(), n, uint16_t((n + 63) / 64));
    Give(Part<float>(2, GetBlockIdx() * n), z, n);
}

// half -> float -> fp8, scaled, in a scope in place.
KERNEL(casts) {
    const auto n = uint32_t(get_para_base()[3]);
    LocalMemAllocator<Hardware::UB> ub;
    auto x = ub.Alloc<half>(1024);
    auto z = ub.Alloc<fp8_e4m3fn_t>(1024);
    Fetch(x, Part<half>(0, GetBlockIdx() * n), n);
    __local_mem__ half* src = (__local_mem__ half*)x.GetPhyAddr();
    __local_mem__ fp8_e4m3fn_t* dst = (__local_mem__ fp8_e4m3fn_t*)z.GetPhyAddr();
    uint32_t left = n;
    __VEC_SCOPE__ {
        static constexpr MicroAPI::CastTrait widen = {MicroAPI::RegLayout::ZERO, MicroAPI::SatMode::UNKNOWN,
                                                      MicroAPI::MaskMergeMode::ZEROING, RoundMode::UNKNOWN};
        static constexpr MicroAPI::CastTrait narrow = {MicroAPI::RegLayout::ZERO, MicroAPI::SatMode::SAT,
                                                       MicroAPI::MaskMergeMode::ZEROING, RoundMode::CAST_RINT};
        MicroAPI::RegTensor<half> h;
        MicroAPI::RegTensor<float> f;
        MicroAPI::RegTensor<fp8_e4m3fn_t> e;
        for (uint16_t i = 0; i < uint16_t((n + 63) / 64); ++i) {
            MicroAPI::MaskReg mask = MicroAPI::UpdateMask<float>(left);
            MicroAPI::DataCopy<half, MicroAPI::PostLiteral::POST_MODE_UPDATE, MicroAPI::LoadDist::DIST_UNPACK_B16>(
                h, src, 64);
            MicroAPI::Cast<float, half, widen>(f, h, mask);
            MicroAPI::Muls(f, f, 8.0f, mask);
            MicroAPI::Cast<fp8_e4m3fn_t, float, narrow>(e, f, mask);
            MicroAPI::DataCopy<fp8_e4m3fn_t, MicroAPI::PostLiteral::POST_MODE_UPDATE,
                               MicroAPI::StoreDist::DIST_PACK4_B32>(dst, e, 64, mask);
        }
    }
    Give(Part<uint8_t>(2, GetBlockIdx() * n), z.ReinterpretCast<uint8_t>(), n);
}

// Sums rows of any length into one number each, by unaligned streams.
__simd_vf__ inline void SumVf(__ubuf__ float* dst, __ubuf__ float* src, uint32_t width, uint16_t rows) {
    Reg::RegTensor<float> x, sum;
    Reg::UnalignRegForLoad in;
    Reg::UnalignRegForStore out;
    for (uint16_t row = 0; row < rows; ++row) {
        uint32_t left = width;
        Reg::MaskReg mask = Reg::UpdateMask<float>(left);
        __ubuf__ float* from = src + row * width;
        Reg::LoadUnAlignPre(in, from);
        Reg::LoadUnAlign(x, in, from);
        Reg::Reduce<Reg::ReduceType::SUM>(sum, x, mask);
        Reg::StoreUnAlign(dst, sum, out, 1);
    }
    Reg::StoreUnAlignPost(dst, out, 0);
}
KERNEL(sums) {
    const auto n = uint32_t(get_para_base()[3]);
    LocalMemAllocator<Hardware::UB> ub;
    auto x = ub.Alloc<float>(1024), z = ub.Alloc<float>(256);
    Fetch(x, Part<float>(0, GetBlockIdx() * n * 11), n * 11);
    asc_vf_call<SumVf>((__ubuf__ float*)z.GetPhyAddr(), (__ubuf__ float*)x.GetPhyAddr(), n, uint16_t(11));
    Give(Part<float>(2, GetBlockIdx() * 11), z, 11);
}
"""


def _run(run_kernel: KernelRunner, entry: str, count: int, form: str = "aiv", **arrays: np.ndarray) -> Result:
    buffers = {name: array.tobytes() for name, array in arrays.items()}
    words: tuple[int | str, ...] = (*buffers, count) if len(buffers) == 3 else ("x", 0, "z", count)
    launch = Launch(form, 2, words, entry=entry)
    result = run_kernel.run(SOURCE, launch, arch=3510, buffers=buffers)
    assert result.status == "ok", result.message
    return result


@pytest.mark.parametrize("count", [128, 300])
def test_a_sum_of_vectors_with_a_tail(run_kernel: KernelRunner, count: int) -> None:
    random = np.random.default_rng(1)
    x, y = (random.normal(size=2 * count).astype(np.float16) for _ in range(2))
    z = _run(run_kernel, "add", count, x=x, y=y, z=np.zeros_like(x)).buffers["z"]
    np.testing.assert_array_equal(np.frombuffer(z, np.float16), x + y)


@pytest.mark.parametrize("count", [64, 199])
def test_softmax_of_a_row(run_kernel: KernelRunner, count: int) -> None:
    x = np.random.default_rng(2).normal(size=(2, count)).astype(np.float32) * 4
    z = _run(run_kernel, "softmax", count, x=x, z=np.zeros_like(x)).buffers["z"]
    exact = np.exp(x - x.max(axis=1, keepdims=True))
    exact /= exact.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.frombuffer(z, np.float32).reshape(2, count), exact, rtol=1e-5)


def test_a_chain_of_casts_quantises_halves(run_kernel: KernelRunner) -> None:
    x = np.random.default_rng(3).normal(size=200).astype(np.float16)
    z = _run(run_kernel, "casts", 100, x=x, z=np.zeros(200, np.uint8)).buffers["z"]
    expected = encode("fp8_e4m3fn_t", x.astype(np.float32) * 8)
    np.testing.assert_array_equal(np.frombuffer(z, np.uint8), expected)


def test_sums_of_rows_that_begin_anywhere(run_kernel: KernelRunner) -> None:
    x = np.random.default_rng(4).integers(-50, 50, (22, 37)).astype(np.float32)
    z = _run(run_kernel, "sums", 37, x=x, z=np.zeros(22, np.float32)).buffers["z"]
    np.testing.assert_array_equal(np.frombuffer(z, np.float32), x.sum(axis=1))


def test_a_core_without_vector_unit_skips_vector_functions(run_kernel: KernelRunner) -> None:
    x = np.ones(128, np.float16)
    source = SOURCE + "KERNEL(nothing) { asc_vf_call<AddVf<half>>(nullptr, nullptr, nullptr, 128u, uint16_t(1)); }"
    result = run_kernel.run(source, Launch("aic", 1, (), entry="nothing"), arch=3510, buffers={"x": x.tobytes()})
    assert result.status == "ok"
