# Licensed under the Apache License, Version 2.0.
"""The generated source: the same bytes everywhere, closed forms, and no name that the device does not know."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skcore.emit.lowering import Templates, pair_code
from skcore.emit.source import emit_source, entry_symbol, source_macros
from skcore.errors import EmitError
from skcore.graph.kernel import CacheCleaning, CoreKind, KernelType, OperatorClass, PerKind, SubKernel
from skcore.options import EarlyStart, Options
from skcore.plan.plan import Plan, Program
from skcore.plan.planner import plan_group
from skcore.plan.steps import Await, Channel, FullSync, GroupSync, Preload, Signal, Step
from tests.builders import ARCHES, TYPES, kernels, make_group, make_kernel, make_plan, options, plans, relaxed, target

ROOT = Path(__file__).resolve().parents[2]

CPP = """
    if else for switch case default break return static const struct void inline extern __attribute__ aligned used
    section sizeof unsigned int nullptr false uint8_t uint64_t uint32_t include define defined endif attribute C
"""
# Spec jit Appendix B, and for the rest the section that knows the name.
DEVICE = """
    __aicore__ __global__ __gm__ GM_ADDR ASCEND_IS_AIC ASCEND_IS_AIV __DAV_CUBE__ __DAV_VEC__ __NPU_ARCH__
    get_para_base get_block_idx get_coreid preload dcci cache_line_t dcci_dst_t pipe_barrier ffts_cross_core_sync
    wait_flag_dev set_ffts_base_addr
    AscendC GetBlockIdx SyncAll SetNextTaskStart WaitPreTaskEndImpl GetffstMsg PreLoad GetSystemCycle
    SYNC_AIC_FLAG SYNC_AIV_FLAG SYNC_AIC_AIV_FLAG SYNC_AIV_ONLY_ALL
    SuperKernelAutoSyncAllEndImpl SuperKernelAutoSyncAllComplementImpl
    g_superKernelAutoSyncAllSyncIdx g_superKernelAutoSyncAllEnable g_superKernelAutoSyncAllConfigGmAddr
    g_super_kernel_early_start_config g_opSystemRunCfg OpSystemRunCfg
    PIPE_ALL PIPE_FIX PIPE_MTE3 PIPE_S ENTIRE_DATA_CACHE SINGLE_CACHE_LINE CACHELINE_OUT
    dsb mem_dsb_t DSB_DDR
    TILING_KEY_VAR FunLevelMixCoreType F_TYPE_KTYPE F_TYPE_MIX_TASK_RATION K_TYPE_MIX_AIC_MAIN K_TYPE_MIX_AIV_MAIN
"""
OWN = "param_base args_offset line words word buffer slot area record SkProfile"
KNOWN = frozenset((CPP + DEVICE + OWN).split()) - {"C"}


def code_of(source: str) -> str:
    """The source without comments, literals and the path of the header."""
    text = re.sub(r"//[^\n]*", "", source)
    text = re.sub(r'"[^"\n]*"', '""', text)
    return re.sub(r"\b(0[xX][0-9a-fA-F]+|[0-9]+)(UL)?\b", "0", text)


def identifiers(source: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", code_of(source)))


def own_names(plan: Plan) -> set[str]:
    """What a plan itself brings: its entry functions, its metadata objects, and its sub-kernels' symbols."""
    entry = f"auto_gen_{plan.name}_kernel"
    names = {entry, f"{entry}_aic", f"{entry}_aiv"}
    names |= {f"{plan.name}_mix_{kind.value}_section" for kind in CoreKind}
    for kernel in plan.group.kernels:
        for kind in kernel.kernel_type.kinds:
            base = kernel.symbols[kind]
            names |= {str(base), *(f"{base}_split{number}" for number in range(1, plan.group.options.split_mode))}
    return names


