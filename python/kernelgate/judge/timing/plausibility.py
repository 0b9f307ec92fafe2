"""Shows that a time is not the time of the work: a timed call gave another result than the reference, or ended before
its input can have been read.

In: a block of samples with a kept result, and the inputs of that call. Out: whether it is plausible, and the end of
the run where it is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from kernelgate.check.nesting import tensors_in
from kernelgate.check.problem import is_out_of_memory
from kernelgate.check.tolerance.numerics import same_bits
from kernelgate.judge.comparison.compare import Comparer
from kernelgate.judge.endings.run_ended import RunEnded
from kernelgate.judge.reference.expected import Expected
from kernelgate.judge.reference.reference import NotAccepted, Reference
from kernelgate.judge.timing.programs_under_test import Taken
from kernelgate.messages.parcel import BadParcel
from kernelgate.report import Failure
from kernelgate.report.measured import Phase
from kernelgate.timing.fresh import Fresh

_BELOW_BOUND = 0.9  # a measured peak may be a little too low
_CLOCK_S = 2e-6


def renew(inputs: Sequence[Any], seed: int | None, keep: int) -> None:
    """Changes the inputs as they were changed up to call number `keep` (`timing.fresh`); without `seed` they stay."""
    if seed is not None:
        fresh = Fresh(tensors_in(list(inputs)), seed)
        for _ in range(keep + 1):
            fresh.next()


def result_agrees(
    found: Sequence[torch.Tensor | None],
    inputs: Sequence[Any],
    *,
    reference: Reference,
    comparer: Comparer,
) -> bool | None:
    """Whether a timed call gave the reference's result for these inputs. None where that cannot be known: the calls
    before left the program's random numbers, its state or its inputs as nobody else has them. `found`: the tensors of
    its result."""
    expected = repeatable(inputs, reference)
    if expected is None:
        return None
    tensors = [one for one in found if one is not None]
    return len(tensors) == len(found) and comparer.agrees(tensors, expected)


def repeatable(inputs: Sequence[Any], reference: Reference) -> Expected | None:
    """What the reference gives for these inputs after any calls; None where that depends on these calls."""
    try:
        expected = reference.expected(inputs, reference.dtype)
    except NotAccepted:
        return None
    if expected.seed is not None or reference.remembers or expected.inputs_after is not None:
        return None
    if expected.state_after and not _is_the_same_after(reference, inputs, expected):
        return None
    return expected


def _is_the_same_after(reference: Reference, inputs: Sequence[Any], expected: Expected) -> bool:
    """Whether a module whose buffers a call has changed gives the same again, as a batch norm in training does."""
    with reference.after([inputs]):
        again = reference.expected(inputs, reference.dtype)
    return all(map(same_bits, again.values, expected.values))


def wrong_result(phase: Phase) -> RunEnded:
    if phase == "forward":
        words = "Wrong result: a timed call returns something other than a checked one"
        what = "The result of a timed call, chosen at random, differs from the reference's"
    else:
        words = "Wrong gradient: a timed backward pass gives another one than a checked one"
        what = "The gradient of a timed call, chosen at random, differs from the reference's by more than a quarter"
    next_step = "Compute in every call; keep no result from one call to the next"
    return RunEnded("wrong", words, _failure(what, next_step))


def impossible_time(seconds: float, read_bytes: float, copy_rate: float) -> RunEnded | None:
    """The end of a run in which a call took `seconds`, where reading `read_bytes` alone takes longer on this device.
    `copy_rate`: bytes a second, read and written ones together."""
    least = read_bytes / copy_rate - _CLOCK_S
    if seconds >= _BELOW_BOUND * least:
        return None
    return RunEnded(
        "wrong",
        f"Impossible time: {seconds * 1e6:.3g} µs, and reading the input alone takes {least * 1e6:.3g} µs",
        _failure(
            "A timed call ended before its input can have been read",
            "Do all work in the call, on PyTorch's current stream",
        ),
    )


def _failure(what: str, next_step: str) -> Failure:
    return Failure(stage="time", what=what, next_step=next_step)


def outputs_of(taken: Taken) -> list[torch.Tensor | None] | None:
    """The tensors of the result that a block kept, and None for a gradient that there is not; none where they cannot be
    read, and None where there is no memory to read them."""
    try:
        return taken.outputs()
    except (BadParcel, RuntimeError) as exc:
        return None if is_out_of_memory(exc) else []
