"""Edits of whole lines of a program, placed in the person's cell or file.

In: a candidate and lines of its Python. Out: `Edit`, or None where the cell does not hold those lines as they stand:
they were indented as a whole, cut out of an answer, or are ours. Not here: edits within a literal (`repair.insertion`).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from kernelgate.program.candidate import Candidate
from kernelgate.report.types import Edit

_MOST_ROWS = 60


def replaced_lines(candidate: Candidate, first: int, last: int, rows: Sequence[str]) -> Edit | None:
    """Lines `first` to `last` of the Python, as `rows`; removed where there are none."""
    line = _cell_line(candidate, first, last)
    if line is None or not _parses(candidate, first, last, rows):
        return None
    return Edit(line=line, column=0, text="".join(f"{row}\n" for row in rows), replaces=last - first + 1)


def lines_before(candidate: Candidate, line: int, rows: Sequence[str]) -> Edit | None:
    """`rows` above a line of the Python."""
    at = _cell_line(candidate, line, line)
    if at is None or not _parses(candidate, line, line - 1, rows):
        return None
    return Edit(line=at, column=0, text="".join(f"{row}\n" for row in rows))


def rewritten(candidate: Candidate, python: str) -> tuple[str, Edit] | None:
    """The rows that differ in `python`, the fixed program, and the edit that writes them; None where nothing does."""
    old, new = candidate.python.split("\n"), python.split("\n")
    top = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), None)
    if top is None:
        return None
    below = 0
    while below < min(len(old), len(new)) - top and old[-1 - below] == new[-1 - below]:
        below += 1
    rows, last = new[top : len(new) - below], len(old) - below
    if len(rows) > _MOST_ROWS or last - top > _MOST_ROWS:
        return None
    edit = (
        replaced_lines(candidate, top + 1, last, rows)
        if last > top
        else lines_before(candidate, top + 1, rows)
    )
    return ("\n".join(rows), edit) if edit is not None else None


def _cell_line(candidate: Candidate, first: int, last: int) -> int | None:
    """The cell's line behind the first of these lines; None where the cell has other lines there."""
    rows, lines = candidate.python.split("\n"), candidate.source.lines
    if not 1 <= first <= last <= len(rows):
        return None
    line = candidate.line(first)
    at = line - candidate.source.first_line if line is not None else -1
    same = at >= 0 and list(lines[at : at + last - first + 1]) == rows[first - 1 : last]
    return line if same else None


def _parses(candidate: Candidate, first: int, last: int, rows: Sequence[str]) -> bool:
    lines = candidate.python.split("\n")
    try:
        ast.parse("\n".join([*lines[: first - 1], *rows, *lines[last:]]))
    except (SyntaxError, ValueError):
        return False
    return True
