# Licensed under the Apache License, Version 2.0.
"""The application: every command, also those of plug-ins."""

from __future__ import annotations

import typer

from skcore import __version__
from skcore.cli import build, check, explain, installation, plan, run
from skcore.plugin import load_plugins


def build_app() -> typer.Typer:
    """The command line with the commands of the installed plug-ins."""
    app = typer.Typer(
        name="skcore",
        help="Plans, builds, runs and explains SuperKernels.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_root)
    app.command("plan")(plan.plan)
    app.command("check")(check.check)
    app.command("build")(build.build)
    app.command("run")(run.run)
    app.command("explain")(explain.explain)
    app.command("plugins")(installation.plugins)
    app.command("targets")(installation.targets)
    app.command("options")(installation.options)
    app.command("doctor")(installation.doctor)
    load_plugins().hook.add_commands(app=app)
    return app


def _version(value: bool) -> None:
    if value:
        typer.echo(f"skcore {__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="print the version"),
) -> None:
    """Plans, builds, runs and explains SuperKernels."""
