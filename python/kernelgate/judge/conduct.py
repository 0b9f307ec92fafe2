"""The judge: conducts a run from the program's text to the verdict.

In: a `Job` over one socket, workers over another. Out: reports, over the first: the whole record each time something
changed, at most four times a second, and once more when it is finished.
It owns seeds, reference and verdict; the candidate runs in the worker only, the reference here only.
"""

from __future__ import annotations

import math
import os
import secrets
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kernelgate.build.diagnostics import explain_compiler, explain_raised
from kernelgate.judge import ended
from kernelgate.judge.channel import Channel, ChannelClosed
from kernelgate.judge.findings import Sources, faults
from kernelgate.judge.handle import (
    BadAnswer,
    WorkerEnded,
    WorkerHandle,
    WorkerMemory,
    WorkerProcesses,
    WorkerTimeout,
    memory_limit,
)
from kernelgate.judge.job import Job, first_report
from kernelgate.judge.outcome import OUTCOMES, RunEnded
from kernelgate.judge.protocol import (
    ANSWER_TO,
    Answer,
    Broke,
    Building,
    Construct,
    Constructed,
    Load,
    Loaded,
    NotCompiled,
    NoToolchain,
    Refused,
    Request,
)
from kernelgate.program import Candidate, ProgramError, Source, read
from kernelgate.program.advice import advise
from kernelgate.report import Build, Report, Stage, StageName, Verdict, cut, one_line

if TYPE_CHECKING:
    from kernelgate.judge.comparing import Comparer
    from kernelgate.judge.reference import Reference

_UPDATE_S = 0.25
_OF_A_CALL = 0.9  # a launch is ended before its call is, so that it can say where it was


class Record:
    """The report as it grows, and when it was last sent."""

    def __init__(self, job: Job, client: Channel) -> None:
        self.report: Report = first_report(job)
        self._client = client
        self._started = time.monotonic()
        self._stage_started = self._started
        self._sent = 0.0

    def stage(self, name: StageName) -> Stage:
        return next(stage for stage in self.report.stages if stage.name == name)

    def begin(self, name: StageName, total: int) -> None:
        stage = self.stage(name)
        stage.state, stage.total = "running", total
        self._stage_started = time.monotonic()
        self.send()

    def end(self, name: StageName, *, passed: bool) -> None:
        stage = self.stage(name)
        stage.state = "passed" if passed else "failed"
        stage.seconds = time.monotonic() - self._stage_started
        self.report.progress = ""

    def tick(self) -> None:
        """Sends the report, if the last time is long enough ago."""
        if time.monotonic() - self._sent >= _UPDATE_S:
            self.send()

    def send(self) -> None:
        self._sent = time.monotonic()
        self.report.elapsed_s = self._sent - self._started
        for stage in self.report.stages:
            if stage.state == "running":
                stage.seconds = self._sent - self._stage_started
        self._client.send(self.report)


