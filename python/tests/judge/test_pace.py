"""A slow reference costs a run fewer cases and gates, which the report names; what the problem asks stays."""

from __future__ import annotations

import pytest

from kernelgate.check.inputs.cases import Plan
from kernelgate.check.sizes.work import Work
from kernelgate.judge.reference.affordable import LONG, SLOW, Pace, pace_of
from kernelgate.report import Report
from kernelgate.report.text import as_text
from kernelgate.run import Job, new_run_id, run

PROGRAM = """
import torch


class {name}(torch.nn.Module):
    def forward(self, x):
        for _ in range({rounds}):
            x = torch.tanh(x) * {factor}
        return x


def get_inputs():
    return [torch.randn(24, 40)]


def get_init_inputs():
    return []
"""


def verify(factor: float) -> Report:
    return run(
        Job(
            run=new_run_id(),
            text=PROGRAM.format(name="ModelNew", rounds=2500, factor=factor),
            label="candidate.py",
            reference=PROGRAM.format(name="Model", rounds=2500, factor=1.5),
            reference_label="problem.py",
            device="emulated",
        )
    )


def job(**more: object) -> Job:
    return Job(run=new_run_id(), text="", label="", reference="", **more)  # type: ignore[arg-type]


@pytest.mark.drawn
def test_a_slow_reference_leaves_out_cases_and_the_report_says_which_and_why() -> None:
    report = verify(1.5)
    verdict = report.verdict
    assert verdict is not None and verdict.outcome == "pass", verdict
    assert "not a drop-in" not in as_text(report) and not verdict.obstacle
    assert verdict.sentence.startswith("Correct for this problem") and "--thorough runs it" in verdict.untried
    left_out = {row.name for row in [*report.cases, *report.gates] if "the reference is slow" in row.message}
    assert {"every magnitude", "half", "double backward"} <= left_out
    assert all(row.outcome == "not run" for row in [*report.cases, *report.gates] if row.name in left_out)
    assert {gate.contract for gate in report.gates if gate.name in left_out} == {"drop-in"}


@pytest.mark.drawn
def test_a_wrong_program_fails_by_the_cases_that_are_left() -> None:
    report = verify(1.501)
    assert report.verdict is not None and report.verdict.outcome == "fail"


def test_nothing_is_left_out_of_what_was_asked_for_or_is_quick() -> None:
    slow = Work(elements=1, operations=1 << 40)
    assert pace_of(job(), slow, on_cpu=True).leaves_out_case(Plan("half", "drop-in"))
    assert pace_of(job(thorough=True), slow, on_cpu=True) == Pace()
    assert pace_of(job(contract="drop-in"), slow, on_cpu=True) == Pace()
    assert not pace_of(job(), slow, on_cpu=False).leaves_out_case(Plan("half", "drop-in"))
    quick = pace_of(job(), Work(elements=1 << 18, operations=1 << 25, calls=40), on_cpu=True)
    assert quick.rounding_samples == Pace().rounding_samples


def test_a_reference_that_takes_long_is_differentiated_in_fewer_ways_unless_asked() -> None:
    long = Work(elements=2_800_000, operations=130_000_000, calls=200)
    assert pace_of(job(), long, on_cpu=True).level >= LONG
    assert pace_of(job(), Work(elements=2_000, operations=130_000, calls=20), on_cpu=True).level < LONG
    assert pace_of(job(contract="drop-in"), long, on_cpu=True).level < LONG


def test_a_gpu_tries_rounding_less_often_where_that_takes_long_and_leaves_nothing_out() -> None:
    recurrent = Work(elements=5_000_000, operations=31_000_000_000, calls=113, launches=55_000)
    network = Work(elements=54_000_000, operations=157_000_000_000, calls=554, launches=554)
    product = Work(elements=1 << 26, operations=1 << 35, calls=3, launches=3)
    paces = [pace_of(job(), work, on_cpu=False) for work in (recurrent, network, product)]
    assert [pace.mutant_cases for pace in paces] == [1, 2, None]
    assert [pace.doubts_mutants for pace in paces] == [False, False, True]
    assert [pace.rounding_samples for pace in paces] == [2, 3, Pace().rounding_samples]
    assert not any(pace.leaves_out_gate("half", "drop-in") or pace.level >= SLOW for pace in paces)
    assert pace_of(job(thorough=True), recurrent, on_cpu=False) == Pace()
