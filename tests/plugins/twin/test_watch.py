# Licensed under the Apache License, Version 2.0.
"""Orders that the runtime watches, lock words that the outside sets, and cores that are held back."""

from __future__ import annotations

import pytest

from tests.plugins.twin.running import HEAD, TARGETS, KernelRunner, Launch, Result

SUB_KERNELS = (
    HEAD
    + """
[[maybe_unused]] static uint64_t Ticket() {
    return (*reinterpret_cast<uint64_t*>(sktwin::GlobalAccess(Out(), 8, true)))++;
}
struct Sub {
    const char* before;
    Sub(const char* name, uint64_t argument) : before(sktwin::EnterKernel(name, argument)) {}
    ~Sub() { sktwin::LeaveKernel(before); }
};
[[maybe_unused]] static void First() { Sub sub("code of first", 10); for (int i = 0; i < 5; ++i) Ticket(); }
[[maybe_unused]] static void Second() { Sub sub("code of second", 20); Ticket(); }
[[maybe_unused]] static volatile uint64_t* Lock(int word) {
    return reinterpret_cast<volatile uint64_t*>(get_para_base()[word]);
}
[[maybe_unused]] static void Await(int word) {
    do { dcci(Lock(word), SINGLE_CACHE_LINE, CACHELINE_OUT); } while (*Lock(word) != 1);
}
[[maybe_unused]] static void Tell(int word, uint64_t value = 1) {
    *Lock(word) = value;
    dcci(Lock(word), SINGLE_CACHE_LINE, CACHELINE_OUT);
}
"""
)
OPERATORS = ("operator 10 aic=0 aiv=4 waits=0 the first", "operator 20 aic=0 aiv=4 waits=0 the second")
ORDER = (*OPERATORS, "order 10 20")
BUFFERS = {"out": 4096, "one": 8, "two": 8}
EARLY = ("__ASCENDC_ENABLE_SET_NEXT_TASK_START", "__ASCENDC_ENABLE_WAIT_PRE_TASK_END")


def run(
    run_kernel: KernelRunner,
    body: str,
    *watch: str,
    form: str = "aiv",
    seed: int = 1,
    blocks: int = 4,
    macros: tuple[str, ...] = (),
) -> Result:
    """Runs the body as a SuperKernel whose first argument words are the buffers."""
    launch = Launch(form, blocks, list(BUFFERS), super_kernel=True, watch=watch)
    return run_kernel.run(
        SUB_KERNELS + f"KERNEL(kernel) {{ {body} }}", launch, buffers=BUFFERS, seed=seed, macros=macros
    )


# Orders --------------------------------------------------------------------------------------------------------------


def test_an_order_that_a_barrier_keeps_is_no_fault(run_kernel: KernelRunner) -> None:
    for seed in range(8):
        assert run(run_kernel, "First(); SyncAll(); Second();", *ORDER, seed=seed).status == "ok"


def test_an_operator_that_begins_too_early_stops_the_run_and_both_are_named(run_kernel: KernelRunner) -> None:
    result = run(run_kernel, "First(); Second();", *ORDER)
    assert (result.check, result.exit_code) == ("operator-order", 1)
    assert "the second begins on AIV block " in result.message
    assert "before the first has ended" in result.message


def test_a_broken_order_names_the_cores_that_have_not_ended_and_those_that_have_not_begun(
    run_kernel: KernelRunner,
) -> None:
    body = """
    if (GetBlockIdx() == 3) { while (Get(8) != 2) sktwin::Yield(); Second(); }
    if (GetBlockIdx() < 2) { Sub sub("first", 10); Put(8, Get(8) + 1); while (Get(9) == 0) sktwin::Yield(); }
    """
    result = run(run_kernel, body, *ORDER)
    assert result.check == "operator-order"
    assert "the second begins on AIV block 3 (core " in result.message
    assert "AIV blocks 0-1: not ended; AIV blocks 2-3: not begun" in result.message
    assert [core["block"] for core in result.cores] == [3, 0, 1, 2, 3]


