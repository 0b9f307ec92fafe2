"""A fix as text: what a program reads with an edit of a report. The front end's `placeFix` does the same in a cell."""

from __future__ import annotations

from kernelgate.report.lines import line_ends, to_lines
from kernelgate.report.types import Edit

MOST_FIXES = 8
"""That are tried one after another in a program."""


def edited(text: str, edit: Edit, first_line: int = 1) -> str:
    """`text`, whose first line is number `first_line`, with the edit, whose lines end as those of the text. Raises
    ValueError where it has no such place."""
    ends = line_ends(text)
    starts = [0, *(start for _, start in ends)]
    at = edit.line - first_line
    if not 0 <= at < len(ends) or at + edit.replaces > len(ends) or starts[at] + edit.column > ends[at][0]:
        raise ValueError(f"the text has no line {edit.line} with a column {edit.column}")
    begin = starts[at] + edit.column
    end = min(begin + starts[at + edit.replaces] - starts[at], len(text))
    near = ends[at if at < len(ends) - 1 else at - 1]  # the last line has no end of its own
    line_end = text[slice(*near)] or "\n"
    return text[:begin] + line_end.join(to_lines(edit.text)) + text[end:]
