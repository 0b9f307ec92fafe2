"""What every stage of a run uses and none changes: the job, the candidate, the reference, and the worker.

In: a candidate that could be read, and its target. Out: `RunContext`. Not here: the order of the stages
(`judge.pipeline`), and what a stage adds to the report, which it returns.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from kernelgate import torch_errors
from kernelgate.backend.target import EMULATED, Target
from kernelgate.check.nesting import tensors_in
from kernelgate.check.sizes.work import Work
from kernelgate.check.tolerance.grade import Asked
from kernelgate.judge.candidate.session import Session
from kernelgate.judge.candidate.worker import CandidateWorker, Workers
from kernelgate.judge.comparison.compare import Comparer
from kernelgate.judge.endings.device_memory import ran_out, room_on
from kernelgate.judge.endings.findings import Sources
from kernelgate.judge.endings.reference_failures import too_large
from kernelgate.judge.endings.run_ended import OutOfMemory
from kernelgate.judge.reference.affordable import at_sizes
from kernelgate.judge.reference.reference import Reference
from kernelgate.judge.run.gpu_turn import GpuTurn
from kernelgate.judge.run.live_report import LiveReport
from kernelgate.judge.run.run_clock import RunClock
from kernelgate.messages.channel import Channel
from kernelgate.messages.job import Job
from kernelgate.processes.orders import Orders
from kernelgate.processes.worker_handle import memory_limit
from kernelgate.program import Candidate
from kernelgate.report import one_line

_SMALL_BYTES = 64 << 20
_MUCH_BYTES = 16 << 30  # a process that uses CUDA takes half a GiB for it
_SPARE_BYTES = 1 << 30
_SPARE = 4.0  # of what the reference took: a worker keeps inputs and results of earlier calls too


@dataclass(frozen=True)
class RunContext:
    """Of one run.

    `target`: what it is judged on. `seed`: what everything drawn in it follows from. `live`: is given what a stage is
    doing. `workers`: starts processes beside the candidate's, which is `worker`; `session`: its module, as the check
    calls it; `gpu`: takes turns with other runs.
    """

    job: Job
    target: Target
    candidate: Candidate
    seed: int
    reference: Reference
    comparer: Comparer
    live: LiveReport
    workers: Workers
    worker: CandidateWorker
    session: Session
    gpu: GpuTurn

    @property
    def has_room_beside(self) -> bool:
        """Whether processes beside the candidate's worker may hold the problem as well."""
        room = room_on(self.target.torch_device)
        return self.reference.nbytes <= _SMALL_BYTES and (room is None or room.free >= _MUCH_BYTES)

    def in_emulation(self) -> Reference:
        """The problem once more, on the CPU, at the size that emulation can afford. Raises RunEnded if it cannot be
        used there."""
        job = msgspec.structs.replace(self.job, shape=None, sizes={})
        choice = self.reference.assignment
        return Reference.of(job, EMULATED.torch_device, self.seed, self.candidate, assignment=choice)

    def ended_by(self, exc: Exception, *, checked: bool = False) -> Exception:
        """What a stage has raised; TooLarge where memory ran out and the candidate is not to blame.

        The candidate's call is held against the reference's at the same size: it is to blame where the worker had room
        for several of those, and not if it has passed at this size (`checked`). A greedy one fails at a smaller
        size, too. Other processes may have taken memory since that room was measured: what PyTorch says of it when it
        fails counts as well.
        """
        reference, free = self.reference, self.session.free_bytes
        if not isinstance(exc, OutOfMemory):
            return too_large(reference.shape, reference.room) if ran_out(exc) else exc
        if reference.device.type != "cuda":
            return exc
        if free is None:  # the worker had not come as far as to be asked
            return too_large(reference.shape, reference.room)
        held = [*tensors_in(list(reference.own_inputs)), *reference.state("own").values()]  # a worker has copies
        taken = reference.observed.taken_bytes + sum(one.numel() * one.element_size() for one in held)
        said = torch_errors.memory_left(exc.words)  # any candidate may say so, which never lets it pass
        free = min(free, free if said is None else said)
        if checked or free < _SPARE * taken + _SPARE_BYTES:
            return too_large(reference.shape, reference.room)
        if exc.failure is not None:
            words = f"{free / 1e9:.1f} GB were free for the call; the reference takes {taken / 1e9:.1f} GB for it"
            exc.failure.what = one_line(f"{words}. {exc.failure.what}", 600)  # PyTorch's own words are long
        return exc


@contextlib.contextmanager
def run_context(
    job: Job,
    target: Target,
    candidate: Candidate,
    seed: int,
    live: LiveReport,
    control: Channel,
    clock: RunClock,
    too_much: Work | None = None,
    *,
    quick: bool = False,
) -> Iterator[RunContext]:
    """The context of a run; afterwards its worker is gone. `too_much`: the work of sizes at which memory ran out;
    `quick`: as of a `CandidateWorker`. Raises RunEnded if the reference cannot be used."""
    workers = Workers(job, Orders(control), live, job.limits.memory_bytes or memory_limit(), clock)
    worker = CandidateWorker(workers, candidate, target, Sources(), quick=quick)
    gpu = GpuTurn(_uuid(target), lambda words: live.doing(words, at_once=True))
    try:
        worker.begin()
        if not target.emulated:
            import torch

            torch.cuda.set_device(target.torch_device)  # a reference that names "cuda" means this GPU
        reference = Reference.of(job, target.torch_device, seed, candidate, too_much)
        worker.candidate = at_sizes(candidate, job.reference_text, reference.sizes)
        comparer = Comparer(
            emulated=target.emulated,
            allowed=job.allow_arithmetic,
            asked=Asked.of(job.rtol, job.atol, job.tolerance_of),
        )
        session = Session(worker, reference, target, live)
        yield RunContext(job, target, candidate, seed, reference, comparer, live, workers, worker, session, gpu)
    finally:
        worker.close()
        gpu.close()


def _uuid(target: Target) -> str:
    """Of the GPU; "" in emulation, and for versions of PyTorch that do not say."""
    if target.emulated:
        return ""
    import torch

    return str(getattr(torch.cuda.get_device_properties(target.torch_device), "uuid", ""))
