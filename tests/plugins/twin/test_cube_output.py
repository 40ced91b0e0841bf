# Licensed under the Apache License, Version 2.0.
"""Further ways out of L0C: DataCopy from CO1 with its registers, and the UB of the vector cores on dav-3510."""

from __future__ import annotations

import numpy as np
import pytest

from tests.plugins.twin.cube_oracle import FROM_GLOBAL, quant_word, to_nz, truncated_scale
from tests.plugins.twin.running import KernelRunner, Launch
from tests.plugins.twin.test_cube_fixpipe import floats

REGISTERS = (
    FROM_GLOBAL
    + """
KERNEL(kernel) {
#ifdef __DAV_CUBE__
    LocalTensor<int32_t> c(TPosition::CO1, 0, 1024);
    LocalTensor<half> l1(TPosition::A1, 4096, 1024);
    LocalTensor<uint64_t> vector(TPosition::C2PIPE2GM, 0, 32);
    Put(c, 0, 4096);
    Put(vector, 2, 256);
    DataCopyCO12DstParams params;
    params.nSize = 32;
    params.mSize = 16;
    params.srcStride = 16;
    params.dstStride = 64;
    params.quantPre = VDEQF16;
    params.nz2ndEn = true;
    SetFixPipeConfig(vector);
    SetFixpipeNz2ndFlag(2, NEXT, 1024);
    SetAtomicAdd<half>();
    DataCopy(Global<half>(1), c, params);
    SetAtomicNone();
    params.nz2ndEn = false;
    params.quantPre = DEQF16;
    params.dstStride = NZ_PITCH;
    SetFixpipePreQuantFlag(Word(4));
    DataCopy(l1, c, params);
    Get(3, l1, 2048);
#endif
}
"""
)


@pytest.mark.parametrize(("arch", "unit", "nz_pitch"), [(2201, 256, 16), (3510, 16, 256)])
def test_copies_from_co1_take_their_parameters_from_registers(
    run_kernel: KernelRunner, arch: int, unit: int, nz_pitch: int
) -> None:
    matrices = np.random.default_rng(7).integers(-500, 500, (2, 16, 32)).astype(np.int32)
    scales = np.linspace(0.25, 1, 32).astype(np.float32)
    buffers: dict[str, bytes | int] = {
        "c": b"".join(to_nz(matrix, 16).tobytes() for matrix in matrices),
        "out": np.ones(2048, np.float16).tobytes(),
        "vector": np.array([quant_word(float(scale)) for scale in scales], np.uint64).tobytes(),
        "nz": 2048,
    }
    launch = Launch("aic", 1, ["c", "out", "vector", "nz", quant_word(0.5)])
    macros = [f"NEXT={512 // unit}", f"NZ_PITCH={nz_pitch}"]
    result = run_kernel.run(REGISTERS, launch, arch=arch, macros=macros, buffers=buffers)
    assert result.status == "ok", result.message
    out = np.frombuffer(result.buffers["out"], np.float16).reshape(2, 16, 64)
    scaled = (matrices.astype(np.float32) * truncated_scale(scales)).astype(np.float16)
    assert np.array_equal(out[:, :, :32], (scaled.astype(np.float32) + 1).astype(np.float16))
    assert np.all(out[:, :, 32:] == 1)
    nz = np.frombuffer(result.buffers["nz"], np.float16)[:512].reshape(2, 16, 16).transpose(1, 0, 2).reshape(16, 32)
    assert np.array_equal(nz, (matrices[0] * np.float32(0.5)).astype(np.float16))


TO_UB = (
    FROM_GLOBAL
    + """
constexpr FixpipeConfig kRowsToUb = {CO2Layout::ROW_MAJOR, true};
KERNEL(kernel) {
    LocalTensor<float> ub(TPosition::VECIN, 64, 1024);
    if ASCEND_IS_AIC {
        LocalTensor<float> c(TPosition::CO1, 0, 1024);
        Put(c, 0, 4096);
        FixpipeParamsArch3510<CO2Layout::ROW_MAJOR> params;
        params.nSize = 64;
        params.mSize = 16;
        params.srcStride = 16;
        params.dstStride = Word(2) == 2 ? 32 : 64;
        params.dualDstCtl = Word(2);
        params.subBlockId = 1;
        Fixpipe<float, float, kRowsToUb>(ub, c, params);
        CrossCoreSetFlag<2, PIPE_FIX>(5);
    } else {
        CrossCoreWaitFlag(5);
        auto* to = reinterpret_cast<uint8_t*>(Word(1)) + GetSubBlockIdx() * 4096;
        std::memcpy(sktwin::GlobalAccess(to, 4096, true), ub.GetPhyAddr(), 4096);
    }
}
"""
)


@pytest.mark.parametrize("dual", [0, 1, 2])
def test_results_go_to_the_ub_of_one_or_both_vector_cores_on_3510(run_kernel: KernelRunner, dual: int) -> None:
    matrix = floats(16, 64)
    source = TO_UB.replace('#include "ascendc/cube.h"', '#include "ascendc/cross_core.h"\n#include "ascendc/cube.h"')
    result = run_kernel.run(
        source,
        Launch("mix12", 1, ["c", "out", dual]),
        arch=3510,
        buffers={"c": to_nz(matrix, 16).tobytes(), "out": 8192},
    )
    assert result.status == "ok", result.message
    first, second = np.frombuffer(result.buffers["out"], np.float32).reshape(2, 1024)
    if dual == 0:
        assert np.array_equal(second, matrix.ravel())
    elif dual == 1:
        assert np.array_equal(np.concatenate([first[:512], second[:512]]), matrix.ravel())
    else:
        assert np.array_equal(np.hstack([first[:512].reshape(16, 32), second[:512].reshape(16, 32)]), matrix)
