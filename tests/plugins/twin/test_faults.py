# Licensed under the Apache License, Version 2.0.
"""What the runtime says when a kernel hangs or goes wrong."""

from __future__ import annotations

import pytest

from tests.plugins.twin.running import HEAD, TARGETS, KernelRunner, Launch


def test_a_hang_names_the_core_that_did_not_come_and_the_line_of_those_that_wait(run_kernel: KernelRunner) -> None:
    source = HEAD + 'KERNEL(kernel) {\n    if (GetBlockIdx() == 5) return;\n#line 70 "user.cpp"\n    SyncAll();\n}'
    result = run_kernel.run(source, Launch("aiv", 8, label="fused"))
    assert (result.check, result.exit_code, result.report["launch"]) == ("hang", 1, "fused")
    assert sorted(core["block"] for core in result.cores) == [0, 1, 2, 3, 4, 6, 7]
    for core in result.cores:
        assert (core["kind"], core["file"], core["line"], core["kernel"]) == ("AIV", "user.cpp", 70, "fused")
        assert "flag 14 (mode 0" in core["waits_for"]
        assert core["missing"] == "AIV block 5: finished"
    assert "AIV blocks 0-4, 6-7 in kernel fused at user.cpp:70" in result.message


def test_a_hang_of_many_equal_cores_is_a_few_lines(run_kernel: KernelRunner) -> None:
    source = HEAD + "KERNEL(kernel) { if (g_coreType == AIC && GetBlockIdx() == 7) return; SyncAll<false>(); }"
    result = run_kernel.run(source, Launch("mix12", 24))
    assert result.check == "hang"
    assert len(result.cores) == 71
    assert len(result.message.splitlines()) <= 5


def test_a_hang_follows_who_waits_for_whom_into_the_other_kind(run_kernel: KernelRunner) -> None:
    source = (
        HEAD
        + """
KERNEL(kernel) {
    const char* before = sktwin::EnterKernel(g_coreType == AIC ? "cube_op" : "vector_op");
    if ASCEND_IS_AIC { CrossCoreWaitFlag(12); CrossCoreSetFlag<2, PIPE_FIX>(13); }
    if ASCEND_IS_AIV { CrossCoreWaitFlag(13); CrossCoreSetFlag<2, PIPE_MTE3>(12); }
    sktwin::LeaveKernel(before);
}
"""
    )
    result = run_kernel.run(source, Launch("mix11", 1))
    aic = next(core for core in result.cores if core["kind"] == "AIC")
    assert aic["kernel"] == "cube_op"
    assert "AIV 0 of its group: waits for flag 13" in aic["missing"]
    assert "vector_op" in aic["missing"]


def test_sync_all_of_both_kinds_hangs_where_no_aic_answers(run_kernel: KernelRunner) -> None:
    result = run_kernel.run(HEAD + "KERNEL(kernel) { SyncAll<false>(); }", Launch("aiv", 2))
    assert result.check == "hang"
    assert all("no AIC" in core["missing"] for core in result.cores)


def test_polling_memory_that_nobody_changes_is_a_hang_that_names_the_word(run_kernel: KernelRunner) -> None:
    source = (
        HEAD
        + """
KERNEL(kernel) { if (GetBlockIdx() != 0) return;
    while (*reinterpret_cast<volatile uint64_t*>(Out() + 3) == 0) dcci(Out() + 3, SINGLE_CACHE_LINE, CACHELINE_OUT); }
"""
    )
    result = run_kernel.run(source, Launch("aiv", 4, ["flag"]), buffers={"flag": 64})
    assert result.check == "hang"
    (core,) = result.cores
    assert core["state"] == "polling"
    assert "byte 24 of buffer 'flag'" in core["waits_for"]


def test_writing_the_same_value_again_does_not_hide_a_livelock(run_kernel: KernelRunner) -> None:
    source = HEAD + "KERNEL(kernel) { while (Get(0) == 0) { Put(1, 5); sktwin::Yield(); } }"
    assert run_kernel.run(source, Launch("aiv", 2, ["out"]), buffers={"out": 64}).check == "hang"


