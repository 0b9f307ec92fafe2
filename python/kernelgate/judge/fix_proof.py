"""Fixes that a second run proves: one that an error names, and a bound before an index that leaves a tensor.

In: the end of a run, and a way to judge another program as this one was judged. Out: the fix in the failure, if the
program goes further with it. Not here: which edits are tried (`repair.kernel_fixes`), which fix an error names.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from kernelgate.judge.endings.run_ended import RunEnded
from kernelgate.messages.job import Job
from kernelgate.repair.kernel_fixes import bound_edits
from kernelgate.report import Failure, Verdict
from kernelgate.report.edits import MOST_FIXES, edited, why_not_enough, withdraw_fix

_UNDONE = "with this fix comes an error whose fix undoes it"
_NO_PLACE = "the text does not show where its fix goes"


def prove_fix(end: RunEnded, job: Job, judged: Callable[[Job], Verdict | RunEnded]) -> None:
    """Removes a fix that does not make the program pass; `next_step` then says how the fixed program ends. Nothing is
    said of a fix that was a guess, and changes nothing."""
    failure = end.failure
    if failure is None or failure.fix is None:
        return
    why = _not_passing(failure, job, judged)
    if why is not None:
        withdraw_fix(failure, why)
        if why == why_not_enough(end.sentence) and end.without_guess is not None:
            failure.where, failure.next_step = end.without_guess


def _not_passing(failure: Failure, job: Job, judged: Callable[[Job], Verdict | RunEnded]) -> str | None:
    """Why the program does not pass with its fixes; None if it does."""
    trial = msgspec.structs.replace(job, verb="verify", trace="", listing=False)
    found: Failure | None = failure
    sentence = ""
    texts = {trial.text}
    for _ in range(MOST_FIXES):
        if found is None or found.edit is None:
            return why_not_enough(sentence) if sentence else _NO_PLACE
        try:
            trial.text = edited(trial.text, found.edit, trial.first_line)
        except ValueError:
            return _NO_PLACE
        if trial.text in texts:
            return _UNDONE
        texts.add(trial.text)
        end = judged(trial)
        if isinstance(end, Verdict):
            return None if end.outcome == "pass" else why_not_enough(end.sentence)
        found, sentence = end.failure, end.sentence
    return "with this fix come more errors of this kind"


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
