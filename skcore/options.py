# Licensed under the Apache License, Version 2.0.
"""Every option of a SuperKernel once: type, domain, default and text (spec jit §3).

The fields of :class:`Options` are the table. The option string ``k=v:k=v``, the YAML form, the ``--option`` flag and
the help text all derive from it, so an option is added by adding one field.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any, TypeVar

from skcore.errors import OptionError, Problem, ProblemList, nearest

T = TypeVar("T")
E = TypeVar("E", bound=Enum)


class PreloadMode(Enum):
    """How instruction caches are filled ahead of the sub-kernels (spec jit §7)."""

    PER_FUNCTION = "per-func"
    AHEAD = "max"
    NONE = "none"


class EarlyStart(Enum):
    """How the end of one sub-kernel may overlap the start of the next (spec jit §6)."""

    OFF = "0"
    ON = "1"
    WITHOUT_SUB_KERNELS = "2"


class ScopeCheck(Enum):
    """What happens to a scope that holds an operator which cannot fuse."""

    CUT = ""
    ABORT = "abort"
    BYPASS = "bypass"


@dataclass(frozen=True, slots=True)
class Domain:
    """The values that an option takes: ``parse`` raises ValueError with what is expected."""

    describe: str
    parse: Callable[[str], Any]
    show: Callable[[Any], str] = str
    samples: tuple[str, ...] = ()


def _choice(kind: type[E], hidden: tuple[str, ...] = ()) -> Domain:
    names = [member.value for member in kind if member.value and member.value not in hidden]

    def parse(text: str) -> E:
        if text not in names:
            raise ValueError(nearest(text, names))
        return kind(text)

    return Domain(" | ".join(names), parse, lambda member: str(member.value), tuple(names))


def _flag() -> Domain:
    def parse(text: str) -> bool:
        if text not in ("0", "1"):
            raise ValueError("0 or 1 is expected")
        return text == "1"

    return Domain("0 | 1", parse, lambda value: str(int(value)), ("0", "1"))


def _digits(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError("a decimal number without a sign is expected")
    return int(text)


def _alignment() -> Domain:
    def parse(text: str) -> int:
        value = _digits(text)
        if value == 1 or value & (value - 1):
            raise ValueError("0 or a power of two from 2 on is expected")
        return value

    return Domain("0 | power of two >= 2", parse, samples=("0", "256", "512"))


def _number(low: int, high: int | None, samples: tuple[str, ...]) -> Domain:
    expected = f"a number from {low} on" if high is None else f"a number from {low} to {high}"

    def parse(text: str) -> int:
        value = _digits(text)
        if value < low or (high is not None and value > high):
            raise ValueError(f"{expected} is expected")
        return value

    return Domain(f"{low}..{'' if high is None else high}", parse, samples=samples)


def _names(what: str) -> Domain:
    def parse(text: str) -> tuple[str, ...]:
        names = tuple(part.strip() for part in text.split(",") if part.strip())
        if not names:
            raise ValueError("at least one is expected")
        return names

    return Domain(f"comma-separated {what}", parse, ",".join)


def _option(default: T, domain: Domain, text: str) -> T:
    declared: T = field(default=default, metadata={"domain": domain, "text": text})
    return declared


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one SuperKernel, typed; the field names are the option names with ``_`` for ``-``."""

    func_align: int = _option(
        512, _alignment(), "alignment of the entry function in bytes; 0 leaves it to the compiler"
    )
    preload_code: PreloadMode = _option(
        PreloadMode.PER_FUNCTION,
        _choice(PreloadMode),
        "instruction-cache preload: the next sub-kernel while one runs, the head of the SuperKernel, or nothing",
    )
    early_start: EarlyStart = _option(
        EarlyStart.ON,
        _choice(EarlyStart),
        "let a sub-kernel start before its predecessor has ended: off, on, or on without the sub-kernels' own calls",
    )
    stream_fusion: bool = _option(False, _flag(), "allow tasks of several streams in one SuperKernel")
    auto_op_parallel: bool = _option(
        False, _flag(), "order operators by the buffers that they share instead of by their stream, where all are known"
    )
    debug_dcci_all: bool = _option(False, _flag(), "clean the whole data cache after every sub-kernel")
    debug_sync_all: bool = _option(False, _flag(), "synchronise all cores after every sub-kernel")
    feed_sync_all: bool = _option(
        False, _flag(), "let idle cores join the full synchronisations inside sub-kernels that use fewer cores"
    )
    profiling: bool = _option(False, _flag(), "record begin and end of the SuperKernel and of each sub-kernel")
    compile_options: tuple[str, ...] = _option((), _names("compiler options"), "passed to the compiler as they are")
    strict_scope_check: ScopeCheck = _option(
        ScopeCheck.CUT,
        _choice(ScopeCheck),
        "a scope with an operator that cannot fuse is an error (abort) or is left alone (bypass); default: it is cut",
    )
    dcci_before_kernel_start: tuple[str, ...] = _option(
        (), _names("operator types"), "clean the whole data cache before these operators"
    )
    dcci_after_kernel_end: tuple[str, ...] = _option(
        (), _names("operator types"), "clean the whole data cache after these operators"
    )
    dcci_disable_on_kernel: tuple[str, ...] = _option(
        (), _names("operator types"), "no cache cleaning for these operators, whatever else asks for it"
    )
    split_mode: int = _option(
        4, _number(1, 64, ("1", "2", "4")), "copies of each sub-kernel's code, to spread instruction fetches; 1: none"
    )
    debug_aic_num: int = _option(
        0, _number(0, None, ("0",)), "cube cores of the SuperKernel; 0: as the sub-kernels need"
    )
    debug_aiv_num: int = _option(
        0, _number(0, None, ("0",)), "vector cores of the SuperKernel; 0: as the sub-kernels need"
    )

    def as_mapping(self) -> dict[str, str]:
        """All options by name in their textual form, in the table's order."""
        return {option.name: option.domain.show(getattr(self, option.attribute)) for option in option_table()}


