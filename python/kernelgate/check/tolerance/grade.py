"""How near to float64 a result has to be: the one place where a tolerance is made.

In: a way to call the reference on the inputs of a case, in float64 and with what rounds changed. Out: a `Grade` for
each tensor of its result. Nothing is tabulated; all comes from the problem:

1. The *scale* of an element is how far it moves when each operator of the reference rounds at random, sums are taken in
   another order, one running sum included (`check.tolerance.rounding`), and inputs and parameters are known to a
   rounding only.
2. The *limit*, in roundings of that scale, is a few, or a few times PyTorch's own error; where the reference multiplies
   matrices, what its own arithmetic makes of these inputs bounds it (`check.tolerance.arithmetic`).
3. *Accuracy* asks for that of each element (`Grade.right`). *The same function* (`Grade.same`) does not look closer at
   an element than at most others: what is small beside the result may lose its digits, and what is below the smallest
   normal number may be 0.
4. A tolerance of more than a hundredth of the result says nothing. It is no wider, unless PyTorch's own error is, or
   might as well be, since rounding moves the result as far.

Before all that, a result that is as near to float64 as PyTorch's own needs none of it
(`check.tolerance.nearness`).
Not here: the reference's modules (`judge.reference.reference`), comparing (`judge.comparison.compare`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import torch

from kernelgate.check.problem import is_out_of_memory
from kernelgate.check.tolerance.arithmetic import (
    LEAST_UNITS,
    Bounds,
    Coarser,
    may_use_tf32,
    rounded_to_bf16,
    rounded_to_tf32,
    truncated_to_tf32,
)
from kernelgate.check.tolerance.choices import Span, whole_spans
from kernelgate.check.tolerance.nearness import Common, CommonToSamples, Near, Nearness
from kernelgate.check.tolerance.numerics import (
    Graded,
    as_real,
    compare_graded,
    flush_below,
    usual_error,
    with_rough,
)
from kernelgate.check.tolerance.oracle import (
    Basis,
    Wide,
    attempt,
    differ,
    in_float64,
    in_own_dtype,
    spread_of,
    unchanged,
)
from kernelgate.check.tolerance.products import Rounded, RoundedFactors
from kernelgate.check.tolerance.rounding import ROUNDING_SAMPLES, Operators

Closeness = Literal["roughly", "usually", "closely"]
"""From how many samples of rounding a grade is computed."""
T = TypeVar("T")
_ROUGHLY = 2
"""How many samples of rounding a rough look takes."""
_CLOSELY = 8
"""How many times more samples of rounding a close look takes."""


def _magnitude(tensor: torch.Tensor) -> torch.Tensor:
    """Without its sign; infinities keep theirs, as those of a mask say what to leave out."""
    if tensor.is_complex():
        return tensor.abs().to(tensor.dtype)
    size = tensor.abs()
    below = tensor == -torch.inf
    return size.masked_fill_(below, -torch.inf) if bool(below.any()) else size


# For one sum the magnitudes are about the spread, and up to ten times the spread for a very long one.
_OF_SPREAD = 16.0
_MOST_OF_RESULT = 2.0**-7
_LEAST_BESIDE_OTHERS, _LEAST_NARROW = 32.0, 2.0
"""Roundings beside the usual size of a result that any element may be off, and the same in half and bfloat16."""
_SAMPLE = 1 << 20
# How often an epilogue may round after sums that cannot.
_EXACT_SUMS_UNITS = 4.0


@dataclass(frozen=True)
class Asked:
    """A tolerance as torch.allclose has it, of the person or of a problem's file: what is within it is right. `whose`:
    in words, "" for the person's."""

    rtol: float
    atol: float
    whose: str = ""

    @classmethod
    def of(cls, rtol: float | None, atol: float | None, whose: str = "") -> Asked | None:
        """None if neither is asked for."""
        return None if rtol is None and atol is None else cls(rtol or 0.0, atol or 0.0, whose)

    def holds(self, got: torch.Tensor, value: torch.Tensor) -> bool:
        """got, value: of one shape and dtype; value: PyTorch's own."""
        return bool(torch.isclose(got, value, rtol=self.rtol, atol=self.atol, equal_nan=True).all())


