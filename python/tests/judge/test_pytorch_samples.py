"""PyTorch's own samples are further inputs where a drop-in for one of its operators is asked for."""

from __future__ import annotations

import pytest
import torch

from kernelgate.judge.reference.reference import pytorch_samples

from .test_sources import outcome, verify

PROGRAM = """
import torch
class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return {gives}
"""


@pytest.mark.drawn
def test_the_samples_of_a_function_have_other_shapes_and_as_many_inputs() -> None:
    class Model(torch.nn.Module):
        pass

    own = [torch.randn(6, 8), torch.randn(8, 5)]
    found = pytorch_samples(Model(), "torch.matmul", [], own, torch.float32)
    assert 2 <= len(found) <= 8 and all(len(sample) == 2 for sample in found)
    assert pytorch_samples(Model(), "matmul.py", [], own, torch.float32) == []
    assert pytorch_samples(Model(), "torch.no_such_function", [], own, torch.float32) == []


@pytest.mark.drawn
def test_a_program_that_is_wrong_on_one_of_them_is_no_drop_in_and_a_right_one_is_not_accused() -> None:
    reports = []
    for gives in ("torch.matmul(a, b)", "torch.matmul(a, b) if b.dim() == 2 else torch.matmul(a, b) * 1.5"):
        text = PROGRAM.format(gives=gives)
        reports.append(verify(text, "torch.matmul", "6x8", "8x5", contract="drop-in"))
    right, wrong = reports
    samples = [case for case in right.cases if case.name.startswith("PyTorch's sample")]
    assert samples and all(case.outcome == "pass" for case in samples), [c for c in samples]
    assert any(
        case.outcome == "fail" for case in wrong.cases if case.name.startswith("PyTorch's sample")
    ), outcome(wrong)
    assert outcome(wrong)[0] == "fail"


@pytest.mark.drawn
def test_they_are_not_looked_for_where_only_the_problem_is_asked_for() -> None:
    report = verify(PROGRAM.format(gives="torch.matmul(a, b)"), "torch.matmul", "6x8", "8x5")
    assert not any(case.name.startswith("PyTorch") for case in report.cases)
