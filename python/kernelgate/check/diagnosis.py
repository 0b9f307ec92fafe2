"""Says what is wrong with a result, in words: the one thing that a person would trip over.

In: the inputs, the result and the expected values of a case that failed. Out: half a sentence, to stand after
"Wrong result: ". Only what the values show is said; where nothing fits, the count is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from kernelgate.check.numerics import Comparison, Graded, wrong_elements

_SAMPLE = 1 << 20
_FEW = 32  # elements: among so many, nothing is in common by chance
_SEVERAL = 8
_SMALL = 0.25  # beside 1
_NEAR_ONE = 8.0  # roundings of a number near 1
_LEFT = 0.02  # of an error, where something that all elements have in common explains it


def diagnose(inputs: Sequence[Any], got: torch.Tensor, expected: torch.Tensor, found: Comparison) -> str:
    """What is wrong, in words. got, expected: same shape, dtype and device."""
    if found.unwritten:
        return _unwritten(found)
    tensors = [v for v in inputs if isinstance(v, torch.Tensor)]
    if found.error_units is None and len(tensors) == 1 and tensors[0].shape == got.shape:
        words = _elementwise(tensors[0], got, expected)
        if words is not None:
            return words
    if found.total == 1:
        if not got.is_floating_point():
            return f"the result is {got.item()} instead of {expected.item()}"
        words = f"the result is {' instead of '.join(distinguishable(float(got), float(expected)))}"
        times = _times(float(got), float(expected), got.dtype)
        smaller = _times(float(expected), float(got), got.dtype).replace("large", "small")
        return words + (times or smaller)
    if got.is_floating_point() and bool(got.isnan().any()) and not bool(expected.isnan().any()):
        return f"NaN where the reference has numbers ({found.wrong:,} of {found.total:,} elements are wrong)"
    return f"{found.wrong:,} of {found.total:,} elements differ"


def _times(got: float, expected: float, dtype: torch.dtype) -> str:
    """How many times as large it is, where that is a number of few digits and cannot be chance."""
    if not expected or not math.isfinite(got / expected):
        return ""
    ratio = got / expected
    near = float(f"{ratio:.3g}")
    # Two numbers that a person has chosen have a simple ratio as well.
    simple = any(one == float(f"{one:.3g}") for one in (got, expected))
    by_chance = simple or abs(ratio - near) > 8 * torch.finfo(dtype).eps * abs(near)
    return f", {near:g} times as large" if not by_chance and near not in (0.0, 1.0) else ""


def distinguishable(one: float, other: float, least: int = 6) -> tuple[str, str]:
    """Two numbers with as many digits as tell them apart, and no fewer than `least`."""
    for digits in (least, 6, 9, 17):
        words = f"{one:.{digits}g}", f"{other:.{digits}g}"
        if words[0] != words[1]:
            break
    return words


def factor_words(factor: float, least: int = 4) -> str:
    """A factor with as many digits as tell it from 1."""
    return distinguishable(factor, 1.0, least)[0]


def region(wrong: torch.Tensor) -> str:
    """Where all wrong elements lie, if that is the end of one dimension: ", all of them in the last 3 of 24 rows"; else
    "". wrong: bool, of the result's shape."""
    if wrong.dim() == 1:
        return _at_the_end(wrong, "elements")
    names = {wrong.dim() - 1: "columns", wrong.dim() - 2: "rows"}
    for dim in range(wrong.dim()):
        others = [other for other in range(wrong.dim()) if other != dim]
        words = _at_the_end(wrong.any(dim=others), names.get(dim, f"of dimension {dim}"))
        if words:
            return words
    return ""


def zeros_at_the_end(got: torch.Tensor, expected: torch.Tensor, wrong: torch.Tensor) -> str | None:
    """Where every wrong element is 0, and all such lie at the end of one dimension: how many and where. wrong: bool, of
    the shape of both."""
    zeros = (got == 0) & (expected != 0)
    if not bool(zeros[wrong].all()):
        return None
    where = region(zeros)
    return f"{int(zeros.sum()):,} of {got.numel():,} elements are 0{where}" if where else None


def digits_lost(got: torch.Tensor, right: Graded, wrong: torch.Tensor) -> str | None:
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
    return (
        f"digits are lost where the result is near 0: its errors are those of numbers near 1 ({worst:.1g}), "
        f"up to {100 * min(lost, 1.0):.2g} % of the result"
    )


def _at_the_end(wrong: torch.Tensor, name: str) -> str:
    total = wrong.numel()
    first = int(wrong.int().argmax()) if total and bool(wrong.any()) else 0
    if first == 0 or first < total / 2:
        return ""
    return f", all of them in the last {total - first:,} of {total:,} {name}".replace(" of of ", " of ")


