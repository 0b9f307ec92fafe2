"""Gates about calling again: the same result for the same input, and no result from before; and about what a module
keeps: two of one class are each what its own constructor made it, and one that is called again goes on as the reference
does."""

from __future__ import annotations

import functools
from typing import Any

import torch

from kernelgate.check.nesting import tensors_in
from kernelgate.check.problem import ProblemError
from kernelgate.judge.comparison.compare import WrongResult
from kernelgate.judge.endings.run_ended import CandidateRaised
from kernelgate.judge.gates.gate_kind import DoesNotHold, GateKind, NotTried, WrongValues
from kernelgate.judge.gates.trial import Trial, require
from kernelgate.judge.reference.copies import FACTORS, State, times
from kernelgate.judge.reference.expected import Expected

SAME_RESULT = GateKind(
    "same result three times",
    "problem",
    "it gives another result when it is called again",
    "A second run of the same notebook gives other numbers",
    "raises when it is called again",
    next_step="Look for threads that race, and for a buffer that keeps values from call to call",
    own_size=True,
)
NO_CACHE = GateKind(
    "no cache by address",
    "problem",
    "it returns an earlier result though the same memory holds new values",
    "A training loop that reuses its buffers gets stale results",
    next_step="Compute in every call; keep no result by the address of its input",
)
NO_CACHE_BY_SUM = GateKind(
    "no cache by sum",
    "problem",
    "it returns an earlier result for another input that resembles it",
    "Two inputs of the same sum, or alike at some places, get the same result",
    next_step="Compute in every call; keep no result by a sum or a few elements of its input",
)

_MOST_TRIES = 64


def same_result_three_times(trial: Trial) -> str:
    """Three calls, each compared, and then many in a row, of which the last is compared."""
    inputs = trial.inputs("again")
    expected = trial.expected(inputs)
    doing = "calling ModelNew again with the same input"
    try:
        trial.check(inputs, expected, doing)
    except WrongResult as exc:
        trial.blame_no_manner(exc, inputs, expected)
        raise
    for _ in range(2):
        trial.check(inputs, expected, doing)
    reference = trial.reference
    if reference.observed.keeps or expected.seed is not None or expected.inputs_after is not None:
        return "3 calls compared"  # each begins in the state that the one before has left
    trial.check(inputs, expected, "calling ModelNew many times with the same input", manner="many times")
    return "3 calls compared, and the last of many in a row"


def no_cache_by_address(trial: Trial) -> str:
    """New values at the same addresses, in all elements and in one; then the old values at new ones.

    The earlier result must not change.
    """
    if trial.reference.observed.remembers:
        raise NotTried("the module is made anew for each call, since the reference's remembers")
    first, second = trial.inputs("first"), trial.inputs("second")
    if _shapes(first) != _shapes(second):  # such as those of a sparse matrix, drawn anew
        second = trial.inputs("first")
        if not trial.change(second, functools.partial(_moved, trial.generator("second"))):
            raise NotTried("its inputs have other sizes each time they are drawn")
    wanted_first, wanted_second = trial.expected(first), trial.expected(second)
    _check_first(trial, first, wanted_first, "calling ModelNew with new values")
    try:
        result = trial.check(
            second, wanted_second, "calling ModelNew with new values in the same memory", same_memory=True
        )
    except WrongResult as exc:
        raise _stale(trial, second, wanted_second, wanted_first, exc, "new values in the same memory give") from None
    require(
        wanted_first.aliases_input
        or result.answer.aliases_earlier  # which is a gate of its own
        or not result.earlier  # the module has been made anew, as its state could not be put back
        or trial.comparer.agrees(result.earlier, wanted_first),
        "a call changes the result of the one before",
    )
    trial.check(first, wanted_first, "calling ModelNew with the same values in other memory")
    # Large problems fill the device: free what is no longer needed before making more.
    del second, wanted_second, result
    wanted_first.inputs_change()
    if not trial.change(first, functools.partial(_one_changed, trial.generator("one changed"))):
        return "new values in the same memory"
    wanted = trial.expected(first)
    for same_memory in (True, False):
        try:
            trial.check(first, wanted, "calling ModelNew with one new value", same_memory=same_memory)
        except WrongResult as exc:
            raise _stale(trial, first, wanted, wanted_first, exc, "a single new value gives") from None
    return "new values in the same memory, then a single one"


