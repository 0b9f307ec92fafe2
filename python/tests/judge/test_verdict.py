"""What a verdict says of a program that is right for its problem and not beyond it."""

from __future__ import annotations

import msgspec
import pytest

from kernelgate.backend.target import EMULATED
from kernelgate.judge.verdict import conclude, obstacle_failure
from kernelgate.messages.first_report import first_report
from kernelgate.report import Case, Finding, Gate, MemoryCheck, Place, Report
from kernelgate.run import Job, new_run_id


def fault(kind: str, title: str, words: str, line: int | None = None, step: str = "") -> Finding:
    return Finding(
        kind=kind,
        title=title,
        sentence=words,
        contract="drop-in",
        certain=True,
        where=Place(label="cell [4]", line=line),
        next_step=step,
    )


INDEX = "Check the index against the size of what it reads or writes"
STRAY = fault("out_of_bounds", "Illegal memory access", "Illegal memory access: read past the end, line 9", 9, INDEX)
RACE = fault("race", "Data race", "Data race: two threads write `s[0]`, line 12", 12, "Put __syncthreads() between")
LAUNCH = fault("launch", "Failed launch", "Failed launch: a grid of no blocks, line 13", 13, "Return before the launch")
CRASH = fault("crash", "Crash", "Crashed while being checked: a segmentation fault")


def report_of(*cases: Case, **parts: object) -> Report:
    """A run whose only case of the problem has passed, concluded."""
    report = first_report(Job(run=new_run_id(), text="", label="cell [4]", problem="leakyrelu"))
    report.cases = [case("as given", "problem"), *cases]
    for name, part in parts.items():
        setattr(report, name, part)
    report.verdict, report.facts = conclude(report, EMULATED)
    report.failure = obstacle_failure(report)
    return report


def case(
    name: str, contract: str = "drop-in", outcome: str = "pass", message: str = "", wrong: int = 0
) -> Case:
    data = {
        "name": name,
        "contract": contract,
        "shape": "64x48",
        "dtype": "float32",
        "layout": "contiguous",
        "distribution": "normal",
        "seed": 1,
        "outcome": outcome,
        "message": message,
        "wrong": wrong,
        "total": 3072 if wrong or outcome == "pass" else 0,
    }
    return msgspec.convert(data, Case)


def ended(name: str, by: Finding) -> Case:
    """A case whose call came to no end."""
    return msgspec.structs.replace(case(name, outcome="fail", message=by.sentence), fault=by)


@pytest.mark.parametrize("contract", ["problem", "drop-in"])
def test_what_was_not_tried_is_no_defect_of_the_program(contract: str) -> None:
    left = [case(name, outcome="not run", message="left out; --thorough runs it") for name in ("half", "empty")]
    report = report_of(case("odd size"), *left, contract=contract)
    verdict = report.verdict
    assert verdict is not None and "not a drop-in" not in verdict.sentence.lower()
    assert verdict.outcome == ("pass" if contract == "problem" else "unclear")
    words = verdict.untried if contract == "problem" else verdict.sentence
    assert words.endswith("2 of 3 cases beyond the problem were not run: left out; --thorough runs it")


def found(certain: bool = True, contract: str = "drop-in") -> MemoryCheck:
    finding = msgspec.structs.replace(STRAY, certain=certain, contract=contract)
    return MemoryCheck(tool="emulation", state="found", findings=[finding])


@pytest.mark.parametrize(
    ("cases", "obstacle"),
    [
        ([ended("odd size", STRAY)], "illegal memory access on odd sizes"),
        ([ended("odd size", STRAY), ended("empty", RACE)], "faults on odd sizes and empty input"),
        ([ended("half", CRASH)], "crash on half input"),
        ([case("half", outcome="fail", message="returns float32")], "fails on half input"),
        ([case("half", outcome="fail", message="differs", wrong=7)], "wrong on half input"),
        (
            [case("half", outcome="fail", message="differs", wrong=7), ended("odd size", STRAY)],
            "illegal memory access on odd sizes, and wrong on half input",
        ),
        ([case("half", outcome="unsupported", message="no")], "does not support half input"),
    ],
)
def test_what_keeps_it_from_being_a_drop_in_is_in_the_headline_and_never_a_plain_yes(
    cases: list[Case], obstacle: str
) -> None:
    report = report_of(*cases)
    assert report.verdict is not None and report.verdict.outcome == "pass"
    assert report.verdict.obstacle == obstacle
    assert report.verdict.sentence == f"Correct for this problem; not a drop-in: {obstacle}"
    assert report.facts[0].answer == "For this problem only, bitwise equal"
    assert report.facts[0].evidence == f"1 of 1 cases, beyond it 0 of {len(cases)}, values sampled, 0 of 0 gates"


