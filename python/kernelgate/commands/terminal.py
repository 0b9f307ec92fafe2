"""Shows a run where there is no notebook: progress on standard error, the report at its end."""

from __future__ import annotations

import sys
import time

from kernelgate.report import Report
from kernelgate.report.wording import doing

_EVERY_S = 10.0


class Progress:
    """One line on standard error, rewritten in place on a terminal; if there is none, a line every ten seconds."""

    def __init__(self) -> None:
        self._last = ""
        self._terminal = sys.stderr.isatty()
        self._began = self._printed = time.monotonic()

    def show(self, report: Report) -> None:
        """What a run that goes on is at."""
        if any(stage.state == "running" for stage in report.stages):
            self._last = doing(report)
            self.tick()

    def tick(self) -> None:
        """Time has passed: a build may take long without a word."""
        now = time.monotonic()
        line = f"{self._last}, {now - self._began:.0f} s"
        if self._last and self._terminal:
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
        elif self._last and now - self._printed >= _EVERY_S:
            self._printed = now
            print(line, file=sys.stderr, flush=True)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._terminal and self._last:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