def is_closed(source: str) -> bool:
    """Whether brackets nest and close, and every ``else`` follows a closing brace."""
    code = code_of(source)
    stack = []
    pairs = {")": "(", "}": "{", "]": "["}
    for character in code:
        if character in "({[":
            stack.append(character)
        elif character in pairs and (not stack or stack.pop() != pairs[character]):
            return False
    dangling = re.findall(r"(?<!#)(?<!} )\belse\b", code)
    directives = len(re.findall(r"^#if", code, re.M)) == len(re.findall(r"^#endif", code, re.M))
    return not stack and not dangling and directives


# The same bytes


def print_sources() -> None:
    """Run in a process of its own: the sources of a few rich plans."""
    kinds = [
        make_kernel(kind, 2, kind.name.lower(), sets=True, waits=kind is not KernelType.MIX_AIC_1_1) for kind in TYPES
    ]
    rich = Options(profiling=True, feed_sync_all=True, debug_dcci_all=True)
    for arch in ARCHES:
        for chosen in (Options(), rich):
            sys.stdout.write(emit_source(make_plan(kinds, chosen, arch), target(arch)))


def test_two_processes_with_different_hash_seeds_write_the_same_bytes() -> None:
    outputs = []
    for seed in ("1", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "tests")}
        program = "import runpy; runpy.run_path(" + repr(str(Path(__file__))) + ")['print_sources']()"
        outputs.append(
            subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True).stdout
        )
    assert outputs[0] == outputs[1]
    assert outputs[0].count(b"for dav-3510") == 2


@given(plans())
@settings(max_examples=30)
def test_the_same_plan_gives_the_same_text_with_shared_and_with_fresh_templates(plan: Plan) -> None:
    assert emit_source(plan, target()) == emit_source(plan, target(), Templates(target()))


# Names and forms


@given(plans(), st.sampled_from(ARCHES))
@settings(max_examples=120)
def test_only_names_that_the_device_knows_appear(plan: Plan, arch: str) -> None:
    assert identifiers(emit_source(plan, target(arch))) - KNOWN - own_names(plan) == set()


@given(plans(), st.sampled_from(ARCHES))
@settings(max_examples=120)
def test_every_form_is_closed(plan: Plan, arch: str) -> None:
    assert is_closed(emit_source(plan, target(arch)))


@given(st.lists(kernels(), min_size=1, max_size=4), options(), st.sampled_from(ARCHES))
@settings(max_examples=80)
def test_every_symbol_is_declared_exactly_once(group: list[SubKernel], chosen: Options, arch: str) -> None:
    group = relaxed(group)
    source = emit_source(plan_group(make_group(group, chosen), target(arch)), target(arch))
    declared = re.findall(r'^extern "C" __aicore__ void (\w+)\(uint64_t args_offset\);$', source, re.M)
    called = set(re.findall(r"^\s+(\w+)\(\d+\);$", source, re.M))
    assert len(set(declared)) == len(declared)
    assert called <= set(declared)
    wanted = {str(kernel.symbols[kind]) for kernel in group for kind in kernel.kernel_type.kinds}
    assert wanted <= set(declared)


@pytest.mark.parametrize("text", ["if (a) {", "if (a) { b(; }", "if (a) {}\nb();\nelse {}", "#if 1\n", "a[0)];"])
def test_the_check_for_closed_forms_sees_open_ones(text: str) -> None:
    assert not is_closed(text)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 64])
def test_the_copy_is_chosen_by_core_id_among_all_of_them(count: int) -> None:
    source = emit_source(make_plan([make_kernel()], Options(split_mode=count)), target())
    assert len(re.findall(r"^    *op_aiv\w*\(1\);$", source, re.M)) == count
    assert len(re.findall(r"preload\(\(const void \*\)op_aiv", source)) == count
    assert f"get_coreid() % {count}" in source if count > 1 else "get_coreid" not in source
    assert source.count("default:") == (2 if count > 1 else 0)
    cases = [int(number) for number in re.findall(r"case (\d+):", source)]
    assert cases == [*range(count - 1), *range(count - 1)]


