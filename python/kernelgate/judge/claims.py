"""Claims of an answer beside the facts of its run: one sentence each, at the person's line.

In: a candidate, and its report, however far the run has come. Out: `Advice`. It decides nothing. Not here: finding the
claims (`program.claims`).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from kernelgate.program import Candidate
from kernelgate.program.claims import Claim, claims
from kernelgate.report import Advice, Case, Report, one_line
from kernelgate.report.speed_words import headline
from kernelgate.report.wording import case_error, case_result, is_exact

_EXACT = 0.05  # how far a rounded count may be from the true one, as a share of it
_BINARY = (1.0, 1.024, 1.024**2, 1.024**3)  # K, M and G may be powers of 1,024


@dataclass(frozen=True)
class _Beside:
    """What a run says of a claim; `contradicts`: the claim does not hold."""

    fact: str
    contradicts: bool = False


def claims_beside_facts(candidate: Candidate, report: Report) -> list[Advice]:
    """What was measured or counted of each claim, first of those that it contradicts; nothing of a claim that the run
    says nothing about."""
    found = []
    for claim in claims(candidate):
        beside = _FACTS[claim.kind](claim, report)
        if beside is not None:
            text = one_line(f"Claim “{claim.words.strip()}”: {beside.fact}", 600)
            found.append(Advice(text=text, line=claim.line, contradicted=beside.contradicts))
    return sorted(found, key=lambda each: not each.contradicted)


def _speed(claim: Claim, report: Report) -> _Beside:
    speed = headline(report.timing) if report.timing is not None else None
    fact = next((each for each in report.facts if each.question == "Faster?"), None)
    if speed is None or fact is None or not fact.measured:
        return _Beside("not measured in this run")
    return _Beside(f"measured: {fact.answer}", contradicts=speed.verdict in ("SLOWER", "SAME"))


def _one_kernel(claim: Claim, report: Report) -> _Beside | None:
    launches, operators = report.candidate.launches, report.candidate.operators
    if launches is None:
        return None
    kernels = f"{launches} kernel{'s' * (launches != 1)} of the program"
    pytorchs = [name for name in operators if name.startswith("aten")]  # others are the program's own
    beside = f", beside PyTorch's {', '.join(pytorchs[:4])}" if pytorchs else ""
    return _Beside(f"one call launched {kernels}{beside}", contradicts=launches != 1)


def _gradient(claim: Claim, report: Report) -> _Beside | None:
    gate = next((each for each in report.gates if each.name == "gradient"), None)
    if gate is None or gate.outcome == "not run":
        return None
    words = {
        "pass": "checked, and it holds",
        "fail": "checked, and it is wrong",
        "unsupported": "there is no gradient",
    }
    return _Beside(words[gate.outcome], contradicts=gate.outcome != "pass")


def _bitwise(claim: Claim, report: Report) -> _Beside | None:
    """Of the cases whose results were compared. Those beyond the problem contradict nothing."""
    compared = [case for case in report.cases if case.total]
    own = [case for case in compared if case.contract == "problem"]
    if not own:
        return None
    differing = [case for case in own if not is_exact(case)]
    beyond = [case for case in compared if case.contract != "problem" and not is_exact(case)]
    if differing:
        found = f"results differ from PyTorch's in {len(differing)} of {len(own)} cases; {_worst(differing)}"
        return _Beside(found, contradicts=True)
    holds = "the results have the bits of PyTorch's own"
    return _Beside(f"{holds} for this problem, but not beyond it; {_worst(beyond)}" if beyond else holds)


def _worst(cases: list[Case]) -> str:
    worst = next((case for case in cases if case.outcome == "fail"), max(cases, key=_error))
    error = case_result(worst) if worst.outcome == "fail" else f"off by {case_error(worst)}"
    return f"case {worst.name}: {error}"


def _error(case: Case) -> float:
    return case.error_units or case.max_ulp or 0.0


def _elements(claim: Claim, report: Report) -> _Beside | None:
    """Says something of a wrong count only."""
    number, counted = claim.number, claim.counted
    if not number:
        return None
    if counted is not None:
        right = any(abs(number * prefix / counted - 1) <= _EXACT for prefix in _BINARY)
        wrong = f"the product is {counted:,.0f}, {_factor(number, counted)}"
        return None if right else _Beside(wrong, contradicts=True)
    shape = report.problem.full_shape or report.problem.shape
    if not re.fullmatch(r"\d+(?:x\d+)*", shape):
        return None
    sizes = [int(size) for size in shape.split("x")]
    true = math.prod(sizes)
    # A row of 1000 x 1024 has 1024 elements.
    parts = [math.prod(sizes[first:last]) for last in range(len(sizes) + 1) for first in range(last)]
    if any(abs(number / part - 1) <= _EXACT for part in parts if part):
        return None
    # Another count may be that of a row, a block or a matrix; one that is off by thousands is a slip.
    slips = [true * 1000.0**power for power in (-2, -1, 1, 2)]
    if not any(abs(number / slip - 1) <= _EXACT for slip in slips):
        return None
    return _Beside(f"the input has {true:,} elements, {_factor(number, true)}", contradicts=True)


def _factor(claimed: float, true: float) -> str:
    ratio = max(true / claimed, claimed / true)
    words = f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.3g}"
    return f"{words} times as many" if true > claimed else f"{words} times fewer"


_FACTS = {
    "speed": _speed,
    "one kernel": _one_kernel,
    "gradient": _gradient,
    "bitwise": _bitwise,
    "elements": _elements,
}
