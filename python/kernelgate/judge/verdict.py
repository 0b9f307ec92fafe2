"""The verdict: from cases and gates to one sentence and the three facts.

In: a report whose stages have run. Out: its verdict. The sentence is about the contract asked for, and adds what a
user would trip over in the other one.
"""

from __future__ import annotations

from kernelgate.backend.target import Target
from kernelgate.check.inputs.cases import NOT_FINITE, OTHER_SIZE_PLAN, RANKS, Plan
from kernelgate.check.tolerance.arithmetic import ORDER
from kernelgate.judge.comparison.mutation_score import too_weak
from kernelgate.judge.endings.findings import strays
from kernelgate.judge.endings.run_ended import RunEnded
from kernelgate.judge.gates import gate_words, is_silent
from kernelgate.messages.job import DTYPES
from kernelgate.program import Candidate
from kernelgate.repair import kernel_fixes, python_fixes, triton_fixes
from kernelgate.repair.edits import Fix
from kernelgate.repair.exceptions import with_fix
from kernelgate.report import Case, Fact, Failure, Finding, Gate, Place, Report, Verdict, one_line
from kernelgate.report.device_words import compiled_fact
from kernelgate.report.measured import Timing
from kernelgate.report.speed_words import faster_fact, headline, limit_fact, unclear_step, with_speed
from kernelgate.report.wording import case_result, lower_first, values, why_scaled
from kernelgate.report.wrong_results import NotOneTensor, OtherDtype, OtherShape, Wrong
from kernelgate.report.wrong_values import CoarserProducts, IgnoresStrides, Slope


def wrong_result(candidate: Candidate, how: Wrong, what: str, next_step: str = "") -> RunEnded:
    """The end of a run by a wrong result. `next_step`: what the judge knows of its cause, in place of what is usual."""
    usual = f"Fix the {'kernel' if candidate.kernels else 'program'} for the case named here, then verify again"
    failure = _of_the_check(what, next_step or how.next_step or usual, candidate.place(None))
    end = RunEnded("wrong", f"Wrong result: {how.words}", failure, how)
    found = _fix_of(candidate, how, known=bool(next_step))
    if found is not None:
        end.without_guess = failure.where, failure.next_step
        fix, line = found
        failure.where = candidate.place(line)
        with_fix(failure, fix)
    return end


def _fix_of(candidate: Candidate, how: Wrong, *, known: bool) -> tuple[Fix, int] | None:
    """The fix for what may be the cause, and its line. `known`: the cause is, and no change of the kernel ends it."""
    match how:
        case NotOneTensor() | OtherDtype() | OtherShape():
            return python_fixes.in_wanted_form(candidate, how)
        case IgnoresStrides() if not (known or how.next_step):
            return kernel_fixes.contiguous_inputs(candidate)
        case CoarserProducts() if candidate.triton_kernels:
            return triton_fixes.exact_products(candidate)
        case Slope():
            return kernel_fixes.constant(candidate, how.got, how.wanted)
    return None


_LAYOUTS = {"transposed", "strided slice", "expanded"}
_IMAGES = "channels last"


def drop_in_obstacle(report: Report) -> str | None:
    """What keeps the candidate from being a drop-in, as half a sentence; None if nothing was found."""
    rest = [case for case in report.cases if case.contract == "drop-in"]
    wrong = [case for case in rest if case.outcome == "fail"]
    silent = _silent_beside(wrong, report)
    if silent is not None:
        return ", and ".join([gate_words(silent), *([_wrong_cases(wrong)] if wrong else [])])
    if wrong:
        return _wrong_cases(wrong)
    fault = drop_in_fault(report)
    if fault is not None:
        return f"{lower_first(fault.title) or 'a fault'} on other inputs than this problem's"
    for gate in report.gates:
        if gate.outcome == "fail":
            return gate_words(gate)
    refused = [case for case in rest if case.outcome == "unsupported"]
    if refused:
        return f"does not support {_names(refused)}"
    for gate in report.gates:
        if gate.outcome == "unsupported":
            return gate_words(gate)
    return None


def _silent_beside(wrong: list[Case], report: Report) -> Gate | None:
    """A gradient that is wrong and says nothing, if what is wrong in the cases beyond the problem shows by itself: it
    does more harm."""
    if any(case.total or case.fault is None or strays(case.fault) for case in wrong):
        return None
    return next(filter(is_silent, report.gates), None)


def untried(report: Report) -> str:
    """Why some of what a drop-in must do was not tried, and what a person can do about it; "" if all was."""
    rest = [case for case in report.cases if case.contract == "drop-in"]
    left = [case for case in rest if case.outcome == "not run"]
    if not left:
        return ""
    why = {case.message for case in left}
    count = f"{len(left)} of {len(rest)} cases beyond the problem were not run"
    return f"{count}: {why.pop()}" if len(why) == 1 else f"{count}; each says why"


def drop_in_fault(report: Report) -> Finding | None:
    """A fault that was found for certain, on an input beyond the problem."""
    for memory_check in (report.memory_check, report.sanitizer):
        for finding in memory_check.findings if memory_check is not None else []:
            if finding.certain and finding.contract == "drop-in":
                return finding
    return None


