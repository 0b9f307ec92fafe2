"""The check stage: every case drawn, called and compared.

In: a run whose build has ended. Out: `Checked`, and `RunEnded` where a case of the contract `problem` fails.
Not here: properties beyond right values (`judge.stages.gates`), the measure of an error (`check.tolerance.numerics`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch

from kernelgate.check.inputs.bit_patterns import count_of
from kernelgate.check.inputs.cases import OTHER_SIZE_PLAN, PROBLEM_PLANS, Plan, case_seed, distribution_words
from kernelgate.check.nesting import dtype_words, shape_words
from kernelgate.judge import gates
from kernelgate.judge.candidate.model_in_worker import Result
from kernelgate.judge.cases import parameter_mismatch
from kernelgate.judge.cases.accuracy import Accuracy, LargestError
from kernelgate.judge.cases.another_size import above_bounds, at_another_size
from kernelgate.judge.cases.case_call import (
    DrawnCase,
    call_case,
    count,
    draw_case,
    is_read_too_early,
    leaves_unwritten,
    mismatch,
    redraw_of,
    say,
    where,
)
from kernelgate.judge.cases.compared import compared
from kernelgate.judge.cases.every_value import EveryValue, TooManyCalls, every_value
from kernelgate.judge.comparison.changed_inputs import changed_words, other_state
from kernelgate.judge.comparison.compare import WrongResult, same_layout
from kernelgate.judge.comparison.error_map import error_map, value_pairs
from kernelgate.judge.comparison.mutation_score import MutationScore
from kernelgate.judge.endings.device_memory import within_memory
from kernelgate.judge.endings.run_ended import CandidateRaised, NotJudged, OutOfMemory, RunEnded
from kernelgate.judge.gates import Gates, gate_kind
from kernelgate.judge.gates.calling import FINISHED
from kernelgate.judge.reference.affordable import LONG, SLOW
from kernelgate.judge.reference.reference import NotAccepted, Reference
from kernelgate.judge.run_context import RunContext
from kernelgate.judge.stages.build import FirstCall
from kernelgate.judge.verdict import wrong_result
from kernelgate.messages.parcel import BadParcel
from kernelgate.report import Case, Finding, Power, one_line
from kernelgate.report.accuracy import Precision
from kernelgate.report.closing import OUTCOMES
from kernelgate.report.wrong_results import Folded, Unreadable

_CONSTANT = (
    "the reference gives the same result for every input: a program that reads none would pass as well"
)


@dataclass(frozen=True)
class Checked:
    """`arithmetic`: of the largest error, "" for an exact problem; `coarser`: the same if it is coarser than
    PyTorch's, else ""; `precision`: where that error lies. `gates`: what the cases have shown of them. `other_size`:
    the problem at another size, if the reference takes it; `small`: the run at a small size, if the program is right
    there."""

    cases: list[Case]
    power: Power | None
    arithmetic: str
    coarser: str
    precision: Precision | None
    gates: Gates
    other_size: Reference | None = None
    small: RunContext | None = None


def check(run: RunContext, first: FirstCall, ahead: Callable[[], RunContext | None]) -> Checked:
    """`ahead`: is called once the first verdict is out, and gives the run at a size at which a call costs little, if
    there is one, for the cases that do not need the problem's own. Raises RunEnded if a case that decides fails."""
    return _Check(run, first, ahead=ahead).run()


