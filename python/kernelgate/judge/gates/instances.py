"""Gates about what a module keeps: two of one class are each what its own constructor made it, and one that is called
again goes on as the reference does."""

from __future__ import annotations

from typing import Any

from kernelgate.check.problem import ProblemError
from kernelgate.judge.comparison.compare import WrongResult
from kernelgate.judge.endings.run_ended import CandidateRaised
from kernelgate.judge.gates.gate_kind import DoesNotHold, GateKind, NotTried
from kernelgate.judge.gates.trial import Trial
from kernelgate.judge.reference.copies import FACTORS, State, times

BESIDE_ANOTHER = GateKind(
    "beside another module",
    "problem",
    "it is wrong once another ModelNew has been made",
    "Two layers of a model, or two cells of a notebook, share what each should have for itself",
    next_step="Keep arguments and weights in the module, not in a global variable, a class or a __constant__",
)


CALLS_IN_A_ROW = GateKind(
    "calls in a row",
    "problem",
    "it is wrong in a later call, though right in the first",
    "A module that keeps something between calls, as the reference does, has to keep it in every call",
    next_step="Update in each call what the reference updates, and read it in the next one",
)
_CALLS = 3


def calls_in_a_row(trial: Trial) -> str:
    """Of a reference that keeps something between calls, in a buffer, a parameter or a plain attribute."""
    reference, session = trial.reference, trial.session
    if not reference.observed.keeps:
        raise NotTried(None)
    earlier: list[list[Any]] = []
    session.forget()
    session.construct(reference.dtype)
    try:
        for number in range(1, _CALLS + 1):
            inputs = trial.inputs(f"call {number} in a row")
            expected = trial.expected(inputs, earlier=earlier)
            if expected.seed is not None:
                raise NotTried(None)  # random results are compared in the cases
            session.go_on()
            try:
                trial.check(inputs, expected, f"calling ModelNew {number} times")
            except WrongResult as exc:
                raise DoesNotHold(f"call {number} of {_CALLS}: {exc}") from None
            earlier.append(inputs)
    finally:
        session.forget()
    return f"{_CALLS} calls of one module, each compared"


def beside_another(trial: Trial) -> str:
    """Another one, of other parameters or other arguments, is made and called; then the first has to give what it
    gave. What the other gives is not looked at here."""
    reference, session = trial.reference, trial.session
    if reference.observed.keeps:
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
            raise DoesNotHold(f"called after another one was made: {exc}") from None
    finally:
        session.forget()
    return _BESIDE[other]


_BESIDE: dict[State, str] = {
    "changed": "called after one with other parameters",
    "varied": "called after one with other arguments",
    "own": "called after another one",
}


def _other_state(trial: Trial) -> State:
    """With other parameters, if it has any; else with other arguments, if the reference takes such."""
    if trial.reference.has_state and trial.session.state_loaded:
        return "changed"
    try:
        if (init := times(trial.reference.full_init, FACTORS[0])) is not None:
            trial.reference.vary(init)
            trial.reference.module(trial.reference.dtype, "varied")
            return "varied"
    except (NotTried, ProblemError):
        pass
    return "own"