@pytest.mark.parametrize(("split", "after", "debug"), list(product([1, 4], [False, True], [False, True])))
@pytest.mark.parametrize("arch", ARCHES)
def test_a_fed_call_ends_on_working_cores_and_is_joined_by_idle_ones(
    split: int, after: bool, debug: bool, arch: str
) -> None:
    narrow = make_kernel(blocks=2, full_sync=True, cleaning=CacheCleaning(after=after))
    chosen = Options(feed_sync_all=True, split_mode=split, debug_dcci_all=debug)
    source = emit_source(make_plan([narrow, make_kernel(blocks=4)], chosen, arch), target(arch))
    assert is_closed(source)
    assert source.count("SuperKernelAutoSyncAllEndImpl();") == 1
    assert source.count("SuperKernelAutoSyncAllComplementImpl();") == 1
    end, other = source.index("EndImpl"), source.index("ComplementImpl")
    assert re.fullmatch(r"EndImpl\(\);\s*\} else \{\s*AscendC::SuperKernelAutoSyncAll", source[end:other])
    gate = source.rindex("GetBlockIdx() < 2", 0, end)
    assert len(re.findall(r"op_aiv\w*\(\d\);", source[gate:end])) == split


@pytest.mark.parametrize("arch", ARCHES)
def test_profiling_is_there_when_it_is_asked_for_and_only_then(arch: str) -> None:
    plain = emit_source(make_plan([make_kernel()], arch=arch), target(arch))
    marked = emit_source(make_plan([make_kernel()], Options(profiling=True), arch), target(arch))
    assert "SkProfile" not in plain
    # One definition, one opening record, and begin and end of the whole and of the operator.
    assert marked.count("SkProfile(") == 6
    words = re.findall(r"(0x[0-9a-f]+)UL\);", marked)
    assert [int(word, 16) for word in words] == [0, 1 << 32 | 8 << 8, 1 << 32 | 1 << 12 | 8 << 8, 1 << 12]


@pytest.mark.parametrize(
    ("align", "text"), [(0, None), (2, "aligned(2)"), (256, "aligned(256)"), (512, "aligned(512)")]
)
def test_only_the_entry_is_aligned_and_zero_leaves_it_to_the_compiler(align: int, text: str | None) -> None:
    source = emit_source(make_plan([make_kernel()], Options(func_align=align)), target())
    lines = [line for line in source.splitlines() if "aligned(" in line]
    assert len(lines) == (text is not None)
    assert all(text in line and "auto_gen_sk_kernel(void)" in line for line in lines if text)


@pytest.mark.parametrize("kernel_type", TYPES, ids=lambda kernel_type: kernel_type.name)
@pytest.mark.parametrize("arch", ARCHES)
def test_there_is_one_program_and_one_metadata_object_for_each_kind_that_runs(
    kernel_type: KernelType, arch: str
) -> None:
    plan = make_plan([make_kernel(kernel_type, 2)], arch=arch)
    source = emit_source(plan, target(arch))
    ratio = plan.shape.kernel_type.cores_per_block
    for kind in CoreKind:
        assert (f"if ASCEND_IS_{kind.name} {{" in source) == (kind in kernel_type.kinds)
        section = f'section(".ascend.meta.{entry_symbol(plan, kind)}")'
        assert (section in source) == (kind in kernel_type.kinds)
    main = "AIV" if kernel_type.kinds == (CoreKind.AIV,) else "AIC"
    tails = re.findall(r"K_TYPE_MIX_(\w+)_MAIN.*\n.*}, (\d), (\d) }", source)
    assert set(tails) == {(main, str(ratio.aic), str(ratio.aiv))}


