# Licensed under the Apache License, Version 2.0.
"""The programs of one stream: calls, marks, cleaning, debug modes (spec jit §5-§6, §10)."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skcore.graph.kernel import CacheCleaning, CoreKind, KernelType, OperatorClass, SubKernel
from skcore.options import Options
from skcore.plan.plan import Plan
from skcore.plan.steps import (
    Call,
    CleanCache,
    EarlySet,
    EarlyWait,
    FullSync,
    GroupSync,
    Index,
    Mark,
    PipeBarrier,
    Profile,
)
from skcore.plan.symbols import code_symbols
from tests.builders import TYPES, kernels, make_kernel, make_plan, plans


@given(plans(most_operators=7))
def test_every_operator_is_called_once_on_each_of_its_kinds_and_in_order(plan: Plan) -> None:
    for kind, program in plan.programs:
        called = [step.op for step in program if isinstance(step, Call)]
        kernels_here = enumerate(plan.group.kernels)
        assert called == [op for op, kernel in kernels_here if kind in kernel.operator_class.kinds]


@given(plans())
def test_a_call_passes_the_first_of_the_operators_own_words(plan: Plan) -> None:
    for _, program in plan.programs:
        for step in program:
            if isinstance(step, Call):
                assert step.argument == plan.layout.parameters[step.op]


@given(plans())
def test_a_vector_operator_counts_cores_and_every_other_counts_blocks(plan: Plan) -> None:
    for _, program in plan.programs:
        for step in program:
            if isinstance(step, Call):
                kernel = plan.group.kernels[step.op]
                vector = kernel.operator_class is OperatorClass.AIV
                assert step.gate.index is (Index.CORE if vector else Index.BLOCK)
                assert step.gate.blocks == kernel.blocks


@pytest.mark.parametrize(("before", "after", "disabled"), list(product([False, True], repeat=3)))
@pytest.mark.parametrize("kernel_type", TYPES, ids=lambda kernel_type: kernel_type.name)
def test_cleaning_stands_around_the_call_unless_it_is_disabled(
    before: bool, after: bool, disabled: bool, kernel_type: KernelType
) -> None:
    plan = make_plan([make_kernel(kernel_type, cleaning=CacheCleaning(before, after, disabled))])
    wanted = [CleanCache] * (before and not disabled) + [Call] + [CleanCache] * (after and not disabled)
    for kind in kernel_type.kinds:
        assert [type(step) for step in plan.programs[kind] if isinstance(step, Call | CleanCache)] == wanted


def test_debug_cleaning_drains_the_pipes_first_after_every_call() -> None:
    plan = make_plan([make_kernel(), make_kernel()], Options(debug_dcci_all=True))
    steps = [step for step in plan.programs.aiv if isinstance(step, Call | PipeBarrier | CleanCache)]
    assert [type(step) for step in steps] == [Call, PipeBarrier, CleanCache] * 2


@pytest.mark.parametrize("kernel_type", TYPES, ids=lambda kernel_type: kernel_type.name)
def test_debug_synchronisation_stands_after_every_call_and_replaces_the_boundary(kernel_type: KernelType) -> None:
    plan = make_plan(
        [make_kernel(kernel_type, name="a"), make_kernel(kernel_type, name="b")], Options(debug_sync_all=True)
    )
    expected = FullSync if len(kernel_type.kinds) == 2 else GroupSync
    for kind in kernel_type.kinds:
        steps = [step for step in plan.programs[kind] if isinstance(step, Call | FullSync | GroupSync)]
        assert [type(step) for step in steps] == [Call, expected] * 2


def test_debug_synchronisation_keeps_the_calls_that_compiled_kernels_make_paired() -> None:
    kernels = [make_kernel(name="a", blocks=2, sets=True), make_kernel(name="b", blocks=4)]
    steps = list(make_plan(kernels, Options(debug_sync_all=True)).programs.aiv)
    assert any(isinstance(step, EarlySet) for step in steps)
    assert any(isinstance(step, EarlyWait) for step in steps)


@given(st.lists(kernels(full_sync=False), min_size=1, max_size=5))
def test_profiling_marks_nest_around_the_whole_and_each_operator(group: list[SubKernel]) -> None:
    plan = make_plan(group, Options(profiling=True))
    for kind, program in plan.programs:
        if not plan.shape.cores[kind]:
            assert list(program) == []
            continue
        marks = [step for step in program if isinstance(step, Profile)]
        inner = [Profile(Mark.OPERATOR, number, end) for number in range(1, len(group) + 1) for end in (False, True)]
        assert marks == [Profile(Mark.WHOLE, 0, False), *inner, Profile(Mark.WHOLE, 0, True)]
        assert list(program)[-1] == Profile(Mark.WHOLE, 0, True)


@given(plans())
def test_without_profiling_there_are_no_marks(plan: Plan) -> None:
    marks = [step for _, program in plan.programs for step in program if isinstance(step, Profile)]
    assert bool(marks) == plan.group.options.profiling


@given(plans())
def test_a_kind_that_is_not_launched_has_an_empty_program(plan: Plan) -> None:
    for kind, program in plan.programs:
        assert bool(list(program)) == bool(plan.shape.cores[kind])


# Copies of code


@pytest.mark.parametrize("split", [1, 2, 3, 4, 64])
def test_a_kernel_without_copies_gets_as_many_as_the_option_says(split: int) -> None:
    symbols = code_symbols(make_kernel(), CoreKind.AIV, split)
    assert symbols == ("op_aiv", *(f"op_aiv_split{number}" for number in range(1, split)))


@pytest.mark.parametrize(("copies", "split", "used"), [(4, 4, 4), (2, 4, 2), (4, 2, 2), (4, 1, 1)])
def test_copies_that_came_with_a_kernel_are_used_as_far_as_they_go(copies: int, split: int, used: int) -> None:
    kernel = make_kernel(copies=copies)
    symbols = code_symbols(kernel, CoreKind.AIV, split)
    assert symbols == tuple(copy.symbol for copy in kernel.code.aiv[:used])


def test_a_kernel_that_was_split_and_has_one_copy_left_gets_no_invented_ones() -> None:
    assert code_symbols(make_kernel(split_mode=4), CoreKind.AIV, 4) == ("op_aiv",)


def test_the_code_of_a_kind_on_which_a_kernel_does_not_run_cannot_be_asked_for() -> None:
    with pytest.raises(ValueError, match="no symbol for aic"):
        code_symbols(make_kernel(), CoreKind.AIC, 4)
