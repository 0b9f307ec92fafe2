"""The one reader of CUDA C++ text: tokens, functions, launches, device code. It works by position, and compiles
nothing.

Here: the one error of these readers. **Invariant:** imports nothing else of kernelgate.
"""

from __future__ import annotations


class Refused(RuntimeError):
    """The program uses something that emulation does not cover; it was not compiled."""

    def __init__(self, what: str, unit: str | None = None, line: int | None = None) -> None:
        where = "" if line is None else f", line {line}"
        super().__init__(f"cannot be emulated: {what}{where}")
        self.what = what
        self.unit = unit
        self.line = line
