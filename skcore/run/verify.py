# Licensed under the Apache License, Version 2.0.
"""Whether the fused form gives the same bytes as the unfused one, and how far both are from NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skcore.check import check_plans
from skcore.fuse import FusedGraph
from skcore.graph.taskgraph import Buffer
from skcore.run.contents import from_bytes
from skcore.run.reference import largest_difference, reference_results
from skcore.session import Session


@dataclass(frozen=True, slots=True)
class Comparison:
    """One output buffer: its bytes, fused against unfused, and how far it is from NumPy (None: no reference).

    ``first_difference`` is a byte offset, for the first of ``differing_seeds``.
    """

    buffer: str
    size: int
    seeds: int
    differing_seeds: tuple[int, ...]
    first_difference: int | None
    from_reference: float | None
    relative_from_reference: float | None

    @property
    def equal(self) -> bool:
        return not self.differing_seeds


def verify(session: Session, fused: FusedGraph, seeds: Sequence[int]) -> list[Comparison]:
    """Run the unfused form once and the fused form with every seed; compares the outputs of the graph.

    A graph without outputs is compared in all of its buffers.

    Raises:
        RunError: one of the runs stopped.
        PlanError: a plan is not safe.
    """
    check_plans(fused.graph.tasks, fused.plans, session.target)
    unfused = session.unfused_program(fused, seeds[0])
    expected = session.run(unfused).buffers
    program = session.fused_program(fused)
    results = {}
    for seed in seeds:
        results[seed] = session.run(program.with_seed(seed)).buffers
    references = reference_results(fused.graph)
    outputs = fused.graph.outputs or tuple(buffer.name for buffer in fused.graph.buffers)
    declared = {buffer.name: buffer for buffer in fused.graph.buffers}
    return [
        _compare(declared[name], expected[name], {seed: found[name] for seed, found in results.items()}, references)
        for name in outputs
    ]


def _compare(
    buffer: Buffer, expected: bytes, results: dict[int, bytes], references: dict[str, np.ndarray]
) -> Comparison:
    differing = tuple(seed for seed, found in results.items() if found != expected)
    first = _first_difference(expected, results[differing[0]]) if differing else None
    absolute = relative = None
    if buffer.name in references:
        found = from_bytes(next(iter(results.values())), buffer.shape, buffer.dtype)
        absolute, relative = largest_difference(found, references[buffer.name])
    return Comparison(buffer.name, len(expected), len(results), differing, first, absolute, relative)


def _first_difference(first: bytes, second: bytes) -> int:
    a, b = np.frombuffer(first, np.uint8), np.frombuffer(second, np.uint8)
    return int(np.argmax(a != b))
