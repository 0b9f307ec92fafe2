"""How accurate the results of a run are, beside PyTorch's own, and what other people's rules would say of them; and the
error of its cases that is furthest from what fp32 makes: which arithmetic it means, and where it lies.

In: what comparing a case has found. Out: the row of the gate "accuracy", `Rules`, and `Precision`. Accuracy is a
matter of drop-in: what is the same function, and is off by more than usual arithmetic, is right for its problem.
Not here: whether it is the same function (`judge.comparison.compare`), the tolerance (`check.tolerance.grade`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from kernelgate.check.slips.diagnosis import digits_lost
from kernelgate.check.tolerance.arithmetic import ORDER, Bounds
from kernelgate.check.tolerance.grade import Asked
from kernelgate.check.tolerance.numerics import Comparison, as_real, same_bits, wrong_by_error
from kernelgate.judge.candidate.model_in_worker import Result
from kernelgate.judge.cases.case_call import DrawnCase
from kernelgate.judge.comparison.compare import Comparer
from kernelgate.judge.endings.device_memory import within_memory
from kernelgate.judge.gates import Gates
from kernelgate.judge.gates.gate_kind import ACCURACY
from kernelgate.judge.reference.expected import Expected
from kernelgate.judge.run_context import RunContext
from kernelgate.report.accuracy import LARGEST_UNITS, ArithmeticBound, Precision, Rules

# torch.testing.assert_close, by its documentation.
_ASSERT_CLOSE = {
    torch.float16: Asked(1e-3, 1e-5),
    torch.bfloat16: Asked(1.6e-2, 1e-5),
    torch.float32: Asked(1.3e-6, 1e-5),
    torch.float64: Asked(1e-7, 1e-7),
}
# KernelBench, src/eval.py: torch.allclose with atol = rtol, of float32 and of narrower dtypes. Its first versions (v0,
# v0.1) had 1e-2 for all.
_KERNELBENCH = {False: Asked(1e-4, 1e-4), True: Asked(1e-2, 1e-2)}


class Accuracy:
    """Of one run, case by case."""

    def __init__(self, gates: Gates, run: RunContext) -> None:
        self._gates = gates
        self._run = run
        self._most = 0.0
        self._case = ""

    def of(
        self,
        case: DrawnCase,
        result: Result,
        compare: Callable[[DrawnCase, Result], Comparison],
        *,
        shows_rules: bool = True,
    ) -> Comparison:
        """What comparing a case finds. `shows_rules`: what other rules say of the problem's own inputs is shown. Raises
        WrongResult."""
        comparer = self._run.comparer
        if shows_rules and case.is_of_the_problem:
            self._run.live.show(rules=rules(result.outputs, case.expected.values, comparer.asked))
        found = compare(case, result)
        self.note(case.plan.name, found, remark(comparer, result.outputs, case.expected, found))
        return found

    def note(self, case: str, found: Comparison, remark: str) -> None:
        """A case whose result is right. `remark`: why it is less accurate, in words, if it is."""
        if found.times_own is None and not found.inexact:
            return  # bit for bit PyTorch's own
        if found.inexact:
            times = f", {found.times_own:.2g} times PyTorch's own error" if found.times_own else ""
            self._gates.note(ACCURACY, "drop-in", False, f"{remark}{times} (case “{case}”)")
            return
        if not self._case or (found.times_own or 0.0) > self._most:
            self._most, self._case = found.times_own or 0.0, case
        how = f"at most {max(self._most, 0.01):.2g} times PyTorch's own error (case “{self._case}”)"
        self._gates.note(ACCURACY, "drop-in", True, how)


def rules(
    outputs: Sequence[torch.Tensor], values: Sequence[torch.Tensor], asked: Asked | None
) -> Rules | None:
    """What other tolerances say of a result of the problem's own inputs; None if there is nothing to say."""
    found = Rules()
    if asked is not None:
        found = Rules(rtol=asked.rtol, atol=asked.atol, whose=asked.whose)
    pairs = [
        (as_real(got), as_real(right))
        for got, right in zip(outputs, values, strict=False)
        if as_real(right).is_floating_point()
    ]
    if pairs and all(a.shape == b.shape and a.dtype == b.dtype and a.numel() for a, b in pairs):
        off = max(float((a.double() - b.double()).abs().nan_to_num(0.0, 0.0, 0.0).max()) for a, b in pairs)
        kernelbench = _KERNELBENCH[any(b.dtype in (torch.float16, torch.bfloat16) for _a, b in pairs)]
        if any(not same_bits(a, b) for a, b in pairs):
            found.difference = min(off, 1e300)
            found.assert_close = all(_ASSERT_CLOSE[b.dtype].holds(a, b) for a, b in pairs)
            found.kernelbench = all(kernelbench.holds(a, b) for a, b in pairs)
            found.kernelbench_at = kernelbench.atol
    return found if asked is not None or found.difference is not None else None


def remark(
    comparer: Comparer, outputs: Sequence[torch.Tensor], expected: Expected, found: Comparison
) -> str:
    """Why a right result is less accurate than usual arithmetic, in words; "" if it is not."""
    if not found.inexact:
        return ""
    for number, got in enumerate(outputs):
        grade = expected.grades[number]
        if grade is None:
            continue
        got, limit = as_real(got), comparer.limit(grade)
        scale = limit * torch.finfo(got.dtype).eps * grade.right.scale
        formula = comparer.other_formula_of(got, expected, scale) if number == 0 else None
        lost = digits_lost(got, grade.right, wrong_by_error(got, grade.right, limit))
        for why in (formula, lost):
            if why is not None:
                return why.words
    return f"{found.inexact:,} of {found.total:,} elements are less accurate than usual arithmetic"


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
        """Of the error; "" for an exact problem, for a wrong value, and for results that are equal bit for bit if
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
