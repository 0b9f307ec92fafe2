"""`kernelgate fix FILE`: the program with the fixes that its reports offer, as a diff or written.

In: a program, and the options of a run. Out: the fixed text, and its report. A program that does not pass with its
fixes stays as it is. A program that is right for its problem and no drop-in, if one is asked for, gets what its
launches lack (`repair.launch_care`).
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kernelgate.commands.option_table import job_of
from kernelgate.commands.references import Reference
from kernelgate.repair.launch_care import with_care
from kernelgate.report import Report
from kernelgate.report.edits import MOST_FIXES, edited, why_not_enough, withdraw_fix
from kernelgate.report.numbers import counted
from kernelgate.report.wording import lower_first
from kernelgate.run import run


@dataclass(frozen=True)
class Fixed:
    """`steps`: what each fix does, in words. `report`: of the text `after`."""

    before: str
    after: str
    steps: list[str]
    report: Report
    lines: tuple[int, ...] = ()
    """At which each fix goes in, in the text as it was then."""
    unfixed: str = ""
    """What the program ends with after these fixes, if it does not pass with them."""

    @property
    def passes(self) -> bool:
        return self.report.verdict is not None and self.report.verdict.outcome == "pass"


def fix_program(
    written: Mapping[str, Any],
    text: str,
    label: str,
    reference: Reference | None,
    show: Callable[[Report], None],
) -> Fixed:
    """Applies certain fixes, one after another, until the program passes; none if it does not pass with them, or
    if one undoes another."""
    after, steps, lines, texts = text, list[str](), list[int](), set[str]()
    first: Report | None = None
    cared: Fixed | None = None
    while True:
        job = job_of(written, "verify", after, label, reference=reference)
        job.prove_fixes = False  # the whole chain is tried here
        report = run(job, show)
        first = first or report
        failure = report.failure
        fixed = Fixed(text, after, steps, report, tuple(lines))
        ended = failure is None or failure.edit is None
        if ended and cared is None and job.contract == "drop-in":
            # Emulation has neither streams nor a second device, so a program that passes may lack something too.
            careful = with_care(after, label)
            cared = fixed if fixed.passes else _nothing(text, first, report, steps)
            if careful.steps:
                after, steps = careful.text, [*steps, *careful.steps]
                continue
        if fixed.passes and ended:
            return fixed
        if failure is not None and failure.edit is not None and len(steps) < MOST_FIXES:
            lines.append(failure.edit.line)
            steps.append(f"line {failure.edit.line}: {lower_first(failure.next_step)}")
            texts.add(after)
            after = edited(after, failure.edit)
            if after not in texts:
                continue
        return cared if cared is not None and cared.passes else _nothing(text, first, report, steps)


def _nothing(text: str, first: Report, report: Report, steps: list[str]) -> Fixed:
    """The program as it was, whose fixes `report` has found not to be enough."""
    ends_with = report.verdict.sentence if steps and report.verdict is not None else ""
    if ends_with and first.failure is not None and first.failure.edit is not None:
        withdraw_fix(first.failure, why_not_enough(ends_with))
    return Fixed(text, text, steps, first, unfixed=ends_with)


def as_diff(fixed: Fixed, label: str) -> str:
    """A unified diff, without a last line break; empty if nothing changes."""
    before, after = (text.splitlines() for text in (fixed.before, fixed.after))
    return "\n".join(difflib.unified_diff(before, after, label, f"{label} (fixed)", lineterm=""))


def summary(fixed: Fixed, path: str, *, written: bool) -> str:
    """What was done, in a line: how many fixes, and where; or why there is none."""
    if fixed.after != fixed.before:
        count = counted(len(fixed.steps), "fix", "fixes")
        lines = f", line{'s' if len(fixed.lines) > 1 else ''} {', '.join(map(str, fixed.lines))}" if fixed.lines else ""
        return f"{path}: {count} written{lines}" if written else f"{path}: {count}{lines}; --write makes the change"
    if fixed.unfixed:
        words = f"with {counted(len(fixed.steps), 'fix', 'fixes')} the program ends with: {fixed.unfixed}"
        return f"{path}: nothing was changed: {words}"
    if fixed.passes:
        return f"{path}: nothing to fix, the program passes"
    return f"{path}: nothing was changed: no certain fix is known for what the report says"
