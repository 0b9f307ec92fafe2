"""The candidate's worker: starts it, asks it, and notes what it builds on the way.

In: requests. Out: a worker's answers, which are not trusted; anything else that it did is `RunEnded`, with the
words of a report. Not here: what is asked (`judge.candidate.model_in_worker`), the process (`processes.worker_handle`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from kernelgate.backend.memory import check_answer, unpack_host
from kernelgate.backend.target import Target
from kernelgate.judge.candidate.model_in_worker import close_all
from kernelgate.judge.endings import failures
from kernelgate.judge.endings.findings import Sources, faults
from kernelgate.judge.endings.run_ended import CandidateRaised, NotJudged, OutOfMemory, RunEnded
from kernelgate.judge.run.live_report import LiveReport
from kernelgate.judge.run.run_clock import RunClock
from kernelgate.messages.arguments import Construct
from kernelgate.messages.build_requests import BuiltExtension
from kernelgate.messages.job import Job
from kernelgate.messages.worker import (
    ANSWER_TO,
    Alone,
    Answer,
    Behave,
    Behaved,
    Broke,
    Building,
    Call,
    Load,
    Loaded,
    NotCompiled,
    NoToolchain,
    OwnFailure,
    Refused,
    Reply,
    Request,
)
from kernelgate.processes.orders import Orders
from kernelgate.processes.worker_handle import BadAnswer, WorkerFailed, WorkerHandle, WorkerTimeout
from kernelgate.program import Candidate
from kernelgate.repair.diagnostics import explain_compiler
from kernelgate.repair.exceptions import explain_raised
from kernelgate.report import Build, StageName, cut, one_line

_OF_A_LOOK_S = 60.0  # also on a machine with cold caches
_OF_A_CALL = 0.9  # a launch is ended before its call is, so that it can say where it was
# What compiles is kept; docs/operators.md has the times of nvcc, and a person who waits wants to know.
_USUAL = "10 s is usual, once"


@dataclass(frozen=True)
class Workers:
    """What starts the workers of a run. `memory_bytes`: of the host, that one may take; `clock`: of the run."""

    job: Job
    orders: Orders
    live: LiveReport
    memory_bytes: int
    clock: RunClock

    def start(
        self, on_build: Callable[[Building], None] = lambda _building: None, *, disguised: bool = False
    ) -> WorkerHandle:
        """A new worker; the caller closes it. `disguised`: one that looks like a notebook's kernel."""
        tick = self.live.tick
        return WorkerHandle(self.orders, self.job.cache, self.memory_bytes, tick, on_build, disguised=disguised)