def _wrong_cases(wrong: list[Case]) -> str:
    """illegal memory access on odd sizes, and wrong on strided input"""
    ended = [case for case in wrong if case.fault is not None]
    swallows = [
        case for case in wrong if case.kind == "nan_swallowed" and (case.name == NOT_FINITE or case.whole)
    ]
    rest = [case for case in wrong if case.fault is None and case not in swallows]
    parts = []
    if ended:
        titles = {lower_first(case.fault.title) for case in ended if case.fault is not None}
        parts.append(f"{titles.pop() if len(titles) == 1 else 'faults'} on {_names(ended)}")
    valued = [case for case in rest if case.total or case.first or not case.message]
    if rest:
        parts.append(f"{'wrong' if valued else 'fails'} on {_names(valued or rest)}")
    if swallows:
        parts.append("NaN is not passed on")
    return ", and ".join(parts)


def _names(cases: list[Case]) -> str:
    ignores_strides = {case.name for case in cases} >= _LAYOUTS
    named = [case for case in cases if not ignores_strides or case.name not in {*_LAYOUTS, _IMAGES}]
    words = list(dict.fromkeys(map(_case_words, sorted(named, key=_later))))
    if ignores_strides:
        words.append("strided input")
    if len(words) > 3:
        return f"{', '.join(words[:2])} and {len(words) - 2} more"
    return " and ".join(words) if len(words) < 3 else f"{words[0]}, {words[1]} and {words[2]}"


def _later(case: Case) -> int:
    """A program meets other sizes before other ranks; channels last is a layout of rank 4."""
    return 2 if case.name == _IMAGES else int(case.name in RANKS)


def _case_words(case: Case) -> str:
    return f"size {case.shape}" if case.name == OTHER_SIZE_PLAN.name else Plan(case.name, "drop-in").words


_SAME_DISTRIBUTION = "the same distribution as far as some calls show"


def conclude(report: Report, target: Target) -> tuple[Verdict, list[Fact]]:
    """The verdict of a run whose problem cases have all passed."""
    emulated = target.emulated
    obstacle = drop_in_obstacle(report)
    evidence = _evidence(report, separately=obstacle is not None)
    support: list[str] = []
    if report.problem.full_shape is not None:
        support.append(
            f"{report.problem.name} {report.problem.shape}, scaled down from {report.problem.full_shape} "
            f"{why_scaled(report)}."
        )

    if report.power is not None and too_weak(report.power):
        caught = f"this check catches {report.power.caught} of {report.power.total} mutants"
        support.insert(0, f"It did not catch: {', '.join(report.power.slipped)}.")
        verdict = Verdict(outcome="unclear", kind="weak", sentence=f"Unclear: {caught}", support=_bounded(support))
        return verdict, _facts(report, "Unclear", caught, emulated)
    if obstacle is not None and report.contract == "drop-in":
        sentence = f"Not a drop-in: {obstacle}"
        verdict = Verdict(outcome="fail", kind="wrong", sentence=sentence, support=_bounded(support))
        return verdict, _facts(report, f"No: {obstacle}", evidence, emulated)
    left = untried(report) if obstacle is None else ""
    if left and report.contract == "drop-in":
        sentence = one_line(f"Unclear whether it is a drop-in: {left}", 600)
        verdict = Verdict(outcome="unclear", kind="weak", sentence=sentence, support=_bounded(support))
        return verdict, _facts(report, "Unclear", left, emulated)
    right = "For this problem only" if obstacle is not None else "For this problem" if left else "Yes"
    if obstacle is not None:
        sentence = f"Correct for this problem; not a drop-in: {obstacle}"
    elif left:
        sentence = "Correct for this problem"
        support.insert(0, f"Not known whether it is a drop-in: {left}.")
    else:
        replaces = report.problem.replaces
        sentence = f"Correct, and a drop-in{f' for {replaces}' if replaces else ''}"
    if emulated:
        if obstacle is None:
            sentence = f"Correct{' for this problem' if left else ''} in emulation; timing not measured"
        else:
            support.insert(0, "Checked in emulation on the CPU; timing not measured.")
    if report.timing is not None and headline(report.timing) is not None:
        if obstacle is None:
            support.insert(0, f"{sentence}.")
            sentence = with_speed("Correct for this problem" if left else "Correct", report.timing)
        else:
            sentence = f"{with_speed('Correct for this problem', report.timing)}; not a drop-in: {obstacle}"
        support = [*filter(None, [unclear_step(report.timing)]), *support]
    ended = [case.fault for case in report.cases if case.contract == "drop-in" and case.outcome == "fail"]
    verdict = Verdict(
        outcome="pass",
        kind="pass",
        sentence=one_line(sentence, 600),
        support=_bounded(support),
        obstacle=one_line(obstacle or "", 600),
        strays=any(map(strays, [*ended, drop_in_fault(report)])),  # at this size it passes by luck
        untried=one_line(left, 600),
    )
    return verdict, _facts(report, f"{right}, {_accuracy(report)}", evidence, emulated, report.timing)


