"""The report for a model is short, names the place and the fix, and gives no expected value away."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from report_samples import NAMES, sample

from kernelgate.report import Failure
from kernelgate.report.edits import edited
from kernelgate.report.model_text import MOST_CHARACTERS, as_model_text
from kernelgate.report.types import Edit

CALLER = Path(__file__).parents[3] / "examples" / "fix_from_answers.py"


@pytest.mark.parametrize("name", NAMES)
def test_no_report_is_longer_than_600_tokens_or_says_its_seed(name: str) -> None:
    report = sample(name)
    report.seed = "90210555"
    for case in report.cases:
        case.seed = 90210556
    said = as_model_text(report)
    assert said.isascii() and len(said) <= MOST_CHARACTERS
    assert "seed" not in said.lower() and "9021055" not in said


def test_a_wrong_result_is_said_with_one_element_and_no_more() -> None:
    report = sample("wrong-result")
    said = as_model_text(report).split("\n")
    assert said[0].startswith("FAIL: Wrong result")
    (case,) = [line for line in said if line.startswith("CASE: ")]
    assert "got" in case and case.count("expected") == 1


def test_a_failed_build_is_said_with_its_line_and_its_error() -> None:
    said = as_model_text(sample("build-failure"))
    assert "\nWHERE: " in said and "\n> " in said


def test_the_text_of_a_pass_is_short() -> None:
    assert len(as_model_text(sample("pass"))) < 600


@pytest.fixture(scope="module")
def caller() -> Any:
    """The example in examples/."""
    spec = importlib.util.spec_from_file_location("fix_from_answers", CALLER)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "edit",
    [
        Edit(line=2, column=0, text="both\nlines\n", replaces=2),
        Edit(line=2, column=3, text=" inserted"),
        Edit(line=1, column=0, text="above\n"),
        Edit(line=3, column=0, text="", replaces=1),
        Edit(line=2, column=0, text="```\nquoted\n````\n", replaces=1),
    ],
)
def test_the_example_applies_a_fix_as_a_report_means_it(edit: Edit, caller: Any) -> None:
    report = sample("build-failure")
    report.failure = Failure(stage="build", what="it is broken", next_step="Fix it", fix=edit.text, edit=edit)
    text = "one\ntwo\nthree\nfour\n"
    assert caller.with_fix(text, as_model_text(report)) == edited(text, edit)


def test_a_fix_that_is_too_long_is_left_out_whole() -> None:
    report = sample("build-failure")
    edit = Edit(line=1, column=0, text="x = 1\n" * 400)
    report.failure = Failure(stage="build", what="it is broken", next_step="Fix it", fix=edit.text, edit=edit)
    said = as_model_text(report)
    assert "x = 1" not in said and "`kernelgate fix` applies it" in said
