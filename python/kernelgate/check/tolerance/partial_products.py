"""Products of several factors: where one multiplied in another order leaves the range of the dtype.

In: the operators of a reference as they run, and the dtype of the run. Out: for each element of a product how much of
it a partial product may lose below the smallest normal number, and whether one may be infinite although the product is
not. Honest programs multiply in any order: a scan combines parts, scales are multiplied with each other first.
Not here: rounding within the range (`check.tolerance.rounding`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils.weak import WeakTensorKeyDictionary

_MOST_FACTORS = 8
_ALONG = ("prod", "cumprod")


@dataclass(frozen=True)
class Loss:
    """What another order may do to each element of a product. `part`: the part of it that is lost, 0 to 1; `amount`:
    what is lost beside that, in the product's unit; `overflows`: a partial product may be infinite where the product is
    not, or NaN, of infinity and 0, if it is infinite; bool."""

    part: torch.Tensor
    amount: float
    overflows: torch.Tensor


@dataclass(frozen=True)
class _Factor:
    value: torch.Tensor | float
    inverse: bool = False

    def size(self) -> torch.Tensor | float:
        """Its magnitude in float64; 1 for a 0, which no order changes."""
        if not isinstance(self.value, torch.Tensor):
            size = abs(float(self.value)) or 1.0
            return 1 / size if self.inverse else size
        wide = self.value.abs().double()
        wide = wide.masked_fill(wide == 0, 1.0)
        return wide.reciprocal() if self.inverse else wide


class PartialProducts:
    """The products of one call. `info`: of the dtype that a candidate computes in."""

    def __init__(self, info: torch.finfo) -> None:
        self._largest = float(info.max)
        self._smallest_normal = float(info.smallest_normal)
        self._half_step = float(info.smallest_normal) * float(info.eps) / 2
        self._factors = WeakTensorKeyDictionary()
        self._terms = WeakTensorKeyDictionary()

    def add_sum(self, result: Any, terms: int) -> None:
        """A result that is a sum of so many terms, each of which may be multiplied instead."""
        if isinstance(result, torch.Tensor) and terms > 1:
            self._terms[result] = terms

    def loss(self, name: str, args: Sequence[Any], kwargs: dict[str, Any], result: Any) -> Loss | None:
        """Of the result of one operator, called `name`; None if no order leaves the range."""
        if not isinstance(result, torch.Tensor) or not result.is_floating_point() or not result.numel():
            return None
        with torch.no_grad():
            if name in _ALONG:
                return self._within(result, *_along(name, args), 1)
            if name not in ("mul", "div") or len(args) < 2 or kwargs.get("rounding_mode") is not None:
                return None
            factors = [*self._of(args[0]), *self._of(args[1], inverse=name == "div")]
            if len(factors) > _MOST_FACTORS:
                return None
            self._factors[result] = factors
            if len(factors) < 3 and name == "mul":
                return None
            sizes = [torch.as_tensor(factor.size(), dtype=torch.float64, device=result.device) for factor in factors]
            low = math.prod((size.clamp(max=1.0) for size in sizes), start=torch.ones((), device=result.device))
            high = math.prod((size.clamp(min=1.0) for size in sizes), start=torch.ones((), device=result.device))
            terms = max(self._terms.get(one.value, 1) for one in factors if isinstance(one.value, torch.Tensor))
            return self._within(result, low, high, terms)

    def _of(self, value: Any, *, inverse: bool = False) -> list[_Factor]:
        if not isinstance(value, torch.Tensor):
            return [_Factor(float(value), inverse)]
        found = self._factors.get(value, [_Factor(value)])
        return [_Factor(one.value, one.inverse != inverse) for one in found]

    def _within(self, result: torch.Tensor, low: Any, high: Any, terms: int) -> Loss | None:
        low, high = (torch.as_tensor(one, dtype=torch.float64, device=result.device) for one in (low, high))
        may_vanish = low < self._half_step
        overflows = (high > self._largest) & ((result.abs() <= self._largest) | may_vanish)
        below = low < self._smallest_normal
        if not bool(overflows.any()) and not bool(below.any()):
            return None
        part = torch.where(below, (self._half_step / low).clamp(max=1.0), 0.0)
        return Loss(part, terms * self._half_step, overflows)


def _along(name: str, args: Sequence[Any]) -> tuple[torch.Tensor, torch.Tensor]:
    """The product of all sizes below 1, and of all above, for each element of a product along a dimension."""
    logs = torch.as_tensor(_Factor(args[0]).size()).log2()
    sides = logs.clamp(max=0.0), logs.clamp(min=0.0)
    if name == "cumprod":
        low, high = (side.cumsum(args[1]) for side in sides)
    elif len(args) > 1 and isinstance(args[1], int):
        low, high = (side.sum(args[1], keepdim=len(args) > 2 and bool(args[2])) for side in sides)
    else:
        low, high = (side.sum() for side in sides)
    return low.exp2(), high.exp2()
