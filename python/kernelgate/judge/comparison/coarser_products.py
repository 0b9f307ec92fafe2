"""What is said of a wrong result whose errors are as small as those of a coarser arithmetic.

In: a result of products, and how it compares. Out: the arithmetic, if the errors are those of rounded factors, and
else that they are no larger. Not here: the bounds (`check.tolerance.arithmetic`), the evidence
(`check.tolerance.products`).
"""

from __future__ import annotations

import torch

from kernelgate.check.problem import refusal_ends_it
from kernelgate.check.tolerance.arithmetic import ORDER, Arithmetic
from kernelgate.check.tolerance.grade import Grade
from kernelgate.check.tolerance.numerics import Comparison
from kernelgate.check.tolerance.products import arithmetic_of
from kernelgate.report.wrong_results import Wrong
from kernelgate.report.wrong_values import AsCoarse, CoarserProducts


def coarser_products(
    got: torch.Tensor,
    wrong: torch.Tensor,
    found: Comparison,
    grade: Grade | None,
    coarsest: Arithmetic,
    count: Wrong,
) -> Wrong | None:
    """What is wrong; None if the size of the errors says nothing. got: real, of the expected dtype;
    `wrong`: bool, of its shape; `coarsest`: what passes where PyTorch's own is no
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
