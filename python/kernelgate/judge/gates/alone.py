"""The gate about being watched: a call in a process that looks like a notebook's kernel, and not like a judge's."""

from __future__ import annotations

from kernelgate.check.cases import case_seed
from kernelgate.judge.gates.gate_kind import GateKind, NotTried
from kernelgate.judge.gates.trial import Trial

UNWATCHED = GateKind(
    "as in a notebook's kernel",
    "problem",
    "it computes otherwise where it finds no judge",
    "In a process that looks like a notebook's kernel it gives other values",
    next_step="Compute the same wherever the program runs; look at no name, no argument and no module of the process",
)


def in_a_process_of_its_own(trial: Trial) -> None:
    """A program that raises there, or ends its process, counts as not tried: that process may lack other things."""
    inputs = trial.inputs("alone")
    expected = trial.expected(inputs)
    if expected.seed is not None:
        raise NotTried(None)  # random numbers are compared in the cases
    result = trial.session.call_alone(inputs, f"notebook_{case_seed(trial.seed, 'module'):x}"[:24])
    if result.answer.not_possible is not None:
        raise NotTried(result.answer.not_possible)
    trial.comparer.check(result, expected, inputs)
