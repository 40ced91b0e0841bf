# Licensed under the Apache License, Version 2.0.
"""Every reason for a cut or for leaving an operator out: stable key, sentence, remedy (design §11)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reason:
    """A stable key, what it means, and what a user can change."""

    key: str
    text: str
    remedy: str


REASONS: dict[str, Reason] = {
    reason.key: reason
    for reason in (
        Reason("not-in-scope", "no scope is around it", "put it inside a scope"),
        Reason("never-fuse", "a scope None is around it", "remove the scope None"),
        Reason("kept-out", "its author marked it as not fusible", "remove fusible: false from its kernel"),
        Reason("not-a-kernel", "it is no kernel of the AI cores", "move it before or after the scope"),
        Reason("no-kernel", "there is no compiled kernel and no source for it", "install a kernel library that has it"),
        Reason(
            "not-relinkable",
            "its kernel was built without support for SuperKernels",
            "build it with support for SuperKernels, or use another implementation",
        ),
        Reason("too-many-blocks", "it uses more cores than the product has", "build it for fewer blocks"),
        Reason(
            "full-sync-cores",
            "a full synchronisation inside would wait for cores that do not run it",
            "set feed-sync-all=1, or build the operators for the same number of blocks",
        ),
        Reason(
            "feed-sync-form",
            "the chip's idle cores cannot join the full synchronisation of a mixed operator in a 1:1 SuperKernel",
            "build the operators for the same number of blocks",
        ),
        Reason(
            "split-mode",
            "its code was built for another number of copies",
            "set split-mode to the number that it was built for, or build it again",
        ),
        Reason(
            "early-start-off",
            "its code makes early-start calls, and early-start=0",
            "set early-start=1, or build it without the calls",
        ),
        Reason(
            "tiling-early-start",
            "its tiling is decided on the device, and its code makes early-start calls, which need to know their cores",
            "build it without the calls, or with static tiling",
        ),
        Reason(
            "early-start-channels",
            "its code waits for its predecessor by other flags than a SuperKernel of this type hands over with",
            "build it without the wait, set early-start=2, or give it a scope of its own",
        ),
        Reason(
            "other-stream",
            "it is on another stream than its scope's operator before it",
            "set stream-fusion=1, or put them on one stream",
        ),
        Reason("event-from-outside", "it waits for what nobody in the graph records", "record the event in the graph"),
        Reason("event-reused", "another event of its SuperKernel has this number", "use a number of its own"),
        Reason(
            "cores-held",
            "what it waits for needs cores that its SuperKernel would hold while it waits",
            "use fewer cores, or put what it waits for into the scope too (stream-fusion=1)",
        ),
        Reason(
            "ends-first",
            "what it waits for can only run when its SuperKernel has ended",
            "put what stands between into the scope too (stream-fusion=1)",
        ),
        Reason("debug-cores", "debug-aic-num or debug-aiv-num does not fit it", "change or remove the two options"),
        Reason("scope-bypassed", "its scope holds an operator that cannot fuse", "set strict-scope-check to nothing"),
    )
}
