"""The programs that are timed against each other, each in a worker of its own: the candidate, and forms of the
reference; and their samples in one phase and cache state, as they come in: kept, grouped, and turned into rows and
speeds.

In: a run and its reference; blocks of seconds, taken by turns. Out: answers to `Measure`, `Trace` and `Weigh`; `Timed`
and `Speed` for the report. A mistake of the candidate ends the run (`RunEnded`). Another program that cannot run is
left out, and `LeftOut` says why.
Not here: which programs there are, and when they take turns (`judge.timing.lineup`, `judge.timing.turns`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch

from kernelgate.judge.candidate.model_in_worker import Answered, Ask, ModelInWorker, close_all
from kernelgate.judge.reference.reference import Reference
from kernelgate.messages.job import Limits
from kernelgate.messages.measure import Measure, Measured, Trace, TraceTaken, Weigh, Weighed
from kernelgate.messages.worker import ANSWER_TO, Answer, Request
from kernelgate.processes.worker_handle import WorkerFailed, WorkerHandle
from kernelgate.report.measured import CacheState, Phase, Speed, SpeedVerdict, SweepPoint, Timed
from kernelgate.timing.statistics import Group, noise_band, quartiles, resolution, speed, thinned, verdict

# Added to the reference program, so that it can be loaded like a candidate.
EAGER = "\nModelNew = Model\n"
COMPILED = """
class ModelNew(Model):
    def __init__(self, *args):
        super().__init__(*args)
        self.compile()
"""

Role = Literal["candidate", "reference", "other"]


class LeftOut(Exception):
    """A program other than the candidate cannot be timed; the message says which, and why."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name} is left out: {why}")
        self.name = name


@dataclass(frozen=True)
class Taken:
    """A `Measured`, and its seconds by the judge's own wall clock. The caller closes it."""

    got: Answered[Measured]
    wall_s: float

    @property
    def measured(self) -> Measured:
        return self.got.answer

    def outputs(self) -> list[torch.Tensor | None]:
        """The tensors of the kept result, or its gradients. Raises BadParcel."""
        return [self.got.tensor(one) if one is not None else None for one in self.measured.outputs]

    def close(self) -> None:
        self.got.close()


class ProgramUnderTest:
    """One program in its worker, constructed with the reference's parameters."""

    def __init__(self, name: str, role: Role, ask: Ask, reference: Reference) -> None:
        self.name = name
        self.role: Role = role
        self._model = ModelInWorker(ask, reference)

    def construct(self) -> None:
        self._model.construct()

    def measure(
        self, request: Measure, inputs: Sequence[object] = (), upstream: torch.Tensor | None = None
    ) -> Taken:
        """`inputs`: new ones, from this call on, with the gradient of their result."""
        given = self._model.arguments(inputs)
        request.inputs = given.values
        request.upstream = given.parcel(upstream) if upstream is not None else request.upstream
        began = time.perf_counter()
        got = self._model.send(Measured, request, given.descriptors, f"being timed, {request.phase}")
        return Taken(got, time.perf_counter() - began)

    def trace(self, request: Trace) -> tuple[TraceTaken, bytes]:
        """What a call did, and the whole trace if it was asked for. Raises BadParcel for one that cannot be read."""
        with self._model.send(TraceTaken, request, (), f"being traced, {request.phase}") as got:
            whole = got.answer.whole
            return got.answer, got.data(whole) if whole is not None else b""

    def weigh(self) -> Weighed:
        with self._model.send(Weighed, Weigh(), (), "being timed") as got:
            return got.answer


def trusted(name: str, handle: WorkerHandle, limits: Limits, deadline: float) -> Ask:
    """Asks a worker that runs a form of the reference; whatever goes wrong there, the program is left out."""

    def ask(request: Request, descriptors: Sequence[int], doing: str) -> tuple[Answer, list[int]]:
        try:
            reply, received = handle.ask(request, descriptors, limits.call_s, limits.build_s, deadline)
        except WorkerFailed as exc:
            raise LeftOut(name, f"{doing}: {exc}") from exc
        if not isinstance(reply.answer, ANSWER_TO[type(request)]):
            close_all(received)
            raise LeftOut(name, f"{doing}: {_words(reply.answer)}")
        return reply.answer, received

    return ask


def _words(answer: Answer) -> str:
    raised = getattr(answer, "raised", None)
    if raised is not None:
        return f"{raised.type}: {raised.message}"[:300]
    return str(getattr(answer, "what", type(answer).__name__))[:300]


FEWEST_CALLS = 3
_LONG_CALL_S = 0.1
# Times the inputs: what programs and judge may have freed since the last block. The driver clears it in the background.
_FREED = 10
_CLEARED_BYTES_PER_S = 5e11  # on an H200


@dataclass(frozen=True)
class Block:
    """`calls`, `repeats` times."""

    calls: int
    repeats: int


