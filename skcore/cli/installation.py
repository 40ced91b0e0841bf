# Licensed under the Apache License, Version 2.0.
"""``skcore plugins | targets | options | doctor``: what is installed, and whether it works."""

from __future__ import annotations

import typer

from skcore.cli.common import Json
from skcore.cli.console import note, out, plain, print_json, table
from skcore.options import option_table
from skcore.plugin import NO_TARGET, load_plugins


def plugins(as_json: Json = False) -> None:
    """List the plug-ins, also those that did not load, with their errors."""
    records = load_plugins().records
    if as_json:
        print_json(
            [
                {"name": r.name, "distribution": r.distribution, "hooks": list(r.hooks), "error": r.error or None}
                for r in records
            ]
        )
    else:
        rows = table("plug-in", "distribution", "state", "hooks")
        for record in records:
            state = f"broken: {record.error}" if record.error else "loaded"
            rows.add_row(plain(record.name), plain(record.distribution), plain(state), ", ".join(record.hooks))
        out().print(rows)
    if any(record.error for record in records):
        raise typer.Exit(1)


def targets(as_json: Json = False) -> None:
    """List the targets that --npu-arch takes, with their products."""
    loaded = load_plugins()
    found = [loaded.target(name) for name in loaded.target_names()]
    if as_json:
        print_json(
            [
                {
                    "npu_arch": target.npu_arch,
                    "title": target.title,
                    "default_soc": target.default_soc,
                    "socs": {name: {"aic": soc.aic, "aiv": soc.aiv} for name, soc in target.socs.items()},
                }
                for target in found
            ]
        )
        return
    if not found:
        note(NO_TARGET)
        return
    rows = table("--npu-arch", "title", "product (--soc)", "AIC#", "AIV#")
    for target in found:
        for name, soc in target.socs.items():
            default = " (default)" if name == target.default_soc else ""
            rows.add_row(target.npu_arch, target.title, name + default, str(soc.aic), str(soc.aiv))
    out().print(rows)


def options(as_json: Json = False) -> None:
    """List the options of a scope: values, default, meaning."""
    entries = option_table()
    if as_json:
        print_json(
            [
                {
                    "name": entry.name,
                    "values": entry.domain.describe,
                    "default": entry.domain.show(entry.default),
                    "text": entry.text,
                }
                for entry in entries
            ]
        )
        return
    rows = table("option", "values", "default", "meaning")
    for entry in entries:
        rows.add_row(entry.name, plain(entry.domain.describe), entry.domain.show(entry.default), entry.text)
    out().print(rows)


def doctor(as_json: Json = False) -> None:
    """Check what the plug-ins need from this machine."""
    loaded = load_plugins()
    checks = [
        ("targets", bool(loaded.target_names()), ", ".join(loaded.target_names()) or NO_TARGET),
        *(
            (f"plug-in {record.name}", not record.error, record.error or record.distribution)
            for record in loaded.records
        ),
        *(check for checks in loaded.hook.check_installation() for check in checks),
    ]
    if as_json:
        print_json([{"check": what, "ok": good, "detail": detail} for what, good, detail in checks])
    else:
        rows = table("check", "state", "detail")
        for what, good, detail in checks:
            rows.add_row(plain(what), plain("ok" if good else "missing", "green" if good else "red"), plain(detail))
        out().print(rows)
    if not all(good for _, good, _ in checks):
        raise typer.Exit(1)
