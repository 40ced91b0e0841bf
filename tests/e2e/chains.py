# Licensed under the Apache License, Version 2.0.
"""Small graphs whose results depend on every order between their operators."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from skcore.fuse import FusedGraph
from skcore.plan.plan import Plan
from skcore.plugin import load_plugins
from skcore.session import Session

KERNELS = Path(__file__).parent / "kernels"
ARCHS = ("dav-2201", "dav-3510")


@dataclass(frozen=True, slots=True)
class Link:
    """One operator of a chain."""

    kernel: str
    kernel_type: str
    blocks: int
    full_sync: bool = False
    definitions: tuple[tuple[str, int], ...] = ()


def rotate(kernel_type: str, blocks: int, shift: int) -> Link:
    return Link("rotate", kernel_type, blocks, definitions=(("SHIFT", shift),))


def total(blocks: int, **definitions: int) -> Link:
    return Link("total", "mix_aiv_1_0", blocks, full_sync=True, definitions=tuple(definitions.items()))


def write_chain(folder: Path, links: list[Link], options: str = "") -> Path:
    """A graph file in which each operator reads what the one before wrote."""
    kernels = {}
    tasks = []
    buffers: dict[str, object] = {
        "b0": {"shape": [4096], "dtype": "float32", "initial": {"random": {"seed": 3, "low": 0, "high": 4}}}
    }
    for number, link in enumerate(links):
        buffers[f"b{number + 1}"] = {"shape": [4096], "dtype": "float32"}
        parameters = ["x", "y", "workspace"] if link.full_sync else ["x", "y"]
        kernels[f"{link.kernel}{number}"] = {
            "source": str(KERNELS / f"{link.kernel}.cpp"),
            "function": link.kernel,
            "type": link.kernel_type,
            "blocks": link.blocks,
            "parameters": parameters,
            "writes": ["y"],
            "definitions": dict(link.definitions),
            "full_sync": link.full_sync,
            "workspace_bytes": 64 * link.blocks if link.full_sync else 0,
        }
        arguments = {"x": f"b{number}", "y": f"b{number + 1}"}
        tasks.append({"kernel": f"{link.kernel}{number}", "arguments": arguments, "scope": "chain"})
    graph = {
        "version": 1,
        "name": "chain",
        "buffers": buffers,
        "kernels": kernels,
        "scopes": {"chain": {"options": options}},
        "tasks": tasks,
        "outputs": [f"b{len(links)}"],
    }
    path = folder / "chain.yaml"
    path.write_text(json.dumps(graph))
    return path


def session_for(arch: str) -> Session:
    plugins = load_plugins()
    return Session(plugins, plugins.target(arch))


def with_plan(fused: FusedGraph, plan: Plan) -> FusedGraph:
    """The fused graph with another plan of the same name."""
    items = tuple(plan if isinstance(item, Plan) and item.name == plan.name else item for item in fused.items)
    return replace(fused, items=items)
