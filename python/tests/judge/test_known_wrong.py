"""Known-wrong LeakyReLU programs fail with the right sentence, and honest ones pass; real processes, real compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelgate.catalogue import operators
from kernelgate.judge import Job, new_run_id, run
from kernelgate.report import Report

PROGRAM = """
import torch
import torch.nn as nn
import torch.nn.functional as F

class ModelNew(nn.Module):
    def __init__(self, negative_slope: float = 0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        s = self.negative_slope
{body}
"""


def verify(text: str, **options: object) -> Report:
    options.setdefault("problem", "leakyrelu")
    job = Job(run=new_run_id(), text=text, label="program.py", device="emulated", **options)  # type: ignore[arg-type]
    return run(job)


def forward(body: str) -> str:
    return PROGRAM.format(body="\n".join(f"        {line}" for line in body.splitlines()))


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("return x", "Wrong result: negative inputs are returned unchanged"),
        (
            "return F.leaky_relu(x, 0.011)",
            "Wrong result: negative inputs are multiplied by 0.011 instead of 0.01",
        ),
        ("return F.relu(x)", "Wrong result: negative inputs give 0"),
        (
            "return F.leaky_relu(x.bfloat16(), s).to(x.dtype)",
            "Wrong result: the values are computed in bfloat16",
        ),
        (
            "y = torch.empty_like(x)\ny.view(-1)[:-1] = F.leaky_relu(x, s).reshape(-1)[:-1]\nreturn y",
            "Wrong result: the last element is never written",
        ),
        (
            "return torch.nan_to_num(F.leaky_relu(x, s), 0.0, float('inf'), float('-inf'))",
            "Wrong result: NaN inputs give 0 instead of NaN",
        ),
        ("return F.leaky_relu_(x, s)", "Wrong result: it changes its input in place"),
        ("return None", "Wrong result: ModelNew returns None instead of a tensor on the device"),
        ("return x, x", "Wrong result: ModelNew returns a tuple of 2 instead of a tensor on the device"),
        ("return F.leaky_relu(x, s)[:1]", "Wrong result: the result has shape 1x3072 instead of 64x3072"),
        ("return F.leaky_relu(x, s).half()", "Wrong result: the result is float16 instead of float32"),
    ],
)
def test_a_known_wrong_program_fails_with_the_right_sentence(body: str, sentence: str) -> None:
    report = verify(forward(body))
    assert report.verdict is not None
    assert (report.verdict.outcome, report.verdict.sentence) == ("fail", sentence)


def test_our_own_program_passes_as_a_drop_in() -> None:
    text = operators()["leakyrelu"].program_text
    assert text is not None
    report = verify(text, contract="drop-in")
    assert report.verdict is not None
    assert report.verdict.outcome == "pass", report.verdict.sentence
    assert [case.outcome for case in report.cases] == ["pass"] * 15


PROGRAMS = Path(__file__).parents[4] / "shared" / "programs"


@pytest.mark.skipif(not PROGRAMS.is_dir(), reason="../shared/programs is not here")
@pytest.mark.parametrize(
    ("name", "problem", "outcome", "line"),
    [
        ("004-1", "gemm_scale_leakyrelu", "pass", None),
        ("000-1", "leakyrelu", "pass", None),
        ("000-0", "leakyrelu", "fail", 40),
        ("002-0", "leakyrelu", "fail", 3),
        ("003-0", "gemm_scale_leakyrelu", "fail", 72),
    ],
)
def test_a_real_program_ends_at_the_right_stage_and_line(
    name: str, problem: str, outcome: str, line: int | None
) -> None:
    report = verify((PROGRAMS / f"{name}.py").read_text(), problem=problem)
    assert report.verdict is not None
    assert report.verdict.outcome == outcome, report.verdict.sentence
    if line is not None:
        assert report.failure is not None and report.failure.where is not None
        assert (report.failure.stage, report.failure.where.line) == ("build", line)
