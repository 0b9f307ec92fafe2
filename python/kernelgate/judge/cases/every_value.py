"""Every number of a format, compared: for a problem that works element by element on one input.

In: a run whose cases have passed. Out: a `Comparison` of all of them, or `WrongResult` for the first call with a number
of the problem that is wrong. The numbers come in the order of their bits, so that no list of them travels: judge and
worker write them down alike. Calls are large, and of the problem's own shape if a program takes no other.
Not here: whether the reference works element by element (`check.inputs.elementwise`), the row of the report
(`judge.stages.check`).
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import replace

import torch

from kernelgate.check.inputs.bit_patterns import count_of, fill
from kernelgate.check.inputs.cases import Plan
from kernelgate.check.nesting import flatten
from kernelgate.check.problem import refusal_ends_it
from kernelgate.check.tolerance.numerics import Comparison, flushed, wrong_by_error, wrong_elements
from kernelgate.judge.candidate.model_in_worker import Result
from kernelgate.judge.cases.case_call import DrawnCase
from kernelgate.judge.comparison.compare import WrongResult
from kernelgate.judge.endings.run_ended import NotJudged, RunEnded
from kernelgate.judge.reference.expected import Expected
from kernelgate.judge.run_context import RunContext
from kernelgate.messages.parcel import BadParcel
from kernelgate.report.wrong_values import Differ

_PIECE = 1 << 26  # elements
_ELEMENTS_OF_A_CALL = {"cpu": 1 << 24, "cuda": 1 << 26}
_MOST_ELEMENTS = 1 << 31
_MOST_CALLS, _MOST_CALLS_ASKED_FOR = 1 << 12, 1 << 16
_BITS = {2: torch.int16, 4: torch.int32}


class TooManyCalls(Exception):
    """The program takes its own shape only, and that is too small."""


def every_value(run: RunContext) -> EveryValue | None:
    """None if the problem has no such check, or if it would take too long and was not asked for."""
    reference = run.reference
    total = count_of(reference.dtype)
    if total is None or not reference.case_inputs.is_elementwise:
        return None
    wanted = total <= 1 << 16 or run.job.all_values or run.target.kind == "cuda"
    elements = reference.own_inputs[0].numel()
    return EveryValue(run, total) if wanted and elements < _MOST_ELEMENTS else None


class EveryValue:
    """`plan`: of its row. `beyond`: the first wrong result on numbers that are a matter of drop-in alone, with its
    case; None if there was none."""

    def __init__(self, run: RunContext, total: int) -> None:
        self._run = run
        self._total = total
        self._dtype = run.reference.dtype
        self._name = str(self._dtype).removeprefix("torch.")
        self._own: tuple[int, ...] = tuple(run.reference.own_inputs[0].shape)
        self._found = Comparison(0, 0)
        self.plan = Plan(f"all {self._name} values", "problem", "every value", whole=True)
        self.beyond: tuple[DrawnCase, WrongResult] | None = None
        self.case: DrawnCase | None = None
        """Of the wrong result that is raised."""

    def compare(self) -> Comparison:
        """Raises WrongResult for numbers of the problem, TooManyCalls, RunEnded, BadParcel."""
        run, done, shape = self._run, 0, self._large()
        most_calls = _MOST_CALLS_ASKED_FOR if run.job.all_values else _MOST_CALLS
        run.session.construct(self._dtype)
        while done < self._total:
            run.live.doing(f"All {self._total:,} {self._name} values: {100 * done // self._total} %")
            first_wrong = None
            try:
                first_wrong = self._one_call(shape, done)
                taken = True
            except (RunEnded, BadParcel) as exc:
                if shape == self._own or isinstance(exc, NotJudged):
                    raise
                taken = False
            if taken and first_wrong is None:
                done += math.prod(shape)
                continue
            # A program need not take another size than its own: nothing is said of it by what happens there.
            shape, done = self._own, done + (first_wrong or 0)
            calls = -(-(self._total - done) // math.prod(shape))
            if calls > most_calls and (first_wrong is None or self._one_call(shape, done) is None):
                raise TooManyCalls
            run.session.construct(self._dtype)
        return replace(self._found, total=self._total)

    def _large(self) -> tuple[int, ...]:
        """The problem's own shape, with as many rows as make a call long."""
        times = -(-_ELEMENTS_OF_A_CALL[self._run.reference.device.type] // math.prod(self._own))
        times = min(times, -(-self._total // math.prod(self._own)))
        return (self._own[0] * times, *self._own[1:]) if times > 1 else self._own

    def _one_call(self, shape: tuple[int, ...], first: int) -> int | None:
        """The position of the first number that is wrong and belongs to the problem, in a call of a shape that is not
        the problem's own. At its own, such a one raises WrongResult."""
        run, reference = self._run, self._run.reference
        given = fill(torch.empty(shape, dtype=self._dtype, device=reference.device), first)
        right: torch.Tensor | None = None
        with refusal_ends_it() if shape != self._own else contextlib.nullcontext():  # it may take its own shape only
            right = flatten(reference.call(reference.module(self._dtype), [given]))[1][0]
        if right is None:
            return 0
        doing = f"calling ModelNew on {self.plan.name}"
        result = run.session.call_on_patterns(shape, self._dtype, first, doing)
        got = result.outputs[0] if len(result.outputs) == 1 else None
        if got is None or got.shape != right.shape or got.dtype != right.dtype or result.answer.damage:
            if shape == self._own:
                self._raise(given, result, None)
            return 0
        wrong = _differences(got, right)
        if wrong is not None and reference.graded:
            wrong = self._wrong_by_grade(given, got, wrong)
        if wrong is None or not wrong.numel():
            return None
        decides = reference.case_inputs.decides(given.view(-1)[wrong])
        decides &= ~flushed(*(one.reshape(-1)[wrong] for one in (got, right)))
        if bool(decides.any()):
            if shape == self._own:
                self._raise(given, result, wrong)
            return int(wrong[decides][0])
        if self.beyond is None:
            try:
                self._raise(given, result, wrong, replace(self.plan, contract="drop-in"))
            except WrongResult as exc:
                assert self.case is not None
                self.beyond = self.case, exc
        return None

    def _wrong_by_grade(
        self, given: torch.Tensor, got: torch.Tensor, differing: torch.Tensor
    ) -> torch.Tensor | None:
        """Of the positions that differ from PyTorch's own result, those whose error is too large. Only they are
        computed in float64."""
        reference, comparer = self._run.reference, self._run.comparer
        fits = differing.numel() <= math.prod(self._own)
        shape = self._own if fits else tuple(given.shape)
        count = math.prod(shape)
        found: list[torch.Tensor] = []
        for positions in differing.split(count):
            filled = torch.cat([positions, positions[-1:].expand(count - positions.numel())])
            values = given.view(-1)[filled].view(shape)
            expected = reference.expected([values], self._dtype)
            expected.made_up = True
            there = got.reshape(-1)[filled].view(shape)
            comparison = self._run.comparer.compare(there, expected)
            grade = expected.grade
            if not comparison.wrong:
                self._found = self._found.with_more(comparison)
            elif grade is not None:
                wrong = wrong_by_error(there, grade.deciding(made_up=True), comparer.limit(grade))
                found.append(positions[wrong.view(-1)[: positions.numel()]])
            else:
                found.append(positions[wrong_elements(there, expected.value).view(-1)[: positions.numel()]])
        return torch.cat(found) if found else None

    def _raise(
        self, given: torch.Tensor, result: Result, wrong: torch.Tensor | None, plan: Plan | None = None
    ) -> None:
        run = self._run
        expected: Expected = run.reference.expected([given], self._dtype)
        self.case = DrawnCase(plan or self.plan, [given], expected, self._dtype, "own")
        run.comparer.check(result, expected, [given])
        # Among so many others, its error was allowed.
        assert wrong is not None and result.outputs
        count = wrong.numel()
        found = Comparison(count, given.numel(), int(wrong[0]))
        raise WrongResult(Differ(count, given.numel()), found, result.outputs[0])


def _differences(got: torch.Tensor, right: torch.Tensor) -> torch.Tensor | None:
    a, b, bits = got.reshape(-1), right.reshape(-1), _BITS[got.element_size()]
    found: list[torch.Tensor] = []
    for start in range(0, a.numel(), _PIECE):
        x, y = a[start : start + _PIECE], b[start : start + _PIECE]
        if not torch.equal(x.view(bits), y.view(bits)):
            differs = wrong_elements(x, y).nonzero()[:, 0]
            found += [differs + start] if differs.numel() else []
    return torch.cat(found) if found else None
