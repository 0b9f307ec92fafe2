"""What every stage of a run works with: its job and record, the candidate, the seed, and the candidate's worker.

In: requests. Out: a worker's answers, which nobody has to believe; what a worker did instead is `RunEnded`, with what
a report says of it. Not here: the order of the stages (`judge.pipeline`).
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence

from kernelgate.build.diagnostics import explain_compiler, explain_raised
from kernelgate.judge import failures
from kernelgate.judge.findings import Sources, faults
from kernelgate.judge.live_report import Record
from kernelgate.judge.run_ended import RunEnded
from kernelgate.messages.channel import Channel
from kernelgate.messages.job import Job
from kernelgate.messages.worker import (
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
    StateLoaded,
)
from kernelgate.processes.worker_handle import (
    BadAnswer,
    WorkerEnded,
    WorkerHandle,
    WorkerMemory,
    WorkerProcesses,
    WorkerTimeout,
    memory_limit,
)
from kernelgate.program import Candidate
from kernelgate.report import Build, Report, StageName, cut, one_line

_OF_A_CALL = 0.9  # a launch is ended before its call is, so that it can say where it was


class RunContext:
    """Of one run. `seed`: what everything drawn in it follows from."""

    def __init__(self, job: Job, record: Record, control: Channel, candidate: Candidate, seed: int) -> None:
        self.job = job
        self.record = record
        self.candidate = candidate
        self.seed = seed
        self.deadline = time.monotonic() + job.limits.run_s if job.limits.run_s else math.inf
        self.libraries: set[str] = set()
        self.sources = Sources()
        self.device_sources: dict[str, list[str]] = {}
        """What has been compiled for the device, with its flags."""
        self._control = control
        self._memory_limit = job.limits.memory_bytes or memory_limit()
        self._worker: WorkerHandle | None = None
        self._compiling: str | None = None
        self._build_began = 0.0
        self.building_s = 0.0
        """For how long workers have waited for compilers."""

    @property
    def report(self) -> Report:
        return self.record.report

    def close(self) -> None:
        """Ends the worker, where there is one; what it printed goes into the report."""
        if self._worker is not None:
            self.report.output = cut(self._worker.close(), 20000)
            self._worker = None

    def start_worker(
        self, device: str, index: int, *, examine: bool = False, limit_s: float | None = None
    ) -> None:
        """A new worker that has loaded the candidate, within `limit_s` if given. Raises RunEnded."""
        self.close()
        self._worker = WorkerHandle(
            self._control, self.job.cache, self._memory_limit, self.record.tick, self._note_build
        )
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

    def construct(self, request: Construct, descriptors: Sequence[int]) -> StateLoaded:
        """Has the worker make the module: how it took the reference's parameters. Raises RunEnded."""
        answer, _ = self.ask(request, descriptors, "build", "constructing ModelNew")
        assert isinstance(answer, Constructed)
        how = answer.state_loaded
        if how == "by order" and request.state:
            note = "its parameters have other names than the reference's: matched by their order and shapes"
            self.record.stage("build").note = note
        if how == "no" and request.state:
            note = "its parameters have other shapes than the reference's: same random seed instead"
            self.record.stage("build").note = note
        return how

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
        own limit of a call; a build has its own in any case.
        """
        assert self._worker is not None
        limits = self.job.limits
        try:
            reply, received = self._worker.ask(
                request,
                descriptors,
                limits.call_s if limit_s is None else limit_s,
                limits.build_s,
                self.deadline,
            )
        except WorkerEnded as exc:
            raise failures.worker_ended(
                self.candidate, exc, stage, doing, self.sources, limits.call_s if limit_s is None else limit_s
            ) from exc
        except WorkerTimeout as exc:
            over = time.monotonic() >= self.deadline
            limit_s = limits.run_s if over else exc.limit_s
            doing = self._compiling or doing
            raise failures.timed_out(limit_s, stage, doing, of_the_run=over) from exc
        except WorkerMemory as exc:
            raise failures.memory(self.candidate, exc, stage, doing) from exc
        except WorkerProcesses as exc:
            raise failures.processes(self.candidate, exc, stage, doing) from exc
        except BadAnswer as exc:
            raise failures.bad_answer(self.candidate, exc, stage, doing) from exc
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
            raise failures.bad_answer(self.candidate, other, stage, doing)
        return answer, received

    def _explained(
        self, answer: Refused | NoToolchain | NotCompiled | Broke, stage: StageName, doing: str
    ) -> RunEnded:
        if isinstance(answer, NotCompiled):
            sentence, failure = explain_compiler(self.candidate, answer.failed)
            return RunEnded("build", sentence, failure, worker_lives=True)
        if isinstance(answer, Refused):
            return failures.refused(self.candidate, answer)
        if isinstance(answer, NoToolchain):
            return failures.no_toolchain(answer)
        if faults(answer.findings):
            return failures.device_fault(self.candidate, answer.findings, stage, self.sources)

        from kernelgate.check.problem import constructor  # brings torch, which the machine may not have

        takes = constructor(self.job.reference_text)
        failure = explain_raised(self.candidate, answer.raised, stage, doing, takes)
        if self.report.device.kind == "emulated" and failure.where is not None:
            not_run = failures.without_a_cpu_form(answer.raised, failure.where)
            if not_run is not None:
                return not_run
        return failures.raised(answer.raised, failure, stage, doing)

    def _note_build(self, building: Building) -> None:
        name = building.name
        if name is not None:
            if building.cpp_sources or building.cuda_sources:
                self.sources.note(building.cpp_sources, building.cuda_sources, includes=building.includes)
            if building.cuda_sources.strip():
                self.device_sources[building.cuda_sources] = building.cuda_flags
        if self._compiling is not None or name is None:
            self.building_s += time.monotonic() - self._build_began
        self._build_began = time.monotonic()
        self._compiling = f"compiling {one_line(name, 60)}" if name is not None else None
        if name is not None:
            self.report.progress = f"Compiling {one_line(name, 60)}"
            self.record.send()