def test_an_operator_of_fewer_cores_is_waited_for_on_those_alone(run_kernel: KernelRunner) -> None:
    body = "if (GetBlockIdx() < 2) First(); SyncAll(); Second();"
    few = ("operator 10 aic=0 aiv=2 waits=0 the first", *ORDER[1:])
    assert run(run_kernel, body, *few).status == "ok"
    assert run(run_kernel, body, *ORDER).check == "operator-order"


@pytest.mark.parametrize(
    ("body", "check"),
    [
        ("if (GetBlockIdx() < 2) First(); SyncAll(); Second();", ""),
        ("SyncAll(); Second();", "operator-order"),
        ("First(); Second();", "operator-order"),
    ],
)
def test_an_operator_on_an_unknown_number_of_cores_has_to_have_ended_where_it_began(
    run_kernel: KernelRunner, body: str, check: str
) -> None:
    unknown = ("operator 10 aic=- aiv=- waits=0 the first", *ORDER[1:])
    assert run(run_kernel, body, *unknown).check == check


def test_an_order_between_the_kinds_counts_the_cores_of_both(run_kernel: KernelRunner) -> None:
    watch = ("operator 10 aic=2 aiv=0 waits=0 the first", "operator 20 aic=0 aiv=4 waits=0 the second", "order 10 20")
    body = "if ASCEND_IS_AIC { First(); } SYNC if ASCEND_IS_AIV { Second(); }"
    for seed in range(4):
        kept = run(run_kernel, body.replace("SYNC", "SyncAll<false>();"), *watch, form="mix12", blocks=2, seed=seed)
        assert kept.status == "ok", kept.message
    assert run(run_kernel, body.replace("SYNC", ""), *watch, form="mix12", blocks=2).check == "operator-order"


def test_a_sub_kernel_that_waits_itself_begins_when_its_wait_returns(run_kernel: KernelRunner) -> None:
    body = """
    { Sub sub("first", 10); Ticket(); SetNextTaskStart(); }
    g_super_kernel_early_start_config = 5;
    { Sub sub("second", 20); WaitPreTaskEnd(); Ticket(); }
    """
    waiting = (ORDER[0], "operator 20 aic=0 aiv=4 waits=1 the second", ORDER[2])
    for seed in range(8):
        result = run(run_kernel, body, *waiting, seed=seed, macros=EARLY)
        assert result.status == "ok", result.message
    assert run(run_kernel, body, *ORDER, macros=EARLY).check == "operator-order"
    assert run(run_kernel, body.replace("WaitPreTaskEnd();", ""), *waiting, macros=EARLY).check == "operator-order"


def test_an_operator_has_ended_where_it_says_that_the_next_may_start(run_kernel: KernelRunner) -> None:
    body = """
    {{ Sub sub("first", 10); Ticket(); {} SyncAll(); for (int i = 0; i < 9; ++i) Ticket();
       if (GetBlockIdx() == 0) {{ while (Get(9) == 0) sktwin::Yield(); }} }}
    Second();
    Put(9, 1);
    """
    taken = "sktwin::CrossCoreWait(SYNC_AIV_ONLY_ALL, sktwin::Site::Here(), sktwin::FlagUse::kEarlyStart);"
    told = body.format(f"SetNextTaskStart(); {taken}")
    result = run(run_kernel, told, *ORDER, macros=EARLY)
    assert result.status == "ok", result.message
    assert run(run_kernel, body.format(""), *ORDER, macros=EARLY).check == "operator-order"


def test_calls_without_a_watched_operator_are_left_alone(run_kernel: KernelRunner) -> None:
    body = '{ Sub sub("other", 30); } Second(); First();'
    assert run(run_kernel, body, *OPERATORS).status == "ok"


# Told words ----------------------------------------------------------------------------------------------------------


