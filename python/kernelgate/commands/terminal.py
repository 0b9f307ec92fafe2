"""Shows a run where there is no notebook: progress on standard error, the report at its end."""

from __future__ import annotations

import sys

from kernelgate.report import Report
from kernelgate.report.wording import doing


class Progress:
    """One line on standard error for each stage and case; rewritten in place on a terminal."""

    def __init__(self) -> None:
        self._last = ""
        self._terminal = sys.stderr.isatty()

    def show(self, report: Report) -> None:
        if not any(stage.state == "running" for stage in report.stages):
            return
        line = doing(report)
        if self._terminal:
            print(f"\r\x1b[K{line}, {report.elapsed_s:.0f} s", end="", file=sys.stderr, flush=True)
        elif line != self._last:
            print(line, file=sys.stderr, flush=True)
        self._last = line

    def close(self) -> None:
        if self._terminal and self._last:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