@dataclass(frozen=True)
class Grade:
    """How one tensor of a result is graded. `right`: what decides how accurate it is; `same`: what decides whether it
    is the same function, and `beside_others` the part of the others' scale that any element may have. `exact_sums`:
    none of its sums can round, so little error is allowed. `common`: what rounding to a narrow dtype moves all elements
    by; None for a wider one. `with_rounded`: the reference's result in float64, with its products rounded; None without
    products."""

    right: Graded
    bounds: Bounds
    same: Graded
    beside_others: float = 0.0
    exact_sums: bool = False
    common: Common | None = None
    with_rounded: Callable[[Rounded], torch.Tensor] | None = None

    def deciding(self, *, made_up: bool) -> Graded:
        """What decides whether it is the same function. On inputs that are `made_up` only what no usual arithmetic
        explains does: no element is looked at closer than the mean is, whatever the magnitudes; and where the
        reference's own result is no number, any will do."""
        same = self.same
        if not made_up or self.exact_sums:
            return same
        scale = same.scale
        if bool((scale > 0).any()):
            finite = scale[scale.isfinite()]
            scale = scale.clamp_min(self.beside_others * float(finite.mean()) if finite.numel() else 0.0)
        return replace(same, scale=scale.masked_fill(~same.value.isfinite(), torch.inf))


@dataclass(frozen=True)
class Grading:
    """Of one result of the reference, when it is asked for. `dtype`: of the run; `integers`, `samples`: as `tolerance`
    has them. `no_memory`: what is raised without memory for it."""

    values: Sequence[torch.Tensor]
    wide: Wide
    dtype: torch.dtype
    integers: bool
    samples: int
    no_memory: Callable[[], Exception]

    def grades(self, closeness: Closeness) -> list[Grade | None]:
        by_closeness: dict[Closeness, int] = {
            "roughly": min(_ROUGHLY, self.samples),
            "usually": self.samples,
            "closely": self.samples * _CLOSELY,
        }
        samples = by_closeness[closeness]
        return self._computed(
            lambda: tolerance(
                self.wide, self.values, integers=self.integers, samples=samples, basis=self._basis
            )
        )

    def nearness(self, got: torch.Tensor, number: int) -> Nearness | None:
        """Of tensor `number` of a result; None if float64 says nothing of it."""
        near = self._computed(lambda: self._near)[number]
        return None if near is None else self._computed(lambda: near.of(as_real(got)))

    def oracle(self, number: int) -> torch.Tensor:
        """Tensor `number` in float64, as real; only if `nearness` says something."""
        assert self._basis is not None
        return self._basis.oracle[number]

    @functools.cached_property
    def _near(self) -> list[Near | None]:
        basis, values = self._basis, [as_real(value) for value in self.values]
        if basis is None:
            return [None] * len(values)
        pairs = zip(values, basis.oracle, strict=True)
        return [Near(one, oracle, LEAST_UNITS) if one.is_floating_point() else None for one, oracle in pairs]

    @functools.cached_property
    def _basis(self) -> Basis | None:
        return self._computed(lambda: in_float64([as_real(value) for value in self.values], self.wide))

    def spans(self) -> list[Span | None]:
        return self._computed(lambda: whole_spans(lambda: self.wide.call(unchanged), self.values, self.dtype))

    def _computed(self, compute: Callable[[], T]) -> T:
        try:
            return compute()
        except Exception as exc:
            if is_out_of_memory(exc):
                raise self.no_memory() from exc
            raise


def tolerance(
    reference: Wide,
    values: Sequence[torch.Tensor],
    *,
    integers: bool,
    samples: int = ROUNDING_SAMPLES,
    basis: Basis | None = None,
) -> list[Grade | None]:
    """A grade for each of the reference's own tensors, `values`; None for one that has to be equal bit for bit.

    `integers`: inputs and parameters are small whole numbers. `samples`: how often rounding is tried. `basis`: what is
    known in float64 already.
    """
    is_complex = [value.is_complex() for value in values]
    values = [as_real(value) for value in values]
    floating = [number for number, value in enumerate(values) if value.is_floating_point()]
    if not floating:
        return [None] * len(values)
    dtype = max((values[number].dtype for number in floating), key=lambda kind: torch.finfo(kind).eps)
    basis = basis or in_float64(values, reference) or in_own_dtype(values, reference)
    narrow = torch.finfo(dtype).eps > torch.finfo(torch.float32).eps
    common = CommonToSamples(basis.oracle) if narrow else None
    spread, operators = spread_of(basis, dtype, samples, common)
    if not basis.moves and not operators.rounds and differ(values, basis.oracle):
        basis = in_own_dtype(values, reference)  # something rounds that is no operator of PyTorch
        common = CommonToSamples(basis.oracle) if narrow else None
        spread, operators = spread_of(basis, dtype, samples, common)
    oracle = basis.oracle
    magnitudes = attempt(basis, _magnitude) if operators.sums else oracle
    found: list[Grade | None] = [None] * len(values)
    by_products = operators.products and dtype == torch.float32
    in_tf32 = attempt(basis, rounded_to_tf32) if by_products else oracle
    coarse = functools.cache(functools.partial(_coarse, basis))
    for number in floating:
        value, exact = values[number], oracle[number]
        scale = _scale(spread[number], exact, magnitudes[number], operators)
        if is_complex[number]:  # rounding of one part is relative to the whole number
            scale = scale.amax(-1, keepdim=True).expand_as(scale)
        right = Graded(value, exact, scale)
        own = usual_error(value, right)
        if integers and operators.only_linear:
            summed = Graded(value, exact, exact.abs())
            if _units(value, summed) <= _EXACT_SUMS_UNITS:
                found[number] = Grade(summed, Bounds(0.0, 0.0), summed, exact_sums=True)
                continue
        bounds = Bounds(own, own, products=operators.products, narrow=narrow)
        if by_products:
            tf32 = in_tf32[number].to(value.dtype)
            bounds = Bounds(
                own,
                usual_error(tf32, right),
                functools.partial(_coarser, coarse, number, right, tf32),
                in_tf32=may_use_tf32(value.device, convolves=operators.convolves),
            )
        with_rounded = functools.partial(_with_rounded, basis, number) if by_products else None
        in_common = common.most[number] if common is not None else None
        found[number] = _grade(right, bounds, _usual(spread[number]), in_common, with_rounded)
    return found


