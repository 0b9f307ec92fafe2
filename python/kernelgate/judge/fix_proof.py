"""Proves a fix before it is offered: the fixed program is judged too, and any further fix that it needs.

In: a run that ended with a fix, and what judges a job. Out: the failure, without its fix where the program does not
pass with it, and then what it ends with instead. Not here: which fix it is (`repair`).
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from kernelgate.judge.endings.run_ended import RunEnded
from kernelgate.messages.job import Job
from kernelgate.report import Failure, Verdict
from kernelgate.report.edits import MOST_FIXES, edited, why_not_enough, withdraw_fix

_UNDONE = "behind it is an error whose fix undoes this one"
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
    """Why the program does not pass with its fixes; None where it does."""
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
    return "behind it are more errors of this kind"
