# Licensed under the Apache License, Version 2.0.
"""Early start and feed-sync: spec device sections 3.8 and 5.1."""

from __future__ import annotations

import pytest

from tests.plugins.twin.running import HEAD, KernelRunner, Launch

CONFIGS = [(previous << 2) | current for previous in range(3) for current in range(3)]

# Two operators in a row: cores of the first put down a mark before they signal, cores of the second look for all marks.
EARLY_START = (
    HEAD
    + """
constexpr uint32_t kConfig = CONFIG;
constexpr bool kIsPrevious = (kConfig >> 2) == 2 || (kConfig >> 2) == (g_coreType == AIV);
constexpr bool kIsCurrent = (kConfig & 3) == 2 || (kConfig & 3) == (g_coreType == AIV);
KERNEL(kernel) {
    for (uint64_t round = 1; round <= 6; ++round) {
        if (kIsPrevious) {
            Put(1 + Me(), round);
            SetNextTaskStart();
        }
        g_super_kernel_early_start_config = kConfig;
        WAIT;
        if (kIsCurrent) {
            for (uint64_t i = 0; i < 3 && (kConfig >> 2) != 1; ++i) if (Get(1 + i) < round) Put(0, 1);
            for (uint64_t i = 100; i < 100 + 3 * RATIO && (kConfig >> 2) != 0; ++i) if (Get(1 + i) < round) Put(0, 1);
        }
        FullBarrier();
    }
}
"""
)
# Independent of what is tested: a barrier of all cores on flags that early start does not use.
FULL_BARRIER = """
static void FullBarrier() {
    if (g_coreType == AIV) { CrossCoreSetFlag<2, PIPE_MTE3>(1); CrossCoreWaitFlag(2); return; }
    CrossCoreWaitFlag(1);
    CrossCoreSetFlag<0, PIPE_FIX>(3);
    CrossCoreWaitFlag(3);
    ffts_cross_core_sync(PIPE_FIX, GetffstMsg(2, 2));
}
"""
ENABLED = (
    "__ASCENDC_ENABLE_SET_NEXT_TASK_START",
    "__ASCENDC_ENABLE_WAIT_PRE_TASK_END",
    "__ASCENDC_SUPERKERNEL_EARLY_START_V2",
)


@pytest.mark.parametrize("wait", ["WaitPreTaskEndImpl<kConfig>()", "WaitPreTaskEnd()"])
@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize(
    ("arch", "form", "extra"),
    [
        (2201, "mix12", ()),
        (2201, "mix11", ()),
        (3510, "mix12", ()),
        (3510, "mix12", ("__ASCENDC_DAVID_SPLIT_CORE__",)),
        (3510, "mix11", ("__ASCENDC_DAVID_SPLIT_CORE__",)),
    ],
)
def test_early_start_orders_two_operators_and_leaves_no_flag(
    run_kernel: KernelRunner, arch: int, form: str, extra: tuple[str, ...], config: int, wait: str
) -> None:
    kernel = EARLY_START.replace("WAIT;", f"{wait};").replace("CONFIG", str(config)).replace("RATIO", form[-1])
    source = kernel.replace("constexpr uint32_t kConfig", FULL_BARRIER + "constexpr uint32_t kConfig", 1)
    launch = Launch(form, 3, ["out"], super_kernel=True)
    for seed in range(2):
        result = run_kernel.run(
            source, launch, arch=arch, buffers={"out": 8 * 256}, seed=seed, macros=(*ENABLED, *extra)
        )
        assert result.status == "ok", result.message
        assert result.words("out")[0] == 0


def test_the_tight_form_hangs_where_the_second_aiv_does_not_exist(run_kernel: KernelRunner) -> None:
    source = HEAD + "KERNEL(kernel) { SetNextTaskStart(); WaitPreTaskEndImpl<10>(); }"
    result = run_kernel.run(source, Launch("mix11", 2, super_kernel=True), arch=3510, macros=ENABLED)
    assert result.check == "hang"
    assert any("no core that could set it" in core["missing"] for core in result.cores)


