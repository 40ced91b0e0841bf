# Licensed under the Apache License, Version 2.0.
"""The host's scratch sizes and tilings of the advanced vector API: documented formulas, and kernels that use them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.plugins.twin.host_program import compile_host, run_host
from tests.plugins.twin.vector_machine import compile_kernels

# Each name of CALLS prints one line: max, min, or the words of a tiling.
HOST = """
#include <cstdio>
#include <cstring>
#include <string>
#include "tiling/tiling_api.h"
using namespace AscendC;
static const auto& platform = *platform_ascendc::PlatformAscendCManager::GetInstance();
[[maybe_unused]] static uint32_t max, min;
template <typename T> void Words(const T& tiling) {
    uint32_t words[sizeof(T) / 4];
    std::memcpy(words, &tiling, sizeof(T));
    for (const uint32_t word : words) std::printf("%u ", word);
}
int main() {
    std::string name;
    char text[64];
    unsigned n[4];
    while (std::scanf("%63s %u %u %u %u", text, n, n + 1, n + 2, n + 3) == 5) {
        name = text;
        max = min = 0;
        [[maybe_unused]] const TensorShape shape({n[0], n[1]});
        [[maybe_unused]] const TensorShape shape3({n[0], n[1], n[2]});
        [[maybe_unused]] const TensorShape shape4({n[0], n[1], n[2], n[2]});
        [[maybe_unused]] const TensorShape one({1});
        [[maybe_unused]] const uint32_t bytes = n[3];
#define CALL(key, ...) if (name == key) { __VA_ARGS__; }
        CALLS
        std::printf("%u %u\\n", max, min);
    }
}
"""
SOFTMAX = "optiling::SoftMaxTiling t; {}; Words(t)"
LAYER_NORM = "optiling::LayerNormTiling t; GetLayerNormNDTilingInfo(shape4, 65536, bytes, false, t); Words(t)"
RMS_NORM = "optiling::RmsNormTiling t; max = GetRmsNormTilingInfo(shape3, shape3, {}, bytes, t); Words(t)"
CALLS = {
    "erf": "GetErfMaxMinTmpSize(shape, bytes, false, max, min)",
    "erf-factor": "GetErfTmpBufferFactorSize(bytes, max, min)",
    "tanh": "GetTanhMaxMinTmpSize(shape, bytes, false, max, min)",
    "cos": "GetCosMaxMinTmpSize(shape, bytes, true, max, min)",
    "log": "GetLogMaxMinTmpSize(shape, bytes, false, max, min)",
    "rint": "GetRintMaxMinTmpSize(platform, shape, bytes, false, max, min)",
    "round": "GetRoundMaxMinTmpSize(platform, shape, bytes, false, max, min)",
    "exp": "GetExpMaxMinTmpSize(shape, bytes, false, max, min)",
    "power": "GetPowerMaxMinTmpSize(shape, shape, false, bytes, false, max, min)",
    "power-scalar": "GetPowerMaxMinTmpSize(shape, one, true, bytes, false, max, min)",
    "cumsum": "GetCumSumMaxMinTmpSize(shape, bytes, true, false, max, min)",
    "gelu": "max = GetGeluMaxTmpSize(shape, bytes), min = GetGeluMinTmpSize(shape, bytes)",
    "swiglu": "GetSwiGLUMaxMinTmpSize(shape, bytes, max, min)",
    "sigmoid": "GetSigmoidMaxMinTmpSize(shape, bytes, false, max, min)",
    "softmax": "max = GetSoftMaxMaxTmpSize(shape, bytes, false), min = GetSoftMaxMinTmpSize(shape, bytes, false)",
    "flash": "max = GetSoftMaxFlashMaxTmpSize(shape, bytes, true, false),"
    " min = GetSoftMaxFlashMinTmpSize(shape, bytes, true, false)",
    "flash2": "max = GetSoftMaxFlashV2MaxTmpSize(shape, bytes, 4, true),"
    " min = GetSoftMaxFlashV2MinTmpSize(shape, bytes, 4, true)",
    "flash3": "GetSoftMaxFlashV3MaxMinTmpSize(shape, 2, bytes, max, min, true)",
    "grad": "max = GetSoftMaxGradMaxTmpSize(shape, bytes, true, false),"
    " min = GetSoftMaxGradMinTmpSize(shape, bytes, true, false)",
    "softmax-tiling": SOFTMAX.format("SoftMaxTilingFunc(shape, bytes, n[2], t)"),
    "flash2-tiling": SOFTMAX.format("SoftMaxFlashV2TilingFunc(shape, bytes, 4, n[2], t, true)"),
    "layernorm": "GetLayerNormMaxMinTmpSize(shape4, bytes, false, max, min)",
    "layernorm-ar": "GetLayerNormMaxMinTmpSize(shape, bytes, false, true, false, max, min)",
    "layernorm-tiling": LAYER_NORM,
    "rmsnorm": "max = GetRmsNormMaxMinTmpSize(shape3, bytes, max, min) ? max : 0",
    "rmsnorm-tiling": RMS_NORM.format("8192"),
    "rmsnorm-small": RMS_NORM.format("16"),
    "normalize": "GetNormalizeMaxMinTmpSize(shape, bytes, bytes, false, true, false, max, min)",
    "welford": "GetWelfordUpdateMaxMinTmpSize(shape, bytes, 4, false, false, max, min)",
    "sum": "GetSumMaxMinTmpSize(n[0], bytes, false, max, min)",
    "reduce-sum": "GetReduceSumMaxMinTmpSize(shape, ge::DT_FLOAT, ReducePattern::AR, true, false, max, min)",
    "reduce-max": "GetReduceMaxMaxMinTmpSize(shape, ge::DT_FLOAT16, ReducePattern::RA, true, false, max, min)",
    "reduce-reuse": "GetReduceMaxMaxMinTmpSize(shape, ge::DT_FLOAT, ReducePattern::AR, true, true, max, min)",
    "sort": "max = GetSortTmpSize(platform, n[0], bytes), min = GetConcatTmpSize(platform, n[0], bytes)",
    "quant": "GetAscendQuantMaxMinTmpSize(shape, bytes, max, min)",
    "dequant": "GetAscendDequantMaxMinTmpSize(shape, bytes, max, min)",
    "select": "GetSelectMaxMinTmpSize(shape, one, bytes, shape, 1, false, max, min)",
    "dropout": "GetDropOutMaxMinTmpSize(shape, bytes, false, max, min)",
    "broadcast": "GetBroadCastMaxMinTmpSize(platform, one, shape, bytes, false, max, min)",
}
PROGRAM = HOST.replace("CALLS\n", "\n".join(f'CALL("{name}", {call})' for name, call in CALLS.items()) + "\n", 1)
Line = tuple[str, int, int, int, int]


def ask(lines: list[Line], arch: int = 2201) -> list[list[int]]:
    """The numbers of each answer: of sizes max and min, of tilings their words and then those."""
    output = run_host(compile_host(PROGRAM, arch), "\n".join(" ".join(map(str, line)) for line in lines))
    assert len(output) == len(lines)
    return [[int(word) for word in line.split()] for line in output]


# Name and sizes of a call with max and min on dav-2201, computed by hand from the formulas.
KNOWN: list[tuple[Line, tuple[int, int]]] = [
    (("erf", 8, 64, 0, 4), (3 * 2048, 768)),
    (("erf", 8, 64, 0, 2), (8 * 1024, 2048)),
    (("erf", 1, 8, 0, 4), (768, 768)),
    (("erf-factor", 1, 1, 0, 2), (8, 0)),
    (("tanh", 8, 64, 0, 4), (2048, 256)),
    (("cos", 8, 64, 0, 4), (4096, 512)),
    (("log", 8, 64, 0, 4), (0, 0)),
    (("rint", 8, 64, 0, 4), (0, 0)),
    (("round", 8, 64, 0, 2), (1024, 256)),
    (("exp", 8, 64, 0, 2), (8192, 1024)),
    (("power", 8, 64, 0, 2), (14 * 1024 + 256, 256 * 7 + 256)),
    (("power", 8, 64, 0, 4), (4 * 2048 + 256, 1024 + 256)),
    (("power-scalar", 8, 64, 0, 4), (7 * 2048, 7 * 256)),
    (("cumsum", 20, 32, 0, 4), (2 * 32 * 32 * 4, 2 * 16 * 32 * 4)),
    (("gelu", 8, 64, 0, 2), (12 * 512, 768)),
    (("swiglu", 8, 64, 0, 4), (0, 0)),
    (("sigmoid", 8, 64, 0, 4), (2048, 256)),
    (("softmax", 16, 64, 0, 4), (4 * 16 * 136, 4 * 136)),
    (("flash", 16, 64, 0, 4), (4 * 16 * 160, 4 * 160)),
    (("flash2", 16, 64, 0, 4), (4 * 16 * 72, 4 * 72)),
    (("grad", 16, 64, 0, 4), (4 * 16 * 136, 4 * 136)),
    (("layernorm", 2, 8, 32, 4), (3 * 4 * 512 + 2 * 64, 3 * 128 + 2 * 64)),
    (("rmsnorm", 2, 8, 32, 2), (4 * (2 * 512 + 16), 4 * (64 + 8))),
    (("normalize", 16, 64, 0, 4), (2 * 256 + 2 * 4096, 512)),
    (("welford", 1, 128, 0, 2), (2 * 768, 768)),
    (("sum", 1000, 0, 0, 4), (64, 64)),
    (("reduce-sum", 4, 128, 0, 4), (4 * 4 * 64, 4 * 4 * 64)),
    (("reduce-sum", 4, 64, 0, 4), (0, 0)),
    (("reduce-max", 5, 20, 0, 2), (4 * 64, 4 * 64)),
    (("reduce-reuse", 4, 128, 0, 4), (0, 0)),
    (("sort", 96, 0, 0, 2), (768, 0)),
    (("quant", 8, 64, 0, 4), (1024, 512)),
    (("dequant", 4, 32, 0, 4), (4 * (64 + 128 + 40), 4 * (64 + 32 + 40))),
    (("select", 8, 64, 0, 4), (1536, 1536)),
    (("dropout", 8, 64, 0, 4), (4096, 512)),
    (("broadcast", 3, 5, 0, 4), (64, 64)),
]


def test_scratch_sizes_follow_the_documented_formulas() -> None:
    answers = ask([line for line, _ in KNOWN])
    assert {line: tuple(answer) for (line, _), answer in zip(KNOWN, answers, strict=True)} == dict(KNOWN)


@pytest.mark.parametrize("arch", [2201, 3510])
def test_the_least_scratch_is_never_more_than_the_most(arch: int) -> None:
    rng = np.random.default_rng(arch)
    names = [name for name in CALLS if "tiling" not in name and name not in ("erf-factor", "sort", "rmsnorm-small")]
    lines: list[Line] = [
        (name, int(rng.integers(16, 65)), 16 * int(rng.integers(1, 40)), 32, int(rng.choice([2, 4])))
        for name in names
        for _ in range(20)
    ]
    for line, (most, least) in zip(lines, ask(lines, arch), strict=True):
        assert least <= most, line


@pytest.mark.parametrize("arch", [2201, 3510])
@pytest.mark.parametrize("name", ["softmax-tiling", "flash2-tiling"])
def test_a_softmax_tiling_cuts_all_rows_into_runs_that_fit_the_scratch(name: str, arch: int) -> None:
    rng = np.random.default_rng(arch)
    lines: list[Line] = [
        (name, int(rng.integers(1, 300)), 16 * int(rng.integers(1, 60)), 4 * int(rng.integers(2000, 9000)), size)
        for size in (2, 4)
        for _ in range(50)
    ]
    for (_, m, k, scratch, size), words in zip(lines, ask(lines, arch), strict=True):
        block = 32 // size
        assert words[:3] == [m, k, m * k]
        assert words[3:6] == [m, block, m * block]
        rows, columns, elements = words[6:9]
        assert (columns, elements) == (k, rows * k)
        assert rows >= 1
        needed = k + 64 + block if name == "softmax-tiling" or size == 2 else block + 64
        assert 4 * rows * needed <= scratch
        assert words[9:12] == [rows, block, rows * block]
        assert words[12] * rows + words[13] == m
        assert words[14:16] == [words[13] * k, words[13] * block]


def test_a_softmax_tiling_is_left_alone_when_the_scratch_is_not_enough_for_a_row() -> None:
    assert ask([("softmax-tiling", 16, 64, 64, 4)])[0][:16] == [0] * 16


def test_an_rms_norm_tiling_covers_all_rows_or_is_refused() -> None:
    (words, small) = ask([("rmsnorm-tiling", 3, 7, 64, 2), ("rmsnorm-small", 3, 7, 64, 2)])
    assert words[:4] == [3, 7, 64, 64]
    assert words[12] == 1
    assert words[8] * words[6] + words[11] == 21
    assert 4 * (2 * words[5] + words[7]) <= 8192
    assert small[12] == 0


KERNELS = compile_kernels(
    {
        "softmax": """
    SoftMaxTiling tiling; memcpy(&tiling, d, sizeof(tiling));
    auto x = ub.Load<float>(a, n); auto y = ub.New<float>(n); auto sum = ub.New<float>(8 * m);
    auto max = ub.New<float>(8 * m); auto scratch = ub.New<uint8_t>(8192);
    SoftMax<float>(y, sum, max, x, scratch, tiling);
    ub.Store(b, y, n);""",
        "layernorm": """
    LayerNormTiling tiling; memcpy(&tiling, d, sizeof(tiling));
    auto x = ub.Load<float>(a, n); auto y = ub.New<float>(n); auto mean = ub.New<float>(m);
    auto variance = ub.New<float>(m); auto gamma = ub.Load<float>(c, n / m); auto beta = ub.Load<float>(c, n / m);
    LayerNorm<float>(y, mean, variance, x, gamma, beta, 1e-5f, tiling);
    ub.Store(b, y, n);""",
    }
)


def run(name: str, words: list[int], x: NDArray[Any], weight: NDArray[Any]) -> NDArray[np.float32]:
    """The kernel's result with the host's tiling."""
    tiling = np.array(words, np.uint32)
    result = np.zeros_like(x)
    KERNELS.run(name, x, result, weight, tiling, x, x, x.size, x.shape[0])
    return result


def test_softmax_computes_with_the_hosts_tiling() -> None:
    x = np.random.default_rng(1).standard_normal((24, 40)).astype(np.float32)
    words = ask([("softmax-tiling", 24, 40, 8192, 4)])[0][:16]
    expected = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(
        run("softmax", words, x, x), expected / expected.sum(1, keepdims=True), rtol=1e-5, atol=1e-7
    )


def test_layer_norm_computes_with_the_hosts_tiling() -> None:
    rng = np.random.default_rng(2)
    x, weight = rng.standard_normal((6, 32)).astype(np.float32), rng.standard_normal(32).astype(np.float32)
    words = ask([("layernorm-tiling", 2, 3, 32, 4)])[0][:26]
    normal = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(run("layernorm", words, x, weight), normal * weight + weight, rtol=1e-4, atol=1e-5)
