"""Judges the programs of the corpus, several at a time, and prints their verdicts in a table at the end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from kernelgate.judge import Job, new_run_id, run
from kernelgate.report import Report

from .corpus import Device, Program

# Small enough for many runs, large enough for several blocks and tiles.
_SHAPES = {"leakyrelu": (512, 8192), "gemm_scale_leakyrelu": (256, 1024, 1024)}
_ROWS = pytest.StashKey[list[tuple[int, str, str, str]]]()

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
            shape=_SHAPES[program.problem] if device == "cuda" else None,
        )
    )


@pytest.fixture(scope="session")
def judged(request: pytest.FixtureRequest) -> Iterator[Judged]:
    """The report of a program. All that this session asks for are judged at once, as many as there are processors."""
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
    rows = request.config.stash.setdefault(_ROWS, [])

    def judged(program: Program, device: Device) -> Report:
        report = pending[program, device].result()
        assert report.verdict is not None
        rows.append(
            (program.number, program.name, device, f"{report.verdict.outcome}: {report.verdict.sentence}")
        )
        return report

    try:
        yield judged
    finally:
        pool.shutdown(cancel_futures=True)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    rows = config.stash.get(_ROWS, [])
    if rows:
        terminalreporter.section("verdicts of the corpus")
    for number, name, device, verdict in sorted(rows):
        terminalreporter.write_line(f"{number:>2}  {name:<32} {device:<9} {verdict}")
