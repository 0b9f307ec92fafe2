"""Calls in a process that looks like a notebook's kernel. It runs beside the judge.

In: a worker that has been sent its one request. Out: a `Result` each. Not here: what is sent
(`judge.candidate.session`), the process itself (`worker.disguised`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from kernelgate.backend.memory import check_answer, opened
from kernelgate.judge.candidate.model_in_worker import Result, close_all
from kernelgate.judge.candidate.worker import CandidateWorker
from kernelgate.messages.parcel import BadParcel
from kernelgate.messages.worker import Returned
from kernelgate.processes.worker_handle import WorkerEnded, WorkerFailed, WorkerHandle
from kernelgate.report import one_line

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