def test_the_failure_of_a_drop_in_is_about_what_its_headline_names() -> None:
    refused = case("half", outcome="unsupported", message="expected float32")
    buffers = "buffers as the reference leaves them"
    wrong = Gate(name=buffers, contract="drop-in", outcome="fail", message="bn.running_var holds other values")
    report = report_of(refused, gates=[wrong], contract="drop-in")
    assert report.verdict is not None and report.failure is not None
    assert report.verdict.outcome == "fail" and "half" not in report.verdict.sentence
    assert report.failure.what == f"{buffers}: bn.running_var holds other values"


def test_a_fault_that_only_the_memory_check_saw_keeps_it_from_being_a_drop_in() -> None:
    report = report_of(case("odd size"), memory_check=found())
    assert report.verdict is not None
    assert report.verdict.obstacle == "illegal memory access on other inputs than this problem's"
    assert report.failure is not None and report.failure.where is not None
    assert report.failure.where.line == 9
    assert report.failure.next_step == INDEX


def test_a_finding_that_may_be_harmless_accuses_nobody() -> None:
    report = report_of(case("odd size"), memory_check=found(certain=False))
    assert report.verdict is not None and report.verdict.obstacle == ""
    assert report.facts[0].answer == "Yes, bitwise equal"
    assert report.failure is None


def test_wrong_values_beyond_the_problem_have_a_next_step_and_a_refusal_needs_none() -> None:
    wrong = report_of(case("transposed", outcome="fail", message="differs", wrong=7)).failure
    assert wrong is not None and wrong.what.startswith(
        "Case “transposed” (64x48 float32), beyond this problem: "
    )
    assert report_of(case("half", outcome="unsupported", message="no")).failure is None
    gate = Gate(name="autocast", contract="drop-in", outcome="fail", message="another dtype")
    assert report_of(case("odd size"), gates=[gate]).failure is None


def test_a_wrong_gradient_is_said_before_a_launch_that_fails_and_behind_wrong_values() -> None:
    gate = Gate(name="gradient", contract="drop-in", outcome="fail", message="off by 2")
    launch = msgspec.structs.replace(found().findings[0], kind="bad_launch", title="Failed launch")
    refused = report_of(ended("empty", launch), gates=[gate])
    assert refused.verdict is not None and refused.failure is not None
    assert refused.verdict.obstacle == "its gradient is wrong, and failed launch on empty input"
    assert refused.failure.what == "gradient: off by 2"
    values = report_of(case("odd size", outcome="fail", wrong=7), gates=[gate])
    assert values.verdict is not None and values.verdict.obstacle == "wrong on odd sizes"


@pytest.mark.parametrize(
    ("by", "examined", "step"),
    [
        (LAUNCH, True, "Return before the launch"),
        (STRAY, True, "Check the index"),
        (CRASH, True, "Fix the case named here"),
        (CRASH, False, "Verify again with --examine"),
    ],
)
def test_an_examination_is_advised_only_where_there_was_none(by: Finding, examined: bool, step: str) -> None:
    check = MemoryCheck(tool="emulation", state="clean" if examined else "not run")
    report = report_of(ended("empty", by), memory_check=check)
    assert report.failure is not None and report.failure.next_step.startswith(step)


def test_a_pass_of_all_is_a_plain_yes() -> None:
    report = report_of(case("odd size"), memory_check=MemoryCheck(tool="emulation", state="clean"))
    assert report.verdict is not None and report.verdict.obstacle == "" and report.failure is None
    assert [report.facts[0].answer, report.facts[0].evidence] == [
        "Yes, bitwise equal",
        "2 of 2 cases, values sampled, 0 of 0 gates",
    ]
