"""A run from the program's text to the verdict, one stage after another. Read `_run_stages`: it is the method.

In: a `Job` over one socket, workers over another. Out: reports, over the first: the whole record each time something
changed, at most four times a second, and once more when it is finished. This is the one place that writes a stage's
part into the report; `judge.run.live_report` shows it meanwhile. Not here: what a stage does (`judge.stages`).
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import secrets
import sys
from typing import TYPE_CHECKING

from kernelgate.judge.choose_target import choose_target, note_versions
from kernelgate.judge.endings import failures
from kernelgate.judge.endings.run_ended import NotJudged, RunEnded, TooLarge
from kernelgate.judge.fix_proof import offer_bound, prove_fix
from kernelgate.judge.run.live_report import LiveReport, TrialReport
from kernelgate.judge.run.run_clock import RunClock
from kernelgate.messages.channel import Channel, ChannelClosed
from kernelgate.messages.first_report import title
from kernelgate.messages.job import Job
from kernelgate.program import Candidate, ProgramError, Source, read
from kernelgate.program.advice import advise, advise_on_reference
from kernelgate.program.folder import name_shadows, open_to_program
from kernelgate.report import Advice, Report, Verdict, one_line
from kernelgate.report.closing import OUTCOMES, close_stages
from kernelgate.report.wrong_results import Wrong

if TYPE_CHECKING:
    from kernelgate.backend.target import Target
    from kernelgate.check.sizes.work import Work
    from kernelgate.judge.run_context import RunContext
    from kernelgate.judge.stages.build import FirstCall
    from kernelgate.judge.stages.check import Checked
    from kernelgate.judge.stages.memory_check import Examiner

_MOST_SIZES = 6  # at which memory may run out before the run ends


def judge_main(client: Channel, control: Channel) -> None:
    """The body of a judge process: one job, then the end."""
    _compute_as_written()
    try:
        job, _ = client.receive(Job)
        open_to_program(job.folder)
        conduct(job, client, control)
    except ChannelClosed:
        sys.exit(0)  # nobody is left to receive the report


def _compute_as_written() -> None:
    """Keeps cuBLAS from emulating products here, whatever the environment asks for: a float64 oracle must not be
    emulated. cuBLAS reads these variables when it is first used."""
    for name in [name for name in os.environ if name.startswith(("CUBLAS_EMULATE_", "CUBLAS_EMULATION_"))]:
        del os.environ[name]


def conduct(job: Job, client: Channel, control: Channel) -> None:
    """Runs to the finished report. Raises only ChannelClosed."""
    live = LiveReport(job, client)
    seed = secrets.randbits(48) if job.seed is None else job.seed

    def tried(fixed: Job) -> Verdict | RunEnded:
        return _tried(fixed, seed, live, control)

    try:
        _judge(job, seed, live, control)
        if live.report.verdict is not None and live.report.verdict.strays:
            with live.going_on("check"):
                offer_bound(live.report.failure, job, tried, is_outside=True)
    except RunEnded as end:
        if job.prove_fixes:
            prove_fix(end, job, tried)
        is_outside = failures.leaves_a_tensor(end)
        if is_outside or end.kind == "wrong":
            offer_bound(end.failure, job, tried, is_outside=is_outside)
        _end(live.report, end)
    except ChannelClosed:
        raise
    except Exception as exc:
        _end(live.report, _unexpected(exc, job))
    live.report.seed = str(seed)
    live.report.state = "finished"
    live.send()


def _tried(job: Job, seed: int, live: LiveReport, control: Channel) -> Verdict | RunEnded:
    """How a program ends with a fix applied. The report shows nothing of it."""
    trial = TrialReport(job, live, "Trying the fix")
    try:
        _judge(job, seed, trial, control)
    except RunEnded as end:
        return end
    except ChannelClosed:
        raise
    except Exception as exc:
        return _unexpected(exc, job)
    assert trial.report.verdict is not None
    return trial.report.verdict


def _unexpected(exc: Exception, job: Job) -> RunEnded:
    """The end of a run by an exception that no stage expects: a reference that fails at a later time than its first,
    memory that ran out before any size could be chosen, or a mistake of ours."""
    if "torch" in sys.modules:
        from kernelgate.check.problem import ProblemError
        from kernelgate.judge.endings.device_memory import ran_out
        from kernelgate.judge.endings.reference_failures import no_memory, unusable
        from kernelgate.judge.reference.problem import label_of

        if isinstance(exc, ProblemError):
            return unusable(exc, label_of(job), job.reference_text, job.reference_first_line)
        if ran_out(exc):
            return no_memory(exc)
    return failures.internal(exc)


def _judge(job: Job, seed: int, live: LiveReport, control: Channel) -> None:
    """The stages, in order. Raises RunEnded if one of them ends the run. A candidate that fails with the numbers of a
    scaled problem in place of its own is tried with its own: they may mean something else."""
    candidate = _read(job, live.report)
    try:
        _judge_text(candidate, job, seed, live, control)
    except NotJudged:
        raise
    except RunEnded as end:
        if not end.changed_rows:
            raise
        trial = TrialReport(job, live, "Trying it with its own numbers")
        try:
            _judge_text(dataclasses.replace(candidate, keeps_numbers=True), job, seed, trial, control)
        except RunEnded as own:
            if isinstance(own.cause, Wrong) and not isinstance(end.cause, Wrong):  # it runs with its own numbers
                live.adopt(trial)
                raise
            if end.failure is not None:
                end.failure.what = one_line(f"{end.failure.what}. {_as_judged(candidate, end.changed_rows)}", 600)
            raise end from None
        live.adopt(trial)


def _as_judged(candidate: Candidate, rows: dict[int, str]) -> str:
    """Line 12 was judged as “N = 64”, since the problem is scaled down."""
    row, text = next(iter(rows.items()))
    where = f"Line {candidate.line(row)}" if candidate.line(row) is not None else "A line"
    more = f", and {len(rows) - 1} more" if len(rows) > 1 else ""
    return f"{where} was judged as “{text.strip()}”{more}, since the problem is scaled down"


def _judge_text(candidate: Candidate, job: Job, seed: int, live: LiveReport, control: Channel) -> None:
    """With the quicker build first, if there is one. What is wrong with that, or what PyTorch's own build does not
    confirm, is judged again with PyTorch's own."""
    note_versions(live.report.environment)
    target, live.report.device = choose_target(job, candidate)
    failures.refuse_amd(candidate)
    if job.awaited and not target.emulated and "cpp_extension" in candidate.python:
        from kernelgate.judge.stages.confirm import NotConfirmed

        try:
            return _judge_built(candidate, job, target, seed, live, control, quick=True)
        except NotJudged:
            raise
        except (NotConfirmed, RunEnded):
            live.start_again()
    return _judge_built(candidate, job, target, seed, live, control)


