"""The memory of a run's device: how much is free, who holds the rest, and whose doing it is if there is too little.

In: a device, or what a run has ended with. Out: figures and words, memory given back, and an end that blames nobody
wrongly. On the CPU there are no figures: other programs come and go.
Not here: which sizes fit (`judge.reference.affordable`, `judge.reference.problem`).
"""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from kernelgate.check.problem import is_out_of_memory
from kernelgate.judge.endings.run_ended import OutOfMemory, RunEnded, TooLarge
from kernelgate.report import Case, Gate

_CONTEXT_BYTES = 3 << 29  # of CUDA itself, in the processes of a run
NO_ROOM = "the device has too little free memory to try it"


@dataclass(frozen=True)
class Room:
    """Bytes of a device. `others`: held by other processes, 0 if it may be this run's own contexts."""

    total: int
    free: int
    others: int

    @property
    def words(self) -> str:
        """12.3 GB of 80.0 GB are free; other processes hold 66.1 GB"""
        free = f"{self.free / 1e9:.1f} GB of {self.total / 1e9:.1f} GB are free"
        return f"{free}; other processes hold {self.others / 1e9:.1f} GB" if self.others else free


def room_on(device: torch.device) -> Room | None:
    """None on the CPU. Before a run starts its workers, other processes hold what is neither free nor held by this
    one."""
    if device.type != "cuda":
        return None
    free, total = torch.cuda.mem_get_info(device)
    free += torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    others = total - free - torch.cuda.memory_allocated(device)
    return Room(total, free, others if others > _CONTEXT_BYTES else 0)


def give_back_memory() -> None:
    """Frees device memory that this process does not need and the workers do."""
    if torch.cuda.is_initialized():
        torch.cuda.ipc_collect()
        torch.cuda.empty_cache()


def free_for_workers(device: torch.device) -> int | None:
    """Bytes that a worker can take now. Gives back what this process has cached, if it is a large part of these."""
    if device.type != "cuda":
        return None
    free, _total = torch.cuda.mem_get_info(device)
    cached = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    if 4 * cached > free:
        torch.cuda.empty_cache()
        free, _total = torch.cuda.mem_get_info(device)
    return int(free)


@contextlib.contextmanager
def taken_on(device: torch.device) -> Iterator[list[int]]:
    """Appends the bytes that a call took at most, beside what was there before; nothing on the CPU."""
    taken: list[int] = []
    if device.type != "cuda":
        yield taken
        return
    before = torch.cuda.memory_allocated(device)
    torch.cuda.reset_peak_memory_stats(device)
    yield taken
    taken.append(torch.cuda.max_memory_allocated(device) - before)


@contextlib.contextmanager
def within_memory(row: Case | Gate | None = None, *, decides: bool = False) -> Iterator[None]:
    """In the body, too little memory on the device ends what is tried, and not the run: `row` says so. `decides`: a run
    cannot do without it."""
    try:
        yield
    except Exception as exc:
        if decides or not (isinstance(exc, OutOfMemory) or ran_out(exc)):
            raise
        traceback.clear_frames(exc.__traceback__)  # they hold tensors
        if row is not None:
            row.outcome, row.message = "not run", NO_ROOM
        give_back_memory()


def ran_out(exc: BaseException) -> bool:
    """Whether an exception says that the judge itself found too little memory for its own work."""
    return isinstance(exc, TooLarge) or (not isinstance(exc, RunEnded) and is_out_of_memory(exc))
