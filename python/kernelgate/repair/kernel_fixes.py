"""Certain fixes of a kernel, its launch, or what its host allocates: a barrier, zeros, shared memory, inputs
without gaps, a constant.

In: a candidate, and the lines of a fault. Out: `Fix`, with its line if the failure names it; None if the text shows no
place for it. Not here: which fault asks for which (`judge.endings`, `judge.verdict`). The judge proves the change.
"""

from __future__ import annotations

import math
import re

from kernelgate.cuda_source import functions
from kernelgate.program.candidate import Candidate
from kernelgate.repair.edits import Fix, rewriting
from kernelgate.repair.launches import launching, read_as_they_lie
from kernelgate.repair.rewrites import with_rows

_EMPTY = re.compile(r"\b(torch|at)::empty(_like)?(?=\s*\()")
_ADDS = re.compile(r"\batomic\w+\s*\(|[+|&^]=|-=")


def zeroed(candidate: Candidate) -> Fix | None:
    """The one tensor that a launching function makes, as zeros, where a kernel adds to memory."""
    if not any(_ADDS.search(literal.value) for literal in candidate.literals if "<<<" in literal.value):
        return None
    for host in launching(candidate):
        rows = candidate.python.split("\n")
        body = range(host.body_line, host.body_line + host.body.count("\n"))
        made = [at for at in body if at < len(rows) and _EMPTY.search(rows[at])]
        if len(made) == 1:
            rows[made[0]] = _EMPTY.sub(lambda found: f"{found[1]}::zeros{found[2] or ''}", rows[made[0]])
            return rewriting(candidate, "\n".join(rows), "Allocate it with zeros: the kernel adds to it")
    return None


_MADE = re.compile(r"\b((?:torch|at)::(?:empty|zeros))\(\s*(\{[^{}]*\})\s*(?:,[^;]*)?\);")


def like_input(candidate: Candidate) -> Fix | None:
    """The one tensor that a launching function makes by its sizes, with dtype and device of the first input."""
    for host in launching(candidate):
        rows = candidate.python.split("\n")
        body = range(host.body_line, min(host.body_line + host.body.count("\n"), len(rows)))
        made = [at for at in body if _MADE.search(rows[at])]
        if len(made) == 1:
            rows[made[0]] = _MADE.sub(rf"\1(\2, {host.tensors[0].name}.options());", rows[made[0]])
            step = "Make the result with the input's dtype and device: options()"
            return rewriting(candidate, "\n".join(rows), step)
    return None


def contiguous_inputs(candidate: Candidate) -> tuple[Fix, int] | None:
    """Inputs without gaps in the first host function that looks at no stride, and the line of its body."""
    step = "Make the inputs contiguous first: the kernel takes the elements as they lie in memory"
    for host in launching(candidate):
        named = read_as_they_lie(host)
        if named:
            rows = [f"{host.indent}{each.name} = {each.name}.contiguous();" for each in named]
            fix = rewriting(candidate, with_rows(candidate, host.body_line, rows), step)
            return (fix, host.body_line) if fix is not None else None
    return None


_NUMBER = re.compile(r"(?<![\w.])(?P<digits>\d+\.\d*|\.\d+)(?P<suffix>[fF]?)(?![\w.])|(?P<comment>//.*|#.*)")


def constant(candidate: Candidate, got: float, wanted: float) -> tuple[Fix, int] | None:
    """The one number of the program that is `got`, as `wanted`, and its line."""
    rows = candidate.python.split("\n")
    found = [
        (at, number)
        for at, row in enumerate(rows)
        for number in _NUMBER.finditer(row)
        if number["digits"] and math.isclose(float(number["digits"]), got, rel_tol=1e-5)
    ]
    if len(found) != 1:
        return None
    at, number = found[0]
    right = f"{wanted:.6g}{number['suffix']}"
    rows[at] = rows[at][: number.start()] + right + rows[at][number.end() :]
    fix = rewriting(candidate, "\n".join(rows), f"Write {right} in place of {number[0]}")
    return (fix, at + 1) if fix is not None else None


_LAUNCHES = re.compile(r"^(?P<indent>[ \t]*)(?P<kernel>[A-Za-z_][\w:]*(?:<[^;]*>)?)[ \t]*<<<")
_ALLOWED = "cudaFuncAttributeMaxDynamicSharedMemorySize"


def allowed_memory(candidate: Candidate) -> Fix | None:
    """Every launch that passes an amount of dynamic shared memory, with its kernel allowed as much."""
    rows = candidate.python.split("\n")
    above: dict[int, str] = {}
    for literal in candidate.literals:
        for launch in functions.launches(literal.value):
            row = literal.line_of(launch.line)
            found = _LAUNCHES.match(rows[row - 1])
            amount = launch.configuration[2] if len(launch.configuration) > 2 else "0"
            if found is None or amount == "0" or not _begins(rows[row - 2]):
                continue
            request = f"cudaFuncSetAttribute({found['kernel']}, {_ALLOWED}, {amount});"
            if request not in literal.value:
                above[row] = f"{found['indent']}{request}"
    for row, request in sorted(above.items(), reverse=True):
        rows.insert(row - 1, request)
    step = "Allow the kernel that much dynamic shared memory before the launch"
    return rewriting(candidate, "\n".join(rows), step)


def _begins(row: str) -> bool:
    """Whether a statement begins below a row."""
    code = row.partition("//")[0].rstrip()
    return not code or code.endswith((";", "{", "}"))


def barrier(candidate: Candidate, line: int, other: int | None) -> Fix | None:
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
    changed = with_rows(candidate, at, [f"{' ' * indent}__syncthreads();"])
    step = "Let all threads of the block wait between the two: __syncthreads()"
    return rewriting(candidate, changed, step)


def _header(rows: list[str], at: int, indent: int) -> int | None:
    """The line above that is indented less: of the block around."""
    return next(
        (n for n in range(at - 1, 0, -1) if rows[n - 1].strip() and _depth(rows[n - 1]) < indent), None
    )


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())
