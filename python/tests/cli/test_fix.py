"""`kernelgate fix`: certain fixes as a diff, or written; nothing where the program does not pass with them."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Literal

import pytest

from kernelgate.cli.main import main
from kernelgate.commands.fix import Fixed, summary
from kernelgate.messages.first_report import first_report
from kernelgate.messages.job import Job
from kernelgate.report import Verdict

PROGRAM = '''import torch
import torch.nn as nn
from torchind import KernelInterface, Tensor


class Scaled(KernelInterface):
    def forward(self, x: Tensor, slope: float) -> Tensor:
        return self.run("leaky_forward", x, slope)

    def backward(self, grad: Tensor, x: Tensor, slope: float) -> Tensor:
        return self.run("leaky_backward", grad, x, slope)

    class Meta:
        name = "scaled"
        cuda_sources = """
#include <torch/extension.h>

__global__ void forward(const float* x, float* y, float slope, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] > 0 ? x[i] : x[i] * slope;
}

__global__ void backward(const float* g, const float* x, float* y, float slope, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] > 0 ? g[i] : g[i] * slope;
}

torch::Tensor forward_cuda(torch::Tensor x, double slope) {
    auto y = torch::empty_like(x);
    int n = x.numel();
    forward<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), slope, n);
    return y;
}

torch::Tensor backward_cuda(torch::Tensor g, torch::Tensor x, double slope) {
    auto y = torch::empty_like(x);
    int n = x.numel();
    backward<<<(n + 255) / 256, 256>>>(
        g.data_ptr<float>(), x.data_ptr<float>(), y.data_ptr<float>(), slope, n);
    return y;
}
"""
        functions = [
            "forward_cuda",
            ("backward_cuda", ["torch::Tensor", "torch::Tensor", "double"], "torch::Tensor"),
        ]


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.scaled = Scaled()

    def forward(self, x):
        return self.scaled(x, self.negative_slope)


def get_inputs():
    return [torch.rand(batch_size, dim)]
'''
FIXED = (
    PROGRAM.replace(
        "from torchind import KernelInterface, Tensor\n",
        "from kernelgate import KernelInterface\nfrom torch import Tensor\n\nbatch_size = 4096\ndim = 393216\n",
    )
    .replace('"leaky_forward"', '"forward_cuda"')
    .replace('"leaky_backward"', '"backward_cuda"')
)

WRONG = """import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x):
        return F.silu(x)


def get_inputs():
    return [torch.rand(batch_size)]
"""


@pytest.fixture
def at(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KERNELGATE_CACHE", str(cache))
    return tmp_path / "mine.py"


def _fix(path: Path, *words: str) -> int:
    return main(["fix", str(path), "--problem", "leakyrelu", "--device", "emulated", *words])


@pytest.mark.drawn
def test_a_program_with_three_mistakes_is_fixed_and_passes_with_its_gradient(
    at: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at.write_text(PROGRAM)
    assert _fix(at) == 0
    out, err = capsys.readouterr()
    added = [line[1:] for line in out.split("\n") if line.startswith("+") and not line.startswith("+++")]
    assert [line for line in added if line] == [
        "from kernelgate import KernelInterface",
        "from torch import Tensor",
        "batch_size = 4096",
        "dim = 393216",
        '        return self.run("forward_cuda", x, slope)',
        '        return self.run("backward_cuda", grad, x, slope)',
    ]
    assert err.count("line ") == 3 and at.read_text() == PROGRAM

    assert _fix(at, "--write", "--contract", "problem") == 0
    assert at.read_text() == FIXED
    assert "CORRECT" in capsys.readouterr().out
    assert main(["verify", str(at), "--problem", "leakyrelu", "--device", "emulated", "--json"]) == 0
    report = ast.literal_eval(
        capsys.readouterr().out.replace("null", "None").replace("true", "True").replace("false", "False")
    )
    assert next(gate["outcome"] for gate in report["gates"] if gate["name"] == "gradient") == "pass"


def test_a_program_that_stays_wrong_is_left_as_it_is_and_its_report_offers_no_fix(
    at: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at.write_text(WRONG)
    assert _fix(at, "--write") == 1
    assert at.read_text() == WRONG
    shown = capsys.readouterr()
    assert "nothing was changed: with 1 fix the program ends with" in shown.err
    assert "FIX " not in shown.out and "with this fix it still fails" in " ".join(shown.out.split())
    assert main(["verify", str(at), "--problem", "leakyrelu", "--device", "emulated"]) == 1
    out = capsys.readouterr().out
    assert "FIX " not in out and "with this fix it still fails" in " ".join(out.split())


@pytest.mark.parametrize(
    ("outcome", "after", "unfixed", "written", "says"),
    [
        ("fail", "b", "", True, "mine.py: 1 fix written, line 3"),
        ("fail", "b", "", False, "mine.py: 1 fix, line 3; --write makes the change"),
        ("pass", "a", "", True, "mine.py: nothing to fix, the program passes"),
        ("fail", "a", "Race", True, "mine.py: nothing was changed: with 1 fix the program ends with: Race"),
        ("fail", "a", "", True, "mine.py: nothing was changed: no certain fix is known for what the report says"),
    ],
)  # fmt: skip
def test_what_was_fixed_or_why_nothing_was_is_a_line(
    outcome: Literal["pass", "fail"], after: str, unfixed: str, written: bool, says: str
) -> None:
    report = first_report(Job(run="r", text="", label="mine.py", problem="leakyrelu"))
    report.verdict = Verdict(outcome=outcome, kind="pass" if outcome == "pass" else "wrong", sentence="")
    fixed = Fixed("a", after, ["line 3: write < for <="], report, (3,), unfixed)
    assert summary(fixed, "mine.py", written=written) == says
