# Licensed under the Apache License, Version 2.0.
"""The host's Matmul tiling: what it gives meets the documented constraints, and the Matmul class computes with it."""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace

import numpy as np
import pytest

from tests.plugins.twin.cube_oracle import FROM_GLOBAL, ceil_div, multiply, round_up
from tests.plugins.twin.host_program import CUBE_FIELDS, compile_host, run_host
from tests.plugins.twin.running import KernelRunner, Launch

# One question a line, in the order of `Question`; the answer is the words of the tiling, or "-1".
HOST = """
#include <cstdio>
#include <cstring>
#include "tiling/tiling_api.h"
using namespace matmul_tiling;
template <typename T> void Ask(T& api, const int* q) {
    const auto type = static_cast<DataType>(q[2]);
    const bool whole = type == DataType::DT_INT8 || type == DataType::DT_INT4;
    const auto result = whole ? DataType::DT_INT32 : DataType::DT_FLOAT;
    api.SetAType(TPosition::GM, CubeFormat::ND, type, q[4] != 0);
    api.SetBType(TPosition::GM, CubeFormat::ND, type, q[5] != 0);
    api.SetCType(q[3] != 0 ? TPosition::VECIN : TPosition::GM, CubeFormat::ND, result);
    api.SetBiasType(TPosition::GM, CubeFormat::ND, result);
    api.SetShape(q[7], q[8], q[9]);
    api.SetOrgShape(q[7], q[8], q[9]);
    api.EnableBias(q[6] != 0);
    api.SetFixSplit(q[10], q[11], q[12]);
    api.SetSplitRange(q[13], q[14], -1, q[15], q[16], -1);
    api.SetBufferSpace(q[17], q[18], -1);
    api.SetTraverse(static_cast<MatrixTraverse>(q[19]));
    optiling::TCubeTiling tiling;
    if (api.GetTiling(tiling) == -1) {
        std::printf("-1\\n");
        return;
    }
    int words[50];
    tiling.SaveToBuffer(words, sizeof(words));
    for (const int word : words) {
        std::printf("%d ", word);
    }
    std::printf("\\n");
}
int main() {
    int q[23];
    for (;;) {
        for (int& word : q) {
            if (std::scanf("%d", &word) != 1) {
                return 0;
            }
        }
        if (q[0] == 0) {
            MatmulApiTiling api;
            Ask(api, q);
            continue;
        }
        MultiCoreMatmulTiling api(*platform_ascendc::PlatformAscendCManager::GetInstance());
        api.SetDim(q[1]);
        api.SetSingleShape(q[20], q[21], -1);
        api.EnableMultiCoreSplitK(q[22] != 0);
        Ask(api, q);
    }
}
"""
FLOAT, HALF, INT8, BF16, INT4 = 0, 1, 2, 27, 29
BITS = {FLOAT: 32, HALF: 16, INT8: 8, BF16: 16, INT4: 4}


@dataclass(frozen=True, slots=True)
class Question:
    """What the host program is asked; -1 leaves a choice to the tiling."""

    many: int = 1
    dim: int = 1
    type: int = HALF
    result_in_ub: int = 0
    turn_a: int = 0
    turn_b: int = 0
    bias: int = 0
    m: int = 64
    n: int = 64
    k: int = 64
    fix_m: int = -1
    fix_n: int = -1
    fix_k: int = -1
    most_m: int = -1
    most_n: int = -1
    least_m: int = -1
    least_n: int = -1
    l1: int = -1
    l0c: int = -1
    traverse: int = 0
    single_m: int = -1
    single_n: int = -1
    split_k: int = 0


Answer = dict[str, int]


@dataclass(frozen=True, slots=True)
class Chip:
    """Sizes of one chip in bytes."""

    l0c: int
    ub: int
    bias: int
    aiv: int
    l0: int = 65536
    l1: int = 524288


CHIPS = {2201: Chip(131072, 196608, 1024, 48), 3510: Chip(262144, 253952, 4096, 72)}


