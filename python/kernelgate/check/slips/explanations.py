"""Whether a wrong result equals another, known one. Without that evidence nothing is said.

In: a wrong result, the reference's own, and what could explain it. Out: whether it does. Evidence is clear where the
explanation leaves next to nothing of the error, and what is left is rounding.
Not here: explanations (`check.slips.other_places`, `check.slips.other_places`, `check.slips.other_operators`,
`check.slips.formulas`).
"""

from __future__ import annotations

import torch

from kernelgate.check.tolerance.numerics import as_real

_LEFT = 1e-3  # of the error, by root mean square and by its largest element
_LEFT_OF_FEW = 1e-5  # a few elements fit by chance
_FEW = 8
_LEFT_WITH_ROUNDING = 0.05
_GLANCE = 4096  # elements that are looked at first
_ROUNDED = 1.01  # the largest error is taken in the result's own dtype


def explains(got: torch.Tensor, value: torch.Tensor, there: torch.Tensor, slack: float) -> bool:
    """got: the wrong result; `value`: the reference's own, maybe of another shape; `there`: what explains it; of one
    dtype. `slack`: how far an element of a right result may be off."""
    there = as_real(there) if there.element_size() == 1 else there
    if there.shape != got.shape or there.dtype != got.dtype:
        return False
    if value.shape != got.shape:
        return got.numel() >= _FEW and _near(got, there)
    if not got.is_floating_point():
        return bool(torch.equal(got, there)) and not bool(torch.equal(there, value))
    if _far_off(got, value, there, slack) or not torch.equal(got.isfinite(), there.isfinite()):
        return False
    finite = got.isfinite() & value.isfinite()
    count = int(finite.sum())
    off = (got[finite].double() - value[finite].double()).abs()
    left = (got[finite].double() - there[finite].double()).abs()
    if not count or not bool(off.any()):
        return False
    share = _LEFT if count >= _FEW else _LEFT_OF_FEW
    if float(left.max()) <= share * float(off.max()):
        return float(left.norm()) <= share * float(off.norm())
    rounding = float(left.max()) <= 4 * slack and count >= _FEW
    return rounding and float(left.norm()) <= _LEFT_WITH_ROUNDING * float(off.norm())


def _far_off(got: torch.Tensor, value: torch.Tensor, there: torch.Tensor, slack: float) -> bool:
    """Whether a few elements already show more of the error than an explanation may leave. Most of the explanations
    that are tried fail here, and all the elements of a large result take a tenth of a second each time."""
    if got.numel() <= _GLANCE:
        return False
    at = torch.unravel_index(torch.arange(0, got.numel(), got.numel() // _GLANCE, device=got.device), got.shape)
    ours, theirs = got[at].double(), there[at].double()
    both = ours.isfinite()
    if not torch.equal(both, theirs.isfinite()):
        return True
    off = float((got - value).abs().nan_to_num_(0.0, 0.0, 0.0).max())
    most = max(_LEFT * off, 4 * slack) * _ROUNDED
    return bool(((ours - theirs)[both].abs() > most).any())


def _near(got: torch.Tensor, there: torch.Tensor) -> bool:
    """Whether two results are equal up to rounding."""
    if not got.is_floating_point():
        return bool(torch.equal(got, there))
    return bool(torch.isclose(got, there, rtol=_LEFT, atol=_LEFT * float(there.abs().nan_to_num(0.0).mean())).all())
