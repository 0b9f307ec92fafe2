"""Says what is wrong with a result: the one thing that a person would trip over.

In: the inputs, the result and the expected values of a case that failed. Out: a record of `report.wrong_values`. Only
what the values show is said; if nothing fits, the count is. Of products whose errors are as small as those of a coarser
arithmetic: the arithmetic, if the errors are those of rounded factors (`check.tolerance.products`), and else that they
are no larger.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from kernelgate.check.problem import refusal_ends_it
from kernelgate.check.tolerance.arithmetic import ORDER, Arithmetic
from kernelgate.check.tolerance.grade import Grade
from kernelgate.check.tolerance.numerics import Comparison, Graded, wrong_elements
from kernelgate.check.tolerance.products import arithmetic_of
from kernelgate.report.wrong_results import Wrong
from kernelgate.report.wrong_values import (
    AsCoarse,
    CoarserProducts,
    Differ,
    DigitsLost,
    End,
    Factor,
    NanMade,
    NanSwallowed,
    NarrowFormat,
    OneNumber,
    OnInputs,
    Shift,
    Slope,
    Unwritten,
    Zeros,
)

_SAMPLE = 1 << 20
_FEW = 32  # elements: among so many, nothing is in common by chance
_SEVERAL = 8
_SMALL = 0.25  # beside 1
_NEAR_ONE = 8.0  # roundings of a number near 1
_LEFT = 0.02  # of an error, where something that all elements have in common explains it


def diagnose(inputs: Sequence[Any], got: torch.Tensor, expected: torch.Tensor, found: Comparison) -> Wrong:
    """What is wrong. got, expected: same shape, dtype and device."""
    if found.unwritten:
        last = found.unwritten == found.wrong and found.first == found.total - found.wrong
        return Unwritten(found.unwritten, found.total, last=last)
    tensors = [v for v in inputs if isinstance(v, torch.Tensor)]
    if found.error_units is None and len(tensors) == 1 and tensors[0].shape == got.shape:
        wrong = _elementwise(tensors[0], got, expected)
        if wrong is not None:
            return wrong
    if found.total == 1:
        if not got.is_floating_point():
            return OneNumber(got.item(), expected.item())
        one, other = float(got), float(expected)
        larger, smaller = _times(one, other, got.dtype), _times(other, one, got.dtype)
        return OneNumber(one, other, larger or smaller, smaller=not larger)
    if got.is_floating_point() and bool(got.isnan().any()) and not bool(expected.isnan().any()):
        return NanMade(found.wrong, found.total)
    return Differ(found.wrong, found.total)


def _times(got: float, expected: float, dtype: torch.dtype) -> float:
    """How many times as large it is; 0 unless that is a number of few digits and cannot be chance."""
    if not expected or not math.isfinite(got / expected):
        return 0.0
    ratio = got / expected
    near = float(f"{ratio:.3g}")
    # Two numbers that a person has chosen have a simple ratio as well.
    simple = any(one == float(f"{one:.3g}") for one in (got, expected))
    by_chance = simple or abs(ratio - near) > 8 * torch.finfo(dtype).eps * abs(near)
    return near if not by_chance and near != 1 else 0.0


def region(wrong: torch.Tensor) -> End | None:
    """Where all wrong elements lie, if that is the end of one dimension. wrong: bool, of the result's shape."""
    if wrong.dim() == 1:
        return _at_the_end(wrong, "elements")
    names = {wrong.dim() - 1: "columns", wrong.dim() - 2: "rows"}
    for dim in range(wrong.dim()):
        others = [other for other in range(wrong.dim()) if other != dim]
        end = _at_the_end(wrong.any(dim=others), names.get(dim, f"of dimension {dim}"))
        if end is not None:
            return end
    return None


def zeros_at_the_end(got: torch.Tensor, expected: torch.Tensor, wrong: torch.Tensor) -> Zeros | None:
    """Where every wrong element is 0, and all such lie at the end of one dimension: how many and where. wrong: bool, of
    the shape of both."""
    zeros = (got == 0) & (expected != 0)
    if not bool(zeros[wrong].all()):
        return None
    end = region(zeros)
    return Zeros(int(zeros.sum()), got.numel(), end) if end is not None else None


