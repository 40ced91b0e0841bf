# Licensed under the Apache License, Version 2.0.
"""What others parse: the generated source, the metadata record and the vendor's command lines.

To accept a change, run the tests with ``SKCORE_UPDATE_GOLDEN=1`` and read the difference that version control shows.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from skcore.cli.app import build_app
from skcore.testing.objects import make_archive, make_object

GOLDEN = Path(__file__).parent
KEYS = {"dav-2201": "dav-c220", "dav-3510": "dav-c310"}
OPTIONS = {
    "default": "",
    "everything": "profiling=1:feed-sync-all=1:debug-dcci-all=1:split-mode=2:func-align=256:compile-options=-g",
}


def write_kernel(folder: Path, name: str, facts: dict[str, object], sides: list[str], copies: int) -> None:
    """Metadata and archive of one sub-kernel, its code given by size alone."""
    entries: dict[str, dict[str, str]] = {}
    members: dict[str, bytes] = {}
    for side in sides:
        symbol = (
            f"{name}__kernel0" if side == "AiCore" else f"{name}_{'mix_aic' if side.endswith('cube') else 'mix_aiv'}"
        )
        entries[side] = {"func_name": symbol, "obj_files": f"{symbol}.o"}
        members[f"{symbol}.o"] = make_object([symbol], 5000)
        for copy in range(1, copies):
            entries[side][f"obj_files_split{copy}"] = f"{symbol}_split{copy}.o"
            members[f"{symbol}_split{copy}.o"] = make_object([f"{symbol}_split{copy}"], 5000)
    defaults = {
        "kernelName": f"{name}__kernel0",
        "sub_operator_kernel_name": entries,
        "sub_operator_params": ["x_in__", "y_out_", "workspace"],
        "sub_operator_early_start_set_flag": False,
        "sub_operator_early_start_wait_flag": False,
        "split_mode": copies,
    }
    (folder / f"{name}.json").write_text(json.dumps({**defaults, **facts}))
    (folder / f"{name}.o").write_bytes(make_archive(members))


def write_input(folder: Path, arch: str, options: str, copies: int) -> Path:
    """A vector, a cube, a mixed and a full-sync operator in a row."""
    vector, cube, early = "KERNEL_TYPE_AIV_ONLY", "KERNEL_TYPE_AIC_ONLY", "sub_operator_early_start"
    mixed = [f"{KEYS[arch]}-cube", f"{KEYS[arch]}-vec"]
    write_kernel(folder, "norm", {"sub_operator_kernel_type": vector, "blockDim": 40}, ["AiCore"], copies)
    write_kernel(folder, "project", {"sub_operator_kernel_type": cube, "blockDim": 20}, ["AiCore"], copies)
    gate = {"sub_operator_kernel_type": "KERNEL_TYPE_MIX_AIC_1_2", "blockDim": 20, f"{early}_set_flag": True}
    write_kernel(folder, "gate", gate, mixed, copies)
    combine = {"sub_operator_kernel_type": vector, "blockDim": 40, f"{early}_wait_flag": True}
    write_kernel(folder, "combine", {**combine, "sub_op_with_sync_all": True}, ["AiCore"], copies)
    operators = [
        {"json_path": f"{name}.json", "bin_path": f"{name}.o", "stream_id": 0}
        for name in ("norm", "project", "gate", "combine")
    ]
    path = folder / "input.json"
    path.write_text(json.dumps({"op_list": operators, "super_kernel_options": options, "kernel_name": "sk_golden"}))
    return path


@pytest.mark.parametrize("arch", KEYS)
@pytest.mark.parametrize("case", OPTIONS)
def test_the_dry_run_writes_the_files_that_are_kept(arch: str, case: str, tmp_path: Path) -> None:
    source = write_input(tmp_path, arch, OPTIONS[case], 2 if case == "everything" else 4)
    out = tmp_path / "out"
    arguments = ["build", str(source), "--npu-arch", arch, "--toolchain", "bisheng", "--dry-run", "-o", str(out)]
    result = CliRunner().invoke(build_app(), arguments)
    assert result.exit_code == 0, result.output
    kept = GOLDEN / arch / case
    found = {path.name: path.read_text() for path in out.iterdir() if path.suffix != ".o"}
    if os.environ.get("SKCORE_UPDATE_GOLDEN"):
        kept.mkdir(parents=True, exist_ok=True)
        for name, text in found.items():
            (kept / name).write_text(text)
    assert found == {path.name: path.read_text() for path in kept.iterdir()}


@pytest.mark.parametrize("arch", KEYS)
def test_every_object_that_the_commands_link_is_written_or_made_by_an_earlier_command(
    arch: str, tmp_path: Path
) -> None:
    source = write_input(tmp_path, arch, "", 4)
    out = tmp_path / "out"
    arguments = ["build", str(source), "--npu-arch", arch, "--toolchain", "bisheng", "--dry-run", "-o", str(out)]
    CliRunner().invoke(build_app(), [*arguments, "--json"])
    there = {path.name for path in out.iterdir()}
    for line in (out / "commands.sh").read_text().splitlines():
        words = line.split()
        output = words[words.index("-o") + 1] if "-o" in words else ""
        used = {word for word in words if word.endswith(".o") and word != output}
        assert used <= there, line
        there.add(output)
