"""Gates about the Python arguments of a constructor and of a call, which the problem's own inputs never vary."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from kernelgate.check.inputs.neighbours import compared_words, named_in, neighbours, one_differs
from kernelgate.check.nesting import flatten, is_floating, tensors_in
from kernelgate.check.problem import ProblemError
from kernelgate.judge.comparison.compare import WrongResult
from kernelgate.judge.endings.run_ended import CandidateRaised
from kernelgate.judge.gates.gate_kind import DoesNotHold, GateKind, NotTried, refusal_of_the_reference
from kernelgate.judge.gates.trial import Trial
from kernelgate.judge.reference.calls import about_equal
from kernelgate.judge.reference.parameter_states import FACTORS, State, times
from kernelgate.judge.reference.reference import Reference

CONSTRUCTOR = GateKind(
    "constructor arguments",
    "drop-in",
    "it is wrong with other arguments of its constructor",
    "A module that is made with other arguments computes something else",
    "does not take the constructor's arguments",
)
CALL = GateKind(
    "arguments of a call",
    "drop-in",
    "it is wrong with other arguments of a call",
    "A caller that gives another number, flag or option, or gives it by name, gets a wrong result",
)
_MOST = 12
"""Values that are varied alone, unless the run is thorough or asks for a drop-in."""
_MOST_BYTES = 1 << 28
"""Of a module that is made several times more."""


def constructor_arguments(trial: Trial) -> str:
    """Its floats multiplied, and each other value alone, if another in its place changes the result. A program that
    raises for such a one gives no wrong result."""
    reference, inputs, init = trial.reference, trial.small_inputs("constructor"), trial.reference.full_init
    tried: list[str] = []
    try:
        for factor in (*FACTORS, 0.0) if reference.job.thorough else FACTORS:
            if (other := times(init, factor)) is not None:
                with contextlib.suppress(NotTried, ProblemError):  # the reference does not take them
                    tried.append(
                        _made_with(trial, inputs, other, [one for one in other if isinstance(one, float)])
                    )
        for other in _each_other_init(trial, inputs, init):
            changed = [new for new, old in zip(other, init, strict=True) if new is not old]
            with contextlib.suppress(CandidateRaised):
                tried.append(_made_with(trial, inputs, other, changed))
    finally:
        trial.session.forget()
    if not tried:
        raise NotTried(None)
    return f"made with {'; '.join(tried)}"


def _made_with(trial: Trial, inputs: list[Any], init: list[Any], changed: Sequence[Any]) -> str:
    """Raises DoesNotHold, RunEnded, and NotTried or ProblemError if the reference does not take them."""
    trial.reference.vary(init)
    expected, words = trial.expected(inputs, "varied"), _words(changed)
    trial.session.forget()
    trial.session.construct(trial.reference.dtype, "varied")
    try:
        trial.check(inputs, expected, f"calling a ModelNew made with {words}")
    except WrongResult as exc:
        raise DoesNotHold(f"made with {words}: {exc}") from None
    return words


def _words(changed: Sequence[Any]) -> str:
    def words(one: Any) -> str:
        return f"{one:g}" if isinstance(one, float) else "a tensor" if tensors_in([one]) else repr(one)[:60]

    return ", ".join(map(words, changed))


def _each_other_init(trial: Trial, inputs: list[Any], init: list[Any]) -> Iterator[list[Any]]:
    reference = trial.reference
    if reference.nbytes > _MOST_BYTES:
        return
    tensors = [*tensors_in(inputs), *reference.state("own").values()]
    sizes = {size for tensor in tensors for size in tensor.shape}

    def made(other: list[Any]) -> list[torch.Tensor]:
        reference.vary(other)
        return _result(trial, inputs, "varied")

    words = compared_words(reference.job.reference_text)
    yield from _that_matter(trial, one_differs(init, words, sizes, floats=False), made, inputs)


def arguments_of_a_call(trial: Trial) -> str:
    """Each Python value among the inputs alone, if another in its place changes the result, and each argument that may
    be left out; then all arguments but the first by name."""
    reference, inputs = trial.reference, trial.small_inputs("arguments of a call")
    parameters, words = _parameters(reference), compared_words(reference.job.reference_text)
    names = [one.name for one in parameters[1 : len(inputs)]] if len(inputs) <= len(parameters) else []
    tried: list[str] = []
    found = [*one_differs(inputs, words), *_left_out(parameters, inputs, words)]
    for given in _that_matter(trial, found, lambda other: _result(trial, other), inputs):
        changed = [one for at, one in enumerate(given) if at >= len(inputs) or one is not inputs[at]]
        alone = [one.name for one in parameters[: len(given)] if one.kind is one.KEYWORD_ONLY]
        with contextlib.suppress(CandidateRaised):
            tried.append(_called_with(trial, given, _words(changed), alone))
    if names:
        with contextlib.suppress(CandidateRaised):  # it has other names
            tried.append(_called_with(trial, inputs, f"{', '.join(names)} by name", names))
    if not tried:
        raise NotTried(None)
    return f"called with {'; '.join(tried)}"


def _called_with(trial: Trial, given: list[Any], words: str, names: Sequence[str] = ()) -> str:
    """Raises DoesNotHold, RunEnded, NotTried."""
    try:
        trial.check(given, trial.expected(given), f"calling ModelNew with {words}", names=names)
    except WrongResult as exc:
        raise DoesNotHold(f"called with {words}: {exc}") from None
    return words


def _parameters(reference: Reference) -> list[inspect.Parameter]:
    """Those of a call that may be given by position or by name, and those by name alone."""
    every = inspect.signature(reference.module(reference.dtype).forward).parameters.values()
    return [one for one in every if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]


def _left_out(
    parameters: Sequence[inspect.Parameter], inputs: list[Any], words: Sequence[str]
) -> Iterator[list[list[Any]]]:
    """For each argument that the problem leaves out: the arguments up to it, with values other than its default."""
    left = parameters[len(inputs) :]
    for at, parameter in enumerate(left):
        before = [*inputs, *(one.default for one in left[:at])]
        others = neighbours(parameter.default, words)
        if parameter.default is None:  # most likely a tensor, such as a bias or a mask
            floating = [one for one in tensors_in(inputs) if is_floating(one) and one.dim()]
            like = [
                part for one in floating for part in (one.flip(0), one.flip(0).reshape(-1, one.shape[-1])[0])
            ]
            others = [*like, *(one > 0 for one in like), *others]
        yield [[*before, other] for other in others]


def _result(trial: Trial, inputs: list[Any], state: State = "own") -> list[torch.Tensor]:
    """Raises NotTried if the reference takes no such arguments."""
    reference = trial.reference
    with refusal_of_the_reference():
        return flatten(reference.call(reference.module(reference.dtype, state), inputs))[1]


def _that_matter(
    trial: Trial,
    found: Iterator[list[list[Any]]] | list[list[list[Any]]],
    result: Callable[[list[Any]], list[torch.Tensor]],
    inputs: list[Any],
) -> Iterator[list[Any]]:
    """Of each value that is varied alone the first arguments which the reference takes, and with which it gives another
    result; of a few values, which the seed draws."""
    every = list(found)
    if not every:
        return
    job = trial.reference.job
    own, left = _result(trial, inputs), len(every) if job.thorough or job.contract == "drop-in" else _MOST
    for at in torch.randperm(len(every), generator=trial.generator("arguments")).tolist():
        others = list(every[at]) if left else []
        for arguments in others:  # grows meanwhile
            try:
                if not about_equal(result(arguments), own):
                    yield arguments
                    left -= 1
                    break
            except NotTried as exc:
                others += named_in(str(exc.__cause__), arguments)
