# Licensed under the Apache License, Version 2.0.
"""Launches of the runtime: who runs, with what identity and state, in which order."""

from __future__ import annotations

import pytest

from tests.plugins.twin.running import FORMS, HEAD, KernelRunner, Launch, Result

IDENTITY = (
    HEAD
    + """
KERNEL(kernel) {
    uint64_t at = Me() * 8;
    Put(at, 1);
    Put(at + 1, get_block_idx());
    Put(at + 2, GetSubBlockIdx());
    Put(at + 3, GetTaskRation());
    Put(at + 4, GetBlockNum());
    Put(at + 5, get_coreid());
    Put(at + 6, GetSubBlockNum());
}
"""
)
ROWS = 200


def rows(result: Result) -> dict[int, list[int]]:
    """What each core wrote about itself, by its number."""
    assert result.status == "ok", result.message
    values = result.words("out")
    return {row: values[row * 8 + 1 : row * 8 + 8] for row in range(ROWS) if values[row * 8]}


def identity(run_kernel: KernelRunner, form: str, blocks: int, seed: int = 1) -> dict[int, list[int]]:
    """Runs the kernel that writes down who it is."""
    launch = Launch(form, blocks, ["out"])
    return rows(run_kernel.run(IDENTITY, launch, buffers={"out": ROWS * 64}, seed=seed))


@pytest.mark.parametrize("form", FORMS)
def test_each_launch_form_starts_the_cores_that_the_type_table_names(run_kernel: KernelRunner, form: str) -> None:
    kinds, ratio = FORMS[form]
    expected = set(range(5)) if "aic" in kinds else set()
    if "aiv" in kinds:
        expected |= {100 + block for block in range(5 * max(1, ratio))}
    assert set(identity(run_kernel, form, 5)) == expected


@pytest.mark.parametrize("form", FORMS)
def test_a_core_sees_the_identity_of_its_launch(run_kernel: KernelRunner, form: str) -> None:
    ratio = max(1, FORMS[form][1])
    for row, (block, sub, task_ratio, blocks, _, subs, _) in identity(run_kernel, form, 5).items():
        vector = row >= 100
        assert (block, sub) == (divmod(row - 100, ratio) if vector else (row, 0))
        assert task_ratio == subs == (ratio if vector else 1)
        assert blocks == 5


def test_core_ids_are_distinct_and_are_not_the_block_indices(run_kernel: KernelRunner) -> None:
    ids = [values[4] for row, values in sorted(identity(run_kernel, "aiv", 48).items())]
    assert len(set(ids)) == 48
    assert max(ids) < 50
    assert ids != list(range(48))


def test_another_seed_places_blocks_on_other_cores(run_kernel: KernelRunner) -> None:
    placements = {tuple(v[4] for v in identity(run_kernel, "aic", 24, seed).values()) for seed in range(4)}
    assert len(placements) == 4


ORDER = (
    HEAD
    + """
KERNEL(kernel) {
    for (int i = 0; i < 20; ++i) {
        uint64_t next = *reinterpret_cast<uint64_t*>(sktwin::GlobalAccess(Out(), 8, true));
        Put(0, next + 1);
        Put(1 + next, Me());
    }
}
"""
)


def order(run_kernel: KernelRunner, seed: int) -> list[int]:
    """Which core made each step of a race."""
    result = run_kernel.run(ORDER, Launch("mix12", 4, ["out"]), buffers={"out": 8 * 400}, seed=seed)
    return result.words("out")


def test_equal_seeds_interleave_equally_and_other_seeds_do_not(run_kernel: KernelRunner) -> None:
    assert order(run_kernel, 5) == order(run_kernel, 5)
    assert len({tuple(order(run_kernel, seed)) for seed in range(6)}) > 4


def test_blocks_beyond_the_cores_run_in_waves(run_kernel: KernelRunner) -> None:
    source = HEAD + "KERNEL(kernel) { Put(GetBlockIdx(), 1 + GetBlockNum()); }"
    result = run_kernel.run(source, Launch("aiv", 130, ["out"], sync=False), buffers={"out": 8 * 130})
    assert result.words("out") == [131] * 130


def test_groups_beyond_the_cores_run_in_waves_together(run_kernel: KernelRunner) -> None:
    source = (
        HEAD
        + """
KERNEL(kernel) {
    if ASCEND_IS_AIV { Put(100 + GetBlockIdx(), 1); CrossCoreSetFlag<2, PIPE_MTE3>(4); }
    if ASCEND_IS_AIC { CrossCoreWaitFlag(4); uint64_t b = GetBlockIdx(); Put(b, Get(100 + 2 * b) + Get(101 + 2 * b)); }
}
"""
    )
    result = run_kernel.run(source, Launch("mix12", 60, ["out"]), buffers={"out": 8 * 300})
    assert result.words("out")[:60] == [2] * 60


