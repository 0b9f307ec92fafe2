"""The grade of a case: how near to float64 a result has to be, as the reference's own arithmetic shows.

In: a way to call the reference on the inputs of a case, in float64 and with what rounds changed. Out: a `Grade` for
each tensor of its result. The tolerance comes from the problem: the error of PyTorch's own result, how far rounding
alone moves each element (`check.rounding`), and the magnitudes that were summed.
Not here: the reference's modules (`judge.reference`), comparing (`judge.compare`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from kernelgate.check.arithmetic import Bounds, rounded_to_bf16, rounded_to_tf32, truncated_to_tf32
from kernelgate.check.numerics import Graded, as_real, compare_graded
from kernelgate.check.rounding import ROUNDING_SAMPLES, Operators, rounding_spread
from kernelgate.judge.expected import Grade

Change = Callable[[torch.Tensor], torch.Tensor]
_SEED = 0x6B67


def unchanged(tensor: torch.Tensor) -> torch.Tensor:
    """No change."""
    return tensor


def _magnitude(tensor: torch.Tensor) -> torch.Tensor:
    """Without its sign; infinities keep theirs, as those of a mask say what to leave out."""
    return torch.where(tensor.isinf(), tensor, tensor.abs())


# For one sum the magnitudes are about the spread, and up to ten times the spread for a very long one.
_OF_SPREAD = 16.0
# How often an epilogue may round after sums that cannot.
_EXACT_SUMS_UNITS = 4.0


@dataclass(frozen=True)
class Wide:
    """`call(change)`: the tensors of the reference's result in float64, its inputs and parameters changed. It may raise
    what PyTorch raises."""

    call: Callable[[Change], Sequence[torch.Tensor]]


def grades(
    values: Sequence[torch.Tensor], wide: Wide, *, integers: bool, samples: int = ROUNDING_SAMPLES
) -> list[Grade | None]:
    """A grade for each of the reference's own tensors; None for one that has to be equal bit for bit.

    `integers`: inputs and parameters are small whole numbers. `samples`: how often rounding is tried.
    """
    values = [as_real(value) for value in values]
    floating = [number for number, value in enumerate(values) if value.is_floating_point()]
    if not floating:
        return [None] * len(values)
    oracle = _oracle(values, wide)
    dtype = max((values[number].dtype for number in floating), key=lambda kind: torch.finfo(kind).eps)
    spread, operators = _spread(oracle, wide, dtype, samples)
    magnitudes = _attempt(wide, _magnitude, oracle)
    found: list[Grade | None] = [None] * len(values)
    coarse = _coarse(wide, oracle) if operators.products and dtype == torch.float32 else None
    for number in floating:
        value, exact = values[number], oracle[number]
        right = Graded(value, exact, _scale(spread[number], exact, magnitudes[number], operators))
        own = _units(value, right)
        if integers and operators.only_linear:
            summed = Graded(value, exact, exact.abs())
            if _units(value, summed) <= _EXACT_SUMS_UNITS:
                found[number] = Grade(summed, Bounds(0.0, 0.0, 0.0), exact_sums=True)
                continue
        bounds = Bounds(own, own, own, products=operators.products)
        if coarse is not None:
            tf32, truncated, bf16 = (_units(result[number].to(value.dtype), right) for result in coarse)
            bounds = Bounds(own, tf32, bf16, max(tf32, truncated))
        found[number] = Grade(right, bounds)
    return found


def _oracle(values: Sequence[torch.Tensor], wide: Wide) -> list[torch.Tensor]:
    """The result in float64; PyTorch's own, where the reference does not run in float64."""
    own = [value.double() if value.is_floating_point() else value for value in values]
    return _attempt(wide, unchanged, own)


def _attempt(wide: Wide, change: Change, otherwise: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """What the reference gives with something changed; `otherwise`, where it raises or gives another form."""
    try:
        got = [as_real(one) for one in wide.call(change)]
    except torch.OutOfMemoryError:
        raise
    except Exception:  # whatever a person's module raises on other numbers says nothing about the candidate
        return list(otherwise)
    if [one.shape for one in got] != [one.shape for one in otherwise]:
        return list(otherwise)
    return [one.double() if one.is_floating_point() else one for one in got]


def _spread(
    oracle: Sequence[torch.Tensor], wide: Wide, dtype: torch.dtype, samples: int
) -> tuple[list[torch.Tensor], Operators]:
    floating = [one if one.is_floating_point() else one.double() for one in oracle]

    def again() -> list[torch.Tensor]:
        return [as_real(one).double() for one in wide.call(unchanged)]

    try:
        return rounding_spread(again, floating, dtype, _SEED, samples)
    except torch.OutOfMemoryError:
        raise
    except Exception:
        unknown = Operators(rounds=True, only_linear=False)
        return [torch.zeros_like(one) for one in floating], unknown


def _scale(
    spread: torch.Tensor, oracle: torch.Tensor, magnitude: torch.Tensor, operators: Operators
) -> torch.Tensor:
    if not operators.rounds:
        return spread
    # Through several layers the magnitudes of one multiply with those of the next, far beyond what rounding does.
    most = _OF_SPREAD * torch.maximum(spread, oracle.abs())
    size = torch.maximum(torch.minimum(magnitude.abs(), most), oracle.abs())
    return torch.maximum(spread, torch.where(size.isfinite(), size, oracle.abs()).nan_to_num_(0.0, 0.0, 0.0))


def _coarse(wide: Wide, oracle: Sequence[torch.Tensor]) -> list[list[torch.Tensor]]:
    return [_attempt(wide, how, oracle) for how in (rounded_to_tf32, truncated_to_tf32, rounded_to_bf16)]


def _units(result: torch.Tensor, right: Graded) -> float:
    """The largest error among the finite elements."""
    bare = Graded(torch.full_like(right.value, float("nan")), right.oracle, right.scale)
    return compare_graded(result.to(right.value.dtype), bare, float("inf"), poison=0).error_units or 0.0
