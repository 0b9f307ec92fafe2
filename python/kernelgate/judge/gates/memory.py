"""Gates about calling again: the same result for the same input, and no result from before."""

from __future__ import annotations

from typing import Any

import torch

from kernelgate.judge.compare import WrongResult
from kernelgate.judge.gates.gate_kind import GateKind
from kernelgate.judge.gates.trial import Trial, require

SAME_RESULT = GateKind(
    "same result three times",
    "problem",
    "it gives another result when it is called again",
    "A second run of the same notebook gives other numbers",
    next_step="Look for threads that race, and for a buffer that keeps values from call to call",
)
NO_CACHE = GateKind(
    "no cache by address",
    "problem",
    "it returns an earlier result where the same memory holds new values",
    "A training loop that reuses its buffers gets stale results",
    next_step="Compute in every call; keep no result by the address of its input",
)


def same_result_three_times(trial: Trial) -> None:
    inputs = trial.inputs("again")
    expected = trial.expected(inputs)
    for _ in range(3):
        trial.check(inputs, expected, "calling ModelNew again with the same input")


def no_cache_by_address(trial: Trial) -> None:
    """New values at the same addresses, in all elements and in one; then the old values at new ones.

    The earlier result must not change.
    """
    first, second = trial.inputs("first"), trial.inputs("second")
    wanted_first, wanted_second = trial.expected(first), trial.expected(second)
    trial.check(first, wanted_first, "calling ModelNew with new values")
    try:
        result = trial.check(
            second, wanted_second, "calling ModelNew with new values in the same memory", same_memory=True
        )
    except WrongResult:
        raise WrongResult("new values in the same memory give a wrong result") from None
    require(
        wanted_first.aliases_input or trial.comparer.agrees(result.earlier, wanted_first),
        "a call changes the result of the one before",
    )
    trial.check(first, wanted_first, "calling ModelNew with the same values in other memory")
    # Large problems fill the device: what is not needed any more goes before more is made.
    del second, wanted_first, wanted_second, result
    nearly = [_one_changed(value) for value in first]
    wanted = trial.expected(nearly)
    for same_memory in (True, False):
        try:
            trial.check(nearly, wanted, "calling ModelNew with one new value", same_memory=same_memory)
        except WrongResult:
            raise WrongResult("a single new value gives a wrong result") from None


def _one_changed(value: Any) -> Any:
    """The value, one element of it changed in place, where nobody would look at first."""
    if isinstance(value, torch.Tensor) and value.is_floating_point() and value.numel():
        element = value.view(-1)[value.numel() * 5 // 7]
        element.copy_(-element.abs() - 1)
    return value
