#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0.
"""Sets up what a checkout needs and runs it: ``python3 dev.py demo`` or ``python3 dev.py test``.

Everything happens in environments below ``.venv`` and ``.tox``; nothing outside of the checkout changes. The tasks
themselves are the environments of ``tox.ini``.
"""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
TASKS = {"demo": ["demo"], "test": ["lint", "types", "layers", "minimal", "py"], "bench": ["bench"]}


def tox() -> list[str]:
    """The command that runs tox, installed at first use."""
    home = ROOT / ".venv"
    python = home / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    if subprocess.run([python, "-c", "import tox"], stderr=subprocess.DEVNULL).returncode:
        subprocess.run([python, "-m", "pip", "install", "--quiet", "tox>=4.22"], check=True)
    return [str(python), "-m", "tox", "run", "--root", str(ROOT), "--conf", str(ROOT / "tox.ini")]


def main(arguments: list[str]) -> int:
    """Run one task; what follows its name goes to the task."""
    if not arguments or arguments[0] not in TASKS:
        sys.stderr.write(f"usage: python3 dev.py {' | '.join(TASKS)} [-- arguments of the task]\n")
        return 2
    environments = ",".join(TASKS[arguments[0]])
    return subprocess.run([*tox(), "-e", environments, *arguments[1:]]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
