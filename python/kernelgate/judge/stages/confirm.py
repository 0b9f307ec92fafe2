"""The confirm stage: what a program gives as PyTorch's own `load_inline` builds it, beside the quicker build that was
checked.

In: a run whose cases and gates have passed with the quicker build. Out: nothing, or `NotConfirmed` if the two differ on
the problem's own inputs: then the run begins again, and PyTorch's build counts.
Not here: the quicker build (`compile.split_units`).
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Iterator

from kernelgate.check.inputs.cases import PROBLEM_PLANS
from kernelgate.judge.candidate.session import Session
from kernelgate.judge.candidate.worker import CandidateWorker
from kernelgate.judge.cases.case_call import call_case, draw_case
from kernelgate.judge.comparison.compare import WrongResult
from kernelgate.judge.endings.run_ended import NotJudged, RunEnded
from kernelgate.judge.run_context import RunContext
from kernelgate.messages.parcel import BadParcel

_FEW_PROCESSORS = 4
"""On fewer, two builds at once would take longer than one after the other."""
CONFIRMED = "confirmed with PyTorch's own build"


class NotConfirmed(Exception):
    """PyTorch's own build of the program is not right, or could not be made."""


@contextlib.contextmanager
def built_beside(run: RunContext) -> Iterator[CandidateWorker | None]:
    """A worker that has PyTorch's own build made while the quicker one is checked; None if the run has no other."""
    if not run.worker.quick:
        yield None
        return
    worker = run.worker.another(quick=False)
    try:
        if (os.cpu_count() or 1) >= _FEW_PROCESSORS:
            worker.prepare(run.target)
        yield worker
    finally:
        worker.close()


def confirm(run: RunContext, worker: CandidateWorker | None) -> None:
    """Raises NotConfirmed, NotJudged."""
    if worker is None:
        return
    run.live.doing("Confirming it with PyTorch's own build", at_once=True)
    session = Session(worker, run.reference, run.target, run.live)
    other = dataclasses.replace(run, worker=worker, session=session)
    try:
        session.start()
        case = draw_case(other, PROBLEM_PLANS[0])
        result = call_case(other, case)
        if case.expected.seed is None:
            run.comparer.check(result, case.expected, case.inputs, closely=True)
    except NotJudged:
        raise
    except (WrongResult, BadParcel, RunEnded) as exc:
        raise NotConfirmed from exc
    if run.worker.built_quickly:
        run.live.confirmed(CONFIRMED)
