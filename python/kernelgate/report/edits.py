"""A fix as text: what a program reads with an edit of a report, and a report whose fix is not enough. The front end's
`placeFix` edits a cell in the same way."""

from __future__ import annotations

from kernelgate.report.bounded import line_ends, one_line, to_lines
from kernelgate.report.types import Edit, Failure
from kernelgate.report.wording import lower_first

MOST_FIXES = 8
"""That are tried one after another in a program."""


def edited(text: str, edit: Edit, first_line: int = 1) -> str:
    """`text`, whose first line is number `first_line`, with the edit, whose lines end as those of the text. Raises
    ValueError if it has no such place."""
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


def withdraw_fix(failure: Failure, why: str) -> None:
    """Removes a fix with which the program does not pass; `next_step` then says `why`, and still what to do."""
    step, fix = failure.next_step, (failure.fix or "").strip()
    if failure.stage != "check" and fix:
        step = "Fix this error" if "\n" in fix else step if fix in step else f"{step} ({fix})"
    failure.fix = failure.edit = None
    failure.next_step = one_line(f"{step.rstrip(';')}; {why}", 600)


def why_not_enough(sentence: str) -> str:
    """Why a fix is not enough, if the program with it ends with this sentence."""
    return f"with this fix it still fails: {lower_first(sentence)}"