@pytest.mark.parametrize(("super_kernel", "macros"), [(False, ENABLED), (True, ())])
def test_early_start_is_nothing_outside_a_super_kernel_or_without_its_macros(
    run_kernel: KernelRunner, super_kernel: bool, macros: tuple[str, ...]
) -> None:
    source = HEAD + "KERNEL(kernel) { SetNextTaskStart(); SetNextTaskStart(); WaitPreTaskEnd(); }"
    result = run_kernel.run(source, Launch("aiv", 2, super_kernel=super_kernel), macros=macros)
    assert result.status == "ok", result.message


def test_the_first_form_of_early_start_always_joins_both_kinds(run_kernel: KernelRunner) -> None:
    source = HEAD + "KERNEL(kernel) { SetNextTaskStart(); g_super_kernel_early_start_config = 0; WaitPreTaskEnd(); }"
    macros = (*ENABLED[:2], "__ASCENDC_SUPERKERNEL_EARLY_START_V1")
    result = run_kernel.run(source, Launch("mix12", 3, super_kernel=True), macros=macros)
    assert result.status == "ok", result.message


def test_a_configuration_that_names_no_kinds_is_a_fault(run_kernel: KernelRunner) -> None:
    source = HEAD + "KERNEL(kernel) { g_super_kernel_early_start_config = 7; WaitPreTaskEnd(); }"
    result = run_kernel.run(source, Launch("mix12", 1, super_kernel=True), macros=ENABLED)
    assert result.check == "early-start-config"


# A SuperKernel with one operator that is smaller than it and synchronises all its cores three times.
FEED = (
    HEAD
    + """
static void Operator() {
    for (uint64_t round = 1; round <= 3; ++round) {
        Put(16 + Me(), round);
        SYNC;
        for (uint64_t i = FIRST; i < FIRST + COUNT; ++i) if (Get(16 + i) < round) Put(15, 1);
    }
}
KERNEL(kernel) {
    g_superKernelAutoSyncAllConfigGmBaseAddr = get_para_base()[1];
    g_superKernelAutoSyncAllSyncIdx = 0;
    g_superKernelAutoSyncAllEnable = true;
    g_superKernelAutoSyncAllConfigGmAddr = g_superKernelAutoSyncAllConfigGmBaseAddr + (g_coreType == AIV ? 64 : 0);
    if (GATE) {
        Operator();
        SuperKernelAutoSyncAllEndImpl();
    } else {
        COMPLEMENT
    }
}
"""
)
COMPLEMENT = "SuperKernelAutoSyncAllComplementImpl();"


def feed_source(form: str, complement: str) -> str:
    """An operator on 2 of 4 blocks (MIX) or 3 of 8 cores (AIV), inside a larger SuperKernel."""
    mix = form != "aiv"
    return (
        FEED.replace("SYNC;", "SyncAll<false>();" if mix else "SyncAll<true>();")
        .replace("GATE", "get_block_idx() < 2" if mix else "GetBlockIdx() < 3")
        .replace("FIRST", "100u")
        .replace("COUNT", "2u" if mix else "3u")
        .replace("COMPLEMENT", complement)
    )


@pytest.mark.parametrize("arch", [2201, 3510])
@pytest.mark.parametrize(("form", "blocks"), [("aiv", 8), ("mix12", 4)])
def test_idle_cores_join_every_sync_of_a_smaller_operator(
    run_kernel: KernelRunner, arch: int, form: str, blocks: int
) -> None:
    launch = Launch(form, blocks, ["out", "lines"], super_kernel=True)
    for seed in range(4):
        result = run_kernel.run(
            feed_source(form, COMPLEMENT), launch, arch=arch, seed=seed,
            buffers={"out": 8 * 256, "lines": 128}, macros=("__ASCENDC_SUPERKERNEL_AUTO_SYNC_ALL__",),
        )  # fmt: skip
        assert result.status == "ok", result.message
        assert result.words("out")[15] == 0


def test_without_the_complement_the_smaller_operator_hangs_and_the_idle_cores_are_named(
    run_kernel: KernelRunner,
) -> None:
    launch = Launch("aiv", 8, ["out", "lines"], super_kernel=True)
    result = run_kernel.run(
        feed_source("aiv", ""), launch, buffers={"out": 8 * 256, "lines": 128},
        macros=("__ASCENDC_SUPERKERNEL_AUTO_SYNC_ALL__",),
    )  # fmt: skip
    assert result.check == "hang"
    assert "AIV blocks 3-7: finished" in result.message


