"""How a run ends where its judge does not say so: cancelled, out of time, without a judge, or refused before any began.

In: the last report. Out: a finished one. Not here: running (`run.client`).
"""

from __future__ import annotations

import signal

from kernelgate.messages.job import MAX_SOURCE_BYTES
from kernelgate.report import Failure, Report, StageName, Verdict, VerdictKind, cut, one_line
from kernelgate.report.closing import OUTCOMES, SAFE, close_stages
from kernelgate.report.shown_words import fill_shown_words
from kernelgate.report.wording import lower_first


def cancelled(last: Report) -> Report:
    return closed(last, "cancelled", f"Cancelled{_while_at(last)}: no verdict", None)


def out_of_time(last: Report, limit_s: float) -> Report:
    """Only the reference and the comparison can keep the judge from reporting so itself."""
    sentence = f"Timed out after {limit_s:g} s{_while_at(last)}"
    what = "The reference has not come to an end"
    if last.progress:  # it has, at least once
        sentence += ", in PyTorch's reference and the comparison"
        what = f"PyTorch's reference and the comparison were still at work ({lower_first(last.progress)})"
    failure = Failure(
        stage=running_stage(last),
        what=one_line(f"{what}. {SAFE}", 600),
        next_step="Look for a loop in the reference that does not end, or give the run more time with --timeout",
    )
    return closed(last, "timeout", sentence, failure)


def judge_gone(last: Report, status: int | None, log: str) -> Report:
    what = "The process that judges ended before its verdict"
    next_step = "Run it again; if it happens again, report it with the log below"
    if status == -signal.SIGKILL:  # by the system, or by somebody
        what += ": it was killed, as the system does if memory runs out"
        next_step = "Free memory, or give it a smaller problem with --shape; then run it again"
    elif status == -signal.SIGSEGV:
        what += ": native code of PyTorch crashed in it"
    failure = Failure(
        stage=None,
        what=what,
        next_step=next_step,
        log=cut(log, 20000),
        log_lines=log.count("\n"),
    )
    return closed(last, "internal", "Not judged: the judge's process ended", failure)


def running_stage(report: Report) -> StageName | None:
    return next((stage.name for stage in report.stages if stage.state == "running"), None)


def _while_at(report: Report) -> str:
    stage = running_stage(report)
    if stage == "build":  # which the first call ends: a program may compile as late as that
        return " at its first call" if report.progress.startswith("Case") else " while compiling"
    return " while checking" if stage == "check" else ""


def closed(report: Report, kind: VerdictKind, sentence: str, failure: Failure | None) -> Report:
    report.state = "finished"
    report.verdict = Verdict(outcome=OUTCOMES[kind], kind=kind, sentence=sentence)
    report.failure = failure
    close_stages(report)
    return fill_shown_words(report)


def too_large(report: Report, size: int) -> Report:
    what = f"The program has {size:,} characters; at most {MAX_SOURCE_BYTES:,} are read"
    failure = Failure(
        stage="build", what=one_line(what, 600), next_step="Give the program alone, without data in it"
    )
    return closed(report, "read", "Cannot be read: it is too large", failure)
