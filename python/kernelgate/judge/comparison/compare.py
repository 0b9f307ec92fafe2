"""Compares one result with the expected one: its form, its values, and what is wrong.

In: a `Result` and an `Expected`. Out: a `Comparison`, or `WrongResult`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from msgspec import structs

from kernelgate.backend.memory import dtype_of
from kernelgate.check.nesting import flatten, floats_apart, without_names
from kernelgate.check.slips.diagnosis import (
    coarser_products,
    diagnose,
    digits_lost,
    region,
    systematic,
    zeros_at_the_end,
)
from kernelgate.check.tolerance.arithmetic import ALLOWED, Arithmetic
from kernelgate.check.tolerance.choices import other_choice, with_signs, wrong_indices
from kernelgate.check.tolerance.grade import Asked, Grade
from kernelgate.check.tolerance.nearness import Common, common_error
from kernelgate.check.tolerance.numerics import (
    Comparison,
    Graded,
    any_wrong,
    as_real,
    compare_exact,
    compare_graded,
    flushed,
    wrong_by_error,
    wrong_elements,
)
from kernelgate.judge.candidate.model_in_worker import Result
from kernelgate.judge.reference.expected import Expected
from kernelgate.judge.reference.explained import explained, other_formula
from kernelgate.messages.parcel import Parcel
from kernelgate.report.wording import lower_first
from kernelgate.report.wrong_results import (
    Form,
    NotDense,
    NotOneTensor,
    OtherDtype,
    OtherRandom,
    OtherShape,
    WritesOutside,
    Wrong,
)
from kernelgate.report.wrong_values import Changed, Differ, OneNumber, OtherFormula

_POISON_EMULATED = 0xFFFB  # the emulator's pattern for fresh memory
_POISON_CUDA = 0x7FC0  # NaN as bfloat16, as the worker fills free memory
_EXPLAINING_S = 10.0  # in all, for words about what is wrong
_BEYOND_DOUBT = 256.0  # times what is near: a mutant's error that no more samples of rounding explain,
_OF_RESULT = 2.0**-7  # unless PyTorch's own is this much of the result
_FEW = 64  # one element of so many
_SOME = 4  # the same, of whole numbers beside a jump
_EXACT_SUMS_UNITS = 4.0  # the roundings that an epilogue may make behind an exact sum


class WrongResult(Exception):
    """A result is wrong; `how` says in what way.

    Where values were compared: `comparison`, the result itself, and the number of the reference's tensor.
    """

    def __init__(
        self, how: Wrong, comparison: Comparison | None = None, got: torch.Tensor | None = None, number: int = 0
    ) -> None:
        super().__init__(how.words)
        self.how = how
        self.number = number
        self.comparison = comparison
        self.got = got


class RandomNumbers(WrongResult):
    """Nothing is wrong but results that go by random numbers, and are others than the reference's. `numbers`: of all
    that go by them."""

    def __init__(self, numbers: list[int]) -> None:
        super().__init__(OtherRandom("numbers"))
        self.numbers = numbers


class Comparer:
    """The comparison of one run. `allowed`: what --allow-arithmetic lets pass; `asked`: the person's own tolerance."""

    def __init__(self, *, emulated: bool, allowed: str | None, asked: Asked | None = None) -> None:
        self.asked = asked
        self._poison = _POISON_EMULATED if emulated else _POISON_CUDA
        self._coarsest: Arithmetic = ALLOWED[allowed] if allowed is not None else "split"
        self._left_s = _EXPLAINING_S

    def check(
        self, result: Result, expected: Expected, inputs: Sequence[Any], *, closely: bool = False
    ) -> Comparison:
        """Raises WrongResult if anything about the result is wrong, RandomNumbers last. `closely`: which arithmetic
        its error means is wanted as well."""
        answer = result.answer
        if answer.damage:
            raise WrongResult(WritesOutside(lower_first(answer.damage[0]).rstrip(".")))
        self._check_result(result, expected)
        total, random = Comparison(0, 0), False
        outputs = with_signs(result.outputs, expected.values, expected.vectors)
        for number, (parcel, got) in enumerate(zip(answer.outputs, outputs, strict=True)):
            self._check_form(parcel, expected, number)
            if got.shape != expected.values[number].shape:
                random = True
                continue
            found = self.compare(got, expected, number, closely=closely)
            found = self._by_other_choice(got, expected, number, found)
            if found.wrong and expected.varies(number):
                random = True
            elif found.wrong:
                how = self._how(got, expected, number, found, inputs)
                raise WrongResult(structs.replace(how, where=which(number, expected)), found, got, number)
            else:
                total = total.with_more(found) if total.total else found
        if random:
            raise RandomNumbers(expected.varying)
        return total

    def _check_result(self, result: Result, expected: Expected) -> None:
        answer = result.answer
        single = expected.form == "tensor"
        right = answer.what == "a tensor" if single else bool(answer.outputs)
        if not right or len(result.outputs) != len(answer.outputs):
            on_host = answer.what == "a tensor"
            what = "a tensor that is not on the device" if on_host else answer.what
            raise WrongResult(NotOneTensor(what) if single else NotDense(what, expected.form))
        form = answer.form if answer.form == expected.form else without_names(answer.form)
        if form != expected.form and not self._floats_agree(form, expected):
            raise WrongResult(Form(answer.form, expected.form))

    def _floats_agree(self, form: str, expected: Expected) -> bool:
        """Whether a form differs from the expected one in floats of Python alone, and these are near enough."""
        (got, floats), (right, _floats) = floats_apart(form), floats_apart(expected.form)
        if got != right or expected.floats is None:
            return False
        (grade,) = expected.floats.grades("usually")
        return grade is not None and not self._by_grade(torch.tensor(floats), grade).wrong

    def agrees(self, tensors: Sequence[torch.Tensor], expected: Expected) -> bool:
        """Whether the tensors of a result are right, by shape, dtype and values."""
        tensors = with_signs(tensors, expected.values, expected.vectors)
        return len(tensors) == len(expected.values) and all(
            self._is_right(got, expected, number) for number, got in enumerate(tensors)
        )

    def _is_right(self, got: torch.Tensor, expected: Expected, number: int) -> bool:
        right = expected.values[number]
        return (
            got.shape == right.shape
            and got.dtype == right.dtype
            and not self._by_other_choice(got, expected, number, self.compare(got, expected, number)).wrong
        )

    def _by_other_choice(
        self, got: torch.Tensor, expected: Expected, number: int, found: Comparison
    ) -> Comparison:
        """What is found where equal values may be taken in any order, as top-k does, and the reference computes with
        the choice."""
        value = expected.values[number]
        if not found.wrong or not expected.chooses or value.is_complex() or number in expected.indices:
            return found
        recall = expected.recall
        if recall is None:
            return found
        taken = other_choice(got, value, lambda: flatten(recall.again())[1], number)
        return found if taken is None else self.compare(taken, expected, number)

    def compare(
        self,
        got: torch.Tensor,
        expected: Expected,
        number: int = 0,
        *,
        beyond_doubt: float = math.inf,
        closely: bool = False,
    ) -> Comparison:
        """One tensor of a result by its values alone. got: the shape and dtype that are expected. `beyond_doubt`: how
        many times the limit an error is wrong without a closer look. `closely`: by its grade, also if it is near."""
        value = expected.values[number]
        if number in expected.indices and not torch.equal(got, value):
            wrong = wrong_indices(got, value, expected.indices[number]).reshape(-1)
            return Comparison(int(wrong.sum()), got.numel(), int(wrong.int().argmax()) if wrong.any() else None)
        a, b = as_real(got), as_real(value)
        looks = b.is_floating_point() and not closely and any_wrong(a, b)
        near = self._near(got, expected, number, beyond_doubt) if looks else None
        found = near or compare_exact(a, b, self._poison)
        if found.wrong and b.is_floating_point():
            found = near or self._compared(got, expected, number, found, beyond_doubt)
            if found.wrong and self.asked is not None and self.asked.holds(got, value):
                found = replace(found, wrong=0, first=None, inexact=found.wrong)
        elif found.wrong:
            found = _by_span(got, expected, number, found)
        if value.is_complex() and found.first is not None:
            found = replace(found, wrong=(found.wrong + 1) // 2, total=value.numel(), first=found.first // 2)
        return found

    def _near(
        self, got: torch.Tensor, expected: Expected, number: int, beyond_doubt: float
    ) -> Comparison | None:
        """What PyTorch's own error says of a result that differs; None if that does not decide. What is wrong beyond
        doubt is not counted."""
        near, grading = expected.nearness(got, number), expected.grading
        if near is None or grading is None:
            return None
        if near.worst > 1.0:
            sure = math.isfinite(beyond_doubt) and near.worst >= _BEYOND_DOUBT and near.own_share < _OF_RESULT
            return Comparison(1, as_real(got).numel()) if sure else None
        value, oracle = expected.values[number], grading.oracle(number)
        graded = Graded(as_real(value), oracle, oracle.abs())
        narrow = torch.finfo(value.dtype).eps > torch.finfo(torch.float32).eps
        if self._coarsest == "split" and narrow and common_error(as_real(got), graded, Common()):
            return None
        return Comparison(0, as_real(got).numel(), error_units=near.units, times_own=near.times_own)

    def _compared(
        self, got: torch.Tensor, expected: Expected, number: int, differs: Comparison, beyond_doubt: float
    ) -> Comparison:
        """By its grade: whether it is the same function, and how accurate it is."""
        grade = expected.grades[number]
        if grade is None:
            small = flushed(as_real(got), as_real(expected.values[number]))
            wrong = wrong_elements(as_real(got), as_real(expected.values[number])) & ~small
            return differs if bool(wrong.any()) else replace(differs, wrong=0, first=None, inexact=differs.wrong)
        found = self._decided(got, expected, grade)
        if _in_doubt(found, beyond_doubt * self.limit(grade)) and expected.grade_closely():
            grade = expected.grades[number]
            assert grade is not None
            found = self._decided(got, expected, grade)
        if not found.wrong and self._common_error(got, grade) is not None:
            off = as_real(got) != as_real(expected.values[number])
            found = replace(found, wrong=found.total, first=int(off.reshape(-1).int().argmax()))
        return found

    def _decided(self, got: torch.Tensor, expected: Expected, grade: Grade) -> Comparison:
        found = self._by_grade(got, grade)
        found = replace(found, times_own=(found.error_units or 0.0) / max(grade.bounds.own, 0.5))
        if not found.wrong:
            return found
        same = compare_graded(as_real(got), grade.deciding(made_up=expected.made_up), self.limit(grade), self._poison)
        if same.wrong:
            return replace(found, wrong=same.wrong, first=same.first, unwritten=same.unwritten)
        by_chance = found.wrong <= found.total >> 16
        return replace(found, wrong=0, first=None, unwritten=0, not_finite=0, inexact=0 if by_chance else found.wrong)

    def is_wrong(self, got: torch.Tensor, expected: Expected, *, beyond_doubt: float) -> bool:
        """Whether `compare` finds anything in the first tensor of a result; it need not be counted."""
        if 0 in expected.indices or expected.grading is not None:
            return self.compare(got, expected, beyond_doubt=beyond_doubt).wrong > 0
        return any_wrong(as_real(got), as_real(expected.value))

    def _by_grade(self, got: torch.Tensor, grade: Grade) -> Comparison:
        return compare_graded(as_real(got), grade.right, self.limit(grade), self._poison)

    def _common_error(self, got: torch.Tensor, grade: Grade) -> Wrong | None:
        """Of a result in a narrow dtype, each element of which is near enough."""
        if grade.common is None or self._coarsest != "split":
            return None
        return common_error(as_real(got), grade.right, grade.common)

    def limit(self, grade: Grade) -> float:
        """The largest error that passes, in the units of `check.tolerance.numerics`."""
        if grade.exact_sums:
            return _EXACT_SUMS_UNITS
        return grade.bounds.limit(grade.bounds.passing(self._coarsest))

    def _how(
        self, got: torch.Tensor, expected: Expected, number: int, found: Comparison, inputs: Sequence[Any]
    ) -> Wrong:
        value = expected.values[number]
        grade = expected.grades[number] if number not in expected.indices else None
        got, value = as_real(got), as_real(value)
        known = not found.unwritten and not expected.values[number].is_complex()
        scale = None
        if grade is not None:
            common = systematic(got, grade.right, self.limit(grade), found)
            if common is None and found.wrong == found.total:
                common = self._common_error(got, grade)
            if common is not None:
                return common
            scale = self.limit(grade) * torch.finfo(got.dtype).eps * grade.same.scale
        wrong = self.wrong_at(got, expected, number)
        count = diagnose(inputs, got, value, found)
        if not known or not isinstance(count, Differ | OneNumber):
            return coarser_products(got, wrong, found, grade, self._coarsest, count) or count
        if number in expected.indices:
            return self._explained(got, expected, number, None) or count
        seen = (
            zeros_at_the_end(got, value, wrong)
            or (self.other_formula_of(got, expected, scale) if number == 0 and scale is not None else None)
            or self._explained(got, expected, number, scale)
            or (digits_lost(got, grade.right, wrong) if grade is not None else None)
        )
        if seen is not None:
            return seen
        if isinstance(count, Differ):
            count = structs.replace(count, end=region(wrong))
        return coarser_products(got, wrong, found, grade, self._coarsest, count) or count

    def wrong_at(self, got: torch.Tensor, expected: Expected, number: int) -> torch.Tensor:
        """Where one tensor of a result is wrong, if more than a few elements are; bool. got: the shape and dtype that
        are expected; a complex one may be seen as real, and then so is the answer."""
        value = expected.values[number]
        if number in expected.indices:
            return wrong_indices(got, value, expected.indices[number])
        grade, got = expected.grades[number], as_real(got)
        if grade is not None:
            wrong = wrong_by_error(got, grade.deciding(made_up=expected.made_up), self.limit(grade))
            return wrong if bool(wrong.any()) else torch.ones_like(wrong)
        return wrong_elements(got, as_real(value))

    def _check_form(self, output: Parcel, expected: Expected, number: int) -> None:
        right = expected.values[number]
        if dtype_of(output.dtype) != right.dtype:
            raise WrongResult(OtherDtype(output.dtype, str(right.dtype).removeprefix("torch.")))
        if tuple(output.shape) != tuple(right.shape) and not expected.varies(number):
            raise WrongResult(OtherShape(tuple(output.shape), tuple(right.shape)))

    def other_formula_of(
        self, got: torch.Tensor, expected: Expected, scale: torch.Tensor
    ) -> OtherFormula | None:
        """Which other formula its first tensor is, if that is found in the time that is left for it."""
        if self._left_s <= 0 or expected.seed is not None:
            return None
        began = time.monotonic()
        try:
            return other_formula(got, expected.value, scale, expected.recall)
        finally:
            self._left_s -= time.monotonic() - began

    def _explained(
        self, got: torch.Tensor, expected: Expected, number: int, scale: torch.Tensor | None
    ) -> Changed | None:
        began = time.monotonic()
        # Two programs that draw their own random numbers never have the same values.
        recall = expected.recall if expected.seed is None else None
        try:
            return explained(got, expected.values[number], number, scale, recall, self._left_s)
        finally:
            self._left_s -= time.monotonic() - began


def _by_span(got: torch.Tensor, expected: Expected, number: int, found: Comparison) -> Comparison:
    """What is found where rounding decides between neighbouring whole numbers: each is right."""
    few = found.wrong <= max(1, found.total // _SOME)
    got = as_real(got)
    span = expected.span(number) if few and not got.is_floating_point() else None
    return replace(found, wrong=0, first=None) if span is not None and span.holds(got) else found


def _in_doubt(found: Comparison, most: float) -> bool:
    """Whether a result is wrong in few of its elements, all of them numbers, by an error of at most `most`: too few
    samples could be the cause."""
    few = found.wrong <= max(1, found.total // _FEW) and (found.error_units or 0.0) <= most
    return found.wrong > 0 and few and not found.unwritten and not found.not_finite


def which(number: int, expected: Expected) -> str:
    if expected.results_in:
        return f"what is written to input {expected.results_in[number] + 1}"
    return f"result {number + 1} of {len(expected.values)}" if len(expected.values) > 1 else ""


def same_layout(outputs: Sequence[Parcel], expected: Expected) -> bool:
    """Whether a result lies in memory as the reference's does: max_pool1d lays it out otherwise if it is watched."""

    def agrees(values: Sequence[torch.Tensor]) -> bool:
        return all(_same_strides(*pair) for pair in zip(outputs, values, strict=False))

    return agrees(expected.values) or (
        expected.recall is not None and agrees(flatten(expected.recall.again())[1])
    )


def _same_strides(output: Parcel, expected: torch.Tensor) -> bool:
    if expected.numel() == 0 or output.result_stride is None:
        return True
    pairs = zip(output.result_stride, expected.stride(), expected.shape, strict=False)
    return all(a == b for a, b, size in pairs if size > 1)