def digits_lost(got: torch.Tensor, right: Graded, wrong: torch.Tensor) -> DigitsLost | None:
    """Where only small results are wrong, by no more than the roundings of numbers near 1: they are the difference of
    such numbers. got: the dtype and shape of `right`; `wrong`: bool, of that shape."""
    unit = torch.finfo(got.dtype).eps / 2
    off = (got.double() - right.oracle).abs()[wrong]
    size = right.oracle.abs()[wrong]
    if got.dtype not in (torch.float32, torch.float64) or off.numel() < _SEVERAL or not bool((size < _SMALL).all()):
        return None  # in a narrower dtype, approximations are as far off
    worst = float(off.nan_to_num(math.inf).max())
    if not unit / 8 <= worst <= _NEAR_ONE * unit:
        return None
    lost = float((off / size)[size > 0].max()) if bool((size > 0).any()) else math.inf
    return DigitsLost(worst, lost)


def _at_the_end(wrong: torch.Tensor, name: str) -> End | None:
    total = wrong.numel()
    first = int(wrong.int().argmax()) if total and bool(wrong.any()) else 0
    if first == 0 or first < total / 2:
        return None
    return End(total - first, total, name)


def _elementwise(x: torch.Tensor, got: torch.Tensor, expected: torch.Tensor) -> Wrong | None:
    """For y[i] = f(x[i]): what the wrong elements have in common."""
    differs = wrong_elements(got, expected).reshape(-1)
    others = x.reshape(-1)[~differs]
    where = differs.nonzero()[:_SAMPLE, 0]
    x, got, expected = x.reshape(-1)[where], got.reshape(-1)[where], expected.reshape(-1)[where]

    if bool(x.isnan().all()):
        return NanSwallowed(zero=bool((got == 0).all()))
    special = _special(x)
    if special is not None:
        return special
    if bool((x < 0).all()):
        if bool((got == x).all()):
            return OnInputs(["negative"], "unchanged")
        if bool((got == 0).all()):
            return OnInputs(["negative"], "zero")
    narrow = _rounded(got, expected)
    if narrow is not None:
        return narrow
    if bool((x < 0).all()):
        return _slope(x, got, expected) or (OnInputs(["negative"]) if bool((others >= 0).any()) else None)
    if bool((x > 0).all()) and bool((others <= 0).any()):
        return OnInputs(["positive"])
    return None


def _special(x: torch.Tensor) -> OnInputs | None:
    """Where every wrong element's input is a number at the edge of its format: which ones these are."""
    if not x.is_floating_point():
        return None
    tiny = torch.finfo(x.dtype).smallest_normal
    kinds = {
        "NaN": x.isnan(),
        "infinite": x.isinf(),
        "zero": x == 0,
        "subnormal": (x != 0) & (x.abs() < tiny),
    }
    found = [name for name, where in kinds.items() if bool(where.any())]
    if not bool(torch.stack(list(kinds.values())).any(dim=0).all()):
        return None
    return OnInputs(found)


def _rounded(got: torch.Tensor, expected: torch.Tensor) -> NarrowFormat | None:
    """Whether every wrong value is a number of a coarser format that most right values are not."""
    if got.dtype not in (torch.float32, torch.float64):
        return None
    finite = got.isfinite() & expected.isfinite()
    g, e = got[finite], expected[finite]
    near = (g - e).abs() <= e.abs() * 2.0**-7
    if g.numel() < 8 or not bool(near.all()):
        return None
    for coarse, name in ((torch.bfloat16, "bfloat16"), (torch.float16, "float16")):
        if bool((g.to(coarse).to(g.dtype) == g).all()) and not bool(
            (e.to(coarse).to(e.dtype) == e).float().mean() > 0.5
        ):
            return NarrowFormat(name)
    return None


def _slope(x: torch.Tensor, got: torch.Tensor, expected: torch.Tensor) -> Slope | None:
    """Where the wrong values are the input times one constant: that constant, and the right one. What is the right
    constant but for the last digits is rounded more often than it should be."""
    big = x.isfinite() & (x.abs() > 1e-3) & (x.abs() < 1e3)
    if int(big.sum()) < 8:
        return None
    x64 = x[big].double()
    ratio, right = got[big].double() / x64, expected[big].double() / x64
    middle, wanted = float(ratio.median()), float(right.median())
    spread = float((ratio - middle).abs().max())
    if not spread <= 1e-3 * abs(middle):
        return None
    if abs(middle - wanted) <= spread and spread > 2 * float((right - wanted).abs().max()):
        farthest = float(ratio[int((ratio - wanted).abs().argmax())])
        return Slope(farthest, wanted, rounded=True)
    return Slope(middle, wanted)


