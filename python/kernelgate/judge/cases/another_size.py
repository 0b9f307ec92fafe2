"""The problem once more, at other sizes: near those of the run with other remainders; of a problem that was scaled
down, with one size above what bounds it; and on a GPU at a size at which a call costs milliseconds.

In: a run. Out: the same run at those sizes, in a worker of its own, or None if there are none. A kernel without a
last part passes wherever its tiles divide the sizes, one with a thread an element wherever a block or a tile holds
them all, and one without a window wherever the window holds all positions.
Not here: the case itself (`judge.stages.check`).
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Iterator

import msgspec

from kernelgate.check.problem import ProblemError, constants
from kernelgate.judge.candidate.session import Session
from kernelgate.judge.endings.device_memory import room_on
from kernelgate.judge.endings.run_ended import RunEnded
from kernelgate.judge.reference import affordable
from kernelgate.judge.reference.affordable import (
    EMULATED,
    at_sizes,
    on_the_cpu,
    other_sizes,
    smaller_sizes,
)
from kernelgate.judge.reference.reference import Reference
from kernelgate.judge.run_context import RunContext

_MOST_ABOVE = 3
_ROOM_BYTES = 4 << 30  # another process that uses CUDA takes half a GiB for it


@contextlib.contextmanager
def at_another_size(run: RunContext) -> Iterator[RunContext | None]:
    """Afterwards its worker is gone. That loads the program while the judge goes on."""
    job = run.job
    budget = on_the_cpu(run.candidate) if run.target.emulated else EMULATED
    text, label, sizes = job.reference_text, run.reference.label, run.reference.sizes
    with _at(run, other_sizes(text, label, job.sizes, sizes, budget)) as other:
        yield other


@contextlib.contextmanager
def at_a_small_size(run: RunContext) -> Iterator[RunContext | None]:
    """On a GPU, the run at a size at which a call costs milliseconds, with the program as its author wrote it; None if
    the problem's own is as small, or a person wants everything at that. Afterwards its worker is gone."""
    room = room_on(run.target.torch_device) if not run.job.thorough else None
    if run.target.emulated or room is None or room.free < _ROOM_BYTES:
        yield None
        return
    sizes = smaller_sizes(run.job.reference_text, run.reference.label, run.job.sizes)
    with _at(run, sizes, as_written=True) as small:
        yield small


def above_bounds(run: RunContext) -> Iterator[tuple[str, RunContext]]:
    """For each size that only the problem's own has above a bound: a name, and the run at sizes if it is above, too,
    for at most three of them. The worker of each is gone when the next is asked for."""
    job, reference = run.job, run.reference
    if not (reference.scaled and run.target.emulated):
        return
    text, label = job.reference_text, reference.label
    found = affordable.above_bounds(text, label, job.sizes, reference.sizes, run.candidate)
    for name, sizes in itertools.islice(found, _MOST_ABOVE):
        with _at(run, sizes) as other:
            if other is not None:
                yield name, other


@contextlib.contextmanager
def _at(
    run: RunContext, sizes: dict[str, int] | None, *, as_written: bool = False
) -> Iterator[RunContext | None]:
    reference = _reference(run, sizes) if sizes is not None else None
    if reference is None:
        yield None
        return
    candidate = run.candidate
    worker = run.worker.another(
        candidate if as_written else at_sizes(candidate, run.job.reference_text, reference.sizes)
    )
    try:
        worker.prepare(run.target)
        session = Session(worker, reference, run.target, run.live)
        yield dataclasses.replace(run, reference=reference, worker=worker, session=session)
    finally:
        worker.close()


def _reference(run: RunContext, sizes: dict[str, int]) -> Reference | None:
    job, text = run.job, run.job.reference_text
    try:
        every = {**constants(text, run.reference.label), **job.sizes, **sizes}
        other = msgspec.structs.replace(job, shape=None, sizes=every)
        choice = run.reference.assignment
        return Reference.of(other, run.target.torch_device, run.seed, run.candidate, assignment=choice)
    except (ProblemError, RunEnded):
        return None  # a candidate need not accept what the reference does not
