"""Claims of an answer stand beside what was measured or counted."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from kernelgate.judge.claims import claims_beside_facts
from kernelgate.program import Source, read
from kernelgate.report import Report
from kernelgate.report.types import Gate

REPORTS = Path(__file__).parents[1] / "fixtures" / "reports"
MODEL = "class ModelNew:\n    pass"


def _report(**changed: object) -> Report:
    return msgspec.convert(json.loads((REPORTS / "pass.json").read_text()) | changed, Report)


def _facts(prose: str, report: Report | None = None) -> list[tuple[str, int | None]]:
    candidate = read(Source(f"{prose}\n```python\n{MODEL}\n```", "answer.md"))
    found = report or _report()
    found.problem.full_shape = "4096x393216"
    return [(each.text, each.line) for each in claims_beside_facts(candidate, found)]


def test_a_count_that_is_wrong_by_a_thousand_is_said_to_be():
    assert _facts("It is simple.\nThe input has 1.6 million elements.") == [
        ("Claim “1.6 million elements”: the input has 1,610,612,736 elements, 1,007 times as many", 2)
    ]
    assert _facts("With 4096 x 393216 = 1.6M elements it is small.") == [
        ("Claim “4096 x 393216 = 1.6M”: the product is 1,610,612,736, 1,007 times as many", 1)
    ]


@pytest.mark.parametrize(
    "prose",
    [
        "The input has 1.6 billion elements.",
        "4096 * 393216 = 1,610,612,736 elements",
        "Each thread handles 4 elements, a block 1 thousand elements.",
        "It is not faster than PyTorch.",
        "A grid of 2 x 3 blocks.",
        "4096 * 393216 ≈ 1.61e9 elements",
        "4096 x 393216 = 1.61 x 10^9 elements",
        "4096 × 393216 ≈ 1.61 × 10⁹",
        "1024 * 1024 * 1024 = 1G elements",
        "2 * 3 * 4 * 5 * 6 = 720",
        "n * 4 * 8 = 32",
        "4096 x 393216 = 6.4 GB of data",
        "4 x 1024 = 4 KB",
        "Each row has 393,216 elements.",
        "The shapes must match exactly.",
        "It reduces memory traffic by 2x.",
        "It handles 1.6 million elements/s.",
        "It handles 1.6 million elements per second.",
    ],
)
def test_a_count_that_holds_or_that_is_of_something_else_is_left_alone(prose):
    assert _facts(prose) == []


@pytest.mark.parametrize(
    ("prose", "claim"),
    [
        ("Speedup: ~4x on an A100.", "Speedup: ~4x"),
        ("It outperforms PyTorch by 1.8x.", "outperforms PyTorch by 1.8x"),
        ("It is faster than the PyTorch baseline.", "faster than the PyTorch"),
        ("It runs twice as fast as before.", "twice as fast"),
        ("All three are fused into one CUDA kernel.", "fused into one CUDA kernel"),
        ("This needs a single launch.", "single launch"),
        ("Backward is fully supported.", "Backward is fully supported"),
        ("Gradients flow through it.", "Gradients flow"),
        ("Results match the reference exactly.", "match the reference exactly"),
        ("The output is bit-for-bit identical.", "bit-for-bit"),
        ("With 1,610,612 elements it is small.", "1,610,612 elements"),
        ("4096 x 393216 = 1.61e6 elements", "4096 x 393216 = 1.61e6"),
    ],
)
def test_a_claim_is_found_however_it_is_worded(prose, claim):
    report = _report(timing=None)
    report.candidate.launches = 1
    report.gates = [Gate(name="gradient", contract="drop-in", outcome="pass")]
    [(text, _line)] = _facts(prose, report)
    assert text.startswith(f"Claim “{claim}”: ")


@pytest.mark.parametrize(
    "prose",
    [
        "Backward is not supported.",
        "It does not match PyTorch exactly.",
        "No gradient flows.",
        "Not one kernel but two.",
        "NOT bit-exact.",
        "This is not a single kernel.",
        "It isn't one kernel.",
        "It isn’t bitwise identical.",
        "It is no longer a single kernel.",
        "Two launches rather than one kernel.",
        "Two launches instead of a single kernel.",
        "Without being fused into one kernel it is slow.",
        "It cannot be fully fused.",
        "It needs more than one kernel.",
        "One kernel is not enough.",
        "A single launch wouldn't do.",
    ],
)
def test_what_is_denied_is_no_claim(prose):
    report = _report(timing=None)
    report.candidate.launches = 2
    assert _facts(prose, report) == []


@pytest.mark.parametrize(
    "prose",
    [
        "There is no copy: all is one kernel.",
        "Not two launches but one kernel.",
        "Instead of three launches we use one kernel.",
        "It is not only one kernel.",
        "Without any copy, one kernel does it all.",
    ],
)
def test_what_is_denied_of_something_else_stays_a_claim(prose):
    report = _report(timing=None)
    report.candidate.launches = 2
    assert _facts(prose, report) == [("Claim “one kernel”: one call launched 2 kernels of the program", 1)]


def test_equal_bits_stand_beside_the_bits_and_not_beside_the_verdict():
    report = _report()
    assert report.verdict is not None
    report.verdict.sentence = "Correct for this problem; not a drop-in: failed launch on empty input"
    holds = "Claim “bit-exact”: the results have the bits of PyTorch's own"
    assert _facts("It is bit-exact.", report) == [(holds, 1)]
    own = [case for case in report.cases if case.contract == "problem"]
    own[1].error_units = 2.5
    [(text, _line)] = _facts("It is bit-exact.", report)
    differ = f"results differ from PyTorch's in 1 of {len(own)} cases; case {own[1].name}: off by 2.5 u"
    assert text == f"Claim “bit-exact”: {differ}"


def test_only_what_the_run_contradicts_is_marked_as_contradicted():
    prose = "1,024 x 1,024 = 5 million elements\n65,536 elements; 512 KB of shared memory is too much\n3x faster"
    candidate = read(Source(f"{prose}\n```python\n{MODEL}\n```", "answer.md"))
    found = claims_beside_facts(candidate, _report(timing=None))
    assert [(each.line, each.contradicted) for each in found] == [(1, True), (3, False)]


def test_speed_kernels_and_gradient_stand_beside_the_facts():
    report = _report(timing=None)
    report.candidate.launches, report.candidate.operators = 1, ["mine.leaky.default", "aten::addmm"]
    report.gates = [Gate(name="gradient", contract="drop-in", outcome="unsupported")]
    found = [
        text
        for text, _ in _facts("It is 3x faster, in a single fused kernel.\nIt supports autograd.", report)
    ]
    assert found == [
        "Claim “supports autograd”: there is no gradient",
        "Claim “3x faster”: not measured in this run",
        "Claim “single fused kernel”: one call launched 1 kernel of the program, beside PyTorch's aten::addmm",
    ]


def test_comments_and_docstrings_are_read_and_code_is_not():
    text = '"""Bitwise identical to PyTorch."""\nWORDS = "3x faster"\nclass ModelNew:\n    pass  # 2x faster\n'
    found = claims_beside_facts(read(Source(text, "cell [4]")), _report(timing=None))
    assert [(each.line, each.text.partition(":")[0]) for each in found] == [
        (1, "Claim “Bitwise identical”"),
        (4, "Claim “2x faster”"),
    ]