def test_a_word_that_is_told_after_all_cores_have_ended_is_no_fault(run_kernel: KernelRunner) -> None:
    body = "First(); SyncAll(); if (GetBlockIdx() == 0) Tell(1);"
    result = run(run_kernel, body, *OPERATORS, "told 1 10")
    assert result.status == "ok", result.message
    assert result.words("one") == [1]


def test_a_word_that_is_told_too_early_stops_the_run_and_is_named(run_kernel: KernelRunner) -> None:
    body = """
    First();
    Put(8 + GetBlockIdx(), 1);
    if (GetBlockIdx() == 0) { while (Get(10) + Get(11) != 2) sktwin::Yield(); Tell(1); }
    """
    result = run(run_kernel, body, *OPERATORS, "told 1 10", "hold aiv 1 0 10")
    assert result.check == "told-early"
    assert "AIV block 0 (core " in result.message
    assert "tells that the first has ended, by byte 0 of buffer 'one'" in result.message
    assert "AIV block 1: not " in result.message
    assert [core["block"] for core in result.cores] == [0, 1]


def test_what_a_word_held_before_and_what_sub_kernels_write_back_tells_nothing(run_kernel: KernelRunner) -> None:
    body = 'Tell(1, 0); { Sub sub("first", 10); Tell(1); } SyncAll(); Tell(1);'
    result = run(run_kernel, body, *OPERATORS, "told 1 10")
    assert result.status == "ok", result.message


# Words of the outside ------------------------------------------------------------------------------------------------


def test_a_core_that_polls_a_word_of_the_outside_is_not_stuck(run_kernel: KernelRunner) -> None:
    body = "if (GetBlockIdx() == 0) Await(1); SyncAll(); Second();"
    for seed in range(20):
        result = run(run_kernel, body, *OPERATORS, "outside 1 20", seed=seed)
        assert result.status == "ok", result.message
        assert result.words("one") == [1]


def test_the_moment_of_an_outside_word_is_of_the_seed_alone_and_from_at_once_to_late(run_kernel: KernelRunner) -> None:
    body = """
    uint64_t at = 0;
    for (uint64_t step = 1; step <= 3000 && at == 0; ++step) { Ticket(); at = *Lock(1) == 1 ? step : 0; }
    Put(8 + GetBlockIdx(), at == 0 ? 9999 : at);
    """
    found = [run(run_kernel, body, *OPERATORS, "outside 1 20", seed=seed).words("out")[8] for seed in range(30)]
    again = [run(run_kernel, body, *OPERATORS, "outside 1 20", seed=seed).words("out")[8] for seed in range(30)]
    assert found == again
    assert len(set(found)) > 10
    assert min(found) < 5
    assert max(found) == 9999


def test_an_operator_that_begins_before_its_outside_word_stops_the_run(run_kernel: KernelRunner) -> None:
    result = run(run_kernel, "Second();", *OPERATORS, "outside 1 20", "hold aiv 3 0 -")
    assert result.check == "operator-order"
    assert "the second begins on AIV block " in result.message
    assert "before its lock word is set from outside: byte 0 of buffer 'one'" in result.message


def test_an_outside_word_comes_after_the_words_that_it_waits_for(run_kernel: KernelRunner) -> None:
    body = """
    if (GetBlockIdx() == 0) { for (int i = 0; i < 300; ++i) Ticket(); Put(8, *Lock(2)); Tell(1); }
    if (GetBlockIdx() == 1) Await(2);
    """
    for seed in range(12):
        result = run(run_kernel, body, *OPERATORS, "outside 2 - after 1", seed=seed)
        assert result.status == "ok", result.message
        assert result.words("out")[8] == 0
        assert result.words("two") == [1]


@pytest.mark.parametrize("body", ["if (GetBlockIdx() == 1) Await(2);", "Ticket();"])
def test_a_word_that_the_outside_waits_for_in_vain_is_a_hang_that_names_it(run_kernel: KernelRunner, body: str) -> None:
    result = run(run_kernel, body, *OPERATORS, "outside 2 20 after 1")
    assert result.check == "hang"
    text = "the outside waits for byte 0 of buffer 'one' (8 bytes) before it sets byte 0 of buffer 'two' (8 bytes)"
    assert text in result.message


