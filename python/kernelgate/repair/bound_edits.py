"""Edits that may keep a kernel within its tensors: `<` for `<=`, and a bound check if there is none.

In: a program's text, and the line of it at which a kernel leaves a tensor. Out: edits to try, the likeliest first. Each
is a guess: who offers one has judged the program with it (`judge.bound_fix`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernelgate.cuda_source.functions import blank, functions
from kernelgate.report.lines import to_lines
from kernelgate.report.types import Edit

_MOST_LINES = 400  # of a kernel
_TOO_FAR = re.compile(r"(?<![<>=!])<=(?!=)|(?<=[\w)\]\s])>(?![>=])(?=[^;{}]*\)\s*\{?\s*return\b)")
_INDEX = re.compile(
    r"^([ \t]*)[\w :]*?\b(\w+)\s*=(?=[^;=]*\bblockIdx\.x\b)(?=[^;=]*\bthreadIdx\.x\b)[^;=]*;", re.MULTILINE
)
_INTEGER = re.compile(r"\b(?:int|long|unsigned|size_t|u?int(?:32|64)_t)\b(?!.*[*&])")
_WAITS = re.compile(r"__sync|\bsync\(|__shfl|__ballot")


def bound_edits(text: str, line: int, *, may_lack: bool) -> list[tuple[Edit, str]]:
    """With each what it does. `may_lack`: a check may be missing, not only wrong."""
    rows = to_lines(text)
    head = next((at for at in range(min(line, len(rows)) - 1, -1, -1) if "__global__" in rows[at]), None)
    if head is None:
        return []
    kernel = _whole(blank("\n".join(rows[head : head + _MOST_LINES])))
    found = sorted(_looser(kernel, rows, head), key=lambda each: abs(each[0].line - line))
    return [*found, *(_checks(kernel, rows, head) if may_lack else ())]


def _whole(seen: str) -> str:
    """From its head to the brace that ends its body."""
    depth = 0
    for at, sign in enumerate(seen):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if sign == "}" and depth == 0:
            return seen[: at + 1]
    return seen


def _looser(kernel: str, rows: list[str], head: int) -> Iterator[tuple[Edit, str]]:
    """Comparisons that let one index too many through."""
    for found in _TOO_FAR.finditer(kernel):
        at = head + kernel.count("\n", 0, found.start())
        column = found.start() - (kernel.rfind("\n", 0, found.start()) + 1)
        new = "<" if found[0] == "<=" else ">="
        row = rows[at][:column] + new + rows[at][column + len(found[0]) :]
        yield Edit(line=at + 1, column=0, text=f"{row}\n", replaces=1), f"Write {new} for {found[0]}"


def _checks(kernel: str, rows: list[str], head: int) -> Iterator[tuple[Edit, str]]:
    """A return of the threads that have no element. No thread may leave where others wait for it."""
    index, known = _INDEX.search(kernel), functions(kernel)
    if index is None or not known or _WAITS.search(kernel):
        return
    if re.search(rf"\b(?:(?:if|while)\s*\(|for\s*\([^;{{}}]*;)[^;{{}}]*\b{index[2]}\b[^;{{}}]*[<>]", kernel):
        return
    sizes = [each.name for each in known[0].parameters if _INTEGER.search(each.type)]
    at = head + kernel.count("\n", 0, index.end())
    for size in dict.fromkeys([*([" * ".join(sizes)] if len(sizes) in (2, 3) else []), *sizes]):
        row = f"\n{index[1]}if ({index[2]} >= {size}) return;"
        yield Edit(line=at + 1, column=len(rows[at]), text=row, replaces=0), f"Return where {index[2]} is past the end"
