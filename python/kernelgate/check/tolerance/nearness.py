"""How near a result is to float64, beside PyTorch's own: what decides about most results, without a tolerance; and what
all elements of a result have in common, though each alone is within its tolerance.

In: PyTorch's own result, the same in float64, and results to look at. Out: a `Nearness` for each. What PyTorch's own
says is computed once, and looking at a result costs a few passes over it. And a factor or an amount that no rounding
makes: in half and bfloat16 a rounding is so large that a wrong factor hides behind it, 2 % are five roundings of
bfloat16; but rounding is at random, and over many elements next to nothing is left of it.
Not here: what follows if a result is not near (`check.tolerance.grade`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from kernelgate.check.tolerance.numerics import FARTHEST, Graded
from kernelgate.report.wrong_results import Wrong
from kernelgate.report.wrong_values import Factor, Shift

_PIECE = 1 << 24  # elements
_EXPONENTS = 2050  # those of float64, those of numbers that are not finite, and one for 0
_ENOUGH_TO_MEAN = 128  # elements, so that the few of a jump do not make it
_TIMES_USUAL = 16.0  # the largest of a million normal errors is seven times their mean; with room
_LEAST = 5e-324


@dataclass(frozen=True)
class Nearness:
    """A result beside PyTorch's own, without a call more of the reference. `worst`: the largest error beside what is
    near for certain; `units`: the largest error in roundings, of PyTorch's own error if that is larger, and
    `own_units` PyTorch's in the same; `own_share`: PyTorch's error as a part of the result."""

    worst: float
    units: float
    own_units: float
    own_share: float

    @property
    def times_own(self) -> float:
        return self.units / max(self.own_units, 0.5)


@dataclass(frozen=True)
class _Piece:
    """Of so many elements: what is near, 0 if float64 has nothing to say; the size of an error's unit, infinite
    if it is not counted, which `unseen` says too; and PyTorch's own largest error in these units."""

    near: torch.Tensor
    size: torch.Tensor
    unseen: torch.Tensor
    own_units: float


class Near:
    """What is near to `oracle`, as PyTorch's own `value` is. Both real, of one shape.

    An element is near by `least_units` roundings of itself, or by what PyTorch's own are off that are about as large:
    beside a cancellation, both lose digits. If float64 shows that nothing rounds, only PyTorch's own are near.
    """

    def __init__(self, value: torch.Tensor, oracle: torch.Tensor, least_units: float) -> None:
        self._own, self._right, self._least_units = value.reshape(-1), oracle.reshape(-1), least_units
        self._pieces = [slice(start, start + _PIECE) for start in range(0, value.numel(), _PIECE)]
        count = torch.zeros(_EXPONENTS, dtype=torch.float64, device=value.device)
        total = count.clone()
        self._rounds, size_of_all = False, 0.0
        for piece in self._pieces:
            own, o = self._own[piece], self._right[piece]
            off = (own.double() - o).abs_()
            there, bins = off.isfinite(), _exponents(o)
            count += torch.bincount(bins, weights=there.double(), minlength=_EXPONENTS)
            total += torch.bincount(bins, weights=off.masked_fill_(~there, 0.0), minlength=_EXPONENTS)
            size_of_all += float(o.masked_fill(~there, 0.0).abs_().sum())
            self._rounds = self._rounds or bool(((o.to(own.dtype).to(o.dtype) != o) & there).any())
        usual, times = _usual_errors(count.tolist(), total.tolist(), value.device)
        self._usual, self._usually_near = usual, usual * times
        self._own_share = float(total.sum()) / size_of_all if size_of_all else 0.0
        self._kept: _Piece | None = None

    def of(self, got: torch.Tensor) -> Nearness:
        """got: the dtype and shape of PyTorch's own."""
        x = got.reshape(-1)
        worst, units, own_units = 0.0, 0.0, 0.0
        for number, piece in enumerate(self._pieces):
            part, own = self._kept or self._piece(number), self._own[piece]
            if len(self._pieces) == 1:  # of a large result all this takes too much memory to keep
                self._kept = part
            off = (x[piece].double() - self._right[piece]).abs_()
            same = (x[piece] == own) | (x[piece].isnan() & own.isnan())
            worst = max(worst, _largest(off / part.near, same, math.inf))
            units = max(units, _largest(off.div_(part.size), part.unseen, FARTHEST))
            own_units = max(own_units, part.own_units)
        return Nearness(worst, min(units, FARTHEST), own_units, self._own_share)

    def _piece(self, number: int) -> _Piece:
        own, o = self._own[self._pieces[number]], self._right[self._pieces[number]]
        bins = _exponents(o)
        off = (own.double() - o).abs_()
        there = off.isfinite()
        rounding, usual = torch.finfo(own.dtype).eps / 2 * o.abs(), self._usual[bins]
        near = torch.maximum(self._least_units * rounding, self._usually_near[bins])
        near = (near if self._rounds else torch.zeros_like(near)).clamp_min_(_LEAST).masked_fill_(~there, 0.0)
        size = torch.maximum(rounding, usual)
        unseen = ~(there & (size > 0) & (o.abs() >= torch.finfo(own.dtype).smallest_normal))
        size.masked_fill_(unseen, math.inf)
        return _Piece(near, size, unseen, _largest(off.div_(size), unseen, math.inf))


def _largest(errors: torch.Tensor, left_out: torch.Tensor, no_number: float) -> float:
    found = float(errors.masked_fill_(left_out, 0.0).max())
    return no_number if math.isnan(found) else found


def _exponents(values: torch.Tensor) -> torch.Tensor:
    """Of each number, as an index; 0 for 0 and for what is no number. values: float64."""
    bits = values.contiguous().view(torch.int64)
    found = (bits >> 52).bitwise_and_(0x7FF).add_(1)
    return found.masked_fill_((values == 0) | ~values.isfinite(), 0)


def _usual_errors(
    count: list[float], total: list[float], device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """By exponent, the mean error of elements of that size, and how many times of it is near. Sizes with few elements
    count together."""
    usual, times = [0.0] * len(count), [0.0] * len(count)
    group: list[int] = []
    elements = errors = 0.0
    for at, many in enumerate(count):
        if not many:
            continue
        if elements >= _ENOUGH_TO_MEAN:
            group, elements, errors = [], 0.0, 0.0
        group.append(at)
        elements, errors = elements + many, errors + total[at]
        for one in group:
            usual[one] = errors / elements
            times[one] = min(_TIMES_USUAL, max(2.0, elements / 8))
    return tuple(torch.tensor(one, dtype=torch.float64, device=device) for one in (usual, times))


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