def test_d06_the_sync_engine_gets_its_address_only_where_there_is_one() -> None:
    assert "set_ffts_base_addr" in emit_source(make_plan([make_kernel()], arch="dav-2201"), target("dav-2201"))
    assert "set_ffts_base_addr" not in emit_source(make_plan([make_kernel()], arch="dav-3510"), target("dav-3510"))


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("kernel_type", TYPES, ids=lambda kernel_type: kernel_type.name)
def test_d06_waits_take_the_form_of_the_chip(arch: str, kernel_type: KernelType) -> None:
    mixed = [make_kernel(kernel_type, name="a"), make_kernel(KernelType.AIC_ONLY, name="b"), make_kernel(name="c")]
    source = emit_source(make_plan(mixed, arch=arch), target(arch))
    waits = re.findall(r"wait_flag_dev\(([^)]*)\)", source)
    assert waits
    assert all(wait.startswith("PIPE_S, ") == (arch == "dav-3510") for wait in waits)


@pytest.mark.parametrize("arch", ARCHES)
def test_a_signal_of_cube_cores_follows_their_output_and_one_of_vector_cores_their_stores(arch: str) -> None:
    kinds = [
        make_kernel(KernelType.AIC_ONLY, name="a"),
        make_kernel(name="b"),
        make_kernel(name="c"),
        make_kernel(KernelType.AIC_ONLY, name="d"),
        make_kernel(KernelType.AIC_ONLY, name="e"),
    ]
    source = emit_source(make_plan(kinds, arch=arch), target(arch))
    pipe_of = {
        flag: pipe for pipe, flag in re.findall(r"sync\((\w+), AscendC::GetffstMsg\(\d, AscendC::(\w+)\)", source)
    }
    assert pipe_of == {
        "SYNC_AIC_FLAG": "PIPE_FIX",
        "SYNC_AIC_AIV_FLAG": "PIPE_FIX",
        "SYNC_AIV_ONLY_ALL": "PIPE_MTE3",
        "SYNC_AIV_FLAG": "PIPE_MTE3",
    }


# Templates


MACROS = (
    "group_sync_aic", "group_sync_aiv", "signal_aic_to_aiv", "await_aic_to_aiv", "signal_aiv_to_aic",
    "await_aiv_to_aic",
)  # fmt: skip
STEP_OF: dict[str, tuple[CoreKind, Step]] = dict(
    zip(
        MACROS,
        (
            (CoreKind.AIC, GroupSync(CoreKind.AIC)),
            (CoreKind.AIV, GroupSync(CoreKind.AIV)),
            (CoreKind.AIC, Signal(Channel.AIC_TO_AIV)),
            (CoreKind.AIV, Await(Channel.AIC_TO_AIV)),
            (CoreKind.AIV, Signal(Channel.AIV_TO_AIC)),
            (CoreKind.AIC, Await(Channel.AIV_TO_AIC)),
        ),
        strict=True,
    )
)


@pytest.mark.parametrize("name", MACROS)
def test_a_target_without_a_macro_is_an_error_that_names_it_and_the_file(name: str) -> None:
    made = target()
    steps = made.templates["steps.j2"].replace(f"macro {name}(", f"macro no_{name}(")
    broken = replace(made, templates={**made.templates, "steps.j2": steps})
    kind, step = STEP_OF[name]
    plan = make_plan([make_kernel(KernelType.MIX_AIC_1_2)])
    programs = PerKind.of(lambda each: Program((step,)) if each is kind else Program())
    with pytest.raises(EmitError, match=f"dav-2201: no template for '{name}'.*steps.j2"):
        emit_source(replace(plan, programs=programs), broken)


class UnheardOf:
    """A step that no emitter knows."""


def test_a_step_that_the_source_cannot_express_is_an_error_that_names_it() -> None:
    plan = make_plan([make_kernel()])
    programs = PerKind(Program(), Program((UnheardOf(),)))  # type: ignore[arg-type]
    with pytest.raises(EmitError, match="UnheardOf"):
        emit_source(replace(plan, programs=programs), target())


