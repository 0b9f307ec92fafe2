"""Comparing a result with the reference: bit for bit, or by its forward error against float64.

In: tensors of one shape on one device. Out: a `Comparison`. Large tensors are compared in pieces, so that comparing
never needs a third copy. NaN never passes where the reference has a number.
Not here: words (`check.slips.diagnosis`), and whether it suffices (`judge.verdict`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import torch

_PIECE = 1 << 26  # elements
FARTHEST = 1e300  # the largest error that a report gives
_SAMPLE = 1 << 20
_ENOUGH = 32  # elements that round: of so many, a few can be told from most
_MOST = 0.9
_ABOVE_MOST = 8.0  # the largest of many errors by chance alone, beside nine tenths of them, with room
_TIMES_AS_ROUGH = 4
_FLOAT = 4  # bytes
_BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


@dataclass(frozen=True)
class Comparison:
    """`wrong` of `total` elements differ; `first` is the row-major position of the first one.

    `unwritten` of the wrong ones still hold the poison. `max_ulp`: largest distance among finite elements, None if
    graded. `error_units`: largest forward error of normal numbers, None if exact. `not_finite`: wrong elements
    beside that error, because one side is infinite or NaN and the other is not the same. `by_distribution`: of random
    results, whose values were not compared. `inexact`: right elements that are less accurate than usual arithmetic
    makes them. `times_own`: the error beside PyTorch's own.
    """

    wrong: int
    total: int
    first: int | None = None
    unwritten: int = 0
    max_ulp: float | None = None
    by_distribution: bool = False
    error_units: float | None = None
    not_finite: int = 0
    inexact: int = 0
    times_own: float | None = None

    def with_more(self, other: Comparison) -> Comparison:
        """Both together, if neither found anything wrong, with the larger error."""
        return Comparison(
            0,
            self.total + other.total,
            max_ulp=_either(self.max_ulp, other.max_ulp),
            error_units=_either(self.error_units, other.error_units),
            inexact=self.inexact + other.inexact,
            times_own=_either(self.times_own, other.times_own),
        )


def _either(one: float | None, other: float | None) -> float | None:
    return max((value for value in (one, other) if value is not None), default=None)


def as_real(tensor: torch.Tensor) -> torch.Tensor:
    """A complex tensor as pairs of real numbers, shape (..., 2); numbers of 8 bits as whole ones in the order of their
    values, any NaN as the largest; any other as it is."""
    if tensor.is_floating_point() and tensor.element_size() == 1:
        return _ordered(tensor).masked_fill_(tensor.isnan(), torch.iinfo(torch.int8).max).int()
    return torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor


def compare_exact(got: torch.Tensor, expected: torch.Tensor, poison: int) -> Comparison:
    """Bit for bit; every NaN equals every NaN. got, expected: same shape and dtype; `poison`: a 16-bit pattern."""
    a, b = got.reshape(-1), expected.reshape(-1)
    wrong, unwritten, first, ulp = 0, 0, None, 0.0
    for start in range(0, a.numel(), _PIECE):
        x, y = a[start : start + _PIECE], b[start : start + _PIECE]
        if _equal_bits(x, y):
            continue
        differs = wrong_elements(x, y)
        count = int(differs.sum())
        if not count:
            continue
        if first is None:
            first = start + int(differs.int().argmax())
        wrong += count
        unwritten += int((holds_poison(x, poison) & differs & ~y.isnan()).sum())
        differs &= x.isfinite() & y.isfinite()
        distance = (_ordered(x).double() - _ordered(y).double()).abs_()
        ulp = max(ulp, float(distance.masked_fill_(~differs, 0.0).max()))
    return Comparison(wrong, a.numel(), first, unwritten, max_ulp=ulp)


def any_wrong(got: torch.Tensor, expected: torch.Tensor) -> bool:
    """Whether `compare_exact` finds anything; at the first piece that differs."""
    a, b = got.reshape(-1), expected.reshape(-1)
    pieces = (slice(start, start + _PIECE) for start in range(0, a.numel(), _PIECE))
    return any(
        not _equal_bits(a[piece], b[piece]) and bool(wrong_elements(a[piece], b[piece]).any())
        for piece in pieces
    )


def _equal_bits(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors are the same bit for bit, NaNs too; several times as fast as where they differ."""
    bits = _BITS[one.element_size()]
    return bool(torch.equal(one.view(bits), other.view(bits)))


