"""The problem once more, at a size near that of the run which leaves other remainders.

In: a run. Out: the same run at that size, in a worker of its own, or None where there is no such size. A kernel without
a last part passes wherever its tiles divide the sizes; here they do not.
Not here: the case itself (`judge.stages.check`).
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator

import msgspec

from kernelgate.check.problem import ProblemError, constants
from kernelgate.judge.affordable import at_sizes, emulates, other_sizes
from kernelgate.judge.candidate_session import Session
from kernelgate.judge.reference import Reference
from kernelgate.judge.run_context import RunContext
from kernelgate.judge.run_ended import RunEnded


@contextlib.contextmanager
def at_another_size(run: RunContext) -> Iterator[RunContext | None]:
    """Afterwards its worker is gone. That loads the program while the judge goes on."""
    reference = _reference(run)
    if reference is None:
        yield None
        return
    worker = run.worker.another(at_sizes(run.candidate, run.job.reference_text, reference.sizes))
    try:
        worker.prepare(run.target)
        session = Session(worker, reference, run.target, run.live)
        yield dataclasses.replace(run, reference=reference, worker=worker, session=session)
    finally:
        worker.close()


def _reference(run: RunContext) -> Reference | None:
    job, emulated = run.job, run.target.emulated and emulates(run.candidate)
    text = job.reference_text
    try:
        expensive = emulated or not run.target.emulated
        sizes = other_sizes(text, run.reference.label, job.sizes, run.reference.sizes, emulated=expensive)
        if sizes is None:
            return None
        every = {**constants(text, run.reference.label), **job.sizes, **sizes}
        other = msgspec.structs.replace(job, shape=None, sizes=every)
        reference = Reference(other, run.target.torch_device, run.seed, run.candidate)
    except (ProblemError, RunEnded):
        return None  # a candidate need not accept what the reference does not
    reference.assignment = run.reference.assignment
    return reference