def test_a_name_that_a_template_misspells_is_an_error_and_no_empty_text() -> None:
    made = target()
    steps = made.templates["steps.j2"] + "{% macro full_sync() %}{{ missspelt }}{% endmacro %}"
    broken = replace(made, templates={**made.templates, "steps.j2": steps})
    plan = make_plan([make_kernel(KernelType.MIX_AIC_1_2)])
    with pytest.raises(EmitError, match="missspelt"):
        emit_source(replace(plan, programs=PerKind(Program((FullSync(),)), Program())), broken)


def test_a_targets_own_macro_comes_before_the_common_one() -> None:
    made = target()
    steps = made.templates["steps.j2"] + "{% macro full_sync() %}my_sync();{% endmacro %}"
    own = replace(made, templates={**made.templates, "steps.j2": steps})
    plan = make_plan([make_kernel(KernelType.MIX_AIC_1_2), make_kernel(KernelType.MIX_AIC_1_2)])
    assert "my_sync();" in emit_source(plan, own)


# Macros of the compilation


def macros(plan: Plan, kind: CoreKind, arch: str = "dav-2201") -> set[str]:
    return {macro.partition("=")[0] for macro in source_macros(plan, target(arch), kind)}


@pytest.mark.parametrize("kind", CoreKind)
def test_each_kind_gets_its_own_entry_symbol(kind: CoreKind) -> None:
    plan = make_plan([make_kernel(KernelType.MIX_AIC_1_2)])
    assert f"auto_gen_sk_kernel=sk_mix_{kind.value}" in source_macros(plan, target(), kind)


def test_early_start_macros_follow_the_option() -> None:
    early = {"__ASCENDC_ENABLE_SET_NEXT_TASK_START", "__ASCENDC_ENABLE_WAIT_PRE_TASK_END"}
    assert early <= macros(make_plan([make_kernel()]), CoreKind.AIV)
    off = make_plan([make_kernel()], Options(early_start=EarlyStart.OFF))
    assert not early & macros(off, CoreKind.AIV)


def test_the_feed_macro_follows_the_option() -> None:
    macro = "__ASCENDC_SUPERKERNEL_AUTO_SYNC_ALL__"
    assert macro in macros(make_plan([make_kernel()], Options(feed_sync_all=True)), CoreKind.AIV)
    assert macro not in macros(make_plan([make_kernel()]), CoreKind.AIV)


@pytest.mark.parametrize("kernel_type", TYPES, ids=lambda kernel_type: kernel_type.name)
@pytest.mark.parametrize("arch", ARCHES)
def test_the_ratio_macros_follow_the_shape(kernel_type: KernelType, arch: str) -> None:
    plan = make_plan([make_kernel(kernel_type)], arch=arch)
    found = macros(plan, kernel_type.kinds[0], arch)
    assert ("__MIX_CORE_MACRO__" in found) == (len(kernel_type.kinds) == 2)
    one_to_one = kernel_type is KernelType.MIX_AIC_1_1
    assert ("__MIX_CORE_AIC_RATION__" in found) == one_to_one
    assert ("__ASCENDC_DAVID_SPLIT_CORE__" in found) == (one_to_one and arch == "dav-3510")


@pytest.mark.parametrize(
    ("pair", "code"),
    list(zip(product(OperatorClass, OperatorClass), [0, 1, 2, 4, 5, 6, 8, 9, 10], strict=True)),
)
def test_the_early_start_codes_are_those_of_the_specification(
    pair: tuple[OperatorClass, OperatorClass], code: int
) -> None:
    assert pair_code(*pair) == code


def test_a_preload_of_several_units_says_how_many() -> None:
    plan = make_plan([make_kernel(text_bytes=9000)], Options(split_mode=1))
    units = [step.units for step in plan.programs.aiv if isinstance(step, Preload)]
    assert units == [5]
    assert "preload((const void *)op_aiv, 5);" in emit_source(plan, target())
