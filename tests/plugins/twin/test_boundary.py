# Licensed under the Apache License, Version 2.0.
"""What a sub-kernel leaves behind, or must not do, inside a SuperKernel: each check with a kernel that breaks the rule
and one that keeps it.
"""

from __future__ import annotations

import pytest

from tests.plugins.twin.running import HEAD, TARGETS, KernelRunner, Launch, Result

SUB_KERNELS = (
    HEAD
    + """
#include "sktwin/entry.h"
template <typename Body>
void Sub(const char* name, uint64_t argument, Body body, sktwin::KernelBuild build = {}) {
    sktwin::KernelScope scope(name, argument, build);
    body();
}
constexpr sktwin::KernelBuild kSets{true, false, 0};
constexpr sktwin::KernelBuild kWaits{false, true, 0};
"""
)
# Only for kernels that need it: the whole API takes long to compile.
WHOLE_API = """
#include "kernel_operator.h"
[[maybe_unused]] static void SoftSync() {
    GlobalTensor<int32_t> slots;
    slots.SetGlobalBuffer(reinterpret_cast<int32_t*>(get_para_base()[1]));
    LocalTensor<int32_t> ub(TPosition::VECCALC, 0, 1024);
    SyncAll(slots, ub);
}
"""
ARCHS = pytest.mark.parametrize("arch", [2201, 3510])
SEEDS = range(3)
EARLY = (
    "__ASCENDC_ENABLE_SET_NEXT_TASK_START",
    "__ASCENDC_ENABLE_WAIT_PRE_TASK_END",
    "__ASCENDC_SUPERKERNEL_EARLY_START_V2",
)


def run(
    run_kernel: KernelRunner,
    body: str,
    *watch: str,
    arch: int = 2201,
    form: str = "aiv",
    blocks: int = 8,
    seed: int = 1,
    macros: tuple[str, ...] = (),
    super_kernel: bool = True,
    reserved: str = "",
) -> Result:
    """Runs the body as the code of a SuperKernel; `Sub` is the call of a sub-kernel."""
    launch = Launch(form, blocks, ["out", "work"], super_kernel=super_kernel, watch=watch)
    needs_api = any(name in body for name in ("LocalTensor", "TPipe", "SetAtomic", "Mask", "Saturation", "SoftSync"))
    source = SUB_KERNELS + (WHOLE_API if needs_api else "") + f'KERNEL(kernel) {{\n#line 100 "user.cpp"\n{body}\n}}'
    buffers = {"out": 8 * 256, "work": 32 * 128}
    target = f"{TARGETS[arch]}{reserved}\n"
    return run_kernel.run(source, launch, arch=arch, buffers=buffers, seed=seed, macros=macros, target=target)


def check_both(
    run_kernel: KernelRunner, check: str, broken: str, kept: str, *texts: str, arch: int, form: str = "aiv"
) -> None:
    """The broken form ends with the check and the texts, the other one runs; whatever the order of the cores."""
    for seed in SEEDS:
        result = run(run_kernel, broken, arch=arch, form=form, seed=seed)
        assert result.check == check, result.message
        for text in texts:
            assert text in result.message
        result = run(run_kernel, kept, arch=arch, form=form, seed=seed)
        assert result.status == "ok", result.message


# Flags that are left over ---------------------------------------------------------------------------------------------


@ARCHS
def test_a_set_that_no_core_of_the_sub_kernel_waits_for_is_found_at_its_end(
    run_kernel: KernelRunner, arch: int
) -> None:
    body = """Sub("careless", 10, [] {
        if ASCEND_IS_AIC { CrossCoreSetFlag<2, PIPE_FIX>(4); }
        if ASCEND_IS_AIV { WAIT }
    });
    SyncAll<false>();"""
    broken, kept = (body.replace("WAIT", text) for text in ("", "CrossCoreWaitFlag(4);"))
    check_both(run_kernel, "flag-residue", broken, kept, "kernel careless", "user.cpp:101", arch=arch, form="mix12")