def test_an_outside_word_that_nobody_waits_for_is_set_at_the_end(run_kernel: KernelRunner) -> None:
    for seed in range(6):
        result = run(run_kernel, "Ticket();", *OPERATORS, "outside 1 20", seed=seed)
        assert result.status == "ok", result.message
        assert result.words("one") == [1]


def test_a_core_that_is_stuck_is_a_hang_also_where_the_outside_sets_other_words(run_kernel: KernelRunner) -> None:
    body = "if (GetBlockIdx() == 0) Await(2); if (GetBlockIdx() == 1) SyncAll();"
    result = run(run_kernel, body, *OPERATORS, "outside 1 20")
    assert result.check == "hang"
    assert "buffer 'two'" in result.message
    assert "the outside" not in result.message


# Holds ---------------------------------------------------------------------------------------------------------------

TICKETS = "for (int i = 0; i < 20; ++i) Put(8 + Ticket(), Me());"


@pytest.mark.parametrize("held", range(4))
def test_a_core_that_is_held_from_the_start_comes_last(run_kernel: KernelRunner, held: int) -> None:
    for seed in range(4):
        result = run(run_kernel, TICKETS, *OPERATORS, f"hold aiv {held} 0 -", seed=seed)
        assert [who - 100 for who in result.words("out")[8:88]][60:] == [held] * 20


def test_a_broken_order_that_seeds_do_not_show_is_shown_by_a_hold(run_kernel: KernelRunner) -> None:
    body = "First(); for (int i = 0; i < 3000; ++i) Ticket(); Second();"
    for seed in range(6):
        assert run(run_kernel, body, *ORDER, seed=seed).status == "ok"
        stopped = run(run_kernel, body, *ORDER, "hold aiv 3 0 10", seed=seed)
        assert stopped.check == "operator-order"
        assert "AIV block 3: not ended" in stopped.message


def test_a_core_of_a_group_is_named_by_its_block_and_its_place_inside(run_kernel: KernelRunner) -> None:
    result = run(run_kernel, TICKETS, *OPERATORS, "hold aiv 1 1 -", "hold aic 0 0 -", form="mix12", blocks=2)
    assert set(result.words("out")[8 + 80 : 8 + 120]) == {0, 103}


def test_a_core_is_held_from_the_operator_on(run_kernel: KernelRunner) -> None:
    body = f'if (GetBlockIdx() == 2) Put(200, Ticket()); SyncAll(); {{ Sub sub("first", 10); {TICKETS} }}'
    result = run(run_kernel, body, *OPERATORS, "hold aiv 2 0 10")
    tickets = result.words("out")[8:]
    assert [who - 100 for who in tickets[1:81]][60:] == [2] * 20


def test_others_go_on_as_soon_as_a_held_core_lets_them(run_kernel: KernelRunner) -> None:
    body = """
    if (GetBlockIdx() == 0) { Put(9, 1); Put(10, Get(11)); Put(10, Get(11)); return; }
    while (Get(9) == 0) sktwin::Yield();
    Put(11, 1);
    """
    for seed in range(6):
        result = run(run_kernel, body, *OPERATORS, "hold aiv 0 0 -", seed=seed)
        assert result.status == "ok", result.message
        assert result.words("out")[10] == 1


def test_a_held_core_that_others_wait_for_at_a_barrier_comes_to_it(run_kernel: KernelRunner) -> None:
    for held in range(4):
        result = run(run_kernel, "First(); SyncAll(); Second();", *ORDER, f"hold aiv {held} 0 10")
        assert result.status == "ok", result.message


def test_a_held_core_that_polls_in_vain_is_a_hang(run_kernel: KernelRunner) -> None:
    result = run(run_kernel, "if (GetBlockIdx() < 2) Await(1);", *OPERATORS, "hold aiv 0 0 -")
    assert result.check == "hang"
    assert [core["block"] for core in result.cores] == [0, 1]