@dataclass(frozen=True, slots=True)
class OptionEntry:
    """A row of the option table."""

    name: str
    attribute: str
    domain: Domain
    default: Any
    text: str


def option_table() -> tuple[OptionEntry, ...]:
    """The option table, in the order in which it is documented."""
    return tuple(
        OptionEntry(
            item.name.replace("_", "-"), item.name, item.metadata["domain"], item.default, item.metadata["text"]
        )
        for item in fields(Options)
    )


@dataclass(frozen=True, slots=True)
class ParsedOptions:
    """Options with what was said about them: the names that were given, and visible warnings."""

    options: Options
    given: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = ()


Source = str | Mapping[str, Any] | None


def parse_options(
    source: Source, *, where: str = "options", overrides: Sequence[str] = (), strict: bool = False
) -> ParsedOptions:
    """Parse an option string or a mapping; ``overrides`` (``k=v`` each) replace what it says.

    Every bad option is reported at once with the nearest valid name. In an option string a part without ``=`` is a
    warning, with ``strict`` an error.

    Raises:
        OptionError: unknown, repeated, empty or out-of-domain options.
    """
    problems = ProblemList(OptionError)
    warnings: list[Problem] = []
    pairs = _pairs_of_mapping(source, where) if isinstance(source, Mapping) else _pairs_of_string(source, where)
    values: dict[str, Any] = {}
    for part in pairs:
        _take(part, values, problems, warnings, strict=strict)
    replaced: dict[str, Any] = {}
    for text in overrides:
        _take(_split(text, "--option"), replaced, problems, warnings, strict=True)
    problems.raise_if_any()
    values.update(replaced)
    return ParsedOptions(dataclasses.replace(Options(), **values), tuple(values), tuple(warnings))


@dataclass(frozen=True, slots=True)
class _Part:
    where: str
    name: str
    value: str | None


def _split(text: str, where: str) -> _Part:
    name, separator, value = text.partition("=")
    return _Part(where, name.strip(), value.strip() if separator else None)


def _pairs_of_string(text: str | None, where: str) -> Iterable[_Part]:
    # The surrounding quotes are what a JSON encoder of one of the callers leaves behind (spec jit §3.1).
    parts = (part.strip() for part in (text or "").strip().strip('"').split(":"))
    return [_split(part, where) for part in parts if part]


def _pairs_of_mapping(source: Mapping[str, Any], where: str) -> Iterable[_Part]:
    return [_Part(f"{where}.{name}", str(name), _text_of(value)) for name, value in source.items()]


def _text_of(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, list | tuple):
        return ",".join(str(item) for item in value)
    return str(value).strip()


def _take(part: _Part, values: dict[str, Any], problems: ProblemList, warnings: list[Problem], *, strict: bool) -> None:
    table = {option.name: option for option in option_table()}
    option = table.get(part.name)
    if part.value is None:
        problem = Problem(part.where, f"{part.name!r} is not of the form name=value", nearest(part.name, table))
        if strict:
            problems.extend([problem])
        else:
            warnings.append(dataclasses.replace(problem, what=f"{problem.what}; it is ignored"))
    elif not part.name or not part.value:
        problems.add(part.where, f"empty {'name' if not part.name else f'value of {part.name!r}'}", "write name=value")
    elif option is None:
        problems.add(part.where, f"unknown option {part.name!r}", nearest(part.name, table))
    elif option.attribute in values:
        problems.add(part.where, f"option {part.name!r} is set twice", "keep one of them")
    else:
        try:
            values[option.attribute] = option.domain.parse(part.value)
        except ValueError as error:
            problems.add(part.where, f"option {part.name!r} has the wrong value {part.value!r}", str(error))
