"""Phrases on how far a result is off, which every viewer shows.

In: records of `report.accuracy`. Out: plain phrases; "" where there is nothing to say.
"""

from __future__ import annotations

from kernelgate.report import numbers
from kernelgate.report.accuracy import ArithmeticBound, Precision


def precision(found: Precision | None) -> str:
    """the largest error is 1.8 u, PyTorch's own 0.9 u (“normal”); up to 8 u counts as fp32, up to 120 u as split"""
    if found is None:
        return ""
    first, *others = found.bounds
    counts = [f"{bound_words(first)} counts as {first.name}"]
    counts += [f"{bound_words(bound)} as {bound.name}" for bound in others]
    error, own = numbers.error_units(found.units), numbers.error_units(found.reference_units)
    return f"the largest error is {error}, PyTorch's own {own} (“{found.case}”); {', '.join(counts)}"


def bound_words(bound: ArithmeticBound) -> str:
    """up to 8 u"""
    return f"up to {numbers.error_units(bound.units)}"
