"""Shows a run while it goes on, in place, and at its end: one output, updated by its display id.

Outside of IPython, progress goes to standard error and the report to standard output.
"""

from __future__ import annotations

from typing import Any

from kernelgate.commands.terminal import Progress
from kernelgate.notebook.sources import shell_here
from kernelgate.report import Report
from kernelgate.report.mime_bundle import mime_bundle
from kernelgate.report.text import as_text


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
