# Licensed under the Apache License, Version 2.0.
"""Cross-core and intra-block flags of the runtime: spec device section 3."""

from __future__ import annotations

import pytest

from tests.plugins.twin.running import HEAD, KernelRunner, Launch

BARRIER = (
    HEAD
    + """
// Each core counts in its slot and then expects all slots to show at least the same round.
KERNEL(kernel) {
    for (uint64_t round = 1; round <= 30; ++round) {
        Put(1 + Me(), round);
        SYNC;
        for (uint64_t other = FIRST; other < FIRST + COUNT; ++other) {
            if (Get(1 + other) < round) {
                Put(0, 1 + other);
            }
        }
    }
}
"""
)


@pytest.mark.parametrize("arch", [2201, 3510])
@pytest.mark.parametrize(
    ("form", "sync", "first", "macros"),
    [
        ("aiv", "SyncAll<true>()", 100, ()),
        ("aiv", "SyncAll()", 100, ()),
        ("mix12", "SyncAll<false>()", 0, ()),
        ("mix12", "SyncAll<false>()", 100, ()),
        ("mix11", "SyncAll<false>()", 0, ("__MIX_CORE_AIC_RATION__=1",)),
        ("mix11", "SyncAll<false>()", 100, ("__MIX_CORE_AIC_RATION__=1",)),
        ("mix12", "if (g_coreType == AIV) SyncAll<true>()", 100, ()),
    ],
)
def test_no_core_leaves_a_full_barrier_before_all_have_arrived(
    run_kernel: KernelRunner, arch: int, form: str, sync: str, first: int, macros: tuple[str, ...]
) -> None:
    count = 8 if first == 100 and form == "mix12" else 4
    if "if" in sync:
        count = 8
    source = BARRIER.replace("SYNC", sync).replace("FIRST", f"{first}u").replace("COUNT", f"{count}u")
    if "if" in sync:
        source = source.replace("KERNEL(kernel) {", "KERNEL(kernel) {\n    if (g_coreType == AIC) return;")
    for seed in range(3):
        result = run_kernel.run(
            source, Launch(form, 4, ["out"]), arch=arch, buffers={"out": 8 * 256}, seed=seed, macros=macros
        )
        assert result.status == "ok", result.message
        assert result.words("out")[0] == 0


PAIR = (
    HEAD
    + """
KERNEL(kernel) {
    for (uint64_t round = 1; round <= 20; ++round) {
        if ASCEND_IS_AIV {
            Put(1 + Me(), round);
            CrossCoreSetFlag<2, PIPE_MTE3>(4);
            CrossCoreWaitFlag(5);
        }
        if ASCEND_IS_AIC {
            CrossCoreWaitFlag(4);
            for (uint64_t sub = 0; sub < 2; ++sub) {
                if (Get(1 + 100 + 2 * GetBlockIdx() + sub) != round) Put(0, 1);
            }
            CrossCoreSetFlag<2, PIPE_FIX>(5);
        }
    }
}
"""
)


def test_mode_2_reaches_the_aic_when_both_aivs_have_set_and_both_aivs_at_once(run_kernel: KernelRunner) -> None:
    for seed in range(4):
        result = run_kernel.run(PAIR, Launch("mix12", 3, ["out"]), buffers={"out": 8 * 256}, seed=seed)
        assert result.status == "ok", result.message
        assert result.words("out")[0] == 0


MODE1 = (
    HEAD
    + """
KERNEL(kernel) {
    if ASCEND_IS_AIV {
        for (uint64_t round = 1; round <= 20; ++round) {
            Put(1 + Me(), round);
            CrossCoreSetFlag<1, PIPE_MTE3>(6);
            CrossCoreWaitFlag(6);
            if (Get(1 + (Me() ^ 1)) < round) Put(0, 1);
        }
    }
}
"""
)


def test_mode_1_joins_the_two_aivs_of_a_group(run_kernel: KernelRunner) -> None:
    for seed in range(4):
        result = run_kernel.run(MODE1, Launch("mix12", 3, ["out"]), buffers={"out": 8 * 256}, seed=seed)
        assert result.status == "ok", result.message
        assert result.words("out")[0] == 0