def test_without_the_end_word_the_idle_cores_poll_for_ever_and_the_line_is_named(run_kernel: KernelRunner) -> None:
    source = feed_source("aiv", COMPLEMENT).replace("SuperKernelAutoSyncAllEndImpl();", "")
    launch = Launch("aiv", 8, ["out", "lines"], super_kernel=True)
    result = run_kernel.run(
        source, launch, buffers={"out": 8 * 256, "lines": 128}, macros=("__ASCENDC_SUPERKERNEL_AUTO_SYNC_ALL__",)
    )
    assert result.check == "hang"
    assert "byte 64 of buffer 'lines'" in result.message


def test_a_line_that_was_not_cleared_is_a_fault(run_kernel: KernelRunner) -> None:
    launch = Launch("aiv", 8, ["out", "lines"], super_kernel=True)
    nobody_publishes = feed_source("aiv", COMPLEMENT).replace("GetBlockIdx() < 3", "GetBlockIdx() < 0")
    result = run_kernel.run(
        nobody_publishes, launch, buffers={"out": 8 * 256, "lines": b"\xff" * 128},
        macros=("__ASCENDC_SUPERKERNEL_AUTO_SYNC_ALL__",),
    )  # fmt: skip
    assert result.check == "feed-sync-word"


SOFT = (
    HEAD
    + """
#include "ascendc/cross_core_soft.h"
KERNEL(kernel) {
    GlobalTensor<int32_t> slots;
    slots.SetGlobalBuffer(reinterpret_cast<int32_t*>(get_para_base()[1]), 1024);
    LocalTensor<int32_t> ub(TPosition::VECCALC, 0, 1024);
    for (uint64_t round = 1; round <= 4; ++round) {
        BODY
    }
}
"""
)


def test_the_soft_barrier_needs_no_sync_engine(run_kernel: KernelRunner) -> None:
    body = """
        Put(1 + GetBlockIdx(), round);
        SyncAll(slots, ub);
        for (int i = 0; i < GetBlockNum(); ++i) if (Get(1 + i) < round) Put(0, 1);"""
    launch = Launch("aiv", 6, ["out", "slots"], sync=False)
    for seed in range(3):
        result = run_kernel.run(SOFT.replace("BODY", body), launch, seed=seed, buffers={"out": 64, "slots": 4096})
        assert result.status == "ok", result.message
        assert result.words("out")[0] == 0


def test_the_chain_runs_blocks_in_ascending_order(run_kernel: KernelRunner) -> None:
    body = """
        if (round == 1) InitDetermineComputeWorkspace(slots, ub);
        WaitPreBlock(slots, ub);
        uint64_t at = Get(0);
        Put(0, at + 1);
        Put(1 + at, GetBlockIdx());
        NotifyNextBlock(slots, ub);"""
    launch = Launch("aiv", 5, ["out", "slots"], sync=False)
    for seed in range(3):
        buffers: dict[str, bytes | int] = {"out": 8 * 21, "slots": b"\xa5" * 4096}
        result = run_kernel.run(SOFT.replace("BODY", body), launch, seed=seed, buffers=buffers)
        assert result.status == "ok", result.message
        assert result.words("out") == [20, *[0, 1, 2, 3, 4] * 4]


def test_a_block_hands_over_to_another_through_memory(run_kernel: KernelRunner) -> None:
    body = """
        if (GetBlockIdx() == 0) { Put(0, round); IBSet(slots, ub, 1, 0); IBWait(slots, ub, 0, 1); }
        if (GetBlockIdx() == 1) { IBWait(slots, ub, 1, 0); if (Get(0) != round) Put(1, 1); IBSet(slots, ub, 0, 1); }"""
    launch = Launch("aiv", 2, ["out", "slots"], sync=False)
    for seed in range(3):
        result = run_kernel.run(SOFT.replace("BODY", body), launch, seed=seed, buffers={"out": 64, "slots": 4096})
        assert result.status == "ok", result.message
        assert result.words("out")[:2] == [4, 0]
