"""Problems of one line, judged: right and wrong programs, and what does not fit."""

from __future__ import annotations

import pytest

from kernelgate.commands.option_table import job_of
from kernelgate.commands.references import with_reference
from kernelgate.report import Report
from kernelgate.run import run

pytestmark = pytest.mark.drawn

MODULE = """
import torch, torch.nn as nn, torch.nn.functional as F
class ModelNew(nn.Module):
    def forward(self, {takes}):
        return {gives}
"""


def verify(text: str, reference: str, *inputs: str, **options: object) -> Report:
    written, found = with_reference({**options, "reference": reference, "inputs": inputs}, text)
    return run(job_of({"device": "emulated", **written}, "verify", text, "program.py", reference=found))


def outcome(report: Report) -> tuple[str, str]:
    assert report.verdict is not None
    return report.verdict.outcome, report.verdict.sentence


@pytest.mark.parametrize(
    ("reference", "inputs", "takes", "right", "wrong"),
    [
        ("torch.nn.GELU()", ["16x33"], "x", "F.gelu(x)", "F.gelu(x) * 1.01"),
        ("torch.nn.functional.silu", ["16x33"], "x", "x * torch.sigmoid(x)", "x * torch.tanh(x)"),
        ("torch.matmul", ["16x20, 20x12"], "a, b", "torch.matmul(a, b)", "torch.matmul(a, b.flip(0))"),
    ],
)
def test_an_expression_is_a_problem_that_right_programs_pass_and_wrong_ones_fail(
    reference: str, inputs: list[str], takes: str, right: str, wrong: str
) -> None:
    good = verify(MODULE.format(takes=takes, gives=right), reference, *inputs)
    assert outcome(good)[0] == "pass", outcome(good)
    assert good.title.startswith(reference) and good.problem.name == reference
    assert outcome(verify(MODULE.format(takes=takes, gives=wrong), reference, *inputs))[0] == "fail"


def test_a_module_with_parameters_is_made_from_its_arguments_or_from_none() -> None:
    own = "import torch\nclass ModelNew(torch.nn.LayerNorm):\n    pass\n"
    assert outcome(verify(own, "torch.nn.LayerNorm(40)", "8x40"))[0] == "pass"
    fixed = f"{own}    def __init__(self):\n        super().__init__(40)\n".replace("    pass\n", "")
    assert outcome(verify(fixed, "torch.nn.LayerNorm(40)", "8x40"))[0] == "pass"


def test_a_reference_that_refuses_its_own_inputs_is_no_pass() -> None:
    own = "import torch\nclass ModelNew(torch.nn.LayerNorm): pass\n"
    report = verify(own, "torch.nn.LayerNorm(40)", "8x41")
    assert outcome(report) == ("not run", "Not run: the reference does not take its own inputs, 8x41")
    assert report.failure is not None and "[*, 40]" in report.failure.what
    assert report.failure.next_step == "Give inputs that it takes, with --input"


def test_a_result_without_elements_is_no_pass() -> None:
    report = verify(MODULE.format(takes="x", gives="x * 3"), "torch.nn.GELU()", "0x5")
    sentence = "Not run: the reference's result has no elements, for inputs of 0x5"
    assert outcome(report) == ("not run", sentence)
    assert report.failure is not None and report.failure.next_step == "Give inputs with elements, with --input"


def test_a_function_that_takes_more_than_its_inputs_is_to_be_written_as_a_call() -> None:
    own = MODULE.format(takes="x", gives="torch.cumsum(x, 1)")
    report = verify(own, "torch.cumsum", "8x41")
    assert outcome(report)[0] == "not run"
    assert report.failure is not None and report.failure.next_step.endswith("torch.cumsum(dim=...)")
    assert outcome(verify(own, "torch.cumsum(dim=1)", "8x41"))[0] == "pass"


def test_a_name_that_pytorch_does_not_have_is_said_with_its_neighbour() -> None:
    report = verify(MODULE.format(takes="x", gives="x"), "torch.nn.GELLU()", "8x8")
    assert outcome(report)[0] == "not run"
    assert report.failure is not None and report.failure.next_step == "Did you mean torch.nn.GELU?"