def test_a_set_inside_a_group_that_nobody_waits_for_is_found_at_the_end(run_kernel: KernelRunner) -> None:
    body = """Sub("careless", 10, [] {
        if ASCEND_IS_AIC { CrossCoreSetFlag<4, PIPE_FIX>(3); CrossCoreSetFlag<4, PIPE_FIX>(19); }
        if ASCEND_IS_AIV { if (GetSubBlockIdx() == 0 || ALSO) CrossCoreWaitFlag<4, PIPE_S>(3); }
    });"""
    broken, kept = (body.replace("ALSO", text) for text in ("false", "true"))
    check_both(run_kernel, "flag-residue", broken, kept, "careless", "AIV block", arch=3510, form="mix12")


@ARCHS
def test_a_kernel_for_one_vector_core_whose_second_one_takes_no_part_in_the_hand_over_is_found(
    run_kernel: KernelRunner, arch: int
) -> None:
    body = """Sub("one_to_one", 10, [] {
        if ASCEND_IS_AIC { CrossCoreSetFlag<2, PIPE_FIX>(2); return; }
        if (GetSubBlockIdx() == 1) { TAKES return; }
        CrossCoreWaitFlag(2);
    });
    SyncAll<false>();"""
    broken, kept = (body.replace("TAKES", text) for text in ("", "CrossCoreWaitFlag(2);"))
    check_both(run_kernel, "flag-residue", broken, kept, "one_to_one", arch=arch, form="mix12")


@ARCHS
def test_sets_of_two_sub_kernels_that_complete_each_other_name_both(run_kernel: KernelRunner, arch: int) -> None:
    body = """Sub("first", 10, [] {
        if ASCEND_IS_AIV { if (GetSubBlockIdx() == 0 || ALSO) CrossCoreSetFlag<2, PIPE_MTE3>(4); }
        if ASCEND_IS_AIC { if (ALSO) CrossCoreWaitFlag(4); }
    });
    Sub("second", 20, [] {
        if ASCEND_IS_AIV { CrossCoreSetFlag<2, PIPE_MTE3>(4); }
        if ASCEND_IS_AIC { CrossCoreWaitFlag(4); }
    });"""
    broken, kept = (body.replace("ALSO", text) for text in ("false", "true"))
    texts = ("kernel first at user.cpp:101", "kernel second at user.cpp:105", "flag 4")
    check_both(run_kernel, "flag-mixed", broken, kept, *texts, arch=arch, form="mix12")


@ARCHS
def test_a_wait_that_takes_the_set_of_an_earlier_sub_kernel_names_both(run_kernel: KernelRunner, arch: int) -> None:
    body = """if ASCEND_IS_AIC { Sub("first", 10, [] { CrossCoreSetFlag<2, PIPE_FIX>(4); }); }
    SyncAll<false>();
    Sub("second", 20, [] { if ASCEND_IS_AIC { CrossCoreSetFlag<2, PIPE_FIX>(ID); }
                           if ASCEND_IS_AIV { CrossCoreWaitFlag(ID); } });
    if ASCEND_IS_AIV { if (ID != 4) Sub("first", 10, [] { CrossCoreWaitFlag(4); }); }"""
    broken, kept = (body.replace("ID", text) for text in ("4", "5"))
    texts = ("the wait of kernel second at user.cpp:103", "kernel first set at user.cpp:100")
    check_both(run_kernel, "flag-mixed", broken, kept, *texts, arch=arch, form="mix12")


def test_what_is_left_at_the_launchs_end_names_the_sub_kernel_that_set_it(run_kernel: KernelRunner) -> None:
    result = run(run_kernel, 'Sub("lonely", 10, [] { if (GetBlockIdx() == 1) CrossCoreSetFlag<0, PIPE_MTE3>(9); });')
    assert result.check == "flag-residue"
    assert "AIV block 1" in result.message
    assert "in kernel lonely, set at user.cpp:100" in result.message


@ARCHS
def test_an_overflow_names_the_sub_kernel(run_kernel: KernelRunner, arch: int) -> None:
    body = """Sub("eager", 10, [] {
        if ASCEND_IS_AIC { for (int i = 0; i < COUNT; ++i) CrossCoreSetFlag<2, PIPE_FIX>(4); Put(Me(), 1); }
        if ASCEND_IS_AIV { while (Get(GetBlockIdx() / 2) == 0) sktwin::Yield();
                           for (int i = 0; i < COUNT; ++i) CrossCoreWaitFlag(4); }
    });"""
    broken, kept = (body.replace("COUNT", text) for text in ("16", "15"))
    check_both(run_kernel, "flag-overflow", broken, kept, "kernel eager, user.cpp:101", arch=arch, form="mix12")


