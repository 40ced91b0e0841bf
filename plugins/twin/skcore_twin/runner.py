# Licensed under the Apache License, Version 2.0.
"""The runner ``twin``: runs launches on emulated cores in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from skcore.build.cache import Cache, default_root, key
from skcore.errors import RunError, ToolError
from skcore.graph.task import BufferArgument
from skcore.run import Hold, Launch, RunInputs, RunResult
from skcore.target import Target
from skcore_twin.compiler import INCLUDE, RUNTIME, find_compiler, sources_digest
from skcore_twin.machine import target_statements
from skcore_twin.places import with_lines
from skcore_twin.report import describe_fault, with_buffer_names

_FLAGS = ("-std=c++17", "-O2", "-g1", f"-I{INCLUDE}", f"-I{RUNTIME}")

_MOST_PATIENCE = 1 << 20
# A whole launch may take this many times as long as a kernel may go on without any effect.
_LAUNCH_PATIENCE = 30


def runtime_executable() -> Path:
    """The runtime's executable, built at its first use."""
    compiler = find_compiler()
    content = key("runtime", compiler.version, compiler.command, sources_digest(RUNTIME), sources_digest(INCLUDE))

    def make(folder: Path) -> None:
        objects = compiler.compile_runtime(sorted(RUNTIME.glob("*.cpp")), folder, _FLAGS)
        compiler.link(objects, folder / "sktwin", ["-rdynamic", "-ldl"], "linking the twin's runtime")
        for path in objects:
            path.unlink()

    return Cache(default_root() / "twin").get_or_make(content, ["sktwin"], make) / "sktwin"


def run(launches: Sequence[Launch], inputs: RunInputs, target: Target) -> RunResult:
    """Run the launches in order.

    Raises:
        RunError: a hang or another fault; the message is the report, ``details`` its data. Or a hold fits no launch.
    """
    holds = _holds(launches, inputs.holds)
    executable = runtime_executable()
    with tempfile.TemporaryDirectory(prefix="skcore-") as name:
        folder = Path(name)
        files = {buffer: folder / f"{number}.bin" for number, buffer in enumerate(inputs.buffers)}
        for buffer, path in files.items():
            path.write_bytes(inputs.buffers[buffer])
        job = folder / "job.txt"
        names = {buffer: f"b{number}" for number, buffer in enumerate(inputs.buffers)}
        job.write_text("".join(f"{line}\n" for line in _job(launches, inputs, target, files, names, holds)))
        answer = _answer(executable, job)
        if answer["status"] == "fault":
            answer = with_buffer_names(with_lines(answer), {short: buffer for buffer, short in names.items()})
            raise RunError(describe_fault(answer, launches), answer)
        if answer["status"] != "ok":
            raise ToolError(f"the twin refuses its job, a defect of skcore: {answer}")
        return RunResult(
            {buffer: path.read_bytes() for buffer, path in files.items()},
            str(answer.get("output", "")),
            {"switches": float(sum(launch["switches"] for launch in answer["launches"]))},
        )


def _answer(executable: Path, job: Path) -> dict[str, Any]:
    process = subprocess.run(
        [executable, job], capture_output=True, text=True, encoding="utf-8", errors="replace", check=False
    )
    try:
        answer: dict[str, Any] = json.loads(process.stdout)
    except ValueError as error:
        raise ToolError(
            f"the twin ended with code {process.returncode} and no report: {process.stderr.strip() or process.stdout}"
        ) from error
    return answer


def _holds(launches: Sequence[Launch], holds: Sequence[Hold]) -> dict[str, list[Hold]]:
    """The holds of each launch, by its label.

    Raises:
        RunError: one fits no launch.
    """
    found: dict[str, list[Hold]] = {launch.label: [] for launch in launches}
    for hold in holds:
        fitting = [launch.label for launch in launches if _fits(hold, launch)]
        if not fitting:
            raise RunError(f"no SuperKernel of this run has the core and the call of {hold}")
        for label in fitting:
            found[label].append(hold)
    return found