INTRA = (
    HEAD
    + """
KERNEL(kernel) {
    if ASCEND_IS_AIC {
        CrossCoreWaitFlag<4, PIPE_S>(3 + 16);
        Put(0, Get(1) == 7);
        CrossCoreSetFlag<4, PIPE_FIX>(3);
    } else {
        if (GetSubBlockIdx() == 1) {
            Put(1, 7);
            CrossCoreSetFlag<4, PIPE_MTE3>(3);
        } else {
            CrossCoreWaitFlag<4, PIPE_S>(3);
        }
    }
}
"""
)


def test_intra_block_ids_from_16_pair_with_the_second_aiv(run_kernel: KernelRunner) -> None:
    for seed in range(4):
        result = run_kernel.run(INTRA, Launch("mix12", 1, ["out"]), arch=3510, buffers={"out": 64}, seed=seed)
        assert result.status == "ok", result.message
        assert result.words("out")[0] == 1


def test_a_sixteenth_outstanding_set_is_an_overflow(run_kernel: KernelRunner) -> None:
    source = (
        HEAD
        + """
KERNEL(kernel) { if ASCEND_IS_AIC { for (int i = 0; i < COUNT; ++i) CrossCoreSetFlag<2, PIPE_FIX>(4); }
                 if ASCEND_IS_AIV { for (int i = 0; i < COUNT; ++i) Put(1, 1); while (Get(0) == 0) sktwin::Yield(); } }
"""
    )
    at_limit = run_kernel.run(source.replace("COUNT", "15"), Launch("mix12", 1, ["out"]), buffers={"out": 64})
    assert at_limit.check == "hang"
    over = run_kernel.run(source.replace("COUNT", "16"), Launch("mix12", 1, ["out"]), buffers={"out": 64})
    assert over.check == "flag-overflow"
    assert "flag 4" in over.message


def test_a_set_that_nobody_waits_for_is_a_residue_of_the_launch(run_kernel: KernelRunner) -> None:
    source = HEAD + "KERNEL(kernel) { if ASCEND_IS_AIC { CrossCoreSetFlag<2, PIPE_FIX>(9); } }"
    result = run_kernel.run(source, Launch("mix12", 2))
    assert result.check == "flag-residue"
    assert "AIV blocks 0-3 in kernel launch: flag 9: counter is left at 1" in result.message


def test_a_barrier_that_never_completed_is_a_residue_of_the_launch(run_kernel: KernelRunner) -> None:
    source = HEAD + "KERNEL(kernel) { if (GetBlockIdx() == 1) CrossCoreSetFlag<0, PIPE_MTE3>(9); }"
    result = run_kernel.run(source, Launch("aiv", 2))
    assert result.check == "flag-residue"
    assert "AIV block 1 in kernel launch: flag 9: 1 mode-0 sets" in result.message


@pytest.mark.parametrize("call", ["CrossCoreSetFlag<0, PIPE_MTE3>(1)", "CrossCoreWaitFlag(1)"])
def test_flags_of_a_launch_without_a_sync_engine_are_refused(run_kernel: KernelRunner, call: str) -> None:
    result = run_kernel.run(HEAD + f"KERNEL(kernel) {{ {call}; }}", Launch("aiv", 2, sync=False))
    assert result.check == "no-sync-engine"


@pytest.mark.parametrize(
    ("arch", "call"),
    [(2201, "wait_flag_dev(PIPE_S, 1)"), (3510, "wait_flag_dev(1)"), (2201, "set_intra_block(PIPE_S, 1)")],
)
def test_a_wait_of_the_other_chips_form_does_not_compile(run_kernel: KernelRunner, arch: int, call: str) -> None:
    with pytest.raises(AssertionError, match=r"deleted function|not declared"):
        run_kernel.run(HEAD + f"KERNEL(kernel) {{ {call}; }}", Launch("aiv", 1), arch=arch)