@dataclass(frozen=True)
class SamplingPlan:
    """A block of cold calls takes `cold_s`, and one of calls that follow each other `batches` times `batch_s`: many
    short blocks are more precise than few long ones. Each block warms up for `least_settle_s` or more."""

    cold_s: float = 0.06
    most_cold_calls: int = 80
    batch_s: float = 0.01
    batches: int = 5
    most_calls: int = 400
    least_settle_s: float = 0.01

    def block(self, cache_state: CacheState, call_s: float) -> Block:
        """`call_s`: what one call takes."""
        cold = cache_state == "cold"
        seconds, most = (self.cold_s, self.most_cold_calls) if cold else (self.batch_s, self.most_calls)
        calls = min(most, math.ceil(seconds / max(call_s, 1e-6)))
        once = cold or call_s > _LONG_CALL_S  # long calls are precise as they are
        return Block(calls=max(FEWEST_CALLS, calls), repeats=1 if once else self.batches)

    def settle_s(self, input_bytes: int) -> float:
        """Seconds of warm-up calls. `input_bytes`: of the program's inputs, 0 if no memory was freed."""
        return self.least_settle_s + _FREED * input_bytes / _CLEARED_BYTES_PER_S


USUAL = SamplingPlan()


FEWEST_GROUPS = 4
_PRECISE_FROM = 8
_PRECISE = 0.004  # the width of an interval at which more samples say no more
_KEPT_SAMPLES = 120


@dataclass
class Rounds:
    """`coarser`: the candidate's arithmetic if it is less accurate than the reference's, else ""."""

    phase: Phase
    cache_state: CacheState
    coarser: str = ""
    _groups: dict[str, list[Group]] = field(default_factory=dict)
    _samples: dict[str, list[float]] = field(default_factory=dict)
    _dropped: dict[str, int] = field(default_factory=dict)

    def add(
        self, program: str, reference: str, blocks: dict[str, list[list[float]]], *, slowed: bool
    ) -> None:
        """One group: two blocks of each. If the device was `slowed` down, they are counted and dropped."""
        for name, (first, second) in blocks.items():
            if slowed:
                self._dropped[name] = self._dropped.get(name, 0) + len(first) + len(second)
            else:
                self._samples.setdefault(name, []).extend([*first, *second])
        if not slowed:
            mine, theirs = blocks[program], blocks[reference]
            group = Group(reference=(theirs[0], theirs[1]), candidate=(mine[0], mine[1]))
            self._groups.setdefault(program, []).append(group)

    @property
    def fewest(self) -> int:
        """The number of groups of the program with the fewest."""
        return min((len(groups) for groups in self._groups.values()), default=0)

    @property
    def precise(self) -> bool:
        """Whether more samples would add nothing."""
        return self.fewest >= _PRECISE_FROM and all(
            speed(groups).width < max(_PRECISE, (resolution(groups) - 1) / 2)
            for groups in self._groups.values()
        )

    def rows(self, programs: Sequence[ProgramUnderTest]) -> list[Timed]:
        found = []
        for program in programs:
            taken = self._samples.get(program.name)
            if not taken:
                continue
            low, middle, high = quartiles(taken)
            found.append(
                Timed(
                    program=program.name,
                    role=program.role,
                    phase=self.phase,
                    cache_state=self.cache_state,
                    median_s=middle,
                    q1_s=low,
                    q3_s=high,
                    n=len(taken),
                    dropped=self._dropped.get(program.name, 0),
                    samples_s=thinned(taken, _KEPT_SAMPLES),
                )
            )
        return found

    def sweep_point(self, candidate: str, shape: str, elements: int) -> SweepPoint | None:
        """The candidate at one size; None if there are too few groups, or nothing to compare."""
        found = next((one for one in self.speeds(candidate) if one.program == candidate), None)
        if found is None or found.verdict is None:
            return None
        groups = self._groups[candidate]
        mine = quartiles([s for group in groups for block in group.candidate for s in block])[1]
        theirs = quartiles([s for group in groups for block in group.reference for s in block])[1]
        return SweepPoint(
            shape=shape,
            elements=elements,
            candidate_s=mine,
            reference_s=theirs,
            ratio=found.ratio,
            low=found.low,
            high=found.high,
            verdict=found.verdict,
        )

    def speeds(self, candidate: str) -> list[Speed]:
        found = []
        for name, groups in self._groups.items():
            if len(groups) < FEWEST_GROUPS:
                continue
            interval, band = speed(groups), noise_band(groups)
            coarser = self.coarser if name == candidate else ""
            said: SpeedVerdict | None = None if coarser else verdict(interval, band)
            found.append(
                Speed(
                    program=name,
                    phase=self.phase,
                    cache_state=self.cache_state,
                    ratio=interval.value,
                    low=interval.low,
                    high=interval.high,
                    band=band,
                    verdict=said,
                    note=f"computes in {coarser}" if coarser else "",
                )
            )
        return found