def test_block_local_variables_are_private_to_each_core(run_kernel: KernelRunner) -> None:
    source = (
        HEAD
        + """
__BLOCK_LOCAL__ __inline__ uint64_t first;
static __BLOCK_LOCAL__ uint64_t second = 40;
KERNEL(kernel) {
    first = Me();
    for (int i = 0; i < 40; ++i) { second += 1; sktwin::Yield(); Put(0, first); }
    Put(1 + Me(), first * 1000 + second);
}
"""
    )
    for seed in range(3):
        result = run_kernel.run(source, Launch("mix12", 4, ["out"]), buffers={"out": 8 * 256}, seed=seed)
        values = result.words("out")
        for core in [*range(4), *range(100, 108)]:
            assert values[1 + core] == core * 1000 + 80


LOCAL = (
    HEAD
    + """
KERNEL(kernel) {
    uint8_t* ub = sktwin::Self().local[0];
    uint32_t size = sktwin::Self().localSize[0];
    uint64_t zeros = 0;
    for (uint32_t i = 0; i < size; ++i) zeros += ub[i] == 0;
    Put(0, zeros);
    Put(1, size);
    ub[size - 1] = 0;
}
"""
)


def test_local_memory_holds_no_zero_at_first_and_is_not_cleared_between_launches(run_kernel: KernelRunner) -> None:
    target = "target aic=1 aiv=1 intra_block=0 wait=core\nmemory aiv ub=196608\n"
    buffers = {"one": 16, "two": 16}
    launches = (Launch("aiv", 1, ["one"]), Launch("aiv", 1, ["two"]))
    result = run_kernel.run(LOCAL, *launches, buffers=buffers, target=target)
    assert result.words("one") == [0, 196608]
    assert result.words("two") == [1, 196608]


def test_registers_are_reset_when_a_launch_starts(run_kernel: KernelRunner) -> None:
    source = (
        HEAD
        + """
KERNEL(kernel) { auto& r = sktwin::Self().registers;
    Put(0, r.mask[0]); Put(1, r.maskCounter); Put(2, r.atomicOperation);
    r.mask[0] = 5; r.maskCounter = true; r.atomicOperation = 1; }
"""
    )
    buffers = {"one": 24, "two": 24}
    launches = (Launch("aiv", 1, ["one"]), Launch("aiv", 1, ["two"]))
    result = run_kernel.run(source, *launches, buffers=buffers)
    assert result.words("one") == result.words("two") == [2**64 - 1, 0, 0]


def test_what_a_kernel_prints_is_in_the_result(run_kernel: KernelRunner) -> None:
    source = HEAD + 'KERNEL(kernel) { sktwin::Print("say \\"hi\\"\\n"); }'
    result = run_kernel.run(source, Launch("aiv", 2))
    assert result.report["output"] == 'say "hi"\n' * 2


def test_printed_bytes_that_are_no_text_keep_the_report_readable(run_kernel: KernelRunner) -> None:
    source = HEAD + 'KERNEL(kernel) { sktwin::Print("\\xe2\\x82\\xac \\xff \\x01"); }'
    assert run_kernel.run(source, Launch("aiv", 1)).report["output"] == "\u20ac \xff \x01"


def test_launches_run_one_after_the_other(run_kernel: KernelRunner) -> None:
    source = HEAD + "KERNEL(kernel) { Put(0, Get(0) * 10 + get_para_base()[1]); }"
    launches = [Launch("aiv", 1, ["out", n], label=f"l{n}") for n in (1, 2, 3)]
    result = run_kernel.run(source, *launches, buffers={"out": 8})
    assert result.words("out") == [123]
    assert [launch["label"] for launch in result.report["launches"]] == ["l1", "l2", "l3"]


def test_every_malformed_line_of_a_job_is_reported(run_kernel: KernelRunner) -> None:
    result = run_kernel.job(
        "sktwin 1\n"
        "target aic=1 aiv=x intra_block=0\n"
        "memory gpu ub=1\n"
        "buffer a 12\n"
        "nonsense\n"
        "launch L module=q aic=f aiv=- ratio=1 blocks=0 super=0 sync=0\n"
        "word buffer nowhere 0\n"
    )
    assert (result.status, result.exit_code) == ("error", 2)
    assert {2, 3, 4, 5, 6, 7} <= {problem["line"] for problem in result.report["problems"]}


def test_a_missing_symbol_is_a_problem_of_the_job(run_kernel: KernelRunner) -> None:
    library = run_kernel.compile(HEAD + "KERNEL(kernel) {}", 2201, (), ["kernel"])
    target = "target aic=1 aiv=1 intra_block=0 wait=core"
    launch = Launch("aiv", 1, entry="absent").text()
    result = run_kernel.job(f"sktwin 1\n{target}\nmodule m {library}\n{launch}")
    assert result.exit_code == 2
    assert "absent_aiv" in result.report["problems"][0]["text"]
