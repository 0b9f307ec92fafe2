"""Phrases of a report that text and HTML share.

In: a `Report`, or a record of it.
Out: plain phrases, not escaped, not bounded; "" if there is nothing to say.
Not here: the verdict's own sentence (`judge.verdict` writes it), layout (`report.text`, `report.html`).
"""

from __future__ import annotations

from collections.abc import Sequence

from kernelgate.report import numbers
from kernelgate.report.bounded import one_line
from kernelgate.report.types import (
    Build,
    Case,
    Contract,
    Environment,
    Fact,
    Failure,
    Gate,
    MemoryCheck,
    Mismatch,
    Outcome,
    Place,
    Power,
    Report,
    Stage,
    StageName,
    VerdictKind,
)

KILLED = "a kill, as the system does when memory runs out"
NO_KERNEL = "contains no CUDA kernel"
NO_KERNEL_RAN = "no CUDA kernel of this program ran"
KERNELS_DO_NOT_MATTER = "its CUDA kernels do not matter: without them the result is the same"

_DOING: dict[StageName, str] = {
    "build": "compiling",
    "check": "checking",
    "time": "timing",
    "profile": "profiling",
}
_CASE_OUTCOMES: dict[Outcome, str] = {
    "pass": "pass",
    "fail": "fail",
    "unsupported": "not supported",
    "not run": "not run",
}
_GATE_OUTCOMES: dict[Outcome, str] = {
    "pass": "hold",
    "fail": "fail",
    "unsupported": "not supported",
    "not run": "not tried here",
}
_SHORT: dict[VerdictKind, str] = {
    "read": "cannot be read",
    "build": "does not build",
    "wrong": "wrong result",
    "fault": "memory fault or crash",
    "weak": "unclear",
    "timeout": "timed out",
    "cancelled": "cancelled",
    "refused": "not covered in emulation",
    "environment": "could not run here",
    "internal": "no verdict",
    "profiled": "profiled",
}


def lower_first(sentence: str) -> str:
    """`sentence` to follow a word. A name keeps its capital: CUDA, KernelGate, SyntaxError, C++."""
    first = sentence.partition(" ")[0]
    return sentence[:1].lower() + sentence[1:] if first == "A" or first[1:].islower() else sentence


def upper_first(phrase: str) -> str:
    return phrase[:1].upper() + phrase[1:]


def device(report: Report) -> str:
    return report.device.name


def ran_nowhere(report: Report) -> bool:
    """Whether the candidate has not reached a device, or never did, so that its place says more."""
    if report.verdict is None:
        return report.device.kind == "none"
    return report.verdict.kind in ("read", "build")


def place(where: Place) -> str:
    """cell [4], line 33"""
    return where.label if where.line is None else f"{where.label}, line {where.line}"


def scaled(report: Report) -> str:
    """From which shape the problem was scaled down, where anything ran."""
    full = report.problem.full_shape
    idle = ("read", "build", "refused", "environment", "internal")
    if full is None or full == report.problem.shape or (report.verdict and report.verdict.kind in idle):
        return ""
    return f"from {full}, {why_scaled(report)}"


def why_scaled(report: Report) -> str:
    """Why the problem was scaled down, as the end of a sentence."""
    usual = "to run on the CPU" if report.device.kind == "emulated" else "to fit into the memory of the device"
    return report.problem.scaled_for or usual


_SAYS_NOTHING = ("read", "environment", "internal", "cancelled", "profiled")


def no_kernel(report: Report) -> str:
    """Says that the candidate holds no CUDA kernel, that none of its kernels ran, or that they do not matter."""
    candidate = report.candidate
    if report.verdict is None or report.verdict.kind in _SAYS_NOTHING:
        return ""
    if not candidate.cuda_kernels:  # one that a macro defines has no name in the text, and yet is launched
        return "" if candidate.launches else NO_KERNEL
    if candidate.launches == 0:
        why = candidate.caught_build or "none was launched in the call that was watched"
        return one_line(f"{NO_KERNEL_RAN}: {why}", 600)
    return KERNELS_DO_NOT_MATTER if candidate.kernels_matter is False else ""


def drop_in(report: Report) -> str:
    """Why a candidate that is right for its problem is not a drop-in, or why that is not known."""
    verdict = report.verdict
    if verdict is None or not (verdict.obstacle or verdict.untried):
        return ""
    return f"no: {verdict.obstacle}" if verdict.obstacle else f"not known: {verdict.untried}"


def ended_by(report: Report) -> Failure | None:
    """The failure that kept a run from a pass; None if it is one of inputs beyond the problem."""
    return None if report.verdict is not None and report.verdict.outcome == "pass" else report.failure