# Flags that the framework keeps ---------------------------------------------------------------------------------------


@ARCHS
@pytest.mark.parametrize("flag", [11, 14, 15])
def test_flags_of_the_framework_are_refused_in_sub_kernels(run_kernel: KernelRunner, arch: int, flag: int) -> None:
    body = """Sub("greedy", 10, [] { CrossCoreSetFlag<0, PIPE_MTE3>(ID); CrossCoreWaitFlag(ID); SyncAll(); });"""
    broken, kept = (body.replace("ID", text) for text in (str(flag), "10"))
    check_both(run_kernel, "reserved-flag", broken, kept, "kernel greedy, user.cpp:100", f"flag {flag}", arch=arch)
    alone = run(run_kernel, broken, arch=arch, super_kernel=False)
    assert alone.status == "ok", alone.message
    waits = broken.replace(f"CrossCoreSetFlag<0, PIPE_MTE3>({flag});", "")
    assert run(run_kernel, waits, arch=arch).check == "reserved-flag"


@pytest.mark.parametrize("flag", [12, 28, 31])
def test_flags_of_the_framework_inside_a_group_are_refused_too(run_kernel: KernelRunner, flag: int) -> None:
    body = 'if ASCEND_IS_AIC { Sub("greedy", 10, [] { CrossCoreSetFlag<4, PIPE_FIX>(ID); }); }'
    assert run(run_kernel, body.replace("ID", str(flag)), arch=3510, form="mix12").check == "reserved-flag"
    body = 'Sub("modest", 10, [] { if ASCEND_IS_AIC { CrossCoreSetFlag<4, PIPE_FIX>(26); } else { TAKE } });'
    taken = body.replace("TAKE", "if (GetSubBlockIdx() == 1) CrossCoreWaitFlag<4, PIPE_S>(10);")
    kept = run(run_kernel, taken, arch=3510, form="mix12")
    assert kept.status == "ok", kept.message


# Full synchronisations ------------------------------------------------------------------------------------------------


@ARCHS
@pytest.mark.parametrize(
    ("form", "sync"),
    [
        ("aiv", "SyncAll();"),
        ("mix12", "SyncAll<false>();"),
        (
            "aiv",
            "SoftSync();",
        ),
    ],
)
def test_a_core_that_leaves_out_a_full_synchronisation_is_reported_with_the_others(
    run_kernel: KernelRunner, arch: int, form: str, sync: str
) -> None:
    body = f'Sub("total", 10, [] {{ {sync} if (GetBlockIdx() != 5 || ALSO) {{ {sync} }} }});'
    broken, kept = (body.replace("ALSO", text) for text in ("false", "true"))
    macros = ("__SUPER_KERNEL_STATIC_BLOCK_NUM__=8", "__ASCENDC_ENABLE_SUPER_KERNEL__")
    for seed in SEEDS:
        result = run(run_kernel, broken, arch=arch, form=form, seed=seed, macros=macros)
        assert result.check == "sync-all-count", result.message
        assert "kernel total" in result.message
        assert "block 5: left it after 1 calls" in result.message
        assert "called it 2 times so far" in result.message
        assert {core["block"] for core in result.cores} >= {5}
        result = run(run_kernel, kept, arch=arch, form=form, seed=seed, macros=macros)
        assert result.status == "ok", result.message


@ARCHS
def test_one_full_synchronisation_too_many_is_reported_before_it_hangs(run_kernel: KernelRunner, arch: int) -> None:
    body = 'Sub("total", 10, [] { SyncAll(); if (GetBlockIdx() == 2 && MORE) SyncAll(); }); SyncAll();'
    broken, kept = (body.replace("MORE", text) for text in ("true", "false"))
    check_both(run_kernel, "sync-all-count", broken, kept, "AIV block 2: called it 2 times so far", arch=arch)


