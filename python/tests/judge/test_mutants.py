"""Known-wrong LeakyReLU programs fail with the right sentence, and honest ones pass; real processes, real compiler."""

from __future__ import annotations

import pytest

from kernelgate.catalogue import operators

from .candidates import KNOWN_WRONG, PROGRAMS, forward, verify
from .test_sources import verify as verify_beside


@pytest.mark.drawn
@pytest.mark.parametrize(
    ("body", "sentence"),
    KNOWN_WRONG,
)
def test_a_known_wrong_program_fails_with_the_right_sentence(body: str, sentence: str) -> None:
    report = verify(forward(body))
    assert report.verdict is not None
    assert (report.verdict.outcome, report.verdict.sentence) == ("fail", sentence)


@pytest.mark.drawn
def test_our_own_program_passes_as_a_drop_in() -> None:
    text = operators()["leakyrelu"].program_text
    assert text is not None
    report = verify(text, contract="drop-in")
    assert report.verdict is not None
    assert report.verdict.outcome == "pass", report.verdict.sentence
    assert len(report.cases) > 18 and {case.outcome for case in report.cases} == {"pass"}


@pytest.mark.skipif(not PROGRAMS.is_dir(), reason="../shared/programs is not here")
@pytest.mark.parametrize(
    ("name", "problem", "outcome", "line"),
    [
        ("004-1", "gemm_scale_leakyrelu", "pass", None),
        ("000-1", "leakyrelu", "pass", None),
        ("000-0", "leakyrelu", "fail", 40),
        ("002-0", "leakyrelu", "not run", 3),
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


CHAOS = """
import torch
import torch.nn as nn

class {name}(nn.Module):
    def forward(self, x):
        y = torch.sigmoid(x) * 0.9 + 0.05
        for _ in range(26):
            y = {step}
        return y

def get_inputs():
    return [torch.randn(4, 16)]

def get_init_inputs():
    return []
"""


@pytest.mark.drawn
@pytest.mark.parametrize(
    ("step", "outcome"), [("3.99 * y * (1 - y)", "pass"), ("y * (3.99 - 3.99 * y)", "unclear")]
)
def test_where_no_tolerance_tells_right_from_wrong_only_the_bits_of_pytorch_pass(step: str, outcome: str) -> None:
    report = verify(
        CHAOS.format(name="ModelNew", step=step),
        problem=None,
        reference=CHAOS.format(name="Model", step="3.99 * y * (1 - y)"),
    )
    assert report.verdict is not None and report.verdict.outcome == outcome
    assert (report.power is None) == (outcome == "pass")
    if outcome == "pass":  # neither is a gradient with autograd's own bits wrong, however far from that in float64
        assert {gate.outcome for gate in report.gates if "gradient" in gate.name} == {"pass"}


FAR_NORM = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        return self.norm(x)

def get_inputs():
    return [torch.randn(16, 256) * 0.1 + 1000]

def get_init_inputs():
    return [256]
"""
FAR_NORM_NEW = """
import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        off = x - x.mean(-1, keepdim=True)
        {more}
        return off * torch.rsqrt((off * off).mean(-1, keepdim=True) + 1e-5) * self.norm.weight + self.norm.bias
"""


def test_a_norm_of_numbers_far_from_0_is_tried_on_others_before_the_check_is_called_too_weak() -> None:
    report = verify_beside(FAR_NORM_NEW.format(more=""), FAR_NORM)
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict


def test_a_norm_of_numbers_far_from_0_that_leaves_a_row_out_does_not_pass() -> None:
    report = verify_beside(FAR_NORM_NEW.format(more="off[-1] = off[0]"), FAR_NORM)
    assert report.verdict is not None and report.verdict.outcome == "fail", report.verdict