def _accuracy(report: Report) -> str:
    if any(case.by_distribution for case in report.cases):
        return _SAME_DISTRIBUTION
    if all(case.error_units is None and not (case.outcome == "pass" and case.max_ulp) for case in report.cases):
        return "bitwise equal"
    name = report.arithmetic or report.problem.dtype
    return f"at {name} accuracy" if name in (*ORDER, *DTYPES) else "within rounding"


def _evidence(report: Report, *, separately: bool) -> str:
    """15 of 15 cases, values sampled, 3 of 3 gates. `separately`: 5 of 5 cases, beyond it 1 of 10, values sampled,
    3 of 3 gates."""
    gates = sum(gate.outcome == "pass" for gate in report.gates)
    tried = sum(gate.outcome != "not run" for gate in report.gates)
    own = [case for case in report.cases if case.contract == "problem"]
    beyond = [case for case in report.cases if case.contract != "problem"]
    parts = [f"{_passed(report.cases)} cases"]
    if separately and beyond:
        parts = [f"{_passed(own)} cases", f"beyond it {_passed(beyond)}"]
    parts.append(values(report.cases, report.problem.dtype))
    return ", ".join([*parts, f"{gates} of {tried} gates"])


def _passed(cases: list[Case]) -> str:
    return f"{sum(case.outcome == 'pass' for case in cases)} of {len(cases)}"


def obstacle_failure(report: Report) -> Failure | None:
    """What to do where every case of the problem passed and something is wrong all the same: with the check, or, beyond
    the problem, with the program. A property that a drop-in has and this program lacks is no mistake of a program that
    was asked for the problem alone."""
    assert report.verdict is not None
    if report.verdict.outcome == "unclear":
        if report.power is None or not too_weak(report.power):
            step = "Verify it where there is more memory, at smaller sizes, or with --contract problem"
            return _of_the_check(report.verdict.sentence, step)
        what = "The inputs and the tolerance of this problem let mistakes pass, so a pass would say little"
        return _of_the_check(what, "Give a reference with inputs on which mistakes show, or another --dtype")
    fault = drop_in_fault(report)
    wrong = [case for case in report.cases if case.contract == "drop-in" and case.outcome == "fail"]
    if fault is not None:
        what = f"{fault.sentence}. It happened on an input beyond this problem"
        return _of_the_check(what, fault.next_step, fault.where)
    if report.verdict.outcome == "pass":
        examined = report.memory_check is not None and report.memory_check.state != "not run"
        silent = _silent_beside(wrong, report)
        if silent is not None:
            step = "Fix what is named here, if the program is to be a drop-in"
            return _of_the_check(f"{silent.name}: {silent.message}", step)
        return _case_beyond(wrong[0], examined=examined) if wrong else None
    found: list[Case | Gate] = [*report.cases, *report.gates]
    named = [f for f in found if f.contract == "drop-in" and f.outcome in ("fail", "unsupported")]
    # What is wrong is worse than what is refused, as in the headline.
    first = min(named, key=lambda f: f.outcome != "fail", default=None)
    what = f"{first.name}: {first.message}" if first is not None else report.verdict.sentence
    step = "Fix what is named here, or ask for less with --contract problem"
    return _of_the_check(what, step, case=first if isinstance(first, Case) else None)


def _of_the_check(what: str, next_step: str, where: Place | None = None, case: Case | None = None) -> Failure:
    """`case`: in which it happened."""
    name = case.name if case is not None and case.redraw is not None else None
    return Failure(stage="check", what=one_line(what, 600), where=where, next_step=next_step, case=name)


def _case_beyond(case: Case, *, examined: bool) -> Failure:
    """Values that are wrong, or a fault. `examined`: the memory check has run, so that it need not be asked for."""
    fault = case.fault
    how = case.message if fault is not None else case_result(case)
    what = f"Case “{case.name}” ({case.shape} {case.dtype}), beyond this problem: {how}"
    step = "Fix the case named here, if the program is to be a drop-in"
    if fault is not None and fault.where is not None and fault.where.line is not None:
        step = fault.next_step
    elif fault is not None and not examined:
        step = "Verify again with --examine, which looks at every access and names the line"
    return _of_the_check(what, step, case=case)


def _bounded(support: list[str]) -> list[str]:
    return [one_line(words, 600) for words in support[:3]]


def _facts(
    report: Report, answer: str, evidence: str, emulated: bool, timing: Timing | None = None
) -> list[Fact]:
    """With what is known: of a speed that nobody measured, once why; what a GPU's compiler says, if none runs it."""
    correct = Fact(question="Correct?", answer=one_line(answer, 600), evidence=evidence)
    if timing is not None and timing.rows:
        return [correct, faster_fact(timing), limit_fact(timing)]
    why = "emulation says nothing about speed" if emulated else "verify does not time"
    why = timing.note if timing is not None and timing.note else why
    facts = [correct, Fact(question="Faster?", answer="Not measured", evidence=why, measured=False)]
    compiled = compiled_fact(report.device_code) if report.device_code is not None else None
    return facts if compiled is None else [*facts, compiled]