def _judge_built(
    candidate: Candidate,
    job: Job,
    target: Target,
    seed: int,
    live: LiveReport,
    control: Channel,
    *,
    quick: bool = False,
) -> None:
    # Only now: these import torch, which has just been found to be there.
    from kernelgate.check.captured import leave_uncompiled
    from kernelgate.judge.endings.device_memory import give_back_memory
    from kernelgate.judge.run_context import run_context

    leave_uncompiled()
    report, clock = live.report, RunClock(job.limits.run_s)
    too_much: Work | None = None
    for size in range(_MOST_SIZES):
        live.begin("build", 1)
        with run_context(job, target, candidate, seed, live, control, clock, too_much, quick=quick) as run:
            try:
                with contextlib.ExitStack() as beside:
                    _run_stages(run, report, beside)
                return
            except TooLarge as end:
                too_much = run.reference.work
                if too_much is None or size == _MOST_SIZES - 1:
                    raise end from None
            except RunEnded as end:
                end.changed_rows = _changed_rows(candidate, run.worker.candidate)
                raise
        del run  # its reference holds what the next one needs
        give_back_memory()
        live.start_again()


def _changed_rows(candidate: Candidate, judged: Candidate) -> dict[int, str]:
    rows = zip(candidate.python.split("\n"), judged.python.split("\n"), strict=False)
    return {number: now for number, (was, now) in enumerate(rows, 1) if was != now}


def _build(run: RunContext, report: Report) -> FirstCall:
    """The stages build and device compile; this is left for later on a GPU, where it ends no run. Raises RunEnded."""
    from kernelgate.judge.stages.build import build
    from kernelgate.judge.stages.device_compile import device_compile

    try:
        built = build(run)
    except RunEnded as refused:
        if refused.kind == "refused":
            report.device_code = device_compile(run, not_emulated=refused)
        raise
    if run.target.emulated:
        report.device_code = device_compile(run)
    run.live.end("build")
    return built


def _run_stages(run: RunContext, report: Report, beside: contextlib.ExitStack) -> None:
    """The stages that need a device. `beside`: ends what they have begun ahead of need. Raises RunEnded; TooLarge where
    a smaller size may go further."""
    from kernelgate.judge.cases.another_size import at_a_small_size
    from kernelgate.judge.gates.calling import beside_the_check
    from kernelgate.judge.stages.check import check
    from kernelgate.judge.stages.confirm import built_beside, confirm
    from kernelgate.judge.stages.device_compile import device_compile
    from kernelgate.judge.stages.gates import trial_of, try_gates
    from kernelgate.judge.stages.memory_check import memory_check, prepared
    from kernelgate.judge.stages.sanitize import sanitize
    from kernelgate.judge.verdict import conclude, obstacle_failure

    live = run.live
    _name_problem(run, report)
    try:
        own_build = beside.enter_context(built_beside(run))
        built = _build(run, report)
        beside_it = beside_the_check(trial_of(run), begins=run.has_room_beside)
        looks: list[Examiner | None] = []
        with contextlib.ExitStack() as near, beside_it as trial:

            def ahead() -> RunContext | None:
                if not run.target.can_check_memory:  # beside a GPU's work, the host's processors are idle
                    looks.append(beside.enter_context(prepared(run)))
                return near.enter_context(at_a_small_size(run))

            checked = check(run, built, ahead)
            report.cases, report.power = checked.cases, checked.power
            examiner = looks[0] if looks else beside.enter_context(prepared(run))
            report.gates = try_gates(run, checked.gates, trial, checked.small)
        confirm(run, own_build)
        report.device_code = report.device_code or device_compile(run)
    except Exception as exc:
        beside.close()
        end = run.ended_by(exc)
        if isinstance(end, TooLarge) or not isinstance(end, RunEnded):
            raise end from None
        if run.worker.quick and not isinstance(end, NotJudged):
            raise end from None  # it is judged again, and explained then
        raise _explained(run, end) from None
    report.memory_check = memory_check(run, examiner, checked.other_size)
    report.sanitizer = sanitize(run)
    report.arithmetic, report.precision = checked.arithmetic, checked.precision
    live.stage("check").total = len(report.cases) + len(report.gates)
    live.end("check")
    if run.job.verb != "verify":
        try:
            _measure(run, checked, report)
        except Exception as exc:
            raise run.ended_by(exc, checked=True) from None
    report.verdict, report.facts = conclude(report, run.target)
    if changed := _changed_rows(run.candidate, run.worker.candidate):
        words = one_line(f"{_as_judged(run.candidate, changed)}.", 600)
        report.verdict.support = [*report.verdict.support[:2], words]
    report.failure = obstacle_failure(report)
    if report.verdict.outcome == "fail":
        live.stage("check").state = "failed"


