# Licensed under the Apache License, Version 2.0.
"""Reads a conformance record: its input as files, and our plan in the record's words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from skcore.emit.lowering import pair_code
from skcore.graph.kernel import CoreKind
from skcore.plan.plan import Plan
from skcore.plan.steps import (
    Await,
    AwaitTiling,
    Call,
    CallSelected,
    CleanCache,
    ClearSlot,
    EarlyConfigure,
    EarlySet,
    EarlyWait,
    FeedClear,
    FeedSync,
    FullSync,
    GroupSync,
    Notify,
    PipeBarrier,
    Preload,
    PreloadAhead,
    Profile,
    Select,
    Signal,
    Step,
    WaitEvent,
)
from skcore.testing.objects import make_archive, make_object

EXACT = ("call", "select", "call-selected", "notify", "wait-event", "clear", "clean-cache", "profile", "feed-sync")
CROSS_CORE = ("set", "wait", "sync-all", "early-set", "early-wait")


def write_input(record: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Write the record's kernels as metadata and archives; returns the input of the JIT front end."""
    for name, kernel in record["kernels"].items():
        facts = kernel["metadata"]
        (folder / f"{name}.json").write_text(json.dumps(facts))
        variants = facts["sub_operator_kernel_name"].get("dynamic_func_names", {}).values()
        if variants:
            symbols = {symbol for variant in variants for key, symbol in variant.items() if key != "kernel_type"}
            (folder / f"{name}.o").write_bytes(make_object(sorted(symbols), kernel["text_bytes"]))
            continue
        members = {}
        for entry in facts["sub_operator_kernel_name"].values():
            for key, file in entry.items():
                if key.startswith("obj_files"):
                    suffix = key.removeprefix("obj_files")
                    members[file] = make_object([entry["func_name"] + suffix], kernel["text_bytes"])
        data = make_archive(members) if facts.get("split_mode") is not None else next(iter(members.values()))
        (folder / f"{name}.o").write_bytes(data)
    operators = [
        {
            "json_path": str(folder / f"{operator['kernel']}.json"),
            "bin_path": str(folder / f"{operator['kernel']}.o"),
            **{key: value for key, value in operator.items() if key != "kernel"},
        }
        for operator in record["op_list"]
    ]
    return {"op_list": operators, "super_kernel_options": record["options"], "kernel_name": "te_superkernel"}


def steps_in_words(plan: Plan, kind: CoreKind) -> list[str]:
    """Our program in the vocabulary of the records."""
    return [word for step in plan.programs[kind] for word in _words(step, plan)]


def _words(step: Step, plan: Plan) -> Iterator[str]:
    match step:
        case Call(symbols=symbols, argument=argument, gate=gate):
            yield f"call {symbols[0]} arg{argument} blocks<{gate.blocks}"
        case Select(op=op):
            yield f"select {plan.group.operators[op].kernel.name}"
        case CallSelected(op=op, argument=argument):
            yield f"call-selected {plan.group.operators[op].kernel.name} arg{argument}"
        case AwaitTiling() | FeedClear():
            pass  # the records have the one inside of "select", and the other not at all
        case Preload(symbols=symbols, units=units):
            yield f"preload {symbols[0]} {units}"
        case PreloadAhead(units=units):
            yield f"preload-ahead {units}"
        case Signal():
            yield "set"
        case Await():
            yield "wait"
        case Notify(slot=slot):
            yield f"notify slot{slot}"
        case WaitEvent(slot=slot):
            yield f"wait-event slot{slot}"
        case ClearSlot(slot=slot):
            yield f"clear slot{slot}"
        case GroupSync():
            yield "set"
            yield "wait"
        case FullSync():
            yield "sync-all"
        case EarlySet():
            yield "early-set"
        case EarlyConfigure(previous=previous, current=current):
            yield f"early-config {pair_code(previous, current)}"
        case EarlyWait(previous=previous, current=current):
            yield f"early-wait {pair_code(previous, current)}"
        case PipeBarrier():
            yield "pipe-barrier"
        case CleanCache():
            yield "clean-cache"
        case FeedSync(enabled=enabled):
            yield f"feed-sync {'on' if enabled else 'off'}"
        case Profile(mark=mark, index=index, end=end):
            yield f"profile {index} type{mark.value} {'end' if end else 'begin'}"
        case _:
            raise AssertionError(f"no word for {step}")


def recorded_steps(record: dict[str, Any], kind: CoreKind) -> list[str]:
    """What a core executes by the record: the entry's opening mark, its kind's function, the rest of the entry.

    What a record lacks by a known defect of its origin is put back: the wait of an operator that heads its queue (D8),
    and the call of an operator that is fed (D2).
    """
    steps = record["expect"]["steps"]
    entry = steps.get(f"entry_{kind.value}", [])
    opening = [word for word in entry if word == "profile 0 type0 begin"]
    own = [*steps[kind.value]]
    if "2_stream_4_ops" in record["name"] and "clear slot9" in entry:
        own.insert(0, "wait-event slot9")
    if "with_synal" in record["name"] and "profile 1 type8 begin" in own:
        place = own.index("profile 1 type8 begin") + 1
        own[place:place] = ["sync-all mix", "call-selected is_inf__kernel0 arg1"]
    return [*opening, *own, *(word for word in entry if word not in opening)]


def flag_operations(words: list[str], kind: CoreKind) -> int:
    """Flag operations of a core: a full synchronisation is four on an AIC and two on an AIV (spec device §3.4)."""
    full = 4 if kind is CoreKind.AIC else 2
    return sum(full if word.split()[0] == "sync-all" else 1 for word in of_families(words, CROSS_CORE))


def of_families(words: list[str], families: tuple[str, ...]) -> list[str]:
    """The words whose first part is one of the families."""
    return [word for word in words if word.split()[0] in families]