class _Check:
    """One passage of the stage. `decides`: whether a case that fails ends the run."""

    def __init__(
        self,
        run: RunContext,
        first: FirstCall | None,
        *,
        decides: bool = True,
        ahead: Callable[[], RunContext | None] | None = None,
    ) -> None:
        self._run, self._first, self._gates = run, first, Gates()
        self._decides, self._ahead = decides, ahead
        self._small: RunContext | None = None
        self._accuracy = Accuracy(self._gates, run)
        self._power = MutationScore(run.reference, run.comparer)
        self._largest = LargestError(run.comparer, every_bound=run.reference.pace.level < LONG)
        self._rows: list[Case] = []

    def run(self) -> Checked:
        live = self._run.live
        reference = self._run.reference
        plans = reference.plans
        self._rows = [self._row(plan) for plan in plans]
        live.show(cases=self._rows)
        every = every_value(self._run)
        live.begin("check", len(self._rows) + (every is not None) + len(gates.ALL))
        there: _Check | None = None
        with contextlib.ExitStack() as ended:
            ahead = self._run.has_room_beside and reference.pace.level < SLOW and len(plans) > 1
            other: RunContext | None = None
            for number, (plan, case) in enumerate(zip(plans, list(self._rows), strict=True)):
                if ahead and number == 1:  # the first verdict comes before all else
                    other = ended.enter_context(at_another_size(self._run))
                live.doing(f"Case “{plan.name}”")
                if self._small is not None and not case.own:
                    there = self._begin_small(self._small)
                needed = plan.contract == "problem" and self._power.weak
                if reference.pace.leaves_out_case(plan) and not needed:
                    case.message = reference.pace.why
                elif case.own or there is None or not self._at_small_size(there, case):
                    self._one(plan, case)
                live.step("check")
            if self._small is not None:
                there = self._begin_small(self._small)
            if every is not None:
                self._every_value(every)
            for name, above in above_bounds(self._run) if reference.pace.level < SLOW else ():
                live.doing(f"Case “{name}”")
                self._at_another_size(above, Plan(one_line(name, 60), "problem", "own"))
            live.doing(f"Case “{OTHER_SIZE_PLAN.name}”")
            if reference.pace.level >= SLOW:
                self._rows.append(self._row(OTHER_SIZE_PLAN))
                self._rows[-1].message = reference.pace.why
            elif not ahead:
                other = ended.enter_context(at_another_size(self._run))
            if other is not None and not self._at_another_size(other, OTHER_SIZE_PLAN):
                other = None
        if self._power.constant:
            live.note("check", _CONSTANT)
        largest = self._largest
        return Checked(
            cases=self._rows,
            power=self._power.result(),
            arithmetic=largest.arithmetic,
            coarser=largest.coarser,
            precision=largest.precision(),
            gates=self._gates,
            other_size=other.reference if other is not None else None,
            small=there._run if there is not None else None,
        )

    def _begin_small(self, small: RunContext) -> _Check | None:
        """None if the program is not right there: it takes its own size only, and is judged at that."""
        there = _Check(small, None, decides=False)
        row = there._row(PROBLEM_PLANS[0])
        there._rows = [row]
        with contextlib.suppress(RunEnded):
            there._one(PROBLEM_PLANS[0], row)
        self._small = None
        if row.outcome != "pass":
            return None
        there._gates, there._accuracy, there._largest = self._gates, self._accuracy, self._largest
        self._power = there._power
        return there

    def _at_small_size(self, there: _Check, case: Case) -> bool:
        """Whether that says what a case gives. What would be wrong for the problem is so at its own size alone."""
        plan = next((plan for plan in there._run.reference.plans if plan.name == case.name), None)
        if plan is None or there._run.session.worn_out:
            return False
        row = there._row(plan)
        there._rows = [row]
        with contextlib.suppress(RunEnded):
            there._one(plan, row)
        if not there._rows or row.outcome == "not run" or (row.outcome != "pass" and plan.contract == "problem"):
            return False
        self._rows[next(at for at, one in enumerate(self._rows) if one is case)] = row
        return True

    def _every_value(self, every: EveryValue) -> None:
        if self._run.session.worn_out:
            return
        row = self._row(every.plan)
        self._rows.append(row)
        try:
            with within_memory(row):
                count(row, every.compare())
                row.outcome = "pass"
        except WrongResult as exc:
            assert every.case is not None
            self._wrong(row, every.case, exc)
        except TooManyCalls:
            row.message = "the program takes this shape only, which is too small for so many values"
        except BadParcel as exc:
            end = wrong_result(self._run.candidate, Unreadable(str(exc)), where(row))
            self._interrupted(row, every.plan, end)
        except RunEnded as end:
            self._interrupted(row, every.plan, end)
        if every.beyond is not None:
            row.contract = "drop-in"
            self._wrong(row, *every.beyond)
        self._run.live.step("check")

    def _at_another_size(self, other: RunContext, plan: Plan) -> bool:
        """Whether the reference takes its inputs at that size. Raises RunEnded if it fails and decides."""
        there = _Check(other, None)
        row = there._row(plan)
        there._rows = [row]
        self._rows.append(row)
        try:
            there._one(plan, row)
        except NotJudged as end:
            if end.kind == "timeout":
                raise
            row.outcome, row.message = "not run", one_line(end.sentence, 600)
        if not there._rows:
            self._rows.remove(row)
        return bool(there._rows)

    def _row(self, plan: Plan) -> Case:
        reference = self._run.reference
        leading = torch.empty(plan.shape, device="meta") if plan.shape is not None else None
        dtype = plan.dtype or reference.dtype
        return Case(
            name=plan.name,
            contract=plan.contract,
            shape=one_line(shape_words(reference.own_inputs if leading is None else [leading]), 120),
            dtype=dtype_words(reference.own_inputs, dtype),
            layout=plan.layout,
            distribution=distribution_words(plan.distribution, dtype),
            whole=(count_of(dtype) or 0) if plan.distribution == "every value" else 0,
            seed=case_seed(self._run.seed, plan.name),
            outcome="not run",
            own=plan.distribution in ("own", "again"),
        )

    def _one(self, plan: Plan, row: Case) -> None:
        with within_memory(row, decides=self._decides and plan.contract == "problem"):
            self._run_case(plan, row)

    def _run_case(self, plan: Plan, row: Case) -> None:
        first = self._first.take() if self._first is not None else None
        if self._run.session.worn_out:
            row.message = "too many workers had to be restarted"
            return
        try:
            case = first[0] if first is not None else draw_case(self._run, plan)
        except NotAccepted:
            self._rows.remove(row)  # what the reference does not accept, a candidate need not
            return
        row.shape = one_line(shape_words(case.inputs), 120)
        row.dtype = dtype_words(case.inputs, case.dtype)
        try:
            given = first[1] if first is not None else call_case(self._run, case)
            if isinstance(given, Exception):
                raise given
            result = given
            found = self._accuracy.of(case, result, partial(compared, self._run), shows_rules=self._decides)
            count(row, found)
            if case.expected.state_after and self._run.session.state_loaded:
                how = other_state(self._run.session.state_by_reference_names(), case.expected, self._run.reference)
                self._gates.note(gate_kind.STATE, "drop-in", not how, how)
            if plan.contract == "problem":
                self._largest.note(plan.name, case.expected, found)
            self._observe(case, result)
            row.outcome = "pass"
            if row.own and self._decides:
                self._run.live.send()
            if self._ahead is not None:
                self._small, self._ahead = self._ahead(), None
        except (WrongResult, BadParcel) as exc:
            if leaves_unwritten(self._run, case):
                self._rows.remove(row)  # the inputs determine no result
                return
            self._wrong(row, case, exc)
        except RunEnded as end:
            self._interrupted(row, plan, end)
        most = self._run.reference.pace.mutant_cases
        # Inputs of the problem's kind may hide mistakes, as those of a norm whose mean is large; others show them.
        wanted = plan.contract == "problem" and (most is None or self._power.cases < most)
        right = row.outcome == "pass" and case.dtype == self._run.reference.dtype
        if right and self._small is None and (wanted or self._power.weak):  # a small size shows them for less
            self._power.show(case.inputs, case.expected, result.outputs)

    def _wrong(self, row: Case, case: DrawnCase, exc: WrongResult | BadParcel) -> None:
        run = self._run
        how = exc.how if isinstance(exc, WrongResult) else Unreadable(str(exc))
        row.outcome = "fail"
        say(row, how)
        if isinstance(exc, WrongResult) and exc.comparison is not None:
            count(row, exc.comparison)
            row.first = mismatch(case.inputs, exc, case.expected.values[exc.number])
            redrawn = case.plan.sample is None and not case.plan.whole
            row.redraw = redraw_of(self._run, case.state) if redrawn else None
            if self._decides:
                self._show_precision(case, exc)
                self._show_map(case, exc)
        if self._decides and case.plan.contract == "problem":
            run.live.show(gates=self._gates.rows())
            next_step = parameter_mismatch.other_parameters(run.session, run.reference)
            compared = isinstance(exc, WrongResult) and exc.comparison is not None
            if compared and parameter_mismatch.folded_in_the_constructor(run, case):
                how, next_step = Folded(), ""
            elif compared and is_read_too_early(run, case):
                how, next_step = FINISHED.wrong(), ""
            say(row, how)
            end = wrong_result(run.candidate, how, where(row), next_step)
            if end.failure is not None and row.redraw is not None:
                end.failure.case = row.name
            raise end from None

    def _show_precision(self, case: DrawnCase, exc: WrongResult) -> None:
        """Of a result of the problem that may be wrong by its arithmetic alone."""
        found = exc.comparison
        if case.plan.contract != "problem" or found is None or found.error_units is None or exc.number:
            return
        if not found.unwritten and not found.not_finite:
            self._largest.note(case.plan.name, case.expected, found)
            self._run.live.show(precision=self._largest.precision())

    def _show_map(self, case: DrawnCase, exc: WrongResult) -> None:
        """Of the first case that is wrong; one of the problem's own ends the run, and takes its place."""
        value = case.expected.values[exc.number]
        if exc.got is None or exc.got.shape != value.shape or case.plan.whole:
            return
        if self._run.live.report.error_map is not None and case.plan.contract != "problem":
            return
        with within_memory():  # what is shown decides nothing
            wrong = self._run.comparer.wrong_at(exc.got, case.expected, exc.number)
            if value.is_complex():
                wrong = wrong.any(dim=-1)
            name = case.plan.name
            self._run.live.show(
                error_map=error_map(wrong, name), values=value_pairs(exc.got, value, wrong, name)
            )

    def _interrupted(self, row: Case, plan: Plan, end: RunEnded) -> None:
        """The call raised, crashed or was ended. A case of the drop-in contract survives that."""
        row.message = one_line(end.sentence, 600)
        if (self._decides and plan.contract == "problem") or isinstance(end, NotJudged):
            row.outcome = "fail" if OUTCOMES[end.kind] == "fail" else "not run"
            raise end
        if isinstance(end, OutOfMemory):
            raise end
        row.outcome = "unsupported" if isinstance(end, CandidateRaised) else "fail"
        row.fault = end.cause if isinstance(end.cause, Finding) else None

    def _observe(self, case: DrawnCase, result: Result) -> None:
        answer, expected, contract = result.answer, case.expected, case.plan.contract
        how = changed_words(case.inputs, result, expected.inputs_after)
        written = expected.inputs_after is not None
        self._gates.note(gate_kind.INPUT_WRITTEN if written else gate_kind.INPUT_UNTOUCHED, contract, not how, how)
        self._gates.note(gate_kind.UNALIASED, contract, expected.aliases_input or not answer.aliases_input)
        self._gates.note(gate_kind.NEW_RESULTS, "drop-in", expected.aliases_input or not answer.aliases_earlier)
        # Which format a convolution returns is a choice of PyTorch's that differs between its libraries.
        if not (case.plan.layout == "channels last" and self._run.reference.graded):
            self._gates.note(gate_kind.LAYOUT, "drop-in", same_layout(answer.outputs, expected))
        self._gates.note(gate_kind.RANDOM_NUMBERS, "drop-in", expected.seed is not None or not answer.drew)
