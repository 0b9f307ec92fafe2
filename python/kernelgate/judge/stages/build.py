"""The build stage: the candidate is imported, its ModelNew constructed and called once, since any of these may compile.

In: a candidate that could be read. Out: the result of that call, which is the check's first case; RunEnded if it
does not build. Not here: compiling (`compile`), and what a GPU's compiler says (`judge.stages.device_compile`).
"""

from __future__ import annotations

from kernelgate.check.inputs.cases import PROBLEM_PLANS
from kernelgate.check.problem import ProblemError
from kernelgate.judge.candidate.model_in_worker import Result
from kernelgate.judge.cases.case_call import DrawnCase, call_case, draw_case
from kernelgate.judge.cases.parameter_mismatch import choose_assignment
from kernelgate.judge.endings.reference_failures import unusable
from kernelgate.judge.endings.run_ended import NotJudged, RunEnded
from kernelgate.judge.reference.reference import NotAccepted
from kernelgate.judge.run_context import RunContext
from kernelgate.messages.job import Job
from kernelgate.messages.parcel import BadParcel
from kernelgate.repair.exceptions import explain_inputs
from kernelgate.report import Place, one_line


class FirstCall:
    """A case and what its call gave: a result, or an end that is no failure of the build."""

    def __init__(self, case: DrawnCase, given: Result | RunEnded | BadParcel) -> None:
        self._case: DrawnCase | None = case
        self._given: Result | Exception | None = given if isinstance(given, Result) else given.with_traceback(None)

    def take(self) -> tuple[DrawnCase, Result | Exception] | None:
        """Gives it once, since it takes much memory on a GPU; None afterwards."""
        case, given, self._case, self._given = self._case, self._given, None, None
        return None if case is None or given is None else (case, given)


def build(run: RunContext) -> FirstCall:
    """Raises RunEnded if the candidate cannot be imported, constructed, or built in its first call."""
    plan = PROBLEM_PLANS[0]
    run.session.start()
    run.session.construct(run.reference.dtype)
    failure = explain_inputs(run.candidate, run.job.reference_text)
    if failure is not None:
        raise RunEnded("build", f"Does not run: {failure.what}", failure)
    run.gpu.share()
    run.live.doing(f"Case “{plan.name}”")
    try:
        case = draw_case(run, plan)
    except NotAccepted as exc:
        raise _no_inputs(run, exc) from exc
    if case.expected.is_empty:
        raise _nothing_to_compare(run)
    try:
        choose_assignment(run, case.inputs)
        return FirstCall(case, call_case(run, case))
    except (BadParcel, RunEnded) as end:
        if isinstance(end, RunEnded) and end.kind not in ("wrong", "fault"):
            raise
        return FirstCall(case, end)


def _no_inputs(run: RunContext, exc: NotAccepted) -> RunEnded:
    """The reference refuses its own inputs, or fails on them: there is nothing to compare a candidate with."""
    job, cause, why = run.job, exc.__cause__, str(exc)
    line = run.reference.program.line_of(cause) if cause is not None and not job.inputs else None
    if line is not None:
        said = f": {one_line(why, 400)}" if why.strip() else ""
        what = f"the reference raises {type(cause).__name__}{said}, line {line + job.reference_first_line - 1}"
        error = ProblemError(what, _inputs_step(job, why), line)
        return unusable(error, run.reference.label, job.reference_text, job.reference_first_line)
    refuses = ", ".join(filter(None, ["the reference does not take its own inputs", run.reference.shape]))
    return _not_judged(run.job, refuses, one_line(why.split("\n")[0], 600), _inputs_step(run.job, why))


def _nothing_to_compare(run: RunContext) -> NotJudged:
    """Any program would pass."""
    is_empty = f"the reference's result has no elements, for inputs of {run.reference.shape}"
    where = ", with --input" if run.job.inputs else " in get_inputs()"
    return _not_judged(run.job, is_empty, "Nothing can be compared", f"Give inputs with elements{where}")


def _not_judged(job: Job, why: str, what: str, next_step: str) -> NotJudged:
    where = Place(label=one_line(job.reference_label or "problem.py", 120))
    return NotJudged.here(why, what, next_step, where=where)


def _inputs_step(job: Job, why: str) -> str:
    if not job.inputs:
        return "Correct get_inputs() or Model in the reference program"
    name = job.reference_label or ""
    if "missing" in why and name.replace(".", "_").isidentifier():
        return f"Give each tensor that it takes with --input, and what else it takes in the reference: {name}(dim=...)"
    return "Give inputs that it takes, with --input"
