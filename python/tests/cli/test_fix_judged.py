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
    leaky<<<(x.numel() + 1023) / 1024, 1024>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel(), slope);
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
    ("auto y = torch::empty_like(x);", "auto y = torch::empty_like(x)"),
    ("slope * x[i];", "slop * x[i];"),
    ('cpp_sources="torch::Tensor leaky_forward(torch::Tensor x, double slope);"', 'cpp_sources=""'),
)


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


@pytest.mark.drawn
def test_a_program_with_three_faults_is_written_as_it_should_be_and_passes(
    at: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at.write_text(_broken(PROGRAM))
    assert _run("fix", at, "--write") == 0
    out, err = capsys.readouterr()
    assert "CORRECT" in out and err.count("line ") == 3
    assert at.read_text() == PROGRAM


@pytest.mark.drawn
def test_a_kernel_that_ignores_strides_gets_contiguous_inputs(at: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = PROGRAM.replace('    TORCH_CHECK(x.is_contiguous(), "contiguous, please");\n', "")
    text = text.replace("empty_like(x)", "empty(x.sizes(), x.options())")
    text = text.replace("(x, self.negative_slope)", "(x.t(), self.negative_slope).t()")
    at.write_text(text)
    assert _run("fix", at, "--write") == 0
    assert "1 fix written, line 13" in capsys.readouterr().err
    head = "torch::Tensor leaky_forward(torch::Tensor x, double slope) {\n"
    assert at.read_text() == text.replace(head, f"{head}    x = x.contiguous();\n")


# A drop-in but for its launch: on the default stream, unchecked, without a guard, of any layout, counted in int.
CARELESS = '''import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <torch/extension.h>

__global__ void leaky(const float* x, float* y, int n, float slope) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] > 0 ? x[i] : slope * x[i];
}

torch::Tensor leaky_forward(torch::Tensor x, double slope) {
    auto y = torch::empty_like(x);
    int n = x.numel();
    if (n == 0) return y;
    leaky<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n, slope);
    return y;
}
"""
ext = load_inline(name="leaky", cpp_sources="torch::Tensor leaky_forward(torch::Tensor x, double slope);",
                  cuda_sources=SOURCE, functions=["leaky_forward"])


@torch.library.custom_op("mine::leaky", mutates_args=())
def leaky(x: torch.Tensor, slope: float) -> torch.Tensor:
    return ext.leaky_forward(x, slope)


@leaky.register_fake
def _(x, slope):
    return torch.empty_like(x)


def _save(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])
    ctx.slope = inputs[1]


def _gradient(ctx, grad):
    (x,) = ctx.saved_tensors
    return torch.where(x > 0, grad, grad * ctx.slope), None


leaky.register_autograd(_gradient, setup_context=_save)


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        if x.dtype != torch.float32 or not x.is_cuda:
            return F.leaky_relu(x, self.negative_slope)
        return leaky(x, self.negative_slope)
'''
CAREFUL = (
    ("#include <torch/extension.h>\n", "#include <torch/extension.h>\n#include <ATen/cuda/CUDAContext.h>\n"
     "#include <c10/cuda/CUDAException.h>\n#include <c10/cuda/CUDAGuard.h>\n"),
    ("int n, float slope", "int64_t n, float slope"),
    ("int i = blockIdx.x * blockDim.x", "int64_t i = blockIdx.x * int64_t(blockDim.x)"),
    ("    auto y =", "    const c10::cuda::CUDAGuard device_guard(x.device());\n"
     "    if (!x.is_non_overlapping_and_dense()) x = torch::empty_like(x).copy_(x);\n    auto y ="),
    ("int n = x.numel()", "int64_t n = x.numel()"),
    ("256>>>", "256, 0, at::cuda::getCurrentCUDAStream()>>>"),
    ("n, slope);\n", "n, slope);\n    C10_CUDA_KERNEL_LAUNCH_CHECK();\n"),
)  # fmt: skip


@pytest.mark.drawn
def test_a_program_gets_what_its_launch_lacks_where_a_drop_in_is_asked_for(
    at: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at.write_text(CARELESS)
    assert _run("fix", at, "--contract", "drop-in", "--shape", "16x96", "--write") == 0
    out, err = capsys.readouterr()
    careful = CARELESS
    for wrong, right in CAREFUL:
        assert wrong in careful
        careful = careful.replace(wrong, right, 1)
    assert at.read_text() == careful
    assert "CORRECT" in out and "copy an input that has gaps" in err
