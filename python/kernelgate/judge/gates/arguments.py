"""Gates about the Python arguments of a constructor and of a call, which the problem's own inputs never vary: each is
called with those beside it."""

from __future__ import annotations

import ast
import contextlib
import inspect
import re
from collections.abc import Callable, Container, Iterator, Sequence
from typing import Any

import torch

from kernelgate.check.nesting import flatten, is_floating, tensors_in
from kernelgate.check.problem import ProblemError
from kernelgate.judge.comparison.compare import WrongResult
from kernelgate.judge.endings.run_ended import CandidateRaised
from kernelgate.judge.gates.gate_kind import DoesNotHold, GateKind, NotTried, refusal_of_the_reference
from kernelgate.judge.gates.trial import Trial
from kernelgate.judge.reference.calls import about_equal
from kernelgate.judge.reference.copies import FACTORS, State, times
from kernelgate.judge.reference.reference import Reference

_SMALL = 16
"""A number up to this may be an order, a dimension or a count also if some tensor has such a size."""
_LARGEST = 1 << 20
_OF_PYTORCH = (
    ("none", "mean", "sum"),
    ("constant", "zeros", "reflect", "replicate", "circular"),
    ("relu", "tanh", "sigmoid", "gelu", "silu"),
)
"""Words that no message of PyTorch lists."""
NO_WORD = "no_such_word"
"""What refuses it mostly names the words that it knows."""
_MOST_NAMED = 40


def compared_words(text: str) -> list[str]:
    """The words that a program compares with, or looks up in a dictionary."""
    found: list[ast.AST] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare):
            found += [node.left, *node.comparators]
        elif isinstance(node, ast.Dict):
            found += [key for key in node.keys if key is not None]
        elif isinstance(node, ast.MatchValue):
            found.append(node.value)
    inside = [one for node in found for one in ast.walk(node) if isinstance(one, ast.Constant)]
    return list(dict.fromkeys(one.value for one in inside if isinstance(one.value, str)))


def neighbours(value: Any, words: Sequence[str], sizes: Container[int] = ()) -> list[Any]:
    """Other values in the place of one, the likeliest first. `words`: those that the reference knows; `sizes`: of
    tensors, which a number may be, and which then is none to vary."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        if (value > _SMALL and value in sizes) or abs(value) > _LARGEST:
            return []
        others = (value + 1, value - 1, 2 * value, value // 2)
        return [one for one in dict.fromkeys(others) if one != value]
    if isinstance(value, float):
        return [0.75 * value, -0.5 * value] if value else [0.5, -0.5]
    if isinstance(value, str):
        of_pytorch = [word for group in _OF_PYTORCH if value in group for word in group]
        return [word for word in dict.fromkeys([*words, *of_pytorch, NO_WORD]) if word != value]
    if isinstance(value, torch.dtype):
        return [one for one in (torch.float64, torch.float32, torch.bfloat16, torch.int32) if one != value]
    if callable(value) and not isinstance(value, type):
        return [one for one in (torch.tanh, torch.relu, torch.sigmoid) if one is not value]
    return [0.5, 2, True] if value is None else []


def named_in(refusal: str, values: Sequence[Any]) -> list[list[Any]]:
    """The arguments with each word of a refusal in the place of the one that nothing knows, if they hold that."""

    def other(value: Any, word: str) -> Any:
        if type(value) in (list, tuple):
            return type(value)(other(one, word) for one in value)
        if type(value) is dict:
            return {key: other(one, word) for key, one in value.items()}
        return word if isinstance(value, str) and value == NO_WORD else value

    words = list(dict.fromkeys(re.findall(r"[A-Za-z]\w*", refusal)))[:_MOST_NAMED]
    return [[other(one, word) for one in values] for word in words if _holds(list(values), NO_WORD)]


def _holds(value: Any, word: str) -> bool:
    parts = value.values() if type(value) is dict else value if type(value) in (list, tuple) else ()
    return (isinstance(value, str) and value == word) or any(_holds(one, word) for one in parts)


def one_differs(
    values: Sequence[Any], words: Sequence[str], sizes: Container[int] = (), *, floats: bool = True
) -> Iterator[list[list[Any]]]:
    """For each Python value among the arguments, in lists, tuples and dictionaries too: the arguments with another
    value in its place, the likeliest first. `floats`: those that stand alone too."""
    for at, value in enumerate(values):
        if isinstance(value, float) and not floats:
            continue
        inner: Iterator[list[Any]]
        if type(value) in (list, tuple):
            inner = ([type(value)(one) for one in found] for found in one_differs(value, words, sizes))
        elif type(value) is dict:
            parts = one_differs(list(value.values()), words, sizes)
            inner = ([dict(zip(value, one, strict=True)) for one in found] for found in parts)
        else:
            inner = iter([neighbours(value, words, sizes)])
        for found in inner:
            if found:
                yield [[*values[:at], other, *values[at + 1 :]] for other in found]


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