def test_with_a_hold_an_outside_word_comes_when_nothing_else_gets_on_but_before_the_held_core(
    run_kernel: KernelRunner,
) -> None:
    body = """
    if (GetBlockIdx() == 0) { Await(1); Put(8, Ticket()); return; }
    for (int i = 0; i < 50; ++i) Ticket();
    """
    for seed in range(6):
        result = run(run_kernel, body, *OPERATORS, "outside 1 20", "hold aiv 3 0 -", seed=seed)
        assert result.words("out")[8] == 100


# The job -------------------------------------------------------------------------------------------------------------

STATEMENTS = {
    "operator 10 aic=0": "'operator ARGUMENT aic=N|- aiv=N|- waits=0|1 NAME'",
    "operator x aic=0 aiv=1 waits=0 a": "ARGUMENT to be a number",
    "operator 30 aic=0 aiv=9 waits=0 a": "aiv to be a number of at most 4, not '9'",
    "operator 30 aic=- aiv=1 waits=0 a": "the cores of both kinds to be known, or of none",
    "operator 10 aic=0 aiv=1 waits=0 a": "an operator with another argument than 10",
    "operator 30 aic=0 aiv=1 late=0 a": "'waits=' in 'operator'",
    "order 10": "'order FIRST SECOND'",
    "order 10 30": "the argument of an operator of launch 'launch' that is declared before, not '30'",
    "told 1": "'told WORD OPERATOR'",
    "told 3 10": "the index of an argument word that points into a buffer",
    "told 9 10": "the index of an argument word that points into a buffer",
    "told 4 10": "eight bytes of buffer 'one' where argument word 4 points",
    "outside 1 20 after": "'outside WORD OPERATOR|- [after WORD...]'",
    "outside 1 20 until 2": "'outside WORD OPERATOR|- [after WORD...]'",
    "outside 1 20 after 3": "the index of an argument word that points into a buffer",
    "hold aiv 1 0": "'hold aic|aiv BLOCK SUB_BLOCK OPERATOR|-'",
    "hold aic 0 0 -": "a core that launch 'launch' has; it runs on no AIC",
    "hold aiv 4 0 -": "BLOCK to be a number of at most 3, not '4'",
    "hold aiv 0 1 -": "SUB_BLOCK to be a number of at most 0, not '1'",
    "hold aiv 0 0 11": "the argument of an operator of launch 'launch'",
}


def job_with(*statements: str, super_kernel: bool = True) -> str:
    """A job of one launch with the statements."""
    words: list[int | str | tuple[str, int]] = ["out", "one", "two", 7, ("one", 8)]
    launch = Launch("aiv", 4, words, super_kernel=super_kernel, watch=statements)
    buffers = "".join(f"buffer {name} {size} -\n" for name, size in BUFFERS.items())
    return f"sktwin 1\n{TARGETS[2201]}{buffers}module m nowhere.so\n{launch.text()}"


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_wrong_statement_is_refused_with_its_line_and_what_is_expected(
    run_kernel: KernelRunner, statement: str
) -> None:
    text = job_with(*OPERATORS, statement)
    problems = {problem["line"]: problem["text"] for problem in run_kernel.job(text).report["problems"]}
    assert STATEMENTS[statement] in problems[text.splitlines().index(statement) + 1]


def test_operators_outside_of_a_super_kernel_are_refused(run_kernel: KernelRunner) -> None:
    result = run_kernel.job(job_with(*OPERATORS, super_kernel=False))
    assert any("super=1" in problem["text"] for problem in result.report["problems"])


def test_a_watch_outside_of_a_launch_is_refused(run_kernel: KernelRunner) -> None:
    result = run_kernel.job(f"sktwin 1\n{TARGETS[2201]}order 1 2\n")
    assert any("'order' only inside a launch" in problem["text"] for problem in result.report["problems"])
