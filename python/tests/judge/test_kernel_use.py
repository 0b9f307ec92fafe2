"""Whether a program's kernels do its work: said where none ran, with the reason, and where they do not matter."""

from __future__ import annotations

import pytest

from .test_sources import verify

PROGRAM = '''import torch, torch.nn as nn
from torch.utils.cpp_extension import load_inline
CUDA = r"""
#include <torch/extension.h>
__global__ void relu_kernel(const float* x, float* y, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 0 || x[i] != x[i] ? x[i] : 0.0f{semicolon}
}}
torch::Tensor relu(torch::Tensor x, torch::Tensor y) {{
  int n = x.numel();
  if (n) relu_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}}
"""
try:
    ext = load_inline(name="relu_ext", cpp_sources="torch::Tensor relu(torch::Tensor x, torch::Tensor y);",
                      cuda_sources=CUDA, functions=["relu"])
except Exception:
    ext = None
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = None
    def forward(self, x):
        {forward}
'''
OWN = "return ext.relu(x.contiguous(), torch.empty_like(x.contiguous()))"
KEPT = """if self.kept is None or self.kept.shape != x.shape or self.kept.device != x.device:
            self.kept = torch.empty_like(x)
        return ext.relu(x.contiguous(), self.kept).clone()"""


def _note(device: str, forward: str, semicolon: str = ";") -> str:
    text = PROGRAM.format(forward=forward, semicolon=semicolon)
    report = verify(text, "torch.nn.functional.relu", "9x17", device=device)
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
    return report.kernel_note


FALLS_BACK = [
    (
        "return torch.relu(x) if ext is None else ext.relu(x)",
        "",
        "no CUDA kernel of this program ran: load_inline failed at line 16 and was caught",
    ),
    (
        f"if self.training: return torch.relu(x)\n        {OWN}",
        ";",
        "no CUDA kernel of this program ran: none was launched in the call that was watched",
    ),
]


@pytest.mark.drawn
@pytest.mark.parametrize(("forward", "semicolon", "says"), FALLS_BACK)
def test_that_no_kernel_ran_is_said_with_the_reason(forward: str, semicolon: str, says: str) -> None:
    assert _note("emulated", forward, semicolon).startswith(says)


def test_a_kernel_whose_result_is_not_used_is_said_not_to_matter() -> None:
    decoy = "ext.relu(x.contiguous(), torch.empty_like(x.contiguous())); return torch.relu(x)"
    assert _note("emulated", decoy) == "its CUDA kernels do not matter: without them the result is the same"


@pytest.mark.drawn
@pytest.mark.parametrize("forward", [OWN, KEPT])
def test_nothing_is_said_of_a_kernel_that_does_the_work(forward: str) -> None:
    assert _note("emulated", forward) == ""


@pytest.mark.gpu
@pytest.mark.parametrize(("forward", "semicolon", "says"), [*FALLS_BACK, (OWN, ";", "")])
def test_the_same_is_said_on_a_gpu(forward: str, semicolon: str, says: str) -> None:
    note = _note("cuda", forward, semicolon)
    assert note.startswith(says) and bool(note) == bool(says)
