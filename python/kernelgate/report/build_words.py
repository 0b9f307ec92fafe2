"""What the instructions of a line say, in words, and what would help. Never a time.

In: `LineBuild`s. Out: short phrases and sentences that the record, HTML and text share.
Not here: the counting (`nvrtc.instructions`).
"""

from __future__ import annotations

from kernelgate.report import numbers
from kernelgate.report.line_facts import LineBuild

MOST_MARKS = 5  # in an editor
_LOCAL = ("local load", "local store")


def words(line: LineBuild) -> str:
    """4 fp32, 2 integer, 1 local load"""
    return ", ".join(f"{numbers.thousands(one.count)} {one.kind}" for one in line.counts)


def advice(line: LineBuild) -> str:
    """What would help, in one sentence; nothing if nothing is known to be lost."""
    if any(_count(line, kind) for kind in _LOCAL):
        return (
            "An array of a thread is in local memory, because an index is not known to the compiler: use constant "
            "indices, in loops that unroll, so that it stays in registers; or put it into shared memory"
        )
    if _count(line, "fp64") and _count(line, "conversion"):
        return (
            "Computed in fp64 between conversions: write constants as 0.1f, and call the functions for float, "
            "such as sqrtf"
        )
    return ""


def mark(line: LineBuild) -> str:
    """Local memory: 1 local load; or Double precision: 1 fp64, 3 conversion"""
    local = [one for one in line.counts if one.kind in _LOCAL]
    if not advice(line):
        return ""
    shown = local or [one for one in line.counts if one.kind in ("fp64", "conversion")]
    title = "Local memory" if local else "Double precision"
    return f"{title}: {', '.join(f'{numbers.thousands(one.count)} {one.kind}' for one in shown)}"


def place(line: LineBuild) -> str:
    """line 12"""
    return f"line {line.line}" if line.line is not None else line.kernel


def worst_first(lines: list[LineBuild]) -> list[LineBuild]:
    """Those where something helps, then the longest, then as in the source."""
    return sorted(lines, key=lambda line: (not advice(line), -sum(one.count for one in line.counts), line.line or 0))


def _count(line: LineBuild, kind: str) -> int:
    return sum(one.count for one in line.counts if one.kind == kind)
