"""Judges the programs of the corpus, several at a time, and prints their verdicts in a table at the end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from kernelgate.report import Report
from kernelgate.run import Job, new_run_id, run

from .corpus import Device, Program

# Small enough for many runs, large enough for several blocks and tiles.
_SHAPES = {"leakyrelu": (512, 8192), "gemm_scale_leakyrelu": (256, 1024, 1024)}
_ROW = "verdict of the corpus"

Judged = Callable[[Program, Device], Report]


def _judge(program: Program, device: Device) -> Report:
    return run(
        Job(
            run=new_run_id(),
            text=program.text,
            label=f"{program.name}.py",
            problem=program.problem,
            contract=program.contract,  # type: ignore[arg-type]
            device=device,
            all_values=program.asks == "all values",
            every_size=program.asks == "all sizes",
            shape=_SHAPES[program.problem] if device == "cuda" else None,
        )
    )


@pytest.fixture(scope="session")
def reports(request: pytest.FixtureRequest) -> Iterator[dict[tuple[Program, Device], Future[Report]]]:
    """All that this session's tests ask for, judged as many at a time as there are processors."""
    pool = ThreadPoolExecutor(min(8, os.cpu_count() or 1))
    pending: dict[tuple[Program, Device], Future[Report]] = {}
    for item in request.session.items:
        parameters = (
            item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        )
        # A test of another folder may call something else a program.
        if isinstance(parameters.get("program"), Program) and not item.get_closest_marker("skip"):
            key = (parameters["program"], parameters["device"])
            pending[key] = pool.submit(_judge, *key)
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
