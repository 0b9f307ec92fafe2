"""Gates about what a module is made of: its parameters and the arguments of its constructor."""

from __future__ import annotations

from kernelgate.judge.gates.kind import GateKind, NotTried
from kernelgate.judge.gates.trial import Trial

TAKE_EFFECT = GateKind(
    "parameters take effect",
    "problem",
    "it goes on with old parameters after they have changed",
    "Loading a checkpoint, or a step of training, has no effect",
    "does not take the reference's state_dict",
    mend="Name the parameters as the reference does, and read them in every call",
)
CONSTRUCTOR = GateKind(
    "constructor arguments",
    "drop-in",
    "it ignores the arguments of its constructor",
    "A module made with other arguments computes what the default ones would",
    "does not take the constructor's arguments",
)


def take_effect(trial: Trial) -> None:
    """Written in place, as an optimizer does, and by load_state_dict."""
    if not trial.reference.has_state:
        raise NotTried(None)
    if not trial.session.state_loaded:
        raise NotTried("its parameters have other names than the reference's")
    inputs = trial.inputs("parameters")
    try:
        trial.session.set_state("changed", "in place")
        trial.check(
            inputs, trial.expected(inputs, "changed"), "calling ModelNew after its parameters changed"
        )
        trial.session.set_state("own", "load")
        trial.check(inputs, trial.expected(inputs), "calling ModelNew after load_state_dict")
    finally:
        trial.session.forget()


def constructor_arguments(trial: Trial) -> None:
    if trial.reference.varied_init() is None:
        raise NotTried(None)
    inputs = trial.small_inputs("constructor")
    expected = trial.expected(inputs, "varied")
    try:
        trial.session.construct(trial.reference.dtype, "varied")
        trial.check(inputs, expected, "calling a ModelNew made with other arguments")
    finally:
        trial.session.forget()