def _fits(hold: Hold, launch: Launch) -> bool:
    calls = [None, *(call.argument for call in launch.watch.calls)]
    return (
        launch.super_kernel
        and hold.launch in ("", launch.label)
        and 0 <= hold.block < launch.blocks
        and 0 <= hold.sub_block < launch.kernel_type.cores_per_block[hold.kind]
        and hold.argument in calls
    )


def _job(
    launches: Sequence[Launch],
    inputs: RunInputs,
    target: Target,
    files: Mapping[str, Path],
    names: Mapping[str, str],
    holds: Mapping[str, Sequence[Hold]],
) -> Iterator[str]:
    """The job file; its form is described in ``runtime/job.h``. ``names`` are those of buffers, without blanks."""
    yield "sktwin 1"
    yield from target_statements(target)
    yield f"seed {inputs.seed}"
    patience = os.environ.get("SKCORE_TWIN_PATIENCE")
    if patience is not None:
        seconds = _patience(patience)
        yield f"patience {seconds} {_LAUNCH_PATIENCE * seconds}"
    for buffer, path in files.items():
        yield f"buffer {names[buffer]} {len(inputs.buffers[buffer])} {path}"
    for pointer in inputs.pointers:
        target_buffer = names[pointer.target.buffer]
        yield f"pointer {names[pointer.buffer]} {pointer.offset} {target_buffer} {pointer.target.offset}"
    modules = dict.fromkeys(launch.artifact.file("binary") for launch in launches)
    ids = {path: f"m{number}" for number, path in enumerate(modules)}
    for path, module in ids.items():
        yield f"module {module} {path}"
    for launch in launches:
        yield from _launch(launch, ids[launch.artifact.file("binary")], names)
        yield from _watch(launch)
        for hold in holds[launch.label]:
            call = "-" if hold.argument is None else hold.argument
            yield f"hold {hold.kind.value} {hold.block} {hold.sub_block} {call}"
        yield "end"


def _patience(text: str) -> int:
    """Seconds of processor time after which a kernel without effect counts as an endless loop."""
    if not (text.isascii() and text.isdigit() and int(text) <= _MOST_PATIENCE):
        raise RunError(f"SKCORE_TWIN_PATIENCE is {text!r}, not a whole number of seconds up to {_MOST_PATIENCE}")
    return int(text)


def _launch(launch: Launch, module: str, names: Mapping[str, str]) -> Iterator[str]:
    kernel_type = launch.kernel_type
    ratio = kernel_type.cores_per_block.aiv if len(kernel_type.kinds) == 2 else 0
    symbols = launch.symbols
    yield (
        f"launch {launch.label} module={module} aic={symbols.aic or '-'} aiv={symbols.aiv or '-'} ratio={ratio} "
        f"blocks={launch.blocks} super={int(launch.super_kernel)} sync={int(kernel_type.has_sync_engine)}"
    )
    for word in launch.words:
        if isinstance(word, BufferArgument):
            yield f"word buffer {names[word.buffer]} {word.offset}"
        else:
            yield f"word value {word.value}"


def _watch(launch: Launch) -> Iterator[str]:
    watch = launch.watch
    for each in watch.calls:
        aic, aiv = ("-", "-") if each.cores is None else (each.cores.aic, each.cores.aiv)
        yield f"operator {each.argument} aic={aic} aiv={aiv} waits={int(each.waits)} {each.name}"
    yield from (f"order {order.first} {order.second}" for order in watch.orders)
    yield from (f"told {told.word} {told.call}" for told in watch.told)
    for outside in watch.outside:
        after = "".join(f" {word}" for word in outside.after)
        call = "-" if outside.call is None else outside.call
        yield f"outside {outside.word} {call}" + (f" after{after}" if after else "")
