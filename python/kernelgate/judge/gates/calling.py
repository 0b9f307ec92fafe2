"""Gates about the ways in which PyTorch takes a module: compiled, exported, copied; and what it does to the process."""

from __future__ import annotations

from kernelgate.judge.gates.gate_kind import GateKind
from kernelgate.judge.gates.trial import Trial, require

NO_GLOBAL_STATE = GateKind(
    "no global state changed",
    "problem",
    "it changes settings of the whole process",
    "Other modules of the notebook compute otherwise from then on",
    mend="Leave the settings of PyTorch and of the process as they are",
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


def compile_fullgraph(trial: Trial) -> None:
    trial.small("compiled", "calling torch.compile(ModelNew, fullgraph=True)")


def export(trial: Trial) -> None:
    trial.small("exported", "exporting ModelNew")


def deepcopy_and_pickle(trial: Trial) -> None:
    trial.small("copied", "calling a deepcopy of ModelNew")
    trial.small("pickled", "calling a pickled ModelNew")
