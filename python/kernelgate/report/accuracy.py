"""How far a result is off, as a report holds it: on the axis of arithmetics.

In: nothing. Out: records of `report.types`. Not here: where the bounds come from (`check.arithmetic`), words
(`report.accuracy_words`).
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from kernelgate.report.record import Name, Record, Sentences

LARGEST_UNITS = 1e12
Units = Annotated[float, Meta(ge=0, le=LARGEST_UNITS)]
"""An error in units of the rounding of the result's dtype."""


class ArithmeticBound(Record, kw_only=True):
    """The largest error that still counts as an arithmetic, on the inputs of one case."""

    name: Name
    """"fp32", "split", "TF32 or FP16", "BF16"."""
    units: Units
    shown: Name = ""
    """As shown: "up to 8 u"."""


class Precision(Record, kw_only=True):
    """The largest error of a graded problem, among the errors of other arithmetics on the same input."""

    case: Name
    """Of the problem's cases the one whose error is furthest from what fp32 makes."""
    units: Units
    reference_units: Units
    """What PyTorch's own result is off."""
    passes_units: Units
    """The largest error that passes."""
    bounds: Annotated[list[ArithmeticBound], Meta(max_length=4)]
    """From fine to coarse, each above the one before; those that were computed."""
    error: Name = ""
    reference_error: Name = ""
    passes: Name = ""
    """As shown: "1.8 u"."""
    words: Sentences = ""
    """As shown: "the largest error is 1.8 u, PyTorch's own 0.9 u (“normal”); up to 8 u counts as fp32, ..."."""