def ask(questions: list[Question], arch: int) -> list[Answer | None]:
    """The tilings, None where there is none."""
    lines = run_host(compile_host(HOST, arch), "\n".join(" ".join(map(str, astuple(q))) for q in questions))
    assert len(lines) == len(questions)
    return [None if line == "-1" else dict(zip(CUBE_FIELDS, map(int, line.split()), strict=True)) for line in lines]


def random_question(rng: np.random.Generator) -> Question:
    """A question that has an answer."""

    def size() -> int:
        return int(rng.integers(1, 2 ** int(rng.integers(1, 13))) + 1)

    kind = int(rng.choice([FLOAT, HALF, INT8, BF16, INT4]))
    even = 2 if kind == INT4 else 1
    return Question(
        many=int(rng.integers(2)),
        dim=int(rng.integers(1, 49)),
        type=kind,
        result_in_ub=int(rng.integers(2)),
        turn_a=int(rng.integers(2)),
        turn_b=int(rng.integers(2)),
        bias=int(rng.integers(2)),
        m=size(),
        n=round_up(size(), even),
        k=round_up(size(), even),
        traverse=int(rng.integers(3)),
        split_k=int(rng.integers(2)),
    )


def check(question: Question, answer: Answer, arch: int) -> None:
    """Asserts every constraint of ascendc_data_cube.md 11.1 and what the question demands."""
    chip, bits = CHIPS[arch], BITS[question.type]
    fractal = 256 // bits
    t = answer
    base = t["baseM"], t["baseN"], t["baseK"]
    assert (t["M"], t["N"], t["Ka"], t["Kb"]) == (question.m, question.n, question.k, question.k)
    parts = [
        ceil_div(whole, t[single])
        for whole, single in (
            (question.m, "singleCoreM"),
            (question.n, "singleCoreN"),
            (question.k, "singleCoreK"),
        )
    ]
    assert t["usedCoreNum"] == int(np.prod(parts))
    assert t["usedCoreNum"] <= (question.dim if question.many else 1)
    assert parts[2] == 1 or (question.split_k and not question.bias)
    assert base[0] % 16 == 0
    assert base[1] % 16 == 0
    assert base[2] % (fractal if not question.turn_a and question.turn_b else 16) == 0
    assert base[0] * base[2] * bits // 8 * t["dbL0A"] <= chip.l0
    assert base[1] * base[2] * bits // 8 * t["dbL0B"] <= chip.l0
    l0c = chip.l0c if question.l0c < 0 else question.l0c
    assert base[0] * base[1] * 4 * t["dbL0C"] <= l0c
    assert not question.bias or base[1] * 4 <= chip.bias
    assert not question.result_in_ub or base[0] * base[1] * 4 <= chip.ub
    for name, step, depth in (("M", "stepKa", "depthA1"), ("N", "stepKb", "depthB1")):
        assert t[depth] in (t[f"step{name}"] * t[step], 2 * t[f"step{name}"] * t[step])
    assert t["stepKa"] % t["stepKb"] == 0 or t["stepKb"] % t["stepKa"] == 0
    rows = round_up(base[0], fractal) if question.turn_a else base[0]
    columns = base[1] if question.turn_b else round_up(base[1], fractal)
    l1 = (rows * t["depthA1"] + columns * t["depthB1"]) * base[2] * bits // 8 + base[1] * 4 * question.bias
    assert l1 <= (chip.l1 if question.l1 < 0 else question.l1)
    assert {t["dbL0A"], t["dbL0B"], t["dbL0C"]} <= {1, 2}
    assert t["isBias"] == question.bias
    assert t["iterateOrder"] == (question.traverse == 2)


@pytest.mark.parametrize("arch", CHIPS)
def test_every_tiling_meets_the_documented_constraints_and_covers_the_problem(arch: int) -> None:
    rng = np.random.default_rng(arch)
    questions = [random_question(rng) for _ in range(400)]
    for question, answer in zip(questions, ask(questions, arch), strict=True):
        assert answer is not None, question
        check(question, answer, arch)


