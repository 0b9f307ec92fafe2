"""The fix of a fault of the device, where the program's text shows one.

In: a candidate, the kind of the fault, and its lines. Out: `Fix` or None. Not here: the changes themselves (`build`),
and what is said of the fault (`judge.endings.findings`).
"""

from __future__ import annotations

from kernelgate.program import Candidate
from kernelgate.repair import kernel_fixes
from kernelgate.repair.python_fixes import (
    Fix,
    bounded,
    like_input,
    padded_to_vectors,
    rewriting,
    shared_bytes,
)


def fix_of_fault(candidate: Candidate, kind: str, line: int | None, other: int | None) -> Fix | None:
    """`line` and `other` are those of the person's cell."""
    if kind == "out_of_bounds":
        tail = padded_to_vectors(candidate)
        return shared_bytes(candidate) or (tail[0] if tail is not None else bounded(candidate))
    if kind == "uninitialised":
        return rewriting(
            candidate, kernel_fixes.zeroed(candidate), "Allocate it with zeros: the kernel adds to it"
        )
    if kind in ("host_memory", "host_access"):
        return like_input(candidate)
    at, second = _python_line(candidate, line), _python_line(candidate, other)
    if kind == "race" and at is not None:
        step = "Let all threads of the block wait between the two: __syncthreads()"
        return rewriting(candidate, kernel_fixes.with_barrier(candidate, at, second), step)
    return None


def _python_line(candidate: Candidate, line: int | None) -> int | None:
    count = candidate.python.count("\n") + 1
    return next((n for n in range(1, count + 1) if line is not None and candidate.line(n) == line), None)
