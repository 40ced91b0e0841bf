# Licensed under the Apache License, Version 2.0.
"""A target as the twin's runtime is told it; the form is described in ``runtime/job.h``."""

from __future__ import annotations

from collections.abc import Iterator

from skcore.graph.kernel import CoreKind
from skcore.target import Target


def target_statements(target: Target) -> Iterator[str]:
    """The statements ``target``, ``memory`` and ``reserved``."""
    soc, flags = target.soc, target.flags
    yield (
        f"target aic={soc.aic} aiv={soc.aiv} aic_ids={max(soc.aic, target.aic.physical_cores)} "
        f"aiv_ids={max(soc.aiv, target.aiv.physical_cores)} "
        f"flag_limit={flags.counter_limit} user_flags={flags.user_ids} "
        f"intra_block={int(flags.intra_block)} wait={'pipe' if flags.intra_block else 'core'}"
    )
    for kind in CoreKind:
        sizes = " ".join(f"{name}={size}" for name, size in target.core(kind).memories.items())
        yield f"memory {kind.value} {sizes}"
        reserved = " ".join(f"{name}={size}" for name, size in target.core(kind).reserved.items())
        if reserved:
            yield f"reserved {kind.value} {reserved}"
