# Licensed under the Apache License, Version 2.0.
"""The command line; the only place that prints."""

from __future__ import annotations

import sys

from skcore.errors import SkcoreError


def main() -> None:
    """Run the command line; exit codes: 0 done, 1 the answer is no, 2 wrong input or usage, 3 a defect here."""
    from skcore.cli.app import build_app
    from skcore.cli.console import report_defect, report_error

    try:
        build_app()()
    except SkcoreError as error:
        report_error(error)
        sys.exit(error.exit_code)
    except Exception as error:  # noqa: BLE001 - the outermost edge: every other exception is a defect to report
        report_defect(error)
        sys.exit(3)