def _unwritten(found: Comparison) -> str:
    if (
        found.first is not None
        and found.unwritten == found.wrong
        and found.first + found.wrong == found.total
    ):
        if found.wrong == 1:
            return "the last element is never written"
        if found.wrong < found.total:
            return f"the last {found.wrong:,} of {found.total:,} elements are never written"
        return "nothing is written to the output"
    return f"{found.unwritten:,} of {found.total:,} elements are never written"


def _elementwise(x: torch.Tensor, got: torch.Tensor, expected: torch.Tensor) -> str | None:
    """For y[i] = f(x[i]): what the wrong elements have in common."""
    differs = wrong_elements(got, expected).reshape(-1)
    others = x.reshape(-1)[~differs]
    where = differs.nonzero()[:_SAMPLE, 0]
    x, got, expected = x.reshape(-1)[where], got.reshape(-1)[where], expected.reshape(-1)[where]

    if bool(x.isnan().all()):
        if bool((got == 0).all()):
            return "NaN inputs give 0 instead of NaN"
        return "NaN inputs do not give NaN"
    words = _special(x)
    if words is not None:
        return words
    if bool((x < 0).all()):
        if bool((got == x).all()):
            return "negative inputs are returned unchanged"
        if bool((got == 0).all()):
            return "negative inputs give 0"
    words = _rounded(got, expected)
    if words is not None:
        return words
    if bool((x < 0).all()):
        return _slope(x, got, expected) or ("wrong on negative inputs" if bool((others >= 0).any()) else None)
    if bool((x > 0).all()) and bool((others <= 0).any()):
        return "wrong on positive inputs"
    return None


def _special(x: torch.Tensor) -> str | None:
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
    words = found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}"
    return f"wrong on {words} inputs"


def _rounded(got: torch.Tensor, expected: torch.Tensor) -> str | None:
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
            return f"the values are computed in {name}"
    return None


def _slope(x: torch.Tensor, got: torch.Tensor, expected: torch.Tensor) -> str | None:
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
        found, constant = distinguishable(farthest, wanted)
        return f"negative inputs are multiplied by numbers like {found} instead of {constant}, as by more roundings"
    found, constant = distinguishable(middle, wanted, 4)
    return f"negative inputs are multiplied by {found} instead of {constant}"


def systematic(got: torch.Tensor, right: Graded, limit: float, found: Comparison) -> str | None:
    """Where a graded result is wrong by more than its arithmetic: a factor, a constant, NaN, or digits lost near 0.

    got: the dtype and shape of `right`; `limit`: the largest error that passes. None where nothing of that fits.
    """
    if found.unwritten or not got.is_floating_point():
        return None
    lost = right.value.isnan() & ~got.isnan()
    if bool(lost.any()) and int(lost.sum()) == found.wrong:
        return f"NaN is not passed on: {int(lost.sum()):,} elements are numbers where the reference gives NaN"
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
    words = _factor(g, e, s, slack) if share > 0.5 * float((e != 0).double().mean()) else None
    words = words or (_shift(g, e, slack) if share > 0.5 else None)
    return words or _in_common(g, e)


def _in_common(g: torch.Tensor, e: torch.Tensor) -> str | None:
    """A factor or an amount that leaves next to nothing of the error, where most elements are within their tolerance:
    what rounding makes of them is at random. A factor a little below 1 may be of digits that are cut off."""
    off = g - e
    whole = min(float(off.norm()), float(g.norm()))  # beside a large error, a small result may be anything
    if g.numel() < _FEW or not whole or not float(e.norm()):
        return None
    factor = float((g @ e) / (e @ e))
    if float((g - factor * e).norm()) <= _LEFT * whole and not 0.98 < factor < 1.0005 and abs(factor) > 1e-6:
        return f"every element is {factor_words(factor)} times the reference's"
    amount = float(off.mean())
    if float((off - amount).norm()) <= _LEFT * whole:
        return (
            f"every element is {abs(amount):.4g} {'larger' if amount > 0 else 'smaller'} than the reference's"
        )
    return None


def _factor(g: torch.Tensor, e: torch.Tensor, s: torch.Tensor, slack: torch.Tensor) -> str | None:
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
    if abs(factor + 1) < 1e-4:
        return "every element has the other sign"
    return f"every element is {factor_words(factor, 6)} times the reference's"


def _shift(g: torch.Tensor, e: torch.Tensor, slack: torch.Tensor) -> str | None:
    """Whether all elements are wrong by one amount: a term that was dropped or added."""
    off = g - e
    middle = float(off.median())
    if middle == 0 or not bool(((off - middle).abs() <= slack).all()):
        return None
    return f"every element is {abs(middle):.6g} {'larger' if middle > 0 else 'smaller'} than the reference's"
