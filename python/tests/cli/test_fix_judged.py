"""Fixes of errors in C++ as a person gets them: judged in emulation, and written."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelgate.cli.main import main

PROGRAM = '''import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline
SOURCE = """
#include <torch/extension.h>

__global__ void leaky(const float* x, float* y, long n, float slope) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] > 0 ? x[i] : slope * x[i];
}

torch::Tensor leaky_forward(torch::Tensor x, double slope) {
    TORCH_CHECK(x.is_contiguous(), "contiguous, please");
    auto y = torch::empty_like(x);
    leaky<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel(), slope);
    return y;
}
"""
ext = load_inline(name="leaky", cpp_sources="torch::Tensor leaky_forward(torch::Tensor x, double slope);",
                  cuda_sources=SOURCE, functions=["leaky_forward"])

class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return ext.leaky_forward(x, self.negative_slope)
'''
# One program with three faults costs less than three programs.
FAULTS = (
    ("torch::Tensor leaky_forward(torch::Tensor x, double slope) {", "Tensor leaky_forward(Tensor x, double slope) {"),
    ("x.data_ptr<float>()", "x.data_ptr<double>()"),
    ('cpp_sources="torch::Tensor leaky_forward(torch::Tensor x, double slope);"',
     'cpp_sources="torch::Tensor leaky_forward(torch::Tensor x, float slope);"'),
)  # fmt: skip


@pytest.fixture
def at(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KERNELGATE_CACHE", str(cache))
    return tmp_path / "mine.py"


def _broken(text: str) -> str:
    for right, wrong in FAULTS:
        assert right in text
        text = text.replace(right, wrong, 1)
    return text


def _run(verb: str, path: Path, *words: str) -> int:
    return main([verb, str(path), "--problem", "leakyrelu", "--device", "emulated", *words])


def test_a_program_with_three_faults_is_written_as_it_should_be_and_passes(
    at: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at.write_text(_broken(PROGRAM))
    assert _run("fix", at, "--write") == 0
    out, err = capsys.readouterr()
    assert "CORRECT" in out and err.count("line ") == 3
    assert at.read_text() == PROGRAM
