"""The time of a run: how long it may take, and what took it.

In: the limit that a person gave. Out: the deadline, which counts from the program's first step, and words for how the
time was spent. Loading PyTorch, and the reference's own preparation, are over by then.
"""

from __future__ import annotations

import math
import time


class RunClock:
    """`limit_s`: of the run, 0 for none. `program_s` and `compiling_s`: what it has spent on the program's calls and on
    its compilers."""

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self.program_s = 0.0
        self.compiling_s = 0.0
        self._began: float | None = None

    def begin(self) -> bool:
        """The program takes its first step now. False if it did so before."""
        first = self._began is None
        if first:
            self._began = time.monotonic()
        return first

    def spent(self, program_s: float, compiling_s: float) -> None:
        """Seconds since the first step."""
        if self._began is not None:
            self.program_s += program_s
            self.compiling_s += compiling_s

    @property
    def deadline(self) -> float:
        """By the monotonic clock; endless before the program's first step and without a limit."""
        return self._began + self.limit_s if self._began is not None and self.limit_s else math.inf

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self.deadline

    @property
    def by_the_program(self) -> bool:
        """Whether the program and its compilers have taken most of the time."""
        return self.program_s + self.compiling_s >= self._elapsed_s / 2

    def words(self) -> str:
        """2.1 s compiling, 0.4 s in the program, 3.5 s in the reference and the comparison"""
        rest_s = max(0.0, self._elapsed_s - self.program_s - self.compiling_s)
        parts = (
            (self.compiling_s, "compiling"),
            (self.program_s, "in the program"),
            (rest_s, "in the reference and the comparison"),
        )
        return ", ".join(f"{seconds:.1f} s {words}" for seconds, words in parts if seconds >= 0.05)

    @property
    def _elapsed_s(self) -> float:
        return time.monotonic() - self._began if self._began is not None else 0.0