def test_a_core_that_reads_on_is_not_taken_for_a_livelock(run_kernel: KernelRunner) -> None:
    source = (
        HEAD
        + """
KERNEL(kernel) { uint64_t sum = 0;
    for (uint64_t i = 0; i < 8192; ++i) { sum += Get(i); sktwin::Yield(); }
    Put(0, sum + 1); }
"""
    )
    result = run_kernel.run(source, Launch("aiv", 1, ["out"]), buffers={"out": 8 * 8192})
    assert result.status == "ok", result.message


def test_a_poller_sees_what_another_core_writes(run_kernel: KernelRunner) -> None:
    source = (
        HEAD
        + """
KERNEL(kernel) {
    if (GetBlockIdx() == 0) { for (int i = 0; i < 50; ++i) Put(2 + i % 4, i); Put(0, 1); return; }
    while (Get(0) == 0) sktwin::Yield();
    Put(7 + GetBlockIdx(), 1);
}
"""
    )
    result = run_kernel.run(source, Launch("aiv", 3, ["out"]), buffers={"out": 128})
    assert result.status == "ok", result.message
    assert result.words("out")[8:10] == [1, 1]


def test_a_full_barrier_with_more_blocks_than_cores_says_so(run_kernel: KernelRunner) -> None:
    result = run_kernel.run(HEAD + "KERNEL(kernel) { SyncAll(); }", Launch("aiv", 60))
    assert result.check == "hang"
    assert "blocks exceed cores" in result.message
    assert "blocks 48-59: not started" in result.cores[0]["missing"]


def test_a_super_kernel_with_more_blocks_than_cores_does_not_start(run_kernel: KernelRunner) -> None:
    result = run_kernel.run(HEAD + "KERNEL(kernel) {}", Launch("aiv", 49, super_kernel=True))
    assert result.check == "blocks-exceed-cores"


@pytest.mark.parametrize(
    ("body", "check"),
    [
        ("WaitFlag<HardEvent::MTE2_V>(1);", "event-wait-without-set"),
        ("SetFlag<HardEvent::MTE2_V>(1); SetFlag<HardEvent::MTE2_V>(1);", "event-double-set"),
        ("SetFlag<HardEvent::MTE2_V>(1);", "event-residue"),
        ("SetFlag<HardEvent::MTE2_V>(1); WaitFlag<HardEvent::MTE2_V>(2);", "event-wait-without-set"),
        ("SetFlag<HardEvent::MTE2_V>(8);", "event-id"),
        ("SetFlag<HardEvent::MTE2_V>(1); WaitFlag<HardEvent::MTE2_V>(1);", ""),
        ("TQueSync<PIPE_V, PIPE_S> q; q.SetFlag(2); q.WaitFlag(2);", ""),
        ("SetFlag<HardEvent::M_FIX>(1); SetFlag<HardEvent::M_FIX>(1);", ""),
    ],
)
def test_events_of_a_core_must_pair(run_kernel: KernelRunner, body: str, check: str) -> None:
    result = run_kernel.run(HEAD + f"KERNEL(kernel) {{ {body} }}", Launch("aiv", 1))
    assert result.check == check, result.message


def test_an_event_fault_names_the_callers_line(run_kernel: KernelRunner) -> None:
    source = HEAD + 'KERNEL(kernel) {\n#line 33 "user.cpp"\n    WaitFlag<HardEvent::V_S>(\n        0);\n}'
    (core,) = run_kernel.run(source, Launch("aiv", 1)).cores
    assert (core["file"], core["line"]) == ("user.cpp", 33)


