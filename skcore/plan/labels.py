# Licensed under the Apache License, Version 2.0.
"""A short text for each step: comments of the source, and what reports and explanations print."""

from __future__ import annotations

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
    Gate,
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


def label_step(step: Step, plan: Plan) -> str:
    """One line that says what the step does, with the operator's name where it concerns one."""

    def name(op: int) -> str:
        return plan.group.operators[op].name

    match step:
        case Call(op=op, gate=gate, fed=fed):
            return f"call {name(op)} on {_gate(gate)}" + (", idle cores feed its synchronisations" if fed else "")
        case AwaitTiling(op=op, slot=slot):
            return f"wait for the tiling of {name(op)} at argument {slot}"
        case Select(op=op):
            return f"select the code of {name(op)}"
        case CallSelected(op=op):
            return f"call what was selected for {name(op)}"
        case GroupSync(kind=kind):
            return f"synchronise all {kind.name} cores"
        case FullSync():
            return "synchronise all cores of both kinds"
        case Signal(channel=channel):
            return f"signal {channel.text.replace('_', ' ')}"
        case Await(channel=channel):
            return f"await {channel.text.replace('_', ' ')}"
        case EarlySet(op=op, outside=outside):
            return f"early start: signal for {name(op)} on {_outside(outside)}"
        case EarlyConfigure(previous=previous, current=current):
            return f"early start: from {previous.name} to {current.name}"
        case EarlyWait(op=op, outside=outside):
            return f"early start: wait for {name(op)} on {_outside(outside)}"
        case PipeBarrier():
            return "drain all pipes"
        case Notify(op=op, slot=slot):
            return f"notify argument {slot} after {name(op)}"
        case WaitEvent(op=op, slot=slot):
            return f"wait for argument {slot} before {name(op)}"
        case ClearSlot(op=op, slot=slot):
            return f"clear argument {slot} of {name(op)}"
        case Preload(op=op, units=units):
            return f"preload {units} units of {name(op)}"
        case PreloadAhead(units=units):
            return f"preload {units} units from here"
        case CleanCache():
            return "clean the data cache"
        case FeedClear(lines=lines):
            return f"clear {lines} lines of the feed-sync workspace"
        case FeedSync(op=op, enabled=enabled):
            return f"feed-sync {'on' if enabled else 'off'} for {name(op)}"
        case Profile(mark=mark, index=index, end=end):
            return f"profile {mark.name.lower()} {index} {'end' if end else 'begin'}"


def _gate(gate: Gate) -> str:
    return f"{gate.index.value} index < {gate.blocks}"


def _outside(gate: Gate | None) -> str:
    return "all cores" if gate is None else f"{gate.index.value} index >= {gate.blocks}"
