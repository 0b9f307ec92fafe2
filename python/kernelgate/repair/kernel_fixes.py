"""Changes of a kernel or of what its host allocates: a barrier between two accesses, memory that begins as zeros.

In: a candidate, and the lines of a fault. Out: its Python with the change, or None where the text shows no place for
it. Not here: which fault asks for which (`judge.endings.fault_fixes`). The judge proves the change.
"""

from __future__ import annotations

import re

from kernelgate.cuda_source import functions
from kernelgate.program.candidate import Candidate
from kernelgate.repair.launch_care import launching, with_rows

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


_EXPONENTIAL = re.compile(r"(?<![\w.])(?P<space>(?:std)?::)?(?:__)?exp(?P<float>f?)\s*(?=\()")
_MINUS_ONE = re.compile(r"\s*-\s*1(?:\.0*)?[fF]?(?![\w.]|\s*[*/])")


def with_expm1(candidate: Candidate) -> tuple[str, int] | None:
    """Every exp(x) - 1 of the program's C++ as expm1(x), which keeps the digits of a small x; and the line of the
    first."""
    for literal in candidate.literals:
        value, at, first = literal.value, 0, 0
        if "<<<" not in value and "__device__" not in value:
            continue
        changed = ""
        for found in _EXPONENTIAL.finditer(value):
            end = functions.closing(value, found.end()) + 1
            less = _MINUS_ONE.match(value, end)
            if found.start() < at or less is None:
                continue
            name = f"{found['space'] or ''}expm1{found['float']}"
            changed += value[at : found.start()] + name + value[found.end() : end]
            at, first = less.end(), first or functions.line_at(value, found.start())
        row = candidate.source_line(value, first) if first else None
        if row is not None and candidate.python.count(value) == 1:
            return candidate.python.replace(value, changed + value[at:]), row
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
