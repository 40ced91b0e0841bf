# Licensed under the Apache License, Version 2.0.
"""The argument array: spec jit §9."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skcore.graph.kernel import SubKernel
from skcore.options import Options
from skcore.plan.layout import Role, layout_arguments
from tests.builders import ARCHES, kernels, make_group, make_kernel, options, target


@given(st.lists(kernels(), min_size=1, max_size=8), options(), st.booleans(), st.sampled_from(ARCHES))
def test_every_index_has_one_owner(group: list[SubKernel], chosen: Options, workspace: bool, arch: str) -> None:
    layout = layout_arguments(make_group(group, chosen), target(arch), workspace=workspace)
    owners = [(slot.role, slot.op, slot.position) for slot in layout.slots]
    assert len(set(owners)) == len(owners)
    assert [layout.index(*owner) for owner in owners] == list(range(len(owners)))


@given(st.lists(kernels(), min_size=1, max_size=8), options(), st.booleans(), st.sampled_from(ARCHES))
def test_the_words_stand_in_the_order_of_the_specification(
    group: list[SubKernel], chosen: Options, workspace: bool, arch: str
) -> None:
    layout = layout_arguments(make_group(group, chosen), target(arch), workspace=workspace)
    head = len(target(arch).argument_head)
    start = head
    for op, kernel in enumerate(group):
        assert layout.parameters[op] == start
        words = layout.slots[start : start + len(kernel.parameters)]
        assert [slot.name for slot in words] == list(kernel.parameters)
        start += len(kernel.parameters)
    tail = [Role.WORKSPACE] * workspace + [Role.PROFILING, Role.TASK_ID] * chosen.profiling
    assert [slot.role for slot in layout.slots[:head]] == [Role.HEAD] * head
    assert [slot.role for slot in layout.slots[start:]] == tail


def test_the_first_operator_comes_after_the_address_of_the_sync_engine_where_there_is_one() -> None:
    group = make_group([make_kernel(), make_kernel(), make_kernel()])
    assert layout_arguments(group, target("dav-2201"), workspace=False).parameters == (1, 4, 7)
    assert layout_arguments(group, target("dav-3510"), workspace=False).parameters == (0, 3, 6)


def test_profiling_and_workspace_never_share_a_word() -> None:
    group = make_group([make_kernel()], Options(profiling=True))
    layout = layout_arguments(group, target("dav-2201"), workspace=True)
    assert [layout.index(role) for role in (Role.WORKSPACE, Role.PROFILING, Role.TASK_ID)] == [4, 5, 6]


def test_a_word_that_is_not_there_cannot_be_asked_for() -> None:
    layout = layout_arguments(make_group([make_kernel()]), target(), workspace=False)
    with pytest.raises(KeyError, match="workspace"):
        layout.index(Role.WORKSPACE)
