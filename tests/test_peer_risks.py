# Licensed under the Apache License, Version 2.0.
"""The risks of the peer (spec jit §16.2), in its order: for each at least one test that shows the right behaviour."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from skcore.build.elf import read_object
from skcore.build.superkernel import superkernel_unit
from skcore.check import check_plan
from skcore.check.needs import required_orders
from skcore.emit.source import emit_source
from skcore.errors import ObjectError, PlanError
from skcore.frontends.op_list import read_op_list
from skcore.fuse import fuse
from skcore.graph.kernel import CoreKind, EarlyStartCalls, KernelType
from skcore.options import Options
from skcore.plan.orders import Cause, order_group
from skcore.plan.plan import Plan
from skcore.plan.planner import plan_group
from skcore.plan.preload import preload_units
from skcore.plan.steps import (
    Await,
    AwaitTiling,
    Call,
    Channel,
    ClearSlot,
    EarlySet,
    EarlyWait,
    FullSync,
    GroupSync,
    Notify,
    Preload,
    Signal,
    WaitEvent,
)
from tests.builders import ARCHES, make_kernel, make_tiled_kernel, op_entry, plugins, target, write_kernel
from tests.check.damage import random_group, refusal
from tests.stream_plans import Events, kernels_of, planned, steps_of, without, without_step

A, V, M = KernelType.AIC_ONLY, KernelType.AIV_ONLY, KernelType.MIX_AIC_1_2
PAIRS = list(product(ARCHES, product((A, V, M), repeat=2)))
SYNCS = (GroupSync, FullSync, Signal, Await)


def body_of(source: str, kind: CoreKind) -> str:
    """The function of one core kind in a source."""
    begin = source.index(f"_kernel_{kind.value}(GM_ADDR *param_base)")
    return source[begin : source.index("\n}\n", begin)]


# An unknown tiling key; two tiling-sink operators after each other


@pytest.mark.parametrize(("arch", "keys"), list(product(ARCHES, [(7,), (7, 9), (7, 9, 30)])))
def test_a_key_that_is_none_of_the_table_traps_however_many_there_are(arch: str, keys: tuple[int, ...]) -> None:
    plan = planned([make_tiled_kernel(V, keys)], "0", {}, {}, arch, Options(split_mode=1))
    source = emit_source(plan, target(arch))
    assert [int(key) for key in re.findall(r"case (\d+)UL:", source)] == list(keys)
    assert re.findall(r"default:\s*trap\(\);", source) == re.findall("default:.*?;", source, re.DOTALL)
    assert source.count("trap();") == 1


@pytest.mark.parametrize("arch", ARCHES)
def test_each_operator_begins_without_the_code_that_another_one_chose(arch: str) -> None:
    kernel = make_tiled_kernel(V)
    source = emit_source(planned([kernel, kernel], "00", {}, {}, arch), target(arch))
    for op in (0, 1):
        cleared, chosen = source.index(f"uint64_t code_{op} = 0;"), source.index(f"code_{op} = (uint64_t)")
        called = source.index(f"((void (*)(uint64_t))code_{op})")
        assert cleared < chosen < called
        assert source.count(f"((void (*)(uint64_t))code_{op})") == 1


# A runtime block count below that of the SuperKernel


@pytest.mark.parametrize(("arch", "kernel_type"), list(product(ARCHES, (A, V, M))))
def test_the_block_count_of_the_device_is_the_gate_of_the_call(arch: str, kernel_type: KernelType) -> None:
    plan = planned([make_tiled_kernel(kernel_type)], "0", {}, {}, arch)
    source = emit_source(plan, target(arch))
    for kind in kernel_type.kinds:
        body = body_of(source, kind)
        (gate,) = re.findall(r"if \(([^)]*)\) \{\s*g_super_kernel_dynamic_block_num = \(uint32_t\)blocks_0;", body)
        assert gate == "code_0 != 0 && index_0 < blocks_0"


# The lock word of a tiling


@pytest.mark.parametrize(("arch", "kernel_type"), list(product(ARCHES, (A, V, M))))
def test_the_core_that_polls_the_lock_takes_it_back_before_any_other_core_goes_on(
    arch: str, kernel_type: KernelType
) -> None:
    plan = planned([make_tiled_kernel(kernel_type)], "0", {}, {}, arch)
    (found,) = steps_of(plan, AwaitTiling)
    slot = plan.layout.slots.index(next(each for each in plan.layout.slots if each.name == "tiling-lock"))
    body = body_of(emit_source(plan, target(arch)), found[0])
    gate = body[body.index("== 0) {") : body.index("\n    }\n", body.index("while (*lock != 1);"))]
    assert f"param_base[{slot}]" in gate
    assert gate.index("while (*lock != 1);") < gate.index("*lock = 0;") < gate.rindex("dcci(lock,")
    assert f"param_base[{slot}]" not in body.replace(gate, "")


# Notifications


@pytest.mark.parametrize(("arch", "types"), PAIRS)
def test_a_notification_of_an_operator_that_nothing_inside_waits_for_is_told_of_all_its_cores(
    arch: str, types: tuple[KernelType, ...]
) -> None:
    plan = planned(kernels_of(*types), "01", {0: (7,)}, {}, arch)
    speaker, place, _ = steps_of(plan, Notify)[0]
    guards = [(kind, number) for kind, number, _ in steps_of(plan, SYNCS) if kind is not speaker or number < place]
    assert {kind for kind, _ in guards} == set(types[0].kinds)
    for kind, number in guards:
        with pytest.raises(PlanError):
            check_plan(without_step(plan, kind, number), target(arch))


# Wait words


@pytest.mark.parametrize(("arch", "kernel_type"), list(product(ARCHES, (A, V, M))))
def test_a_word_that_was_waited_for_is_cleared_in_memory_by_the_core_that_read_it(
    arch: str, kernel_type: KernelType
) -> None:
    plan = planned(kernels_of(V, kernel_type), "01", {}, {1: (7,)}, arch)
    (waited,), (cleared,) = steps_of(plan, WaitEvent), steps_of(plan, ClearSlot)
    assert waited[0] is cleared[0]
    texts = body_of(emit_source(plan, target(arch)), cleared[0]).split("\n    // ")[1:]
    wait, clear = texts[waited[1]], texts[cleared[1]]
    gates = [re.findall(r"if \((.*) == 0\).*param_base\[(\d+)\]", text, re.DOTALL) for text in (wait, clear)]
    assert gates[0] == gates[1]
    assert re.search(r"\*lock = 0;\s*dcci\(lock, cache_line_t::SINGLE_CACHE_LINE, dcci_dst_t::CACHELINE_OUT\);", clear)


# Early-start calls in several streams


CALLS = [EarlyStartCalls(sets, waits) for sets, waits in product((False, True), repeat=2)]


@pytest.mark.parametrize(("arch", "types"), PAIRS)
def test_flags_of_kernels_that_call_early_in_two_streams_are_balanced(arch: str, types: tuple[KernelType, ...]) -> None:
    for first, second in product(CALLS, repeat=2):
        kernels = [
            replace(kernel, early_start=calls)
            for kernel, calls in zip(kernels_of(*types, *types), (first, second, second, first), strict=True)
        ]
        plan = planned(kernels, "0110", {1: (5,)}, {3: (5,)}, arch)
        for kind, number, _ in steps_of(plan, (EarlySet, EarlyWait)):
            with pytest.raises(PlanError):
                check_plan(without_step(plan, kind, number), target(arch))


# Signals: none too many, and never more in flight than a counter holds


def number_of_syncs(plan: Plan) -> int:
    return len(steps_of(plan, SYNCS))


@pytest.mark.parametrize(("arch", "types"), list(product(ARCHES, product((A, V, M), repeat=3))))
def test_an_event_that_others_imply_by_way_of_the_other_kind_costs_nothing(
    arch: str, types: tuple[KernelType, ...]
) -> None:
    direct: tuple[Events, Events] = ({0: (1,), 1: (2,)}, {1: (1,), 2: (2,)})
    implied: tuple[Events, Events] = ({0: (1, 3), 1: (2,)}, {1: (1,), 2: (2, 3)})
    plans = [planned(kernels_of(*types), "012", *events, arch) for events in (direct, implied)]
    assert number_of_syncs(plans[0]) == number_of_syncs(plans[1])


LONG = 200


@pytest.mark.parametrize(("arch", "types"), list(product(ARCHES, [(A, V), (V, A), (M, V), (A, M)])))
def test_two_hundred_operators_of_two_streams_never_signal_further_ahead_than_a_counter_holds(
    arch: str, types: tuple[KernelType, KernelType]
) -> None:
    plan = long_plan(arch, types)
    assert refusal(plan, target(arch)) == ""
    for kind, number, _ in steps_of(plan, Signal)[:: LONG // 8]:
        assert refusal(without_step(plan, kind, number), target(arch))
    for kind in {kind for kind, _, _ in steps_of(plan, GroupSync)}:
        assert refusal(without(plan, kind, GroupSync), target(arch))


def long_plan(arch: str, types: tuple[KernelType, KernelType]) -> Plan:
    """Pairs of operators of which the second waits for the first; each waits for something outside, so that it stays
    where it is in the list, and one calls early, so that nothing is interleaved anew.
    """
    kernels = [make_kernel(types[op % 2], 2, f"k{op}") for op in range(LONG)]
    kernels[-1] = replace(kernels[-1], early_start=EarlyStartCalls(sets=True))
    sends: Events = {op: (op,) for op in range(0, LONG, 2)}
    receives = {op: (*((op - 1,) if op % 2 else ()), 1000 + op) for op in range(LONG)}
    return planned(kernels, "01" * (LONG // 2), sends, receives, arch)


@pytest.mark.parametrize("arch", ARCHES)
def test_where_signals_would_run_further_ahead_than_the_counter_an_answer_is_put_in(arch: str) -> None:
    plan = long_plan(arch, (A, V))
    answers = [
        (kind, number)
        for kind, number, step in steps_of(plan, (Signal, Await))
        if isinstance(step, Signal | Await) and step.channel is Channel.AIV_TO_AIC
    ]
    limit = target(arch).flags.counter_limit
    assert LONG // limit <= len(answers) < LONG
    for kind, number in sorted(answers, key=lambda each: -each[1]):
        plan = without_step(plan, kind, number)
    assert f"may reach {limit + 1}, the counter ends at its limit" in refusal(plan, target(arch))


@pytest.mark.parametrize(("arch", "seed"), list(product(ARCHES, range(40))))
def test_any_plan_fits_small_counters_too(arch: str, seed: int) -> None:
    rng = random.Random(seed)
    count = 40
    types = [rng.choice([A, A, V, M]) for _ in range(count)]
    calls = [rng.choice(CALLS) if rng.random() < 0.2 else EarlyStartCalls() for _ in range(count)]
    kernels = [
        replace(make_kernel(each, 2, f"k{op}"), early_start=early)
        for op, (each, early) in enumerate(zip(types, calls, strict=True))
    ]
    streams = "".join("0" if each is A else rng.choice("12") for each in types)
    senders = [op for op in range(count - 1) if rng.random() < 0.5]
    receives: Events = {op: (1000 + op,) for op in range(count) if rng.random() < 0.5}
    for op in senders:
        later = rng.randrange(op + 1, min(op + 4, count))
        receives[later] = (*receives.get(later, ()), op)
    planned(kernels, streams, {op: (op,) for op in senders}, receives, arch, limit=4)


# Notifications and the neighbour in the list


@pytest.mark.parametrize("arch", ARCHES)
def test_who_stands_behind_a_notifying_operator_in_the_list_does_not_wait_for_it(arch: str) -> None:
    plan = planned(kernels_of(M, A), "01", {0: (7,)}, {}, arch)
    assert list(required_orders(plan)) == []
    assert order_group(plan.group).orders == ()
    steps = list(plan.programs.aic)
    called = next(number for number, step in enumerate(steps) if isinstance(step, Call) and step.op == 1)
    assert not any(isinstance(step, Await | FullSync) for step in steps[:called])


# Preload


@pytest.mark.parametrize(("arch", "kernel_type"), list(product(ARCHES, (A, V))))
def test_no_preload_is_longer_than_the_instruction_cache_of_its_kind(arch: str, kernel_type: KernelType) -> None:
    made = target(arch)
    (kind,) = kernel_type.kinds
    kernel = make_kernel(kernel_type, text_bytes=1_000_000, compiled=False)
    units = preload_units(kernel, kind, made.preload)
    assert 0 < units * made.preload.unit_bytes <= made.core(kind).icache_bytes


@pytest.mark.parametrize(("arch", "kernel_type"), list(product(ARCHES, (A, V, M))))
def test_nothing_is_loaded_for_a_kernel_without_code(arch: str, kernel_type: KernelType) -> None:
    plan = planned([make_kernel(kernel_type, 2, text_bytes=0)] * 2, "00", {}, {}, arch)
    assert steps_of(plan, Preload) == []
    assert "preload(" not in emit_source(plan, target(arch))


# Polling


@pytest.mark.parametrize(("arch", "kernel_type"), list(product(ARCHES, KernelType)))
def test_one_core_polls_for_a_tiling_and_the_others_stop_at_a_flag(arch: str, kernel_type: KernelType) -> None:
    plan = planned([make_tiled_kernel(kernel_type)], "0", {}, {}, arch)
    source = emit_source(plan, target(arch))
    assert source.count("while (") == 1
    loop = source.index("do {")
    assert source.rindex("if (AscendC::GetBlockIdx() == 0) {", 0, loop) > source.rindex("// ", 0, loop)


# A boundary with an event that needs no word


@pytest.mark.parametrize(("arch", "types"), PAIRS)
def test_a_boundary_with_an_empty_wait_has_the_synchronisation_of_one_without_a_wait(
    arch: str, types: tuple[KernelType, ...]
) -> None:
    waiting = planned(kernels_of(*types), "01", {0: (7,)}, {1: (7,)}, arch)
    plain = planned(kernels_of(*types), "00", {}, {}, arch)
    assert steps_of(waiting, SYNCS) == steps_of(plain, SYNCS)
    assert steps_of(waiting, (WaitEvent, Notify, ClearSlot)) == []


# Equal names


def two_of_one_name(arch: str) -> Plan:
    first = make_tiled_kernel(V, (3, 40), name="one")
    second = make_tiled_kernel(V, (3, 8), name="two", text_bytes=400)
    return planned([replace(kernel, name="same") for kernel in (first, second)], "00", {}, {}, arch)


@pytest.mark.parametrize("arch", ARCHES)
def test_operators_of_one_name_and_different_keys_have_a_switch_of_their_own(arch: str) -> None:
    source = emit_source(two_of_one_name(arch), target(arch))
    switches = [part.split("trap()")[0] for part in source.split("switch (*(__gm__ uint64_t *)")[1:]]
    assert [re.findall(r"case (\d+)UL:", switch) for switch in switches] == [["3", "40"], ["3", "8"]]
    assert ["one_" in switch for switch in switches] == [True, False]
    assert ["two_" in switch for switch in switches] == [False, True]


@pytest.mark.parametrize("arch", ARCHES)
def test_operators_of_one_name_and_different_keys_have_code_of_their_own(arch: str) -> None:
    objects = superkernel_unit(two_of_one_name(arch), target(arch)).objects.aiv
    found = [name for copy in objects for name in read_object(copy.data, copy.label).exports]
    expected = [f"{name}_aiv" for name in ("one_3", "one_40", "two_3", "two_8")]
    copies = [f"{name}{copy}" for name in expected for copy in ("", "_split1", "_split2", "_split3")]
    assert sorted(found) == sorted(copies)


@pytest.mark.parametrize("arch", ARCHES)
def test_one_object_serves_operators_that_choose_by_different_keys(arch: str) -> None:
    whole = make_tiled_kernel(V, (3, 8, 40))
    kernels = [replace(whole, tiling=whole.tiling[:2]), replace(whole, tiling=whole.tiling[1:])]
    plan = planned(kernels, "00", {}, {}, arch, Options(split_mode=2))
    objects = superkernel_unit(plan, target(arch)).objects.aiv
    found = [name for copy in objects for name in read_object(copy.data, copy.label).exports]
    assert sorted(found) == sorted(f"tiled_{key}_aiv{copy}" for key in (3, 8, 40) for copy in ("", "_split1"))


@pytest.mark.parametrize("keys", [(3, 40), (3, 8), (3,)])
def test_operators_whose_different_objects_define_one_symbol_are_refused(keys: tuple[int, ...]) -> None:
    kernels = [make_tiled_kernel(V), make_tiled_kernel(V, keys, text_bytes=400)]
    with pytest.raises(ObjectError, match="'tiled_3_aiv' is also defined by another object, tiled.o"):
        superkernel_unit(planned(kernels, "00", {}, {}, "dav-2201"), target())


def test_an_event_that_two_operators_send_is_refused_and_names_both(tmp_path: Path) -> None:
    for name in ("add", "mul", "sub"):
        write_kernel(tmp_path, name)
    entries = [
        op_entry(tmp_path, "add", send_event_list=[7]),
        op_entry(tmp_path, "mul", send_event_list=[7]),
        op_entry(tmp_path, "sub", recv_event_list=[7], stream_id=1),
    ]
    document = {"op_list": entries, "super_kernel_options": "stream-fusion=1"}
    with pytest.raises(PlanError, match="mul_1 sends event 7, and so does add_0"):
        fuse(read_op_list(document, target(), "input"), target(), plugins())


# A pair that a stream and an event connect


@pytest.mark.parametrize(("arch", "types"), PAIRS)
def test_a_pair_that_a_stream_and_an_event_connect_has_both_orders_and_pays_once(
    arch: str, types: tuple[KernelType, ...]
) -> None:
    both = planned(kernels_of(*types), "00", {0: (7,)}, {1: (7,)}, arch)
    causes = {(order.before, order.after, order.cause) for order in order_group(both.group).orders}
    assert causes == {(0, 1, Cause.STREAM), (0, 1, Cause.EVENT)}
    assert steps_of(both, SYNCS) == steps_of(planned(kernels_of(*types), "00", {}, {}, arch), SYNCS)


# Each kind synchronises in its own way


@pytest.mark.parametrize(("arch", "seed"), list(product(ARCHES, range(30))))
def test_no_core_is_given_a_synchronisation_of_the_other_kind(arch: str, seed: int) -> None:
    rng = random.Random(seed)
    while True:
        try:
            plan = plan_group(random_group(rng, most_operators=8), target(arch))
            break
        except PlanError:
            continue
    source = emit_source(plan, target(arch))
    foreign = {
        CoreKind.AIC: ("PIPE_MTE3", "SYNC_AIV_ONLY_ALL"),
        CoreKind.AIV: ("PIPE_FIX", "SYNC_AIC_FLAG"),
    }
    for kind, program in plan.programs:
        assert all(step.kind is kind for step in program if isinstance(step, GroupSync))
        if plan.shape.cores[kind]:
            assert not any(name in body_of(source, kind) for name in foreign[kind])
