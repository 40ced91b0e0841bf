# Licensed under the Apache License, Version 2.0.
"""The profiling buffer of a SuperKernel: made ready before a run, and read after it (spec jit §10.4)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from skcore.graph.task import BufferArgument
from skcore.plan.plan import Plan
from skcore.plan.steps import Mark
from skcore.run.launch import Pointer

_HEADER_BYTES = 64
_AREA_HEADER_BYTES = 64
_RECORD_BYTES = 16
_MAGIC = 0xBDCA8756
_OPENING = 0xFF


@dataclass(frozen=True, slots=True)
class ProfileRecord:
    """One mark of one core: its slot in the buffer, what was marked (index 0 is the whole), begin or end, the time in
    ticks of the core's counter.
    """

    slot: int
    mark: Mark
    index: int
    end: bool
    ticks: int


def profile_buffer_name(plan: Plan) -> str:
    """Name of the profiling buffer among the buffers of a run."""
    return f"{plan.name}.profiling"


def empty_profile(name: str, slots: int, records: int) -> tuple[bytes, list[Pointer]]:
    """A buffer with an area of ``records`` records for each core slot, and the addresses that go into it."""
    size = _AREA_HEADER_BYTES + _RECORD_BYTES * records
    size += -size % 64
    data = bytearray(_HEADER_BYTES + slots * size)
    struct.pack_into("<I", data, 12, size)
    pointers = []
    for slot in range(slots):
        area = _HEADER_BYTES + slot * size
        struct.pack_into("<Q", data, area, _MAGIC)
        pointers.append(Pointer(name, area + 8, BufferArgument(name, area + _AREA_HEADER_BYTES)))
        pointers.append(Pointer(name, area + 16, BufferArgument(name, area + size)))
    return bytes(data), pointers


def read_profile(data: bytes) -> Iterator[ProfileRecord]:
    """The records of all cores, slot by slot in the order in which they were written."""
    (size,) = struct.unpack_from("<I", data, 12)
    for slot, area in enumerate(range(_HEADER_BYTES, len(data), size)):
        _, written, end = struct.unpack_from("<QQQ", data, area)
        first = area + _AREA_HEADER_BYTES
        last = area + size - (end - written)
        for place in range(first, last, _RECORD_BYTES):
            word, ticks = struct.unpack_from("<QQ", data, place)
            if word & 0xFF != _OPENING:
                yield ProfileRecord(slot, Mark(word >> 8 & 15), word >> 32, bool(word >> 12 & 1), ticks)
