"""Gates about training: the gradient, autocast, and the two modes of a module."""

from __future__ import annotations

import torch

from kernelgate.judge.comparing import WrongResult, same_bits
from kernelgate.judge.gates.kind import GateKind, NotTried
from kernelgate.judge.gates.trial import Trial, require
from kernelgate.judge.outcome import RunEnded

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


def gradient(trial: Trial) -> None:
    """Against autograd of the reference: in the run's dtype, and in double where the candidate takes it."""
    _gradient_in(trial, trial.reference.dtype)
    if trial.reference.dtype == torch.float64:
        return
    try:
        _gradient_in(trial, torch.float64)
    except RunEnded as end:
        if not end.worker_lives:
            raise
    finally:
        trial.session.construct(trial.reference.dtype)


def _gradient_in(trial: Trial, dtype: torch.dtype) -> None:
    reference = trial.reference
    inputs = trial.small_inputs("gradient", dtype)
    upstream = trial.upstream(reference.call(reference.module(dtype), inputs))
    wanted = reference.gradients(inputs, upstream, dtype)
    if not wanted:
        raise NotTried(None)
    trial.session.construct(dtype)
    result = trial.session.call(inputs, "differentiating ModelNew", manner="gradient", upstream=upstream)
    if not result.gradients:
        raise RunEnded("wrong", "The result takes no part in differentiation", None, worker_lives=True)
    require(len(result.gradients) == len(wanted), "other parameters have a gradient than the reference's")
    exact = not reference.graded
    wide = None if exact else reference.gradients(inputs, upstream, torch.float64)
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
            assert wide is not None
            _near(got, right, wide[number], name)


def _near(got: torch.Tensor, right: torch.Tensor, wide: torch.Tensor | None, name: str) -> None:
    """By the largest error, relative to the largest gradient."""
    assert wide is not None
    scale = float(wide.abs().max()) or 1.0
    error, own = (float((value.double() - wide).abs().max()) / scale for value in (got, right))
    limit = max(_ORDER_FACTOR * own, _LEAST_UNITS * torch.finfo(got.dtype).eps / 2)
    if not error <= limit:  # NaN is not
        raise WrongResult(f"the gradient {name} is off by {error:.2g} of its largest value")


def autocast(trial: Trial) -> None:
    """dtype and accuracy as the reference's under autocast to bfloat16."""
    reference = trial.reference
    inputs = trial.small_inputs("autocast")
    kind = reference.device.type
    with torch.autocast(kind, dtype=torch.bfloat16):
        wanted = reference.call(reference.module(reference.dtype), inputs)
    trial.session.construct(reference.dtype)
    result = trial.session.call(inputs, "calling ModelNew under autocast", manner="autocast")
    require(result.output is not None, "the result is no tensor on the device")
    assert result.output is not None
    got = str(result.output.dtype).removeprefix("torch.")
    right = str(wanted.dtype).removeprefix("torch.")
    require(result.output.dtype == wanted.dtype, f"the result is {got} instead of {right}")
    if not reference.graded:
        require(same_bits(result.output, wanted), "the values are not the reference's")
        return
    expected = trial.expected(inputs)
    assert expected.oracle is not None
    scale = float(expected.oracle.abs().max()) or 1.0
    error, own = (
        float((value.double() - expected.oracle).abs().max()) / scale for value in (result.output, wanted)
    )
    require(error <= 2 * own, f"the error is {error:.2g} of the largest value, the reference's {own:.2g}")


def train_and_eval(trial: Trial) -> None:
    trial.small("train", "calling ModelNew in training mode")
    trial.small("eval", "calling ModelNew in evaluation mode")
