# Licensed under the Apache License, Version 2.0.
"""Lowering of one step to text through the target's templates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jinja2

from skcore.errors import EmitError
from skcore.graph.kernel import CoreKind, OperatorClass
from skcore.plan.labels import label_step
from skcore.plan.layout import Role
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
    Index,
    Mark,
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
from skcore.plan.symbols import split_symbols
from skcore.target import Target


class Templates:
    """A target's templates in front of the common ones."""

    def __init__(self, target: Target) -> None:
        common = jinja2.PackageLoader("skcore.emit", "templates")
        self._environment = jinja2.Environment(
            loader=jinja2.ChoiceLoader([jinja2.DictLoader(target.templates), jinja2.PrefixLoader({"core": common})]),
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,  # noqa: S701 - C++
        )
        self._arch = target.npu_arch
        self._modules = tuple(self._environment.get_template(name).module for name in ("steps.j2", "core/steps.j2"))

    def macro(self, name: str) -> Callable[..., str]:
        """The macro of this name, the target's own before the common one."""
        found = next((getattr(module, name) for module in self._modules if hasattr(module, name)), None)
        if found is not None:
            return lambda **arguments: self._checked(name, lambda: str(found(**arguments)).strip("\n"))
        raise EmitError(f"target {self._arch}: no template for {name!r} (add a macro of this name to its steps.j2)")

    def render(self, name: str, **values: Any) -> str:
        """A whole template."""
        return self._checked(name, lambda: self._environment.get_template(name).render(**values))

    def _checked(self, name: str, render: Callable[[], str]) -> str:
        try:
            return render()
        except (jinja2.TemplateError, TypeError) as error:
            raise EmitError(f"target {self._arch}: the template {name!r} cannot be rendered: {error}") from error