@pytest.mark.parametrize("arch", CHIPS)
def test_a_fixed_block_is_kept_or_there_is_no_tiling(arch: int) -> None:
    rng = np.random.default_rng(arch + 1)
    questions = []
    for _ in range(200):
        fix = rng.choice([-1, 16, 48, 64, 128, 256, 512, 1024], 2)
        questions.append(replace(random_question(rng), fix_m=int(fix[0]), fix_n=int(fix[1])))
    answers = ask(questions, arch)
    for question, answer in zip(questions, answers, strict=True):
        if answer is not None:
            check(question, answer, arch)
            assert question.fix_m in (-1, answer["baseM"])
            assert question.fix_n in (-1, answer["baseN"])
    assert 20 < sum(answer is None for answer in answers) < 180


def test_a_fixed_block_that_fits_is_not_refused() -> None:
    asked = [Question(fix_m=m, fix_n=n, m=m, n=n, k=512) for m, n in ((128, 256), (256, 128), (16, 16), (512, 64))]
    answers = ask(asked, 2201)
    assert [(a["baseM"], a["baseN"]) for a in answers if a] == [(q.fix_m, q.fix_n) for q in asked]


def test_a_fixed_block_that_does_not_fit_or_is_no_multiple_of_16_has_no_tiling() -> None:
    asked = [Question(fix_m=256, fix_n=256), Question(fix_m=20), Question(fix_n=512, bias=1), Question(fix_k=24)]
    assert ask(asked, 2201) == [None] * 4
    assert ask(asked[:1], 3510) != [None]


@pytest.mark.parametrize("arch", CHIPS)
def test_blocks_stay_inside_the_range_that_is_asked_for(arch: int) -> None:
    rng = np.random.default_rng(arch + 2)
    ends = [sorted(int(16 * end) for end in rng.integers(1, 9, 2)) for _ in range(200)]
    questions = [
        replace(random_question(rng), least_m=m[0], most_m=m[1], least_n=n[0], most_n=n[1], result_in_ub=0)
        for m, n in zip(ends[::2], ends[1::2], strict=True)
    ]
    for question, answer in zip(questions, ask(questions, arch), strict=True):
        if answer is None:  # blocks of whole fractals are multiples of 32 or 64 for narrow types
            assert question.type in (INT8, INT4)
            continue
        check(question, answer, arch)
        assert question.least_m <= answer["baseM"] <= question.most_m
        assert question.least_n <= answer["baseN"] <= question.most_n


@pytest.mark.parametrize("arch", CHIPS)
def test_a_tiling_keeps_to_the_buffer_space_that_is_left(arch: int) -> None:
    rng = np.random.default_rng(arch + 3)
    questions = [
        replace(random_question(rng), l1=int(rng.integers(16384, 524288)), l0c=int(rng.integers(8192, 131072)))
        for _ in range(200)
    ]
    for question, answer in zip(questions, ask(questions, arch), strict=True):
        assert answer is not None, question
        check(question, answer, arch)


def test_no_tiling_fits_into_no_memory() -> None:
    assert ask([Question(l1=100), Question(l0c=512)], 2201) == [None, None]


def test_a_single_core_shape_that_is_asked_for_is_kept_or_needs_too_many_cores() -> None:
    asked = [
        Question(dim=4, m=128, n=128, single_m=64, single_n=64),
        Question(dim=3, m=128, n=128, single_m=64, single_n=64),
    ]
    enough, few = ask(asked, 2201)
    assert enough is not None
    assert (enough["singleCoreM"], enough["singleCoreN"], enough["usedCoreNum"]) == (64, 64, 4)
    assert few is None


def test_parts_of_cores_are_equal_where_that_costs_little() -> None:
    (answer,) = ask([Question(dim=24, m=1024, n=640, k=256)], 2201)
    assert answer is not None
    assert 1024 % answer["singleCoreM"] == 0
    assert 640 % answer["singleCoreN"] == 0
    assert answer["usedCoreNum"] >= 12


