"""What all elements of a result have in common, where each alone is within its tolerance.

In half and bfloat16 a rounding is so large that a wrong factor hides behind it: 2 % are five roundings of bfloat16.
Rounding is at random, and over many elements next to nothing is left of it. In: a result, the oracle, and what rounding
moves in common as well. Out: a factor or an amount that no rounding makes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from kernelgate.check.tolerance.numerics import Graded
from kernelgate.report.wrong_results import Wrong
from kernelgate.report.wrong_values import Factor, Shift

_FEWEST = 64
_UNITS = 2.0  # a constant that is rounded, and digits that are cut off instead of rounded
_TIMES_ROUNDING = 4.0
_TIMES_OWN = 3.0
_DEVIATIONS = 5.0


@dataclass(frozen=True)
class Common:
    """By which factor, beyond 1, and by which amount a result is off in all."""

    factor: float = 0.0
    amount: float = 0.0


def of_error(off: torch.Tensor, oracle: torch.Tensor) -> Common:
    """off, oracle: float64, finite, one shape, shape (n,)."""
    size = float(oracle @ oracle)
    factor = float(off @ oracle) / size if size and math.isfinite(size) else 0.0
    return Common(factor, float(off.mean()) if off.numel() else 0.0)


class CommonToSamples:
    """Of samples of rounding, each a list of tensors in float64, the most that the elements of each had in common."""

    def __init__(self, oracle: Sequence[torch.Tensor]) -> None:
        self._oracle = oracle
        self.most = [Common() for _one in oracle]

    def note(self, moved: Sequence[torch.Tensor]) -> None:
        for number, (there, right) in enumerate(zip(moved, self._oracle, strict=True)):
            finite = right.isfinite() & there.isfinite()
            found, most = of_error((there - right)[finite], right[finite]), self.most[number]
            self.most[number] = Common(
                max(most.factor, abs(found.factor)), max(most.amount, abs(found.amount))
            )


def common_error(got: torch.Tensor, right: Graded, rounding: Common) -> Wrong | None:
    """What they have in common; None if rounding may be all. got: of the dtype and shape of `right`."""
    finite = got.isfinite() & right.oracle.isfinite() & right.value.isfinite()
    oracle = right.oracle[finite]
    if oracle.numel() < _FEWEST:
        return None
    off, own = got[finite].double() - oracle, right.value[finite].double() - oracle
    found, usual, unit = of_error(off, oracle), of_error(own, oracle), torch.finfo(got.dtype).eps / 2
    size = float(oracle @ oracle)
    rest = (off - found.factor * oracle) * oracle
    most = _UNITS * unit + _TIMES_ROUNDING * rounding.factor + _TIMES_OWN * abs(usual.factor)
    by_chance = _DEVIATIONS * float(rest.norm()) / size if size else math.inf
    if abs(found.factor) > most + by_chance:
        return Factor(1 + found.factor, on_average=True)
    most = _UNITS * unit * float(oracle.abs().mean())
    most += _TIMES_ROUNDING * rounding.amount + _TIMES_OWN * abs(usual.amount)
    by_chance = _DEVIATIONS * float((off - found.amount).norm()) / off.numel()
    if abs(found.amount) > most + by_chance:
        return Shift(found.amount, on_average=True)
    return None