def _read(job: Job, report: Report) -> Candidate:
    source = Source.of(job)
    try:
        candidate = read(source, job.operator, job.reference_text)
    except ProgramError as exc:
        raise failures.unreadable(exc, source) from exc
    written = report.candidate
    written.language = candidate.language
    written.cuda_kernels = [one_line(name, 120) for name in candidate.kernels[:32]]
    of_reference = advise_on_reference(job.reference, candidate) if job.reference is not None else []
    shadows = name_shadows(job.folder)
    of_folder = [Advice(text=one_line(shadows, 600))] if shadows else []
    report.advice = [*of_folder, *of_reference, *advise(candidate)][:20]
    return candidate


def _name_problem(run: RunContext, report: Report) -> None:
    from kernelgate.check.nesting import dtype_words  # imports torch

    reference, problem = run.reference, report.problem
    problem.shape = one_line(reference.shape, 120)
    given = dtype_words(reference.own_inputs, reference.dtype)
    problem.dtype = str(reference.dtype).removeprefix("torch.") if reference.has_state else given
    problem.full_shape = one_line(reference.full_shape, 120) if reference.full_shape else None
    problem.scaled_for = reference.scaled_for
    report.title = title(run.job, f"{problem.name} {reference.shape} {given}")
    run.live.send()


def _explained(run: RunContext, end: RunEnded) -> RunEnded:
    """The end of a run with the fault behind it, where looking at every access finds one."""
    from kernelgate.judge.stages.memory_check import with_fault_behind
    from kernelgate.judge.stages.sanitize import with_place

    return _with_scaling(run, with_place(run, with_fault_behind(run, end)))


def _with_scaling(run: RunContext, end: RunEnded) -> RunEnded:
    """Says of a program that fails at a smaller size than the problem's that it may be right at the problem's own."""
    full = run.reference.full_shape
    by_kernel = end.kind == "fault" or (end.kind == "wrong" and bool(run.candidate.kernels))
    if full is not None and end.failure is not None and by_kernel:
        words = f"The problem was scaled down from {full}, and a program may count on that size: --set chooses others"
        end.failure.what = one_line(f"{end.failure.what.rstrip('. ')}. {words}", 600)
    return end


def _measure(run: RunContext, checked: Checked, report: Report) -> None:
    from kernelgate.judge.stages import profile, time
    from kernelgate.judge.stages.line_costs import add_line_costs, line_costs
    from kernelgate.judge.timing.lineup import Lineup

    if not run.target.can_time:
        why = "emulation says nothing about speed"
        report.timing = time.no_times(report.problem.shape, why)
        if run.job.verb == "profile" and run.target.can_check_memory and run.worker.built:
            report.profile = line_costs(run)
            run.live.end("profile")
        for stage in report.stages:
            if stage.state == "waiting":
                stage.state, stage.note = "not run", why
        return
    try:
        with run.gpu.alone(), Lineup(run) as lineup:
            report.timing = time.time_candidate(run, checked, lineup)
            run.live.end("time")
            if run.job.verb == "profile":
                report.profile, readings = profile.profile(run, lineup)
        if report.profile is not None:
            add_line_costs(run, report.profile, readings)
            run.live.end("profile")
    except RunEnded as end:
        if end.kind == "wrong":
            why = "times of a program whose result is wrong are not shown"
            report.timing = time.no_times(report.problem.shape, why)
        raise


def _end(report: Report, end: RunEnded) -> None:
    report.verdict = Verdict(outcome=OUTCOMES[end.kind], kind=end.kind, sentence=one_line(end.sentence, 600))
    report.failure = end.failure
    if end.kind == "environment":  # a remark on a program of which nothing ran is beside the point
        report.advice = []
    close_stages(report)