# Words: A, B, bias, C, tiling. The core's part as the samples compute it: column of M first, tails at the ends.
KERNEL = (
    "#include <algorithm>\n"
    + FROM_GLOBAL
    + """
using Multiply = Matmul<MatmulType<TPosition::GM, CubeFormat::ND, ELEMENT, true>,
                        MatmulType<TPosition::GM, CubeFormat::ND, ELEMENT, true>,
                        MatmulType<TPosition::GM, CubeFormat::ND, float>,
                        MatmulType<TPosition::GM, CubeFormat::ND, float>>;
KERNEL(kernel) {
    TPipe pipe;
    TCubeTiling tiling;
    std::memcpy(&tiling, sktwin::GlobalAccess(reinterpret_cast<void*>(Word(4)), sizeof(tiling), false), sizeof(tiling));
    Multiply mm;
    REGIST_MATMUL_OBJ(&pipe, nullptr, mm, &tiling);
    const int blocksM = (tiling.M + tiling.singleCoreM - 1) / tiling.singleCoreM;
    const int blocksN = (tiling.N + tiling.singleCoreN - 1) / tiling.singleCoreN;
    const int index = GetBlockIdx() % (blocksM * blocksN);
    const int atM = index % blocksM * tiling.singleCoreM;
    const int atN = index / blocksM * tiling.singleCoreN;
    const int atK = GetBlockIdx() / (blocksM * blocksN) * tiling.singleCoreK;
    mm.SetTensorA(Global<ELEMENT>(0)[TURN_A ? atK * tiling.M + atM : atM * tiling.Ka + atK], TURN_A);
    mm.SetTensorB(Global<ELEMENT>(1)[TURN_B ? atN * tiling.Kb + atK : atK * tiling.N + atN], TURN_B);
    if (tiling.isBias != 0) {
        mm.SetBias(Global<float>(2)[atN]);
    }
    mm.SetTail(std::min(tiling.M - atM, tiling.singleCoreM), std::min(tiling.N - atN, tiling.singleCoreN),
               std::min(tiling.Ka - atK, tiling.singleCoreK));
    mm.IterateAll(Global<float>(3)[atM * tiling.N + atN], tiling.singleCoreK < tiling.Ka ? 1 : 0);
    mm.End();
}
"""
)


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize(
    ("question", "form"),
    [
        (Question(many=0, m=50, n=70, k=33, bias=1), "aic"),
        (Question(dim=5, m=200, n=70, k=33, bias=1, turn_a=1), "aic"),
        (Question(dim=8, m=130, n=260, k=40, turn_b=1, traverse=2), "mix12"),
        (Question(dim=6, m=96, n=64, k=64, fix_m=32, fix_n=16), "mix12"),
        (Question(dim=8, m=16, n=16, k=500, split_k=1, type=FLOAT), "aic"),
    ],
    ids=["one-core", "tails", "mix", "fixed", "split-k"],
)
def test_the_matmul_class_multiplies_with_the_hosts_tiling(
    run_kernel: KernelRunner, question: Question, form: str, arch: int
) -> None:
    (answer,) = ask([question], arch)
    assert answer is not None
    check(question, answer, arch)
    rng = np.random.default_rng(question.m)
    kind = np.float32 if question.type == FLOAT else np.float16
    a = rng.integers(-8, 9, (question.m, question.k)).astype(kind)
    b = rng.integers(-8, 9, (question.k, question.n)).astype(kind)
    bias = rng.integers(-99, 99, question.n).astype(np.float32)
    cores = answer["usedCoreNum"]
    assert question.many == 0 or cores > 1
    macros = [f"ELEMENT={'float' if question.type == FLOAT else 'half'}"]
    macros += [f"TURN_A={question.turn_a}", f"TURN_B={question.turn_b}"]
    macros += ["ASCENDC_CUBE_ONLY"] if form == "aic" else []
    result = run_kernel.run(
        KERNEL,
        Launch(form, ceil_div(cores, 2) if form == "mix12" else cores, ("a", "b", "bias", "c", "tiling")),
        arch=arch,
        macros=macros,
        buffers={
            "a": np.ascontiguousarray(a.T if question.turn_a else a).tobytes(),
            "b": np.ascontiguousarray(b.T if question.turn_b else b).tobytes(),
            "bias": bias.tobytes(),
            "c": 4 * question.m * question.n,
            "tiling": np.array([answer[name] for name in CUBE_FIELDS], np.int32).tobytes(),
        },
    )
    assert result.status == "ok", result.message
    expected = multiply(a, b, bias if question.bias else 0)
    got = np.frombuffer(result.buffers["c"], np.float32).reshape(question.m, question.n)
    np.testing.assert_array_equal(got, expected)
