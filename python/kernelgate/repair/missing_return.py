"""A C++ function that has a result and no return statement: what happens at its end is undefined, mostly a crash.

In: a candidate and a source that it compiled. Out: where, and the fix where the function makes one tensor. The judge
proves a fix before it is offered.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kernelgate.cuda_source import functions
from kernelgate.program.candidate import Candidate
from kernelgate.repair.python_fixes import Fix, rewriting

_ENDS = re.compile(r"\b(?:return|throw|co_return|abort|exit|__builtin_unreachable)\b|\basm\b")
_MADE = re.compile(r"^[ \t]*(?:auto|(?:torch|at)::Tensor) (\w+) = (?:torch|at)::\w+\(", re.MULTILINE)


@dataclass(frozen=True)
class MissingReturn:
    """`row`: of the candidate's Python, the function's last line; None where no literal shows it."""

    function: str
    returns: str
    row: int | None
    fix: Fix | None


def missing_return(candidate: Candidate, source: str) -> MissingReturn | None:
    """The first such function of a source."""
    seen = functions.without_directives(functions.blank(source))
    rows = seen.split("\n")
    for each in functions.functions(source):
        if not each.defined or each.kind != "host" or each.returns in ("void", "auto", ""):
            continue
        begin = seen.index("{", sum(len(row) + 1 for row in rows[: each.line - 1]))
        end = functions.closing(seen, begin)
        if _ENDS.search(seen, begin, end):
            continue
        row = candidate.source_line(source, functions.line_at(seen, end))
        return MissingReturn(each.name, each.returns, row, _fix(candidate, row, _MADE.findall(seen[begin:end])))
    return None


def _fix(candidate: Candidate, row: int | None, made: list[str]) -> Fix | None:
    rows = candidate.python.split("\n")
    if row is None or len(made) != 1 or rows[row - 1].strip() != "}":
        return None
    changed = [*rows[: row - 1], f"    return {made[0]};", *rows[row - 1 :]]
    return rewriting(candidate, "\n".join(changed), f"Return {made[0]}")