@ARCHS
def test_a_full_synchronisation_of_a_smaller_sub_kernel_does_not_join_the_super_kernels(
    run_kernel: KernelRunner, arch: int
) -> None:
    body = 'if (GetBlockIdx() < CORES) Sub("small", 10, [] { SyncAll(); }); SyncAll();'
    broken, kept = (body.replace("CORES", text) for text in ("3", "8"))
    texts = ("AIV blocks 0-2: SyncAll in kernel small", "AIV blocks 3-7: SyncAll in the SuperKernel's own", "feed-sync")
    check_both(run_kernel, "sync-all-mixed", broken, kept, *texts, arch=arch)


@ARCHS
def test_a_full_synchronisation_of_both_kinds_of_a_smaller_sub_kernel_does_not_either(
    run_kernel: KernelRunner, arch: int
) -> None:
    body = 'if (get_block_idx() < CORES) Sub("small", 10, [] { SyncAll<false>(); }); SyncAll<false>();'
    broken, kept = (body.replace("CORES", text) for text in ("3", "8"))
    texts = ("AIC blocks 0-2: SyncAll in kernel small", "AIC blocks 3-7: SyncAll in the SuperKernel's own")
    check_both(run_kernel, "sync-all-mixed", broken, kept, *texts, arch=arch, form="mix12")


@ARCHS
def test_a_full_synchronisation_of_a_smaller_sub_kernel_at_the_end_of_all_hangs_with_advice(
    run_kernel: KernelRunner, arch: int
) -> None:
    result = run(run_kernel, 'if (GetBlockIdx() < 3) Sub("small", 10, [] { SyncAll(); });', arch=arch)
    assert result.check == "hang"
    assert "AIV blocks 3-7: finished" in result.message
    assert "feed-sync-all=1" in result.message


# Early start ----------------------------------------------------------------------------------------------------------

TAKE = "g_super_kernel_early_start_config = 5; WaitPreTaskEnd();"


@ARCHS
@pytest.mark.parametrize(
    ("calls", "text"),
    [
        ("if (GetBlockIdx() != 2) SetNextTaskStart();", "without a call of SetNextTaskStart"),
        ("SetNextTaskStart(); if (GetBlockIdx() == 2) SetNextTaskStart();", "SetNextTaskStart is called a second time"),
    ],
)
def test_the_next_task_is_started_once_on_each_core(run_kernel: KernelRunner, arch: int, calls: str, text: str) -> None:
    for seed in SEEDS:
        body = f'Sub("early", 10, [] {{ CALLS }}, kSets); {TAKE}'
        result = run(run_kernel, body.replace("CALLS", calls), arch=arch, macros=EARLY, seed=seed)
        assert result.check == "early-start-calls", result.message
        assert "AIV block 2" in result.message
        assert "kernel early" in result.message
        assert text in result.message
        kept = run(run_kernel, body.replace("CALLS", "SetNextTaskStart();"), arch=arch, macros=EARLY, seed=seed)
        assert kept.status == "ok", kept.message


@ARCHS
@pytest.mark.parametrize("count", [0, 1, 2])
def test_the_end_of_the_task_before_is_waited_for_once_on_each_core(
    run_kernel: KernelRunner, arch: int, count: int
) -> None:
    body = f"""SetNextTaskStart(); SetNextTaskStart();
    g_super_kernel_early_start_config = 5;
    Sub("early", 10, [] {{ {"WaitPreTaskEnd();" * count} }}, kWaits);
    WaitPreTaskEnd();"""
    result = run(run_kernel, body, arch=arch, macros=EARLY)
    assert result.check == ("" if count == 1 else "early-start-calls"), result.message


# Identity, block-local variables, state -------------------------------------------------------------------------------


