"""Shows a run while it goes on, in place, and at its end: one output, updated by its display id.

Its MIME bundle has three renderings, of which a viewer draws the richest that it knows; at the end of a run there is
also the text that a person copies for a model, which no viewer draws. Outside of IPython, progress goes to standard
error and the report to standard output.
"""

from __future__ import annotations

from typing import Any

import msgspec

from kernelgate.commands.terminal import Progress
from kernelgate.notebook.sources import shell_here
from kernelgate.report import Report
from kernelgate.report.html import as_html
from kernelgate.report.model_text import as_model_text
from kernelgate.report.text import as_text
from kernelgate.report.types import REPORT_MIME

MODEL_MIME = "application/vnd.kernelgate.model"


def mime_bundle(report: Report) -> dict[str, Any]:
    """The MIME bundle of a report, running or finished."""
    bundle = {
        REPORT_MIME: msgspec.to_builtins(report),
        "text/html": as_html(report),
        "text/plain": as_text(report),
    }
    if report.verdict is not None:
        bundle[MODEL_MIME] = as_model_text(report)
    return bundle


class LiveDisplay:
    """One output of the running cell."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, report: Report) -> None:
        from IPython.display import display

        if self._handle is None:
            self._handle = display(mime_bundle(report), raw=True, display_id=True)
        else:
            self._handle.update(mime_bundle(report), raw=True)

    def close(self, report: Report) -> None:
        self.show(report)


class TerminalDisplay:
    """The same, where there is no notebook."""

    def __init__(self) -> None:
        self._progress = Progress()

    def show(self, report: Report) -> None:
        self._progress.show(report)

    def close(self, report: Report) -> None:
        self._progress.close()
        print(as_text(report))


def display_here() -> LiveDisplay | TerminalDisplay:
    """What shows a run in this process."""
    return TerminalDisplay() if shell_here() is None else LiveDisplay()
