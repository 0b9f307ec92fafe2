"""Programs that are timed against each other, each in a worker of its own: the candidate, and the reference's forms.

In: a judge and its reference. Out: answers to `Measure` and `Weigh`. What the candidate does wrong ends the run
(`RunEnded`); where another one cannot run, it is left out, and `LeftOut` says why.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import torch

from kernelgate.backend.memory import unpack_host
from kernelgate.judge.reference import Reference
from kernelgate.messages.job import Limits
from kernelgate.messages.parcel import Parcel
from kernelgate.messages.worker import (
    ANSWER_TO,
    Answer,
    Construct,
    Constructed,
    Measure,
    Measured,
    Request,
    Trace,
    TraceTaken,
    Weigh,
    Weighed,
)
from kernelgate.processes.worker_handle import (
    BadAnswer,
    WorkerEnded,
    WorkerHandle,
    WorkerMemory,
    WorkerProcesses,
    WorkerTimeout,
)

# What is added to the reference program so that it can be loaded as a candidate is.
EAGER = "\nModelNew = Model\n"
COMPILED = """
class ModelNew(Model):
    def __init__(self, *args):
        super().__init__(*args)
        self.compile()
"""

Role = Literal["candidate", "reference", "other"]


class LeftOut(Exception):
    """A program beside the candidate cannot be timed; the message says which, and why."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name} is left out: {why}")
        self.name = name


class Asks(Protocol):
    """How a contestant is asked: answers, and the descriptors beside them."""

    def __call__(
        self, request: Request, descriptors: Sequence[int], doing: str
    ) -> tuple[Answer, list[int]]: ...


@dataclass(frozen=True)
class Taken:
    """A `Measured`, its seconds by the judge's own wall clock, and the descriptors of a kept result."""

    measured: Measured
    wall_s: float
    received: list[int]


class Contestant:
    """One program in its worker, constructed with the reference's parameters."""

    def __init__(self, name: str, role: Role, ask: Asks, reference: Reference) -> None:
        self.name = name
        self.role: Role = role
        self._ask = ask
        self._reference = reference

    def construct(self) -> None:
        init, seed, state, descriptors = self._reference.construction()
        name = str(self._reference.dtype).removeprefix("torch.")
        request = Construct(init=init, seed=seed, dtype=name, state=state)
        answer, _ = self._ask(request, descriptors, "constructing ModelNew")
        assert isinstance(answer, Constructed)

    def measure(
        self, request: Measure, inputs: Sequence[object] = (), upstream: torch.Tensor | None = None
    ) -> Taken:
        """`inputs`: new ones, from this call on, with the gradient of their result."""
        descriptors: list[int] = []
        request.inputs = [self._reference.pack(value, descriptors) for value in inputs]
        if upstream is not None:
            packed = self._reference.pack(upstream, descriptors)
            assert isinstance(packed, Parcel)
            request.upstream = packed
        began = time.perf_counter()
        answer, received = self._ask(request, descriptors, f"being timed, {request.phase}")
        wall = time.perf_counter() - began
        assert isinstance(answer, Measured)
        return Taken(answer, wall, received)

    def trace(self, request: Trace) -> tuple[TraceTaken, bytes]:
        """What a call did, and the whole trace where it was asked for. Raises BadParcel for one that cannot be read."""
        answer, received = self._ask(request, (), f"being traced, {request.phase}")
        assert isinstance(answer, TraceTaken)
        try:
            if answer.whole is None:
                return answer, b""
            data = unpack_host(answer.whole, received)
            return answer, bytes(memoryview((ctypes.c_char * data.numel()).from_address(data.data_ptr())))
        finally:
            for descriptor in received:
                os.close(descriptor)

    def weigh(self) -> Weighed:
        answer, _ = self._ask(Weigh(), (), "being timed")
        assert isinstance(answer, Weighed)
        return answer


def trusted(name: str, handle: WorkerHandle, limits: Limits, deadline: float) -> Asks:
    """Asks a worker that runs a form of the reference: whatever goes wrong there, it is left out."""

    def ask(request: Request, descriptors: Sequence[int], doing: str) -> tuple[Answer, list[int]]:
        try:
            reply, received = handle.ask(request, descriptors, limits.call_s, limits.build_s, deadline)
        except (WorkerEnded, WorkerTimeout, WorkerMemory, WorkerProcesses, BadAnswer) as exc:
            raise LeftOut(name, f"{doing}: {exc}") from exc
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        if not isinstance(reply.answer, ANSWER_TO[type(request)]):
            for descriptor in received:
                os.close(descriptor)
            raise LeftOut(name, f"{doing}: {_words(reply.answer)}")
        return reply.answer, received

    return ask


def _words(answer: Answer) -> str:
    raised = getattr(answer, "raised", None)
    if raised is not None:
        return f"{raised.type}: {raised.message}"[:300]
    return str(getattr(answer, "what", type(answer).__name__))[:300]
