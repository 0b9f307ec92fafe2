"""The build and check stages, as the judge conducts them: case by case, then gate by gate.

In: a judge with a candidate that could be read. Out: cases, gates and power in the report, and `RunEnded` where a case
or a gate of the contract `problem` fails. The module is built by its first case; a compiler's error there ends the
build stage.
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import torch

from kernelgate.build.diagnostics import explain_inputs
from kernelgate.check.arithmetic import Bounds
from kernelgate.check.cases import DISTRIBUTION_WORDS, PROBLEM_PLANS, Plan, case_seed, draw, drop_in_plans
from kernelgate.check.numerics import Comparison
from kernelgate.judge import gates
from kernelgate.judge.candidate_session import Result, Session
from kernelgate.judge.compare import Comparer, WrongResult, same_memory, same_strides
from kernelgate.judge.expected import Expected
from kernelgate.judge.gates import Gates
from kernelgate.judge.gates.trial import Trial
from kernelgate.judge.mutation_score import PowerTest
from kernelgate.judge.parameter_mismatch import other_parameters
from kernelgate.judge.randomness import CANDIDATE_CALLS, differs_in_distribution
from kernelgate.judge.reference import NotAccepted, Reference, State, shape_words
from kernelgate.judge.run_context import RunContext
from kernelgate.judge.run_ended import RunEnded
from kernelgate.judge.stages.device_compile import second_opinion
from kernelgate.judge.stages.memory_check import Examiner
from kernelgate.judge.stages.sanitize import Sanitizing
from kernelgate.judge.verdict import wrong_result
from kernelgate.messages.parcel import BadParcel
from kernelgate.report import Case, Mismatch, Redraw, one_line
from kernelgate.report.closing import OUTCOMES

_READABLE = "Return an ordinary tensor, dense and with memory of its own"


def check_candidate(judge: RunContext, device: tuple[str, int]) -> tuple[Reference, Comparer]:
    """Builds the candidate, runs all cases and tries all gates; what it was held against. Raises RunEnded."""
    kind, index = device
    tensors = torch.device("cuda", index) if kind == "cuda" else torch.device("cpu")
    reference = Reference(judge.job, tensors, judge.seed)
    report = judge.report
    report.problem.shape = one_line(reference.shape, 120)
    report.problem.full_shape = one_line(reference.full_shape, 120) if reference.full_shape else None
    report.title = one_line(f"{report.problem.name} {reference.shape} {report.problem.dtype}", 120)
    judge.record.send()
    checking = Checking(judge, reference, device)
    checking.run()
    return reference, checking.comparer


class Checking:
    """The state of the two stages."""

    def __init__(self, judge: RunContext, reference: Reference, device: tuple[str, int]) -> None:
        self._judge = judge
        self._reference = reference
        self._session = Session(judge, reference, device)
        self._emulated = device[0] != "cuda"
        self.comparer = Comparer(emulated=self._emulated, allowed=judge.job.allow_arithmetic)
        self._gates = Gates()
        self._examiner = Examiner(judge, reference, device)
        self._sanitizing = Sanitizing(judge, reference, device)
        self._power = PowerTest(reference, self.comparer)
        self._coarsest: tuple[float, Bounds] | None = None
        self._rows: list[Case] = []

    def run(self) -> None:
        try:
            self._check()
        except RunEnded as end:
            raise self._sanitizing.explained(self._examiner.explained(end)) from None
        self._examiner.after_a_pass()
        self._sanitizing.after_a_pass()
        self._finish()

    def _check(self) -> None:
        reference, report, record = self._reference, self._judge.report, self._judge.record
        plans = list(PROBLEM_PLANS)
        if reference.template is not None:
            plans += drop_in_plans(reference.template, any_shape=reference.any_shape)
        else:
            plans = plans[:1]
        self._session.start()
        self._session.construct(reference.dtype)
        failure = explain_inputs(self._judge.candidate)
        if failure is not None:
            raise RunEnded("build", f"Does not run: {failure.what}", failure)

        self._rows = [self._row(plan) for plan in plans]
        for number, (plan, case) in enumerate(zip(plans, list(self._rows), strict=True)):
            report.progress = f"Case “{plan.name}”"
            record.tick()
            self._one(plan, case)
            self._built()
            record.stage("check").done = number + 1
        report.power = self._power.result()
        self._try_gates()

    def _finish(self) -> None:
        report, record = self._judge.report, self._judge.record
        if self._coarsest is not None:
            units, bounds = self._coarsest
            report.arithmetic = bounds.grade(units) or ""
        stage = record.stage("check")
        stage.done = stage.total = len(report.cases) + len(report.gates)
        record.end("check", passed=True)

    def _built(self) -> None:
        """The first call is over, well or badly: the build has ended, and all that is to be checked is known. Raises
        RunEnded where the program builds for the CPU alone."""
        report, record = self._judge.report, self._judge.record
        if record.stage("check").state == "waiting":
            second_opinion(self._judge, emulated=self._emulated)
            record.end("build", passed=True)
            record.stage("build").done = 1
            report.cases = self._rows
            record.begin("check", len(self._rows) + len(gates.ALL))

    def _row(self, plan: Plan) -> Case:
        """A case that has not been run."""
        reference = self._reference
        shaped = [
            torch.empty(plan.shape, device="meta")
            if plan.shape is not None and isinstance(v, torch.Tensor) and v.is_floating_point()
            else v
            for v in reference.own_inputs
        ]
        return Case(
            name=plan.name,
            contract=plan.contract,
            shape=one_line(shape_words(shaped), 120),
            dtype=str(plan.dtype or reference.dtype).removeprefix("torch."),
            layout=plan.layout,
            distribution=DISTRIBUTION_WORDS[plan.distribution],
            seed=case_seed(self._judge.seed, plan.name),
            outcome="not run",
        )

    def _one(self, plan: Plan, case: Case) -> None:
        """Runs one case and fills in its row. Raises RunEnded if it fails and decides."""
        reference = self._reference
        dtype = plan.dtype or reference.dtype
        state: State = "integers" if plan.distribution == "integers" and self._exact_sums else "own"
        inputs = draw(plan, reference.own_inputs, case.seed, reference.dtype, graded=reference.graded)
        if self._session.worn_out:
            case.message = "too many workers had to be started anew"
            return
        try:
            expected = reference.expected(inputs, dtype, state)
        except NotAccepted:
            self._rows.remove(case)  # what the reference does not accept, a candidate need not
            return
        try:
            self._session.construct(dtype, state)
            doing = f"calling ModelNew on case “{plan.name}”"
            result = self._session.call(inputs, doing, seed=expected.seed)
            self._built()
            try:
                found = self.comparer.check(result, expected, inputs)
            except WrongResult:
                if expected.seed is None or not expected.value.is_floating_point():
                    raise
                found = self._in_distribution(plan, inputs, expected, expected.seed, state)
            self._count(case, found)
            if expected.state_after and self._session.state_loaded:
                self.comparer.check_state(self._session.state(), expected)
            self._grade(plan, found, expected)
            self._observe(plan, result, inputs, expected)
            case.outcome = "pass"
        except (WrongResult, BadParcel) as exc:
            self._wrong(case, plan, exc, inputs, expected, state)
        except RunEnded as end:
            self._interrupted(case, plan, end)
        if plan.contract == "problem" and case.outcome == "pass":
            self._power.show(inputs, expected)

    def _in_distribution(
        self, plan: Plan, inputs: list[Any], expected: Expected, seed: int, state: State
    ) -> Comparison:
        """A result that differs, of a reference that draws random numbers: by its distribution over several calls.
        Raises WrongResult."""
        doing = f"calling ModelNew on case “{plan.name}” again"

        def candidate(seed: int) -> torch.Tensor:
            outputs = self._session.call(inputs, doing, seed=seed).outputs
            if not outputs or outputs[0].dtype != expected.value.dtype:
                raise WrongResult("it does not return the reference's form in every call")
            return outputs[0].clone()

        reference = functools.partial(self._reference.result_for, inputs, expected.value.dtype, state)
        words = differs_in_distribution(reference, candidate, seed)
        if words is not None:
            raise WrongResult(words, next_step="Draw the random numbers that the reference draws, as often")
        self._judge.record.stage(
            "check"
        ).note = (
            f"results are random: compared by mean, spread, zeros and values over {CANDIDATE_CALLS} calls"
        )
        return Comparison(0, expected.value.numel(), max_ulp=None)

    @property
    def _exact_sums(self) -> bool:
        """Whether small integers for parameters can be asked of the candidate."""
        return self._reference.graded and self._reference.has_state and self._session.state_loaded

    def _wrong(
        self,
        case: Case,
        plan: Plan,
        exc: WrongResult | BadParcel,
        inputs: list[Any],
        expected: Expected,
        state: State,
    ) -> None:
        self._built()
        how = str(exc) if isinstance(exc, WrongResult) else f"the result cannot be read: {exc}"
        case.outcome = "fail"
        case.message = one_line(how, 600)
        if isinstance(exc, WrongResult) and exc.comparison is not None:
            self._count(case, exc.comparison)
            case.first = _mismatch(inputs, exc, expected.values[exc.number])
            case.redraw = self._redraw(state)
        if plan.contract == "problem":
            self._judge.report.gates = self._gates.rows()
            next_step = exc.next_step if isinstance(exc, WrongResult) else _READABLE
            next_step = other_parameters(self._session, self._reference) or next_step
            end = wrong_result(self._judge.candidate, how, self._where(case), next_step)
            if end.failure is not None and case.redraw is not None:
                end.failure.case = case.name
            raise end from None

    def _redraw(self, state: State) -> Redraw | None:
        job = self._judge.job
        redraw = Redraw(
            problem=job.problem,
            sizes=self._reference.sizes,
            parameters="integers" if state == "integers" else "own",
            allow_arithmetic=job.allow_arithmetic,
        )
        return redraw if len(redraw.sizes) <= 64 and all(len(name) <= 120 for name in redraw.sizes) else None

    def _interrupted(self, case: Case, plan: Plan, end: RunEnded) -> None:
        """The call raised, crashed or was ended. A case of the drop-in contract survives that."""
        if end.kind in ("wrong", "fault"):
            self._built()
        if plan.contract == "problem" or end.ends_run:
            case.outcome = "fail" if OUTCOMES[end.kind] == "fail" else "not run"
            case.message = one_line(end.sentence, 600)
            raise end
        case.outcome = "unsupported" if end.worker_lives else "fail"
        case.message = one_line(end.sentence, 600)

    def _count(self, case: Case, found: Comparison) -> None:
        case.total, case.wrong = found.total, found.wrong
        case.max_ulp, case.error_units = found.max_ulp, found.error_units

    def _grade(self, plan: Plan, found: Comparison, expected: Expected) -> None:
        """Keeps the error of the problem's cases that is furthest from what fp32 makes."""
        if plan.contract != "problem" or found.error_units is None:
            return  # equal bit for bit
        grade = expected.grade
        if grade is None or grade.exact_sums or not grade.bounds.products:
            return
        units, bounds = found.error_units, grade.bounds
        if self._coarsest is None or (
            units / bounds.fp32_limit > self._coarsest[0] / self._coarsest[1].fp32_limit
        ):
            self._coarsest = units, bounds

    def _observe(self, plan: Plan, result: Result, inputs: list[Any], expected: Expected) -> None:
        """The gates that every case shows."""
        answer = result.answer
        untouched = not answer.inputs_changed and same_memory(inputs, result.inputs)
        self._gates.note(gates.UNTOUCHED, plan.contract, untouched)
        reused = (answer.aliases_input or answer.aliases_earlier) and not expected.aliases_input
        self._gates.note(gates.UNALIASED, plan.contract, not reused)
        pairs = zip(answer.outputs, expected.values, strict=False)
        self._gates.note(gates.LAYOUT, "drop-in", all(same_strides(*pair) for pair in pairs))

    def _try_gates(self) -> None:
        report, record, session = self._judge.report, self._judge.record, self._session
        self._end_at_a_failure()
        trial = Trial(session, self._reference, self.comparer, self._judge.seed)
        if self._reference.template is None:
            return
        self._note_operators(trial)
        for kind, attempt in gates.ALL:
            report.progress = f"Gate “{kind.name}”"
            record.stage("check").done += 1
            record.tick()
            if session.worn_out:
                break
            with contextlib.suppress(RunEnded):  # what it raises now, it raises in the gate as well
                session.construct(self._reference.dtype)
            self._gates.try_one(kind, attempt, trial)
            if trial.output_reused:
                self._gates.note(gates.UNALIASED, "problem", holds=False)
            self._end_at_a_failure()
        report.gates = self._gates.rows()

    def _note_operators(self, trial: Trial) -> None:
        """Which operators of PyTorch do the work. It decides nothing, and so nothing that goes wrong here does."""
        with contextlib.suppress(RunEnded, BadParcel):
            self._session.construct(self._reference.dtype)
            seen = self._session.call(trial.inputs("operators"), "calling ModelNew", manner="observed")
            names = [one_line(name, 120) for name in seen.answer.operators[:32]]
            self._judge.report.candidate.operators = names

    def _end_at_a_failure(self) -> None:
        """Raises RunEnded where a gate of the contract `problem` does not hold."""
        failed = self._gates.first_failure("problem")
        if failed is None:
            return
        _kind, gate = failed
        self._judge.report.gates = self._gates.rows()
        raise wrong_result(self._judge.candidate, gates.gate_words(gate), gate.message, gates.gate_mend(gate))

    def _where(self, case: Case) -> str:
        words = f"Case “{case.name}” ({case.shape} {case.dtype}, {case.distribution})"
        if case.first is None:
            return words
        given = f" for input {case.first.input}" if case.first.input is not None else ""
        return (
            f"{words}: {case.wrong:,} of {case.total:,} elements differ; the first is {case.first.index}: "
            f"got {case.first.got}, expected {case.first.expected}{given}"
        )


def _mismatch(inputs: list[Any], exc: WrongResult, expected: torch.Tensor) -> Mismatch | None:
    found, got = exc.comparison, exc.got
    if found is None or found.first is None or got is None:
        return None
    index: list[int] = []
    left = found.first
    for size in reversed(expected.shape):
        index.insert(0, left % size)
        left //= size
    given = None
    tensors = [v for v in inputs if isinstance(v, torch.Tensor)]
    if len(tensors) == 1 and tensors[0].shape == expected.shape:
        given = _number(tensors[0][tuple(index)])
    return Mismatch(
        index=one_line(str(index), 120),
        input=given,
        got=_number(got[tuple(index)]),
        expected=_number(expected[tuple(index)]),
    )


def _number(value: torch.Tensor) -> str:
    """A number with as many digits as tell it from its neighbours."""
    with contextlib.suppress(TypeError):
        digits = {torch.float64: 17, torch.float32: 9}.get(value.dtype, 5)
        return f"{float(value):.{digits}g}"
    return one_line(str(value.item()), 60)
