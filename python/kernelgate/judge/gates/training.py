"""Gates about training: the gradient, autocast, and the two modes of a module."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable

import torch

from kernelgate.judge.compare import WrongResult, same_bits
from kernelgate.judge.gates.gate_kind import GateKind, NotTried
from kernelgate.judge.gates.subgradients import subgradient_tolerance
from kernelgate.judge.gates.trial import Trial, require
from kernelgate.judge.run_ended import CandidateRaised

GRADIENT = GateKind(
    "gradient",
    "drop-in",
    "its gradient is wrong",
    "A model that holds it does not train",
    "has no gradient",
)
AUTOCAST = GateKind(
    "autocast",
    "drop-in",
    "it behaves otherwise under autocast",
    "A model in mixed precision gets another dtype or accuracy here",
    "does not support autocast",
)
MODES = GateKind(
    "train and eval",
    "drop-in",
    "it is wrong in one of the modes train and eval",
    "model.eval() or model.train() changes the result",
)
# A sum of gradients may be made in another order than autograd's: this much more error than its own, and no less than
# so many roundings of the largest gradient.
_ORDER_FACTOR = 8.0
_LEAST_UNITS = 64.0
# Of what the gradient moves by at a kink: more than one element of a sum may lie there.
_KINKS = 2.0


def gradient(trial: Trial) -> None:
    """Against autograd of the reference: in the run's dtype, and in double where the candidate takes it."""
    _gradient_in(trial, trial.reference.dtype)
    if trial.reference.dtype == torch.float64:
        return
    try:
        with contextlib.suppress(CandidateRaised):
            _gradient_in(trial, torch.float64)
    finally:
        trial.session.construct(trial.reference.dtype)


def _gradient_in(trial: Trial, dtype: torch.dtype) -> None:
    reference = trial.reference
    inputs = trial.small_inputs("gradient", dtype)
    try:
        value = reference.call(reference.module(dtype), inputs)
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            raise NotTried(None)
        upstream = trial.upstream(value)
        wanted = reference.gradients(inputs, upstream, dtype)
    except (RuntimeError, TypeError, ValueError, IndexError) as exc:
        raise NotTried(None) from exc  # the reference itself has none here
    if not wanted:
        raise NotTried(None)
    trial.session.construct(dtype)
    result = trial.session.call(inputs, "differentiating ModelNew", manner="gradient", upstream=upstream)
    trial.comparer.check(result, reference.expected(inputs, dtype), inputs)
    if not result.gradients:
        raise CandidateRaised("wrong", "The result takes no part in differentiation", None)
    require(len(result.gradients) == len(wanted), "other parameters have a gradient than the reference's")
    exact = not reference.graded
    wide = [] if exact else reference.gradients(inputs, upstream, torch.float64)

    @functools.cache
    def moved() -> list[torch.Tensor | None]:
        return subgradient_tolerance(reference, inputs, upstream, value, wide)

    for number, (got, right) in enumerate(zip(result.gradients, wanted, strict=True)):
        name = "of the input" if number == 0 else f"of value {number}"
        if right is None:
            continue
        require(
            got is not None and got.shape == right.shape and got.dtype == right.dtype,
            f"the gradient {name} is missing, or of another shape or dtype",
        )
        assert got is not None
        if exact:
            require(same_bits(got, right), f"the gradient {name} is not autograd's")
        else:
            oracle = wide[number]
            assert oracle is not None

            def at_kinks(number: int = number) -> torch.Tensor | None:
                return moved()[number]

            compare_gradient(got, right, oracle, name, at_kinks)


def compare_gradient(
    got: torch.Tensor,
    right: torch.Tensor,
    wide: torch.Tensor,
    name: str,
    at_kinks: Callable[[], torch.Tensor | None],
) -> None:
    """By the largest error, relative to the largest gradient; `right` is autograd's, `wide` that in float64.

    What `at_kinks` says is only asked where the error is too large, and then allowed in addition. Raises WrongResult.
    """
    scale = float(wide.abs().max()) or 1.0
    off, own = ((value.double() - wide).abs() / scale for value in (got, right))
    limit = max(_ORDER_FACTOR * float(own.max()), _LEAST_UNITS * torch.finfo(got.dtype).eps / 2)
    if bool((off <= limit).all()):  # NaN is not
        return
    moved = at_kinks()
    if moved is None or not bool((off <= limit + _KINKS * moved / scale).all()):
        raise WrongResult(f"the gradient {name} is off by {float(off.max()):.2g} of its largest value")


def autocast(trial: Trial) -> None:
    """dtype and accuracy as the reference's under autocast to bfloat16."""
    reference = trial.reference
    inputs = trial.small_inputs("autocast")
    kind = reference.device.type
    try:
        with torch.autocast(kind, dtype=torch.bfloat16):
            wanted = reference.call(reference.module(reference.dtype), inputs)
    except (RuntimeError, TypeError, ValueError, IndexError) as exc:
        raise NotTried(None) from exc  # the reference does not take it either
    if not isinstance(wanted, torch.Tensor):
        raise NotTried(None)
    trial.session.construct(reference.dtype)
    result = trial.session.call(inputs, "calling ModelNew under autocast", manner="autocast")
    require(result.output is not None, "the result is no tensor on the device")
    assert result.output is not None
    got = str(result.output.dtype).removeprefix("torch.")
    right = str(wanted.dtype).removeprefix("torch.")
    require(result.output.dtype == wanted.dtype, f"the result is {got} instead of {right}")
    if same_bits(result.output, wanted):
        return
    if trial.expected(inputs).seed is not None:
        raise NotTried(None)  # random numbers of its own are compared in the cases
    grade = trial.expected(inputs).grade
    require(grade is not None, "the values are not the reference's")
    assert grade is not None
    oracle = grade.right.oracle
    scale = float(oracle.abs().max()) or 1.0
    error, own = (float((value.double() - oracle).abs().max()) / scale for value in (result.output, wanted))
    require(error <= 2 * own, f"the error is {error:.2g} of the largest value, the reference's {own:.2g}")


def train_and_eval(trial: Trial) -> None:
    trial.small("train", "calling ModelNew in training mode")
    trial.small("eval", "calling ModelNew in evaluation mode")
