"""One call in a process that looks like a notebook's kernel. It runs beside the judge.

In: a worker that has been sent its one request. Out: a `Result`. Not here: what is sent (`judge.candidate.session`),
the process itself (`worker.disguised`).
"""

from __future__ import annotations

from typing import Any

import torch

from kernelgate.backend.memory import check_answer, opened
from kernelgate.judge.candidate.call_result import Result
from kernelgate.judge.candidate.model_in_worker import close_all
from kernelgate.judge.candidate.worker import CandidateWorker
from kernelgate.messages.parcel import BadParcel
from kernelgate.messages.worker import Returned
from kernelgate.processes.worker_handle import WorkerFailed, WorkerHandle
from kernelgate.report import one_line


class DisguisedCall:
    """`inputs`: what it was called with. The caller closes it; that ends the process."""

    def __init__(
        self, worker: CandidateWorker, handle: WorkerHandle, inputs: list[Any], device: torch.device
    ) -> None:
        self.inputs = inputs
        self._worker = worker
        self._handle = handle
        self._device = device
        self._closed = False

    def result(self) -> Result:
        """What the call gave; a result that says why it is none, where the process gave none. Raises BadParcel for one
        that cannot be opened."""
        try:
            reply, received = self._worker.receive(self._handle)
        except WorkerFailed as exc:
            return _nothing(f"a process of its own gave no answer: {exc}")
        answer = reply.answer
        try:
            if not isinstance(answer, Returned):
                raise BadParcel("it answers something else than what was asked")
            check_answer(answer, received)
            outputs = [opened(one, received, self._device) for one in answer.outputs]
        finally:
            close_all(received)
        return Result(answer=answer, outputs=outputs, inputs=[], earlier=[], gradients=[])

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._handle.close()


def _nothing(why: str) -> Result:
    answer = Returned(what="", outputs=[], aliases_input=False, inputs=[])
    answer.not_possible = one_line(why, 200)
    return Result(answer=answer, outputs=[], inputs=[], earlier=[], gradients=[])