def _grade(
    right: Graded,
    bounds: Bounds,
    spread: float,
    common: Common | None,
    with_rounded: Callable[[Rounded], torch.Tensor] | None,
) -> Grade:
    limit = bounds.limit(bounds.passing("split"))
    right = with_rough(_bounded(right, limit, bounds, spread), bounds.limit(bounds.passing("fp32")))
    beside = min(1.0, (_LEAST_NARROW if bounds.narrow else _LEAST_BESIDE_OTHERS) / limit)
    # What decides about the function: no element is looked at closer than most are.
    scale = right.scale.clamp_min(beside * _usual(right.scale))
    same = replace(right, scale=scale, floor=flush_below(right.value.dtype))
    return Grade(right, bounds, same, beside, common=common, with_rounded=with_rounded)


def _bounded(right: Graded, limit: float, bounds: Bounds, spread: float) -> Graded:
    """The same, where a tolerance would be so wide that it says nothing, and PyTorch's own error is not. A jump of the
    reference is a matter of single elements. `spread`: how far rounding moves the result. If that is as far, as behind
    norms over two elements, and PyTorch's own error is not much less, then that is less by chance."""
    usual = _usual(right.scale)
    most, own = _MOST_OF_RESULT * _usual(right.oracle.abs()), _usual((right.value.double() - right.oracle).abs())
    allowed = limit * _unit(right) * usual
    if bounds.narrow or allowed <= most or max(own, min(_OF_SPREAD * own, _unit(right) * spread)) > most:
        return right
    return replace(right, scale=right.scale * (most / allowed))


def _unit(right: Graded) -> float:
    return float(torch.finfo(right.value.dtype).eps) / 2


def _usual(sizes: torch.Tensor) -> float:
    some = sizes.reshape(-1)[:: 1 + sizes.numel() // _SAMPLE]
    some = some[(some > 0) & some.isfinite()]
    return float(some.median()) if some.numel() else 0.0


def _with_rounded(basis: Basis, number: int, rounded: Rounded) -> torch.Tensor:
    """One tensor of the result, float64, with all products rounded so. Raises what PyTorch raises."""
    with RoundedFactors(rounded):
        return as_real(basis.call(unchanged)[number]).double()


def _scale(
    spread: torch.Tensor, oracle: torch.Tensor, magnitude: torch.Tensor, operators: Operators
) -> torch.Tensor:
    if not operators.rounds:
        return torch.zeros_like(spread)
    # Through several layers the magnitudes of one multiply with those of the next, far beyond what rounding does.
    most = _OF_SPREAD * torch.maximum(spread, oracle.abs())
    size = torch.maximum(torch.minimum(magnitude.abs(), most), oracle.abs())
    return torch.maximum(spread, torch.where(size.isfinite(), size, oracle.abs()).nan_to_num_(0.0, 0.0, 0.0))


def _coarse(basis: Basis) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    return attempt(basis, truncated_to_tf32), attempt(basis, rounded_to_bf16)


def _coarser(
    coarse: Callable[[], tuple[list[torch.Tensor], list[torch.Tensor]]],
    number: int,
    right: Graded,
    tf32: torch.Tensor,
) -> Coarser:
    truncated, bf16 = (result[number] for result in coarse())
    return Coarser(_units(bf16, right), max(_units(tf32, right), _units(truncated, right)))


def _units(result: torch.Tensor, right: Graded) -> float:
    bare = Graded(torch.full_like(right.value, float("nan")), right.oracle, right.scale)
    return compare_graded(result.to(right.value.dtype), bare, float("inf"), poison=0).error_units or 0.0
