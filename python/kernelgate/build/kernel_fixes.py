"""Changes of a kernel or of what its host allocates: a barrier between two accesses, memory that begins as zeros.

In: a candidate, and the lines of a fault. Out: its Python with the change, or None where the text shows no place for
it. Not here: which fault asks for which (`judge.fault_fixes`). The judge proves the change.
"""

from __future__ import annotations

import re

from kernelgate.build.launch_care import launching, with_rows
from kernelgate.program.candidate import Candidate

_EMPTY = re.compile(r"\b(torch|at)::empty(_like)?(?=\s*\()")


_ADDS = re.compile(r"\batomic\w+\s*\(|[+|&^]=|-=")


def zeroed(candidate: Candidate) -> str | None:
    """The one tensor that a launching function makes, as zeros, where a kernel adds to memory."""
    if not any(_ADDS.search(literal.value) for literal in candidate.literals if "<<<" in literal.value):
        return None
    for host in launching(candidate):
        rows = candidate.python.split("\n")
        body = range(host.body_line, host.body_line + host.body.count("\n"))
        made = [at for at in body if at < len(rows) and _EMPTY.search(rows[at])]
        if len(made) == 1:
            rows[made[0]] = _EMPTY.sub(lambda found: f"{found[1]}::zeros{found[2] or ''}", rows[made[0]])
            return "\n".join(rows)
    return None


_MADE = re.compile(r"\b((?:torch|at)::(?:empty|zeros))\(\s*(\{[^{}]*\})\s*(?:,[^;]*)?\);")


def made_like_input(candidate: Candidate) -> tuple[str, int] | None:
    """The one tensor that a launching function makes by its sizes, with dtype and device of the first input; and its
    line."""
    for host in launching(candidate):
        rows = candidate.python.split("\n")
        body = range(host.body_line, min(host.body_line + host.body.count("\n"), len(rows)))
        made = [at for at in body if _MADE.search(rows[at])]
        if len(made) == 1:
            before = rows[made[0]]
            rows[made[0]] = _MADE.sub(rf"\1(\2, {host.tensors[0].name}.options());", before)
            return ("\n".join(rows), made[0] + 1) if rows[made[0]] != before else None
    return None


def with_barrier(candidate: Candidate, line: int, other: int | None) -> str | None:
    """__syncthreads() behind the first of two rows of the Python; behind the branches that the row stands in, since
    every thread of the block must come to it."""
    rows = candidate.python.split("\n")
    at = min(line, other or line)
    if not rows[at - 1].rstrip().endswith(";") or "__syncthreads" in rows[at - 1]:
        return None
    indent = _depth(rows[at - 1])
    while (header := _header(rows, at, indent)) is not None and re.match(
        r"\s*(?:\}\s*else\b|(?:else\s+)?if\b|else\b)", rows[header - 1]
    ):
        indent = _depth(rows[header - 1])
        if rows[header - 1].rstrip().endswith("{"):
            closing = (
                n
                for n in range(at + 1, len(rows) + 1)
                if rows[n - 1].strip() and _depth(rows[n - 1]) <= indent
            )
            at = next(closing, at)
    return with_rows(candidate, at, [f"{' ' * indent}__syncthreads();"], "").python


def _header(rows: list[str], at: int, indent: int) -> int | None:
    """The line above that is indented less: of the block around."""
    return next(
        (n for n in range(at - 1, 0, -1) if rows[n - 1].strip() and _depth(rows[n - 1]) < indent), None
    )


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())
