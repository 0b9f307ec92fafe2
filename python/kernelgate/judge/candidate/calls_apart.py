"""Calls of a candidate in another process than its session's: one that looks like a notebook's kernel, beside the
judge; and a replay of its forward call, for a tool that starts its target itself.

In: a worker that has been sent its one request; a job. Out: a `Result` each; the command (`worker.replay`), its
environment, and a folder to put the tool's own files in, which a confined replay cannot write to. Not here: what is
sent (`judge.candidate.session`), the processes themselves (`worker.disguised`, `worker.replay`).
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import torch

from kernelgate.backend.memory import check_answer, opened
from kernelgate.check.problem import constants
from kernelgate.judge.candidate.model_in_worker import Result, close_all
from kernelgate.judge.candidate.worker import CandidateWorker
from kernelgate.judge.reference.reference import Reference
from kernelgate.messages.job import Job
from kernelgate.messages.parcel import BadParcel
from kernelgate.messages.worker import Returned
from kernelgate.processes.worker_handle import WorkerEnded, WorkerFailed, WorkerHandle
from kernelgate.report import one_line
from kernelgate.safe_path import command, elsewhere, environment, running

_BY_A_SIGNAL = 128
"""From this status on a process was ended by one: the system does so if memory runs out."""


@dataclass
class DisguisedCall:
    """`inputs`: those of each call. The caller closes it; that ends the process."""

    worker: CandidateWorker
    handle: WorkerHandle
    inputs: list[list[Any]]
    device: torch.device
    _closed: bool = False

    def results(self) -> list[Result]:
        """What the calls gave; one result that says why there is none, if the process gave none. Raises BadParcel for
        those that cannot be opened."""
        found: list[Result] = []
        for _call in self.inputs:
            try:
                reply, received = self.worker.receive(self.handle)
            except WorkerFailed as exc:
                status = exc.status if isinstance(exc, WorkerEnded) else None
                if status is not None and 0 <= status < _BY_A_SIGNAL:
                    return [_nothing(raised=f"it ends its process with status {status}")]
                return [_nothing(f"a process of its own gave no answer: {exc}")]
            answer = reply.answer
            try:
                if not isinstance(answer, Returned):
                    raise BadParcel("it answers something else than what was asked")
                check_answer(answer, received)
                outputs = [opened(one, received, self.device) for one in answer.outputs]
                memories = [opened(one, received, self.device) for one in answer.inputs]
            finally:
                close_all(received)
            found.append(Result(answer, outputs, memories, [], []))
            if answer.raised or answer.not_possible is not None:
                return found[-1:]
        return found

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self.handle.close()


def _nothing(why: str | None = None, raised: str = "") -> Result:
    answer = Returned(what="", outputs=[], aliases_input=False, inputs=[], raised=[raised] if raised else [])
    answer.not_possible = None if why is None else one_line(why, 200)
    return Result(answer=answer, outputs=[], inputs=[], earlier=[], gradients=[])


@dataclass(frozen=True)
class Replay:
    command: tuple[str, ...]
    environment: dict[str, str]
    folder: Path
    """The tool's own; everything in it goes when the replay is over."""


@contextlib.contextmanager
def replay_of(job: Job, sizes: Mapping[str, int], index: int, seed: int) -> Iterator[Replay]:
    """A replay of a job on CUDA device `index`, at the sizes `exact_sizes` gives."""
    replayed = msgspec.structs.replace(
        job, device=f"cuda:{index}", seed=seed, shape=None, sizes=dict(sizes), trace=""
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "job.json"
        file.write_bytes(msgspec.json.encode(replayed))
        inside = folder / "inside"
        inside.mkdir()
        # In one process nothing can be sent by CUDA IPC.
        path = os.pathsep.join(elsewhere(sys.path))
        # The tool may still write to TMPDIR once the process is confined.
        variables = {**environment(), "PYTHONPATH": path, "KERNELGATE_IPC": "off", "TMPDIR": str(inside)}
        yield Replay(command(running("kernelgate.worker.replay"), str(file), str(inside)), variables, folder)


def exact_sizes(job: Job, reference: Reference) -> dict[str, int]:
    """Every size of the reference by name: with less memory free than before, a replay would be scaled down."""
    return {**constants(job.reference_text, "problem.py"), **reference.sizes}
