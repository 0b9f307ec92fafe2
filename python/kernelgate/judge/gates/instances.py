"""The gate about two modules of one class in one process: each is what its own constructor made it."""

from __future__ import annotations

from kernelgate.check.problem import ProblemError
from kernelgate.judge.compare import WrongResult
from kernelgate.judge.gates.gate_kind import GateKind, NotTried
from kernelgate.judge.gates.trial import Trial
from kernelgate.judge.parameter_states import State
from kernelgate.judge.run_ended import CandidateRaised

BESIDE_ANOTHER = GateKind(
    "beside another module",
    "problem",
    "it is wrong once another ModelNew has been made",
    "Two layers of a model, or two cells of a notebook, share what each should have for itself",
    next_step="Keep arguments and weights in the module, not in a global variable, a class or a __constant__",
)


def beside_another(trial: Trial) -> str:
    """Another one, of other parameters or other arguments, is made and called; then the first has to give what it
    gave. What the other gives is not looked at here."""
    reference, session = trial.reference, trial.session
    if reference.stateful or reference.remembers:
        raise NotTried("the reference keeps something between calls")
    inputs = trial.inputs("beside another")
    expected = trial.expected(inputs)
    trial.check(inputs, expected, "calling ModelNew")
    try:
        try:
            other = _other_state(trial)
            session.construct_beside(reference.dtype, other)
            session.call(inputs, "calling another ModelNew", seed=expected.seed)
        except CandidateRaised as exc:
            # Arguments that it does not take are no matter of this gate.
            raise NotTried("a second one could not be made and called") from exc
        doing = "calling a ModelNew after another one was made"
        try:
            trial.check(inputs, expected, doing, former=True)
        except WrongResult as exc:
            raise WrongResult(f"called after another one was made: {exc}") from None
    finally:
        session.forget()
    return _BESIDE[other]


_BESIDE: dict[State, str] = {
    "changed": "called after one with other parameters",
    "varied": "called after one with other arguments",
    "own": "called after another one",
}


def _other_state(trial: Trial) -> State:
    """With other parameters, where it has any; else with other arguments, where the reference takes such."""
    if trial.reference.has_state and trial.session.state_loaded:
        return "changed"
    try:
        if trial.reference.varied_init() is not None:
            trial.reference.module(trial.reference.dtype, "varied")
            return "varied"
    except (NotTried, ProblemError):
        pass
    return "own"