def wrong_elements(got: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
    """Where two tensors differ in their bits, and not both are NaN; bool, same shape."""
    bits = _BITS[got.element_size()]
    return (got.view(bits) != expected.view(bits)) & ~(got.isnan() & expected.isnan())


def same_bits(one: Any, other: Any) -> bool:
    """Whether two values are the same, bit for bit; any NaN equals any NaN."""
    if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
        return True  # plain values cannot be changed by a call
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.is_floating_point():
        return not any_wrong(one, other)
    return bool(torch.equal(one, other))


def holds_poison(values: torch.Tensor, poison: int) -> torch.Tensor:
    """Where an element consists of the 16-bit pattern alone; bool. values: shape (n,), dense."""
    if values.element_size() < 2:
        return torch.zeros_like(values, dtype=torch.bool)
    signed = poison - 0x10000 if poison >= 0x8000 else poison
    halves = values.contiguous().view(torch.int16).view(values.numel(), -1)
    return (halves == signed).all(dim=1)


def _ordered(values: torch.Tensor) -> torch.Tensor:
    """Integers (int64) that count representable numbers: neighbours differ by one, -0 and 0 are equal."""
    bits = values.contiguous().view(_BITS[values.element_size()]).long()
    lowest = (
        -(1 << (8 * values.element_size() - 1)) if values.element_size() < 8 else torch.iinfo(torch.int64).min
    )
    return torch.where(bits < 0, lowest - bits, bits)


def compare_graded(got: torch.Tensor, right: Graded, bound: float, poison: int) -> Comparison:
    """By forward error. got: the result's dtype, of the shape of `right`.

    An element's error is |got - oracle| / (u * scale), u half the distance from 1 to the next number of got's dtype; it
    is wrong above `bound`, unless it is PyTorch's own result bit for bit, or as near to the oracle as that. If the
    oracle is NaN or, rounded to that dtype, infinite, got must be the same, or PyTorch's own. A few elements may be as
    wrong as `right.rough` has it.
    """
    found = _compare_graded(got, right, bound, poison)
    if not 0 < found.wrong <= right.rough.elements:
        return found
    again = _compare_graded(got, right, bound, poison, right.rough.off)
    return again if not again.wrong else found


def _compare_graded(
    got: torch.Tensor, right: Graded, bound: float, poison: int, rough: float = 0.0
) -> Comparison:
    a = got.reshape(-1)
    flat = replace(
        right, value=right.value.reshape(-1), oracle=right.oracle.reshape(-1), scale=right.scale.reshape(-1)
    )
    wrong, unwritten, first, worst, not_finite = 0, 0, None, 0.0, 0
    for start in range(0, a.numel(), _PIECE // 4):
        piece = slice(start, start + _PIECE // 4)
        x = a[piece]
        part = replace(flat, value=flat.value[piece], oracle=flat.oracle[piece], scale=flat.scale[piece])
        good, error, special = _graded(x, part, bound)
        if rough:
            near = ~special & ((x.double() - part.oracle).abs() <= rough)
            error = torch.where(near & ~good, 0.0, error)
            good = good | near
        # What is right because PyTorch's own is as far off says nothing of the arithmetic, and neither does a number so
        # small that it lacks digits.
        says = ~special & error.isfinite() & ~(good & (error > bound))
        measured = error[says & (part.oracle.abs() >= torch.finfo(x.dtype).smallest_normal)]
        if measured.numel():
            worst = max(worst, min(FARTHEST, float(measured.max())))
        count = int((~good).sum())
        if count:
            if first is None:
                first = start + int((~good).int().argmax())
            wrong += count
            unwritten += int(holds_poison(x[~good], poison).sum())
            not_finite += int((~good & (special | ~x.isfinite())).sum())
    return Comparison(wrong, a.numel(), first, unwritten, error_units=worst, not_finite=not_finite)


def flushed(got: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Where both are below the smallest normal number of the arithmetic, which many programs replace by 0; bool."""
    least = flush_below(got.dtype)
    return (got.abs() < least) & (right.abs() < least)


def flush_below(dtype: torch.dtype) -> float:
    """What a GPU may take for 0: half and bfloat16 are computed in float32."""
    return float(torch.finfo(torch.promote_types(dtype, torch.float32)).smallest_normal)


def wrong_by_error(got: torch.Tensor, right: Graded, bound: float) -> torch.Tensor:
    """Where `compare_graded` finds an element wrong, if it finds more than a few; bool, same shape."""
    return ~_graded(got, right, bound)[0]


def usual_error(result: torch.Tensor, right: Graded) -> float:
    """The largest error of a result, in the units of `compare_graded`, without those of a few elements that are far
    larger than the others: beside the smallest numbers of the format, or at a jump, all digits can be lost."""
    error = _errors(result, right)
    error = error[error > 0]
    if not error.numel():
        return 0.0
    largest = float(error.max())
    if error.numel() < _ENOUGH:
        return largest
    some = error[:: 1 + error.numel() // _SAMPLE]
    most = some.kthvalue(1 + int(_MOST * (some.numel() - 1))).values
    return min(largest, _ABOVE_MOST * float(most))


def with_rough(right: Graded, bound: float) -> Graded:
    """The same, and how far a few elements may be off: as far as the few of PyTorch's own result above `bound` are. Two
    programs need not lose their digits at the same numbers."""
    far = _errors(right.value, right) > bound
    count = int(far.sum())
    if not count:
        return right
    off = (right.value.double() - right.oracle).abs()[far]
    return replace(right, rough=Rough(_TIMES_AS_ROUGH * float(off.max()), _TIMES_AS_ROUGH * count))


def _errors(result: torch.Tensor, right: Graded) -> torch.Tensor:
    """Of every element; 0 if there is no finite one."""
    special = ~right.oracle.to(result.dtype).isfinite() | ~result.isfinite()
    return _graded(result, right, math.inf)[1].masked_fill(special, 0.0).nan_to_num(0.0, FARTHEST)


@dataclass(frozen=True)
class Rough:
    """How far so many elements of a result may be from the oracle."""

    off: float = 0.0
    elements: int = 0


@dataclass(frozen=True)
class Graded:
    """What a result with rounding is compared with. `value`: PyTorch's own result, in the dtype of the run; `oracle`:
    the same in float64; `scale`: float64, by how much an element moves, in multiples of a rounding, infinite if any
    number will do; `rough`: what a few elements may be off beyond that; `floor`: what any may."""

    value: torch.Tensor
    oracle: torch.Tensor
    scale: torch.Tensor
    rough: Rough = Rough()
    floor: float = 0.0


def _graded(x: torch.Tensor, right: Graded, bound: float) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Whether each element is good, its error, and whether it is a matter of being the same number instead."""
    info = torch.finfo(x.dtype)
    rounded = right.oracle.to(x.dtype)
    off = (x.double() - right.oracle).abs()
    # Among the smallest numbers the distance to the next one no longer shrinks. In a narrow format, values on the way
    # to a result come to lie there too.
    least = max(info.smallest_normal * info.eps / (1 if x.element_size() < _FLOAT else 2), 5e-324)
    allowed = info.eps / 2 * right.scale
    # Where the scale is 0 nothing rounds, and only the exact number is right.
    error = torch.where(off == 0, 0.0, off / torch.where(allowed > 0, allowed.clamp_min(least), 0.0))
    special = ~rounded.isfinite()
    same = (x == rounded) | (x.isnan() & rounded.isnan())
    own = (
        (x == right.value)
        | (x.isnan() & right.value.isnan())
        | (~x.isfinite() & ~right.value.isfinite() & ~special)
    )
    as_near = (off <= (right.value.double() - right.oracle).abs()) | (off <= right.floor)
    good = torch.where(special, same, (error <= bound) | as_near) | own  # NaN <= bound is false
    good = good | right.scale.isinf()
    return good, error, special
