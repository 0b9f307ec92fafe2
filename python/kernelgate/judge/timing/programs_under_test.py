"""The programs that are timed against each other, each in a worker of its own: the candidate, and forms of the
reference.

In: a run and its reference. Out: answers to `Measure`, `Trace` and `Weigh`. A mistake of the candidate ends the run
(`RunEnded`). Another program that cannot run is left out, and `LeftOut` says why.
Not here: which programs there are, and when they take turns (`judge.timing.lineup`, `judge.timing.turns`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch

from kernelgate.judge.candidate.model_in_worker import Answered, Ask, ModelInWorker, close_all
from kernelgate.judge.reference.reference import Reference
from kernelgate.messages.job import Limits
from kernelgate.messages.measure import Measure, Measured, Trace, TraceTaken, Weigh, Weighed
from kernelgate.messages.worker import ANSWER_TO, Answer, Request
from kernelgate.processes.worker_handle import WorkerFailed, WorkerHandle

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
