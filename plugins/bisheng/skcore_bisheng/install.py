# Licensed under the Apache License, Version 2.0.
"""Where the vendor's toolchain is installed: ``ASCEND_HOME_PATH`` and PATH (spec jit §11.4)."""

from __future__ import annotations

import os
import platform
import shutil
from dataclasses import dataclass
from pathlib import Path

from skcore.errors import ToolError

PROGRAMS = ("bisheng", "ld.lld", "llvm-objcopy")
_REMEDY = "install the CANN toolkit, source its set_env.sh, or use --dry-run; --toolchain twin needs none of it"


@dataclass(frozen=True, slots=True)
class Installation:
    """The toolkit's root folder, and the machine name in its folder names."""

    root: str
    machine: str

    @property
    def include_folders(self) -> tuple[str, ...]:
        """The folders of the device headers, in the order in which they are searched."""
        host = f"{self.root}/{self.machine}-linux"
        asc = f"{host}/asc"
        apis = ("adv_api", "basic_api", "c_api", "micro_api", "simt_api", "utils")
        public = ("adv_api", "basic_api", "aicpu_api", "c_api", "micro_api", "simt_api", "utils")
        return (
            *(f"{asc}/impl/{name}" for name in apis),
            f"{asc}/include",
            *(f"{asc}/include/{name}" for name in public),
            f"{host}/ascendc/act",
            f"{asc}/impl",
            f"{host}/tikcpp",
            f"{self.root}/include",
            f"{self.root}/include/ascendc",
            f"{host}/tikcpp/tikcfw",
            f"{host}/tikcpp/tikcfw/impl",
            f"{host}/tikcpp/tikcfw/interface",
        )


def missing_parts() -> list[str]:
    """What of the toolchain is not there."""
    root = os.environ.get("ASCEND_HOME_PATH", "")
    missing = [f"{program} is not on PATH" for program in PROGRAMS if shutil.which(program) is None]
    if not root:
        missing.append("ASCEND_HOME_PATH is not set")
    elif not Path(root).is_dir():
        missing.append(f"ASCEND_HOME_PATH names {root}, which is no folder")
    return missing


def find_installation() -> Installation:
    """The installed toolkit.

    Raises:
        ToolError: everything that is missing.
    """
    missing = missing_parts()
    if missing:
        raise ToolError(f"toolchain bisheng cannot be used: {'; '.join(missing)} ({_REMEDY})")
    machine = "x86_64" if "x86" in platform.machine() else "aarch64"
    return Installation(os.environ["ASCEND_HOME_PATH"], machine)
