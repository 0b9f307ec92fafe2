"""`kernelgate.verify`, `benchmark` and `profile`: one run from Python, shown live where there is a notebook."""

from __future__ import annotations

import dataclasses
from typing import Any

from kernelgate.commands.options import RunOptions, suggestion
from kernelgate.commands.subcommands import program_of
from kernelgate.messages.job import Verb
from kernelgate.notebook.display import LiveDisplay, display_here
from kernelgate.notebook.drawing import remember_reference
from kernelgate.notebook.sources import Cell, cell_named, running_cell, watch_cells
from kernelgate.report import Report
from kernelgate.report.data import as_json
from kernelgate.report.text import as_text
from kernelgate.run import Job, UsageError, run


class Cancelled(KeyboardInterrupt):
    """The person interrupted the run. It ends the cell, as any interrupt does; the report is shown above it."""

    def _render_traceback_(self) -> list[str]:
        return [f"KeyboardInterrupt: {self}"]


class ShownReport:
    """A report that displays itself, except in the cell that showed it while it ran."""

    def __init__(self, report: Report, shown_in: Cell | None) -> None:
        self.report = report
        self._shown_in = shown_in

    def __getattr__(self, name: str) -> Any:
        return getattr(self.report, name)

    def __repr__(self) -> str:
        verdict = self.report.verdict
        return f"<report {self.report.run}: {verdict.sentence if verdict is not None else 'no verdict'}>"

    def __str__(self) -> str:
        return as_text(self.report)

    def _ipython_display_(self) -> None:
        if running_cell() is not self._shown_in:
            LiveDisplay().show(self.report)

    def to_json(self) -> str:
        """The report as JSON text."""
        return as_json(self.report)


def verify(
    problem: str | None = None,
    *,
    cell: str | int | None = None,
    source: str | None = None,
    label: str = "program",
    **options: Any,
) -> ShownReport:
    """Builds and checks a candidate, given as `source` text or as a notebook's `cell`: its id, or n of "In [n]".

    `problem`: a catalogue id. Without `cell` and `source` the catalogue's own program is checked. Options, by the names
    that they have in a shell: `reference` (a reference program's text, instead of `problem`), `shape="64x3072"`,
    `sizes={"batch_size": 64}`, `dtype`, `device`, `contract`, `arch`, `allow_arithmetic`, `seed`, and `timeout`, the
    seconds that the run may take. Raises UsageError for what does not exist, KeyboardInterrupt where it is interrupted.
    """
    return _run("verify", problem, cell, source, label, options)


def benchmark(
    problem: str | None = None,
    *,
    cell: str | int | None = None,
    source: str | None = None,
    label: str = "program",
    **options: Any,
) -> ShownReport:
    """As `verify`, and times the candidate against PyTorch. Options beside those: `budget`, the seconds for which times
    are taken, and `against="eager,compile"`."""
    return _run("benchmark", problem, cell, source, label, options)


def profile(
    problem: str | None = None,
    *,
    cell: str | int | None = None,
    source: str | None = None,
    label: str = "program",
    **options: Any,
) -> ShownReport:
    """As `benchmark`, and tells what the candidate did on the device."""
    return _run("profile", problem, cell, source, label, options)


def _run(
    verb: Verb,
    problem: str | None,
    cell: str | int | None,
    source: str | None,
    label: str,
    given: dict[str, Any],
) -> ShownReport:
    known_names = [field.name for field in dataclasses.fields(RunOptions) if field.name != "verb"]
    for name in given:
        if name not in known_names:
            raise UsageError(f"{verb} takes no {name}", suggestion(name, known_names))
    options = RunOptions(problem=problem, verb=verb, **given)
    if cell is not None and source is not None:
        raise UsageError("Two programs are given, source= and cell=", "Pass one of them")
    if cell is not None:
        known = cell_named(cell)
        job = options.job(known.text, known.label, cell_id=known.cell_id)
    elif source is not None:
        job = options.job(source, label)
    elif problem is not None:
        job = options.job(program_of(problem), "the catalogue's program")
    else:
        raise UsageError(
            "No program is given", "Pass source=, cell=, or the id of a problem that has a program"
        )
    shown = shown_run(job)
    verdict = shown.report.verdict
    if verdict is not None and verdict.kind == "cancelled":
        raise Cancelled(verdict.sentence)
    return shown


def shown_run(job: Job) -> ShownReport:
    """Runs a job and shows it, from its first report to its last."""
    watch_cells()
    remember_reference(job)
    display = display_here()
    report = run(job, display.show)
    display.close(report)
    return ShownReport(report, running_cell())
