# Licensed under the Apache License, Version 2.0.
"""The gate, by which a full run fails when tests disappear or are skipped for no listed reason; no deadlines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import settings

GATE = Path(__file__).parent / "gate.json"

# On a busy machine an example of a property may take any time.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--gate", action="store_true", help="fail when tests are missing or skipped without being listed")


class Gate:
    """Counts what was collected and why tests were skipped."""

    def __init__(self, least: int, reasons: list[str]) -> None:
        self.least = least
        self.reasons = reasons
        self.collected = 0
        self.faults: list[str] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.collected = len(session.items)
        if self.collected < self.least:
            self.faults.append(f"{self.collected} tests were collected, {self.least} are expected at least")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped:
            self._check(report.nodeid, report.longrepr)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self._check(report.nodeid, report.longrepr)

    def _check(self, name: str, reason: object) -> None:
        text = str(reason[2]) if isinstance(reason, tuple) else str(reason)
        if not any(listed in text for listed in self.reasons):
            self.faults.append(f"{name} is skipped, which tests/gate.json does not list: {text}")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.faults:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for fault in self.faults:
            terminalreporter.write_line(f"gate: {fault}", red=True)


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--gate"):
        listed = json.loads(GATE.read_text())
        config.pluginmanager.register(Gate(listed["collected_at_least"], listed["skips"]), "gate")
