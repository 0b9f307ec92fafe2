"""The gate about being watched: a call in a process that looks like a notebook's kernel, and not like a judge's."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from kernelgate.check.inputs.cases import case_seed
from kernelgate.judge.candidate.disguised_call import DisguisedCall
from kernelgate.judge.gates.gate_kind import GateKind, NotTried
from kernelgate.judge.gates.trial import Trial
from kernelgate.judge.reference.expected import Expected

UNWATCHED = GateKind(
    "as in a notebook's kernel",
    "problem",
    "its result differs if it finds no judge",
    "In a process that looks like a notebook's kernel it gives other values",
    next_step="Compute the same wherever the program runs; look at no name, no argument and no module of the process",
)


@contextlib.contextmanager
def beside_the_check(trial: Trial, *, begins: bool) -> Iterator[None]:
    """In the body, the call runs beside the others, if it `begins` so."""
    with contextlib.ExitStack() as ended:
        if begins and not trial.reference.pace.leaves_out_gate(UNWATCHED.name, UNWATCHED.contract):
            with contextlib.suppress(NotTried):  # which the gate finds as well
                trial.disguised = _begin(trial)
                ended.callback(trial.disguised.close)
        yield


def in_a_process_of_its_own(trial: Trial) -> str:
    """A program that raises there, or ends its process, counts as not tried: that process may lack other things."""
    with contextlib.closing(trial.disguised or _begin(trial)) as call:
        expected = trial.expected(call.inputs)
        if expected.seed is not None:
            raise NotTried(None)  # random numbers are compared in the cases
        _check(trial, call, expected)
    return "one call in such a process"


def _check(trial: Trial, call: DisguisedCall, expected: Expected) -> None:
    """Holds the result only as long as the process that its memory may belong to."""
    result = call.result()
    if result.answer.not_possible is not None:
        raise NotTried(result.answer.not_possible)
    trial.comparer.check(result, expected, call.inputs)


def _begin(trial: Trial) -> DisguisedCall:
    return trial.session.begin_disguised(
        trial.inputs("alone"), f"notebook_{case_seed(trial.seed, 'module'):x}"[:24]
    )
