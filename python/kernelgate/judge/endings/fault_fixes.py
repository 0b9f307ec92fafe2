"""The fix of a fault of the device, where the program's text shows one.

In: a candidate, the kind of the fault, and its lines. Out: `Fix` or None. Not here: the changes themselves (`repair`),
what is tried for a fault out of bounds (`judge.bound_fix`), what is said of the fault (`judge.endings.findings`).
"""

from __future__ import annotations

from kernelgate.program import Candidate
from kernelgate.repair import kernel_fixes
from kernelgate.repair.edits import Fix


def fix_of_fault(candidate: Candidate, kind: str, line: int | None, other: int | None) -> Fix | None:
    """`line` and `other` are those of the person's cell."""
    if kind == "uninitialised":
        return kernel_fixes.zeroed(candidate)
    if kind in ("host_memory", "host_access"):
        return kernel_fixes.like_input(candidate)
    at, second = _python_line(candidate, line), _python_line(candidate, other)
    if kind == "race" and at is not None:
        return kernel_fixes.barrier(candidate, at, second)
    return None


def _python_line(candidate: Candidate, line: int | None) -> int | None:
    count = candidate.python.count("\n") + 1
    return next((n for n in range(1, count + 1) if line is not None and candidate.line(n) == line), None)