def yes_to(fact: Fact) -> str:
    """The answer to follow a word that says yes: "bitwise equal"."""
    return lower_first(fact.answer.removeprefix("Yes").lstrip(", "))


def fact_answer(fact: Fact) -> str:
    """Yes, bitwise equal: 16 of 16 cases; Yes, 1.010x faster than PyTorch eager (95% CI 1.009x to 1.011x)"""
    if not fact.evidence:
        return fact.answer
    in_figures = fact.measured and fact.question != "Correct?"
    return f"{fact.answer} ({fact.evidence})" if in_figures else f"{fact.answer}: {fact.evidence}"


def not_run(report: Report) -> str:
    """The stages that a finished run did not come to."""
    return ", ".join(stage.name for stage in report.stages if stage.state in ("waiting", "not run"))


def finished(report: Report) -> str:
    """What is kept of a run that did not come to its end: "build (900 ms), 9 of 15 checks"."""
    parts = []
    for stage in report.stages:
        if stage.state == "passed":
            parts.append(f"{stage.name} ({numbers.duration(stage.seconds)})")
        elif stage.done and stage.name == "check" and stage.state != "running":
            parts.append(f"{numbers.count_of(stage.done, stage.total)} checks")
    return ", ".join(parts)


def running_stage(report: Report) -> Stage | None:
    return next((stage for stage in report.stages if stage.state == "running"), None)


def doing(report: Report) -> str:
    """What a running report is at: "checking, 9 of 15"."""
    stage = running_stage(report)
    count = stage_count(stage) if stage is not None else ""
    return ", ".join(filter(None, [doing_now(report), count]))


def doing_now(report: Report) -> str:
    """The same without a count: "checking", or the first verdict once the problem's own inputs are compared."""
    stage = running_stage(report)
    if stage is None:
        return "waiting to start"
    own = [case for case in report.cases if case.own and case.contract == "problem"]
    if stage.name == "check" and own and all(case.outcome == "pass" for case in own):
        return "right on the problem's own inputs; checking others"
    return _DOING[stage.name]


def stage_count(stage: Stage) -> str:
    """9 of 15"""
    return numbers.count_of(stage.done, stage.total) if stage.total > 1 else ""


def case_error(case: Case) -> str:
    if case.error_units is not None:
        return numbers.error_units(case.error_units)
    return "" if case.max_ulp is None else numbers.ulp(case.max_ulp)


def case_result(case: Case) -> str:
    """wrong: 98,301 of 196,608 elements; first [0, 1]: got -0.2934, expected -0.002934"""
    return ": ".join(filter(None, [case_outcome(case), case_details(case)]))


def case_outcome(case: Case) -> str:
    return "wrong" if case.outcome == "fail" and case.wrong else _CASE_OUTCOMES[case.outcome]


def case_details(case: Case) -> str:
    """98,301 of 196,608 elements; first [0, 1]: got -0.2934, expected -0.002934"""
    details = []
    if case.outcome == "fail" and case.wrong:
        details.append(f"{numbers.count_of(case.wrong, case.total)} elements")
    if case.first is not None:
        details.append(first_wrong(case.first))
    if case.message:
        details.append(case.message)
    return "; ".join(details)


def first_wrong(found: Mismatch) -> str:
    """first [0, 1]: got -0.2934, expected -0.002934"""
    return f"first {found.index}: got {found.got}, expected {found.expected}"


def values(cases: Sequence[Case], dtype: str) -> str:
    """Whether every number of the problem's format was compared: "all 4,294,967,296 float32 values"."""
    whole = next((case for case in cases if case.dtype == dtype and case.whole), None)
    if whole is None or whole.outcome != "pass":
        return "values sampled"
    return f"all {numbers.thousands(whole.whole)} {dtype} values"


def is_exact(case: Case) -> bool:
    """Whether the case is judged bit by bit, and came out so."""
    return case.outcome == "pass" and case.error_units is None and not case.max_ulp and not case.by_distribution


def gate_outcome(gate: Gate) -> str:
    return {"pass": "holds", "fail": "does not hold"}.get(gate.outcome, _GATE_OUTCOMES[gate.outcome])


def gate_result(gate: Gate) -> str:
    return ": ".join(filter(None, [gate_outcome(gate), gate.message]))


def cases_conclusion(cases: Sequence[Case], things: str = "") -> str:
    """3 of 5 pass, 1 fail, 1 not run; `things` is "cases " if no heading names them."""
    return _conclusion([case.outcome for case in cases], _CASE_OUTCOMES, len(cases), things)


def gates_conclusion(gates: Sequence[Gate], things: str = "") -> str:
    """4 of 6 hold, 2 not supported, 5 not tried here: what was not tried counts on neither side."""
    outcomes = [gate.outcome for gate in gates]
    return _conclusion(outcomes, _GATE_OUTCOMES, len(outcomes) - outcomes.count("not run"), things)


