"""On a GPU PyTorch may compute a convolution in TF32, or not: either is right, and less is wrong."""

from __future__ import annotations

import pytest

from kernelgate.report import Report

from .candidates import verify

pytestmark = pytest.mark.gpu

REFERENCE = """
import torch
import torch.nn as nn

{settings}

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(64, 48, 3)

    def forward(self, x):
        return self.conv(x)

def get_inputs():
    return [torch.randn(8, 64, 34, 30)]

def get_init_inputs():
    return []
"""
PROGRAM = """
import torch
import torch.nn as nn
import torch.nn.functional as F

def cut_off(values):
    kept = (values.detach().contiguous().view(torch.int32) & ~0x1fff).view(torch.float32)
    return torch.where(values.isfinite(), kept, values)

def rounded(values):
    return ROUNDED

class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(64, 48, 3)

    def forward(self, x):
        weight, bias = self.conv.weight, self.conv.bias
        columns = F.unfold(rounded(x), 3)
        product = rounded(weight).reshape(weight.shape[0], -1) @ columns
        rows, columns = x.shape[2] - 2, x.shape[3] - 2
        return product.view(x.shape[0], -1, rows, columns) + bias.view(-1, 1, 1)
"""
FORBIDDEN = "torch.backends.cudnn.allow_tf32 = False"


FP32, TF32, BF16 = "values", "cut_off(values)", "values.bfloat16().float()"


def judged(rounded: str, settings: str = "") -> Report:
    """The product of factors that are rounded so."""
    return verify(
        PROGRAM.replace("ROUNDED", rounded),
        problem=None,
        reference=REFERENCE.format(settings=settings),
        reference_label="mine.py",
        device="cuda",
    )


@pytest.mark.parametrize(("rounded", "arithmetic"), [(FP32, "fp32"), (TF32, "TF32 or FP16")])
def test_a_convolution_in_fp32_or_tf32_passes_and_the_report_says_which(rounded: str, arithmetic: str) -> None:
    report = judged(rounded)
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
    assert report.arithmetic == arithmetic


@pytest.mark.parametrize(
    ("rounded", "settings", "sentence"),
    [
        (BF16, "", "Wrong result: computed in BF16"),
        (TF32, FORBIDDEN, "Wrong result: computed in TF32 or FP16"),
    ],
    ids=["coarser than TF32", "TF32 where the reference forbids it"],
)
def test_a_coarser_convolution_than_pytorchs_is_wrong(rounded: str, settings: str, sentence: str) -> None:
    report = judged(rounded, settings)
    assert report.verdict is not None and report.verdict.outcome == "fail", report.verdict
    assert report.verdict.sentence.startswith(sentence)
