"""Shows a run while it goes on, in place, and at its end: one output, updated by its display id."""

from __future__ import annotations

from typing import Any

from kernelgate.report import Report
from kernelgate.report.bundle import bundle


class LiveDisplay:
    """One output of the running cell. Outside of IPython it shows nothing."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, report: Report) -> None:
        from IPython import get_ipython
        from IPython.display import DisplayHandle, display

        if get_ipython() is None:
            return
        if self._handle is None:
            self._handle = display(bundle(report), raw=True, display_id=True)
        elif isinstance(self._handle, DisplayHandle):
            self._handle.update(bundle(report), raw=True)