@ARCHS
@pytest.mark.parametrize(
    ("raw", "instead"),
    [("get_block_idx", "GetBlockIdx"), ("get_block_num", "GetBlockNum"), ("get_subblockid", "GetSubBlockIdx")],
)
def test_raw_block_intrinsics_are_the_super_kernels_own(
    run_kernel: KernelRunner, arch: int, raw: str, instead: str
) -> None:
    body = f'Put(Me(), {raw}()); Sub("raw", 10, [] {{ Put(Me(), NAME()); }}); Put(Me(), {raw}());'
    broken, kept = (body.replace("NAME", text) for text in (raw, f"AscendC::{instead}"))
    texts = (f"kernel raw, user.cpp:100: {raw} gives", f"AscendC::{instead}()")
    check_both(run_kernel, "raw-block-intrinsic", broken, kept, *texts, arch=arch)
    alone = run(run_kernel, broken, arch=arch, super_kernel=False)
    assert alone.status == "ok", alone.message


@ARCHS
def test_the_number_of_blocks_that_is_decided_on_the_device_is_set_for_each_call(
    run_kernel: KernelRunner, arch: int
) -> None:
    call = 'Sub("dynamic", 10, [] { Put(Me(), GetBlockNum()); });'
    given = f"g_super_kernel_dynamic_block_num = 8; {call}"
    macros = ("__SUPER_KERNEL_DYNAMIC_BLOCK_NUM__",)
    for broken in (call, given + call):
        result = run(run_kernel, broken, arch=arch, macros=macros)
        assert result.check == "block-local-unset", result.message
        assert "g_super_kernel_dynamic_block_num" in result.message
        assert "kernel dynamic, user.cpp:100" in result.message
    kept = run(run_kernel, given + given, arch=arch, macros=macros)
    assert kept.status == "ok", kept.message


@ARCHS
def test_the_early_start_configuration_is_read_after_it_was_written(run_kernel: KernelRunner, arch: int) -> None:
    body = 'SetNextTaskStart(); CONFIG Sub("early", 10, [] { WaitPreTaskEnd(); }, kWaits);'
    broken = run(run_kernel, body.replace("CONFIG", ""), arch=arch, macros=EARLY)
    assert broken.check == "block-local-unset"
    assert "g_super_kernel_early_start_config" in broken.message
    kept = run(run_kernel, body.replace("CONFIG", "g_super_kernel_early_start_config = 5;"), arch=arch, macros=EARLY)
    assert kept.status == "ok", kept.message


@ARCHS
@pytest.mark.parametrize(
    ("change", "reset", "text"),
    [
        ("SetAtomicAdd<float>();", "SetAtomicNone();", "atomic mode add"),
        ("SetAtomicMax<half>();", "DisableDmaAtomic();", "atomic mode max"),
        ("SetMaskCount();", "SetMaskNorm();", "counter mode"),
        ("SetVectorMask<float>(0, 255);", "ResetMask();", "vector mask"),
        (
            "SetSaturationFlag<SaturationMode::FLOAT>(true);",
            "SetSaturationFlag<SaturationMode::FLOAT>(false);",
            "satura",
        ),
        ("sktwin::Self().registers.ctrl |= 4;", "sktwin::Self().registers.ctrl = 0;", "CTRL"),
    ],
)
def test_state_of_the_core_is_as_it_was_at_the_end(
    run_kernel: KernelRunner, arch: int, change: str, reset: str, text: str
) -> None:
    body = f'Sub("changing", 10, [] {{ {change} RESET }});'
    broken, kept = (body.replace("RESET", back) for back in ("", reset))
    site = () if "CTRL" in text else ("user.cpp:100",)
    check_both(run_kernel, "state-left", broken, kept, "kernel changing", text, *site, arch=arch)
    alone = run(run_kernel, broken, arch=arch, super_kernel=False)
    assert alone.status == "ok", alone.message


@ARCHS
def test_a_mask_that_an_instruction_brings_along_is_nothing_left_behind(run_kernel: KernelRunner, arch: int) -> None:
    body = """Sub("masked", 10, [] { LocalTensor<float> x(TPosition::VECCALC, 0, 64);
        Duplicate(x, 1.0f, uint64_t(16), 1, 1, 8); });"""
    result = run(run_kernel, body, arch=arch)
    assert result.status == "ok", result.message


# Memory and pipes -----------------------------------------------------------------------------------------------------


def touch(first: int) -> str:
    """A sub-kernel that fills 64 floats from byte `first` of UB on."""
    return (
        f"""Sub("wide", 10, [] {{ LocalTensor<float> x(TPosition::VECCALC, {first}, 64); Duplicate(x, 1.0f, 64); }});"""
    )