class CandidateWorker:
    """The process of the candidate, or none.

    `candidate`: what the next `start` loads; `sources`: what has been compiled, to find the places of faults in;
    `device_sources`: the same for the device, each with its flags; `libraries`: where the worker says they lie;
    `building_s`: how long it has waited for compilers.
    """

    def __init__(
        self,
        workers: Workers,
        candidate: Candidate,
        target: Target,
        sources: Sources,
        *,
        recorded: bool = True,
        quick: bool = False,
    ) -> None:
        """`target`: what the run is judged on. `recorded`: its build, its output and how it is confined are part of the
        report. `quick`: its extensions may be built in the quicker way, which PyTorch's own build has to confirm."""
        self.candidate = candidate
        self.sources = sources
        self.device_sources: dict[str, list[str]] = {}
        self.libraries: set[str] = set()
        self.building_s = 0.0
        self._usual: dict[str, torch.Tensor] = {}
        self._workers = workers
        self._live = workers.live
        self._target = target
        self._recorded = recorded
        self.quick = quick
        self.built_quickly = False
        """Whether the worker says that it uses such a build."""
        self._handle: WorkerHandle | None = None
        self._begun = self._prepared = False
        self._build: Build | None = None
        self._compiling: str | None = None
        self._build_began = 0.0

    def another(self, candidate: Candidate | None = None, *, quick: bool | None = None) -> CandidateWorker:
        """One more worker, for the same candidate or for one at other sizes. Nothing of it is recorded."""
        given = candidate or self.candidate
        quick = self.quick if quick is None else quick
        return CandidateWorker(self._workers, given, self._target, self.sources, recorded=False, quick=quick)

    @property
    def built(self) -> bool:
        """Whether the candidate has built an extension."""
        return self._build is not None

    @property
    def pid(self) -> int | None:
        """The process, if there is one."""
        return self._handle.pid if self._handle is not None else None

    def begin(self) -> None:
        """Starts the process ahead of need: it sees how PyTorch computes in it while the judge makes the reference."""
        self._handle = self._workers.start(self._note_build)
        self._handle.send(Behave(self._target.kind, self._target.index), ())
        self._begun = True

    def prepare(self, target: Target, *, examine: bool = False, limit_s: float | None = None) -> None:
        """What `start` with the same arguments does, without waiting: `start` then waits for what is left of it."""
        self._handle = self._workers.start(self._note_build)
        self._handle.send(self._load(target, examine=examine, limit_s=limit_s), ())
        self._prepared = True

    def start(self, target: Target, *, examine: bool = False, limit_s: float | None = None) -> None:
        """A new worker that has loaded the candidate, within `limit_s` if given. Raises RunEnded."""
        prepared, begun = self._prepared, self._begun
        self._prepared = self._begun = False
        if not prepared:
            if not begun:
                self.close()
                self._handle = self._workers.start(self._note_build)
            if self._recorded:
                self._usual = self._behaviour_before(target, sent=begun)
        load = self._load(target, examine=examine, limit_s=limit_s)
        if self._workers.clock.begin():
            # The client counts from here, too: only now the program can be what takes long.
            self._live.doing("Importing the program", at_once=True)
        try:
            answer, _ = self.ask(load, (), "build", "importing the program", limit_s, sent=prepared)
        finally:
            confined = self._handle.confined if self._handle is not None else None
            if confined is not None and self._recorded:
                held = [one_line(name, 120) for name in confined.held]
                self._live.confined(held, one_line(confined.missing, 600))
        assert isinstance(answer, Loaded)

    def _load(self, target: Target, *, examine: bool = False, limit_s: float | None = None) -> Load:
        job = self._workers.job
        return Load(
            python=self.candidate.python,
            device=target.kind,
            device_index=target.index,
            cache=job.cache,
            arch=job.arch,
            folder=job.folder,
            examine=examine,
            launch_limit_s=_OF_A_CALL * (job.limits.call_s if limit_s is None else limit_s),
            every_configuration=job.thorough,
            quick=self.quick,
        )

    def begin_disguised(
        self, construct: Construct, calls: list[Call], module: str, descriptors: Sequence[int]
    ) -> WorkerHandle:
        """A process that looks like a notebook's kernel, and that has been sent its one request. The caller receives
        the reply, and closes it."""
        handle = self._workers.start(disguised=True)
        handle.send(Alone(self._load(self._target), construct, calls, module), descriptors)
        return handle

    def receive(self, handle: WorkerHandle) -> tuple[Reply, list[int]]:
        """The reply of a process beside this one, within the limits of the run. Raises WorkerFailed."""
        limits = self._workers.job.limits
        return handle.receive(limits.call_s, limits.build_s, self._workers.clock.deadline)

    def behaves_otherwise(self) -> list[str]:
        """The names of PyTorch's operators and modules whose values in the worker have changed since it loaded the
        candidate. Raises RunEnded, BadParcel."""
        if not self._usual:
            return []
        try:
            now = self._behaviour(self._target, sent=False)
        except OutOfMemory:
            return []  # our own kept results may fill the device, which says nothing about the candidate
        return [
            name for name, was in self._usual.items() if name not in now or not torch.equal(now[name], was)
        ]

    def _behaviour_before(self, target: Target, *, sent: bool) -> dict[str, torch.Tensor]:
        """The same before a candidate is loaded; nothing if this machine has no room for it, which the candidate's
        own calls will show."""
        try:
            return self._behaviour(target, sent=sent)
        except (CandidateRaised, OutOfMemory):
            return {}

    def _behaviour(self, target: Target, *, sent: bool) -> dict[str, torch.Tensor]:
        request = Behave(target.kind, target.index)
        answer, received = self.ask(request, (), "check", "being looked at", _OF_A_LOOK_S, sent=sent)
        assert isinstance(answer, Behaved)
        try:
            check_answer(answer, received)
            return {name: unpack_host(parcel, received) for name, parcel in answer.values.items()}
        finally:
            close_all(received)

    def close(self, *, shows: bool = True) -> None:
        """Ends the worker, if there is one; what it printed goes into the report, if it `shows` that."""
        self._begun = self._prepared = False
        if self._handle is not None:
            printed = self._handle.close()
            self._handle = None
            if self._recorded and shows:
                self._live.show(output=cut(printed, 20000))

    def ask(
        self,
        request: Request,
        descriptors: Sequence[int],
        stage: StageName,
        doing: str,
        limit_s: float | None = None,
        *,
        sent: bool = False,
    ) -> tuple[Answer, list[int]]:
        """The worker's answer to a request, if it is what was asked for. Everything else raises RunEnded.

        `doing` says in words what the candidate was at: "constructing ModelNew". `limit_s` takes the place of the job's
        own limit of a call; a build has its own in any case. `sent`: the request is on its way already.
        """
        assert self._handle is not None
        limits = self._workers.job.limits
        call_s = limits.call_s if limit_s is None else limit_s
        clock = self._workers.clock
        if clock.is_over:
            raise failures.run_timed_out(clock, stage, doing)
        began, built_before_s = time.monotonic(), self.building_s
        try:
            if not sent:
                self._handle.send(request, descriptors)
            reply, received = self._handle.receive(call_s, limits.build_s, clock.deadline)
        except WorkerTimeout as exc:
            self._spent(began, built_before_s)
            doing = self._compiling or doing
            if clock.is_over:
                raise failures.run_timed_out(clock, stage, doing) from exc
            raise failures.timed_out(exc.limit_s, stage, doing) from exc
        except WorkerFailed as exc:
            raise failures.worker_failed(self.candidate, exc, stage, doing, self.sources, call_s) from exc
        self._spent(began, built_before_s)
        self._note_built(reply.built)
        answer = reply.answer
        if isinstance(answer, ANSWER_TO[type(request)]):
            return answer, received
        close_all(received)
        if isinstance(answer, OwnFailure):
            raise failures.own_failure(answer.what, answer.log)
        if isinstance(answer, Refused | NoToolchain | NotCompiled | Broke):
            raise self._explained(answer, stage, doing)
        other = BadAnswer("its answer does not belong to the request")
        raise failures.worker_failed(self.candidate, other, stage, doing, self.sources, call_s)

    def _spent(self, began: float, built_before_s: float) -> None:
        now = time.monotonic()
        compiling_s = self.building_s - built_before_s
        if self._compiling is not None:
            compiling_s += now - self._build_began
        self._workers.clock.spent(max(0.0, now - began - compiling_s), compiling_s)

    def _explained(
        self, answer: Refused | NoToolchain | NotCompiled | Broke, stage: StageName, doing: str
    ) -> RunEnded:
        if isinstance(answer, NotCompiled):
            found = explain_compiler(self.candidate, answer.failed)
            if found.lacks:
                return NotJudged("environment", f"Not run: {found.lacks}", found.failure)
            return CandidateRaised("build", found.sentence, found.failure)
        if isinstance(answer, Refused):
            return failures.refused(self.candidate, answer)
        if isinstance(answer, NoToolchain):
            lacks = failures.missing(answer.what, "build")
            return NotJudged("environment", one_line(f"Not run: {lacks.what}", 600), lacks)
        if faults(answer.findings):
            return failures.device_fault(self.candidate, answer.findings, stage, self.sources)

        from kernelgate.check.problem import constructor  # brings torch, which the machine may not have

        problem = self._workers.job.reference_text
        unit_text = self.sources.only(answer.raised.unit)
        parameters = constructor(problem)
        failure = explain_raised(
            self.candidate, answer.raised, stage, doing, parameters, problem, unit_text=unit_text
        )
        if self._target.emulated and failure.where is not None:
            not_run = failures.without_a_cpu_form(answer.raised, failure.where)
            if not_run is not None:
                return not_run
        built = self._build.extensions if self._build is not None else []
        return failures.raised(answer.raised, failure, stage, doing, built)

    def _note_built(self, extensions: Sequence[BuiltExtension]) -> None:
        for built in extensions:
            self.libraries.add(built.library)
            self.built_quickly |= built.quick
            facts = self._build or Build(lane="none")
            facts.lane = built.lane
            facts.seconds += built.seconds
            facts.cached = built.cached
            facts.compiler = one_line(built.compiler, 120)
            if len(facts.extensions) < 16 and one_line(built.name, 120) not in facts.extensions:
                facts.extensions.append(one_line(built.name, 120))
            self._build = facts
            if self._recorded:
                self._live.show(build=facts)

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
            self._live.doing(f"Compiling {one_line(name, 60)}; {_USUAL}", at_once=True)
