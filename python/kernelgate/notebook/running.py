"""`kernelgate.verify`: one run from Python, shown live where there is a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from kernelgate.judge import Job, UsageError, new_run_id, parse_shape, run
from kernelgate.judge.job import checked
from kernelgate.notebook.display import LiveDisplay
from kernelgate.notebook.sources import cell_text
from kernelgate.report import Report
from kernelgate.report.bundle import bundle


class ShownReport:
    """A report that displays itself, once: what was shown while it ran is not shown again."""

    def __init__(self, report: Report, *, shown: bool) -> None:
        self.report = report
        self._shown = shown

    def __getattr__(self, name: str) -> Any:
        return getattr(self.report, name)

    def __repr__(self) -> str:
        return str(bundle(self.report)["text/plain"])

    def _ipython_display_(self) -> None:
        if not self._shown:
            LiveDisplay().show(self.report)
        self._shown = False

    def to_json(self) -> str:
        """The report as JSON text."""
        return msgspec.json.encode(self.report).decode()


def verify(
    problem: str | None = None,
    *,
    cell: str | None = None,
    source: str | None = None,
    label: str | None = None,
    first_line: int = 1,
    reference: str | None = None,
    shape: str | None = None,
    sizes: Mapping[str, int] | None = None,
    dtype: str = "float32",
    device: str = "auto",
    contract: str = "problem",
    arch: str | None = None,
    seed: int | None = None,
) -> ShownReport:
    """Builds and checks a candidate, given as `source` text or as the id of a notebook `cell`.

    `problem`: a catalogue id; `reference`: a reference program's text instead. Without `cell` and `source` the
    catalogue's own program is checked. Raises UsageError for what does not exist.
    """
    if cell is not None and source is None:
        source = cell_text(cell)
        label = label or "the cell above"
        if source is None:
            raise UsageError(
                "The cell is not known in this kernel", "Press Verify on the cell, then run this one"
            )
    if source is None:
        from kernelgate.catalogue import operators

        operator = operators().get(problem or "")
        source = operator.program_text if operator is not None else None
        label = "the catalogue's program"
        if source is None:
            raise UsageError("No program is given", "Pass source=, or the id of a problem that has a program")
    job = checked(
        Job(
            run=new_run_id(),
            text=source,
            label=label or "program",
            first_line=first_line,
            cell_id=cell,
            problem=problem if reference is None else None,
            reference=reference,
            reference_label="reference" if reference is not None else "",
            device=device,
            contract=contract,  # type: ignore[arg-type]
            shape=parse_shape(shape) if shape else None,
            sizes=dict(sizes or {}),
            dtype=dtype,
            arch=arch,
            seed=seed,
        )
    )
    live = LiveDisplay()
    report = run(job, live.show)
    live.show(report)
    return ShownReport(report, shown=True)
