"""A fix as text: what a program reads with an edit of a report. The front end's `placeFix` does the same in a cell."""

from __future__ import annotations

from kernelgate.report.types import Edit


def edited(text: str, edit: Edit, first_line: int = 1) -> str:
    """`text`, whose first line is number `first_line`, with the edit. Raises ValueError where it has no such place."""
    rows = text.split("\n")
    at = edit.line - first_line
    if not 0 <= at < len(rows) or at + edit.replaces > len(rows) or edit.column > len(rows[at]):
        raise ValueError(f"the text has no line {edit.line} with a column {edit.column}")
    begin = sum(len(row) + 1 for row in rows[:at]) + edit.column
    end = min(begin + sum(len(row) + 1 for row in rows[at : at + edit.replaces]), len(text))
    return text[:begin] + edit.text + text[end:]
