"""Conducts a run from the program's text to the verdict, one stage after another.

In: a `Job` over one socket, workers over another. Out: reports, over the first: the whole record each time something
changed, at most four times a second, and once more when it is finished.
"""

from __future__ import annotations

import secrets
import sys
from typing import TYPE_CHECKING

from kernelgate.judge import failures
from kernelgate.judge.live_report import Record
from kernelgate.judge.run_context import RunContext
from kernelgate.judge.run_ended import RunEnded
from kernelgate.messages.channel import Channel, ChannelClosed
from kernelgate.messages.job import Job
from kernelgate.program import Candidate, ProgramError, Source, read
from kernelgate.program.advice import advise
from kernelgate.report import Report, Verdict, one_line
from kernelgate.report.closing import OUTCOMES, close_stages

if TYPE_CHECKING:
    from kernelgate.judge.compare import Comparer
    from kernelgate.judge.reference import Reference


def judge_main(client: Channel, control: Channel) -> None:
    """The body of a judge process: one job, then the end."""
    try:
        job, _ = client.receive(Job)
        conduct(job, client, control)
    except ChannelClosed:
        sys.exit(0)  # nobody is left to hear of it


def conduct(job: Job, client: Channel, control: Channel) -> None:
    """To the finished report. Only a lost client is let through."""
    record = Record(job, client)
    report = record.report
    seed = secrets.randbits(48) if job.seed is None else job.seed
    judge: RunContext | None = None
    try:
        candidate = _read(job, report)
        device = failures.choose_device(job, report)
        if device[0] == "emulated":
            failures.refuse_triton(candidate)
        # Only now: both bring torch, and whether there is any has just been found out.
        from kernelgate.judge.stages.check import check_candidate
        from kernelgate.judge.verdict import conclude, obstacle_failure

        judge = RunContext(job, record, control, candidate, seed)
        record.begin("build", 1)
        reference, comparer = check_candidate(judge, device)
        _go_on(judge, reference, comparer, device)
        report.verdict, report.facts = conclude(report)
        report.failure = obstacle_failure(report)
        if report.verdict.outcome == "fail":
            record.stage("check").state = "failed"
    except RunEnded as end:
        _end(report, end)
    except ChannelClosed:
        raise
    except Exception as exc:
        _end(report, failures.internal(exc))
    finally:
        if judge is not None:
            judge.close()
    report.seed = str(seed)
    report.state = "finished"
    record.send()


def _read(job: Job, report: Report) -> Candidate:
    source = Source(text=job.text, label=job.label, first_line=job.first_line)
    try:
        candidate = read(source, job.operator)
    except ProgramError as exc:
        raise failures.unreadable(exc, source) from exc
    written = report.candidate
    written.language = candidate.language
    written.cuda_kernels = [one_line(name, 120) for name in candidate.kernels[:32]]
    report.advice = advise(candidate)[:20]
    return candidate


def _go_on(judge: RunContext, reference: Reference, comparer: Comparer, device: tuple[str, int]) -> None:
    """The stages after the check, as far as they were asked for and are possible."""
    if judge.job.verb == "verify":
        return
    from kernelgate.judge.stages.time import time_candidate, unmeasured

    if device[0] != "cuda":
        unmeasured(judge.report, "emulation tells nothing about speed")
        return
    time_candidate(judge, reference, comparer, device[1])


def _end(report: Report, end: RunEnded) -> None:
    report.verdict = Verdict(outcome=OUTCOMES[end.kind], kind=end.kind, sentence=one_line(end.sentence, 600))
    report.failure = end.failure
    close_stages(report)