def _shapes(inputs: list[Any]) -> list[torch.Size]:
    return [one.shape for one in tensors_in(inputs)]


def no_cache_by_sum(trial: Trial) -> str:
    """The same values at other places, in the same memory: whole numbers, whose sums, norms and extremes are then
    exactly the same. First two of them swapped, then all moved."""
    if trial.reference.observed.remembers:
        raise NotTried("the module is made anew for each call, since the reference's remembers")
    generator = trial.generator("by sum")
    inputs = trial.integers("by sum")
    earlier = trial.expected(inputs)
    _check_first(trial, inputs, earlier, "calling ModelNew with whole numbers")
    earlier.inputs_change()
    for change, words in ((_swapped, "two values swapped"), (_moved, "its values at other places")):
        if not trial.change(inputs, functools.partial(change, generator)):
            raise NotTried(None)
        wanted = trial.expected(inputs)
        try:
            trial.check(inputs, wanted, f"calling ModelNew with {words}", same_memory=True)
        except WrongResult as exc:
            raise _stale(trial, inputs, wanted, earlier, exc, f"an input with {words} gives") from None
    return "two values swapped, then all moved, in the same memory"


def _check_first(trial: Trial, inputs: list[Any], wanted: Expected, doing: str) -> None:
    """A call with values that no case had: what is wrong in it, and in a module that is made anew, is the values."""
    try:
        trial.check(inputs, wanted, doing)
    except WrongResult:
        trial.session.forget()
        trial.session.construct(trial.reference.dtype)
        try:
            trial.check(inputs, wanted, f"{doing}, made anew")
        except WrongResult as again:
            raise WrongValues(again.how) from None
        raise


def _stale(
    trial: Trial, inputs: list[Any], wanted: Expected, earlier: Expected, exc: WrongResult, words: str
) -> DoesNotHold | WrongValues:
    """What a wrong result shows. An earlier one, or one that the module, made anew, gets right, is stale; any other is
    wrong on these numbers, whatever was called before."""
    stale = DoesNotHold(f"{words} a wrong result")
    if exc.got is None or exc.got.shape != earlier.values[exc.number].shape:
        return stale
    if not trial.comparer.compare(exc.got, earlier, exc.number).wrong:
        return stale
    trial.session.forget()
    trial.session.construct(trial.reference.dtype)
    try:
        trial.check(inputs, wanted, "calling ModelNew, made anew, with these values")
    except WrongResult as again:
        return WrongValues(again.how)
    return stale


def _one_changed(generator: torch.Generator, value: torch.Tensor) -> None:
    element = value.view(-1)[int(torch.randint(value.numel(), (), generator=generator))]
    element.copy_(-element.abs() - 1)


def _swapped(generator: torch.Generator, value: torch.Tensor) -> None:
    flat = value.view(-1)
    one = int(torch.randint(flat.numel(), (), generator=generator))
    for _ in range(_MOST_TRIES):
        other = int(torch.randint(flat.numel(), (), generator=generator))
        if flat[one] != flat[other]:
            flat[[one, other]] = flat[[other, one]]
            return


def _moved(generator: torch.Generator, value: torch.Tensor) -> None:
    """All elements: turned and shifted, since a large tensor has no room for a permutation beside it."""
    shift = int(torch.randint(1, max(2, value.numel()), (), generator=generator))
    value.copy_(value.reshape(-1).flip(0).roll(shift).view(value.shape))


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
    """With other parameters; if it has none, with other arguments that the reference takes."""
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
