"""Judges a program of the corpus, and prints all verdicts in a table at the end."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kernelgate.report import Report

from .corpus import Device, Program
from .judged import judge

_ROW = "verdict of the corpus"

Judged = Callable[[Program, Device], Report]


@pytest.fixture
def judged(record_property: Callable[[str, object], None]) -> Judged:
    """The report of a program."""

    def judged(program: Program, device: Device) -> Report:
        report = judge(program, device)
        assert report.verdict is not None
        verdict = f"{report.verdict.outcome}: {report.verdict.sentence}"
        record_property(_ROW, f"{program.number:>2}  {program.name:<32} {device:<9} {verdict}")
        return report

    return judged


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What the tests recorded: they may have run in other processes."""
    ended = [report for reports in terminalreporter.stats.values() for report in reports]
    calls = [report for report in ended if getattr(report, "when", "") == "call"]
    rows = [value for call in calls for name, value in call.user_properties if name == _ROW]
    if rows:
        terminalreporter.section("verdicts of the corpus")
    for row in sorted(rows):
        terminalreporter.write_line(row)