@pytest.mark.parametrize(("arch", "reserved", "usable"), [(2201, "reserved aiv ub=8448", 188160), (3510, "", 253952)])
def test_local_memory_ends_before_its_reserved_part(
    run_kernel: KernelRunner, arch: int, reserved: str, usable: int
) -> None:
    kept = run(run_kernel, touch(usable - 256), arch=arch, reserved=reserved)
    assert kept.status == "ok", kept.message
    result = run(run_kernel, touch(usable - 224), arch=arch, reserved=reserved)
    assert result.check == "local-memory-size"
    assert "kernel wide, user.cpp:100" in result.message
    assert ("the last 8448 bytes of UB are reserved" in result.message) == bool(reserved)


def test_queues_end_before_the_reserved_part_too(run_kernel: KernelRunner) -> None:
    body = 'Sub("wide", 10, [] { TPipe pipe; TBuf<TPosition::VECCALC> all; pipe.InitBuffer(all, BYTES); });'
    result = run(run_kernel, body.replace("BYTES", "196352"), reserved="reserved aiv ub=8448")
    assert result.check == "local-memory-size"
    kept = run(run_kernel, body.replace("BYTES", "188160"), reserved="reserved aiv ub=8448")
    assert kept.status == "ok", kept.message


def test_more_reserved_bytes_than_a_memory_has_are_refused(run_kernel: KernelRunner) -> None:
    result = run(run_kernel, "", reserved="reserved aiv ub=196609")
    assert result.report["problems"][0]["text"] == "expected 'reserved' to leave something of ub"


@ARCHS
def test_two_pipes_of_one_sub_kernel_need_a_barrier_between_them(run_kernel: KernelRunner, arch: int) -> None:
    body = 'Sub("phases", 10, [] { { TPipe pipe; } BARRIER { TPipe pipe; } }); Sub("next", 20, [] { TPipe pipe; });'
    broken, kept = (body.replace("BARRIER", text) for text in ("", "PipeBarrier<PIPE_ALL>();"))
    check_both(run_kernel, "pipe-barrier-missing", broken, kept, "kernel phases, user.cpp:100", arch=arch)
    again = 'Sub("phases", 10, [] { TPipe pipe; pipe.Destroy(); pipe.Init(); });'
    assert run(run_kernel, again, arch=arch).check == "pipe-barrier-missing"
    alone = run(run_kernel, broken, arch=arch, super_kernel=False)
    assert alone.status == "ok", alone.message


# Cores and blocks -----------------------------------------------------------------------------------------------------


@ARCHS
def test_a_sub_kernel_runs_on_the_cores_that_it_is_planned_for(run_kernel: KernelRunner, arch: int) -> None:
    body = 'if (GetBlockIdx() < CORES) Sub("code", 10, [] {});'
    watch = "operator 10 aic=0 aiv=4 waits=0 the op"
    result = run(run_kernel, body.replace("CORES", "6"), watch, arch=arch)
    assert result.check == "operator-cores"
    assert "the op runs on the first 4 AIVs" in result.message
    assert run(run_kernel, body.replace("CORES", "4"), watch, arch=arch).status == "ok"


@ARCHS
@pytest.mark.parametrize(
    ("form", "cores", "blocks", "check"),
    [
        ("aiv", "aic=0 aiv=4", 4, ""),
        ("aiv", "aic=0 aiv=4", 8, "block-number"),
        ("mix12", "aic=8 aiv=16", 8, ""),
        ("mix12", "aic=8 aiv=16", 16, "block-number"),
        ("mix12", "aic=- aiv=-", 16, ""),
    ],
)
def test_a_sub_kernel_is_built_for_the_blocks_that_it_runs_on(
    run_kernel: KernelRunner, arch: int, form: str, cores: str, blocks: int, check: str
) -> None:
    gate = "if (GetBlockIdx() < 4) " if form == "aiv" else ""
    body = f'{gate}Sub("code", 10, [] {{}}, sktwin::KernelBuild{{false, false, {blocks}}});'
    result = run(run_kernel, body, f"operator 10 {cores} waits=0 the op", arch=arch, form=form)
    assert result.check == check, result.message