@pytest.mark.parametrize("index", [8, 1 << 40, -1])
def test_an_access_outside_every_buffer_is_a_bounds_fault(run_kernel: KernelRunner, index: int) -> None:
    source = HEAD + f"KERNEL(kernel) {{ Put({index}, 1); }}"
    result = run_kernel.run(source, Launch("aiv", 1, ["out"]), buffers={"out": 64, "other": 64})
    assert result.check == "global-memory-bounds"


def test_a_bounds_fault_says_where_in_which_buffer(run_kernel: KernelRunner) -> None:
    source = HEAD + "KERNEL(kernel) { Put(8, 1); }"
    result = run_kernel.run(source, Launch("aiv", 1, ["out"]), buffers={"out": 64})
    assert "0 bytes past the end of buffer 'out' (64 bytes)" in result.message


def test_the_argument_words_are_global_memory_too(run_kernel: KernelRunner) -> None:
    source = HEAD + "KERNEL(kernel) { auto* p = get_para_base(); sktwin::GlobalAccess(p, 16, false); Put(0, p[1]); }"
    result = run_kernel.run(source, Launch("aiv", 1, ["out", 77]), buffers={"out": 8})
    assert result.words("out") == [77]
    beyond = source.replace("16, false", "24, false")
    assert run_kernel.run(beyond, Launch("aiv", 1, ["out", 77]), buffers={"out": 8}).check == "global-memory-bounds"


@pytest.mark.parametrize(
    ("body", "check"),
    [
        ("*reinterpret_cast<volatile int*>(16) = 1;", "wild-access"),
        ("volatile int zero = 0; Put(0, 5 / zero);", "wild-access"),
        ("__builtin_trap();", "wild-access"),
        ("[]() __attribute__((noinline)) { volatile char big[3 << 19]; big[0] = 1; }();", "stack-overflow"),
        ("sktwin::Self().local[0][sktwin::Self().localSize[0]] = 1;", "wild-access"),
    ],
)
def test_a_crash_of_a_kernel_is_a_fault_that_names_the_core(run_kernel: KernelRunner, body: str, check: str) -> None:
    source = HEAD + f"KERNEL(kernel) {{ if (GetBlockIdx() == 2) {{ {body} }} }}"
    result = run_kernel.run(source, Launch("aiv", 4, ["out"], label="crashing"), buffers={"out": 8})
    assert (result.check, result.exit_code) == (check, 1)
    assert "AIV block 2 (core " in result.message
    assert "crashing" in result.message


def test_an_event_left_by_a_sub_kernel_is_found_when_it_ends(run_kernel: KernelRunner) -> None:
    source = (
        HEAD
        + """
KERNEL(kernel) {
    const char* before = sktwin::EnterKernel("careless");
    SetFlag<HardEvent::V_MTE3>(3);
    sktwin::LeaveKernel(before);
    WaitFlag<HardEvent::V_MTE3>(3);
}
"""
    )
    result = run_kernel.run(source, Launch("aiv", 1))
    assert result.check == "event-residue"
    assert "AIV block 0 in kernel careless: event V_MTE3 id 3" in result.message


@pytest.mark.parametrize(
    "body",
    [
        "volatile int spins = 0; while (true) spins = spins + 1;",
        "while (Get(0) == 0) {}",
        "for (uint64_t i = 0;; ++i) Put(1, i);",
    ],
)
def test_a_loop_without_end_is_a_fault_and_no_hang_of_the_process(run_kernel: KernelRunner, body: str) -> None:
    source = HEAD + f"KERNEL(kernel) {{ if (GetBlockIdx() == 2) {{ {body} }} SyncAll(); }}"
    launch = Launch("aiv", 4, ["out"], label="endless")
    result = run_kernel.run(source, launch, buffers={"out": 16}, target=f"{TARGETS[2201]}patience 1 2\n")
    assert (result.check, result.exit_code) == ("endless-loop", 1)
    assert "AIV block 2 (core " in result.message
    assert "kernel endless" in result.message
    assert "raise the limit with SKCORE_TWIN_PATIENCE" in result.message
    assert result.report["place"]["module"].endswith(".so")
