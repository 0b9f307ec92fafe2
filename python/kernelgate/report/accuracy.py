"""How far a result is off, as a report holds it: on the axis of arithmetics, and where.

In: nothing. Out: records of `report.types`. Not here: where the bounds come from (`check.tolerance.arithmetic`), words
(`report.accuracy_words`).
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from kernelgate.report.record import Count, Distance, Name, Record

LARGEST_UNITS = 1e12
Units = Annotated[float, Meta(ge=0, le=LARGEST_UNITS)]
"""An error in units of the rounding of the result's dtype."""


class ArithmeticBound(Record, kw_only=True):
    """The largest error that still counts as an arithmetic, on the inputs of one case."""

    name: Name
    """"fp32", "split", "TF32 or FP16", "BF16"."""
    units: Units


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


class Rules(Record, kw_only=True):
    """Other tolerances than the judge's own: the person's, and on the problem's own inputs those of other tools.
    `difference`: the largest there from PyTorch's own result."""

    rtol: Distance | None = None
    atol: Distance | None = None
    """What was asked for; None if nothing was."""
    whose: Name = ""
    """"the workload's"; "" for the person's."""
    difference: Distance | None = None
    assert_close: bool = False
    """Whether it passes torch.testing.assert_close with its defaults."""
    kernelbench: bool = False
    """Whether it passes KernelBench's torch.allclose, whose atol = rtol is `kernelbench_at`."""
    kernelbench_at: Distance = 0.0


LARGEST_VALUE = 1e24
Value = Annotated[float, Meta(ge=-LARGEST_VALUE, le=LARGEST_VALUE)]


class Values(Record, kw_only=True):
    """What the result of a case holds against what is expected, of elements at even steps."""

    case: Name
    got: Annotated[list[Value], Meta(max_length=40)]
    expected: Annotated[list[Value], Meta(max_length=40)]
    wrong: Count
    """So many of these are wrong, the first; those behind are right."""
    lowest: Annotated[int, Meta(ge=-400, le=24)]
    counts: Annotated[list[Count], Meta(max_length=20)]
    """Of all wrong elements, how many are off by 10 ** lowest and more, by ten times that and more, and so on; the
    first also counts what is off by less."""
    others: Count = 0
    """Wrong elements that are in neither: one side is no number, or too large for an axis."""


NONE_WRONG, ONLY_WRONG = ".", "#"
"""A bin of a map without a wrong element, and one without a right one; between them "1" to "9", so many ninths."""


class ErrorMap(Record, kw_only=True):
    """Where in the result of a case the wrong elements lie. A bin is `bin_rows` x `bin_columns` elements, the last of a
    side fewer."""

    case: Name
    shape: Name
    """Of the result: "6144x393216"."""
    flat: bool
    """Whether its elements are laid out in rows of bins as they lie in memory; else bins are of the last two
    dimensions."""
    matrices: Count
    """What lies over each other: the product of the other dimensions."""
    rows: Count
    columns: Count
    bin_rows: Count
    bin_columns: Count
    bins: Annotated[list[Annotated[str, Meta(pattern="^[.1-9#]{1,32}$")]], Meta(max_length=32)]
    first_row: Count = 0
    last_row: Count = 0
    """0 if it is flat, and columns are places in memory."""
    first_column: Count
    last_column: Count
