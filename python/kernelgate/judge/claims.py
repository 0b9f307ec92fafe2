"""Claims of an answer beside the facts of its run: one sentence each, at the person's line.

In: a candidate, and its report. Out: `Advice`. It decides nothing. Not here: finding the claims (`program.claims`).
"""

from __future__ import annotations

import math
import re

from kernelgate.program import Candidate
from kernelgate.program.claims import Claim, claims
from kernelgate.report import Advice, Report, one_line

_EXACT = 0.05  # how far a rounded count may be from the true one, as a share of it
_BINARY = (1.0, 1.024, 1.024**2, 1.024**3)  # K, M and G may be powers of 1,024


def claims_beside_facts(candidate: Candidate, report: Report) -> list[Advice]:
    """What was measured or counted of each claim; nothing of a claim that the run says nothing about."""
    found = []
    for claim in claims(candidate):
        fact = _FACTS[claim.kind](claim, report)
        if fact:
            found.append(Advice(text=one_line(f"Claim “{claim.words.strip()}”: {fact}", 600), line=claim.line))
    return found


def _speed(claim: Claim, report: Report) -> str:
    timing = report.timing
    fact = next((each for each in report.facts if each.question == "Faster?"), None)
    if timing is None or fact is None or not fact.measured:
        return "not measured in this run"
    return f"measured: {fact.answer}"


def _one_kernel(claim: Claim, report: Report) -> str:
    launches, operators = report.candidate.launches, report.candidate.operators
    if launches is None:
        return ""
    kernels = f"{launches} kernel{'s' * (launches != 1)} of the program"
    pytorchs = [name for name in operators if name.startswith("aten")]  # others are the program's own
    beside = f", beside PyTorch's {', '.join(pytorchs[:4])}" if pytorchs else ""
    return f"one call launched {kernels}{beside}"


def _gradient(claim: Claim, report: Report) -> str:
    gate = next((each for each in report.gates if each.name == "gradient"), None)
    if gate is None or gate.outcome == "not run":
        return ""
    words = {"pass": "checked, and it holds", "fail": "checked, and it is wrong", "unsupported": "there is none"}
    return words[gate.outcome]


def _bitwise(claim: Claim, report: Report) -> str:
    if report.verdict is None or not report.cases:
        return ""
    if report.verdict.outcome != "pass":
        return f"the run ended with: {report.verdict.sentence}"
    said = " ".join([report.verdict.sentence, *report.verdict.support, *(fact.evidence for fact in report.facts)])
    return "checked, and it holds" if "bitwise equal" in said else f"measured: {report.verdict.sentence}"


def _elements(claim: Claim, report: Report) -> str:
    """Says something of a wrong count only."""
    number, counted = claim.number, claim.counted
    if not number:
        return ""
    if counted is not None:
        right = any(abs(number * prefix / counted - 1) <= _EXACT for prefix in _BINARY)
        return "" if right else f"the product is {counted:,.0f}, {_factor(number, counted)}"
    shape = report.problem.full_shape or report.problem.shape
    if not re.fullmatch(r"\d+(?:x\d+)*", shape):
        return ""
    sizes = [int(size) for size in shape.split("x")]
    true = math.prod(sizes)
    # A row of 1000 x 1024 has 1024 elements.
    parts = [math.prod(sizes[first:last]) for last in range(len(sizes) + 1) for first in range(last)]
    if any(abs(number / part - 1) <= _EXACT for part in parts if part):
        return ""
    # Another count may be that of a row, a block or a matrix; one that is off by thousands is a slip.
    slips = [true * 1000.0**power for power in (-2, -1, 1, 2)]
    if not any(abs(number / slip - 1) <= _EXACT for slip in slips):
        return ""
    return f"the input has {true:,} elements, {_factor(number, true)}"


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
