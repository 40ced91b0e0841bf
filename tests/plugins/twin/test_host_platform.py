# Licensed under the Apache License, Version 2.0.
"""What host code asks about the chip, and the tiling structures that it hands to kernels."""

from __future__ import annotations

import struct

import pytest

from skcore.graph.kernel import CoreKind
from skcore.plugin import load_plugins
from tests.plugins.twin.host_program import compile_host, run_host

PLATFORM = """
#include <cstdio>
#include "tiling/platform/platform_ascendc.h"
using namespace platform_ascendc;
int main() {
    auto* platform = PlatformAscendCManager::GetInstance("any");
    for (int i = 0; i < static_cast<int>(CoreMemType::RESERVED); ++i) {
        uint64_t bytes = 1;
        platform->GetCoreMemSize(static_cast<CoreMemType>(i), bytes);
        std::printf("%llu\\n", static_cast<unsigned long long>(bytes));
    }
    std::printf("%u %u %u\\n", platform->GetCoreNum(), platform->GetCoreNumAic(), platform->GetCoreNumAiv());
    std::printf("%u %d\\n", platform->GetLibApiWorkSpaceSize(), static_cast<int>(platform->GetCurNpuArch()));
    std::printf("%u %u\\n", platform->CalcTschNumBlocks(9, 24, 48), platform->CalcTschNumBlocks(99, 24, 48));
    uint64_t bytes = 0;
    platform->ReserveLocalMemory(ReservedSize::RESERVED_SIZE_16K);
    platform->ReserveLocalMemory(ReservedSize::RESERVED_SIZE_8K);
    platform->GetCoreMemSize(CoreMemType::UB, bytes);
    std::printf("%llu\\n", static_cast<unsigned long long>(bytes));
}
"""


@pytest.mark.parametrize("arch", [2201, 3510])
def test_the_platform_answers_with_the_sizes_of_the_target(arch: int) -> None:
    target = load_plugins().target(f"dav-{arch}")
    aic, aiv = target.core(CoreKind.AIC).memories, target.core(CoreKind.AIV).memories
    lines = run_host(compile_host(PLATFORM, arch))
    l0a, l0b, l0c, l1, l2, ub, hbm, fixpipe, bias = map(int, lines[:9])
    assert (l0a, l0b, l0c, l1) == (aic["l0a"], aic["l0b"], aic["l0c"], aic["l1"])
    assert (ub, fixpipe, bias) == (aiv["ub"], aic["fixpipe"], aic["bias"])
    assert l2 > l1
    assert hbm > l2
    total, aics, aivs = map(int, lines[9].split())
    assert total == aivs == 2 * aics
    assert lines[10] == f"{16 << 20} {arch}"
    assert lines[11] == "5 0"
    assert int(lines[12]) == ub - 8192


def test_macros_of_the_build_set_the_cores_of_the_platform() -> None:
    lines = run_host(compile_host(PLATFORM, 2201, "SKTWIN_AIC_CORES=4", "SKTWIN_AIV_CORES=8"))
    assert lines[9] == "8 4 8"


def test_the_runtime_of_a_program_gives_the_platform_when_the_build_says_so() -> None:
    runtime = """
    #include "sktwin/platform.h"
    const sktwin::Platform& sktwin::ThePlatform() {
        static Platform platform = kPlatformOfChip;
        platform.aivCores = 6;
        return platform;
    }
    """
    lines = run_host(compile_host(runtime + PLATFORM, 2201, "SKTWIN_PLATFORM_OF_RUNTIME"))
    assert lines[9] == "6 24 6"


# The kernel is compiled, not called.
MACHINE = """
namespace sktwin {
Core& Self() { static Core core; return core; }
void Fault(const char*, Site, const char*, ...) { __builtin_trap(); }
void Yield(Site) {}
uint8_t* GlobalAccess(const void* address, size_t, bool, Site) { return (uint8_t*)address; }
uint8_t* SystemWorkspace() { return nullptr; }
Core& GroupCore(CoreKind, uint32_t, Site) { return Self(); }
void CrossCoreSet(int, int, Site) {}
void CrossCoreWait(int, Site) {}
void IntraBlockSet(int, Site) {}
void IntraBlockWait(int, Site) {}
void Print(const char*) {}
void NotePreTaskEnd() {}
void NoteNextTaskStart() {}
void NoteFlush(const void*, Site) {}
uint64_t SystemCounter() { return 0; }
}  // namespace sktwin
"""
DATA = """
#include <cstdio>
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "exe_graph/runtime/storage_shape.h"
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"
using namespace AscendC;
using namespace matmul_tiling;
namespace optiling {
BEGIN_TILING_DATA_DEF(InnerData)
TILING_DATA_FIELD_DEF(uint8_t, flag)
TILING_DATA_FIELD_DEF(float, ratio);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(InnerDataOp, InnerData)
BEGIN_TILING_DATA_DEF(OuterData)
TILING_DATA_FIELD_DEF(uint16_t, length);
TILING_DATA_FIELD_DEF_ARR(int64_t, 2, sizes);
TILING_DATA_FIELD_DEF_STRUCT(InnerData, inner);
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, cube);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Outer, OuterData);
}  // namespace optiling
__global__ __aicore__ void Kernel(GM_ADDR tiling, float* sum) {
    GET_TILING_DATA_WITH_STRUCT(optiling::OuterData, data, tiling);
    const ::TCubeTiling* cube = &data.cube;
    *sum = data.length + data.inner.ratio + cube->M;
}
int main() {
    optiling::OuterData data;
    const int64_t sizes[2] = {-5, 6};
    data.set_length(7);
    data.set_sizes(sizes);
    data.inner.set_flag(3);
    data.inner.set_ratio(0.5f);
    MatmulApiTiling api;
    api.SetAType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
    api.SetBType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
    api.SetCType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
    api.SetShape(static_cast<int32_t>(gert::StorageShape({32}, {48}).GetStorageShape().GetDim(0)), 32, 32);
    if (api.GetTiling(data.cube) != 0) {
        return 1;
    }
    unsigned char bytes[256] = {};
    data.SaveToBuffer(bytes, data.GetDataSize() - 1);
    std::printf("%d %d %zu\\n", bytes[0], data.cube.get_M(), data.GetDataSize());
    data.SaveToBuffer(bytes, sizeof(bytes));
    for (size_t i = 0; i < data.GetDataSize(); ++i) {
        std::printf("%02x", bytes[i]);
    }
    ::TCubeTiling plain;
    const auto result = static_cast<int>(api.GetTiling(plain));
    std::printf("\\n%d %d %ld\\n", result, plain.M, static_cast<long>(data.get_sizes()[1]));
}
"""


def test_tiling_data_has_the_layout_of_a_plain_structure_and_serves_host_and_kernel() -> None:
    lines = run_host(compile_host(DATA + MACHINE, 2201, "__DAV_VEC__"))
    layout = struct.Struct("<H6xqqB3xf")
    raw = bytes.fromhex(lines[1])
    assert layout.unpack(raw[: layout.size]) == (7, -5, 6, 3, 0.5)
    cube = struct.unpack_from("<50i", raw, layout.size)
    assert cube[:5] == (1, 48, 32, 32, 32)
    assert lines[0] == f"0 48 {len(raw)}"
    assert len(raw) == layout.size + 200
    assert lines[2] == "0 48 6"