class Lowering:
    """Lowers the steps of one program of a plan."""

    def __init__(self, templates: Templates, plan: Plan, target: Target, kind: CoreKind) -> None:
        self._templates = templates
        self._plan = plan
        self._target = target
        self._kind = kind
        self._macros: dict[str, Callable[..., str]] = {}
        self._constants: dict[str, str] = {}
        self._words = {slot.role: index for index, slot in enumerate(plan.layout.slots) if slot.op < 0}

    def __call__(self, step: Step) -> tuple[str, str]:
        """Label and text of one step."""
        lower = _LOWERINGS.get(type(step))
        if lower is None:
            raise EmitError(f"the source emitter has no form for the step {type(step).__name__}")
        return label_step(step, self._plan), lower(self, step)

    def _text(self, macro: str, **arguments: Any) -> str:
        if macro not in self._macros:
            self._macros[macro] = self._templates.macro(macro)
        return self._macros[macro](**arguments)

    def _constant(self, macro: str) -> str:
        """The text of a macro without arguments: the same wherever it stands."""
        if macro not in self._constants:
            self._constants[macro] = self._text(macro)
        return self._constants[macro]

    def _index(self, index: Index) -> str:
        return self._constant(f"index_{index.value}")

    def _by_core(self, macro: str, **arguments: Any) -> str:
        """One of the lines of a macro, chosen by core id."""
        statements = self._text(macro, **arguments).splitlines()
        if len(statements) == 1:
            return statements[0]
        labels = [*(f"case {number}" for number in range(len(statements) - 1)), "default"]
        return self._text("by_core", statements=list(zip(labels, statements, strict=True)))

    def _outside(self, gate: Gate | None, body: str) -> str:
        if gate is None:
            return body
        return self._text("gated", index=self._index(gate.index), relation=">=", blocks=gate.blocks, body=body)

    def _call(self, step: Call) -> str:
        body = self._by_core("invoke", symbols=step.symbols, argument=step.argument)
        index = self._index(step.gate.index)
        if step.fed:
            return self._text("gated_fed", index=index, blocks=step.gate.blocks, body=body)
        return self._text("gated", index=index, relation="<", blocks=step.gate.blocks, body=body)

    def _preload(self, step: Preload) -> str:
        body = self._by_core("load", symbols=step.symbols, units=step.units)
        index = self._index(step.gate.index)
        return self._text("gated", index=index, relation="<", blocks=step.gate.blocks, body=body)

    def _early_wait(self, step: EarlyWait) -> str:
        return self._outside(step.outside, self._text("early_wait", pair=pair_code(step.previous, step.current)))

    def _feed_clear(self, step: FeedClear) -> str:
        line = self._target.feed_sync.line_bytes
        cores = self._plan.shape.cores[self._kind]
        return self._text(
            "feed_clear",
            workspace=self._words.get(Role.WORKSPACE),
            lines=step.lines,
            line_words=line // 8,
            line_bytes=line,
            cores=cores,
        )

    def _feed_sync(self, step: FeedSync) -> str:
        if not step.enabled:
            return self._constant("feed_sync_off")
        line = step.aic_line if self._kind is CoreKind.AIC else step.aiv_line
        offset = line * self._target.feed_sync.line_bytes
        return self._text("feed_sync_on", workspace=self._words.get(Role.WORKSPACE), offset=offset)

    def _profile(self, step: Profile) -> str:
        buffer = self._words[Role.PROFILING]
        slot = self._index(Index.CORE)
        if self._kind is CoreKind.AIC:
            slot = f"{slot} + {self._target.profiling.aic_slot}"
        word = f"0x{step.index << 32 | int(step.end) << 12 | (step.mark.value & 15) << 8:x}UL"
        text = self._text("profile", buffer=buffer, slot=slot, word=word)
        if step.mark is Mark.WHOLE and not step.end:
            opening = self._text("profile_open", buffer=buffer, task_id=self._words[Role.TASK_ID], slot=slot)
            return f"{opening}\n{text}"
        return text

    def _select(self, step: Select) -> str:
        """A case a tiling key; a variant without code for this kind leaves it idle."""
        kernel = self._plan.group.operators[step.op].kernel
        cases = []
        for variant in kernel.tiling:
            symbol = variant.symbols[self._kind]
            names = [] if symbol is None else split_symbols(symbol, step.copies)
            text = self._by_core("choose", op=step.op, symbols=names) if names else ""
            wide = variant.kernel_type.operator_class is OperatorClass.AIV
            index = self._index(Index.CORE if wide else Index.BLOCK)
            cases.append({"key": variant.key, "index": index, "text": text})
        return self._text("select", op=step.op, key=step.key, blocks=step.blocks, cases=cases)

    def _call_selected(self, step: CallSelected) -> str:
        body = self._text("invoke_selected", op=step.op, argument=step.argument)
        index, blocks = self._text("selected_index", op=step.op), self._text("selected_blocks", op=step.op)
        if step.fed:
            return self._text("gated_fed", index=index, blocks=blocks, body=body)
        return self._text("gated", index=index, relation="<", blocks=blocks, body=body)

    def _lock(self, macro: str, slot: int) -> str:
        """Something that the first core of the kind does with a lock word."""
        return self._text(macro, index=self._index(Index.CORE), slot=slot)

    def _signal(self, step: Signal | Await) -> str:
        verb = "signal" if isinstance(step, Signal) else "await"
        return self._constant(f"{verb}_{step.channel.text}")


def pair_code(previous: OperatorClass, current: OperatorClass) -> int:
    """The number of a pair of operator classes in early start (spec jit §6.1)."""
    return previous.code << 2 | current.code


_LOWERINGS: dict[type, Callable[[Lowering, Any], str]] = {
    Call: Lowering._call,
    Preload: Lowering._preload,
    EarlyWait: Lowering._early_wait,
    FeedClear: Lowering._feed_clear,
    FeedSync: Lowering._feed_sync,
    Profile: Lowering._profile,
    Signal: Lowering._signal,
    Await: Lowering._signal,
    GroupSync: lambda self, step: self._constant(f"group_sync_{step.kind.value}"),
    FullSync: lambda self, _: self._constant("full_sync"),
    EarlySet: lambda self, step: self._outside(step.outside, self._constant("early_set")),
    EarlyConfigure: lambda self, step: self._text("early_configure", pair=pair_code(step.previous, step.current)),
    PipeBarrier: lambda self, _: self._constant("pipe_barrier"),
    CleanCache: lambda self, _: self._constant("clean_cache"),
    Select: Lowering._select,
    CallSelected: Lowering._call_selected,
    AwaitTiling: lambda self, step: self._lock("await_tiling", step.slot),
    Notify: lambda self, step: self._lock("notify", step.slot),
    WaitEvent: lambda self, step: self._lock("wait_event", step.slot),
    ClearSlot: lambda self, step: self._lock("clear_slot", step.slot),
    PreloadAhead: lambda self, step: self._text("preload_ahead", units=step.units),
}
