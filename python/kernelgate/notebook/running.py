"""`kernelgate.verify`, `benchmark` and `profile`: one run from Python, shown live where there is a notebook."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from typing import Any, Literal

from kernelgate.commands.option_table import OURS, job_of, rows
from kernelgate.commands.options import undone
from kernelgate.commands.references import with_reference
from kernelgate.commands.subcommands import program_of
from kernelgate.messages.job import Verb, suggestion
from kernelgate.notebook.display import LiveDisplay, display_here
from kernelgate.notebook.drawing import remember_reference
from kernelgate.notebook.magic_line import said_by_magic
from kernelgate.notebook.sources import (
    Cell,
    NotebookCells,
    cell_named,
    needed_of_other_cells,
    running_cell,
    watch_cells,
)
from kernelgate.program import Source
from kernelgate.report import Report
from kernelgate.report.model_text import as_model_text
from kernelgate.report.text import as_text
from kernelgate.run import Job, UsageError, run

Format = Literal["report", "model"]


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


_RAISES = """
Raises UsageError for what does not exist, KeyboardInterrupt where the run is interrupted.
"""


def _of(verb: Verb, does: str) -> Callable[..., Any]:
    """The function of a verb, with the options of a run in its signature, for completion and Shift-Tab, and in its
    docstring."""

    def function(
        problem: str | None = None,
        *,
        cell: str | int | None = None,
        source: str | None = None,
        label: str = "program",
        format: Format = "report",
        **options: Any,
    ) -> Any:
        return _run(verb, problem, cell, source, label, format, options)

    signature = inspect.signature(function, eval_str=True)
    own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
    options = [row for row in rows(verb=verb) if row.name not in signature.parameters]
    parameters = [*own, *(row.parameter for row in options)]
    function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    lines = [f"    {row.name}: {row.help}" for row in options]
    function.__doc__ = "\n".join([inspect.cleandoc(does), "", "Options:", *lines, _RAISES])
    function.__name__ = function.__qualname__ = verb
    return function


verify = _of(
    "verify",
    """Builds and checks a candidate, and returns the report.

    The candidate is `source`, a program's text, or a notebook's `cell`: its id, or n of "In [n]". It is checked against
    `problem`, an operator of the catalogue, or against `reference`. With a problem alone, our own program is checked.
    A cell is taken with what it uses of other cells that were executed, and with the options of a magic of ours above
    it. With format="model" nothing is shown, and the report is text for a model, at most 600 tokens.

        kernelgate.verify("leakyrelu", cell=3)
    """,
)
benchmark = _of(
    "benchmark",
    """Builds and checks a candidate as `verify` does, times it against PyTorch, and returns the report.

    kernelgate.benchmark("leakyrelu", cell=3, against="eager,compile")
    """,
)
profile = _of(
    "profile",
    """Builds, checks and times a candidate as `benchmark` does, and reports what it did on the device.

    kernelgate.profile("leakyrelu", cell=3, trace="trace.json")
    """,
)


def _run(
    verb: Verb,
    problem: str | None,
    cell: str | int | None,
    source: str | None,
    label: str,
    format: Format,
    options: dict[str, Any],
) -> ShownReport | str:
    if format not in typing.get_args(Format):
        raise UsageError(f"There is no format {format!r}", suggestion(str(format), typing.get_args(Format)))
    known_names = [row.name for row in rows(verb=verb)]
    for name in options:
        if name not in known_names:
            raise UsageError(f"{verb} takes no {name}", suggestion(name, known_names))
    if cell is not None and source is not None:
        raise UsageError("Two programs are given, source= and cell=", "Pass one of them")
    cell_id: str | None = None
    ours = cell is None and source is None
    above: tuple[Source, ...] = ()
    if cell is not None:
        known = cell_named(cell)
        source, label, cell_id = known.text, known.label, known.cell_id
        by_magic = said_by_magic(source)
        if by_magic is not None:  # its options are the cell's, if the call does not say them itself
            options = {**by_magic.options, **options}
            problem = problem or options.pop("problem", None)
            ours = by_magic.uses_ours and "reference" not in options
        above = needed_of_other_cells(source)
    if ours:
        above = ()
        if problem is None:
            raise UsageError(
                "No program is given", "Pass source=, cell=, or the id of a problem that has a program"
            )
        source, label = program_of(problem), OURS
    assert source is not None
    written, reference = with_reference({**options, "problem": problem}, source, NotebookCells())
    job = job_of(written, verb, source, label, above=above, cell_id=cell_id, ours=ours, reference=reference)
    if format == "model":
        return as_model_text(run(job))
    shown = shown_run(job)
    for words in undone({name: value for name, value in written.items() if value is not None}, shown.report):
        print(words)
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
