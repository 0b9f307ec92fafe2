"""Offers a bound of a kernel as a fix, where the program is right with it, at this size and at others.

In: a failure at a line of a kernel, and what judges a job. Out: the failure, with a fix if one passes. Not here: which
edits are tried (`repair.bound_edits`), a fix that a compiler's error names (`judge.fix_proof`).
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from kernelgate.judge.endings.run_ended import RunEnded
from kernelgate.messages.job import Job
from kernelgate.repair.bound_edits import bound_edits
from kernelgate.report import Failure, Verdict
from kernelgate.report.edits import edited

_MOST_TRIED = 4


def offer_bound(
    failure: Failure | None, job: Job, judged: Callable[[Job], Verdict | RunEnded], *, is_outside: bool
) -> None:
    """`is_outside`: a kernel leaves a tensor there, so that a check may be missing and not only wrong."""
    where = failure.where if failure is not None else None
    if failure is None or where is None or where.line is None or where.label != job.label or failure.fix is not None:
        return
    above = job.first_line - 1
    for edit, step in bound_edits(job.text, where.line - above, may_lack=is_outside)[:_MOST_TRIED]:
        edit.line += above
        text = edited(job.text, edit, job.first_line)
        end = judged(msgspec.structs.replace(job, verb="verify", trace="", listing=False, text=text))
        if isinstance(end, Verdict) and end.outcome == "pass" and not end.strays:
            failure.fix, failure.edit, failure.next_step = edit.text.strip(), edit, step
            return
