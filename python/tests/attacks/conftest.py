"""Judges the programs of the corpus, several at a time, and prints their verdicts in a table at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from kernelgate.report import Report

from .corpus import Device, Program
from .judged import AT_ONCE, judge

_ROW = "verdict of the corpus"

Judged = Callable[[Program, Device], Report]


@pytest.fixture(scope="session")
def reports(request: pytest.FixtureRequest) -> Iterator[dict[tuple[Program, Device], Future[Report]]]:
    """All that this session's tests ask for, judged several at a time."""
    pool = ThreadPoolExecutor(AT_ONCE)
    pending: dict[tuple[Program, Device], Future[Report]] = {}
    for item in request.session.items:
        parameters = (
            item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        )
        # A test of another folder may call something else a program.
        if isinstance(parameters.get("program"), Program) and not item.get_closest_marker("skip"):
            key = (parameters["program"], parameters["device"])
            pending[key] = pool.submit(judge, *key)
    try:
        yield pending
    finally:
        pool.shutdown(cancel_futures=True)


@pytest.fixture
def judged(
    reports: dict[tuple[Program, Device], Future[Report]], record_property: Callable[[str, object], None]
) -> Judged:
    """The report of a program."""

    def judged(program: Program, device: Device) -> Report:
        report = reports[program, device].result()
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
