# Licensed under the Apache License, Version 2.0.
"""Who fuses with whom, and why the others do not: scenarios AOT-01 to AOT-06 and GE-02."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skcore.errors import PlanError
from skcore.graph.kernel import KernelType, SubKernel
from skcore.graph.task import EventWait, KernelTask, OtherTask, Scope, Task, describe
from skcore.options import EarlyStart, Options, ScopeCheck
from skcore.plan.eligibility import residency_finding, shape_findings
from skcore.plan.grouping import Grouping, group_tasks, scope_of
from skcore.plan.planner import plan_group
from skcore.plan.shape import need_of, override_shape
from skcore.report.reasons import REASONS
from skcore.target import Target
from tests.builders import ARCHES, TYPES, kernels, make_graph, make_kernel, make_task, small_target, target

AIV, AIC, M12 = KernelType.AIV_ONLY, KernelType.AIC_ONLY, KernelType.MIX_AIC_1_2


def full(kernel_type: KernelType, blocks: int) -> SubKernel:
    return make_kernel(kernel_type, blocks, full_sync=True)


def group(
    tasks: Sequence[Task], options: Options | None = None, where: Target | None = None, scope: str = "s"
) -> Grouping:
    chosen = {} if options is None else {scope: options}
    return group_tasks(make_graph(tasks), where or target(), chosen)


def chain(*run: SubKernel | None, stream: int = 0) -> list[Task]:
    """One task a kernel in the scope ``s``, named K0, K1 and so on."""
    return [make_task(number, kernel, stream=stream) for number, kernel in enumerate(run)]


def members(grouping: Grouping) -> list[list[str]]:
    return [[operator.name for operator in found.operators] for found in grouping.groups]


def left(grouping: Grouping) -> list[tuple[str, str]]:
    return [(getattr(item.task, "name", type(item.task).__name__), item.finding.key) for item in grouping.left_out]


def cuts(grouping: Grouping) -> list[tuple[str, str, list[str]]]:
    return [(cut.before.name, cut.finding.key, [describe(cause) for cause in cut.causes]) for cut in grouping.cuts]


# Scopes


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], (None, "not-in-scope")),
        (["a"], ("a", "")),
        (["a", "b"], ("b", "")),
        ([None], (None, "never-fuse")),
        (["a", None], (None, "never-fuse")),
        ([None, "a"], (None, "never-fuse")),
        (["a", None, "b"], (None, "never-fuse")),
        ([None, "a", "b"], (None, "never-fuse")),
    ],
)
def test_the_innermost_scope_counts_and_none_wins_at_any_nesting(
    names: list[str | None], expected: tuple[str | None, str]
) -> None:
    task = OtherTask(id=0, name="t", scopes=tuple(Scope(name) for name in names))
    assert scope_of(task) == expected


def test_aot_01_two_operators_of_a_scope_become_one_super_kernel() -> None:
    grouping = group(chain(make_kernel(AIV, 8), make_kernel(AIV, 8)))
    assert members(grouping) == [["K0", "K1"]]
    assert grouping.left_out == ()
    assert grouping.cuts == ()


def test_aot_02_operators_outside_the_scope_stay_outside() -> None:
    tasks = [make_task(number, make_kernel(), "a" if number in (1, 2) else "") for number in range(4)]
    grouping = group(tasks)
    assert members(grouping) == [["K1", "K2"]]
    assert left(grouping) == [("K0", "not-in-scope"), ("K3", "not-in-scope")]


def test_aot_19_an_inner_scope_divides_the_outer_one() -> None:
    inner = KernelTask(id=1, name="K1", kernel=make_kernel(), scopes=(Scope("a"), Scope("b")))
    grouping = group([make_task(0, make_kernel(), "a"), inner, make_task(2, make_kernel(), "a")])
    assert members(grouping) == [["K0"], ["K1"], ["K2"]]


def test_an_operator_under_none_is_left_out_and_divides_its_scope() -> None:
    never = KernelTask(id=1, name="K1", kernel=make_kernel(), scopes=(Scope("s"), Scope(None)))
    grouping = group([make_task(0, make_kernel()), never, make_task(2, make_kernel())])
    assert members(grouping) == [["K0"], ["K2"]]
    assert left(grouping) == [("K1", "never-fuse")]


def test_two_streams_do_not_share_a_super_kernel_and_do_not_divide_each_other() -> None:
    tasks = [make_task(number, make_kernel(), stream=number % 2) for number in range(6)]
    assert members(group(tasks)) == [["K0", "K2", "K4"], ["K1", "K3", "K5"]]


# Full synchronisation


def test_aot_03_a_full_synchronisation_cuts_before_the_wider_operator() -> None:
    grouping = group(chain(full(AIV, 8), make_kernel(AIV, 16)))
    assert members(grouping) == [["K0"], ["K1"]]
    assert cuts(grouping) == [("K1", "full-sync-cores", ["K0"])]


def test_aot_03_without_the_full_synchronisation_nothing_is_cut() -> None:
    assert len(group(chain(make_kernel(AIV, 8), make_kernel(AIV, 16))).groups) == 1


def test_aot_03_a_full_synchronisation_on_the_widest_operator_cuts_nothing() -> None:
    grouping = group(chain(make_kernel(AIV, 2), full(AIV, 4)))
    assert members(grouping) == [["K0", "K1"]]
    shape = need_of(grouping.groups[0].kernels).shape(target())
    assert shape.blocks == 4


def test_aot_04_full_synchronisations_on_fewer_and_fewer_cores_cut_each_time() -> None:
    grouping = group(chain(full(AIV, 8), full(AIV, 4), full(AIV, 2)))
    assert members(grouping) == [["K0"], ["K1"], ["K2"]]
    assert [cut[0] for cut in cuts(grouping)] == ["K1", "K2"]


def test_aot_06_a_plain_narrow_operator_between_them_cuts_nothing() -> None:
    grouping = group(chain(full(M12, 8), make_kernel(AIV, 2), full(AIV, 8)))
    assert members(grouping) == [["K0", "K1"], ["K2"]]
    assert cuts(grouping) == [("K2", "full-sync-cores", ["K2"])]


def test_feed_sync_all_makes_the_cuts_of_full_synchronisation_unnecessary() -> None:
    grouping = group(chain(full(AIV, 8), full(AIV, 4), full(AIV, 2)), Options(feed_sync_all=True))
    assert members(grouping) == [["K0", "K1", "K2"]]


def test_jit_04_a_narrow_full_synchronisation_fuses_only_with_feed_sync_all() -> None:
    tasks = chain(make_kernel(AIV, 48), full(AIV, 8))
    assert members(group(tasks)) == [["K0"], ["K1"]]
    assert members(group(tasks, Options(feed_sync_all=True))) == [["K0", "K1"]]


def test_a_mixed_full_synchronisation_in_a_one_to_one_super_kernel_is_fed_only_where_the_chip_can() -> None:
    one_to_one = KernelType.MIX_AIC_1_1
    tasks = chain(full(one_to_one, 2), make_kernel(one_to_one, 4))
    fed = Options(feed_sync_all=True)
    assert members(group(tasks, fed, target("dav-2201"))) == [["K0", "K1"]]
    assert cuts(group(tasks, fed, target("dav-3510"))) == [("K1", "feed-sync-form", ["K0"])]


# Operators that cannot fuse


@pytest.mark.parametrize(
    ("kernel", "key"),
    [
        (None, "no-kernel"),
        (make_kernel(supports_fusion=False), "not-relinkable"),
        (make_kernel(blocks=49), "too-many-blocks"),
        (make_kernel(M12, 25), "too-many-blocks"),
        (make_kernel(split_mode=2), "split-mode"),
    ],
    ids=["none", "not-relinkable", "wide-aiv", "wide-mix", "split-mode"],
)
def test_an_operator_that_cannot_fuse_is_left_out_with_its_reason(kernel: SubKernel | None, key: str) -> None:
    grouping = group(chain(make_kernel(), kernel, make_kernel()))
    assert members(grouping) == [["K0"], ["K2"]]
    assert left(grouping) == [("K1", key)]
    assert grouping.left_out[0].scope == "s"


@pytest.mark.parametrize("arch", ARCHES)
def test_an_operator_that_waits_by_channels_of_pairs_makes_the_superkernel_one_to_two(arch: str) -> None:
    waiting = make_kernel(KernelType.AIC_ONLY, 2, waits=True)
    (found,) = group(chain(make_kernel(blocks=1), waiting), where=target(arch)).groups
    tight = target(arch).flags.intra_block
    expected = KernelType.MIX_AIC_1_2 if tight else KernelType.MIX_AIC_1_1
    assert plan_group(found, target(arch)).shape.kernel_type is expected


@pytest.mark.parametrize("arch", ARCHES)
def test_an_operator_that_waits_by_other_flags_than_its_superkernel_starts_another_group(arch: str) -> None:
    waiting = make_kernel(KernelType.MIX_AIC_1_1, 2, waits=True)
    grouping = group(chain(make_kernel(KernelType.MIX_AIC_1_2), waiting), where=target(arch))
    keys = [cut.finding.key for cut in grouping.cuts]
    assert keys == (["early-start-channels"] if target(arch).flags.intra_block else [])


def test_early_start_calls_of_a_compiled_kernel_need_the_option() -> None:
    tasks = chain(make_kernel(sets=True), make_kernel())
    assert left(group(tasks, Options(early_start=EarlyStart.OFF))) == [("K0", "early-start-off")]
    assert left(group(tasks)) == []


def test_a_task_that_is_no_kernel_divides_its_scope() -> None:
    task = OtherTask(id=1, name="copy", scopes=(Scope("s"),))
    grouping = group([make_task(0, make_kernel()), task, make_task(2, make_kernel())])
    assert members(grouping) == [["K0"], ["K2"]]
    assert [item.finding.key for item in grouping.left_out] == ["not-a-kernel"]


def test_a_task_of_another_stream_divides_nothing() -> None:
    tasks: list[Task] = [make_task(0, make_kernel()), EventWait(id=1, event=1, stream=7), make_task(2, make_kernel())]
    assert members(group(tasks)) == [["K0", "K2"]]


def test_operators_that_crowd_the_product_only_together_are_cut() -> None:
    grouping = group(chain(make_kernel(AIC, 2), make_kernel(AIV, 7)), where=small_target(3, 7))
    assert members(grouping) == [["K0"], ["K1"]]
    assert cuts(grouping) == [("K1", "too-many-blocks", ["K1"])]


def test_debug_core_numbers_that_do_not_fit_leave_the_operator_out() -> None:
    grouping = group(chain(make_kernel(AIV, 8), make_kernel(AIV, 4)), Options(debug_aiv_num=4))
    assert left(grouping) == [("K0", "debug-cores")]
    assert members(grouping) == [["K1"]]


# strict-scope-check


def test_abort_names_every_operator_that_cannot_fuse() -> None:
    tasks = chain(make_kernel(), None, make_kernel(), make_kernel(supports_fusion=False))
    with pytest.raises(PlanError) as raised:
        group(tasks, Options(strict_scope_check=ScopeCheck.ABORT))
    assert [problem.where for problem in raised.value.problems] == ["graph:1", "graph:3"]
    assert "K1" in raised.value.problems[0].what
    assert all(problem.remedy for problem in raised.value.problems)


def test_bypass_leaves_the_whole_scope_alone_and_no_other() -> None:
    tasks = [*chain(make_kernel(), None, make_kernel()), make_task(3, make_kernel(), "t")]
    grouping = group(tasks, Options(strict_scope_check=ScopeCheck.BYPASS))
    assert members(grouping) == [["K3"]]
    assert left(grouping) == [("K0", "scope-bypassed"), ("K1", "no-kernel"), ("K2", "scope-bypassed")]


@pytest.mark.parametrize("check", [ScopeCheck.ABORT, ScopeCheck.BYPASS])
def test_a_scope_without_fault_is_not_touched_by_the_check(check: ScopeCheck) -> None:
    tasks = [make_task(0, make_kernel(), ""), *(make_task(number, make_kernel()) for number in (1, 2))]
    assert members(group(tasks, Options(strict_scope_check=check))) == [["K1", "K2"]]


# Properties

SCOPES = ("a", "a b", "a_b", "a_0", "层")


@st.composite
def graphs(draw: st.DrawFn) -> list[Task]:
    tasks: list[Task] = []
    for number in range(draw(st.integers(0, 14))):
        stream = draw(st.integers(0, 1))
        names = draw(st.lists(st.sampled_from([*SCOPES, None]), max_size=2))
        scopes = tuple(Scope(name) for name in names)
        if draw(st.integers(0, 7)) == 0:
            tasks.append(OtherTask(id=number, name=f"K{number}", stream=stream, scopes=scopes))
            continue
        kernel = draw(st.none() | kernels(most_blocks=30)) if draw(st.integers(0, 5)) == 0 else draw(kernels(30))
        tasks.append(KernelTask(id=number, name=f"K{number}", kernel=kernel, stream=stream, scopes=scopes))
    return tasks


FED = st.booleans().map(lambda fed: {name: Options(feed_sync_all=fed) for name in SCOPES})


@given(graphs(), FED, st.sampled_from(ARCHES))
def test_every_task_is_in_exactly_one_group_or_left_out(
    tasks: list[Task], chosen: dict[str, Options], arch: str
) -> None:
    grouping = group_tasks(make_graph(tasks), target(arch), chosen)
    inside = [operator.task.id for found in grouping.groups for operator in found.operators]
    outside = [item.task.id for item in grouping.left_out]
    assert sorted(inside + outside) == [task.id for task in tasks]
    assert outside == sorted(outside)


@given(graphs(), FED)
def test_groups_keep_the_order_of_their_stream_and_nothing_of_it_stands_between(
    tasks: list[Task], chosen: dict[str, Options]
) -> None:
    grouping = group_tasks(make_graph(tasks), target(), chosen)
    first = [found.operators[0].task.id for found in grouping.groups]
    assert first == sorted(first)
    for found in grouping.groups:
        ids = [operator.task.id for operator in found.operators]
        stream = found.operators[0].task.stream
        on_stream = [task.id for task in tasks if task.stream == stream and ids[0] <= task.id <= ids[-1]]
        assert ids == on_stream
        assert {scope_of(operator.task)[0] for operator in found.operators} == {found.scope}


@given(graphs(), FED, st.sampled_from(ARCHES))
def test_no_group_is_unsafe(tasks: list[Task], chosen: dict[str, Options], arch: str) -> None:
    where = target(arch)
    for found in group_tasks(make_graph(tasks), where, chosen).groups:
        need = need_of(found.kernels)
        assert list(shape_findings(found.kernels, need, where, found.options)) == []
        assert residency_finding(override_shape(need, found.options, where)[0], where) is None


@given(graphs(), FED)
def test_names_of_groups_are_unique_identifiers(tasks: list[Task], chosen: dict[str, Options]) -> None:
    names = [found.name for found in group_tasks(make_graph(tasks), target(), chosen).groups]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() and name.isascii() for name in names)


def test_a_numbered_group_never_takes_the_name_of_a_scope() -> None:
    scopes = ["a", None, "a", None, "a_0"]
    tasks = [make_task(number, make_kernel(), scope) for number, scope in enumerate(scopes)]
    names = [found.name for found in group(tasks).groups]
    assert len(set(names)) == 3


def test_a_scope_in_any_script_gives_a_name_that_every_tool_takes() -> None:
    tasks = [make_task(0, make_kernel(), "层"), make_task(1, make_kernel(), "頭")]
    names = [found.name for found in group(tasks).groups]
    assert len(set(names)) == 2
    assert all(name.isascii() and name.isidentifier() for name in names)


def test_long_scope_names_that_differ_at_their_end_give_names_that_files_can_have() -> None:
    tasks = [make_task(number, make_kernel(), "s" * 255 + str(number)) for number in range(2)]
    names = [found.name for found in group(tasks).groups]
    assert len(set(names)) == 2
    assert all(len(f".{name}_kernel.cpp.0123456789abcdef") <= 255 for name in names)


@given(graphs(), FED)
def test_every_cut_and_everything_left_out_has_a_reason_with_a_remedy(
    tasks: list[Task], chosen: dict[str, Options]
) -> None:
    grouping = group_tasks(make_graph(tasks), target(), chosen)
    for finding in [*(item.finding for item in grouping.left_out), *(cut.finding for cut in grouping.cuts)]:
        assert finding.key in REASONS
        assert finding.text
        assert finding.remedy
    for cut in grouping.cuts:
        assert cut.causes


@given(graphs(), FED)
def test_a_cut_was_necessary(tasks: list[Task], chosen: dict[str, Options]) -> None:
    grouping = group_tasks(make_graph(tasks), target(), chosen)
    opened = {found.operators[0].task.id: found for found in grouping.groups}
    ended = {(found.operators[-1].task.stream, found.operators[-1].task.id): found for found in grouping.groups}
    for cut in [each for each in grouping.cuts if each.finding.key != "other-stream"]:
        before = max(key for key in ended if key[0] == cut.before.stream and key[1] < cut.before.id)
        joined = [*ended[before].kernels, opened[cut.before.id].kernels[0]]
        need = need_of(joined)
        options = ended[before].options
        crowded = residency_finding(override_shape(need, options, target())[0], target())
        assert crowded is not None or list(shape_findings(joined, need, target(), options))


@given(graphs(), FED)
def test_ids_do_not_matter(tasks: list[Task], chosen: dict[str, Options]) -> None:
    renumbered: list[Task] = [replace(task, id=1000 - 7 * task.id) for task in tasks]
    first = group_tasks(make_graph(tasks), target(), chosen)
    second = group_tasks(make_graph(renumbered), target(), chosen)
    assert members(first) == members(second)
    assert left(first) == left(second)
    assert [found.name for found in first.groups] == [found.name for found in second.groups]


@given(graphs(), FED)
def test_more_cores_never_make_a_group_unsafe(tasks: list[Task], chosen: dict[str, Options]) -> None:
    for found in group_tasks(make_graph(tasks), small_target(12, 24), chosen).groups:
        need = need_of(found.kernels)
        assert list(shape_findings(found.kernels, need, small_target(30, 60), found.options)) == []


@pytest.mark.parametrize("kernel_type", TYPES, ids=lambda kernel_type: kernel_type.name)
def test_every_kernel_type_can_be_alone_in_a_super_kernel(kernel_type: KernelType) -> None:
    assert members(group(chain(full(kernel_type, 3)))) == [["K0"]]