def systematic(got: torch.Tensor, right: Graded, limit: float, found: Comparison) -> Wrong | None:
    """Where a graded result is wrong by more than its arithmetic: a factor, a constant, NaN, or digits lost near 0.

    got: the dtype and shape of `right`; `limit`: the largest error that passes. None if nothing of that fits.
    """
    if found.unwritten or not got.is_floating_point():
        return None
    lost = right.value.isnan() & ~got.isnan()
    if bool(lost.any()) and int(lost.sum()) == found.wrong:
        return NanSwallowed(int(lost.sum()))
    if found.not_finite == found.wrong:
        return None
    finite = got.isfinite() & right.oracle.isfinite()
    g, e, s = (one[finite].double().reshape(-1)[:_SAMPLE] for one in (got, right.oracle, right.scale))
    if g.numel() < 8:
        return None
    if not bool(s.any()):
        s = e.abs()  # nothing rounds in the reference
    unit = torch.finfo(got.dtype).eps / 2
    slack = 4 * max(limit, 1.0) * unit * s
    # The result itself is rounded, whatever its scale is.
    slack += 2 * unit * (g.abs() + (g - e).abs())
    # A few wrong elements are not explained by what most elements have in common.
    share = found.wrong / found.total
    common: Wrong | None = _factor(g, e, s, slack) if share > 0.5 * float((e != 0).double().mean()) else None
    common = common or (_shift(g, e, slack) if share > 0.5 else None)
    return common or _in_common(g, e)


def _in_common(g: torch.Tensor, e: torch.Tensor) -> Wrong | None:
    """A factor or an amount that leaves next to nothing of the error, where most elements are within their tolerance:
    what rounding makes of them is at random. A factor a little below 1 may be of digits that are cut off."""
    off = g - e
    whole = min(float(off.norm()), float(g.norm()))  # beside a large error, a small result may be anything
    if g.numel() < _FEW or not whole or not float(e.norm()):
        return None
    factor = float((g @ e) / (e @ e))
    if float((g - factor * e).norm()) <= _LEFT * whole and not 0.98 < factor < 1.0005 and abs(factor) > 1e-6:
        return Factor(factor)
    amount = float(off.mean())
    return Shift(amount) if float((off - amount).norm()) <= _LEFT * whole else None


def _factor(g: torch.Tensor, e: torch.Tensor, s: torch.Tensor, slack: torch.Tensor) -> Factor | None:
    """Whether all elements are wrong by one factor, which no rounding makes."""
    sure = (e.abs() > 1e-2 * s) & (e != 0)
    if int(sure.sum()) < 8:
        return None
    factor = float((g[sure] / e[sure]).median())
    if (
        factor == 0
        or abs(factor - 1) < 1e-7
        or not bool(((g - factor * e).abs() <= slack * max(abs(factor), 1)).all())
    ):
        return None
    return Factor(factor, digits=6)


def _shift(g: torch.Tensor, e: torch.Tensor, slack: torch.Tensor) -> Shift | None:
    """Whether all elements are wrong by one amount: a term that was dropped or added."""
    off = g - e
    middle = float(off.median())
    if middle == 0 or not bool(((off - middle).abs() <= slack).all()):
        return None
    return Shift(middle, digits=6)


def coarser_products(
    got: torch.Tensor,
    wrong: torch.Tensor,
    found: Comparison,
    grade: Grade | None,
    coarsest: Arithmetic,
    count: Wrong,
) -> Wrong | None:
    """What is wrong; None if the size of the errors says nothing. got: real, of the expected dtype;
    `wrong`: bool, of its shape; `coarsest`: what passes if PyTorch's own is no
    coarser; `count`: how many elements are wrong."""
    if grade is None or grade.exact_sums or found.error_units is None or found.unwritten or found.not_finite:
        return None
    bounds = grade.bounds
    if not bounds.products or bounds.tf32 == bounds.own:
        return None
    name = bounds.grade(found.error_units)
    if name is None or ORDER.index(name) <= ORDER.index(bounds.passing(coarsest)):
        return None  # an element that may not be off at all is wrong, too
    seen: Arithmetic | None = None
    call, right = grade.with_rounded, grade.right
    with refusal_ends_it(of_cpu=False):  # what a module raises on other numbers says nothing of the candidate
        if call is not None:
            at = right.oracle[wrong], right.scale[wrong]
            seen = arithmetic_of(got[wrong], *at, lambda rounded: call(rounded)[wrong])
    if seen is None:
        return AsCoarse(count, name)
    theirs, units = ("TF32", max(bounds.own, bounds.tf32)) if bounds.in_tf32 else ("fp32", bounds.own)
    return CoarserProducts(seen, found.error_units, theirs, units)
