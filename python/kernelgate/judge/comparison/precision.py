"""The error of a run's cases that is furthest from what fp32 makes, and what it means.

In: what comparing the problem's cases has found. Out: the arithmetic of that error, and where it lies among the
errors of the others. Not here: the bounds themselves (`check.tolerance.arithmetic`).
"""

from __future__ import annotations

from dataclasses import dataclass

from kernelgate.check.tolerance.arithmetic import ORDER, Bounds
from kernelgate.check.tolerance.numerics import Comparison
from kernelgate.judge.comparison.compare import Comparer
from kernelgate.judge.endings.device_memory import within_memory
from kernelgate.judge.reference.expected import Expected
from kernelgate.report.accuracy import LARGEST_UNITS, ArithmeticBound, Precision


@dataclass(frozen=True)
class _Error:
    case: str
    units: float
    bounds: Bounds
    passes: float

    @property
    def of_fp32(self) -> float:
        return self.units / self.bounds.fp32_limit


class LargestError:
    """The error that is kept. `every_bound`: whether bounds are computed that no error asks for, which takes two calls
    of the reference in float64."""

    def __init__(self, comparer: Comparer, *, every_bound: bool) -> None:
        self._comparer = comparer
        self._every_bound = every_bound
        self._largest: _Error | None = None
        self._equal: Expected | None = None  # of the smallest case with a result that is equal bit for bit

    def note(self, case: str, expected: Expected, found: Comparison) -> None:
        """A case of the problem that has passed, or is wrong by rounding alone, as far as one number says. Digits that
        are lost beside the size of a result are of no arithmetic."""
        if found.inexact:
            return
        if found.error_units is None:  # equal bit for bit
            if self._equal is None or expected.value.numel() < self._equal.value.numel():
                self._equal = expected
            return
        grade = expected.grade if expected.is_graded else None
        if grade is None or grade.exact_sums or not grade.bounds.products:
            return
        error = _Error(case, found.error_units, grade.bounds, self._comparer.limit(grade))
        if self._largest is None or error.of_fp32 > self._largest.of_fp32:
            self._largest = error

    @property
    def arithmetic(self) -> str:
        """Of the error; "" for an exact problem, for a wrong value, and for results that are equal bit for bit where
        bounds take long."""
        if self._largest is not None:
            return self._largest.bounds.grade(self._largest.units) or ""
        grading = self._equal.grading if self._every_bound and self._equal is not None else None
        grade = grading.grades("roughly")[0] if grading is not None else None
        return (grade.bounds.grade(0.0) or "") if grade is not None and grade.bounds.products else ""

    @property
    def coarser(self) -> str:
        """The same, if it is coarser than PyTorch's own and than split products; else ""."""
        if self._largest is None:
            return ""
        name, bounds = self._largest.bounds.grade(self._largest.units), self._largest.bounds
        return name if name and ORDER.index(name) > ORDER.index(bounds.passing("split")) else ""

    def precision(self) -> Precision | None:
        """Where the error lies; None if no case had one, if it is beyond all arithmetics, and if there is
        one arithmetic only."""
        error = self._largest
        if error is None:
            return None
        bounds = self._bounds(error)
        if len(bounds) < 2 or error.bounds.grade(error.units) is None:
            return None
        return Precision(
            case=error.case,
            units=_bounded(error.units),
            reference_units=_bounded(error.bounds.own),
            passes_units=_bounded(error.passes),
            bounds=bounds,
        )

    def _bounds(self, error: _Error) -> list[ArithmeticBound]:
        known = self._every_bound or error.units > error.bounds.limit("split")
        found: list[ArithmeticBound] = []
        with within_memory():  # what is shown decides nothing
            for name in ORDER if known else ORDER[:2]:
                units = _bounded(error.bounds.limit(name))
                if not found or units > found[-1].units:
                    found.append(ArithmeticBound(name=name, units=units))
        return found


def _bounded(units: float) -> float:
    return min(LARGEST_UNITS, units)
