"""What can go wrong before a program runs, as exceptions with the place in the program's own sources.

Lines are those of the user's joined source strings. Not here: faults of a running kernel (`faults`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kernelgate.cuda_source import Refused as Refused

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Diagnostic:
    """One message of the compiler. The column is the rewritten line's: exact only left of a launch."""

    unit: str
    line: int
    column: int
    severity: Severity
    message: str


class CompileFailed(RuntimeError):
    """The compiler refused the program; `log` is its output, bounded."""

    def __init__(self, extension: str, log: str, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(f"Error building extension '{extension}': {log}")
        self.extension = extension
        self.log = log
        self.diagnostics = diagnostics


class ToolchainMissing(RuntimeError):
    """This machine cannot emulate as it is; the message says what to install or to change."""
