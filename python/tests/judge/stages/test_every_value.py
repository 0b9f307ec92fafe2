"""Every number of a format is compared, where the reference works element by element on one input."""

from __future__ import annotations

import pytest

from kernelgate.report import Case, Report
from kernelgate.report.text import as_text

from ..candidates import forward, verify

GELU = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.gelu(x)

def get_inputs():
    return [torch.randn(64, 96)]

def get_init_inputs():
    return []
"""
CANDIDATE = """
import torch

class ModelNew(torch.nn.Module):
    def forward(self, x):
        {body}
"""
OWN_SHAPE_ONLY = """assert x.shape == (64, 96)
        return torch.nn.functional.gelu(x)"""
PHI = "y = 0.5 * x.float() * torch.erfc(-0.7071067811865476 * x.float())"
# The numbers of half beyond which exp overflows belong to a formula of its own.
HONEST = f"""{PHI}
        return y.to(x.dtype)"""
WRONG = f"""{PHI}
        return torch.where(x == 3332.0, 2 * y, y).to(x.dtype)"""


def gelu(body: str, **options: object) -> Report:
    text = CANDIDATE.format(body=body)
    return verify(text, problem=None, reference=GELU, reference_label="gelu.py", **options)


def row(report: Report, name: str) -> Case:
    return next(case for case in report.cases if case.name == name)


def test_a_function_of_no_catalogue_is_compared_on_every_half_by_its_grade() -> None:
    report = gelu(HONEST, dtype="float16")
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
    found = row(report, "all float16 values")
    assert (found.outcome, found.total, found.distribution) == ("pass", 65_536, "all 65,536 values")
    assert found.error_units is not None
    assert "all 65,536 float16 values" in as_text(report)


def test_one_wrong_half_fails_the_problem_that_is_in_half() -> None:
    report = gelu(WRONG, dtype="float16", seed=7)
    assert report.verdict is not None and report.verdict.outcome == "fail"
    assert report.failure is not None and "all float16 values" in report.failure.what


def test_a_program_that_takes_its_own_shape_only_is_compared_there() -> None:
    report = gelu(OWN_SHAPE_ONLY, dtype="float16")
    assert report.verdict is not None and report.verdict.outcome == "pass"
    assert row(report, "all float16 values").outcome == "pass"


def test_a_half_that_no_problem_has_is_a_matter_of_drop_in() -> None:
    report = verify(
        forward("y = F.leaky_relu(x, s)\nreturn torch.where(x.isinf(), 0 * y, y)"), dtype="float16"
    )
    assert report.verdict is not None and report.verdict.outcome == "pass"
    found = row(report, "all float16 values")
    assert (found.contract, found.outcome) == ("drop-in", "fail")


def test_float32_is_sampled_unless_every_number_is_asked_for() -> None:
    report = verify(forward("return F.leaky_relu(x, s)"))
    assert "values sampled" in as_text(report)
    assert {row(report, name).distribution for name in ("half", "bfloat16")} == {"all 65,536 values"}


@pytest.mark.gpu
def test_a_gpu_compares_every_float32_number_in_each_run() -> None:
    report = verify(forward("return F.leaky_relu(x, s)"), device="cuda", shape=(4096, 16384))
    assert report.verdict is not None and report.verdict.outcome == "pass"
    found = row(report, "all float32 values")
    assert (found.outcome, found.total) == ("pass", 1 << 32)
    assert "all 4,294,967,296 float32 values" in " ".join(as_text(report).split())


@pytest.mark.gpu
def test_a_gpu_grades_every_float32_number_of_a_function_with_rounding() -> None:
    report = gelu("return 0.5 * x * torch.erfc(-0.7071067811865476 * x)", device="cuda")
    found = row(report, "all float32 values")
    assert found.total == 1 << 32 and found.error_units is not None
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
