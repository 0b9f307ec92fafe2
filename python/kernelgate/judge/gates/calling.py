"""Gates about the ways in which PyTorch takes a module: compiled, exported, copied; and what it does to the process."""

from __future__ import annotations

from contextlib import suppress

from kernelgate.judge.gates.gate_kind import GateKind
from kernelgate.judge.gates.trial import Trial, require
from kernelgate.judge.run_ended import CandidateRaised

NO_GLOBAL_STATE = GateKind(
    "no global state changed",
    "problem",
    "it changes settings of the whole process",
    "Other modules of the notebook compute otherwise from then on",
    next_step="Leave the settings of PyTorch and of the process as they are",
)
AS_A_CELL = GateKind(
    "called as a cell calls it",
    "problem",
    "it is wrong where gradients are on, as they are in a notebook",
    "A plain call in a cell, outside of torch.no_grad(), gives another result",
    "raises where gradients are on, as they are in a notebook",
    next_step="Compute the same with gradients on and off, and write to no tensor that PyTorch differentiates",
)
COMPILE = GateKind(
    "torch.compile fullgraph",
    "drop-in",
    "it is wrong under torch.compile",
    "A model that is compiled has a break in its graph here",
    "does not support torch.compile(fullgraph=True)",
)
EXPORT = GateKind(
    "torch.export",
    "drop-in",
    "it is wrong after torch.export",
    "A model that holds it cannot be exported",
    "does not support torch.export",
)
COPY = GateKind(
    "deepcopy and pickle",
    "drop-in",
    "a copy of it gives a wrong result",
    "A model that holds it cannot be copied or sent to another process",
    "cannot be copied or pickled",
)


def no_global_state_changed(trial: Trial) -> None:
    changed = trial.session.inspect()
    require(not changed, ", ".join(changed[:3]))


def as_a_cell_calls_it(trial: Trial) -> None:
    """With gradients enabled, then with inputs that require them. A program that raises for these has no gradient:
    another gate says so."""
    inputs = trial.inputs("gradients on")
    expected = trial.expected(inputs)
    trial.check(inputs, expected, "calling ModelNew with gradients enabled", manner="gradients on")
    with suppress(CandidateRaised):
        trial.check(
            inputs, expected, "calling ModelNew on inputs that want gradients", manner="inputs want gradients"
        )


def compile_fullgraph(trial: Trial) -> None:
    trial.small("compiled", "calling torch.compile(ModelNew, fullgraph=True)")


def export(trial: Trial) -> None:
    trial.small("exported", "exporting ModelNew")


def deepcopy_and_pickle(trial: Trial) -> None:
    trial.small("copied", "calling a deepcopy of ModelNew")
    trial.small("pickled", "calling a pickled ModelNew")