def _conclusion(outcomes: Sequence[Outcome], words: dict[Outcome, str], of: int, things: str) -> str:
    parts = [f"{numbers.count_of(outcomes.count('pass'), of)} {things}{words['pass']}"]
    for outcome, word in words.items():
        if outcome != "pass" and outcome in outcomes:
            parts.append(f"{numbers.thousands(outcomes.count(outcome))} {word}")
    return ", ".join(parts)


def power(found: Power | None) -> str:
    """catches 9 of 10 mutants"""
    if found is None or not found.total:
        return ""
    return f"catches {numbers.count_of(found.caught, found.total)} mutants"


def correctness(report: Report) -> str:
    """11 of 14 cases pass, 3 not supported; fp32 accuracy; 10 of 13 gates hold, 3 not tried here; 5 remarks"""
    cases, gates = report.cases, report.gates
    wrong = next((case for case in cases if case.outcome == "fail"), None)
    counts = cases_conclusion(cases, "cases ")
    if cases and all(is_exact(case) for case in cases):
        counts = f"{numbers.count_of(len(cases), len(cases))} cases bitwise equal"
    parts = [
        f"{'wrong' if wrong.wrong or wrong.first else 'fails'} on {wrong.name}" if wrong is not None else "",
        counts if cases else "",
        f"{report.arithmetic} accuracy" if report.arithmetic else "",
        gates_conclusion(gates, "gates ") if gates else "",
        power(report.power) if slipped(report) else "",
        numbers.counted(len(report.advice), "remark") if report.advice else "",
    ]
    return "; ".join(filter(None, parts))


def short_verdict(report: Report) -> str:
    """How a run came out, in a few words, without its speed and what it is not: "memory fault or crash"."""
    verdict = report.verdict
    if verdict is None:
        return ""
    if verdict.kind != "pass":
        return _SHORT[verdict.kind]
    if verdict.outcome != "pass":
        return "unclear"
    where = "" if report.device.kind == "cuda" else " in emulation"
    only = " at this size" if verdict.strays else " for this problem" if verdict.obstacle or verdict.untried else ""
    return f"correct{only}{where}"


def slipped(report: Report) -> str:
    """misses: transposed, zeros"""
    names = report.power.slipped if report.power is not None else []
    return f"misses: {', '.join(names)}" if names else ""


def examined(report: Report) -> str:
    """The faults of all memory checks: "none found: bounds, races, uninitialised reads (emulation)"."""
    done = [found for found in (report.memory_check, report.sanitizer) if found is not None]
    clean = [found for found in done if found.state == "clean"]
    words = [memory_check(found) for found in done if found.state != "clean"]
    tools = " and ".join(_by(found) for found in clean)
    return "; ".join(words + ([_none_found(tools, one_stream=clean[0].one_stream)] if clean else []))


def memory_check(found: MemoryCheck) -> str:
    """The faults of one memory check: "none found: bounds, races, uninitialised reads (emulation)"."""
    if found.state == "clean":
        return _none_found(_by(found), one_stream=found.one_stream)
    if found.state == "not run":
        return f"not examined by {found.tool}: {found.note}"
    if found.state == "found":
        first = found.findings[0]
        more = f", and {len(found.findings) - 1} more" if len(found.findings) > 1 else ""
        beyond = "" if first.contract == "problem" else "; only beyond this problem"
        return f"{first.sentence}{more} ({found.tool}{beyond})"
    return _none_found(f"{found.tool}; {found.note}", one_stream=found.one_stream)


def _by(found: MemoryCheck) -> str:
    """Who has looked, and at which sizes."""
    return f"{found.tool} {found.note}" if found.note else found.tool


def _none_found(by: str, *, one_stream: bool) -> str:
    """Without `one_stream`, only races within a stream: the order between streams was not looked at."""
    races = "races" if one_stream else "races within a stream"
    return f"none found: bounds, {races}, uninitialised reads ({by})"


def confinement(env: Environment) -> str:
    """What was closed to the candidate's process, and why not more. Limits alone close nothing."""
    held = ", ".join(env.confinement)
    if not env.unconfined:
        return held
    return (
        f"no: {env.unconfined}" if held in ("", "limits") else f"in part: {held}; not more: {env.unconfined}"
    )


def built(build: Build) -> str:
    """load_inline, nvcc 13.0, in 41.2 s"""
    took = "from the cache" if build.cached else f"in {numbers.duration(build.seconds)}"
    return ", ".join(filter(None, [build.lane, build.compiler, took]))


def contract_heading(contract: Contract) -> str:
    """Over what belongs to a contract."""
    return "This problem" if contract == "problem" else "As a drop-in, beyond this problem"
