"""`kernelgate fix FILE`: the program with the fixes that its reports offer, as a diff or written.

In: a program, and the options of a run. Out: the fixed text, and its report. A program that does not pass with its
fixes stays as it is.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kernelgate.commands.option_table import job_of
from kernelgate.commands.references import Reference
from kernelgate.report import Report
from kernelgate.report.edits import edited
from kernelgate.report.wording import lower_first
from kernelgate.run import run

_MOST_FIXES = 8


@dataclass(frozen=True)
class Fixed:
    """`steps`: what each fix does, in words. `report`: of the text `after`."""

    before: str
    after: str
    steps: list[str]
    report: Report
    unfixed: str = ""
    """What the program ends with after these fixes, where it does not pass with them."""


def fix_program(
    written: Mapping[str, Any], text: str, label: str, reference: Reference | None, show: Callable[[Report], None]
) -> Fixed:
    """Applies certain fixes, one after another, until the program passes; none where it does not pass with them."""
    after, steps = text, list[str]()
    first: Report | None = None
    while True:
        job = job_of(written, "verify", after, label, reference=reference)
        job.prove_fixes = False  # the whole chain is tried here
        report = run(job, show)
        first = first or report
        failure = report.failure
        if report.verdict is not None and report.verdict.outcome == "pass":
            return Fixed(text, after, steps, report)
        if failure is None or failure.edit is None or len(steps) == _MOST_FIXES:
            ends_with = report.verdict.sentence if steps and report.verdict is not None else ""
            return Fixed(text, text, steps, first, unfixed=ends_with)
        steps.append(f"line {failure.edit.line}: {lower_first(failure.next_step)}")
        after = edited(after, failure.edit)


def as_diff(fixed: Fixed, label: str) -> str:
    """A unified diff, without a last line break; empty where nothing changes."""
    before, after = (text.splitlines() for text in (fixed.before, fixed.after))
    return "\n".join(difflib.unified_diff(before, after, label, f"{label} (fixed)", lineterm=""))