class Judge:
    """One run."""

    def __init__(self, job: Job, client: Channel, control: Channel) -> None:
        self.job = job
        self.record = Record(job, client)
        self._control = control
        self.deadline = time.monotonic() + job.limits.run_s if job.limits.run_s else math.inf
        self._memory_limit = job.limits.memory_bytes or memory_limit()
        self._worker: WorkerHandle | None = None
        self._compiling: str | None = None
        self.libraries: set[str] = set()
        self.candidate: Candidate | None = None
        self.sources = Sources()
        self.device_sources: dict[str, list[str]] = {}
        """What has been compiled for the device, with its flags."""
        self.seed = secrets.randbits(48) if job.seed is None else job.seed

    @property
    def report(self) -> Report:
        return self.record.report

    def run(self) -> None:
        """To the finished report. Only a lost client is let through."""
        try:
            self._read()
            device = ended.choose_device(self.job, self.report)
            if device[0] == "emulated" and self.candidate is not None:
                ended.refuse_triton(self.candidate)
            # Only now: both bring torch, and whether there is any has just been found out.
            from kernelgate.judge.checking import check_candidate
            from kernelgate.judge.verdict import conclude, obstacle_failure

            self.record.begin("build", 1)
            reference, comparer = check_candidate(self, device)
            self._go_on(reference, comparer, device)
            self.report.verdict, self.report.facts = conclude(self.report)
            self.report.failure = obstacle_failure(self.report)
            if self.report.verdict.outcome == "fail":
                self.record.stage("check").state = "failed"
        except RunEnded as end:
            self._end(end)
        except ChannelClosed:
            raise
        except Exception as exc:
            self._end(ended.internal(exc))
        finally:
            if self._worker is not None:
                self.report.output = cut(self._worker.close(), 20000)
        self.report.seed = str(self.seed)
        self.report.state = "finished"
        self.record.send()

    def _go_on(self, reference: Reference, comparer: Comparer, device: tuple[str, int]) -> None:
        """The stages after the check, as far as they were asked for and are possible."""
        if self.job.verb == "verify":
            return
        from kernelgate.judge.measured.stage import time_candidate, unmeasured

        if device[0] != "cuda":
            unmeasured(self.report, "emulation tells nothing about speed")
            return
        time_candidate(self, reference, comparer, device[1])

    def _read(self) -> None:
        source = Source(text=self.job.text, label=self.job.label, first_line=self.job.first_line)
        try:
            self.candidate = read(source, self.job.operator)
        except ProgramError as exc:
            raise ended.unreadable(exc, source) from exc
        written = self.report.candidate
        written.language = self.candidate.language
        written.cuda_kernels = [one_line(name, 120) for name in self.candidate.kernels[:32]]
        self.report.advice = advise(self.candidate)[:20]

    def _end(self, end: RunEnded) -> None:
        report = self.report
        report.verdict = Verdict(
            outcome=OUTCOMES[end.kind], kind=end.kind, sentence=one_line(end.sentence, 600)
        )
        report.failure = end.failure
        ended.close_stages(report)

    def _note_build(self, building: Building) -> None:
        name = building.name
        if name is not None:
            self.sources.note(building.cpp_sources, building.cuda_sources)
            if building.cuda_sources.strip():
                self.device_sources[building.cuda_sources] = building.cuda_flags
        self._compiling = f"compiling {one_line(name, 60)}" if name is not None else None
        if name is not None:
            self.report.progress = f"Compiling {one_line(name, 60)}"
            self.record.send()

    # --- the worker -------------------------------------------------------------------------------------------------

    def start_worker(
        self, device: str, index: int, *, examine: bool = False, limit_s: float | None = None
    ) -> None:
        """A new worker that has loaded the candidate, within `limit_s` if given. Raises RunEnded."""
        if self._worker is not None:
            self.report.output = cut(self._worker.close(), 20000)
            self._worker = None
        self._worker = WorkerHandle(
            self._control, self.job.cache, self._memory_limit, self.record.tick, self._note_build
        )
        assert self.candidate is not None
        load = Load(
            python=self.candidate.python,
            device="cuda" if device == "cuda" else "emulated",
            device_index=index,
            cache=self.job.cache,
            arch=self.job.arch,
            examine=examine,
            launch_limit_s=_OF_A_CALL * (self.job.limits.call_s if limit_s is None else limit_s),
        )
        try:
            answer, _ = self.ask(load, (), "build", "importing the program", limit_s)
        finally:
            confined = self._worker.confined
            if confined is not None:
                self.report.environment.confinement = [one_line(name, 120) for name in confined.held]
                self.report.environment.unconfined = one_line(confined.missing, 600)
        assert isinstance(answer, Loaded)

    def another_worker(self) -> WorkerHandle:
        """A worker beside the candidate's, for a program that can be trusted; the caller closes it."""
        return WorkerHandle(
            self._control, self.job.cache, self._memory_limit, self.record.tick, lambda _name: None
        )

    @property
    def worker_pid(self) -> int | None:
        """The candidate's process, where there is one."""
        return self._worker.pid if self._worker is not None else None

    def end_worker(self) -> None:
        """Ends the worker, and keeps nothing of what it printed."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def construct(self, request: Construct, descriptors: Sequence[int]) -> bool:
        """Has the worker make the module: whether it took the reference's parameters. Raises RunEnded."""
        answer, _ = self.ask(request, descriptors, "build", "constructing ModelNew")
        assert isinstance(answer, Constructed)
        if not answer.state_loaded and request.state:
            note = "its parameters have other names than the reference's: same random seed instead"
            self.record.stage("build").note = note
        return answer.state_loaded

    def ask(
        self,
        request: Request,
        descriptors: Sequence[int],
        stage: StageName,
        doing: str,
        limit_s: float | None = None,
    ) -> tuple[Answer, list[int]]:
        """The worker's answer to a request, where it is what was asked for. Everything else raises RunEnded.

        `doing` says in words what the candidate was at: "constructing ModelNew". `limit_s` takes the place of the job's
        own limits.
        """
        assert self._worker is not None and self.candidate is not None
        limits = self.job.limits
        try:
            reply, received = self._worker.ask(
                request,
                descriptors,
                limits.call_s if limit_s is None else limit_s,
                limits.build_s if limit_s is None else limit_s,
                self.deadline,
            )
        except WorkerEnded as exc:
            raise ended.worker_ended(
                self.candidate, exc, stage, doing, self.sources, limits.call_s if limit_s is None else limit_s
            ) from exc
        except WorkerTimeout as exc:
            over = time.monotonic() >= self.deadline
            limit_s = limits.run_s if over else exc.limit_s
            doing = self._compiling or doing
            raise ended.timed_out(limit_s, stage, doing, of_the_run=over) from exc
        except WorkerMemory as exc:
            raise ended.memory(self.candidate, exc, stage, doing) from exc
        except WorkerProcesses as exc:
            raise ended.processes(self.candidate, exc, stage, doing) from exc
        except BadAnswer as exc:
            raise ended.bad_answer(self.candidate, exc, stage, doing) from exc
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        for built in reply.built:
            self.libraries.add(built.library)
            facts = self.report.build or Build(lane="none")
            facts.lane = built.lane
            facts.seconds += built.seconds
            facts.cached = built.cached
            facts.compiler = one_line(built.compiler, 120)
            if len(facts.extensions) < 16 and one_line(built.name, 120) not in facts.extensions:
                facts.extensions.append(one_line(built.name, 120))
            self.report.build = facts
        answer = reply.answer
        if isinstance(answer, Refused | NoToolchain | NotCompiled | Broke):
            for descriptor in received:
                os.close(descriptor)
            raise self._explained(answer, stage, doing)
        if not isinstance(answer, ANSWER_TO[type(request)]):
            for descriptor in received:
                os.close(descriptor)
            other = BadAnswer("it answers something else than what was asked")
            raise ended.bad_answer(self.candidate, other, stage, doing)
        return answer, received

    def _explained(
        self, answer: Refused | NoToolchain | NotCompiled | Broke, stage: StageName, doing: str
    ) -> RunEnded:
        assert self.candidate is not None
        if isinstance(answer, NotCompiled):
            sentence, failure = explain_compiler(self.candidate, answer.failed)
            return RunEnded("build", sentence, failure, worker_lives=True)
        if isinstance(answer, Refused):
            return ended.refused(self.candidate, answer)
        if isinstance(answer, NoToolchain):
            return ended.no_toolchain(answer)
        if faults(answer.findings):
            return ended.device_fault(self.candidate, answer.findings, stage, self.sources)

        from kernelgate.check.problem import constructor  # brings torch, which the machine may not have

        takes = constructor(self.job.reference_text)
        failure = explain_raised(self.candidate, answer.raised, stage, doing, takes)
        return ended.raised(answer.raised, failure, stage, doing)


def judge_main(client: Channel, control: Channel) -> None:
    """The body of a judge process: one job, then the end."""
    job, _ = client.receive(Job)
    try:
        Judge(job, client, control).run()
    except ChannelClosed:
        sys.exit(0)  # nobody is left to hear of it
